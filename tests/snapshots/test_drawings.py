"""Boards of golden games: `drawings.txt` contains a hash of each drawing and text board.

Compare the boards with those of the commit before, and regenerate the file if the change is meant.
"""

import hashlib
from pathlib import Path

import pytest
from golden_games import golden

from trajan_ai import records

STEP = 45  # decisions between boards


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def describe(name, table):
    """Yield a line for each board of the player to move, with everything that can be marked.

    The drawing in the middle of the game marks the places of all actions, legal or not.
    """
    record = golden(name, table)
    for ply in range(5, len(record["actions"]), STEP):
        position, player = records.replay(record, ply), record["actions"][ply][0]
        rules, legal = position.game.rules, position.legal()
        last = tuple(record["actions"][ply - 1])
        view = rules.view(position, player)
        drawing = rules.picture(view, last=last, suggested=legal[:5], legal=legal)
        board = rules.draw(position, player, width=80, colour=True)
        yield f"{name} {table} {ply}: {digest(drawing)} {digest(board)}\n"
    position = records.replay(record, 100)
    view, actions = rules.view(position, position.player), position.game.actions
    yield f"{name} {table} places: {digest(rules.picture(view, legal=actions))}\n"
    position = records.replay(record)
    yield f"{name} {table} end: {digest(rules.picture(rules.view(position, None), width=400))}\n"


@pytest.mark.slow
def test_boards_change_only_on_purpose(same_text):
    tables = ("2p", "3p_options", "4p_later_options")
    names = ("trajan", "forum_trajanum")
    lines = [line for name in names for table in tables for line in describe(name, table)]
    same_text(Path(__file__).parent / "drawings.txt", "".join(lines))
