"""What moves and positions are worth, in VP: rates for a prior and a playout policy, evaluation.

The rates look at the decision alone, never ahead. Weights come from weights.yaml, the moves'
first, in the order of knowledge.pxd, then those of the features of an evaluation, which is linear.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.bits cimport count_bits, lowest_bit
from trajan_ai.core.game cimport move_t
from trajan_ai.core.rates cimport noisy_best, softmax
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed
from trajan_ai.forum_trajanum.moves cimport *
from trajan_ai.forum_trajanum.play cimport MAX_MOVES, apply_move, in_order, list_moves
from trajan_ai.forum_trajanum.scoring cimport (
    PhaseScore, build_copies, collect_copies, phase_score,
)
from trajan_ai.forum_trajanum.types cimport *

cdef int[4] CORNER_CELL = [0, 5, 40, 45]

# The resources of M_SWAP's conversions, and those in the order of M_GAIN and of M_BONUS.
cdef int[6] SWAP_FROM = [COIN, COIN, ASSISTANT, ASSISTANT, TRIBUNE, TRIBUNE]
cdef int[6] SWAP_TO = [ASSISTANT, TRIBUNE, COIN, TRIBUNE, COIN, ASSISTANT]
cdef int[7] GAINED = [COIN, TRIBUNE, ASSISTANT, BLUE, GREEN, RED, YELLOW]
cdef int[4] BONUS_GAIN = [TRIBUNE, ASSISTANT, COIN, UPGRADE]


# Cells of places in build moves, and of pairs: first and second building of the action string.
cdef uint8_t CELL_OF[36]
cdef uint8_t FIRST_OF[120]
cdef uint8_t SECOND_OF[120]

cdef enum:
    CORNERS_MASK = 0x210000000021

# What the ratings of one decision have in common.
cdef struct Outlook:
    const State *s
    const Player *p
    const float *w
    float scorings          # left, the running phase's included
    float rounds            # left, the running one included
    uint64_t match_grey     # cells where a grey building completes a pattern
    uint64_t match_coloured
    float match             # VP of that
    float row_worth[4][6]   # what a grey building brings to a row's Colonia score


cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


# --- patterns of Trajan cards ------------------------------------------------------------------

cdef uint64_t middle(uint64_t ends, int step) noexcept nogil:
    """Cells between two cells of `ends`."""
    return (ends << step) & (ends >> step)


cdef uint64_t outer(uint64_t inner, uint64_t end, int step) noexcept nogil:
    """Cells that continue an end and an inner cell to a line of three."""
    return ((inner << step) & (end << (2 * step))) | ((inner >> step) & (end >> (2 * step)))


cdef uint64_t third(uint64_t cells, int step) noexcept nogil:
    """Cells that make two of `cells` a line of three."""
    return outer(cells, cells, step) | middle(cells, step)


cdef uint64_t squares(uint64_t built) noexcept nogil:
    """Cells that complete a square of 2 x 2."""
    return (((built >> 1) & (built >> 8) & (built >> 9))
            | ((built << 1) & (built >> 8) & (built >> 7))
            | ((built >> 1) & (built << 8) & (built << 7))
            | ((built << 1) & (built << 8) & (built << 9)))


cdef uint64_t crane_sides(uint64_t built) noexcept nogil:
    """Cells beside a corner whose other side is built."""
    cdef uint64_t cells = 0
    cdef uint64_t sides
    cdef int corner
    for corner in range(4):
        sides = bit(CORNER_CELL[corner] + (1 if corner & 1 == 0 else -1)) | bit(
            CORNER_CELL[corner] + (8 if corner < 2 else -8))
        if sides & built:
            cells |= sides
    return cells


cdef void find_matches(Outlook *o) noexcept nogil:
    """Cells that complete a pattern of the phase's Trajan card."""
    cdef const State *s = o.s
    cdef const Player *p = o.p
    cdef uint64_t grey = p.built[0] | p.built[1] | p.built[2] | p.built[3]
    cdef uint64_t coloured = p.built[4] | p.built[5] | p.built[6] | p.built[7]
    cdef uint64_t any_built = grey | coloured
    cdef uint64_t g = 0
    cdef uint64_t k = 0
    cdef int task = s.build_task[s.round // 4]
    if task == GKG_ACROSS:
        g = outer(coloured, grey, 1)
        k = middle(grey, 1)
    elif task == GKG_DOWN:
        g = outer(coloured, grey, 8)
        k = middle(grey, 8)
    elif task == KGK_DOWN:
        k = outer(grey, coloured, 8)
        g = middle(coloured, 8)
    elif task == KGGK_DOWN:
        k = ((grey >> 8) & (grey >> 16) & (coloured >> 24)) | (
            (grey << 8) & (grey << 16) & (coloured << 24))
        g = ((coloured << 8) & (grey >> 8) & (coloured >> 16)) | (
            (coloured >> 8) & (grey << 8) & (coloured << 16))
    elif task == TWO_GREYS_DOWN:
        g = (grey << 8) | (grey >> 8)
    elif task == THREE_GREYS_DOWN:
        g = third(grey, 8)
    elif task == THREE_COLOURS_DOWN:
        k = third(coloured, 8)
    elif task == SQUARE:
        g = squares(any_built)
        k = g
    elif task == TEMPLE_ABOVE_BELOW:
        g = ((s.temples & (any_built >> 8)) >> 8) | ((s.temples & (any_built << 8)) << 8)
        k = g
    elif task == CRANE_SIDES:
        g = crane_sides(any_built)
        k = g
    elif task == TEMPLE_DIAGONALS:
        k = (s.temples << 9) | (s.temples >> 9) | (s.temples << 7) | (s.temples >> 7)
    o.match_grey = g
    o.match_coloured = k
    o.match = o.w[W_MATCH] * s.bust[13 * p.flipped + p.slider]


cdef void look_out(Outlook *o, const State *s, const float *w) noexcept nogil:
    o.s = s
    o.p = &s.player[s.actor]
    o.w = w
    o.scorings = <float>(3 - s.round // 4)
    o.rounds = <float>(ROUNDS - s.round)


# --- worths ------------------------------------------------------------------------------------

cdef inline int greys_in_row(const Player *p, int row) noexcept nogil:
    cdef uint64_t cells = <uint64_t>0x3F << (8 * row)
    return (((p.built[0] & cells) != 0) + ((p.built[1] & cells) != 0)
            + ((p.built[2] & cells) != 0) + ((p.built[3] & cells) != 0))


cdef float seat_worth(const Outlook *o, int row) noexcept nogil:
    """Worth of placing a citizen in a row."""
    cdef const Player *p = o.p
    cdef int more = p.citizens[row] + 1
    cdef float worth = o.w[W_CITIZEN] * o.rounds
    if p.citizens[row] >= 2:
        return 0
    worth += o.w[W_COLONIA] * o.scorings * greys_in_row(p, row) * (
        1 if is_active(p, row) else more)
    if p.citizens[row]:
        worth += o.w[W_SECOND + row]
    if not is_active(p, row):
        worth += o.w[W_SEAT + row] * o.rounds
    return worth


cdef float class_worth(const Outlook *o, int citizen_class) noexcept nogil:
    cdef float one = seat_worth(o, 2 * citizen_class)
    cdef float other = seat_worth(o, 2 * citizen_class + 1)
    return one if one > other else other


cdef float tile_worth(const Outlook *o, int tile) noexcept nogil:
    """Worth of using a tile."""
    cdef uint64_t left
    cdef float worth
    cdef int name, place
    if tile == 0:
        return 0
    if tile <= 6:
        return class_worth(o, (tile - 1) >> 1)
    name = o.s.tile_name[tile]
    left = tile_gains.resources[name]
    worth = o.w[W_RESOURCE + UPGRADE] * tile_gains.upgrades[name]
    while left:
        place = lowest_bit(left) >> 3
        worth += o.w[W_RESOURCE + place] * ((left >> (8 * place)) & 255)
        left &= ~(<uint64_t>255 << (8 * place))
    return worth


cdef float cost_worth(const Outlook *o, uint64_t cost) noexcept nogil:
    cdef float worth = 0
    cdef int place
    for place in range(6):
        worth += o.w[W_RESOURCE + place] * ((cost >> (8 * place)) & 255)
    return worth


cdef inline int structures(const Player *p, int colour) noexcept nogil:
    return count_bits(p.built[STRUCTURE + colour])


cdef float cell_worth(const Outlook *o, int cell) noexcept nogil:
    """Worth of taking the tile from a cell, for use."""
    cdef const Player *p = o.p
    cdef int corner
    if (<uint64_t>CORNERS_MASK >> cell) & 1:
        corner = (cell & 1) + 2 * (cell >= 40)
        return tile_worth(o, p.tile[cell]) + o.w[W_OPEN] * o.s.crane_vp[
            o.s.round // 4] * structures(p, p.crane[corner] - 1)
    if (o.match_grey | o.match_coloured) & bit(cell):
        return o.w[W_TILE_DOWN] + o.w[W_CLEAR]
    return o.w[W_TILE_DOWN]


cdef float structure_worth(const Outlook *o, int colour) noexcept nogil:
    """Worth of a coloured structure, whatever its cell: envoy and cranes."""
    cdef const Player *p = o.p
    cdef int open_cranes = p.crane_open & ~p.crane_used
    cdef int corner
    cdef float worth = 0
    if p.ship:
        worth += o.w[W_SENT] * o.scorings
    for corner in range(4):
        if p.crane[corner] == colour + 1 and not (p.crane_used >> corner) & 1:
            worth += o.w[W_CRANE] * o.s.crane_vp[o.s.round // 4] * (
                1 if (open_cranes >> corner) & 1 else <float>0.4)
    if o.s.build_task[o.s.round // 4] == FOUR_COLOURS and structures(p, colour) == 0:
        worth += o.match
    return worth


cdef float grey_worth(const Outlook *o, int grey) noexcept nogil:
    """Worth of a grey building, whatever its cell: column or track."""
    cdef const Player *p = o.p
    cdef int step
    if grey == COLUMN:
        return o.s.column_vp[o.s.round // 4] + active_citizens(p)
    step = p.marker[grey - 1]
    if step == TRACK_END:
        return 0
    return o.w[W_LEVEL + 4 * (grey - 1) + step]


cdef inline float place_worth(const Outlook *o, int building, int cell) noexcept nogil:
    """What a building is worth more on this cell: Colonia and pattern."""
    if building >= STRUCTURE:
        return o.match * ((o.match_coloured >> cell) & 1)
    return o.match * ((o.match_grey >> cell) & 1) + o.row_worth[building][cell >> 3]


cdef void find_row_worths(Outlook *o) noexcept nogil:
    """A grey of a kind that the row lacks scores there in every scoring left."""
    cdef const Player *p = o.p
    cdef int row, grey
    cdef float more
    for row in range(ROWS):
        more = o.w[W_COLONIA] * o.scorings * (1 + p.citizens[row] * is_active(p, row))
        for grey in range(STRUCTURE):
            o.row_worth[grey][row] = more * (
                p.built[grey] & (<uint64_t>0x3F << (8 * row)) == 0)


# --- rates of moves ----------------------------------------------------------------------------

cdef float rate_conversion(const Outlook *o, int which) noexcept nogil:
    cdef const float *worth = o.w + W_RESOURCE
    if which < 6:
        return worth[SWAP_TO[which]] - worth[SWAP_FROM[which]]
    if which < 10:
        return worth[BLUE + which - 6] - worth[ASSISTANT]
    return worth[BUILDER] - worth[ASSISTANT]


cdef void rate_builds(Outlook *o, const move_t *moves, int count, float *rates) noexcept nogil:
    """Building actions: what the buildings bring, less what the cheapest payment is worth."""
    cdef const float *w = o.w
    cdef float base[8]
    cdef float price
    cdef int i, move, building, colour, pair
    find_matches(o)
    find_row_worths(o)
    for building in range(BUILDINGS):
        if building < STRUCTURE:
            base[building] = grey_worth(o, building)
            price = w[W_RESOURCE + BUILDER]
        else:
            base[building] = structure_worth(o, building - STRUCTURE)
            price = w[W_RESOURCE + BLUE + building - STRUCTURE]
            if stock(o.p, BLUE + building - STRUCTURE) == 0:
                price += w[W_RESOURCE + ASSISTANT]
        base[building] -= w[W_COST] * price
    for i in range(count):
        move = moves[i]
        if move < M_NO_BUILD:
            rates[i] = rate_conversion(o, move - M_SWAP)
        elif move == M_NO_BUILD:
            rates[i] = 0
        elif move < M_BUILD_GREY:
            building = (move - M_BUILD) // BOARD
            rates[i] = base[building] + place_worth(
                o, building, CELL_OF[move - M_BUILD - building * BOARD])
        else:
            if move < M_BUILD_TWO:
                building = (move - M_BUILD_GREY) // (8 * PAIRS)
                colour = ((move - M_BUILD_GREY) // (2 * PAIRS)) & 3
                pair = (move - M_BUILD_GREY) % (2 * PAIRS)
            else:
                colour = (move - M_BUILD_TWO) // PAIRS
                building = STRUCTURE + colour
                pair = (move - M_BUILD_TWO) % PAIRS
            rates[i] = (base[building] + base[STRUCTURE + colour]
                        + place_worth(o, building, FIRST_OF[pair])
                        + place_worth(o, STRUCTURE + colour, SECOND_OF[pair]))


cdef void rate_takes(Outlook *o, const move_t *moves, int count, float *rates) noexcept nogil:
    cdef int i, move
    find_matches(o)
    for i in range(count):
        move = moves[i]
        if move >= M_SKIP:
            rates[i] = 0
        elif move >= M_TAKE_TRIBUNE:
            rates[i] = (cell_worth(o, mask_cell((move - M_TAKE) % BOARD))
                        - o.w[W_RESOURCE + TRIBUNE])
        else:
            rates[i] = cell_worth(o, mask_cell((move - M_TAKE) % BOARD))


cdef void rate_envoys(const Outlook *o, const move_t *moves, int count,
                      float *rates) noexcept nogil:
    """Envoys: next to own ones and to eagles; the last cell of a started area fills it."""
    cdef const State *s = o.s
    cdef const float *w = o.w
    cdef cells_t own = beside(mosaic(o.p.envoys))
    cdef cells_t eagles = beside(mosaic(s.eagles))
    cdef cells_t here
    cdef int i
    for i in range(count):
        if moves[i] == M_NO_ENVOY:
            rates[i] = 0
            continue
        here = <cells_t>1 << mosaic_cell(moves[i] - M_ENVOY)
        rates[i] = w[W_SENT] * o.scorings
        if own & here:
            rates[i] += w[W_GROUP] * o.scorings
        if s.argument == EAGLE:
            rates[i] += 2 * w[W_EAGLE] * o.scorings
        elif eagles & here:
            rates[i] += w[W_EAGLE] * o.scorings
        if count == 2 and mosaic(s.touched) & here:
            rates[i] += w[W_FILL]


cdef float rate_use(const Outlook *o, int way) noexcept nogil:
    """Use own (0), received (1), or both (2, 3); an own citizen is an envoy less."""
    cdef const State *s = o.s
    cdef int left = 0 if s.actor + 1 == s.players else s.actor + 1
    cdef int received = o.p.picked if o.p.picked else s.player[left].given
    cdef float own = tile_worth(o, o.p.kept)
    if o.p.kept <= 6:
        own -= o.w[W_ENVOY]
    if way == 0:
        return own
    if way == 1:
        return tile_worth(o, received)
    return own + tile_worth(o, received) - 2 * o.w[W_RESOURCE + TRIBUNE]


cdef float rate_wage(const Outlook *o, int row) noexcept nogil:
    """What an active row is worth in this scoring, and its ability afterwards."""
    return (o.w[W_COLONIA] * greys_in_row(o.p, row) * o.p.citizens[row]
            + o.w[W_WAGE] * (o.scorings - 1) - o.w[W_RESOURCE + COIN])


cdef float rate_other(const Outlook *o, int move) noexcept nogil:
    """Decisions with few moves."""
    cdef const State *s = o.s
    cdef const float *worth = o.w + W_RESOURCE
    if s.decision == CHOOSE_USE:
        return rate_use(o, move - M_USE)
    if s.decision == CHOOSE_KEEP:
        return tile_worth(o, s.taken[move - M_KEEP])
    if s.decision == CHOOSE_PAYMENT:
        return -cost_worth(o, payments.cost[move - M_PAY])
    if s.decision == CHOOSE_SEAT:
        return seat_worth(o, move - M_SEAT)
    if s.decision == CHOOSE_WAGE:
        return rate_wage(o, move - M_WAGE) if move < M_NO_WAGE else 0
    if s.decision == CHOOSE_BONUS:
        return s.bonus_vp if move == M_BONUS + BONUS_VP else worth[BONUS_GAIN[move - M_BONUS]]
    if s.decision == CHOOSE_GAIN:
        return worth[GAINED[move - M_GAIN]]
    if s.decision == CHOOSE_UPGRADE:
        return o.w[W_CYPRESS] if move > M_UPGRADE else 0
    if s.decision == CHOOSE_REWARD:
        return o.w[W_LEVEL + move - M_REWARD]
    if s.decision == CHOOSE_RESERVE:
        return 0 if move == M_NO_RESERVE else <float>1
    if s.decision == CHOOSE_TILE:
        return cell_worth(o, mask_cell(move - M_TILE))
    return 0


cdef void rate_moves(const State *s, const move_t *moves, int count, const float *w,
                     float *rates) noexcept nogil:
    """rates[i]: about how many VP moves[i] is worth."""
    cdef Outlook o
    cdef int i
    look_out(&o, s, w)
    o.match_grey = 0
    o.match_coloured = 0
    if s.decision == CHOOSE_BUILD:
        rate_builds(&o, moves, count, rates)
    elif s.decision == CHOOSE_TAKE:
        rate_takes(&o, moves, count, rates)
    elif s.decision == CHOOSE_ENVOY:
        rate_envoys(&o, moves, count, rates)
    else:
        for i in range(count):
            rates[i] = rate_other(&o, moves[i])


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil:
    """The move of the highest rate, noise added."""
    cdef float rates[MAX_MOVES]
    rate_moves(<const State *>state, moves, count, weights, rates)
    return noisy_best(rates, count, weights[W_NOISE], rng)


cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil:
    """Softmax of the rates."""
    rate_moves(<const State *>state, moves, count, weights, out)
    softmax(out, count, weights[W_TEMPERATURE])


# --- static evaluation -------------------------------------------------------------------------

cdef int has_played(const State *s, int player) noexcept nogil:
    """Whether the player's turn of this round is over."""
    cdef int place
    if s.stage == Stage.WAGES:
        return 1
    if s.stage != Stage.TURN:
        return 0
    for place in range(s.seated - 1):
        if in_order(s, place) == player:
            return 1
    return 0


cdef int turns_left(const void *state, int player) noexcept nogil:
    """Turns still to come: step 1 and step 2 of each round, the running turn included."""
    cdef const State *s = <const State *>state
    if s.stage == Stage.OVER:
        return 0
    if s.stage < Stage.TAKE:
        return 2 * ROUNDS + 1
    if s.stage == Stage.TAKE:
        return 2 * (ROUNDS - s.round)
    return 2 * (ROUNDS - s.round) - 1 - has_played(s, player)


cdef void find_features(const State *s, int player, float *f) noexcept nogil:
    """What an evaluation weighs, in the order of `features` in weights.yaml."""
    cdef const Player *p = &s.player[player]
    cdef PhaseScore now = phase_score(s, player)
    cdef int phase = s.round // 4
    cdef float scorings = <float>(3 - phase)
    cdef float turns = <float>(ROUNDS - s.round - has_played(s, player)) / ROUNDS
    cdef float in_phase = <float>(4 - s.round % 4 - has_played(s, player))
    cdef int colour, row, later
    cdef int active = active_citizens(p)
    cdef float copies = 0
    cdef float value = s.bust[13 * p.flipped + p.slider]
    for later in range(phase + 1, PHASES):
        copies += build_copies(s, p, s.build_task[later]) + collect_copies(s, p, later)
    f[0] = 1
    f[1] = turns
    f[2] = turns * turns
    f[3] = now.colonia
    f[4] = now.colonia * (scorings - 1)
    f[5] = now.eagles
    f[6] = now.eagles * (scorings - 1)
    f[7] = now.area
    f[8] = now.area * (scorings - 1)
    f[9] = now.cranes
    f[10] = now.trajan
    f[11] = copies * value
    f[12] = stock(p, BUILDER)
    f[13] = stock(p, BUILDER) * turns
    f[14] = worker_count(p)
    f[15] = worker_count(p) * turns
    f[16] = stock(p, ASSISTANT)
    f[17] = stock(p, ASSISTANT) * turns
    f[18] = stock(p, COIN)
    f[19] = stock(p, COIN) * turns
    f[20] = stock(p, TRIBUNE)
    f[21] = stock(p, TRIBUNE) * turns
    f[22] = p.ship
    f[23] = p.ship * turns
    f[24] = active
    f[25] = active * turns
    f[26] = p.slider
    f[27] = p.slider * turns
    f[28] = count_mosaic(mosaic(p.envoys)) * turns
    f[29] = count_bits(~p.crane_open & 15) * turns
    f[30] = (p.marker[0] + p.marker[1] + p.marker[2]) * turns
    f[31] = count_bits(s.plain & ~p.tiles) * turns
    f[32] = in_phase
    f[33] = p.flipped * turns


cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    """VP so far and a weighted sum of features."""
    cdef const State *s = <const State *>state
    cdef float f[FEATURES]
    cdef int player, i
    for player in range(s.players):
        values[player] = s.player[player].score
        if s.stage == Stage.OVER:
            continue
        find_features(s, player, f)
        for i in range(FEATURES):
            values[player] += weights[MOVE_WEIGHTS + i] * f[i]


cdef int read_weights(weights, float *w) except -1:
    cdef int i
    if len(weights) != WEIGHTS:
        raise ValueError(f"needs {WEIGHTS} weights, got {len(weights)}")
    for i in range(WEIGHTS):
        w[i] = weights[i]
    return 0


cdef int read_state(bytes data, State *state) except -1:
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(state, <const char *>data, sizeof(State))
    return 0


def features(bytes data not None, int player):
    """Return the features of a player in a state: what fitting the evaluation needs."""
    cdef State state
    cdef float f[FEATURES]
    read_state(data, &state)
    find_features(&state, player, f)
    return [f[i] for i in range(FEATURES)]


def rates(bytes data not None, weights):
    """Return the rates of a state's legal moves, in their order: what prior and policy rest on."""
    cdef State state
    cdef float w[WEIGHTS]
    cdef float found[MAX_MOVES]
    cdef move_t moves[MAX_MOVES]
    cdef int i, count
    read_state(data, &state)
    read_weights(weights, w)
    count = list_moves(&state, moves)
    rate_moves(&state, moves, count, w, found)
    return [found[i] for i in range(count)]


def expected(bytes data not None, weights):
    """Return the final VP that the evaluation expects for each player."""
    cdef State state
    cdef float w[WEIGHTS]
    cdef float values[4]
    read_state(data, &state)
    read_weights(weights, w)
    evaluate(&state, w, values)
    return [values[player] for player in range(state.players)]


def play_by_policy(bytes data not None, weights, seed, int every):
    """Play a state to its end by the policy, player i with weights[i].

    Returns the final scores and the states met at every `every`-th decision, from a random one.
    """
    cdef State state
    cdef float w[4][WEIGHTS]
    cdef move_t moves[MAX_MOVES]
    cdef Rng rng
    cdef int i, count, wait
    read_state(data, &state)
    rng_seed(&rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
    for i in range(state.players):
        read_weights(weights[i], w[i])
    wait = <int>rng_below(&rng, <unsigned int>every)
    met = []
    while state.stage != Stage.OVER:
        if wait == 0:
            met.append(PyBytes_FromStringAndSize(<const char *>&state, sizeof(State)))
            wait = every
        wait -= 1
        count = list_moves(&state, moves)
        apply_move(&state, moves[policy(&state, moves, count, w[state.actor], &rng)])
    return [state.player[i].score for i in range(state.players)], met


cdef void _fill_cells() noexcept:
    cdef int place, pair, first, second
    for place in range(BOARD):
        CELL_OF[place] = <uint8_t>mask_cell(place)
    for pair in range(PAIRS):
        if pair < 30:
            first = (pair // 5) * 8 + pair % 5
            second = first + 1
        else:
            first = mask_cell(pair - 30)
            second = first + 8
        FIRST_OF[pair] = SECOND_OF[PAIRS + pair] = <uint8_t>first
        SECOND_OF[pair] = FIRST_OF[PAIRS + pair] = <uint8_t>second


_fill_cells()
