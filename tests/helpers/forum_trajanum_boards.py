"""Small positions of Forum Trajanum, written as position files."""

import copy

import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.forum_trajanum import GAME, reading
from trajan_ai.forum_trajanum import scoring as scorings

EMPTY = {
    "cranes": {
        "A1": "blue covered",
        "F1": "green covered",
        "A6": "red covered",
        "F6": "yellow covered",
    },
    "face_up": {
        "A1": "patrician-f",
        "F1": "merchant-f",
        "A6": "builder+coin",
        "F6": "coin+tribune",
    },
}
TABLE = {
    "observer": 0,
    "components": "recon-1",
    "options": {},
    "boards": ["A", "A"],
    # 1a GGG/YEB/YRB/YRR, 2a GYR/GYR/GER/BBB, 3a GGG/YER/YBR/YBR, side by side
    "mosaic": [[1, "a", 0], [2, "a", 0], [3, "a", 0]],
    "trajan_cards": [25, 29, 33],
    "stage": "turn",
    "round": 1,
    "street_cards": ["b1", "w1"],
    "to_decide": {"player": 0, "decision": "build"},
}
HIDDEN = "builder+blue"
OPEN = {"blue": "A1", "green": "F1", "red": "A6", "yellow": "F6"}
FIVE_ROUNDS = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4", "b5", "w5"]


def view(first=None, second=None, **table):
    """A position file: two players with covered cranes and empty boards, changed as told."""
    found = copy.deepcopy({**TABLE, **table})
    players = [{**copy.deepcopy(EMPTY), **(given or {})} for given in (first, second)]
    players[0].setdefault("ship_tile", HIDDEN)
    players[0].setdefault("unseen", {})
    players[1].setdefault("unseen", {HIDDEN: 1})
    return {**found, "players": players}


def place(first=None, second=None, **table):
    """The position of :func:`view`."""
    return GAME.rules.from_view(view(first, second, **table))


def scoring(first=None, **table):
    """What the scoring of the phase gives player 0, by step."""
    return scorings.scoring(reading.parse(view(first, **table)), 0)


def play(position, *actions):
    """The position after some actions."""
    for action in actions:
        position = position.after(action)
    return position


def player(position, number=0):
    """What player `number` is seen to have."""
    return position.view(0)["players"][number]


def cranes(**states):
    """Cranes with their states; those not named are used."""
    return {corner: f"{colour} {states.get(colour, 'used')}" for colour, corner in OPEN.items()}


def built(position, *prefixes):
    return [one for one in position.legal() if one.startswith(prefixes)]


def to_step_1(position):
    """The first decision of step 1 of a game just dealt."""
    while position.view(0)["stage"] != "take":
        position = position.after(position.legal()[0])
    return position


def problems(call, *arguments, **named):
    """The problems that a call complains about."""
    with pytest.raises(TrajanError) as caught:
        call(*arguments, **named)
    return tuple(caught.value.messages)


def alter(data, path, value):
    """Put a value at a path of nested data."""
    *parents, last = path
    for key in parents:
        data = data[key]
    data[last] = value
