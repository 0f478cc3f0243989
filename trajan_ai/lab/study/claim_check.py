"""Check, before a study is played, that the figures of its claims exist."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.names import Names
from trajan_ai.games import game as game_named
from trajan_ai.lab.study.figures import LOST_BY_KIND, FigureCollector, GameColumns
from trajan_ai.lab.study.study_plan import GAMES_PER_DEAL, Chunk, Condition, Study
from trajan_ai.lab.study.study_run import part_of, play_chunk

HINT = "; the name consists of a heading and a row of report.md, such as 'result: score'"
GAMES = 2 * GAMES_PER_DEAL  # games from which the names of figures are taken


def check_figures(study: Study) -> None:
    """Raise TrajanError if none of a claim's tables has the figure of the claim.

    To find the names of figures, the policy plays a few games of each table that has claims. Which
    kinds of decisions are judged is known only after the games, so every kind is accepted.
    """
    tables = {one.key: one for one in study.conditions if not one.name}
    names_of: dict[tuple[str, str, int], list[str]] = {}
    problems: list[Problem] = []
    for number, claim in enumerate(study.file.claims):
        names: list[str] = []
        for key, table in tables.items():
            if table.game == claim.game and table.players in claim.players:
                if key not in names_of:
                    names_of[key] = list_figures(table)
                names += names_of[key]
        if claim.figure not in names and not claim.figure.startswith(LOST_BY_KIND):
            text = f"{claim.game} has no figure {quoted(claim.figure)}"
            hint = Names(names).hint(claim.figure) or HINT
            problems.append(study.document.problem(("claims", number, "figure"), text + hint))
    if problems:
        raise TrajanError(*problems)


def list_figures(condition: Condition) -> list[str]:
    """Return the names of the figures of a condition."""
    chunk = Chunk(replace(condition, bot=None), seed=0, number=0, games=GAMES, judged=0)
    collector = FigureCollector(game_named(condition.game))
    with TemporaryDirectory() as folder:
        play_chunk(chunk, Path(folder))
        path_of = partial(part_of, chunk, Path(folder))
        collector.add(GameColumns(path_of, collector.game, condition.players))
    return collector.names()
