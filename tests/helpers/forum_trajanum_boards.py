"""Small positions of Forum Trajanum, written as position files."""

import copy

from trajan_ai.games.forum_trajanum import GAME, reading, rules

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
EVERY_ROUND = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4", "b5", "w5", "b6", "w6"] * 2
FIVE_ROUNDS = EVERY_ROUND[:10]


def view(first=None, second=None, **table):
    """Return a position file of two players with covered cranes and empty boards.

    `first` and `second` change keys of a player, and `table` changes other keys.
    """
    table_view = copy.deepcopy({**TABLE, **table})
    players = [{**copy.deepcopy(EMPTY), **(changes or {})} for changes in (first, second)]
    players[0].setdefault("ship_tile", HIDDEN)
    players[0].setdefault("unseen", {})
    players[1].setdefault("unseen", {HIDDEN: 1})
    return {**table_view, "players": players}


def place(first=None, second=None, **table):
    return GAME.rules.from_view(view(first, second, **table))


def before_a_tie():
    """Return the last decision of a game; after `no build` both players win."""
    last = {"round": 12, "to_decide": {"player": 0, "decision": "build"}}
    return place({"resources": {"builder": 1}}, {"resources": {"builder": 1}}, **last)


def scoring(first=None, **table):
    """Return the VP that player 0 scores at the end of the phase, by scoring step."""
    return rules.score_position(reading.parse(view(first, **table)), 0)


def cranes(**states):
    """Return cranes with their states, which are "used" by default."""
    return {corner: f"{colour} {states.get(colour, 'used')}" for colour, corner in OPEN.items()}


def built(position, *prefixes):
    return [one for one in position.legal() if one.startswith(prefixes)]


def alter(data, path, value):
    *parents, last = path
    for key in parents:
        data = data[key]
    data[last] = value


def shouted(value):
    """Return a value whose names are in capitals, with the parts of each name in reverse order."""
    if isinstance(value, dict):
        return {shouted(key): shouted(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shouted(inner) for inner in value]
    return "+".join(reversed(value.upper().split("+"))) if isinstance(value, str) else value
