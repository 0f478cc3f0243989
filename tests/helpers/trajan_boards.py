"""Small positions of Trajan, for which each test changes a plain board."""

from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.components import COMPONENTS

PAIRS = {
    tray: [colour, colour]
    for tray, colour in zip(COMPONENTS.trays, COMPONENTS.colours, strict=True)
}

EXTRA_SUPPLY = {
    "extra-seaport": 2,
    "extra-forum": 2,
    "extra-military": 2,
    "extra-trajan": 2,
    "extra-construction": 1,
}


def board(players=2, **options):
    """Return the full view of a plain position: player 0 has to sow, and the forum is empty.

    Every tray holds two markers of one colour, in alphabetical order from I (blue) to VI (yellow).
    There are no Trajan tiles and no cards in hand, and all goods but two are in the deck. The
    hidden stacks contain all remaining pieces.
    """
    view = GAME.rules.view(GAME.start(players, seed=4, markers="random", **options), None)
    del view["hidden"]
    view |= {
        "turn": 2 * players,
        "forum": {},
        "provinces": {},
        "forum_gone": {"votes2": 3, "votes3": 3, "bread": 7, "games": 6, "religion": 6},
        "extra_supply": EXTRA_SUPPLY,
        "discard_piles": {"left": ["wheat"], "right": ["oil"]},
        "to_decide": {"player": 0, "decision": "sow", "turn_of": 0},
    }
    for player, each in enumerate(view["players"]):
        each |= {"trays": {tray: list(pair) for tray, pair in PAIRS.items()}, "hand": {}}
        each |= {"known_cards": {}, "gold_bonus": [COMPONENTS.bonus_tiles[player]]}
        del each["hand_size"]
    view["bonus_offer"] = ["bonus-workers", "bonus-legions"]
    return view


def position(view):
    return GAME.rules.from_view(view)


def at_action(view, action, player=0):
    """Return a view in which `player` has sown and decides how to carry out an action."""
    view["to_decide"] = {"player": player, "decision": action, "turn_of": player, "action": action}
    return view


def full_view(start):
    return GAME.rules.view(start, None)


def own(start, player=0):
    return full_view(start)["players"][player]


def empty_deck(view):
    """Move all goods of the deck to the display of the last player."""
    left = dict.fromkeys(COMPONENTS.goods, 5)
    for pile in view["discard_piles"].values():
        for good in pile:
            left[good] -= 1
    for each in view["players"]:
        for part in ("hand", "display"):
            for good, count in each[part].items():
                left[good] -= count
    display = view["players"][-1]["display"]
    for good, count in left.items():
        display[good] = display.get(good, 0) + count
    return view


# ---- Before the end of a quarter --------------------------------------------------------------

SPARE_BONUS = ("bonus-games", "bonus-religion")


def with_demand_tile(view, tile):
    """Give player 0 a Trajan demand tile from its stack."""
    view["players"][0]["demand_tiles"] = {tile.split("-")[0]: 1}
    view["trajan_gone"] = [tile]
    if view["trajan_tops"]["demands"] == tile:
        view["trajan_tops"]["demands"] = "games-green-green"
    return view


def before_quarter_end(demands=None, **options):
    """Return a view before the end of quarter 1: the next move passes the start space."""
    view = board(**options)
    view |= {"round": 4, "time_marker": 10, "demands": demands or {"religion": 3}}
    view["demands_gone"] = {}
    view["forum_gone"] |= {"votes5": 3, "wild-building": 2, "votes4": 3}
    view["forum_gone"] |= {
        f"extra-{action}": 1 for action in ("seaport", "forum", "military", "senate")
    }
    return view


def ended(view):
    """Return the position after player 0 sows V and passes, which ends the round."""
    after = position(view).after("sow V")
    return after.after("pass") if after.player == 0 and "pass" in after.legal() else after


def last_quarter(**options):
    """Return a view before the end of quarter 4; all demands are paid, and few things score."""
    view = before_quarter_end({"religion": 1, "games": 1, "bread": 1}, **options)
    view |= {"quarter": 4, "demands_gone": {"bread": 4, "games": 4, "religion": 1}}
    view |= {"extra_supply": {}, "senate_order": [1, 0]}
    view["forum_gone"] |= dict.fromkeys(COMPONENTS.extra_tiles, 3) | {"bread": 12}
    for each in view["players"]:
        each |= {"worker_camp": 0, "military_camp": 0, "supply": 15, "arch": "I"}
    view["players"][0]["gold_bonus"] = []
    offer = view["bonus_offer"]
    rest = [tile for tile in COMPONENTS.bonus_tiles if tile not in (*offer, *SPARE_BONUS)]
    view["players"][1]["gold_bonus"] = rest
    return view
