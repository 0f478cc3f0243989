"""The games of an independent implementation, for tests that need one that was played."""

from pathlib import Path

import trajan_ai
from trajan_ai import records
from trajan_ai.records import following, position_files

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(game="trajan", table="2p"):
    """The first record of a game at a table, such as ``3p`` or ``3p_options``."""
    return records.parse(golden_line(game, table))


def golden_line(game="trajan", table="2p"):
    """The same as it stands in the file."""
    return (GOLDEN / f"{game}_{table}.jsonl").read_text().splitlines()[0]


def witnessed(entry, observer, count=None):
    """The table of who saw a game, after the first `count` moves that they noticed."""
    steps = following.witness(entry, observer)
    position, move = next(steps)
    table = following.follow(position.game.rules.from_view(position.view(observer)), observer)
    while move is not None and len(table.moves) != count:
        table.play(move.action, move.reveals)
        move = next((move for _, move in steps if move is not None), None)
    return table


def short_game():
    """The record of a whole game of Trajan with few decisions, some of them mistakes."""
    return trajan_ai.play("trajan", ["greedy", "random"], seed=1, lap_length=2)


def golden_position(game="trajan"):
    """The position file of who decides after 100 of its decisions, as text."""
    there = records.replay(golden(game), 100)
    return position_files.dumps(position_files.position_file(there, there.player))
