"""The action strings of Trajan (section 7 of the rules), in the order of the move numbers."""

from trajan_ai.trajan.components import COMPONENTS as C

# Shipments of equal cards: (cards, wilds), in the order of the move numbers.
EQUAL_SHIPMENTS = (
    *((cards, 0) for cards in (1, 2, 3, 4)),
    *((cards, wilds) for wilds in (1, 2, 3) for cards in range(1, 5 - wilds)),
)

ACTIONS: tuple[str, ...] = (
    *(f"marker {colour}" for colour in C.colours),
    *(f"goods {source}" for source in ("deck", "left", "right")),
    *(f"start {stack}" for stack in C.stacks),
    *(f"sow {tray}" for tray in C.trays),
    *(f"drop {colour}" for colour in C.colours),
    *(f"plus2 {action}" for action in C.actions),
    "draw",
    "take left",
    "take right",
    "ship pairs",
    "ship different",
    "pass",
    *(f"play {good}" for good in C.goods),
    *(
        f"ship equal {good} {cards} {wilds}"
        for cards, wilds in EQUAL_SHIPMENTS
        for good in C.goods
    ),
    *(f"ship equal wild 0 {wilds}" for wilds in (1, 2, 3)),
    *(f"discard {good} {side}" for side in ("left", "right") for good in C.goods),
    *(f"pair {good}" for good in C.goods),
    *(f"pair {good} wild" for good in C.goods),
    "pair wild wild",
    *(f"card {good}" for good in C.goods),
    "card wild",
    "done",
    *(f"forum {tile}" for tile in C.forum_tiles),
    "recruit",
    "deploy",
    *(f"march {province}" for province in C.provinces),
    "senate",
    *(f"tile {stack}" for stack in C.stacks),
    "hire",
    *(f"build {site}" for site in C.sites),
    "extra",
    "extra wild",
    "no extra",
    *(f"bonus {tile}" for tile in C.bonus_tiles),
    "effect",
    "no effect",
)
