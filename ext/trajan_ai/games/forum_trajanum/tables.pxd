"""Constant tables that the rules read; notation.py says what they hold."""

from libc.stdint cimport uint8_t, uint64_t

from trajan_ai.games.forum_trajanum.types cimport *

cdef enum:
    TARGETS = 13            # of payments: grey; each colour; grey and colour; colour twice
    TARGET_DOUBLE = 5       # + colour
    TARGET_TWIN = 9         # + colour
    PAYMENT_LIST = 24       # the most payments of a target


# Payments by target, and their costs as bytes of Player.resources.
cdef struct Payments:
    uint64_t cost[PAYMENTS]         # by payment
    uint8_t count[2 * TARGETS]      # by OPTION_RECOLOUR_IN_SWAP * TARGETS + target
    uint8_t list[2 * TARGETS * PAYMENT_LIST]  # the payments of each of those


cdef struct TileGains:
    uint64_t resources[TILE_NAMES]  # by tile name: what it adds to Player.resources
    uint8_t upgrades[TILE_NAMES]


# What moves of a kind mean, by their number within the kind.
cdef struct Meanings:
    uint8_t swap_from[SWAPS]        # Resource
    uint8_t swap_to[SWAPS]
    uint8_t gained[GAINS]
    uint8_t bonus[BONUS_VP]         # of the bonuses but VP; RESOURCE_UPGRADE for an upgrade
    uint8_t first_cell[2 * PAIRS]   # of pairs: cells of first and second building of the string
    uint8_t second_cell[2 * PAIRS]
    uint8_t taken_cell[2 * CARDS * BOARD]  # cell from which a move takes


cdef Payments payments
cdef TileGains tile_gains
cdef Meanings meanings
