# A static evaluation: the final VP of each player, linear in what he has and in the time left.
#
# Expected VP still to come = sum over features of (now + left * share of the game left) * feature.
# The pairs (now, left) are the section `evaluation` of weights.yaml, in the order of this enum,
# fitted by regression; see docs/trajan.md.

cdef enum:
    F_ONE
    F_THREE_PLAYERS
    F_FOUR_PLAYERS
    F_TO_MOVE
    F_CARDS
    F_PAIRS
    F_BONUS_CARDS            # in hand, of goods that own bonus tiles count
    F_WILD_GOODS
    F_SHIPMENT               # VP of the best shipment in hand
    F_DISPLAY                # VP of bonus tiles for goods so far
    F_WORKERS
    F_WORKERS_ON
    F_LEGIONNAIRES
    F_LEGIONS_ON
    F_SUPPLY
    F_LEADER_OUT
    F_DEPLOY                 # VP of a legionnaire joining the leader
    F_SETS                   # VP of building sets so far
    F_KINDS                  # kinds of buildings owned
    F_TWOS                   # kinds owned twice
    F_WILD_BUILDINGS
    F_DEMAND_TILES
    F_SYMBOLS                # symbols covered by a tile
    F_KEPT_DEMANDS
    F_WILD_DEMANDS
    F_LOSS                   # VP that the demands seen so far would cost
    F_SPARE                  # demand tiles left after paying those
    F_VOTES
    F_SPACE
    F_FIRST                  # would be first, second in the senate
    F_SECOND
    F_NEXT_SENATE            # VP of the next space
    F_EXTRAS
    F_WILD_ACTIONS
    F_DOUBLE_EXTRAS          # with a +2 marker on their field
    F_PLUS2
    F_READY                  # Trajan tiles whose tray lacks no, one, two markers
    F_ONE_SHORT
    F_TWO_SHORT
    F_READY_VP               # and their VP
    F_ONE_SHORT_VP
    F_TWO_SHORT_VP
    F_CENTRE
    F_FILLED                 # trays with markers
    F_GOLD
    F_SILVER
    F_SYMBOL_BONUS           # VP of bonus tiles for symbols, if the tiles stay
    F_FIGURE_BONUS           # VP of bonus tiles for figures and gold tiles so far
    FEATURES

# Spaces that the time marker advances in a turn, on average, in play without search.
cdef float SPACES_A_TURN = 2.4


cdef inline void tile_features(const Player *p, float *x) noexcept nogil:
    cdef int i, tile, lack
    for i in range(TRAYS):
        tile = p.slots[i]
        if tile != 0:
            lack = count_markers(<uint16_t>missing(p, i, tile))
            x[F_READY + lack] += 1
            x[F_READY_VP + lack] += TILE_VP[tile]


cdef inline void demand_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef int left[3]
    cdef int uncovered = 0
    cdef int k, rest
    for k in range(SYMBOLS):
        left[k] = p.tiles[DEMAND_TILE + k]
        x[F_DEMAND_TILES] += left[k]
        x[F_SYMBOLS] += left[k] + p.demands[k] > 0
        x[F_KEPT_DEMANDS] += p.demands[k]
        rest = s.row[k] - p.demands[k]
        if rest > 0:
            uncovered += rest - left[k] if rest > left[k] else 0
            left[k] = left[k] - rest if left[k] > rest else 0
        x[F_SPARE] += left[k]
    x[F_WILD_DEMANDS] = p.tiles[WILD_DEMAND]
    x[F_LOSS] = DEMAND_LOSS[max2(uncovered - p.tiles[WILD_DEMAND], 0)]
    x[F_SYMBOL_BONUS] = bonus_of_symbols(s, p, left, p.tiles[WILD_DEMAND])


cdef inline void senate_features(const State *s, int player, float *x) noexcept nogil:
    """First and second as if the quarter ended now."""
    cdef int own = count_votes(&s.seats[player])
    cdef int ahead = 0
    cdef bint above = False
    cdef int i, votes
    for i in range(s.players - 1, -1, -1):
        if s.order[i] == player:
            above = True
            continue
        votes = count_votes(&s.seats[s.order[i]])
        ahead += votes > own or (votes == own and not above)
    x[F_FIRST] = ahead == 0
    x[F_SECOND] = ahead == 1
    x[F_SPACE] = s.seats[player].space
    x[F_VOTES] = own - (s.seats[player].space + (s.seats[player].space > 0))
    x[F_NEXT_SENATE] = SENATE_VP[s.seats[player].space + 1] if s.seats[player].space < 7 else 0


cdef inline void card_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    cdef uint64_t two = at_least_2(p.hand)
    cdef unsigned int bonus = (p.gold | p.silver) & ((1 << GOLD_GOODS) - 1)
    cdef int equal = 0
    cdef int k
    x[F_CARDS] = p.hand_size
    x[F_PAIRS] = count_bits(two)
    x[F_WILD_GOODS] = p.tiles[WILD_GOODS]
    if one != 0:
        equal = (4 if at_least_4(p.hand) else 3 if at_least_3(p.hand) else 2) if two else 1
    k = max2(SHIP_VP[s.ships & 1][EQUAL][equal],
             SHIP_VP[(s.ships >> PAIRS) & 1][PAIRS][fewer(count_bits(two), 3)])
    x[F_SHIPMENT] = max2(k, SHIP_VP[(s.ships >> DIFFERENT) & 1][DIFFERENT][
        fewer(count_bits(one), 4)])
    x[F_DISPLAY] = bonus_of_goods(p)
    while bonus != 0:
        k = lowest_bit(bonus)
        x[F_BONUS_CARDS] += good_count(p.hand, 2 * k) + good_count(p.hand, 2 * k + 1)
        bonus &= bonus - 1


cdef inline void board_features(const State *s, const Player *p, float *x) noexcept nogil:
    cdef int k
    x[F_WORKERS] = p.workers
    x[F_WORKERS_ON] = count_bits(p.workers_on)
    x[F_LEGIONNAIRES] = p.legionnaires
    x[F_LEGIONS_ON] = count_bits(p.legions_on)
    x[F_SUPPLY] = p.supply
    x[F_LEADER_OUT] = p.leader > 0
    if p.leader > 0 and not (p.legions_on >> (p.leader - 1)) & 1:
        x[F_DEPLOY] = deploy_vp(s, p)
    x[F_SETS] = set_value(p)
    for k in range(5):
        x[F_KINDS] += (p.buildings >> (4 * k)) & 15 != 0
        x[F_TWOS] += SET_OF_6[(p.buildings >> (4 * k)) & 15] == 2
    x[F_WILD_BUILDINGS] = p.tiles[WILD_BUILDING]
    x[F_FIGURE_BONUS] = bonus_of_figures(p)
    x[F_GOLD] = count_bits(p.gold)
    x[F_SILVER] = count_bits(p.silver)


cdef void fill_features(const State *s, int player, float *x) noexcept nogil:
    """x[0:FEATURES] of a player."""
    cdef const Player *p = &s.seats[player]
    cdef int k
    memset(x, 0, FEATURES * sizeof(float))
    x[F_ONE] = 1
    x[F_THREE_PLAYERS] = s.players == 3
    x[F_FOUR_PLAYERS] = s.players == 4
    x[F_TO_MOVE] = s.active == player
    card_features(s, p, x)
    board_features(s, p, x)
    demand_features(s, p, x)
    senate_features(s, player, x)
    tile_features(p, x)
    for k in range(EXTRA_KINDS):
        x[F_EXTRAS] += p.tiles[EXTRA_TILE + k]
        x[F_DOUBLE_EXTRAS] += p.tiles[EXTRA_TILE + k] * ((p.plus2 >> k) & 1)
    x[F_WILD_ACTIONS] = p.tiles[WILD_ACTION]
    x[F_PLUS2] = SET_OF_6[p.plus2]
    x[F_CENTRE] = p.arch == CENTRE
    x[F_FILLED] = SET_OF_6[p.filled]


cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef float x[FEATURES]
    cdef float left = remaining_share(s)
    cdef const float *w = weights + MOVE_WEIGHT_COUNT
    cdef float sum
    cdef int i, k
    for i in range(s.players):
        values[i] = s.seats[i].score
        if s.kind == OVER:
            continue
        fill_features(s, i, x)
        sum = 0
        for k in range(FEATURES):
            sum += (w[2 * k] + w[2 * k + 1] * left) * x[k]
        values[i] += sum


cdef int turns_left(const void *state, int player) noexcept nogil:
    """Turns of a player to come, the running one included: a turn takes about 2.4 spaces."""
    cdef const State *s = <const State *>state
    cdef int spaces = (QUARTERS * ROUNDS - ROUNDS * s.quarter - s.round) * s.lap_length - s.time
    if s.kind == OVER:
        return 0
    return 1 + <int>(spaces / (SPACES_A_TURN * s.players))


def features(bytes data):
    """Return (share of the game left, features by player) of a state, for fitting weights."""
    cdef State state
    cdef float x[FEATURES]
    cdef int i, k
    memcpy(&state, <const char *>data, sizeof(State))
    rows = []
    for i in range(state.players):
        fill_features(&state, i, x)
        rows.append([x[k] for k in range(FEATURES)])
    return remaining_share(&state), rows


cdef int _weights_in(object weights, float *target) except -1:
    """Store the weights of the game's names; raise ValueError on a wrong number."""
    cdef int i
    if len(weights) != OPS.weight_count:
        raise ValueError(f"{len(weights)} weights, there must be {OPS.weight_count}")
    for i, weight in enumerate(weights):
        target[i] = weight
    return 0


def prior_of(bytes data, weights):
    """Return the prior of each legal move of a state, in the order of the legal moves."""
    cdef State state
    cdef float w[MOVE_WEIGHT_COUNT + 2 * FEATURES]
    cdef float out[MOST_LEGAL]
    cdef move_t moves[MOST_LEGAL]
    cdef int i, count
    _weights_in(weights, w)
    memcpy(&state, <const char *>data, sizeof(State))
    count = list_moves(&state, moves)
    prior(&state, moves, count, w, out)
    return [out[i] for i in range(count)]


def policy_choice(bytes data, weights, seed):
    """Return the index of the legal move that a playout makes in a state."""
    cdef State state
    cdef float w[MOVE_WEIGHT_COUNT + 2 * FEATURES]
    cdef move_t moves[MOST_LEGAL]
    cdef Rng rng
    _weights_in(weights, w)
    rng_seed(&rng, <uint64_t>seed)
    memcpy(&state, <const char *>data, sizeof(State))
    return policy(&state, moves, list_moves(&state, moves), w, &rng)


def evaluation(bytes data, weights):
    """Return the final VP expected for each player of a state."""
    cdef State state
    cdef float w[MOVE_WEIGHT_COUNT + 2 * FEATURES]
    cdef float values[4]
    cdef int i
    _weights_in(weights, w)
    memcpy(&state, <const char *>data, sizeof(State))
    evaluate(&state, w, values)
    return [values[i] for i in range(state.players)]


def play_by_policy(bytes data, weights, seed, int every):
    """Play a state to its end by the policy, seat i with weights[i].

    Returns the final scores and the states met at every `every`-th decision, from a random one.
    """
    cdef State state
    cdef float w[4][MOVE_WEIGHT_COUNT + 2 * FEATURES]
    cdef move_t moves[MOST_LEGAL]
    cdef Rng rng
    cdef int i, count, wait
    rng_seed(&rng, <uint64_t>seed)
    memcpy(&state, <const char *>data, sizeof(State))
    for i in range(state.players):
        _weights_in(weights[i], w[i])
    wait = <int>rng_below(&rng, <unsigned int>every)
    met = []
    while state.kind != OVER:
        if wait == 0:
            met.append(PyBytes_FromStringAndSize(<const char *>&state, sizeof(State)))
            wait = every
        wait -= 1
        count = list_moves(&state, moves)
        apply_move(&state, moves[policy(&state, moves, count, w[state.decider], &rng)])
    return [state.seats[i].score for i in range(state.players)], met
