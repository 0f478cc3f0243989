"""Whole games as text: their diff shows what a change of the rules did.

Every turn is one line: running turn, player, scores before it, the actions taken, each with the
number of legal ones, and a hash of all these lists. The board is drawn open at the start, in the
middle and at the end; in the middle stands what the decider knows, as a position file. The action
taken is the one whose hash with the ply is least, so a new action changes a game only from where
it is preferred.
"""

import hashlib
import textwrap
from itertools import groupby
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import positions

FOLDER = Path(__file__).parent
WIDTH = 99

GAMES = {
    "trajan-2p": ("trajan", 2, {}),
    "trajan-3p-options": (
        "trajan",
        3,
        {
            "markers": "random",
            "tile_effects": "optional",
            "lap_length": 9,
            "demand_payment": "chosen",
            "final_tie": "track",
            "province_votes": "leave",
        },
    ),
    "forum_trajanum-2p": ("forum_trajanum", 2, {}),
    "forum_trajanum-3p-options": (
        "forum_trajanum",
        3,
        {
            "prestige": "P1",
            "limited_tiles": True,
            "eagle_once": True,
            "novices": [2],
            "task_match": "tiles",
            "worker_swap": "payment",
            "reactivation": "class",
            "phase_handover": "twice",
            "step_one": "open",
        },
    ),
}


def preference(ply, action):
    return hashlib.sha256(f"{ply} {action}".encode()).digest()


def turn(steps):
    """Return the line of a turn, of its positions with the actions taken."""
    first = steps[0][0]
    scores = ":".join(str(score) for score in first.scores)
    taken = ", ".join(f"{action} ({len(position.legal())})" for position, action in steps)
    lists = "\n".join(name for position, _ in steps for name in sorted(position.legal()))
    digest = preference(0, lists).hex()[:8]
    told = f"{first.turn:>4}  {first.player}  {scores:<11}  {taken}  {digest}"
    return textwrap.fill(told, WIDTH, subsequent_indent=" " * 22, break_on_hyphens=False)


def board(position):
    drawing = position.game.rules.draw(position)
    return "\n" + "\n".join(f"| {line}".rstrip() for line in drawing.splitlines()) + "\n"


def game(name, players, options):
    """Return the positions of a game, each with the action taken; the last with none."""
    position = trajan_ai.game(name).start(players, seed=2026, **options)
    steps = []
    while position.player is not None:
        action = min((preference(position.ply, name), name) for name in position.legal())[1]
        steps.append((position, action))
        position = position.after(action)
    return steps, position


def playthrough(name, players, options):
    steps, final = game(name, players, options)
    lines = [f"{name}, {players} players, options {options}", board(steps[0][0])]
    turns = [list(made) for _, made in groupby(steps, lambda step: (step[0].turn, step[0].player))]
    for number, made in enumerate(turns):
        if number == len(turns) // 2:
            position = made[0][0]
            lines += [board(position), f"what player {position.player} knows:\n"]
            lines.append(positions.dumps(positions.position_file(position, position.player)))
        lines.append(turn(made))
    lines += [board(final), f"scores {final.scores} ranks {final.ranks}", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_as_its_playthrough_says(name, same_text):
    same_text(FOLDER / f"{name}.txt", playthrough(*GAMES[name]))
