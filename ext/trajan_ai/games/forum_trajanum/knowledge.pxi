"""Rates of moves, in VP, for a prior and a playout policy.

The rates depend on the current decision alone and never look ahead.
"""

# Weights of moves, in VP, for the prior and the policy: the section `moves` of weights.yaml.
cpdef enum:
    WEIGHT_TEMPERATURE           # of the prior
    WEIGHT_NOISE                 # the policy adds a random number below this to each rate
    WEIGHT_BUILDER               # worth of each Resource, in the order of that enumeration
    WEIGHT_WORKER_BLUE
    WEIGHT_WORKER_GREEN
    WEIGHT_WORKER_RED
    WEIGHT_WORKER_YELLOW
    WEIGHT_ASSISTANT
    WEIGHT_COIN
    WEIGHT_TRIBUNE
    WEIGHT_UPGRADE
    WEIGHT_TILE_DOWN
    WEIGHT_SHIP_ENVOY            # an envoy on the ship
    WEIGHT_CITIZEN               # an active citizen, per round left
    WEIGHT_SEAT_PATRICIAN_1      # ability of a row's first citizen, by row, per round left
    WEIGHT_SEAT_PATRICIAN_2
    WEIGHT_SEAT_MERCHANT_1
    WEIGHT_SEAT_MERCHANT_2
    WEIGHT_SEAT_CRAFTSMAN_1
    WEIGHT_SEAT_CRAFTSMAN_2
    WEIGHT_SECOND_PATRICIAN_1    # bonus of a row's second citizen
    WEIGHT_SECOND_PATRICIAN_2
    WEIGHT_SECOND_MERCHANT_1
    WEIGHT_SECOND_MERCHANT_2
    WEIGHT_SECOND_CRAFTSMAN_1
    WEIGHT_SECOND_CRAFTSMAN_2
    WEIGHT_COLONIA               # share of a grey's VP in the remaining scorings
    WEIGHT_LIBRARY_1             # rewards of the tracks
    WEIGHT_LIBRARY_2
    WEIGHT_LIBRARY_3
    WEIGHT_LIBRARY_4
    WEIGHT_BASILICA_1
    WEIGHT_BASILICA_2
    WEIGHT_BASILICA_3
    WEIGHT_BASILICA_4
    WEIGHT_MARKET_1
    WEIGHT_MARKET_2
    WEIGHT_MARKET_3
    WEIGHT_MARKET_4
    WEIGHT_ENVOY_SENT            # an envoy sent, per scoring left
    WEIGHT_EAGLE                 # an envoy beside an eagle, per scoring left
    WEIGHT_GROUP                 # an envoy beside another envoy of the player, per scoring left
    WEIGHT_FILL_AREA             # filling an area
    WEIGHT_CRANE                 # share of the VP that a structure adds to an open crane
    WEIGHT_OPEN_CRANE            # opening a crane, per VP that the structures of its colour bring
    WEIGHT_MATCH                 # share of the Trajan value that a completed pattern brings
    WEIGHT_CLEAR_MATCH           # freeing a cell that completes a pattern
    WEIGHT_COST                  # share of the worth of the resources that a payment costs
    WEIGHT_WAGE                  # an ability that is kept, per scoring after the current one
    WEIGHT_CYPRESS
    WEIGHT_FREE_MANY             # worth that a taken tile loses per free cell, up to six cells
    WEIGHT_FREE_PAIR             # freeing a cell beside a free one
    WEIGHT_FREE_ROW              # freeing a cell, per grey that its row lacks; like WEIGHT_COLONIA
    WEIGHT_IGNORE_CARD           # cost of ignoring a card, in addition to the tribune
    WEIGHT_IGNORE_CARD_LATER     # further cost, multiplied by the share of rounds left
    WEIGHT_CONVERSION            # any conversion
    WEIGHT_BUILD_ROW             # like WEIGHT_COLONIA, for a grey that is about to be built
    WEIGHT_BREAK_PAIR            # cost of a single building beside a free cell
    WEIGHT_DOUBLE                # a double tile, per round left
    # the weights from here on are multiplied by the share of rounds left
    WEIGHT_COLUMN_LATER
    WEIGHT_BUILDER_LATER         # worth of each Resource, in the order of that enumeration
    WEIGHT_WORKER_BLUE_LATER
    WEIGHT_WORKER_GREEN_LATER
    WEIGHT_WORKER_RED_LATER
    WEIGHT_WORKER_YELLOW_LATER
    WEIGHT_ASSISTANT_LATER
    WEIGHT_COIN_LATER
    WEIGHT_TRIBUNE_LATER
    WEIGHT_UPGRADE_LATER
    WEIGHT_TILE_DOWN_LATER
    WEIGHT_LIBRARY_LATER         # rewards of the tracks
    WEIGHT_BASILICA_LATER
    WEIGHT_MARKET_LATER

cdef enum:
    WEIGHTS = WEIGHT_MARKET_LATER + 1


cdef enum:
    # number of values of two bits: whether a cell completes a pattern, and whether it lies beside
    # a free cell
    CLEAR_MORE = 4


# Values that all ratings of one decision use.
cdef struct Outlook:
    const State *s
    const Player *p
    const float *w
    float scorings          # scorings left, including that of the current phase
    float rounds            # rounds left, including the current one
    float left              # share of the rounds that is left
    float worth[RESOURCE_UPGRADE + 1]  # worth of each Resource
    uint64_t match_grey     # cells where a grey building completes a pattern
    uint64_t match_coloured
    float match             # VP of a completed pattern
    uint64_t paired         # cells beside a free cell
    float clear_row[ROWS]   # worth of taking a tile from a cell, by row
    float clear_more[CLEAR_MORE]  # added to clear_row, by the bits of CLEAR_MORE
    float row_worth[COLOURS][ROWS]  # what a grey building brings to a row's Colonia score


# --- patterns of Trajan cards ------------------------------------------------------------------

cdef uint64_t middle(uint64_t ends, int step) noexcept nogil:
    """Return the cells between two cells of `ends`."""
    return (ends << step) & (ends >> step)


cdef uint64_t outer(uint64_t inner, uint64_t end, int step) noexcept nogil:
    """Return the cells that continue an end and an inner cell to a line of three."""
    return ((inner << step) & (end << (2 * step))) | ((inner >> step) & (end >> (2 * step)))


cdef uint64_t third(uint64_t cells, int step) noexcept nogil:
    """Return the cells that complete a line of three with two of `cells`."""
    return outer(cells, cells, step) | middle(cells, step)


cdef inline uint64_t sides(uint64_t cells) noexcept nogil:
    """Return the cells beside one of `cells`, including cells of guard columns."""
    return (cells << 1) | (cells >> 1) | (cells << 8) | (cells >> 8)


cdef uint64_t squares(uint64_t built) noexcept nogil:
    """Return the cells that complete a square of 2 x 2."""
    return (((built >> 1) & (built >> 8) & (built >> 9))
            | ((built << 1) & (built >> 8) & (built >> 7))
            | ((built >> 1) & (built << 8) & (built << 7))
            | ((built << 1) & (built << 8) & (built << 9)))


cdef uint64_t crane_sides(uint64_t built) noexcept nogil:
    """Return the cells beside corners at which one side or both are built on."""
    cdef uint64_t cells = 0
    cdef int corner
    for corner in range(CORNERS):
        if sides_of(corner) & built:
            cells |= sides_of(corner)
    return cells


cdef void find_matches(Outlook *o) noexcept nogil:
    """Find the cells that complete a pattern of the phase's Trajan card."""
    cdef const State *s = o.s
    cdef const Player *p = o.p
    cdef uint64_t grey = p.built[0] | p.built[1] | p.built[2] | p.built[3]
    cdef uint64_t coloured = p.built[4] | p.built[5] | p.built[6] | p.built[7]
    cdef uint64_t any_built = grey | coloured
    cdef uint64_t g = 0
    cdef uint64_t k = 0
    cdef int pattern = s.pattern[s.round // PHASE_ROUNDS]
    if pattern == PATTERN_GKG_ACROSS:
        g = outer(coloured, grey, 1)
        k = middle(grey, 1)
    elif pattern == PATTERN_GKG_DOWN:
        g = outer(coloured, grey, 8)
        k = middle(grey, 8)
    elif pattern == PATTERN_KGK_DOWN:
        k = outer(grey, coloured, 8)
        g = middle(coloured, 8)
    elif pattern == PATTERN_KGGK_DOWN:
        k = ((grey >> 8) & (grey >> 16) & (coloured >> 24)) | (
            (grey << 8) & (grey << 16) & (coloured << 24))
        g = ((coloured << 8) & (grey >> 8) & (coloured >> 16)) | (
            (coloured >> 8) & (grey << 8) & (coloured << 16))
    elif pattern == PATTERN_TWO_GREYS_DOWN:
        g = (grey << 8) | (grey >> 8)
    elif pattern == PATTERN_THREE_GREYS_DOWN:
        g = third(grey, 8)
    elif pattern == PATTERN_THREE_COLOURS_DOWN:
        k = third(coloured, 8)
    elif pattern == PATTERN_SQUARE:
        g = squares(any_built)
        k = g
    elif pattern == PATTERN_TEMPLE_ABOVE_BELOW:
        g = ((s.temples & (any_built >> 8)) >> 8) | ((s.temples & (any_built << 8)) << 8)
        k = g
    elif pattern == PATTERN_CRANE_SIDES:
        g = crane_sides(any_built)
        k = g
    elif pattern == PATTERN_TEMPLE_DIAGONALS:
        k = (s.temples << 9) | (s.temples >> 9) | (s.temples << 7) | (s.temples >> 7)
    o.match_grey = g
    o.match_coloured = k
    o.match = o.w[WEIGHT_MATCH] * s.bust[(MAX_STEPS + 1) * p.flipped + p.slider]


cdef void look_out(Outlook *o, const State *s, const float *w) noexcept nogil:
    cdef int i
    o.s = s
    o.p = &s.player[s.decider]
    o.w = w
    o.scorings = <float>(PHASES - s.round // PHASE_ROUNDS)
    o.rounds = <float>(ROUNDS - s.round)
    o.left = o.rounds / ROUNDS
    for i in range(RESOURCE_UPGRADE + 1):
        o.worth[i] = w[WEIGHT_BUILDER + i] + w[WEIGHT_BUILDER_LATER + i] * o.left


# --- worths ------------------------------------------------------------------------------------

cdef float seat_worth(const Outlook *o, int row) noexcept nogil:
    """Return the worth of placing a citizen in a row."""
    cdef const Player *p = o.p
    cdef int more = p.citizens[row] + 1
    cdef float worth = o.w[WEIGHT_CITIZEN] * o.rounds
    if p.citizens[row] >= 2:
        return 0
    worth += o.w[WEIGHT_COLONIA] * o.scorings * greys_in_row(p, row) * (
        1 if is_active(p, row) else more)
    if p.citizens[row]:
        worth += o.w[WEIGHT_SECOND_PATRICIAN_1 + row]
    if not is_active(p, row):
        worth += o.w[WEIGHT_SEAT_PATRICIAN_1 + row] * o.rounds
    return worth


cdef float class_worth(const Outlook *o, int citizen_class) noexcept nogil:
    cdef float one = seat_worth(o, 2 * citizen_class)
    cdef float other = seat_worth(o, 2 * citizen_class + 1)
    return one if one > other else other


cdef float tile_worth(const Outlook *o, int tile) noexcept nogil:
    """Return the worth of using a tile."""
    cdef uint64_t left
    cdef float worth
    cdef int name, place
    if tile == 0:
        return 0
    if tile <= CITIZENS:
        return class_worth(o, class_of(tile))
    name = o.s.tile_name[tile]
    left = tables.tile_resources[name]
    worth = o.worth[RESOURCE_UPGRADE] * tables.tile_upgrades[name]
    while left:
        place = lowest_bit(left) >> 3
        worth += o.worth[place] * ((left >> (8 * place)) & 255)
        left &= ~(<uint64_t>255 << (8 * place))
    return worth


cdef float cost_worth(const Outlook *o, uint64_t cost) noexcept nogil:
    cdef float worth = 0
    cdef int place
    for place in range(6):
        worth += o.worth[place] * ((cost >> (8 * place)) & 255)
    return worth


cdef inline int structures(const Player *p, int colour) noexcept nogil:
    return count_bits(p.built[STRUCTURE + colour])


cdef float corner_worth(const Outlook *o, int cell) noexcept nogil:
    """Return the worth of taking the tile from a corner in order to use it."""
    cdef const Player *p = o.p
    return tile_worth(o, p.tile[cell]) + o.w[WEIGHT_OPEN_CRANE] * o.s.crane_vp[
        o.s.round // PHASE_ROUNDS] * structures(p, p.crane[corner_of(cell)] - 1)


cdef inline float covered_worth(const Outlook *o, int cell) noexcept nogil:
    """Return the worth of taking the tile from a cell that is not a corner."""
    return o.clear_row[cell >> 3] + o.clear_more[
        (((o.match_grey | o.match_coloured) >> cell) & 1) | (((o.paired >> cell) & 1) << 1)]


cdef inline float cell_worth(const Outlook *o, int cell) noexcept nogil:
    return corner_worth(o, cell) if is_corner(cell) else covered_worth(o, cell)


cdef float structure_worth(const Outlook *o, int colour) noexcept nogil:
    """Return the worth of a coloured structure on any cell: its envoy, its cranes, and its part in
    a pattern of four colours."""
    cdef const Player *p = o.p
    cdef int open_cranes = p.crane_open & ~p.crane_used
    cdef int corner
    cdef float worth = 0
    if p.ship:
        worth += o.w[WEIGHT_ENVOY_SENT] * o.scorings
    for corner in range(CORNERS):
        if p.crane[corner] == colour + 1 and not (p.crane_used >> corner) & 1:
            worth += o.w[WEIGHT_CRANE] * o.s.crane_vp[o.s.round // PHASE_ROUNDS] * (
                1 if (open_cranes >> corner) & 1 else <float>0.4)
    if o.s.pattern[o.s.round // PHASE_ROUNDS] == PATTERN_FOUR_COLOURS and structures(p, colour) == 0:
        worth += o.match
    return worth


cdef inline float reward_worth(const Outlook *o, int track, int step) noexcept nogil:
    return (o.w[WEIGHT_LIBRARY_1 + TRACK_END * track + step]
            + o.w[WEIGHT_LIBRARY_LATER + track] * o.left)


cdef float grey_worth(const Outlook *o, int grey) noexcept nogil:
    """Return the worth of a grey building on any cell: VP of a column, or reward of a track."""
    cdef const Player *p = o.p
    cdef int step
    if grey == BUILDING_COLUMN:
        return (o.s.column_vp[o.s.round // PHASE_ROUNDS] + active_citizens(p)
                + o.w[WEIGHT_COLUMN_LATER] * o.left)
    step = p.marker[grey - 1]
    if step == TRACK_END:
        return 0
    return reward_worth(o, grey - 1, step)


cdef inline float place_worth(const Outlook *o, int building, int cell) noexcept nogil:
    """Return how much more a building is worth on this cell for the Colonia and the pattern."""
    if building >= STRUCTURE:
        return o.match * ((o.match_coloured >> cell) & 1)
    return o.match * ((o.match_grey >> cell) & 1) + o.row_worth[building][cell >> 3]


cdef void find_clear_worths(Outlook *o) noexcept nogil:
    """Compute the worth of clearing a cell: more if few cells are free or its row lacks greys."""
    cdef const float *w = o.w
    cdef uint64_t free = free_cells(o.s, o.p)
    cdef float clear = (w[WEIGHT_TILE_DOWN] + w[WEIGHT_TILE_DOWN_LATER] * o.left
                        - w[WEIGHT_FREE_MANY] * min(count_bits(free), 6))
    cdef int row
    o.paired = sides(free)
    for row in range(ROWS):
        o.clear_row[row] = clear + (w[WEIGHT_FREE_ROW] * o.scorings * row_factor(o.p, row)
                                    * (STRUCTURE - greys_in_row(o.p, row)))
    o.clear_more[0] = 0
    o.clear_more[1] = w[WEIGHT_CLEAR_MATCH]
    o.clear_more[2] = w[WEIGHT_FREE_PAIR]
    o.clear_more[3] = w[WEIGHT_CLEAR_MATCH] + w[WEIGHT_FREE_PAIR]


cdef void find_row_worths(Outlook *o) noexcept nogil:
    """Compute the worth of a grey by row: a new kind counts in every remaining scoring."""
    cdef const Player *p = o.p
    cdef int row, grey
    cdef float more
    for row in range(ROWS):
        more = o.w[WEIGHT_BUILD_ROW] * o.scorings * row_factor(p, row)
        for grey in range(STRUCTURE):
            o.row_worth[grey][row] = more * (
                p.built[grey] & row_cells(row) == 0)


# --- rates of moves ----------------------------------------------------------------------------

cdef float rate_conversion(const Outlook *o, int move) noexcept nogil:
    if move < MOVE_TRAIN:
        return (o.worth[tables.swap_to[move - MOVE_SWAP]]
                - o.worth[tables.swap_from[move - MOVE_SWAP]])
    if move < MOVE_PROMOTE:
        return o.worth[RESOURCE_BLUE + move - MOVE_TRAIN] - o.worth[RESOURCE_ASSISTANT]
    if move < MOVE_EXCHANGE:
        return o.worth[RESOURCE_BUILDER] - o.worth[RESOURCE_ASSISTANT]
    return o.worth[RESOURCE_BUILDER] - 2 * o.worth[RESOURCE_BLUE + move - MOVE_EXCHANGE]


cdef void rate_builds(Outlook *o, const move_t *moves, int count, float *rates) noexcept nogil:
    """Rate building actions: the worth of buildings minus a share of that of a usual payment."""
    cdef const float *w = o.w
    cdef float base[BUILDINGS]
    cdef float price
    cdef Plan plan
    cdef int i, move, building
    cdef float twice = w[WEIGHT_DOUBLE] * o.rounds
    cdef uint64_t paired = sides(free_cells(o.s, o.p))
    find_matches(o)
    find_row_worths(o)
    for building in range(BUILDINGS):
        if building < STRUCTURE:
            base[building] = grey_worth(o, building)
            price = o.worth[RESOURCE_BUILDER]
        else:
            base[building] = structure_worth(o, building - STRUCTURE)
            price = o.worth[RESOURCE_BLUE + building - STRUCTURE]
            if stock(o.p, RESOURCE_BLUE + building - STRUCTURE) == 0:
                price += o.worth[RESOURCE_ASSISTANT]
        base[building] -= w[WEIGHT_COST] * price
    for i in range(count):
        move = moves[i]
        if move < MOVE_NO_BUILD:
            rates[i] = w[WEIGHT_CONVERSION] + rate_conversion(o, move)
        elif move == MOVE_NO_BUILD:
            rates[i] = 0
        else:
            plan = plan_of(o.s, move)
            if plan.second < 0:
                rates[i] = base[plan.building] + place_worth(o, plan.building, plan.first)
                if (paired >> plan.first) & 1:
                    rates[i] -= w[WEIGHT_BREAK_PAIR]
            else:
                rates[i] = (base[plan.building] + base[STRUCTURE + plan.colour] + twice
                            + place_worth(o, plan.building, plan.first)
                            + place_worth(o, STRUCTURE + plan.colour, plan.second))


cdef void rate_takes(Outlook *o, const move_t *moves, int count, float *rates) noexcept nogil:
    """Rate tiles to take. A cell that is listed for both cards is rated only once."""
    cdef const State *s = o.s
    cdef const float *w = o.w
    cdef float ignoring = (o.worth[RESOURCE_TRIBUNE] + w[WEIGHT_IGNORE_CARD]
                           + w[WEIGHT_IGNORE_CARD_LATER] * o.left)
    cdef float worth[CELLS]
    cdef uint64_t cells = o.p.tiles
    cdef uint64_t corners, others
    cdef int i, cell
    find_matches(o)
    find_clear_worths(o)
    if stock(o.p, RESOURCE_TRIBUNE) == 0:
        cells &= street_cells(s, s.decider, 0) | street_cells(s, s.decider, 1)
    corners = cells & corner_cells()
    while corners:
        cell = lowest_bit(corners)
        corners &= corners - 1
        worth[cell] = corner_worth(o, cell)
    others = cells & ~corner_cells()
    while others:
        cell = lowest_bit(others)
        others &= others - 1
        worth[cell] = covered_worth(o, cell)
    for i in range(count):
        if moves[i] >= MOVE_SKIP:
            rates[i] = 0
            continue
        rates[i] = worth[tables.taken_cell[moves[i] - MOVE_TAKE]]
        if moves[i] >= MOVE_TAKE_TRIBUNE:
            rates[i] -= ignoring


cdef void rate_envoys(const Outlook *o, const move_t *moves, int count,
                      float *rates) noexcept nogil:
    """Rate envoys: higher beside the player's other envoys and eagles, and if they fill an area."""
    cdef const State *s = o.s
    cdef const float *w = o.w
    cdef cells_t own = beside(mosaic(o.p.envoys))
    cdef cells_t eagles = beside(mosaic(s.eagles))
    cdef cells_t here
    cdef int i
    for i in range(count):
        if moves[i] == MOVE_NO_ENVOY:
            rates[i] = 0
            continue
        here = one_cell(mosaic_cell(moves[i] - MOVE_ENVOY))
        rates[i] = w[WEIGHT_ENVOY_SENT] * o.scorings
        if is_any(common(own, here)):
            rates[i] += w[WEIGHT_GROUP] * o.scorings
        if s.argument == ENVOY_EAGLE:
            rates[i] += 2 * w[WEIGHT_EAGLE] * o.scorings
        elif is_any(common(eagles, here)):
            rates[i] += w[WEIGHT_EAGLE] * o.scorings
        if count == 2 and is_any(common(mosaic(s.touched), here)):
            rates[i] += w[WEIGHT_FILL_AREA]


cdef float rate_use(const Outlook *o, int way) noexcept nogil:
    """Rate the use of the player's own tile (0), of the received tile (1) or of both (2, 3)."""
    cdef const State *s = o.s
    cdef int received = received_tile(s, s.decider)
    cdef float own = tile_worth(o, o.p.kept)
    if o.p.kept <= CITIZENS:
        own -= o.w[WEIGHT_SHIP_ENVOY]
    if way == 0:
        return own
    if way == 1:
        return tile_worth(o, received)
    return own + tile_worth(o, received) - 2 * o.worth[RESOURCE_TRIBUNE]


cdef float rate_wage(const Outlook *o, int row) noexcept nogil:
    """Rate a wage: the worth of the row in this scoring and of its ability later, minus a coin."""
    return (o.w[WEIGHT_COLONIA] * greys_in_row(o.p, row) * o.p.citizens[row]
            + o.w[WEIGHT_WAGE] * (o.scorings - 1) - o.worth[RESOURCE_COIN])


cdef float rate_other(const Outlook *o, int move) noexcept nogil:
    """Rate a move of a decision that has few moves."""
    cdef const State *s = o.s
    if s.decision == DECIDE_USE:
        return rate_use(o, move - MOVE_USE)
    if s.decision == DECIDE_KEEP:
        return tile_worth(o, s.taken[move - MOVE_KEEP])
    if s.decision == DECIDE_PAY:
        return -cost_worth(o, tables.payment_cost[move - MOVE_PAY])
    if s.decision == DECIDE_SEAT:
        return seat_worth(o, move - MOVE_SEAT)
    if s.decision == DECIDE_WAGE:
        return rate_wage(o, move - MOVE_WAGE) if move < MOVE_NO_WAGE else 0
    if s.decision == DECIDE_BONUS:
        return (s.bonus_vp if move == MOVE_BONUS + BONUS_VP
                else o.worth[tables.bonus[move - MOVE_BONUS]])
    if s.decision == DECIDE_GAIN:
        return o.worth[tables.gained[move - MOVE_GAIN]]
    if s.decision == DECIDE_UPGRADE:
        return o.w[WEIGHT_CYPRESS] if move > MOVE_UPGRADE else 0
    if s.decision == DECIDE_REWARD:
        return reward_worth(o, (move - MOVE_REWARD) // TRACK_END, (move - MOVE_REWARD) % TRACK_END)
    if s.decision == DECIDE_RESERVE:
        return 0 if move == MOVE_NO_RESERVE else <float>1
    if s.decision == DECIDE_TILE:
        return cell_worth(o, cell_of(move - MOVE_TILE))
    return 0


cdef void rate_moves(const State *s, const move_t *moves, int count, const float *w,
                     float *rates) noexcept nogil:
    """Write to rates[i] about how many VP moves[i] is worth."""
    cdef Outlook o
    cdef int i
    look_out(&o, s, w)
    o.match_grey = 0
    o.match_coloured = 0
    if s.decision == DECIDE_BUILD:
        rate_builds(&o, moves, count, rates)
    elif s.decision == DECIDE_TAKE:
        rate_takes(&o, moves, count, rates)
    elif s.decision == DECIDE_ENVOY:
        rate_envoys(&o, moves, count, rates)
    else:
        if s.decision == DECIDE_TILE:
            find_clear_worths(&o)
        for i in range(count):
            rates[i] = rate_other(&o, moves[i])


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil:
    """Return the index of the move with the highest rate after adding noise."""
    cdef float rates[MAX_MOVES]
    rate_moves(<const State *>state, moves, count, weights, rates)
    return noisy_best(rates, count, weights[WEIGHT_NOISE], rng)


cdef int policy_playout(void *state, const float *weights, Rng *rng, int transitions, int turns,
                        float *shortfalls) noexcept nogil:
    """Play out by policy(), finding the moves of a decision only once. Adds no shortfalls."""
    cdef State *s = <State *>state
    cdef Builds b
    cdef move_t listed[MAX_MOVES]
    cdef move_t *moves
    cdef int made = 0
    cdef int count = ready(s, &b)
    while count and made < transitions and s.turn < turns:
        moves = b.listed
        if s.decision == DECIDE_BUILD:
            moves = listed
            list_all_builds(s, &b, moves)
        elif s.decision == DECIDE_TAKE:
            list_takes(s, &s.player[s.decider], moves)
        count = play_on(s, &b, moves[policy(s, moves, count, weights, rng)])
        made += 1
    return made


cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil:
    """Write to `out` the softmax of the rates."""
    rate_moves(<const State *>state, moves, count, weights, out)
    softmax(out, count, weights[WEIGHT_TEMPERATURE])
