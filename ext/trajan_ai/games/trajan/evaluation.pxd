"""A static evaluation: the final VP of each player, linear in what they have and in the time left.

Expected VP still to come = sum over features of (now + left * share of the game left) * feature.
The pairs (now, left) are the sections `evaluation_2` to `evaluation_4` of weights.yaml, one for
each number of players, fitted by regression; see docs/learn.md.
"""

cpdef enum:
    FEATURE_ONE
    FEATURE_TO_MOVE
    FEATURE_CARDS
    FEATURE_PAIRS
    FEATURE_BONUS_CARDS      # in hand, of goods that own bonus tiles count
    FEATURE_WILD_GOODS
    FEATURE_SHIPMENT         # VP of the best shipment in hand
    FEATURE_DISPLAY          # VP of bonus tiles for goods so far
    FEATURE_WORKERS
    FEATURE_WORKERS_ON
    FEATURE_LEGIONNAIRES
    FEATURE_LEGIONS_ON
    FEATURE_SUPPLY
    FEATURE_LEADER_OUT
    FEATURE_DEPLOY           # VP of a legionnaire joining the leader
    FEATURE_SETS             # VP of building sets so far
    FEATURE_KINDS            # kinds of buildings owned
    FEATURE_TWOS             # kinds owned twice
    FEATURE_WILD_BUILDINGS
    FEATURE_DEMAND_TILES
    FEATURE_SYMBOLS          # symbols covered by a tile
    FEATURE_KEPT_DEMANDS
    FEATURE_WILD_DEMANDS
    FEATURE_LOSS             # VP that the demands seen so far would cost
    FEATURE_SPARE            # demand tiles left after paying those
    FEATURE_VOTES
    FEATURE_SPACE
    FEATURE_FIRST            # would be first, second in the senate
    FEATURE_SECOND
    FEATURE_NEXT_SENATE      # VP of the next space
    FEATURE_EXTRAS
    FEATURE_WILD_ACTIONS
    FEATURE_DOUBLE_EXTRAS    # with a +2 marker on their field
    FEATURE_PLUS2
    FEATURE_READY            # Trajan tiles whose tray lacks no, one, two markers
    FEATURE_ONE_SHORT
    FEATURE_TWO_SHORT
    FEATURE_READY_VP         # and their VP
    FEATURE_ONE_SHORT_VP
    FEATURE_TWO_SHORT_VP
    FEATURE_CENTRE
    FEATURE_FILLED           # trays with markers
    FEATURE_GOLD
    FEATURE_SILVER
    FEATURE_SYMBOL_BONUS     # VP of bonus tiles for symbols, if the tiles stay
    FEATURE_FIGURE_BONUS     # VP of bonus tiles for figures and gold tiles so far

cdef enum:
    FEATURES = FEATURE_FIGURE_BONUS + 1
    TERMS = 2 * FEATURES     # now and left of each, at one number of players


cdef void terms(const void *state, float *out) noexcept nogil
cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil
cdef int turns_left(const void *state, int player) noexcept nogil
