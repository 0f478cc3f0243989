"""Whole games as text: their diff shows what a change of the rules did.

Every decision is one line: ply, running turn, decider, scores before it, the action taken, and in
brackets the other legal actions or, where they do not fit, their number and a hash. The board is
drawn open at every 120th decision and at the end; in the middle stands what the decider knows, as
a position file. The action taken is the one whose hash with the ply is least, so a new action
changes a game only from where it is preferred.
"""

import hashlib
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import positions

FOLDER = Path(__file__).parent
BOARD_EVERY = 120  # decisions
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


def decision(position, action):
    """Return the line of a decision."""
    scores = ":".join(str(score) for score in position.scores)
    others = ", ".join(name for name in sorted(position.legal()) if name != action)
    start = f"{position.ply:>4} {position.turn:>4}  {position.player}  {scores:<11}  {action}  ["
    if len(start) + len(others) >= WIDTH:
        others = f"{len(position.legal()) - 1}, {preference(0, others).hex()[:8]}"
    return f"{start}{others}]"


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
    lines = [f"{name}, {players} players, options {options}"]
    for number, (position, action) in enumerate(steps):
        if number % BOARD_EVERY == 0:
            lines.append(board(position))
        if number == len(steps) // 2:
            lines.append(f"\nwhat player {position.player} knows:\n")
            lines.append(positions.dumps(positions.position_file(position, position.player)))
        lines.append(decision(position, action))
    lines += [board(final), f"scores {final.scores} ranks {final.ranks}", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_as_its_playthrough_says(name, same_text):
    same_text(FOLDER / f"{name}.txt", playthrough(*GAMES[name]))
