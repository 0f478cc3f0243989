# Constant tables, filled once from components.yaml when the module is imported.

cdef uint16_t NEED[64]               # Trajan tile + 1: the markers it needs, as in a tray
cdef uint8_t TILE_VP[64]
cdef uint8_t TILE_EFFECT[64]
cdef uint8_t TILE_AMOUNT[64]         # figures, or symbol
cdef uint8_t TRAY_AFTER[32]          # tray reached, counting on from I past VI
cdef uint8_t TILE_FACTOR[64]         # of the worth of its effect
cdef uint8_t TILE_BIT[64]            # Trajan tile + 1: its bit among the 9 of its stack
cdef uint16_t SAME_AS_NEXT[6]        # stack: bits of tiles that equal the next of the stack
cdef uint8_t TILE_BYTE[6][9]         # stack, bit: Trajan tile + 1, for equal tiles the first one
cdef uint8_t BONUS_BYTE[12]          # bit: bonus tile + 1
cdef uint8_t PROVINCE_VP[10]
cdef uint16_t BORDERS[11]            # leader (province + 1, 0 the camp): provinces to march to
cdef uint8_t LEGIONNAIRE_LOSS
cdef uint8_t BUILDING_VP[21]         # building + 1
cdef uint8_t FREE_ACTION[5]          # kind of building: action + 1
cdef uint8_t SET_VP[16]              # buildings of one kind
cdef uint8_t SENATE_VP[8]            # space reached
cdef uint8_t SHIP_VP[2][3][5]        # coloured?, ship, cards or pairs
cdef uint8_t DEMAND_LOSS[4]
cdef uint8_t GOLD_VP[12]
cdef uint8_t SILVER_VP[12]
cdef uint8_t FORUM_SPACES[5]         # by number of players
cdef uint8_t EXTRA_SPACES
cdef uint8_t FIGURES
cdef uint8_t EQUAL_CARDS[10]         # shipments of equal cards, by their order
cdef uint8_t EQUAL_WILDS[10]
cdef int16_t MOVE_OF[20][64]         # kind of decision, bit of State.legal: move


def _fill_bits():
    for mask in range(64):
        bits = [bit for bit in range(6) if mask >> bit & 1]
        SET_OF_6[mask] = len(bits)
        for k, bit in enumerate(bits):
            PICK_OF_6[mask][k] = bit
    for i in range(32):
        TRAY_AFTER[i] = i % TRAYS


def _fill_tiles(c):
    # Effect, amount, factor of its worth.
    effects = {"cards2": (EFFECT_CARDS, 2, 1), "points": (EFFECT_POINTS, 0, 0),
               "worker1": (EFFECT_WORKERS, 1, 1), "worker2": (EFFECT_WORKERS, 2, 2),
               "legion1": (EFFECT_LEGIONS, 1, 1), "legion2": (EFFECT_LEGIONS, 2, 2),
               "plus2": (EFFECT_PLUS2, 0, 1)}
    effects.update((symbol, (EFFECT_DEMAND, i, 1)) for i, symbol in enumerate(c.symbols))
    for i, tile in enumerate(c.tiles):
        first, second = (c.colours.index(colour) for colour in tile.colours)
        NEED[i + 1] = with_marker(with_marker(0, first), second)
        TILE_VP[i + 1] = tile.vp
        TILE_EFFECT[i + 1], TILE_AMOUNT[i + 1], TILE_FACTOR[i + 1] = effects[tile.effect]
        TILE_BIT[i + 1] = i % STACK_TILES
        if i % STACK_TILES < STACK_TILES - 1 and tile.name == c.tiles[i + 1].name:
            SAME_AS_NEXT[i // STACK_TILES] |= 1 << (i % STACK_TILES)
        TILE_BYTE[i // STACK_TILES][i % STACK_TILES] = c.tile_names().index(tile.name) + 1
    for i in range(BONUS_KINDS):
        BONUS_BYTE[i] = i + 1


def _fill_board(c):
    global LEGIONNAIRE_LOSS, EXTRA_SPACES, FIGURES
    data = c.data
    LEGIONNAIRE_LOSS = data["loss_per_legionnaire"]
    EXTRA_SPACES = data["extra_spaces"]
    FIGURES = data["figures"]
    number = {name: i for i, name in enumerate(c.provinces)}
    BORDERS[0] = sum(1 << number[name] for name in data["from_camp"])
    for name, i in number.items():
        PROVINCE_VP[i] = data["provinces"][name]
        BORDERS[i + 1] = sum(1 << number[other] for other in data["neighbours"][name])
    for i in range(20):
        BUILDING_VP[i + 1] = data["building_vp"][i % 4]
    for i, action in enumerate(data["buildings"].values()):
        FREE_ACTION[i] = c.actions.index(action) + 1
    for i in range(16):
        SET_VP[i] = max([vp for size, vp in data["building_sets"].items() if size <= i],
                        default=0)
    for i, vp in enumerate(data["senate_vp"]):
        SENATE_VP[i + 1] = vp
    for i, vp in enumerate(data["demand_loss"]):
        DEMAND_LOSS[i] = vp
    for players, sizes in data["players"].items():
        FORUM_SPACES[players] = sizes["forum"]


def _fill_scores(c):
    for i, ship in enumerate(("equal", "pairs", "different")):
        for coloured, side in enumerate(("grey", "coloured")):
            for k, vp in enumerate(c.data["ships"][ship][side]):
                SHIP_VP[coloured][i][k + 1] = vp
    for i, (gold, silver) in enumerate(c.data["bonus_tiles"].values()):
        GOLD_VP[i], SILVER_VP[i] = gold, silver
    i = 0
    for wilds in range(4):
        for cards in range(1, 5 - wilds):
            EQUAL_CARDS[i], EQUAL_WILDS[i] = cards, wilds
            i += 1


def _fill_moves():
    def place(kind, *runs):
        bit = 0
        for first, count in runs:
            for i in range(count):
                MOVE_OF[kind][bit] = first + i
                bit += 1

    place(SEAPORT, (DRAW_MOVE, 6), (PLAY_MOVE, 12), (EQUAL_MOVE, 36))
    place(FORUM, (FORUM_MOVE, TILE_KINDS), (PASS_MOVE, 1))
    place(MILITARY, (RECRUIT_MOVE, 2 + PROVINCES), (PASS_MOVE, 1))
    place(SENATE, (SENATE_MOVE, 1), (PASS_MOVE, 1))
    place(TRAJAN, (TILE_MOVE, STACKS), (PASS_MOVE, 1))
    place(CONSTRUCTION, (HIRE_MOVE, 1 + SITES), (PASS_MOVE, 1))
    place(ON_SOW, (SOW_MOVE, TRAYS))
    place(ON_DROP, (DROP_MOVE, COLOURS))
    place(ON_PLUS2, (PLUS2_MOVE, TRAYS))
    place(ON_EFFECT, (EFFECT_MOVE, 2))
    place(ON_DISCARD, (DISCARD_MOVE, 2 * GOODS_KINDS))
    place(ON_PLAY, (PLAY_MOVE, GOODS_KINDS), (DONE_MOVE, 1))
    place(ON_PAIR, (PAIR_MOVE, 2 * GOODS_KINDS + 1), (DONE_MOVE, 1))
    place(ON_CARD, (CARD_MOVE, GOODS_KINDS + 1), (DONE_MOVE, 1))
    place(ON_EXTRA, (EXTRA_MOVE, 3))
    place(ON_BONUS, (BONUS_MOVE, BONUS_KINDS))
    place(ON_MARKER, (MARKER_MOVE, COLOURS))
    place(ON_GOODS, (GOODS_MOVE, 3))
    place(ON_START, (START_MOVE, STACKS))


_fill_bits()
_fill_tiles(COMPONENTS)
_fill_board(COMPONENTS)
_fill_scores(COMPONENTS)
_fill_moves()
