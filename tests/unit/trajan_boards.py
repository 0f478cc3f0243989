"""Small positions of Trajan for tests: a plain board on which a test changes what it is about."""

from trajan_ai.trajan import GAME
from trajan_ai.trajan.components import COMPONENTS

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
    """Return the full view of a plain position: player 0 is to sow, nothing in the forum.

    Every tray holds two markers of one colour, I blue to VI white and yellow; no Trajan tiles, no
    cards in hand, all goods but two in the deck. Hidden stacks follow by exclusion.
    """
    view = GAME.rules.view(GAME.start(players, seed=1, markers="random", **options), None)
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
    for player, seat in enumerate(view["seats"]):
        seat |= {"trays": {tray: list(pair) for tray, pair in PAIRS.items()}, "hand": {}}
        seat |= {"known_cards": {}, "gold_bonus": [COMPONENTS.bonus_tiles[player]]}
        del seat["hand_size"]
    view["bonus_offer"] = ["bonus-workers", "bonus-legions"]
    return view


def position(view):
    """Return the position of a full view."""
    return GAME.rules.from_view(view)


def at_action(view, action, player=0):
    """Let `player` decide an action that his sowing has reached."""
    view["to_decide"] = {"player": player, "decision": action, "turn_of": player, "action": action}
    return view


def played(start, *actions):
    """Return the position after the actions."""
    for action in actions:
        start = start.after(action)
    return start


def seen(start):
    """Return the full view of a position."""
    return GAME.rules.view(start, None)


def empty_deck(view):
    """Move all the goods that are nowhere else to the display of the last player."""
    left = dict.fromkeys(COMPONENTS.goods, 5)
    for pile in view["discard_piles"].values():
        for good in pile:
            left[good] -= 1
    for seat in view["seats"]:
        for part in ("hand", "display"):
            for good, count in seat[part].items():
                left[good] -= count
    display = view["seats"][-1]["display"]
    for good, count in left.items():
        display[good] = display.get(good, 0) + count
    return view
