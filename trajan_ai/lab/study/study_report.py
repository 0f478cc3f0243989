"""The report of a study: its figures as tables and pictures, its claims with their verdicts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.analysis.signature import play_signature
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.table_text import html_page, html_section
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset.dataset_files import brought, read_columns
from trajan_ai.lab.study.figures import Collected, Figure, Games
from trajan_ai.lab.study.study_plan import Claim, Study, Table
from trajan_ai.lab.study.study_run import part_of

FEW = 4  # items that a picture has at least
TITLE = "What wins"
INTRODUCTION = (
    "Figures with intervals that hold together: the chance that any interval of a column misses "
    'is at most 5 % (Bonferroni, by deals). "Agree": figures whose two halves, played with '
    "different seeds, agree within their intervals. Engines: {engines}."
)
TABLES = ["game", "table", "games", "agree"]
CLAIMS = ["claim", "game", "table", "figure", "verdict"]
JUDGED = "Written before the games were played, judged by the games of the second seed alone."

Figures = dict[str, Figure]


@dataclass(frozen=True)
class Told:
    """What was computed of a table: of all games, and of those of each seed."""

    table: Table
    games: int
    all: Figures
    by_seed: tuple[Figures, Figures]

    @property
    def head(self) -> str:
        """The head of its column."""
        name = f" {self.table.name}" if self.table.name else ""
        return f"{self.table.players} players{name}, {self.table.layer}"


@dataclass(frozen=True)
class Section:
    """A part of the report: a text, a picture where there is one, and a table."""

    title: str
    text: str
    heads: list[str]
    rows: list[list[str]]
    picture: str | None = None

    def markdown(self) -> str:
        """Return it for report.md, without the picture."""
        lines = (f"| {' | '.join(row)} |" for row in self.rows)
        table = "\n".join(
            [f"| {' | '.join(self.heads)} |", "|---" * len(self.heads) + "|", *lines]
        )
        return "\n\n".join(filter(None, [f"## {self.title}", self.text, table]))

    def html(self) -> str:
        """Return it for report.html."""
        section = html_section(self.title, self.text, self.heads, self.rows)
        if self.picture:
            section += f'<img src="pictures/{self.picture}" alt="The figures of the table above">'
        return section


def write(study: Study, folder: Path) -> str:
    """Write reports, figures and pictures to the study's folder; return what to print."""
    told = list(_told(study, folder))
    if not told:
        raise TrajanError(f"{folder}: no games yet; run the study without --report")
    games = list(dict.fromkeys(one.table.game for one in told))
    claims = list(_verdicts(study.file.claims, told))
    engines = ", ".join(f"{game} {play_signature(game_named(game))}" for game in games)
    tables = [[one.table.game, one.head, str(one.games), _agreeing(one)] for one in told]
    sections = [
        Section("Games", INTRODUCTION.format(engines=engines), TABLES, tables),
        Section("Claims", JUDGED, CLAIMS, claims),
        *(section for game in games for section in _sections(game, told, folder)),
    ]
    markdown = "\n\n".join(section.markdown() for section in sections)
    (folder / "report.md").write_text(f"# {TITLE}\n\n{markdown}\n", encoding="utf-8")
    page = html_page(TITLE, [section.html() for section in sections])
    (folder / "report.html").write_text(page, encoding="utf-8")
    data = [
        {"game": one.table.game, "table": one.head, "games": one.games}
        | {"figures": {name: asdict(figure) for name, figure in one.all.items()}}
        for one in told
    ]
    (folder / "figures.json").write_text(json.dumps(data), encoding="utf-8")
    lines = [f"{claim}: {game}, {head}: {cell}, {verdict}"
             for claim, game, head, cell, verdict in claims]  # fmt: skip
    return "\n".join([*lines, f"report: {folder / 'report.html'}"])


def _told(study: Study, folder: Path) -> Iterator[Told]:
    """Yield what the games that are there tell of each table."""
    for table in study.tables:
        game = game_named(table.game)
        collected = [Collected(game) for _ in range(3)]
        for chunk in study.chunks():
            if chunk.table == table and part_of(chunk, folder, "games").exists():
                games = Games(partial(part_of, chunk, folder), game, table.players)
                for one in (collected[0], collected[1 + study.file.seeds.index(chunk.seed)]):
                    one.add(games)
                    if chunk.judged and (path := part_of(chunk, folder, "decisions")).exists():
                        one.judge(read_columns(path), table.players)
        if collected[1].games and collected[2].games:
            first, second = (one.figures() for one in collected[1:])
            yield Told(table, collected[0].games, collected[0].figures(), (first, second))


def _agreeing(told: Told) -> str:
    """Say how many figures of both seeds agree within their intervals, of how many."""
    first, second = told.by_seed
    both = [(first[name], second[name]) for name in first.keys() & second.keys()]
    agreed = [
        abs(a.value - b.value) <= math.hypot(a.reach(len(both)), b.reach(len(both)))
        for a, b in both
    ]
    return f"{sum(agreed)} of {len(both)}"


def _verdicts(claims: list[Claim], told: list[Told]) -> Iterator[list[str]]:
    """Yield for each claim and table: what was claimed, of what, the figure, and the verdict."""
    judged = [
        (claim, one, one.by_seed[1][claim.figure])
        for claim in claims
        for one in told
        if one.table.game == claim.game
        and one.table.players in claim.players
        and not one.table.name
        and claim.figure in one.by_seed[1]
    ]
    for claim, one, figure in judged:
        reach = figure.reach(len(judged))
        low, high = figure.value - reach, figure.value + reach
        above = -math.inf if claim.above is None else claim.above
        below = math.inf if claim.below is None else claim.below
        verdict = "open"
        if above < low and high < below:
            verdict = "holds"
        elif high < above or low > below:
            verdict = "fails"
        yield [claim.says, one.table.game, one.head, _cell(figure, len(judged)), verdict]


def _cell(figure: Figure | None, comparisons: int) -> str:
    """Return a figure with its interval, as many digits as that tells."""
    if figure is None:
        return ""
    reach = figure.reach(comparisons)
    if not 0 < reach < math.inf:
        return f"{figure.value:.3g}"
    digits = min(3, max(0, 1 - math.floor(math.log10(reach))))
    return f"{figure.value:.{digits}f} ± {reach:.{digits}f}".replace("-", "−")


def _sections(game: str, told: list[Told], folder: Path) -> Iterator[Section]:
    """Yield the groups of figures: a row each, a column for each number of players and layer."""
    columns = [one for one in told if one.table.game == game]
    columns.sort(key=lambda one: (one.table.players, one.table.name))
    names = list(dict.fromkeys(name for one in columns for name in one.all))
    for title in dict.fromkeys(name.partition(": ")[0] for name in names):
        chosen = [name for name in names if name.startswith(f"{title}: ")]
        rows = [
            [_item(name), *(_cell(one.all.get(name), len(one.all)) for one in columns)]
            for name in chosen
        ]
        picture = None
        if len(chosen) >= FEW:
            picture = f"{game}-{title.replace(' ', '-').replace(',', '')}.png"
            _draw(columns, chosen, title, folder / "pictures" / picture)
        heads = ["", *(one.head for one in columns)]
        yield Section(f"{game}: {title}", "", heads, rows, picture)


def _item(name: str) -> str:
    return name.partition(": ")[2].replace("_", " ")


def _draw(columns: list[Told], names: list[str], title: str, path: Path) -> None:
    """Draw figures with their intervals: a panel for each number of players, a colour a layer."""
    figures = brought("matplotlib.figure")
    plain = [one for one in columns if not one.table.name]
    tables = sorted({one.table.players for one in plain})
    height = 1.2 + 0.22 * len(names)
    figure = figures.Figure(figsize=(3 + 2.4 * len(tables), height), layout="constrained")
    axes = figure.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    layers = list(dict.fromkeys(one.table.layer for one in plain))
    named: dict[str, Any] = {}
    for one in plain:
        shown: list[Any] = [(n, one.all[name]) for n, name in enumerate(names) if name in one.all]
        if not shown:
            continue
        k = layers.index(one.table.layer)
        places = np.array([n for n, _ in shown]) + 0.5 * (k + 0.5) / len(layers) - 0.25
        reach = [f.reach(len(one.all)) for _, f in shown]
        axis = axes[tables.index(one.table.players)]
        named[one.table.layer] = axis.errorbar(
            [f.value for _, f in shown], places, xerr=reach, fmt="o", ms=3, color=f"C{k}"
        )
    for axis, players in zip(axes, tables, strict=True):
        axis.set_title(f"{players} players", fontsize=9)
        axis.axvline(0, color="0.8", lw=0.8, zorder=0)
        axis.tick_params(labelsize=8)
    axes[0].set_yticks(range(len(names)), [*map(_item, names)])
    axes[0].invert_yaxis()
    handles = list(named.values())
    figure.legend(handles, list(named), loc="outside lower center", ncols=len(named), fontsize=7)
    figure.suptitle(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
