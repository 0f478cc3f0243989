"""The state of Trajan: one flat block of bytes, and the numbers of the names in it.

Numbers follow the lists of components.yaml. A byte that names a tile or card is its number plus
one, and 0 means none, so that places without a tile or card are zero. Stacks are stored upside
down: the top is the last entry, and drawn entries are zeroed, so identical positions have identical
bytes. Python reads the enumerations from the compiled module. The enumerations are anonymous,
because Cython accepts only anonymous ones as sizes of arrays.
"""

cdef extern from *:
    # A byte. It is declared as a wider type, because Cython converts arrays of char to text, not to
    # lists.
    ctypedef unsigned short byte_t "uint8_t"

cpdef enum:
    COLOURS = 6
    TRAYS = 6
    GOODS = 12
    SYMBOLS = 3
    TILES = 17               # kinds of forum tiles
    EXTRAS = 6               # kinds of extra-action tiles among them
    VOTES = 4                # kinds of vote tiles among them, worth 2 to 5
    STACKS = 6
    STACK_TILES = 9
    PILES = 2                # discard piles of goods cards
    SHIPS = 3
    EQUAL_FORMS = 10         # forms of shipments of equal cards, see Tables.equal_cards
    PROVINCES = 10
    SITES = 20
    BUILDINGS = 5            # kinds
    BONUSES = 12
    DECK_CARDS = 60
    SUPPLY_TILES = 70
    EXTRA_TILES = 12
    DEMAND_TILES = 15
    PAYMENTS = 34            # payments of demands: one to three tiles of SYMBOLS + 1 kinds
    GOODS_BONUSES = 6        # the first bonus tiles are for goods, two goods each
    CENTRE = 6               # the arch stands in the centre
    # last space of the senate track; 0 is the start, and space i is worth i + 1 VP and votes
    LAST_SPACE = 7
    QUARTERS = 4
    ROUNDS = 4
    SECOND_MARKER = 8        # bits from a colour's first marker in a tray to its second
    ALL_TRAYS = 0x3F         # all six trays as bits; there are also six colours, stacks and actions
    ALL_GOODS = 0xFFF
    ALL_SITES = 0xFFFFF
    ALL_SHIPS = 0x7
    MAX_MOVES = 160         # room for the seaport: 6 + 12 moves, and 123 shipments of equal cards

# Actions, in the order of the trays.
cpdef enum:
    ACTION_SEAPORT
    ACTION_FORUM
    ACTION_MILITARY
    ACTION_SENATE
    ACTION_TRAJAN
    ACTION_CONSTRUCTION

# The decision about an action has the same number as the action.
cpdef enum:
    DECIDE_SEAPORT
    DECIDE_FORUM
    DECIDE_MILITARY
    DECIDE_SENATE
    DECIDE_TRAJAN
    DECIDE_CONSTRUCTION
    DECIDE_SOW
    DECIDE_DROP
    DECIDE_PLUS2
    DECIDE_EFFECT
    DECIDE_DISCARD
    DECIDE_PLAY
    DECIDE_PAIR
    DECIDE_CARD
    DECIDE_EXTRA
    DECIDE_BONUS
    DECIDE_MARKER
    DECIDE_GOODS
    DECIDE_START
    DECIDE_PAYMENT
    DECIDE_OVER

# Forum tiles; of votes, demands and extra actions, only the first tile is named.
cpdef enum:
    TILE_VOTES
    TILE_DEMAND = TILE_VOTES + VOTES         # + symbol
    TILE_WILD_ACTION = TILE_DEMAND + SYMBOLS
    TILE_WILD_GOODS
    TILE_WILD_DEMAND
    TILE_WILD_BUILDING
    TILE_EXTRA                               # + action

# Bonus tiles that are not for goods.
cpdef enum:
    BONUS_BREAD = 6
    BONUS_GAMES
    BONUS_RELIGION
    BONUS_WORKERS
    BONUS_LEGIONS
    BONUS_GOLD

# Effects of Trajan tiles.
cpdef enum:
    EFFECT_CARDS
    EFFECT_POINTS
    EFFECT_WORKERS
    EFFECT_LEGIONS
    EFFECT_PLUS2
    EFFECT_DEMAND

# Ships.
cpdef enum:
    SHIP_EQUAL
    SHIP_PAIRS
    SHIP_DIFFERENT

# What an extra-action tile repeats.
cpdef enum:
    REPEATING_NO
    REPEATING_ACTION
    REPEATING_FREE_ACTION

# Bits of State.options. A set bit means that the option is true, or that it has the value with
# which the name of the bit ends.
cpdef enum:
    OPTION_TILE_EFFECTS_OPTIONAL = 1
    OPTION_WILD_DEMAND_SCORES = 2
    OPTION_SCORE_SLOT_TILES = 4
    OPTION_DEMAND_PAYMENT_CHOSEN = 8
    OPTION_FINAL_TIE_TRACK = 16
    OPTION_PROVINCE_VOTES_LEAVE = 32

# Sources of VP.
cpdef enum:
    VP_SHIPS
    VP_MILITARY              # legionnaires in provinces
    VP_SENATE
    VP_CONSTRUCTION          # buildings
    VP_BUILDING_SETS
    VP_TRAJAN_TILES
    VP_DEMANDS               # VP lost by demands that are not met
    VP_BONUS_TILES
    VP_LEFTOVERS             # cards, figures in camps and, with the option, tiles on slots

# Kinds of events. For each kind, notation.py lists what its events may name, such as tiles.
cpdef enum:
    # Moves.
    EVENT_PLACE_MARKER       # of a colour, in the setup, into tray number `count`, from 1
    EVENT_SOW                # `count` markers of a tray; the time marker advances `count` spaces
    EVENT_ACTION             # an action is reached, given by a building, or repeated
    EVENT_PASS               # on an action
    EVENT_USE_TILE           # `count` forum tiles of a kind, which leave the game
    # Trajan tiles.
    EVENT_TAKE_TILE          # from a stack to a slot
    EVENT_FULFIL             # a tile on a slot
    EVENT_PLACE_PLUS2        # on an action
    EVENT_COVER_DEMAND       # for the rest of the game, by a Trajan tile
    # Figures.
    EVENT_GET_WORKERS        # `count` to the camp
    EVENT_GET_LEGIONNAIRES
    # Cards.
    EVENT_DRAW               # a card, seen by its owner alone
    EVENT_TAKE_CARD          # from a discard pile
    EVENT_LAY_OFF            # a card to a discard pile
    EVENT_TURN_UP            # a card of the deck, on an empty discard pile
    EVENT_LAY_OUT            # `count` cards of a good
    EVENT_SHIP               # `count` cards or pairs
    # The other actions.
    EVENT_TAKE_FORUM_TILE    # from the forum
    EVENT_MARCH              # the leader, to a province
    EVENT_TAKE_PROVINCE_TILE # a forum tile, where the leader arrives
    EVENT_DEPLOY             # a legionnaire to a province
    EVENT_PLACE_WORKER       # on a site
    EVENT_BUILD              # a building, the player's `count`-th of its kind
    EVENT_ADVANCE            # in the senate, `count` spaces from the start
    # Ends of rounds and quarters.
    EVENT_REVEAL_DEMAND      # at the end of a round
    EVENT_MEET_DEMANDS       # `count` demands, with Trajan and forum tiles
    EVENT_MISS_DEMANDS       # `count` demands, which cost VP
    EVENT_COUNT_VOTES        # `count` in the senate
    EVENT_WIN_GOLD           # a bonus tile, gold side up
    EVENT_WIN_SILVER         # a bonus tile, silver side up
    EVENT_END_QUARTER        # the `count`-th
    EVENT_OFFER_BONUS
    # Final scoring.
    EVENT_SCORE_CARDS        # `count` in hand
    EVENT_SCORE_WORKERS      # `count` in the camp
    EVENT_SCORE_LEGIONNAIRES
    EVENT_SCORE_TILES        # `count` Trajan tiles on slots
    EVENT_SCORE_SETS         # of buildings
    EVENT_SCORE_SYMBOLS      # bonus tiles for symbols
    EVENT_SCORE_GOODS        # bonus tiles for goods
    EVENT_SCORE_FIGURES      # bonus tiles for figures and gold sides

# The first number of each kind of move.
cpdef enum:
    MOVE_MARKER = 0
    MOVE_GOODS = MOVE_MARKER + COLOURS
    MOVE_START = MOVE_GOODS + 3
    MOVE_SOW = MOVE_START + STACKS
    MOVE_DROP = MOVE_SOW + TRAYS
    MOVE_PLUS2 = MOVE_DROP + COLOURS
    MOVE_DRAW = MOVE_PLUS2 + TRAYS
    MOVE_TAKE = MOVE_DRAW + 1                       # left, right
    MOVE_SHIP_PAIRS = MOVE_TAKE + 2
    MOVE_SHIP_DIFFERENT = MOVE_SHIP_PAIRS + 1
    MOVE_PASS = MOVE_SHIP_DIFFERENT + 1
    MOVE_PLAY = MOVE_PASS + 1
    MOVE_EQUAL = MOVE_PLAY + GOODS                  # form * 12 + good, see Tables.equal_cards
    MOVE_EQUAL_WILD = MOVE_EQUAL + EQUAL_FORMS * GOODS  # only wild goods tiles: their number - 1
    MOVE_DISCARD = MOVE_EQUAL_WILD + 3              # side * 12 + good
    MOVE_PAIR = MOVE_DISCARD + 2 * GOODS
    MOVE_PAIR_WILD = MOVE_PAIR + GOODS              # a card of the good and a wild
    MOVE_PAIR_WILDS = MOVE_PAIR_WILD + GOODS
    MOVE_CARD = MOVE_PAIR_WILDS + 1
    MOVE_CARD_WILD = MOVE_CARD + GOODS
    MOVE_DONE = MOVE_CARD_WILD + 1
    MOVE_FORUM = MOVE_DONE + 1
    MOVE_RECRUIT = MOVE_FORUM + TILES
    MOVE_DEPLOY = MOVE_RECRUIT + 1
    MOVE_MARCH = MOVE_DEPLOY + 1
    MOVE_SENATE = MOVE_MARCH + PROVINCES
    MOVE_TILE = MOVE_SENATE + 1
    MOVE_HIRE = MOVE_TILE + STACKS
    MOVE_BUILD = MOVE_HIRE + 1
    MOVE_EXTRA = MOVE_BUILD + SITES
    MOVE_EXTRA_WILD = MOVE_EXTRA + 1
    MOVE_NO_EXTRA = MOVE_EXTRA_WILD + 1
    MOVE_BONUS = MOVE_NO_EXTRA + 1
    MOVE_EFFECT = MOVE_BONUS + BONUSES
    MOVE_NO_EFFECT = MOVE_EFFECT + 1
    MOVE_PAY = MOVE_NO_EFFECT + 1                   # payment, see Tables.payment

cdef enum:
    MOVES = MOVE_PAY + PAYMENTS
    VP_SOURCES = VP_LEFTOVERS + 1
    # not an option of a game: set in the copy of a state whose events are reported
    OPTION_REPORTED = 1 << 15
    DECISIONS = DECIDE_OVER


cdef struct Player:
    uint64_t hand            # goods: 4 bits per good
    uint64_t known           # how many cards of the hand other players know, 4 bits per good
    uint64_t display
    uint32_t workers_on      # sites
    uint32_t buildings       # owned: bit 4 * kind + index of VP
    uint16_t trays[TRAYS]    # bits by colour: low byte for at least one marker, high byte for two
    uint16_t legions_on      # provinces
    uint16_t gold            # bonus tiles
    uint16_t silver
    int16_t score
    byte_t tiles[TILES]      # forum tiles owned, by kind
    byte_t slots[TRAYS]      # Trajan tiles
    byte_t demands[SYMBOLS]  # completed Trajan demand tiles, by symbol
    byte_t filled            # trays that are not empty
    byte_t arch              # slot, or CENTRE
    byte_t plus2             # action fields with a +2 marker
    byte_t supply            # figures
    byte_t legionnaires      # in the military camp
    byte_t workers           # in the worker camp
    byte_t leader            # province + 1, 0 in the camp
    byte_t space             # space of the senate disc
    byte_t hand_size
    byte_t padding


cdef struct State:
    uint64_t legal           # legal moves of this decision as bits, see decisions.pxi
    uint64_t deck_counts     # goods in the deck, 4 bits per good
    uint32_t forum_kinds     # tile kinds in the forum
    uint32_t sites_left      # sites with a building
    Player player[MAX_PLAYERS]
    uint16_t stack_hidden[STACKS]  # tiles below the top of each stack, as bits
    uint16_t bonus_hidden    # bonus tiles in the bag
    uint16_t offer           # bonus tiles on offer
    uint16_t turn
    uint16_t sow_hand        # markers in hand, as in a tray
    uint16_t lap_length
    uint16_t time            # space of the time marker, from 0
    byte_t deck[DECK_CARDS]
    byte_t piles[DECK_CARDS]  # the left pile grows up from 0, the right one down from 59
    byte_t supply[SUPPLY_TILES]
    byte_t extra_supply[EXTRA_TILES]
    byte_t demand_stack[DEMAND_TILES]
    byte_t bonus_bag[BONUSES]
    byte_t stacks[STACKS * STACK_TILES]  # one after another
    byte_t supply_counts[TILES]
    byte_t extra_counts[EXTRAS]
    byte_t demand_counts[SYMBOLS]
    byte_t forum[TILES]      # tiles in the forum, by kind
    byte_t provinces[PROVINCES]  # forum tile on each
    byte_t sites[SITES]      # building on each
    byte_t row[SYMBOLS]      # demand tiles revealed this quarter, by symbol
    byte_t order[MAX_PLAYERS]  # players by senate disc: the lowest first
    byte_t stack_size[STACKS]
    byte_t stacks_left       # stacks that are not empty
    byte_t deck_size
    byte_t pile_size[PILES]
    byte_t pile_unknown[PILES]  # number of cards at the bottom that nobody remembers
    byte_t supply_size
    byte_t extra_size
    byte_t demand_size
    byte_t bonus_size
    byte_t ships             # ships that lie on their coloured side, as bits
    byte_t players
    byte_t quarter           # from 0
    byte_t round             # from 0
    byte_t rounds_due        # ends of rounds still to be carried out after this turn
    byte_t decision
    byte_t decider
    byte_t active            # whose turn it is
    byte_t step              # choices already made in a setup run or a shipment
    byte_t last              # good, colour or stacks of the previous choice, by decision
    byte_t next_tray         # the next tray that receives a marker
    byte_t target            # target tray of this sowing, and the number of its action
    byte_t effect            # Trajan tile whose effect is to be decided
    byte_t free_action       # action + 1 that a building gives, 0 none
    byte_t in_free           # whether the running action is the free action
    byte_t repeating         # REPEATING_..
    byte_t repeats           # repeats left after the running action
    byte_t extra_spent       # whether an extra-action tile has been spent this turn
    # With OPTION_FINAL_TIE_TRACK, the senate ranking of quarter 4 stores here what `order` was
    # before this ranking.
    byte_t track[MAX_PLAYERS]
    byte_t unused[5]         # pads the struct, with `options`, to a multiple of eight bytes
    uint16_t options         # OPTION_..


include "../kit/state.pxi"
