"""Games that an independent implementation recorded, for tests that need a recorded game."""

from pathlib import Path

import trajan_ai
from trajan_ai import records
from trajan_ai.records import following, position_files

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(game="trajan", table="2p"):
    """Return the first record of a game at a table, such as ``3p`` or ``3p_options``."""
    return records.parse(golden_line(game, table))


def golden_line(game="trajan", table="2p"):
    """Return the line of the file that contains the record of `golden`."""
    return (GOLDEN / f"{game}_{table}.jsonl").read_text().splitlines()[0]


def witnessed(entry, observer, count=None):
    """Return a game that `observer` follows, after the first `count` moves that they noticed."""
    steps = following.witness(entry, observer)
    position, move = next(steps)
    table = following.follow(position.game.rules.from_view(position.view(observer)), observer)
    while move is not None and len(table.moves) != count:
        table.play(move.action, move.reveals)
        move = next((move for _, move in steps if move is not None), None)
    return table


def short_game():
    """Return the record of a whole game of Trajan with few decisions, some of them mistakes."""
    return trajan_ai.play("trajan", ["greedy", "random"], seed=1, lap_length=2)


def golden_position(game="trajan"):
    """Return the position file of the player to decide after 100 decisions, as text."""
    there = records.replay(golden(game), 100)
    return position_files.dumps(position_files.position_file(there, there.player))
