"""Constant tables that the rules read. `tables.py` computes them, and `game.py` fills them in."""

cpdef enum:
    SETS_OF_6 = 64           # number of sets of 6 bits
    PICKS_OF_6 = 8           # 6, padded to a power of two
    TRAYS_ON = 32            # size of tray_after, in which tray I follows tray VI again
    MARKER_COUNTS = 16       # 0 to 12 markers in a tray, padded to a power of two
    NO_TRAY = TRAYS
    ROOM_OF_TILES = 64          # no tile and the 54 Trajan tiles, padded to a power of two
    SET_SIZES = 16           # buildings of one kind with all wilds, padded to a power of two
    LOADS = 5                # cards or pairs of a shipment, from 0

cdef enum:
    SHIP_SIDES = 2


cdef struct Tables:
    # For every set of 6 bits: how many are set, and the index of the k-th set bit.
    byte_t set_of_6[SETS_OF_6]
    byte_t pick_of_6[SETS_OF_6][PICKS_OF_6]
    byte_t tray_after[TRAYS_ON]    # the tray reached by counting from I on; I follows VI
    # By tray and number of markers in it: the target of sowing the tray (NO_TRAY if it is empty),
    # the trays that receive markers as bits, and the number of markers for each, 4 bits per tray.
    byte_t leads_to[TRAYS][MARKER_COUNTS]
    byte_t passed[TRAYS][MARKER_COUNTS]
    uint32_t sown[TRAYS][MARKER_COUNTS]
    # By the number of a Trajan tile + 1.
    uint16_t need[ROOM_OF_TILES]       # the markers it needs, as in a tray
    byte_t tile_vp[ROOM_OF_TILES]
    byte_t tile_effect[ROOM_OF_TILES]
    byte_t tile_amount[ROOM_OF_TILES]  # number of cards or figures, or symbol
    byte_t tile_factor[ROOM_OF_TILES]  # factor of the worth of its effect
    byte_t tile_bit[ROOM_OF_TILES]    # its bit among the 9 of its stack
    uint16_t same_as_next[STACKS]   # stack: bits of the tiles that equal the next tile
    byte_t tile_byte[STACKS][STACK_TILES]  # stack, bit: Trajan tile + 1, the first if identical
    byte_t bonus_byte[BONUSES]     # bit: bonus tile + 1
    byte_t gold_vp[BONUSES]
    byte_t silver_vp[BONUSES]
    byte_t province_vp[PROVINCES]
    uint16_t borders[PROVINCES + 1]  # leader (province + 1, 0 the camp): provinces to march to
    byte_t building_vp[SITES + 1]  # building + 1
    byte_t free_action[BUILDINGS]  # kind of building: action + 1
    byte_t set_vp[SET_SIZES]       # number of buildings of one kind
    byte_t senate_vp[LAST_SPACE + 1]  # space reached
    byte_t ship_vp[SHIP_SIDES][SHIPS][LOADS]  # whether coloured, ship, cards or pairs
    byte_t equal_cards[EQUAL_FORMS]  # shipments of equal cards, by their order
    byte_t equal_wilds[EQUAL_FORMS]
    # by number of uncovered demands; a quarter reveals a demand in each round but the last
    byte_t demand_loss[ROUNDS]
    byte_t payment[PAYMENTS][SYMBOLS + 1]  # tiles of each symbol, and wilds, that pay
    byte_t forum_spaces[MAX_PLAYERS + 1]  # by number of players
    byte_t extra_spaces
    byte_t figures
    byte_t legionnaire_loss


cdef Tables tables


def fill_tables(dict values not None):
    """Fill the tables from a dict of values by field."""
    global tables
    tables = values
    fill_inputs()
