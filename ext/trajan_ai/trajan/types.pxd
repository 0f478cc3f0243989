"""The state of Trajan: one flat block of bytes, and the numbers that name things in it.

Numbers follow the lists of components.yaml. A byte that names a tile or card is its number plus
one, and 0 is none, so that what has left is zero. Stacks are stored upside down: the top is the
last entry, and what was drawn is zeroed, so equal positions are equal bytes.
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    COLOURS = 6
    TRAYS = 6
    GOODS_KINDS = 12
    SYMBOLS = 3
    TILE_KINDS = 17
    EXTRA_KINDS = 6
    STACKS = 6
    STACK_TILES = 9
    PROVINCES = 10
    SITES = 20
    BONUS_KINDS = 12
    DECK_CARDS = 60
    SUPPLY_TILES = 70
    EXTRA_TILES = 12
    DEMAND_TILES = 15
    GOLD_GOODS = 6           # the first bonus tiles are for goods, two goods each
    CENTRE = 6               # the arch stands in the centre
    LAST_SPACE = 7           # of the senate: 0 is the start, i scores and counts i + 1
    QUARTERS = 4
    ROUNDS = 4

# Forum tiles.
cdef enum:
    VOTES2 = 0
    DEMAND_TILE = 4          # bread, games, religion
    WILD_ACTION = 7
    WILD_GOODS
    WILD_DEMAND
    WILD_BUILDING
    EXTRA_TILE               # and one for each action

# Actions, in the order of the trays.
cdef enum:
    SEAPORT
    FORUM
    MILITARY
    SENATE
    TRAJAN
    CONSTRUCTION

# Bonus tiles that are not for goods.
cdef enum:
    BONUS_SYMBOL = 6
    BONUS_WORKERS = 9
    BONUS_LEGIONS
    BONUS_GOLD

# Effects of Trajan tiles.
cdef enum:
    EFFECT_CARDS
    EFFECT_POINTS
    EFFECT_WORKERS
    EFFECT_LEGIONS
    EFFECT_PLUS2
    EFFECT_DEMAND

# Bits of State.options.
cdef enum:
    OPTIONAL_EFFECTS = 1
    WILD_DEMAND_SCORES = 2
    SCORE_SLOT_TILES = 4

# Kinds of decision. The first six are the actions.
cdef enum:
    ON_SOW = 6
    ON_DROP
    ON_PLUS2
    ON_EFFECT
    ON_DISCARD
    ON_PLAY
    ON_PAIR
    ON_CARD
    ON_EXTRA
    ON_BONUS
    ON_MARKER
    ON_GOODS
    ON_START
    OVER
    KINDS = OVER

# Ships.
cdef enum:
    EQUAL
    PAIRS
    DIFFERENT
    SHIPS

# What a running instance of an action belongs to.
cdef enum:
    NOT_REPEATING
    REPEATING_MAIN
    REPEATING_FREE

# Move numbers; the order of ACTIONS in notation.py.
cdef enum:
    MARKER_MOVE = 0
    GOODS_MOVE = MARKER_MOVE + COLOURS
    START_MOVE = GOODS_MOVE + 3
    SOW_MOVE = START_MOVE + STACKS
    DROP_MOVE = SOW_MOVE + TRAYS
    PLUS2_MOVE = DROP_MOVE + COLOURS
    DRAW_MOVE = PLUS2_MOVE + TRAYS
    TAKE_LEFT_MOVE = DRAW_MOVE + 1
    TAKE_RIGHT_MOVE = TAKE_LEFT_MOVE + 1
    SHIP_PAIRS_MOVE = TAKE_RIGHT_MOVE + 1
    SHIP_DIFFERENT_MOVE = SHIP_PAIRS_MOVE + 1
    PASS_MOVE = SHIP_DIFFERENT_MOVE + 1
    PLAY_MOVE = PASS_MOVE + 1
    EQUAL_MOVE = PLAY_MOVE + GOODS_KINDS
    EQUAL_WILD_MOVE = EQUAL_MOVE + 10 * GOODS_KINDS
    DISCARD_MOVE = EQUAL_WILD_MOVE + 3
    PAIR_MOVE = DISCARD_MOVE + 2 * GOODS_KINDS
    PAIR_WILD_MOVE = PAIR_MOVE + GOODS_KINDS
    PAIR_WILDS_MOVE = PAIR_WILD_MOVE + GOODS_KINDS
    CARD_MOVE = PAIR_WILDS_MOVE + 1
    CARD_WILD_MOVE = CARD_MOVE + GOODS_KINDS
    DONE_MOVE = CARD_WILD_MOVE + 1
    FORUM_MOVE = DONE_MOVE + 1
    RECRUIT_MOVE = FORUM_MOVE + TILE_KINDS
    DEPLOY_MOVE = RECRUIT_MOVE + 1
    MARCH_MOVE = DEPLOY_MOVE + 1
    SENATE_MOVE = MARCH_MOVE + PROVINCES
    TILE_MOVE = SENATE_MOVE + 1
    HIRE_MOVE = TILE_MOVE + STACKS
    BUILD_MOVE = HIRE_MOVE + 1
    EXTRA_MOVE = BUILD_MOVE + SITES
    EXTRA_WILD_MOVE = EXTRA_MOVE + 1
    NO_EXTRA_MOVE = EXTRA_WILD_MOVE + 1
    BONUS_MOVE = NO_EXTRA_MOVE + 1
    EFFECT_MOVE = BONUS_MOVE + BONUS_KINDS
    NO_EFFECT_MOVE = EFFECT_MOVE + 1
    MOVES = NO_EFFECT_MOVE + 1

cdef enum:
    MOST_LEGAL = 160         # room: at the seaport 6 + 12 moves and 123 shipments of equal cards


cdef struct Player:
    uint64_t hand            # goods: 4 bits a good
    uint64_t known           # of them, how many the others know
    uint64_t display
    uint32_t workers_on      # sites
    uint32_t buildings       # owned: bit 4 * kind + index of VP
    uint16_t trays[6]        # colours: low byte at least one marker, high byte two
    uint16_t legions_on      # provinces
    uint16_t gold            # bonus tiles
    uint16_t silver
    int16_t score
    uint8_t tiles[17]        # forum tiles owned, by kind
    uint8_t slots[6]         # Trajan tiles
    uint8_t demands[3]       # completed Trajan demand tiles, by symbol
    uint8_t filled           # trays that are not empty
    uint8_t arch             # slot, or CENTRE
    uint8_t plus2            # action fields with a +2 marker
    uint8_t supply           # figures
    uint8_t legionnaires     # in the military camp
    uint8_t workers          # in the worker camp
    uint8_t leader           # province + 1, 0 in the camp
    uint8_t space            # of the senate disc
    uint8_t hand_size
    uint8_t padding


cdef struct State:
    uint64_t legal           # legal moves of this decision, bits by its kind
    uint64_t deck_counts     # goods in the deck, 4 bits a good
    uint32_t forum_kinds     # tile kinds in the forum
    uint32_t sites_left      # sites with a building
    Player seats[4]
    uint16_t stack_hidden[6] # tiles below the top of each stack, as bits
    uint16_t bonus_hidden    # bonus tiles in the bag
    uint16_t offer           # bonus tiles on offer
    uint16_t turn
    uint16_t sow_hand        # markers in hand, as in a tray
    uint16_t lap_length
    uint16_t time            # space of the time marker, from 0
    uint8_t deck[60]
    uint8_t piles[60]        # the left pile grows up from 0, the right one down from 59
    uint8_t supply[70]
    uint8_t extra_supply[12]
    uint8_t demand_stack[15]
    uint8_t bonus_bag[12]
    uint8_t stacks[54]       # 9 a stack
    uint8_t supply_counts[17]
    uint8_t extra_counts[6]
    uint8_t demand_counts[3]
    uint8_t forum[17]        # tiles in the forum, by kind
    uint8_t provinces[10]    # forum tile on each
    uint8_t sites[20]        # building on each
    uint8_t row[3]           # demand tiles revealed this quarter, by symbol
    uint8_t order[4]         # players by senate disc: the lowest first
    uint8_t stack_size[6]
    uint8_t stacks_left      # stacks that are not empty
    uint8_t deck_size
    uint8_t pile_size[2]
    uint8_t supply_size
    uint8_t extra_size
    uint8_t demand_size
    uint8_t bonus_size
    uint8_t options
    uint8_t players
    uint8_t quarter          # from 0
    uint8_t round            # from 0
    uint8_t rounds_due       # ends still to be carried out after this turn
    uint8_t kind             # of decision
    uint8_t decider
    uint8_t active           # whose turn it is
    uint8_t step             # of setup runs and shipments: choices made
    uint8_t last             # good, colour or stacks of the choice before, see rules.pxi
    uint8_t next_tray        # to receive a marker
    uint8_t target           # of this sowing: the action
    uint8_t effect           # Trajan tile whose effect is to be decided
    uint8_t free_action      # action + 1 that a building gives, 0 none
    uint8_t in_free          # the running instance is the free action
    uint8_t repeating
    uint8_t repeats          # left after the running one
    uint8_t extra_spent      # this turn
    uint8_t ships            # on their coloured side
    uint8_t padding[2]
