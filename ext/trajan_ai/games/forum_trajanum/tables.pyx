"""Constant tables that the rules read, filled from notation.py when the game is imported."""

from trajan_ai.games.forum_trajanum.cells cimport cell_of
from trajan_ai.games.forum_trajanum.types cimport *

from trajan_ai.core.enums import named
from trajan_ai.games.forum_trajanum import notation, types

_RESOURCES = named(types, "RESOURCE_")


def _fill_payments():
    cdef int option, target, place, row
    for place, payment in enumerate(notation.PAYMENTS_IN_ORDER):
        payments.cost[place] = 0
        for resource in payment:
            payments.cost[place] += <unsigned long long>1 << (8 * _RESOURCES[resource])
    for option in (0, OPTION_RECOLOUR_IN_SWAP):
        for target, listed in enumerate(notation.payments_of(bool(option))):
            row = option * TARGETS + target
            payments.count[row] = len(listed)
            for place, payment in enumerate(listed):
                payments.list[row * PAYMENT_LIST + place] = (
                    notation.PAYMENTS_IN_ORDER.index(payment))


def _fill_tile_gains():
    cdef int place
    for place, name in enumerate(notation.TILE_NAMES_IN_ORDER):
        tile_gains.resources[place] = 0
        tile_gains.upgrades[place] = 0
        if name in notation.CITIZENS:
            continue
        for icon in name.split("+"):
            if icon == "upgrade":
                tile_gains.upgrades[place] += 1
            else:
                tile_gains.resources[place] += <unsigned long long>1 << (8 * _RESOURCES[icon])


def _fill_meanings():
    cdef int place, first, second
    for place, (given, received) in enumerate(notation.SWAPS):
        meanings.swap_from[place] = _RESOURCES[given]
        meanings.swap_to[place] = _RESOURCES[received]
    for place, resource in enumerate(notation.GAINS):
        meanings.gained[place] = _RESOURCES[resource]
    for place in range(BONUS_UPGRADE + 1):
        meanings.bonus[place] = _RESOURCES[notation.BONUSES[place]]
    for place in range(PAIRS):
        if place < ACROSS:
            first = (place // 5) * 8 + place % 5
            second = first + 1
        else:
            first = cell_of(place - ACROSS)
            second = first + 8
        meanings.first_cell[place] = meanings.second_cell[PAIRS + place] = first
        meanings.second_cell[place] = meanings.first_cell[PAIRS + place] = second
    for place in range(4 * BOARD):
        meanings.taken_cell[place] = cell_of(place % BOARD)


_fill_payments()
_fill_tile_gains()
_fill_meanings()
