"""Names and action strings of Forum Trajanum in the order of their numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, product
from types import MappingProxyType

from trajan_ai.core.enums import action_table, event_table, named, names
from trajan_ai.games.forum_trajanum import rules

Payment = tuple[str, ...]

ICONS = names(rules, "RESOURCE_")
RESOURCES = ICONS[:-1]  # an upgrade is not stored
COLOURS = RESOURCES[rules.RESOURCE_BLUE : rules.RESOURCE_YELLOW + 1]
BUILDINGS = names(rules, "BUILDING_")
GREYS, STRUCTURES = BUILDINGS[: rules.STRUCTURE], BUILDINGS[rules.STRUCTURE :]
TRACKS = GREYS[rules.BUILDING_LIBRARY :]
LEVELS = tuple(f"{track} {step + 1}" for track in TRACKS for step in range(rules.TRACK_END))
CLASSES = tuple(name.removesuffix("_1") for name in names(rules, "ROW_")[::2])
BONUSES = names(rules, "BONUS_")
CITIZEN_ROWS = tuple(str(row) for row in range(1, rules.ROWS + 1))
BOARD_CELLS = tuple(f"{column}{row}" for row in CITIZEN_ROWS for column in "ABCDEF")
STREETS: tuple[str, ...] = (*CITIZEN_ROWS, *"ABCDEF")  # rows and columns
CORNERS = ("A1", "F1", "A6", "F6")
CARDS = ("1", "2")
SOURCES = names(rules, "SOURCE_")
GAINS = ("coin", "tribune", "assistant", *COLOURS)
SWAPPED = ("coin", "assistant", "tribune")
SWAPS = tuple((one, other) for one in SWAPPED for other in SWAPPED if one != other)
MOSAIC_CELLS = tuple(
    f"m{row}.{column}"
    for row in range(1, rules.MOSAIC_ROWS + 1)
    for column in range(1, rules.MOSAIC_COLUMNS + 1)
)

CITIZENS = tuple(f"{name}-{sex}" for name in CLASSES for sex in "mf")
TILE_NAMES_IN_ORDER = CITIZENS + tuple(
    "+".join(icons) for size in range(1, 5) for icons in combinations_with_replacement(ICONS, size)
)


def _grey_payments(recolour: bool) -> list[Payment]:
    """Return the possible payments for a grey building.

    They include those of the option `recolour_in_swap` if `recolour` is true.
    """
    payments: list[Payment] = [("builder",)] + [(colour, colour) for colour in COLOURS]
    if recolour:
        payments += [
            (first, second, "assistant")
            for first, second in combinations_with_replacement(COLOURS, 2)
            if first != second
        ]
    return payments


def _structure_payments(colour: str) -> list[Payment]:
    return [(colour,)] + [(other, "assistant") for other in COLOURS if other != colour]


def _products(first: Sequence[Payment], second: Sequence[Payment]) -> list[Payment]:
    """Return the payments for two costs together, each once and in the order of RESOURCES.

    A payment that contains another one is an overpayment (A12.37) and is omitted.
    """
    payments: list[Payment] = []
    for one, other in product(first, second):
        payment = tuple(sorted(one + other, key=RESOURCES.index))
        if payment not in payments:
            payments.append(payment)
    return [
        payment
        for payment in payments
        if not any(Counter(other) < Counter(payment) for other in payments)
    ]


def payments_of(recolour: bool) -> list[list[Payment]]:
    """Return the payments of every target, in the order of their numbers."""
    grey = _grey_payments(recolour)
    single = [_structure_payments(colour) for colour in COLOURS]
    return [
        grey,
        *single,
        *(_products(grey, payment) for payment in single),
        *(_products(payment, payment) for payment in single),
    ]


def _all_payments() -> tuple[Payment, ...]:
    """Return every payment once; those that only `recolour_in_swap` allows come last."""
    targets = payments_of(False) + payments_of(True)
    return tuple(dict.fromkeys(payment for target in targets for payment in target))


PAYMENTS_IN_ORDER = _all_payments()


def bit_of_place(place: int) -> int:
    """Return the bit of the cell at an index of BOARD_CELLS; rows are eight bits apart."""
    return place // 6 * 8 + place % 6


def _cell_pairs() -> list[tuple[str, str]]:
    """Return pairs of neighbours: horizontal pairs first, and left or upper cells first."""
    across = [(row * 6 + column, row * 6 + column + 1) for row in range(6) for column in range(5)]
    down = [(row * 6 + column, row * 6 + column + 6) for row in range(5) for column in range(6)]
    return [(BOARD_CELLS[first], BOARD_CELLS[second]) for first, second in across + down]


def _build_grey(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the actions for a grey building and a structure, on either cell of a pair."""
    actions = []
    for grey, structure in product(GREYS, STRUCTURES):
        actions += [f"build {grey}+{structure} {one} {other}" for one, other in pairs]
        actions += [f"build {grey}+{structure} {other} {one}" for one, other in pairs]
    return actions


def _actions_by_kind() -> dict[str, Sequence[str]]:
    takes = [f"take {card} {cell}" for card in CARDS for cell in BOARD_CELLS]
    pairs = _cell_pairs()
    return {
        "crane": [f"crane {colour}" for colour in COLOURS],
        "seat": [f"seat {row}" for row in CITIZEN_ROWS],
        "corner": [f"corner {cell}" for cell in CORNERS],
        "take": takes,
        "take_tribune": [f"{take} tribune" for take in takes],
        "skip": [f"skip {card}" for card in CARDS],
        "keep": [f"keep {card}" for card in CARDS],
        "reserve": [f"reserve {tile}" for tile in TILE_NAMES_IN_ORDER],
        "no_reserve": ["no reserve"],
        "use": ["use own", "use received", "use both own", "use both received"],
        "gain": [f"gain {resource}" for resource in GAINS],
        "bonus": [f"bonus {bonus}" for bonus in BONUSES],
        "envoy": [f"envoy {cell}" for cell in MOSAIC_CELLS],
        "no_envoy": ["no envoy"],
        "upgrade": ["step", "cypress"],
        "swap": [f"swap {one} {other}" for one, other in SWAPS],
        "train": [f"train {colour}" for colour in COLOURS],
        "promote": ["promote"],
        "exchange": [f"exchange {colour}" for colour in COLOURS],
        "no_build": ["no build"],
        "build": [f"build {name} {cell}" for name in BUILDINGS for cell in BOARD_CELLS],
        "build_grey": _build_grey(pairs),
        "build_two": [
            f"build {name}+{name} {one} {other}" for name in STRUCTURES for one, other in pairs
        ],
        "pay": ["pay " + "+".join(payment) for payment in PAYMENTS_IN_ORDER],
        "reward": [f"reward {level}" for level in LEVELS],
        "tile": [f"use {cell}" for cell in BOARD_CELLS],
        "wage": [f"wage {row}" for row in CITIZEN_ROWS],
        "no_wage": [f"no wage {row}" for row in CITIZEN_ROWS],
    }


ACTIONS = action_table(_actions_by_kind(), named(rules, "MOVE_"))

EVENTS = event_table(
    rules,
    {
        "place_crane": COLOURS,
        "place_females": CORNERS,
        "take_tile": BOARD_CELLS,
        "open_crane": CORNERS,
        "keep": TILE_NAMES_IN_ORDER,
        "pass_on": TILE_NAMES_IN_ORDER,
        "pick": TILE_NAMES_IN_ORDER,
        "show_own": TILE_NAMES_IN_ORDER,
        "show_received": TILE_NAMES_IN_ORDER,
        "use": TILE_NAMES_IN_ORDER,
        "reserve": TILE_NAMES_IN_ORDER,
        "gain": RESOURCES,
        "spend": RESOURCES,
        "seat": CITIZEN_ROWS,
        "pay_wage": CITIZEN_ROWS,
        "miss_wage": CITIZEN_ROWS,
        "build": [f"{building} {cell}" for building in BUILDINGS for cell in BOARD_CELLS],
        "advance": TRACKS,
        "reward": LEVELS,
        "send_envoy": MOSAIC_CELLS,
        "bonus": BONUSES,
    },
    minor={
        "place_crane",
        "place_females",
        "take_tile",
        "skip_card",
        "keep",
        "pick",
        "show_own",
        "show_received",
        "reserve",
        "board",
        "gain",
        "spend",
        "seat",
        "build",
        "advance",
        "send_envoy",
        "bonus",
    },
    closing={
        "pay_wage",
        "miss_wage",
        "end_phase",
        "score_cranes",
        "score_colonia",
        "score_eagles",
        "score_area",
        "fulfil_card",
        "miss_card",
    },
    hidden={"keep", "pass_on"},
    serves={
        "open_crane": {"": "cranes"},
        "seat": {"": "columns"},
        "upgrade": {"": "colonia"},
        "build": {"": "colonia"},
        "advance": {"": "columns"},
        "send_envoy": {"": "area"},
        "complete_area": {"": "area_bonuses"},
    },
)

# For each decision or task that has an argument: the names of the argument's values, by number.
_ABOUT: dict[str, Sequence[str]] = {
    "crane": CORNERS,
    "seat": CLASSES,
    "gain": [name.replace("_", " ") for name in names(rules, "GAIN_")],
    "bonus": ["", *(f"but {name}" for name in BONUSES), "twice"],
    "envoy": [*COLOURS, *named(rules, "ENVOY_")],
    "reward": TRACKS,
    "wage": CITIZEN_ROWS,
    "put back": SOURCES[:2],
    "benefit of": BUILDINGS,
    "level": LEVELS,
}


@lru_cache(maxsize=8)  # one entry per component set
def tasks(kinds: tuple[str, ...]) -> Mapping[str, tuple[int, int]]:
    """Return (number, argument) of every decision and task that can wait, by name.

    `kinds` contains the name of each kind of tile, by its number in a state; number 0 is no tile.
    """
    tiles = dict(enumerate(kinds[1:], start=1))
    put_away = {
        f"put away {source} {tile}": (rules.TASK_PUT_AWAY, place | kind << 2)
        for kind, tile in tiles.items()
        for place, source in enumerate(SOURCES)
    }
    use = {f"use {tile}": (rules.TASK_USE, kind) for kind, tile in tiles.items()}
    numbers = [*named(rules, "DECIDE_").items(), *named(rules, "TASK_").items()]
    others = {
        " ".join(filter(None, (name.replace("_", " "), about))): (number, argument)
        for name, number in numbers
        if number not in (rules.DECIDE_OVER, rules.TASK_USE, rules.TASK_PUT_AWAY)
        for argument, about in enumerate(_ABOUT.get(name.replace("_", " "), [""]))
    }
    return MappingProxyType(others | use | put_away)


@lru_cache(maxsize=8)
def task_names(kinds: tuple[str, ...]) -> Mapping[tuple[int, int], str]:
    """Return the names of decisions and tasks by (number, argument)."""
    return MappingProxyType({task: name for name, task in tasks(kinds).items()})
