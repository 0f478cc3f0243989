"""The file of a network: a JSON line that describes it, then its numbers.

The line has ``format``, ``version``, ``game``, ``sha256`` of everything after it, ``parts`` and a
``card``. A part is the network for one number of players. Its numbers follow in this order,
little-endian, without gaps:

============ ================== ===========================================================
name         type and shape     meaning
============ ================== ===========================================================
columns      uint16[columns]    the features that the network uses, ascending
counts       uint8[columns]     number of levels of each
levels       uint8[rows]        values, ascending: a feature counts as the highest it reaches
rows         int8[rows][64]     what a feature of this level adds to the 64 units
bias         int32[64]          of the units
one          int16[64]          what 1.0 is in a unit; its sum is clipped to 0 .. one
second       int16[32][64]      second layer; 1.0 is 1023 after a division by 1024
second_bias  int32[32]
out          int32[players][32] VP by seat in units of 2**-20, the player to move first
skip         int32[players][64] the same from the units
out_bias     int32[players]     in units of 2**-14 VP
============ ================== ===========================================================
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
from array import array
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.mcts.network import SHAPE, Network

FORMAT = "trajan_ai network"
VERSION = 1
UNITS, NEURONS = SHAPE
MAX_ONE = 1023  # 64 units of it times int16 weights fit 32 bits
MAX_BIAS = 1 << 24
MAX_ROWS = (1 << 16) - 2


def read_network(game: Game, path: str) -> Network:
    """Return the networks in a file, read once per process and content.

    Raises TrajanError if the file is not a network for this game.
    """
    try:
        state = os.stat(path)
        return _read(game, path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise TrajanError(f"{path}: {error}") from None


@functools.lru_cache(maxsize=16)
def _read(game: Game, path: str, _changed: int, _size: int) -> Network:
    with open(path, "rb") as file:
        head, body = file.readline(), file.read()
    try:
        line = json.loads(head)
    except ValueError:
        line = None
    if not isinstance(line, dict) or line.get("format") != FORMAT:
        raise ValueError("not a network file of trajan_ai")
    if line.get("version") != VERSION:
        raise ValueError(f"the version of the network must be {VERSION}")
    if line.get("game") != game.name:
        raise ValueError(f"a network of {line.get('game')}, not of {game.name}")
    if line.get("sha256") != hashlib.sha256(body).hexdigest():
        raise ValueError("the network is damaged: its checksum is wrong")
    parts = {}
    numbers = _Numbers(body)
    for part in line["parts"]:
        if part["features"] != feature_fingerprint(game, part["players"]):
            raise ValueError(f"a network of other features of {game.name}; train it again")
        parts[part["players"]] = _part(numbers, **part)
    if numbers.body:
        raise ValueError("the network is damaged: it is too long")
    return Network(game, line.get("card", {}), parts)


def feature_fingerprint(game: Game, players: int) -> str:
    """Return a hash of the names of the features."""
    names = "\n".join(feature.name for feature in game.rules.features(players))
    return hashlib.sha256(names.encode()).hexdigest()[:16]


class _Numbers:
    """What is left of the body of a file."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def take(self, code: str, count: int) -> array[int]:
        """Return the next numbers of a type."""
        result = array(code)
        size = count * result.itemsize
        if size > len(self.body):
            raise ValueError("the network is damaged: it is too short")
        result.frombytes(self.body[:size])
        self.body = self.body[size:]
        if sys.byteorder == "big":
            result.byteswap()
        return result


def _part(
    numbers: _Numbers, *, players: int, columns: int, rows: int, features: str
) -> dict[str, Any]:
    shapes = {
        "columns": ("H", columns),
        "counts": ("B", columns),
        "levels": ("B", rows),
        "rows": ("b", rows * UNITS),
        "bias": ("i", UNITS),
        "one": ("h", UNITS),
        "second": ("h", NEURONS * UNITS),
        "second_bias": ("i", NEURONS),
        "out": ("i", players * NEURONS),
        "skip": ("i", players * UNITS),
        "out_bias": ("i", players),
    }
    arrays = {name: numbers.take(*shape) for name, shape in shapes.items()}
    return arrays
