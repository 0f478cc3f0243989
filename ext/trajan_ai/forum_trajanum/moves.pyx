"""Action strings of Forum Trajanum in the order of their move numbers (rules, A13)."""

from collections import Counter
from itertools import combinations_with_replacement, product

from trajan_ai.core.game cimport move_t
from trajan_ai.forum_trajanum.types cimport RECOLOUR_IN_SWAP

COLOURS = ("blue", "green", "red", "yellow")
GREYS = ("column", "library", "basilica", "market")
STRUCTURES = ("fountain", "park", "house", "stable")
TRACKS = GREYS[1:]
CLASSES = ("patrician", "merchant", "craftsman")
CORNERS = ("A1", "F1", "A6", "F6")
RESOURCES = ("builder", *COLOURS, "assistant", "coin", "tribune")
GAINS = ("coin", "tribune", "assistant", *COLOURS)
BONUSES = ("tribune", "assistant", "coin", "upgrade", "vp")
SWAPPED = ("coin", "assistant", "tribune")
BOARD_CELLS = tuple(f"{column}{row}" for row in range(1, 7) for column in "ABCDEF")

CITIZENS = tuple(f"{name}-{sex}" for name in CLASSES for sex in "mf")
ICONS = (*RESOURCES, "upgrade")
TILE_NAMES_IN_ORDER = CITIZENS + tuple(
    "+".join(icons)
    for size in range(1, 5)
    for icons in combinations_with_replacement(ICONS, size)
)


def _grey_payments(recolour):
    """Payments of a grey building (A7; with ruling 7's option the swap may be recoloured)."""
    found = [("builder",)] + [(colour, colour) for colour in COLOURS]
    if recolour:
        found += [
            (first, second, "assistant")
            for first, second in combinations_with_replacement(COLOURS, 2)
            if first != second
        ]
    return found


def _structure_payments(colour):
    """Payments of a coloured structure."""
    return [(colour,)] + [(other, "assistant") for other in COLOURS if other != colour]


def _products(first, second):
    """Payments of two things together: multisets in the order of a payment, each once.

    One that holds another and more is an overpayment (ruling 37) and left out.
    """
    found = []
    for one, other in product(first, second):
        payment = tuple(sorted(one + other, key=RESOURCES.index))
        if payment not in found:
            found.append(payment)
    return [
        payment for payment in found
        if not any(Counter(other) < Counter(payment) for other in found)
    ]


def _payments_of(recolour):
    """Payments of every target, in the order of move numbers."""
    grey = _grey_payments(recolour)
    single = [_structure_payments(colour) for colour in COLOURS]
    return (
        [grey]
        + single
        + [_products(grey, payment) for payment in single]
        + [_products(payment, payment) for payment in single]
    )


def _all_payments():
    """Every payment once, those of the option last."""
    found = []
    for recolour in (False, True):
        for target in _payments_of(recolour):
            found += [payment for payment in target if payment not in found]
    return found


PAYMENTS_IN_ORDER = tuple(_all_payments())


def _cell_pairs():
    """Neighbouring cells, horizontal pairs first, left or upper cell first."""
    across = [(row * 6 + column, row * 6 + column + 1) for row in range(6) for column in range(5)]
    down = [(row * 6 + column, row * 6 + column + 6) for row in range(5) for column in range(6)]
    return [(BOARD_CELLS[first], BOARD_CELLS[second]) for first, second in across + down]


def _action_strings():
    """Action strings in the order of MoveBase."""
    pairs = _cell_pairs()
    found = [f"crane {colour}" for colour in COLOURS]
    found += [f"seat {row}" for row in range(1, 7)]
    found += [f"corner {cell}" for cell in CORNERS]
    found += [f"take {card} {cell}" for card in (1, 2) for cell in BOARD_CELLS]
    found += [f"take {card} {cell} tribune" for card in (1, 2) for cell in BOARD_CELLS]
    found += [f"skip {card}" for card in (1, 2)]
    found += [f"keep {card}" for card in (1, 2)]
    found += [f"reserve {tile}" for tile in TILE_NAMES_IN_ORDER] + ["no reserve"]
    found += ["use own", "use received", "use both own", "use both received"]
    found += [f"gain {resource}" for resource in GAINS]
    found += [f"bonus {bonus}" for bonus in BONUSES]
    found += [f"envoy m{row}.{column}" for row in range(1, 13) for column in range(1, 10)]
    found += ["no envoy", "step", "cypress"]
    found += [f"swap {one} {other}" for one in SWAPPED for other in SWAPPED if one != other]
    found += [f"train {colour}" for colour in COLOURS]
    found += ["promote", "no build"]
    found += [f"build {name} {cell}" for name in GREYS + STRUCTURES for cell in BOARD_CELLS]
    for grey, structure in product(GREYS, STRUCTURES):
        found += [f"build {grey}+{structure} {one} {other}" for one, other in pairs]
        found += [f"build {grey}+{structure} {other} {one}" for one, other in pairs]
    for structure in STRUCTURES:
        found += [f"build {structure}+{structure} {one} {other}" for one, other in pairs]
    found += ["pay " + "+".join(payment) for payment in PAYMENTS_IN_ORDER]
    found += [f"reward {track} {step}" for track in TRACKS for step in range(1, 5)]
    found += [f"use {cell}" for cell in BOARD_CELLS]
    found += [f"wage {row}" for row in range(1, 7)]
    found += [f"no wage {row}" for row in range(1, 7)]
    return tuple(found)


ACTIONS = _action_strings()


def _fill_payments():
    """Fill the table that play reads from PAYMENTS_IN_ORDER."""
    cdef int variant, target, place
    if len(PAYMENTS_IN_ORDER) != PAYMENTS:
        raise AssertionError(f"{len(PAYMENTS_IN_ORDER)} payments, moves.pxd has {PAYMENTS}")
    for place, payment in enumerate(PAYMENTS_IN_ORDER):
        payments.cost[place] = 0
        for resource in payment:
            payments.cost[place] += <unsigned long long>1 << (8 * RESOURCES.index(resource))
    for variant in (0, RECOLOUR_IN_SWAP):
        for target, found in enumerate(_payments_of(bool(variant))):
            payments.count[variant * PAYMENT_TARGETS + target] = len(found)
            for place, payment in enumerate(found):
                payments.list[(variant * PAYMENT_TARGETS + target) * PAYMENT_LIST + place] = (
                    PAYMENTS_IN_ORDER.index(payment))


def _fill_tile_gains():
    """Fill the table that play reads from TILE_NAMES_IN_ORDER."""
    cdef int place
    if len(TILE_NAMES_IN_ORDER) != TILE_NAMES:
        raise AssertionError(f"{len(TILE_NAMES_IN_ORDER)} tiles, moves.pxd has {TILE_NAMES}")
    for place, name in enumerate(TILE_NAMES_IN_ORDER):
        tile_gains.resources[place] = 0
        tile_gains.upgrades[place] = 0
        if place < len(CITIZENS):
            continue
        for icon in name.split("+"):
            if icon == "upgrade":
                tile_gains.upgrades[place] += 1
            else:
                tile_gains.resources[place] += (
                    <unsigned long long>1 << (8 * RESOURCES.index(icon)))


if len(ACTIONS) != MOVES:
    raise AssertionError(f"{len(ACTIONS)} action strings, moves.pxd has {MOVES}")
_fill_payments()
_fill_tile_gains()
