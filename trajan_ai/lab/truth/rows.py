"""Read and write the file of rolled-out decisions: JSON lines that are only ever appended.

The first line is the head, with the plan. Three kinds of lines follow:

game      ``{"game": [GAME, PLAYERS, KIND, NUMBER], "record": ..}``: a game with such decisions
decision  ``{"decision": [GAME, PLAYERS, KIND, NUMBER, FIFTH], "ply": .., "player": ..,
          "moves": [ACTION, ..], "own": ACTION}``: the moves that are rolled out, and the move
          that the bot itself chooses
block     ``{"rollouts": [GAME, PLAYERS, KIND, NUMBER, FIFTH], "iterations": .., "block": ..,
          "redeals": .., "cpu": SECONDS, "results": ..}``: the results of a block of redeals

``results`` contains final scores and ranks as an array of shape (2, redeals, moves, players) of
little-endian 16-bit integers, compressed by zlib and written in base64.
"""

import base64
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trajan_ai import games
from trajan_ai import records as game_records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position

FORMAT, VERSION = "trajan-ai/rollouts", 1
Kind = Literal["strong", "human"]
KINDS: tuple[Kind, ...] = ("strong", "human")
FIFTHS = 5

Floats = NDArray[np.float64]
Results = NDArray[np.int16]


class GameKey(NamedTuple):
    """A game, identified by its table, the kind of its players and its number among such games."""

    game: str
    players: int
    kind: Kind
    number: int


class DecisionKey(NamedTuple):
    """A decision, identified by its game and by the fifth of that game, counted from 0."""

    game: str
    players: int
    kind: Kind
    number: int
    fifth: int

    @property
    def of_game(self) -> GameKey:
        """The key of the game."""
        return GameKey(*self[:-1])


@dataclass(frozen=True)
class RolledDecision:
    """A decision of a game, and the moves to roll out.

    Attributes:
        ply: the number of decisions before this one.
        player: the player to decide.
        moves: action strings; the first moves are the best of a verified analysis.
        own: the move that the bot plays.
    """

    ply: int
    player: int
    moves: tuple[str, ...]
    own: str


@dataclass
class Rows:
    """The content of a file.

    Attributes:
        head: the first line.
        records: the record of each game.
        decisions: the decisions by key.
        blocks: the results by decision and iterations, then by the number of the block.
        cpu: the CPU seconds by decision and iterations.
    """

    head: dict[str, Any] = field(default_factory=dict)
    records: dict[GameKey, game_records.Record] = field(default_factory=dict)
    decisions: dict[DecisionKey, RolledDecision] = field(default_factory=dict)
    blocks: dict[tuple[DecisionKey, int], dict[int, Results]] = field(default_factory=dict)
    cpu: dict[tuple[DecisionKey, int], float] = field(default_factory=dict)

    def add(self, line: Mapping[str, Any]) -> None:
        """Add the data of a line."""
        if "record" in line:
            self.records[GameKey(*line["game"])] = line["record"]
        elif "moves" in line:
            self.decisions[DecisionKey(*line["decision"])] = RolledDecision(
                line["ply"], line["player"], tuple(line["moves"]), line["own"]
            )
        elif "results" in line:
            key = DecisionKey(*line["rollouts"])
            shape = (2, line["redeals"], len(self.decisions[key].moves), key.players)
            which = key, line["iterations"]
            self.blocks.setdefault(which, {})[line["block"]] = unpack(line["results"], shape)
            self.cpu[which] = self.cpu.get(which, 0.0) + line["cpu"]
        else:
            self.head = dict(line)

    def results(self, key: DecisionKey, iterations: int) -> Results | None:
        """Return scores and ranks, (2, redeals, moves, players), or None if there are none."""
        blocks = self.blocks.get((key, iterations))
        if not blocks:
            return None
        return np.concatenate([blocks[number] for number in sorted(blocks)], axis=1)

    def position(self, key: DecisionKey) -> Position:
        """Return the position of a decision."""
        positions = game_records.positions(self.records[key.of_game])
        ply = self.decisions[key].ply
        return next(position for position in positions if position.ply == ply)

    def move_numbers(self, key: DecisionKey) -> list[int]:
        """Return the numbers of the moves that are rolled out."""
        game = games.game(key.game)
        return [game.move(action) for action in self.decisions[key].moves]


def pack(results: Results) -> str:
    """Return results as text."""
    return base64.b64encode(zlib.compress(results.astype("<i2").tobytes(), 9)).decode()


def unpack(text: str, shape: tuple[int, ...]) -> Results:
    """Return the results in a text that `pack` returned."""
    data = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(data, "<i2").reshape(shape).astype(np.int16)


def margins_of(results: Results, player: int) -> Floats:
    """Return the lead of a player over the best opponent, of shape (redeals, moves)."""
    scores = results[0].astype(np.float64)
    best_opponent = np.delete(scores, player, axis=2).max(axis=2)
    return np.asarray(scores[:, :, player] - best_opponent)


def wins_of(results: Results, player: int) -> Floats:
    """Return a player's share of the win, of shape (redeals, moves)."""
    first = results[1] == 1
    return np.asarray(first[:, :, player] / first.sum(axis=2))


def gap_errors(margins: Floats) -> Floats:
    """Return the standard errors of the paired differences between each move and the best one.

    The error of the best move itself, 0, is omitted.
    """
    best = int(margins.mean(axis=0).argmax())
    gaps = np.delete(margins - margins[:, [best]], best, axis=1)
    return np.asarray(gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps)))


def read_rows(path: Path) -> Rows:
    """Return the content of a file; an incomplete last line is ignored.

    Raises TrajanError if the file is missing or has another format.
    """
    rows, number = Rows(), 0
    try:
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            number += 1
            rows.add(json.loads(line))
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, zlib.error) as error:
        raise TrajanError(
            f"{path}:{number}: not a line of rolled-out decisions ({error})"
        ) from None
    if (rows.head.get("format"), rows.head.get("version")) != (FORMAT, VERSION):
        raise TrajanError(f"{path}:1: not a file of rolled-out decisions")
    return rows


def append_rows(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines to a file in a single write."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    with path.open("ab", buffering=0) as file:
        file.write(text.encode())


def open_rows(path: Path, head: Mapping[str, Any]) -> None:
    """Prepare a file to which lines are appended: write the head if the file is new or empty.

    An incomplete last line, which a killed process has left, is removed.
    """
    path.touch()
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
    if not path.stat().st_size:
        append_rows(path, [head])


def open_lines(path: Path, head: Mapping[str, Any], otherwise: str) -> list[dict[str, Any]]:
    """Prepare a file like `open_rows`, and return the lines after its head.

    Raises TrajanError with the text `otherwise` if the file has another head.
    """
    open_rows(path, head)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if lines[0] != head:
        raise TrajanError(f"{path}:1: {otherwise}; choose another file")
    return lines[1:]
