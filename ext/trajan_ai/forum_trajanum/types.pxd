"""The state of a game of Forum Trajanum and the small numbers that its fields hold.

Cells of a Colonia are bits of a 64-bit mask, row * 8 + column: two guard columns stop shifts from
wrapping. Mosaic cells are bits of a 128-bit mask, row * 10 + column, one guard column. Fields are
ordered by size, so that the struct has no padding.
"""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint64_t

from trajan_ai.core.bits cimport count_bits

cdef extern from *:
    """
    typedef unsigned __int128 trajan_cells_t;
    """
    ctypedef unsigned long long cells_t "trajan_cells_t"     # mosaic cells, 128 bits
    # A byte. Declared wider, because Cython makes text of arrays of char instead of lists.
    ctypedef unsigned short byte_t "uint8_t"

cdef enum:
    ROUNDS = 12
    PHASES = 3
    CELLS = 48              # bits of a Colonia mask
    MOSAIC_STRIDE = 10
    MOSAIC_ROWS = 12
    MOSAIC_COLUMNS = 9
    ROWS = 6                # citizen rows, and street rows
    TRACKS = 3
    TRACK_END = 4
    MAX_STEPS = 12          # of the slider
    LABELS = 11             # group sizes 0 .. 10
    PRESTIGE_COLUMNS = 32
    TILE_KINDS = 35         # 0 none, 1..6 citizens, then at most 28 resource tiles
    RESERVE = 12
    STACK = 42              # tasks that wait at most
    UNLIMITED = 255

# Resources (Resource), in the order of payments: bytes of Player.resources.
cdef enum:
    BUILDER = 0
    BLUE = 1
    GREEN = 2
    RED = 3
    YELLOW = 4
    ASSISTANT = 5
    COIN = 6
    TRIBUNE = 7
    UPGRADE = 8

cdef enum:
    COLUMN = 0
    LIBRARY = 1
    BASILICA = 2
    MARKET = 3
    STRUCTURE = 4           # + colour: fountain, park, house, stable
    BUILDINGS = 8

cdef enum CitizenRow:
    PATRICIAN_1 = 0
    PATRICIAN_2 = 1
    MERCHANT_1 = 2
    MERCHANT_2 = 3
    CRAFTSMAN_1 = 4
    CRAFTSMAN_2 = 5

# Which part of the game runs.
cdef enum Stage:
    SETUP = 0
    NOVICE = 1
    TAKE = 2
    RESERVE_STEP = 3
    TURN = 4
    WAGES = 5
    OVER = 6

# What waits on the stack. The first ones are decisions, the others carry themselves out.
cdef enum Task:
    NOTHING = 0
    CHOOSE_CRANE = 1        # argument: corner
    CHOOSE_SEAT = 2         # class
    CHOOSE_CORNER = 3
    CHOOSE_TAKE = 4
    CHOOSE_KEEP = 5
    CHOOSE_RESERVE = 6
    CHOOSE_USE = 7
    CHOOSE_GAIN = 8         # GainSet
    CHOOSE_BONUS = 9        # 0, or 1 + the bonus already taken
    CHOOSE_ENVOY = 10       # colour, ANY_COLOUR or EAGLE
    CHOOSE_UPGRADE = 11
    CHOOSE_BUILD = 12
    CHOOSE_PAYMENT = 13
    CHOOSE_REWARD = 14      # track
    CHOOSE_TILE = 15
    CHOOSE_WAGE = 16        # row
    CHOOSE_NOVICE = 17
    DECISIONS = 18
    DO_EFFECT = 18          # tile
    DO_PUT_AWAY = 19        # Source: a used tile
    DO_PUT_BACK = 20        # Source: an unused tile
    DO_PLACE = 21
    DO_REWARD = 22          # building
    DO_LEVEL = 23           # track * 4 + step - 1
    DO_COLUMN = 24
    DO_AREA_BONUS = 25

cdef enum GainSet:
    COIN_OR_TRIBUNE = 0
    COIN_OR_ASSISTANT = 1
    ANY_WORKER = 2

cdef enum EnvoyCells:
    ANY_COLOUR = 4          # 0..3: cells of that colour
    EAGLE = 5

cdef enum Source:
    OWN = 0
    RECEIVED = 1
    GRID = 2

cdef enum Bonus:
    BONUS_TRIBUNE = 0
    BONUS_ASSISTANT = 1
    BONUS_COIN = 2
    BONUS_UPGRADE = 3
    BONUS_VP = 4
    BONUSES = 5

# Option bits of State.variant.
cdef enum Variant:
    RECOLOUR_IN_SWAP = 1
    EAGLE_ONCE = 2
    LIMITED_TILES = 4
    INTRODUCTORY = 8

# Building tasks of Trajan cards, in the order of the ids 25 .. 36 in recon-1.
cdef enum BuildTask:
    GKG_ACROSS = 0
    TEMPLE_ABOVE_BELOW = 1
    TWO_GREYS_DOWN = 2
    CRANE_SIDES = 3
    SQUARE = 4
    KGK_DOWN = 5
    FOUR_COLOURS = 6
    GKG_DOWN = 7
    KGGK_DOWN = 8
    THREE_COLOURS_DOWN = 9
    TEMPLE_DIAGONALS = 10
    THREE_GREYS_DOWN = 11
    NO_TASK = 12

# What collecting tasks demand (Collectable): places of State.collect.
cdef enum:
    C_BUILDER = 0
    C_WORKER = 1
    C_ASSISTANT = 2
    C_COIN = 3
    C_TRIBUNE = 4
    C_SHIP_ENVOY = 5
    C_COLUMN = 6
    C_USED_CRANE = 7
    C_MARKER = 8
    C_TWO_CLASSES = 9
    C_EACH_CLASS = 10
    C_TWO_WORKERS = 11
    COLLECTABLES = 12


cdef struct Player:
    uint64_t resources              # eight counters of a byte each, see Resource
    uint64_t tiles                  # cells that hold a Colonia tile
    uint64_t built[8]               # cells by Building
    uint64_t envoys[2]              # mosaic cells
    int16_t score
    byte_t tile[48]                # the tile on each cell; on corners face up
    byte_t street[12]              # symbol -> street: 0..5 rows, 6..11 columns
    byte_t reserve[12]             # ascending, the first reserve_count
    byte_t reserve_count
    byte_t citizens[6]             # tiles in each row
    byte_t active                  # rows whose citizens are active, as bits
    byte_t marker[3]               # step of library, basilica, market
    byte_t slider
    byte_t flipped
    byte_t ship                    # envoys on the ship
    byte_t ship_tile               # the setup tile: its owner alone has seen it
    byte_t crane[4]                # 1 + colour by corner, 0 before the choice
    byte_t crane_open              # corners as bits
    byte_t crane_used
    byte_t start_class             # of the start citizen
    byte_t start_worker            # colour
    byte_t spare[2]                # tiles for the corners without a female citizen
    byte_t kept                    # tiles of step 1, until the end of the round
    byte_t given
    byte_t shown[2]                # those of them that lay face up, ascending
    byte_t picked                  # tile of the reserve that serves as the received one


cdef struct State:
    Player player[4]
    uint64_t plain                  # cells that can hold a building
    uint64_t temples
    uint64_t colour[8]              # mosaic cells of each colour, two words each
    uint64_t eagles[2]
    uint64_t touched[2]             # cells of areas that hold an envoy
    uint16_t tile_name[35]          # place in the list of all tile names
    uint16_t plan                   # the build move that is being paid
    uint16_t turn
    byte_t street_cards[24]        # symbols, two a round
    byte_t prestige[32]            # VP by column
    byte_t label[22]               # column of a group size; 11 for each side of the slider
    byte_t bust[26]                # Trajan value by step; 13 for each side
    byte_t cypress[13]             # next cypress step after a step, itself if none
    byte_t build_task[3]           # by phase
    byte_t collect[36]             # 12 demands for each phase
    byte_t column_vp[3]
    byte_t crane_vp[3]
    byte_t grey_of[4]              # the grey building on the tiles of a colour
    byte_t colour_of[4]            # and back
    byte_t singles[4]              # tiles left by colour, UNLIMITED without the option
    byte_t doubles[4]
    byte_t card_id[3]
    byte_t steps                   # the slider's last step
    byte_t bonus_vp                # of an area
    byte_t players
    byte_t variant
    byte_t novices                 # players as bits
    byte_t stage
    byte_t round
    byte_t actor                   # whose run of decisions it is
    byte_t seated                  # runs of this stage that have begun
    byte_t decision                # Task
    byte_t argument
    byte_t open_cards              # step 1: cards not yet resolved, as bits
    byte_t taken[2]                # tile taken for each card
    byte_t taken_cell[2]           # 1 + its cell
    byte_t hand                    # step 2a: bits of Source still in hand
    byte_t swapped                 # conversions made this turn
    byte_t trained
    byte_t promoted
    byte_t depth
    byte_t stack[84]               # pairs of Task and argument
    byte_t set_name[39]            # of the component set, for views; ASCII
    byte_t mosaic_board[5]         # board * 4 + side * 2 + turned, by slot
    byte_t board[4]                # 0 side A, 1..4 side B, by player


cdef inline cells_t mosaic(const uint64_t *words) noexcept nogil:
    return (<cells_t>words[1] << 64) | <cells_t>words[0]


cdef inline void store_mosaic(uint64_t *words, cells_t cells) noexcept nogil:
    words[0] = <uint64_t>cells
    words[1] = <uint64_t>(cells >> 64)


cdef inline int count_mosaic(cells_t cells) noexcept nogil:
    return count_bits(<uint64_t>cells) + count_bits(<uint64_t>(cells >> 64))


cdef inline cells_t beside(cells_t cells) noexcept nogil:
    """Orthogonal neighbours; guard cells are for the caller to mask away."""
    return (cells << 1) | (cells >> 1) | (cells << MOSAIC_STRIDE) | (cells >> MOSAIC_STRIDE)


cdef inline cells_t connected(cells_t seed, cells_t within) noexcept nogil:
    """The part of `within` that is connected orthogonally to `seed`, a part of it."""
    cdef cells_t grown = seed
    cdef cells_t last = 0
    while grown != last:
        last = grown
        grown = (grown | beside(grown)) & within
    return grown


cdef inline int stock(const Player *p, int resource) noexcept nogil:
    return <int>((p.resources >> (8 * resource)) & 255)


cdef inline void gain(Player *p, int resource, int count) noexcept nogil:
    p.resources += <uint64_t>count << (8 * resource)


cdef inline void spend(Player *p, int resource, int count) noexcept nogil:
    p.resources -= <uint64_t>count << (8 * resource)


cdef inline int worker_count(const Player *p) noexcept nogil:
    cdef uint64_t workers = p.resources >> 8
    return <int>((workers & 255) + ((workers >> 8) & 255) + ((workers >> 16) & 255)
                 + ((workers >> 24) & 255))


cdef inline int is_active(const Player *p, int row) noexcept nogil:
    return (p.active >> row) & 1


cdef inline int active_citizens(const Player *p) noexcept nogil:
    cdef int row, total = 0
    for row in range(ROWS):
        total += p.citizens[row] * is_active(p, row)
    return total
