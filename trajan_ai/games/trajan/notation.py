"""The action strings of Trajan, in the order of the move numbers."""

from itertools import combinations_with_replacement

from trajan_ai.core.enums import action_table, event_table, named, names
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C

# Shipments of equal cards: (cards, wilds), in the order of the move numbers.
EQUAL_SHIPMENTS = (
    *((cards, 0) for cards in (1, 2, 3, 4)),
    *((cards, wilds) for wilds in (1, 2, 3) for cards in range(1, 5 - wilds)),
)

# Tiles that pay demands, and every payment in the order of the move numbers.
PAYING = (*C.symbols, "wild-demand")
PAYMENTS = tuple(
    tiles for size in (1, 2, 3) for tiles in combinations_with_replacement(PAYING, size)
)

ACTIONS = action_table(
    {
        "marker": [f"marker {colour}" for colour in C.colours],
        "goods": [f"goods {source}" for source in ("deck", "left", "right")],
        "start": [f"start {stack}" for stack in C.stacks],
        "sow": [f"sow {tray}" for tray in C.trays],
        "drop": [f"drop {colour}" for colour in C.colours],
        "plus2": [f"plus2 {action}" for action in C.actions],
        "draw": ["draw"],
        "take": ["take left", "take right"],
        "ship_pairs": ["ship pairs"],
        "ship_different": ["ship different"],
        "pass": ["pass"],
        "play": [f"play {good}" for good in C.goods],
        "equal": [
            f"ship equal {good} {cards} {wilds}"
            for cards, wilds in EQUAL_SHIPMENTS
            for good in C.goods
        ],
        "equal_wild": [f"ship equal wild 0 {wilds}" for wilds in (1, 2, 3)],
        "discard": [f"discard {good} {side}" for side in ("left", "right") for good in C.goods],
        "pair": [f"pair {good}" for good in C.goods],
        "pair_wild": [f"pair {good} wild" for good in C.goods],
        "pair_wilds": ["pair wild wild"],
        "card": [f"card {good}" for good in C.goods],
        "card_wild": ["card wild"],
        "done": ["done"],
        "forum": [f"forum {tile}" for tile in C.forum_tiles],
        "recruit": ["recruit"],
        "deploy": ["deploy"],
        "march": [f"march {province}" for province in C.provinces],
        "senate": ["senate"],
        "tile": [f"tile {stack}" for stack in C.stacks],
        "hire": ["hire"],
        "build": [f"build {site}" for site in C.sites],
        "extra": ["extra"],
        "extra_wild": ["extra wild"],
        "no_extra": ["no extra"],
        "bonus": [f"bonus {tile}" for tile in C.bonus_tiles],
        "effect": ["effect"],
        "no_effect": ["no effect"],
        "pay": ["pay " + "+".join(tiles) for tiles in PAYMENTS],
    },
    named(rules, "MOVE_"),
)

# For each action, the source of the VP that it brings; for each forum tile, the source to which it
# contributes.
_SOURCES = {
    "seaport": "ships",
    "military": "military",
    "senate": "senate",
    "trajan": "trajan_tiles",
    "construction": "construction",
}
_TILE_SOURCES = (
    dict.fromkeys((*C.symbols, "wild-demand"), "demands")
    | {tile: "bonus_tiles" for tile in C.forum_tiles if tile.startswith("votes")}
    | {f"extra-{action}": source for action, source in _SOURCES.items()}
    | {"wild-goods": "ships", "wild-building": "building_sets"}
)
_DEMAND_TILES = {tile.name: "demands" for tile in C.tiles if tile.effect in C.symbols}

EVENTS = event_table(
    rules,
    {
        "place_marker": C.colours,
        "sow": C.trays,
        "action": C.actions,
        "pass": C.actions,
        "use_tile": C.forum_tiles,
        "take_tile": C.tile_names(),
        "fulfil": C.tile_names(),
        "place_plus2": C.actions,
        "cover_demand": C.symbols,
        "draw": C.goods,
        "take_card": C.goods,
        "lay_off": C.goods,
        "turn_up": C.goods,
        "lay_out": C.goods,
        "ship": names(rules, "SHIP_"),
        "take_forum_tile": C.forum_tiles,
        "march": C.provinces,
        "take_province_tile": C.forum_tiles,
        "deploy": C.provinces,
        "place_worker": C.sites,
        "build": C.buildings,
        "reveal_demand": C.symbols,
        "win_gold": C.bonus_tiles,
        "win_silver": C.bonus_tiles,
        "offer_bonus": C.bonus_tiles,
    },
    minor={
        "place_marker",
        "sow",
        "action",
        "pass",
        "take_tile",
        "place_plus2",
        "cover_demand",
        "get_workers",
        "get_legionnaires",
        "take_card",
        "lay_off",
        "turn_up",
        "lay_out",
        "take_forum_tile",
        "march",
        "place_worker",
    },
    closing={
        "meet_demands",
        "miss_demands",
        "count_votes",
        "win_gold",
        "win_silver",
        "end_quarter",
        "score_cards",
        "score_workers",
        "score_legionnaires",
        "score_tiles",
        "score_sets",
        "score_symbols",
        "score_goods",
        "score_figures",
    },
    hidden={"draw", "turn_up", "reveal_demand", "offer_bonus"},
    serves={
        "action": _SOURCES,
        "take_tile": _DEMAND_TILES | {"": "trajan_tiles"},
        "fulfil": _DEMAND_TILES,
        "place_plus2": _SOURCES,
        "cover_demand": {"": "demands"},
        "get_workers": {"": "construction"},
        "get_legionnaires": {"": "military"},
        "draw": {"": "ships"},
        "take_card": {"": "ships"},
        "lay_out": {"": "ships"},
        "take_forum_tile": _TILE_SOURCES,
        "march": {"": "military"},
        "take_province_tile": _TILE_SOURCES,
        "place_worker": {"": "construction"},
        "build": {"": "building_sets"},
        "meet_demands": {"": "demands"},
        "win_gold": {"": "bonus_tiles"},
        "win_silver": {"": "bonus_tiles"},
    },
)
