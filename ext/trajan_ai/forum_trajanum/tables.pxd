"""Constant tables that the rules read; notation.py says what they hold."""

from libc.stdint cimport uint8_t, uint64_t

cdef enum:
    TARGETS = 13            # of payments: grey; each colour; grey and colour; colour twice
    TARGET_DOUBLE = 5       # + colour
    TARGET_TWIN = 9         # + colour
    PAYMENT_LIST = 24       # the most payments of a target


# Payments by target, and their costs as bytes of Player.resources.
cdef struct Payments:
    uint64_t cost[77]               # by payment
    uint8_t count[26]               # by OPTION_RECOLOUR_IN_SWAP * 13 + target
    uint8_t list[624]               # 24 payments for each of those


cdef struct TileGains:
    uint64_t resources[720]         # by tile name: what it adds to Player.resources
    uint8_t upgrades[720]


# What moves of a kind mean, by their number within the kind.
cdef struct Meanings:
    uint8_t swap_from[6]            # Resource
    uint8_t swap_to[6]
    uint8_t gained[7]
    uint8_t bonus[4]                # of the bonuses but VP; RESOURCE_UPGRADE for an upgrade
    uint8_t first_cell[120]         # of pairs: cells of first and second building of the string
    uint8_t second_cell[120]
    uint8_t taken_cell[144]         # cell from which a move takes


cdef Payments payments
cdef TileGains tile_gains
cdef Meanings meanings
