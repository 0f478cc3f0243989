"""Constant tables that the rules read. `tables.py` computes them, and `game.py` fills them in."""

cpdef enum:
    TARGETS = 13            # what is paid for: grey; each colour; grey and a colour; a colour twice
    TARGET_DOUBLE = 5       # + colour
    TARGET_TWIN = 9         # + colour
    PAYMENT_LIST = 24       # room for the payments of a target


cdef struct Tables:
    # The cost of each payment, as bytes of Player.resources, and the payments of each target,
    # first without and then with OPTION_RECOLOUR_IN_SWAP.
    uint64_t payment_cost[PAYMENTS]
    byte_t payment_count[2 * TARGETS]
    byte_t payment_list[2 * TARGETS * PAYMENT_LIST]
    # By tile name: what the tile adds to Player.resources, and its upgrades.
    uint64_t tile_resources[TILE_NAMES]
    byte_t tile_upgrades[TILE_NAMES]
    # The meaning of a move, given its number among the moves of the same kind.
    byte_t swap_from[SWAPS]         # Resource
    byte_t swap_to[SWAPS]
    byte_t gained[GAINS]
    byte_t bonus[BONUS_VP]          # resource of each bonus but VP; RESOURCE_UPGRADE for an upgrade
    # by pair: the cells of the first and the second building in the action string
    byte_t first_cell[2 * PAIRS]
    byte_t second_cell[2 * PAIRS]
    byte_t taken_cell[2 * CARDS * BOARD]  # cell from which a move takes a tile


cdef Tables tables


def fill_tables(dict values not None):
    """Fill the tables from a dict of values by field."""
    global tables
    tables = values
