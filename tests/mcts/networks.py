"""Networks with random weights, their files, and their corrections computed in plain Python."""

import hashlib
import json
import random
import struct
from fractions import Fraction

from trajan_ai.mcts.network_file import fingerprint_features

UNITS, NEURONS = 64, 32
# The format character (see the module `struct`) of each array, in the order of the file.
ARRAYS = {
    "columns": "H",
    "counts": "B",
    "levels": "B",
    "rows": "b",
    "bias": "i",
    "one": "h",
    "second": "h",
    "second_bias": "i",
    "out": "i",
    "skip": "i",
    "out_bias": "i",
}


def draw_part(game, players, seed):
    """Return a network that uses three quarters of the features, as a dict of named lists."""
    drawn = random.Random(seed)
    features = len(game.rules.features(players))
    columns = [column for column in range(features) if drawn.random() < 0.75]
    levels = [
        sorted(drawn.sample((1, 2, 3, 4, 5, 9, 255), drawn.choice((1, 1, 3)))) for _ in columns
    ]

    def many(count, low, high):
        return [drawn.randint(low, high) for _ in range(count)]

    return {
        "columns": columns,
        "counts": [len(some) for some in levels],
        "levels": [level for some in levels for level in some],
        "rows": many(UNITS * sum(map(len, levels)), -12, 12),
        "bias": many(UNITS, -100, 300),
        "one": many(UNITS, 60, 400),
        "second": many(NEURONS * UNITS, -3000, 3000),
        "second_bias": many(NEURONS, -(1 << 18), 1 << 19),
        "out": many(players * NEURONS, -6000, 6000),
        "skip": many(players * UNITS, -9000, 9000),
        "out_bias": many(players, -90_000, 90_000),
    }


def extreme_part(game, sign):
    """Return a network for 4 players with the largest weights that its file allows, or with the
    smallest if `sign` is negative."""
    part = draw_part(game, 4, 1)
    features = len(game.rules.features(4))
    largest = {"b": 127, "h": (1 << 15) - 1, "i": (1 << 31) - 1}
    smallest = {code: -value - 1 for code, value in largest.items()}
    limits = largest if sign > 0 else smallest
    part = {
        name: [limits[ARRAYS[name]]] * len(values) if ARRAYS[name] in limits else values
        for name, values in part.items()
    }
    count = {"columns": [*range(features)], "counts": [1] * features, "levels": [1] * features}
    rows = [limits["b"]] * features * UNITS
    return part | count | {"rows": rows, "bias": [sign * (1 << 24)] * UNITS, "one": [1023] * UNITS}


def write_network(path, game, parts, **changes):
    """Write a network's file with a part per number of players; `changes` replaces header keys."""
    numbers = b"".join(
        struct.pack(f"<{len(part[name])}{code}", *part[name])
        for part in parts.values()
        for name, code in ARRAYS.items()
    )
    line = {
        "format": "trajan_ai network",
        "version": 1,
        "game": game.name,
        "sha256": hashlib.sha256(numbers).hexdigest(),
        "parts": [
            {
                "players": players,
                "features": fingerprint_features(game, players),
                "columns": len(part["columns"]),
                "rows": len(part["levels"]),
            }
            for players, part in parts.items()
        ],
        "card": {"data": "random numbers"},
    }
    path.write_bytes(json.dumps(line | changes).encode() + b"\n" + numbers)
    return str(path)


def compute(part, features, players):
    """Return the VP that a network adds to each seat, beginning with the player to move."""
    sums, begin = list(part["bias"]), 0
    for column, count in zip(part["columns"], part["counts"], strict=True):
        levels = part["levels"][begin : begin + count]
        reached = sum(level <= features[column] for level in levels)
        if reached:
            at = UNITS * (begin + reached - 1)
            row = part["rows"][at : at + UNITS]
            sums = [total + weight for total, weight in zip(sums, row, strict=True)]
        begin += count
    units = [min(max(total, 0), one) for total, one in zip(sums, part["one"], strict=True)]
    neurons = []
    for k in range(NEURONS):
        weights = part["second"][k * UNITS : (k + 1) * UNITS]
        total = sum(map(int.__mul__, units, weights)) + part["second_bias"][k]
        neurons.append(min(max(total, 0) // 1024, 1023))
    values = []
    for seat in range(players):
        out = part["out"][seat * NEURONS : (seat + 1) * NEURONS]
        skip = part["skip"][seat * UNITS : (seat + 1) * UNITS]
        total = sum(map(int.__mul__, neurons, out)) + sum(map(int.__mul__, units, skip))
        total += 64 * part["out_bias"][seat]
        values.append(struct.unpack("f", struct.pack("f", float(Fraction(total, 1 << 20))))[0])
    return values
