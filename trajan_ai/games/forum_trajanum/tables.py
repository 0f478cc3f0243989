"""The constant tables of the compiled rules, named like the fields of the struct in tables.pxi."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from trajan_ai.core.enums import named
from trajan_ai.games.forum_trajanum import notation, rules

_RESOURCES = named(rules, "RESOURCE_")
_UPGRADE = "upgrade"


def _counted(resources: Iterable[str]) -> int:
    """Return resources as bytes of Player.resources."""
    return sum(1 << 8 * _RESOURCES[name] for name in resources)


def _icons(tile: str) -> list[str]:
    return [] if tile in notation.CITIZENS else tile.split("+")


def _payment_tables() -> dict[str, Any]:
    """Return costs by payment, and each target's payments without and with `recolour_in_swap`."""
    place = notation.PAYMENTS_IN_ORDER.index
    targets = [*notation.payments_of(False), *notation.payments_of(True)]
    rows = [[place(payment) for payment in payments] for payments in targets]
    room = rules.PAYMENT_LIST
    return {
        "payment_cost": [_counted(payment) for payment in notation.PAYMENTS_IN_ORDER],
        "payment_count": [len(row) for row in rows],
        "payment_list": [number for row in rows for number in row + [0] * (room - len(row))],
    }


def _tile_tables() -> dict[str, Any]:
    icons = [_icons(tile) for tile in notation.TILE_NAMES_IN_ORDER]
    return {
        "tile_resources": [_counted(i for i in tile if i != _UPGRADE) for tile in icons],
        "tile_upgrades": [tile.count(_UPGRADE) for tile in icons],
    }


def _move_tables() -> dict[str, Any]:
    across = [notation.bit_of_place(6 * row + column) for row in range(6) for column in range(5)]
    down = [notation.bit_of_place(place) for place in range(rules.PAIRS - rules.ACROSS)]
    first = across + down
    second = [cell + 1 for cell in across] + [cell + 8 for cell in down]
    takes = chain.from_iterable([range(rules.BOARD)] * 2 * rules.CARDS)
    return {
        "swap_from": [_RESOURCES[one] for one, _ in notation.SWAPS],
        "swap_to": [_RESOURCES[other] for _, other in notation.SWAPS],
        "gained": [_RESOURCES[name] for name in notation.GAINS],
        "bonus": [_RESOURCES[name] for name in notation.BONUSES[: rules.BONUS_VP]],
        "first_cell": first + second,
        "second_cell": second + first,
        "taken_cell": [notation.bit_of_place(place) for place in takes],
    }


TABLES = _payment_tables() | _tile_tables() | _move_tables()
