"""The state of Forum Trajanum: one flat block of bytes, and the numbers of the names in it.

Cells of a Colonia are bits of a 64-bit mask, row * 8 + column: two guard columns stop shifts from
wrapping. Mosaic cells are bits of two such masks, row * 10 + column, with one guard column. Fields
are ordered by size, so that the struct has no padding.

Python reads the enumerations from the compiled module. Names in records, views and weights follow
from those of the enumerators. The enumerations are anonymous, because Cython accepts only anonymous
ones as an index.
"""

cdef extern from *:
    # A byte. It is declared as a wider type, because Cython converts arrays of char to text, not to
    # lists.
    ctypedef unsigned short byte_t "uint8_t"

cpdef enum:
    ROUNDS = 12
    PHASES = 3
    PHASE_ROUNDS = 4
    CELLS = 48              # bits of a Colonia mask
    CORNERS = 4             # A1, F1, A6, F6
    MOSAIC_STRIDE = 10
    MOSAIC_ROWS = 12
    MOSAIC_COLUMNS = 9
    MOSAIC_WORDS = 2        # 64-bit words of a set of mosaic cells
    MOSAIC_SLOTS = 5        # slots for boards
    ROWS = 6                # citizen rows, and street rows
    COLOURS = 4             # in the order of the resources from RESOURCE_BLUE on
    TRACKS = 3              # in the order of the buildings from BUILDING_LIBRARY on
    TRACK_END = 4
    CLASSES = 3             # of citizens
    SPARES = 2              # corners without a female citizen
    CARDS = 2               # street cards of a round
    SIDES = 2               # of the slider
    MAX_STEPS = 12          # of the slider
    LABELS = 11             # group sizes 0 .. 10
    PRESTIGE_COLUMNS = 32
    CITIZENS = 6            # kinds of citizen tiles: 1 + 2 * class + (1 if female)
    TILE_KINDS = 35         # 0 none, the citizens, then at most 28 resource tiles
    COLOUR_TILES = 34       # tiles of a player's colour
    SYMBOLS = 12            # of street cards
    STREET_CARDS = 24
    LOST = 24               # room for the tiles of a colour that are gone; see Player.lost
    RESERVE = 12
    STACK = 42              # maximum number of tasks that wait at a time
    SET_NAME = 46           # characters of a component set's name
    UNLIMITED = 255
    UNKNOWN = 255           # an unknown tile in what an observer sees; see look() in hidden.pxi

# Resources, in the order of payments. All but the upgrade are bytes of Player.resources.
cpdef enum:  # Resource
    RESOURCE_BUILDER
    RESOURCE_BLUE
    RESOURCE_GREEN
    RESOURCE_RED
    RESOURCE_YELLOW
    RESOURCE_ASSISTANT
    RESOURCE_COIN
    RESOURCE_TRIBUNE
    RESOURCE_UPGRADE

cpdef enum:  # Building
    BUILDING_COLUMN
    BUILDING_LIBRARY
    BUILDING_BASILICA
    BUILDING_MARKET
    BUILDING_FOUNTAIN       # structures, in the order of their colours
    BUILDING_PARK
    BUILDING_HOUSE
    BUILDING_STABLE

cpdef enum:
    STRUCTURE = BUILDING_FOUNTAIN       # + colour
    BUILDINGS = BUILDING_STABLE + 1

cpdef enum:  # CitizenRow
    ROW_PATRICIAN_1
    ROW_PATRICIAN_2
    ROW_MERCHANT_1
    ROW_MERCHANT_2
    ROW_CRAFTSMAN_1
    ROW_CRAFTSMAN_2

# Parts of the game.
cpdef enum:  # Stage
    STAGE_SETUP
    STAGE_NOVICES
    STAGE_TAKE
    STAGE_RESERVE
    STAGE_TURN
    STAGE_WAGES
    STAGE_OVER

# Decisions; comments state the meaning of State.argument. See the table in decisions.pxi.
cpdef enum:  # Decision
    DECIDE_OVER
    DECIDE_CRANE            # corner
    DECIDE_SEAT             # class
    DECIDE_CORNER
    DECIDE_TAKE
    DECIDE_KEEP
    DECIDE_RESERVE
    DECIDE_USE
    DECIDE_GAIN             # Gain
    DECIDE_BONUS            # 0, or 1 + the bonus already taken, or TWO_BONUSES
    DECIDE_ENVOY            # colour, ENVOY_ANY or ENVOY_EAGLE
    DECIDE_UPGRADE
    DECIDE_BUILD
    DECIDE_PAY
    DECIDE_REWARD           # track
    DECIDE_TILE
    DECIDE_WAGE             # row
    DECIDE_NOVICE

cpdef enum:
    DECISIONS = DECIDE_NOVICE + 1

# Tasks, which wait on the stack like decisions, but involve no choice; comments state the meaning
# of their arguments.
cpdef enum:  # Task
    TASK_USE = DECISIONS                # tile
    TASK_PUT_AWAY           # Source + 4 * tile: a used tile
    TASK_PUT_BACK           # Source: an unused tile
    TASK_BENEFIT_OF         # building
    TASK_LEVEL              # track * 4 + step - 1
    TASK_COMPLETE_TRACK
    TASK_COMPLETE_AREA

cpdef enum:
    TASKS = TASK_COMPLETE_AREA + 1

cpdef enum:  # Gain
    GAIN_COIN_OR_TRIBUNE
    GAIN_COIN_OR_ASSISTANT
    GAIN_WORKER

cpdef enum:  # EnvoyCells
    ENVOY_ANY = COLOURS     # 0..3: cells of that colour
    ENVOY_EAGLE

cpdef enum:  # Source
    SOURCE_OWN
    SOURCE_RECEIVED
    SOURCE_GRID

cpdef enum:  # Bonus
    BONUS_TRIBUNE
    BONUS_ASSISTANT
    BONUS_COIN
    BONUS_UPGRADE
    BONUS_VP

cpdef enum:
    BONUSES = BONUS_VP + 1
    TWO_BONUSES = BONUSES + 1           # argument of DECIDE_BONUS: a different bonus follows

# Bits of State.options. A set bit means that the option is true, or that it has the value with
# which the name of the bit ends.
cpdef enum:  # Option
    OPTION_RECOLOUR_IN_SWAP = 1
    OPTION_EAGLE_ONCE = 2
    OPTION_LIMITED_TILES = 4
    OPTION_INTRODUCTORY = 8
    OPTION_TASK_MATCH_TILES = 16
    OPTION_WORKER_SWAP_PAYMENT = 32
    OPTION_REACTIVATION_CLASS = 64
    OPTION_PHASE_HANDOVER_TWICE = 128
    OPTION_STEP_ONE_OPEN = 256

cdef enum:
    # not an option of a game: set in the copy of a state whose events are reported
    OPTION_REPORTED = 1 << 30

# Sources of VP.
cpdef enum:  # VP
    VP_COLUMNS
    VP_AREA_BONUSES
    VP_CRANES
    VP_COLONIA
    VP_EAGLES
    VP_AREA                 # the largest group of envoys
    VP_TRAJAN_CARDS

cdef enum:
    VP_SOURCES = VP_TRAJAN_CARDS + 1

# Kinds of events. For each kind, notation.py lists what its events may name, such as tiles.
cpdef enum:  # Event
    # The setup.
    EVENT_PLACE_CRANE       # of a colour, on corner number `count`, from 1
    EVENT_PLACE_FEMALES     # the first of them on a corner, the other opposite
    # Tiles of step 1. If the step is hidden, other players see its events after all have passed.
    EVENT_TAKE_TILE         # from a cell
    EVENT_OPEN_CRANE        # on a corner
    EVENT_SKIP_CARD         # a street card of the round, whose street is empty
    EVENT_KEEP              # a tile, seen by its owner alone
    EVENT_PASS_ON           # a tile, seen by its owner and later by the receiver
    EVENT_PICK              # a tile of the reserve, by a player who received none
    # Tiles of step 2.
    EVENT_SHOW_OWN          # the tile that the player kept
    EVENT_SHOW_RECEIVED     # the tile that the player received or picked
    EVENT_USE               # a tile
    EVENT_RESERVE           # a tile, laid into the reserve
    EVENT_BOARD             # an envoy goes aboard the ship
    # Goods.
    EVENT_GAIN              # `count` of a resource
    EVENT_SPEND             # `count` of a resource
    EVENT_SEAT              # a citizen in a row
    EVENT_PAY_WAGE          # for a row
    EVENT_MISS_WAGE         # for a row, whose citizens are inactive now
    EVENT_UPGRADE           # the slider, to the step `count`
    # Buildings and what they bring.
    EVENT_BUILD             # a building on a cell
    EVENT_ADVANCE           # on a track, to the step `count`
    EVENT_REWARD            # of a step of a track
    EVENT_SCORE_COLUMN      # built, or at the end of a track
    EVENT_SEND_ENVOY        # to a cell of the mosaic
    EVENT_COMPLETE_AREA
    EVENT_BONUS             # of an area
    # Rounds and phases.
    EVENT_BEGIN_ROUND       # the `count`-th, with two new street cards
    EVENT_END_PHASE         # the `count`-th
    EVENT_SCORE_CRANES
    EVENT_SCORE_COLONIA
    EVENT_SCORE_EAGLES
    EVENT_SCORE_AREA        # the largest group of envoys: `count`
    EVENT_FULFIL_CARD       # tasks of the phase's Trajan card, `count` times
    EVENT_MISS_CARD         # both tasks of the phase's Trajan card

# Building tasks of Trajan cards. G is a grey building, and K a coloured one.
cpdef enum:  # Pattern
    PATTERN_GKG_ACROSS
    PATTERN_TEMPLE_ABOVE_BELOW
    PATTERN_TWO_GREYS_DOWN
    PATTERN_CRANE_SIDES
    PATTERN_SQUARE
    PATTERN_KGK_DOWN
    PATTERN_FOUR_COLOURS
    PATTERN_GKG_DOWN
    PATTERN_KGGK_DOWN
    PATTERN_THREE_COLOURS_DOWN
    PATTERN_TEMPLE_DIAGONALS
    PATTERN_THREE_GREYS_DOWN
    PATTERN_NONE

# What collecting tasks demand: indices into State.collect, named as in component sets.
cpdef enum:  # Demand
    DEMAND_BUILDER
    DEMAND_WORKER
    DEMAND_ASSISTANT
    DEMAND_COIN
    DEMAND_TRIBUNE
    DEMAND_SHIP_ENVOY
    DEMAND_COLUMNS_IN_COLONIA
    DEMAND_USED_CRANES
    DEMAND_FORUM_MARKER_AT_COLUMN
    DEMAND_ACTIVE_CITIZENS_DISTINCT_CLASSES
    DEMAND_ACTIVE_CITIZEN_EACH_CLASS
    DEMAND_WORKERS_DISTINCT_COLOURS

cpdef enum:
    DEMANDS = DEMAND_WORKERS_DISTINCT_COLOURS + 1

# Move numbers: the first number of each kind of action string. Within a kind, a colour or building
# adds its number in the lists above, and a cell adds row * 6 + column. A horizontal pair of cells
# adds row * 5 + column of its left cell, a vertical pair 30 + row * 6 + column of its upper cell.
cpdef enum:
    BOARD = 36              # cells of a Colonia in move numbers
    MOSAIC = 108            # cells of the mosaic
    PAIRS = 60              # of neighbouring cells
    ACROSS = 30             # pairs side by side, which come first
    TILE_NAMES = 720        # 6 citizens and the 714 resource tiles of one to four icons
    GAINS = 7
    SWAPS = 6
    PAYMENTS = 77
    LEVELS = TRACKS * TRACK_END

cpdef enum:  # Move
    MOVE_CRANE = 0                                          # colour
    MOVE_SEAT = MOVE_CRANE + COLOURS                        # row
    MOVE_CORNER = MOVE_SEAT + ROWS                          # corner
    MOVE_TAKE = MOVE_CORNER + CORNERS                       # card * 36 + cell
    MOVE_TAKE_TRIBUNE = MOVE_TAKE + 2 * BOARD               # card * 36 + cell
    MOVE_SKIP = MOVE_TAKE_TRIBUNE + 2 * BOARD               # card
    MOVE_KEEP = MOVE_SKIP + 2                               # card
    MOVE_RESERVE = MOVE_KEEP + 2                            # tile name
    MOVE_NO_RESERVE = MOVE_RESERVE + TILE_NAMES
    # own, received, both with the own tile first, both with the received tile first
    MOVE_USE = MOVE_NO_RESERVE + 1
    MOVE_GAIN = MOVE_USE + 4                                # coin, tribune, assistant, colours
    MOVE_BONUS = MOVE_GAIN + GAINS                          # Bonus
    MOVE_ENVOY = MOVE_BONUS + BONUSES                       # row * 9 + column
    MOVE_NO_ENVOY = MOVE_ENVOY + MOSAIC
    MOVE_UPGRADE = MOVE_NO_ENVOY + 1                        # step, cypress
    MOVE_SWAP = MOVE_UPGRADE + 2                            # from * 2 + other
    MOVE_TRAIN = MOVE_SWAP + SWAPS                          # colour
    MOVE_PROMOTE = MOVE_TRAIN + COLOURS
    MOVE_EXCHANGE = MOVE_PROMOTE + 1                        # colour
    MOVE_NO_BUILD = MOVE_EXCHANGE + COLOURS
    MOVE_BUILD = MOVE_NO_BUILD + 1                          # building * 36 + cell
    # ((grey * 4 + colour) * 2 + side) * 60 + pair; side: 1 if the grey building is right or below
    MOVE_BUILD_GREY = MOVE_BUILD + BUILDINGS * BOARD
    MOVE_BUILD_TWO = MOVE_BUILD_GREY + 32 * PAIRS           # colour * 60 + pair
    MOVE_PAY = MOVE_BUILD_TWO + COLOURS * PAIRS             # payment
    MOVE_REWARD = MOVE_PAY + PAYMENTS                       # track * 4 + step - 1
    MOVE_TILE = MOVE_REWARD + LEVELS                        # cell
    MOVE_WAGE = MOVE_TILE + BOARD                           # row
    MOVE_NO_WAGE = MOVE_WAGE + ROWS                         # row

cpdef enum:
    MOVES = MOVE_NO_WAGE + ROWS
    MAX_MOVES = 768        # of one decision


cdef struct Player:
    uint64_t resources              # eight counters of a byte each, see Resource
    uint64_t tiles                  # cells that hold a Colonia tile
    uint64_t built[BUILDINGS]       # cells by Building
    uint64_t across                 # left cells of double tiles that lie across
    uint64_t down                   # upper cells of double tiles that lie down
    uint64_t envoys[MOSAIC_WORDS]   # mosaic cells
    int16_t score
    byte_t tile[CELLS]              # the tile on each cell; on corners face up
    byte_t street[SYMBOLS]          # symbol -> street: 0..5 rows, 6..11 columns
    byte_t reserve[RESERVE]         # ascending; the first reserve_count are used
    byte_t reserve_count
    byte_t citizens[ROWS]           # tiles in each row
    byte_t active                   # rows whose citizens are active, as bits
    byte_t marker[TRACKS]           # step of library, basilica, market
    byte_t slider
    byte_t flipped
    byte_t ship                     # envoys on the ship
    byte_t ship_tile                # the setup tile: its owner alone has seen it
    byte_t crane[CORNERS]           # 1 + colour by corner, 0 before the choice
    byte_t crane_open               # corners as bits
    byte_t crane_used
    byte_t start_class              # class of the start citizen
    byte_t start_worker             # colour
    byte_t spare[SPARES]            # tiles for the corners without a female citizen
    byte_t kept                     # tiles of step 1, until the end of the round
    byte_t given
    byte_t shown[CARDS]             # the tiles among kept and given that lay face up, ascending
    byte_t took[CARDS]              # while step 1 is hidden: 1 + the cells of kept and given
    byte_t paid                     # tribunes paid in the hidden step 1
    byte_t picked                   # tile of the reserve that serves as the received tile
    byte_t lost[LOST]               # tiles that are gone; nobody remembers which they are
    byte_t lost_count
    # by class: number of citizens in this player's rows whose owners are not known
    byte_t unclear[CLASSES]
    # the player's citizens that have come up and may be among those of unknown owner, as bits in
    # the order of tiles
    byte_t may_lie


cdef struct State:
    Player player[MAX_PLAYERS]
    uint64_t plain                  # cells that can hold a building
    uint64_t temples
    uint64_t colour[COLOURS * MOSAIC_WORDS]  # mosaic cells of each colour, two words each
    uint64_t eagles[MOSAIC_WORDS]
    uint64_t touched[MOSAIC_WORDS]  # cells of areas that hold an envoy
    uint16_t tile_name[TILE_KINDS]  # index in the list of all tile names
    uint16_t plan                   # the build move that is being paid
    uint16_t turn
    byte_t forgotten_cards          # how many of the first street cards nobody remembers
    byte_t unused                   # without it, the fields below are compiled to slower code
    byte_t street_cards[STREET_CARDS]  # symbols, two a round
    byte_t prestige[PRESTIGE_COLUMNS]  # VP by column
    byte_t label[SIDES * LABELS]    # column of a group size, by side of the slider
    byte_t bust[SIDES * (MAX_STEPS + 1)]  # Trajan value by step, by side
    byte_t cypress[MAX_STEPS + 1]   # next cypress step after a step, or the step itself if none
    byte_t pattern[PHASES]          # building task by phase
    byte_t collect[PHASES * DEMANDS]  # demands by phase
    byte_t column_vp[PHASES]
    byte_t crane_vp[PHASES]
    byte_t grey_of[COLOURS]         # the grey building on the tiles of a colour
    byte_t colour_of[COLOURS]       # the colour of a grey building's tiles
    byte_t singles[COLOURS]         # tiles left by colour, UNLIMITED without the option
    byte_t doubles[COLOURS]
    byte_t card_id[PHASES]
    byte_t steps                    # the slider's last step
    byte_t bonus_vp                 # VP that an area bonus offers
    byte_t players
    byte_t novices                  # players as bits
    byte_t stage
    byte_t round
    byte_t decider                  # the player whose run of decisions it is
    byte_t begun                    # runs of this stage that have begun
    byte_t decision
    byte_t argument
    byte_t open_cards               # step 1: cards not yet resolved, as bits
    byte_t taken[CARDS]             # tile taken for each card
    byte_t taken_cell[CARDS]        # 1 + the cell of each taken tile
    byte_t hand                     # step 2a: bits of Source still in hand
    byte_t swapped                  # conversions made this turn
    byte_t trained
    byte_t promoted
    byte_t depth
    byte_t stack[2 * STACK]         # pairs of a Decision or Task and its argument
    byte_t set_name[SET_NAME]       # name of the component set, for views; ASCII
    byte_t mosaic_board[MOSAIC_SLOTS]  # board * 4 + side * 2 + turned, by slot
    byte_t board[MAX_PLAYERS]       # 0 side A, 1..4 side B, by player
    byte_t padding[4]               # pads the struct, with `options`, to a multiple of eight bytes
    uint32_t options                # OPTION_..


include "../kit/state.pxi"
