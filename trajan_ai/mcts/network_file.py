"""Files of networks: a line of JSON that describes a game's networks, followed by their numbers.

The line contains ``format``, ``version``, ``game``, the ``sha256`` of all bytes after the line,
``parts`` and a ``card``, which describes what the networks were trained on. A part is the network
for one number of players. After the line, the numbers of each part follow in this order,
little-endian and without gaps:

============ =================== ============================================================
name         type and shape      meaning
============ =================== ============================================================
columns      uint16[columns]     the features that the network reads, ascending
counts       uint8[columns]      number of levels of each feature
levels       uint8[rows]         ascending values; a feature has the last level that it reaches
rows         int8[rows][64]      what a feature at this level adds to the 64 units
bias         int32[64]           biases of the units
one          int16[64]           stands for 1.0 in each unit; units are clipped to 0 .. one
second       int16[32][64]       weights of the 32 neurons
second_bias  int32[32]           a sum of 1023 * 1024 is 1.0; neurons are clipped to 0 .. 1023
out          int32[players][32]  weights from neurons to VP by seat, in units of 2**-20 VP
skip         int32[players][64]  weights from units to VP by seat, in units of 2**-20 VP
out_bias     int32[players]      VP by seat in units of 2**-14 VP
============ =================== ============================================================

The network reads the features of the player to move, as that player sees the position. Outputs by
seat begin with that player, and are added to the VP that the game's evaluation expects.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
from array import array
from typing import Annotated, Any, Literal

from pydantic import Field

from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.mcts.network import NEURONS, UNITS, Network

MAX_ONE = 1023  # with this limit, the sum of 64 units times 16-bit weights fits into 32 bits
MAX_BIAS = 1 << 24  # with this limit, a bias plus the rows of all features fits into 32 bits
MAX_ROWS = 1 << 14

Count = Annotated[int, Field(ge=1, le=MAX_ROWS)]


class Part(Description):
    """The network for one number of players, without its numbers."""

    players: int
    features: str
    columns: Count
    rows: Count


class Head(Description):
    """The first line of a file."""

    format: Literal["trajan_ai network"]
    version: Literal[1]
    game: str
    sha256: str
    parts: Annotated[list[Part], Field(min_length=1)]
    card: dict[str, Any]


def read_network(game: Game, path: str) -> Network:
    """Return the networks in a file; all searches in a process share them.

    Raises TrajanError if the file does not contain networks for the features of this game.
    """
    try:
        state = os.stat(path)
        return _read(game, path, (state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise TrajanError(f"{path}: cannot read the network: {error.strerror}") from None
    except ValueError as error:
        raise TrajanError(f"{path}: {error}") from None


def fingerprint_features(game: Game, players: int) -> str:
    """Return a hash of the names of the features."""
    names = "\n".join(one.name for one in needed(game, HasFeatures).features(players))
    return hashlib.sha256(names.encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=16)
def _read(game: Game, path: str, _version: tuple[int, int]) -> Network:
    head, parts = read_parts(game, path)
    return Network(game, head.card, head.sha256[:12], parts)


def read_parts(game: Game, path: str) -> tuple[Head, dict[int, dict[str, array[int]]]]:
    """Return the first line of a file, and the named arrays in it for each number of players.

    Raises ValueError if the file does not contain networks for the features of this game.
    """
    with open(path, "rb") as file:
        line, numbers = file.readline(), file.read()
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not a network: its first line must be JSON") from None
    head = validate(Head, Document(path, data, {}))
    if head.game != game.name:
        raise ValueError(f"the network is for {head.game}, not for {game.name}")
    if head.sha256 != hashlib.sha256(numbers).hexdigest():
        raise ValueError("the network is damaged: its checksum is wrong; copy the file again")
    reader = _Reader(numbers)
    parts = {}
    for part in head.parts:
        if part.players not in game.player_counts or part.players in parts:
            raise ValueError(
                f"{game.name} allows one network for each number of players {game.player_counts}"
            )
        if part.features != fingerprint_features(game, part.players):
            raise ValueError(f"the features of {game.name} have changed; train the network again")
        parts[part.players] = _read_part(reader, part)
    if reader.left:
        raise ValueError(f"there are {reader.left} bytes too many after the last number")
    return head, parts


class _Reader:
    """Reads numbers one after another."""

    def __init__(self, numbers: bytes) -> None:
        self.numbers = memoryview(numbers)

    @property
    def left(self) -> int:
        return len(self.numbers)

    def read(self, code: str, count: int) -> array[int]:
        result = array(code)
        size = count * result.itemsize
        if size > self.left:
            raise ValueError(f"{size - self.left} bytes are missing at the end")
        result.frombytes(self.numbers[:size])
        self.numbers = self.numbers[size:]
        if sys.byteorder == "big":
            result.byteswap()
        return result


def _read_part(reader: _Reader, part: Part) -> dict[str, array[int]]:
    shapes = {
        "columns": ("H", part.columns),
        "counts": ("B", part.columns),
        "levels": ("B", part.rows),
        "rows": ("b", part.rows * UNITS),
        "bias": ("i", UNITS),
        "one": ("h", UNITS),
        "second": ("h", NEURONS * UNITS),
        "second_bias": ("i", NEURONS),
        "out": ("i", part.players * NEURONS),
        "skip": ("i", part.players * UNITS),
        "out_bias": ("i", part.players),
    }
    arrays = {name: reader.read(*shape) for name, shape in shapes.items()}
    begin = 0
    for count in arrays["counts"]:
        levels = arrays["levels"][begin : begin + count]
        if not levels or sorted({0, *levels}) != [0, *levels]:
            raise ValueError("the levels of a feature must be at least 1 and in ascending order")
        begin += count
    if begin != part.rows:
        raise ValueError(f"the levels require {begin} rows, got {part.rows}")
    columns = list(arrays["columns"])
    if columns != sorted(set(columns)):
        raise ValueError(
            "the numbers of the features must be in ascending order without repetition"
        )
    if not all(1 <= one <= MAX_ONE for one in arrays["one"]):
        raise ValueError(f"each number in the array 'one' must be from 1 to {MAX_ONE}")
    if max(map(abs, arrays["bias"])) > MAX_BIAS:
        raise ValueError(f"a bias must be at most {MAX_BIAS} in absolute value")
    return arrays
