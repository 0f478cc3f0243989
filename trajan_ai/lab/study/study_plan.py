"""Plans of studies: what is played, how strongly, and what was claimed before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from trajan_ai.bots import Bot
from trajan_ai.bots.descriptions import parse_bot
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset.dataset_files import facts_of

AGAIN = 2  # times that a deal is played, one game after the other
GAMES_A_CHUNK = {True: 1000, False: 20}  # of the policy, of searches; even: deals come twice


class Tables(Description):
    """Numbers of players of a game, and options other than its defaults."""

    game: str
    players: list[Annotated[int, Field(ge=PLAYER_COUNTS[0], le=PLAYER_COUNTS[-1])]]
    options: dict[str, Any] = Field(default_factory=dict)
    name: str = ""


class Layer(Description):
    """A strength of play: a bot in all seats, or without one the playout policy; even games.

    `judged` of them, one of a deal, are annotated as the page annotates a game.
    """

    name: Annotated[str, Field(pattern=r"^[\w. -]+$")]
    games: Annotated[int, Field(ge=4, multiple_of=4)]
    bot: Any = None
    judged: Annotated[int, Field(ge=0, multiple_of=2)] = 0


class Claim(Description):
    """A figure that lies above or below a number, or between the two, said in words before."""

    says: str
    figure: str
    game: str
    players: list[int] = Field(default_factory=lambda: list(PLAYER_COUNTS))
    above: float | None = None
    below: float | None = None


class StudyFile(Description):
    """A plan as it is written."""

    seeds: Annotated[list[int], Field(min_length=2, max_length=2)]
    tables: Annotated[list[Tables], Field(min_length=1)]
    layers: Annotated[list[Layer], Field(min_length=1)]
    claims: list[Claim] = Field(default_factory=list)
    backend: Literal["processes", "dask"] = "processes"
    scheduler: str | None = None


@dataclass(frozen=True)
class Table:
    """One layer of one game for a number of players."""

    layer: str
    bot: Bot | None
    name: str
    game: str
    players: int
    options: dict[str, Any]
    games: int  # of each seed
    judged: int  # of these

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells the table from those of other games and numbers of players."""
        return self.name, self.game, self.players

    def folder(self, folder: Path) -> Path:
        """Return the folder of the data that the table belongs to."""
        return folder / "data" / "-".join(filter(None, (self.layer.replace(" ", "-"), self.name)))


@dataclass(frozen=True)
class Chunk:
    """Games that are played and written together."""

    table: Table
    seed: int
    number: int
    games: int
    judged: int

    @property
    def name(self) -> str:
        """The name of its parts."""
        return f"seed{self.seed}-{self.number:05}"


@dataclass(frozen=True)
class Study:
    """A plan that was checked."""

    file: StudyFile
    tables: list[Table]

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks: the first of every table, then the second of every one, and so on."""
        queues = [list(self._chunks_of(table)) for table in self.tables]
        for number in range(max(map(len, queues))):
            yield from (queue[number] for queue in queues if number < len(queue))

    def _chunks_of(self, table: Table) -> Iterator[Chunk]:
        size = GAMES_A_CHUNK[table.bot is None]
        for number in range(-(-table.games // size)):
            games = min(size, table.games - number * size)
            judged = max(0, min(games // AGAIN, table.judged - number * (size // AGAIN)))
            for seed in self.file.seeds:
                yield Chunk(table, seed, number, games, judged)


def read_study(path: str | os.PathLike[str], share: float = 1.0) -> Study:
    """Return a plan with `share` of its games; raise TrajanError with every problem."""
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
    if problems:
        raise TrajanError(*problems)
    found = [
        Table(
            layer.name,
            bots[layer.name],
            table.name,
            table.game,
            players,
            table.options,
            _games(layer, share),
            min(layer.judged // 2, _games(layer, share) // AGAIN),
        )
        for layer in file.layers
        for table in file.tables
        for players in table.players
    ]
    return Study(file, found)


def _games(layer: Layer, share: float) -> int:
    """Return the games of each seed: whole chunks of the share, and no more than planned."""
    most, size = layer.games // 2, GAMES_A_CHUNK[layer.bot is None]
    return min(most, max(1, -(-int(most * share) // size)) * size)
