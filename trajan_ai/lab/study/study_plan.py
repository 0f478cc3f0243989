"""Study plans: the games, the bots, and claims about the figures."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from trajan_ai.analysis.decision.calibration import calibration_of
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots import Bot
from trajan_ai.bots.code_identity import hash_data
from trajan_ai.bots.descriptions import parse_bot
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.core.paths import build_path
from trajan_ai.core.rules_files import hash_option_files
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset.dataset_files import facts_of
from trajan_ai.tournaments.plan_file import SchedulerAddress

GAMES_PER_DEAL = 2  # played one after the other
# Number of games in a chunk if the policy plays (True) and if a bot plays (False). Both are
# multiples of GAMES_PER_DEAL.
CHUNK_SIZES = {True: 1000, False: 20}


class TableSettings(Description):
    """A game, its numbers of players, and options that differ from the defaults."""

    game: str
    players: list[Annotated[int, Field(ge=PLAYER_COUNTS[0], le=PLAYER_COUNTS[-1])]]
    options: dict[str, Any] = Field(default_factory=dict)
    name: str = ""


class Layer(Description):
    """A strength of play: a bot in all seats, by default the playout policy.

    `judged` of its `games` are annotated in the same way as on the page, at most one game per
    deal.
    """

    name: Annotated[str, Field(pattern=r"^[\w. -]+$")]
    games: Annotated[int, Field(ge=4, multiple_of=4)]
    bot: Any = None
    judged: Annotated[int, Field(ge=0, multiple_of=2)] = 0


class Claim(Description):
    """A claim that a figure is above or below a number, or between two numbers.

    `figure` is the name that reports print, ``group: item``. A claim ignores tables with a name.
    """

    says: str
    figure: str
    game: str
    players: list[int] = Field(default_factory=lambda: list(PLAYER_COUNTS))
    above: float | None = None
    below: float | None = None


class StudyFile(Description):
    """The keys of a plan."""

    seeds: Annotated[list[int], Field(min_length=2, max_length=2)]
    tables: Annotated[list[TableSettings], Field(min_length=1)]
    layers: Annotated[list[Layer], Field(min_length=1)]
    claims: list[Claim] = Field(default_factory=list)
    backend: Literal["processes", "dask"] = "processes"
    scheduler: SchedulerAddress | None = None


@dataclass(frozen=True)
class Condition:
    """One layer of one game for a given number of players.

    `games` and `judged` are per seed; `name` is the name of its table settings.
    """

    layer: str
    bot: Bot | None
    name: str
    game: str
    players: int
    options: dict[str, Any]
    games: int
    judged: int

    @property
    def key(self) -> tuple[str, str, int]:
        """The identity of the condition within its layer."""
        return self.name, self.game, self.players

    @cached_property
    def identity(self) -> str:
        """A hash of everything that determines the games and their analysis, except the seeds.

        These are the bot or the weights of the policy, the options and the files that they name,
        and the engine with its calibration.
        """
        game = game_named(self.game)
        bot = list(game.default_weights or ()) if self.bot is None else self.bot.makeup(game)
        options = game.rules.check(self.players, self.options)
        files = hash_option_files(game.rules, options)
        engine = [play_signature(game), repr(calibration_of(game))]
        data = json.dumps([bot, options, files, *engine], sort_keys=True)
        return hash_data(data.encode())

    def folder(self, folder: Path) -> Path:
        """Return the folder of the condition's data set."""
        name = "-".join(filter(None, (self.layer.replace(" ", "-"), self.name)))
        return build_path(folder / "data", name)


@dataclass(frozen=True)
class Chunk:
    """Games of a condition that are played and written together."""

    condition: Condition
    seed: int
    number: int
    games: int
    judged: int

    @property
    def name(self) -> str:
        """The name of the chunk's parts.

        It contains the condition's identity, so that games of another bot, with other options or
        by another engine are not counted.
        """
        return f"seed{self.seed}-{self.number:05}-{self.condition.identity}"


@dataclass(frozen=True)
class Study:
    """A valid plan, and the conditions that it compares.

    The plan has the games and tables that its claims name; `claim_check` checks their figures.
    """

    file: StudyFile
    conditions: list[Condition]
    document: Document

    @property
    def name(self) -> str:
        """The name of the plan's file without its ending."""
        return Path(self.document.name).stem

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks: the first of each condition, then the second of each, and so on."""
        queues = [list(self._chunks_of(condition)) for condition in self.conditions]
        for number in range(max(map(len, queues))):
            yield from (queue[number] for queue in queues if number < len(queue))

    def _chunks_of(self, condition: Condition) -> Iterator[Chunk]:
        size = CHUNK_SIZES[condition.bot is None]
        for number in range(-(-condition.games // size)):
            games = min(size, condition.games - number * size)
            judged = max(
                0,
                min(games // GAMES_PER_DEAL, condition.judged - number * (size // GAMES_PER_DEAL)),
            )
            for seed in self.file.seeds:
                yield Chunk(
                    condition=condition, seed=seed, number=number, games=games, judged=judged
                )


def read_study(path: str | os.PathLike[str], share: float = 1.0) -> Study:
    """Return the plan in a file, with a fraction `share` of its games.

    Raises TrajanError, which lists every problem in the plan.
    """
    document = read_yaml(Path(path))
    file = validate(StudyFile, document)
    problems: list[Problem] = []
    bots: dict[str, Bot | None] = {}
    for number, layer in enumerate(file.layers):
        bots[layer.name] = None
        if layer.bot is not None:
            try:
                bots[layer.name] = parse_bot(document, ("layers", number, "bot"))
            except TrajanError as error:
                problems += error.problems
    for number, table in enumerate(file.tables):
        try:
            game = game_named(table.game)
            facts_of(game)
            for players in table.players:
                game.rules.check(players, table.options)
        except TrajanError as error:
            problems += [document.problem(("tables", number), str(one)) for one in error.problems]
    problems += _list_problems_of_claims(document, file)
    if problems:
        raise TrajanError(*problems)
    conditions = [
        Condition(
            layer=layer.name,
            bot=bots[layer.name],
            name=table.name,
            game=table.game,
            players=players,
            options=table.options,
            games=_count_games(layer, share),
            judged=min(layer.judged // 2, _count_games(layer, share) // GAMES_PER_DEAL),
        )
        for layer in file.layers
        for table in file.tables
        for players in table.players
    ]
    _check_folders(document, conditions)
    return Study(file, conditions, document)


def _list_problems_of_claims(document: Document, file: StudyFile) -> Iterator[Problem]:
    """Yield a problem for each claim that no table can decide."""
    names = Names(table.game for table in file.tables)
    for number, claim in enumerate(file.claims):
        at = ("claims", number, "game")
        if claim.game not in names.names:
            text = f"no table has the game {quoted(claim.game)}{names.hint(claim.game)}"
            yield document.problem(at, text)
        elif not any(
            table.game == claim.game and not table.name and {*table.players} & {*claim.players}
            for table in file.tables
        ):
            players = ", ".join(map(str, claim.players))
            text = (
                "a claim requires a table without `name`, but no such table has "
                f"{claim.game} with {players} players"
            )
            yield document.problem(at, text)


def _check_folders(document: Document, conditions: Sequence[Condition]) -> None:
    """Raise TrajanError if a name is not allowed in a path, or if two conditions share files."""
    files = set[tuple[Path, str, int]]()
    for one in conditions:
        try:
            path = one.folder(Path()), one.game, one.players
        except TrajanError as error:
            raise TrajanError(document.problem(("tables",), f"name: {error}")) from None
        if path in files:
            what = f"{one.game} with {one.players} players occurs twice in the folder"
            message = f"{what} {path[0].name!r}; give tables and layers different names"
            raise TrajanError(document.problem(("tables",), message))
        files.add(path)


def _count_games(layer: Layer, share: float) -> int:
    """Return the number of games per seed: whole chunks, but no more than in the plan."""
    most, size = layer.games // 2, CHUNK_SIZES[layer.bot is None]
    return min(most, max(1, -(-int(most * share) // size)) * size)
