"""A static evaluation: the final VP of each player, linear in what they have and in the time left.

Expected remaining VP = sum over features of (now + left * share of the game left) * feature.
The pairs (now, left) are the sections `evaluation_2` to `evaluation_4` of weights.yaml, one for
each number of players, fitted by regression; see docs/learn.md.
"""

cpdef enum:
    FEATURE_ONE
    FEATURE_TO_MOVE
    FEATURE_CARDS
    FEATURE_PAIRS
    FEATURE_BONUS_CARDS      # hand cards of the goods on the player's bonus tiles
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
    FEATURE_SPARE            # demand tiles left after the demands seen so far are paid
    FEATURE_VOTES
    FEATURE_SPACE
    FEATURE_FIRST            # whether the player would be first or second in the senate
    FEATURE_SECOND
    FEATURE_NEXT_SENATE      # VP of the next space
    FEATURE_EXTRAS
    FEATURE_WILD_ACTIONS
    FEATURE_DOUBLE_EXTRAS    # extra-action tiles whose field has a +2 marker
    FEATURE_PLUS2
    FEATURE_READY            # numbers of Trajan tiles whose trays lack 0, 1 and 2 markers
    FEATURE_ONE_SHORT
    FEATURE_TWO_SHORT
    FEATURE_READY_VP         # VP of these Trajan tiles, in the same order
    FEATURE_ONE_SHORT_VP
    FEATURE_TWO_SHORT_VP
    FEATURE_CENTRE
    FEATURE_FILLED           # trays with markers
    FEATURE_GOLD
    FEATURE_SILVER
    FEATURE_SYMBOL_BONUS     # VP of bonus tiles for symbols, after the demands seen so far are paid
    FEATURE_FIGURE_BONUS     # VP of bonus tiles for figures and gold tiles so far

cdef enum:
    FEATURES = FEATURE_FIGURE_BONUS + 1
    # For one number of players: each feature, and its product with the share of the game left.
    TERMS = 2 * FEATURES


# Average number of spaces that the time marker advances in a turn, in play without search.
cdef float SPACES_PER_TURN = 2.4


cdef inline void tile_features(const Player *p, float *x) noexcept nogil:
    cdef int i, tile, lack
    for i in range(TRAYS):
        tile = p.slots[i]
        if tile != 0:
            lack = count_markers(<uint16_t>missing(p, i, tile))
            x[FEATURE_READY + lack] += 1
            x[FEATURE_READY_VP + lack] += tables.tile_vp[tile]


cdef inline void demand_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef int left[SYMBOLS]
    cdef int uncovered = 0
    cdef int k, rest
    for k in range(SYMBOLS):
        left[k] = p.tiles[TILE_DEMAND + k]
        x[FEATURE_DEMAND_TILES] += left[k]
        x[FEATURE_SYMBOLS] += left[k] + p.demands[k] > 0
        x[FEATURE_KEPT_DEMANDS] += p.demands[k]
        rest = demanded(s, p, k)
        uncovered += max(rest - left[k], 0)
        left[k] = max(left[k] - rest, 0)
        x[FEATURE_SPARE] += left[k]
    x[FEATURE_WILD_DEMANDS] = p.tiles[TILE_WILD_DEMAND]
    x[FEATURE_LOSS] = tables.demand_loss[max(uncovered - p.tiles[TILE_WILD_DEMAND], 0)]
    x[FEATURE_SYMBOL_BONUS] = bonus_of_symbols(s, p, left, p.tiles[TILE_WILD_DEMAND])


cdef inline void senate_features(const State *s, int player, float *x) noexcept nogil:
    """Fill in the features of the senate; first and second are as if the quarter ended now."""
    cdef int own = count_votes(&s.player[player])
    cdef int space = s.player[player].space
    cdef int ahead = 0
    cdef bint above = False
    cdef int i, votes
    for i in range(s.players - 1, -1, -1):
        if s.order[i] == player:
            above = True
            continue
        votes = count_votes(&s.player[s.order[i]])
        ahead += votes > own or (votes == own and not above)
    x[FEATURE_FIRST] = ahead == 0
    x[FEATURE_SECOND] = ahead == 1
    x[FEATURE_SPACE] = space
    x[FEATURE_VOTES] = own - (space + (space > 0))
    x[FEATURE_NEXT_SENATE] = tables.senate_vp[space + 1] if space < LAST_SPACE else 0


cdef inline void card_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    cdef uint64_t two = at_least_2(p.hand)
    cdef unsigned int bonus = (p.gold | p.silver) & ((1 << GOODS_BONUSES) - 1)
    cdef int equal = 0
    cdef int k
    x[FEATURE_CARDS] = p.hand_size
    x[FEATURE_PAIRS] = count_bits(two)
    x[FEATURE_WILD_GOODS] = p.tiles[TILE_WILD_GOODS]
    if one != 0:
        equal = (4 if at_least_4(p.hand) else 3 if at_least_3(p.hand) else 2) if two else 1
    k = max(ship_vp(s, SHIP_EQUAL, equal),
                ship_vp(s, SHIP_PAIRS, min(count_bits(two), MAX_PAIRS)))
    x[FEATURE_SHIPMENT] = max(
        k, ship_vp(s, SHIP_DIFFERENT, min(count_bits(one), MAX_DIFFERENT)))
    x[FEATURE_DISPLAY] = bonus_of_goods(p)
    while bonus != 0:
        k = lowest_bit(bonus)
        x[FEATURE_BONUS_CARDS] += good_count(p.hand, 2 * k) + good_count(p.hand, 2 * k + 1)
        bonus &= bonus - 1


cdef inline void board_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef int k
    x[FEATURE_WORKERS] = p.workers
    x[FEATURE_WORKERS_ON] = count_bits(p.workers_on)
    x[FEATURE_LEGIONNAIRES] = p.legionnaires
    x[FEATURE_LEGIONS_ON] = count_bits(p.legions_on)
    x[FEATURE_SUPPLY] = p.supply
    x[FEATURE_LEADER_OUT] = p.leader > 0
    if p.leader > 0 and not (p.legions_on >> (p.leader - 1)) & 1:
        x[FEATURE_DEPLOY] = legionnaire_vp(s, p.leader - 1)
    x[FEATURE_SETS] = set_value(p)
    for k in range(BUILDINGS):
        x[FEATURE_KINDS] += (p.buildings >> (4 * k)) & 15 != 0
        x[FEATURE_TWOS] += count_of_6((p.buildings >> (4 * k)) & 15) == 2
    x[FEATURE_WILD_BUILDINGS] = p.tiles[TILE_WILD_BUILDING]
    x[FEATURE_FIGURE_BONUS] = bonus_of_figures(p)
    x[FEATURE_GOLD] = count_bits(p.gold)
    x[FEATURE_SILVER] = count_bits(p.silver)


cdef void fill_features(const State *s, int player, float *x) noexcept nogil:
    """Fill in x[0:FEATURES] for a player."""
    cdef const Player *p = &s.player[player]
    cdef int k
    memset(x, 0, FEATURES * sizeof(float))
    x[FEATURE_ONE] = 1
    x[FEATURE_TO_MOVE] = s.active == player
    card_features(s, p, x)
    board_features(s, p, x)
    demand_features(s, p, x)
    senate_features(s, player, x)
    tile_features(p, x)
    for k in range(EXTRAS):
        x[FEATURE_EXTRAS] += p.tiles[TILE_EXTRA + k]
        x[FEATURE_DOUBLE_EXTRAS] += p.tiles[TILE_EXTRA + k] * ((p.plus2 >> k) & 1)
    x[FEATURE_WILD_ACTIONS] = p.tiles[TILE_WILD_ACTION]
    x[FEATURE_PLUS2] = count_of_6(p.plus2)
    x[FEATURE_CENTRE] = p.arch == CENTRE
    x[FEATURE_FILLED] = count_of_6(p.filled)


cdef void terms(const void *state, float *out) noexcept nogil:
    """Fill in, for every player, each feature and its product with the share of the game left."""
    cdef const State *s = <const State *>state
    cdef float x[FEATURES]
    cdef float left = remaining_share(s)
    cdef int i, k
    for i in range(s.players):
        fill_features(s, i, x)
        for k in range(FEATURES):
            out[i * TERMS + 2 * k] = x[k]
            out[i * TERMS + 2 * k + 1] = left * x[k]


cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef float x[FEATURES]
    cdef float left = remaining_share(s)
    cdef const float *w = weights + WEIGHTS + TERMS * (s.players - MIN_PLAYERS)
    cdef float sum
    cdef int i, k
    for i in range(s.players):
        values[i] = s.player[i].score
        if s.decision == DECIDE_OVER:
            continue
        fill_features(s, i, x)
        sum = 0
        for k in range(FEATURES):
            sum += (w[2 * k] + w[2 * k + 1] * left) * x[k]
        values[i] += sum


cdef int turns_left(const void *state, int player) noexcept nogil:
    """Return a player's turns left, the current one included; a turn takes about 2.4 spaces."""
    cdef const State *s = <const State *>state
    cdef int spaces = (QUARTERS * ROUNDS - ROUNDS * s.quarter - s.round) * s.lap_length - s.time
    if s.decision == DECIDE_OVER:
        return 0
    return 1 + <int>(spaces / (SPACES_PER_TURN * s.players))
