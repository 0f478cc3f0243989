"""Move numbers: where each kind of action string begins, and the payments that moves stand for.

Within a kind: cells count row * 6 + column, colours and buildings as in types.pxd; a pair of
neighbouring cells is row * 5 + column of its left cell, or 30 + row * 6 + column of its upper one.
"""

from libc.stdint cimport uint8_t, uint64_t

from trajan_ai.core.game cimport move_t

cdef enum:
    BOARD = 36
    PAIRS = 60
    TILE_NAMES = 720        # 6 citizens and the 714 resource tiles of one to four icons
    PAYMENTS = 77
    PAYMENT_TARGETS = 13    # grey; each colour; grey and colour; colour twice
    PAYMENT_LIST = 24

cdef enum MoveBase:
    M_CRANE = 0                                     # colour
    M_SEAT = M_CRANE + 4                            # row
    M_CORNER = M_SEAT + 6                           # corner
    M_TAKE = M_CORNER + 4                           # card * 36 + cell
    M_TAKE_TRIBUNE = M_TAKE + 72                    # card * 36 + cell
    M_SKIP = M_TAKE_TRIBUNE + 72                    # card
    M_KEEP = M_SKIP + 2                             # card
    M_RESERVE = M_KEEP + 2                          # tile name
    M_NO_RESERVE = M_RESERVE + TILE_NAMES
    M_USE = M_NO_RESERVE + 1                        # own, received, both own, both received
    M_GAIN = M_USE + 4                              # coin, tribune, assistant, colours
    M_BONUS = M_GAIN + 7                            # Bonus
    M_ENVOY = M_BONUS + 5                           # row * 9 + column
    M_NO_ENVOY = M_ENVOY + 108
    M_UPGRADE = M_NO_ENVOY + 1                      # step, cypress
    M_SWAP = M_UPGRADE + 2                          # from * 2 + other, see SWAP_*
    M_TRAIN = M_SWAP + 6                            # colour
    M_PROMOTE = M_TRAIN + 4
    M_NO_BUILD = M_PROMOTE + 1
    M_BUILD = M_NO_BUILD + 1                        # building * 36 + cell
    M_BUILD_GREY = M_BUILD + 8 * BOARD              # ((grey * 4 + colour) * 2 + side) * 60 + pair
    M_BUILD_TWO = M_BUILD_GREY + 32 * PAIRS         # colour * 60 + pair
    M_PAY = M_BUILD_TWO + 4 * PAIRS                 # payment
    M_REWARD = M_PAY + PAYMENTS                     # track * 4 + step - 1
    M_TILE = M_REWARD + 12                          # cell
    M_WAGE = M_TILE + BOARD                         # row
    M_NO_WAGE = M_WAGE + 6                          # row
    MOVES = M_NO_WAGE + 6


# Payments by target, and their costs as bytes of Player.resources.
cdef struct Payments:
    uint64_t cost[77]               # by payment
    uint8_t count[26]               # by variant (RECOLOUR_IN_SWAP) * 13 + target
    uint8_t list[624]               # 24 payments for each of those


cdef struct TileGains:
    uint64_t resources[720]         # by tile name: what it adds to Player.resources
    uint8_t upgrades[720]


cdef Payments payments
cdef TileGains tile_gains


cdef inline int board_cell(int cell) noexcept nogil:
    """Place of a cell in move numbers."""
    return cell - 2 * (cell >> 3)


cdef inline int mask_cell(int place) noexcept nogil:
    """Cell of a place in move numbers."""
    return place + 2 * (place / 6)


cdef inline int mosaic_place(int cell) noexcept nogil:
    return cell - cell / 10


cdef inline int mosaic_cell(int place) noexcept nogil:
    return place + place / 9
