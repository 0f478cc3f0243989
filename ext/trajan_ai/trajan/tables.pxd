"""Constant tables of the game, filled once from components.yaml when tables.pyx is imported."""

from libc.stdint cimport uint16_t

from trajan_ai.trajan.types cimport byte_t


cdef struct Tables:
    # Of 6 bits: how many are set, and the index of the k-th set one.
    byte_t set_of_6[64]
    byte_t pick_of_6[64][8]
    byte_t tray_after[32]          # tray reached, counting on from I past VI
    # By Trajan tile + 1.
    uint16_t need[64]               # the markers it needs, as in a tray
    byte_t tile_vp[64]
    byte_t tile_effect[64]
    byte_t tile_amount[64]         # figures, or symbol
    byte_t tile_factor[64]         # of the worth of its effect
    byte_t tile_bit[64]            # its bit among the 9 of its stack
    uint16_t same_as_next[6]        # stack: bits of tiles that equal the next of the stack
    byte_t tile_byte[6][9]         # stack, bit: Trajan tile + 1, for equal tiles the first one
    byte_t bonus_byte[12]          # bit: bonus tile + 1
    byte_t gold_vp[12]
    byte_t silver_vp[12]
    byte_t province_vp[10]
    uint16_t borders[11]            # leader (province + 1, 0 the camp): provinces to march to
    byte_t building_vp[21]         # building + 1
    byte_t free_action[5]          # kind of building: action + 1
    byte_t set_vp[16]              # buildings of one kind
    byte_t senate_vp[8]            # space reached
    byte_t ship_vp[2][3][5]        # coloured?, ship, cards or pairs
    byte_t equal_cards[10]         # shipments of equal cards, by their order
    byte_t equal_wilds[10]
    byte_t demand_loss[4]          # demands not covered
    byte_t payment[34][4]           # tiles of each symbol, and wilds, that pay
    byte_t forum_spaces[5]         # by number of players
    byte_t extra_spaces
    byte_t figures
    byte_t legionnaire_loss


cdef Tables tables
