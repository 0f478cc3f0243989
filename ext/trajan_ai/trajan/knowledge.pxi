# What moves and positions are worth, in VP: rates of moves for a prior and a playout policy.
#
# The rates look at the decision alone, never ahead; weights come from weights.yaml, whose section
# `moves` has the order of this enum.

cdef enum:
    W_NOISE
    W_TEMPERATURE
    W_CARD                   # a hand card
    W_PAIR_CARD              # more, where it makes a pair
    W_BONUS_CARD             # more, where an own bonus tile counts its good
    W_WILD_CARD              # a wild goods tile
    W_DRAW
    W_TAKE
    W_PLAY
    W_SENATE                 # a vote more
    W_VOTE                   # a vote on a tile
    W_RECRUIT
    W_RECRUIT_LATER          # these, times the remaining share of the game
    W_MARCH
    W_MARCH_VALUE            # share of the province's VP to deploy for
    W_DEPLOY
    W_HIRE
    W_HIRE_LATER
    W_BUILD
    W_BUILD_VP
    W_BUILD_SET              # a building of a kind owned
    W_FREE_ACTION
    W_TRAJAN
    W_TRAJAN_LATER
    W_TILE_FIT               # share of a Trajan tile's worth, a colour present in its tray
    W_DEMAND_NEEDED          # these three in a row: see demand_worth()
    W_DEMAND_STOCK
    W_DEMAND_SPARE
    W_DEMAND_WILD
    W_SYMBOL_BONUS           # share of the bonus tile's VP
    W_WILD_BUILDING
    W_EXTRA
    W_EXTRA_WILD
    W_EXTRA_PLUS2
    W_EXTRA_KEEP             # worth of keeping an extra-action tile
    W_EFFECT                 # of Trajan tiles, in the order of EFFECT_...
    W_COMPLETE = W_EFFECT + 6  # factor of a tile that the sowing completes
    W_SPREAD                 # a marker in hand
    W_DROP_FIT               # a dropped colour that the tile of the slot misses
    W_DROP_TARGET            # a colour that the target's tile misses, to be kept for it
    W_SEAPORT_ACTION
    W_FORUM_ACTION
    W_MILITARY_ACTION
    W_CONSTRUCTION_ACTION
    W_GOLD
    MOVE_WEIGHT_COUNT


cdef inline float larger(float a, float b) noexcept nogil:
    return a if a > b else b


cdef inline float remaining_share(const State *s) noexcept nogil:
    """Share of the game that is left, 1 at its start."""
    cdef float rounds = <float>(QUARTERS * ROUNDS - ROUNDS * s.quarter - s.round)
    return (rounds - <float>s.time / <float>s.lap_length) * <float>(1.0 / (QUARTERS * ROUNDS))


cdef inline float tile_worth(int tile, const float *w) noexcept nogil:
    """VP of a Trajan tile and the worth of its effect."""
    return TILE_VP[tile] + w[W_EFFECT + TILE_EFFECT[tile]] * TILE_FACTOR[tile]


cdef inline unsigned int missing(const Player *p, int tray, int tile) noexcept nogil:
    """Markers of a tile's need that its tray lacks, as in a tray."""
    return NEED[tile] & ~p.trays[tray]


cdef inline float fit(const Player *p, int slot, int tile, const float *w) noexcept nogil:
    """Worth of a tile in a slot: more, the more of its colours lie in the tray."""
    cdef int lack = count_markers(<uint16_t>missing(p, slot, tile))
    return tile_worth(tile, w) * (w[W_TILE_FIT] * (2 - lack) + w[W_COMPLETE])


cdef inline float demand_worth(const State *s, const Player *p, int symbol,
                               const float *w) noexcept nogil:
    """A demand tile: needed for a demand in view, kept in stock for one to come, or to spare."""
    cdef int have = p.tiles[DEMAND_TILE + symbol] + p.demands[symbol] - s.row[symbol]
    return w[W_DEMAND_NEEDED + (have >= 0) + (have > 0)]


cdef float forum_tile_worth(const State *s, const Player *p, int tile,
                            const float *w) noexcept nogil:
    cdef int k
    cdef float worth
    if tile < DEMAND_TILE:
        return w[W_VOTE] * (tile + 2)
    elif tile < WILD_ACTION:
        k = tile - DEMAND_TILE
        worth = demand_worth(s, p, k, w)
        if p.tiles[tile] == 0 and ((p.gold | p.silver) >> (BONUS_SYMBOL + k)) & 1:
            worth += w[W_SYMBOL_BONUS]
        return worth
    elif tile == WILD_ACTION:
        return w[W_EXTRA_WILD]
    elif tile == WILD_GOODS:
        return w[W_WILD_CARD]
    elif tile == WILD_DEMAND:
        return w[W_DEMAND_WILD]
    elif tile == WILD_BUILDING:
        return w[W_WILD_BUILDING]
    k = tile - EXTRA_TILE
    return w[W_EXTRA] + w[W_EXTRA_PLUS2] * ((p.plus2 >> k) & 1)


cdef inline float card_worth(const Player *p, int good, const float *w) noexcept nogil:
    """Worth of a card in hand."""
    cdef float worth = w[W_CARD]
    if good_count(p.hand, good) > 1:
        worth += w[W_PAIR_CARD]
    if ((p.gold | p.silver) >> (good >> 1)) & 1:
        worth += w[W_BONUS_CARD]
    return worth


cdef inline float shipment_worth(const State *s, const Player *p, int ship, int size,
                                 const float *w) noexcept nogil:
    """VP of a shipment less what its cards are worth in hand."""
    cdef int cards = 2 * size if ship == PAIRS else size
    return SHIP_VP[(s.ships >> ship) & 1][ship][size] - w[W_CARD] * cards


cdef inline int fewer(int a, int b) noexcept nogil:
    return a if a < b else b


cdef float best_shipment(const State *s, const Player *p, const float *w) noexcept nogil:
    cdef uint64_t two = at_least_2(p.hand)
    cdef int different = fewer(count_bits(at_least_1(p.hand)), 4)
    cdef float best = 0
    cdef int equal = 1
    if p.hand_size == 0:
        return 0
    best = larger(best, shipment_worth(s, p, DIFFERENT, different, w))
    if two != 0:
        best = larger(best, shipment_worth(s, p, PAIRS, fewer(count_bits(two), 3), w))
        equal = 4 if at_least_4(p.hand) else 3 if at_least_3(p.hand) else 2
    return larger(best, shipment_worth(s, p, EQUAL, equal, w))


cdef inline float deploy_vp(const State *s, const Player *p) noexcept nogil:
    cdef int province = p.leader - 1
    cdef int vp = PROVINCE_VP[province]
    cdef int i
    for i in range(s.players):
        vp -= LEGIONNAIRE_LOSS * ((s.seats[i].legions_on >> province) & 1)
    return vp if vp > 0 else 0


cdef float forum_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    """About the worth of the best tile in the forum."""
    cdef float best = w[W_FORUM_ACTION]
    cdef int k
    if s.forum_kinds == 0:
        return 0
    for k in range(SYMBOLS):
        if s.forum[DEMAND_TILE + k] > 0:
            best = larger(best, demand_worth(s, p, k, w))
    return best


cdef float military_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    if p.leader > 0 and p.legionnaires > 0 and not (p.legions_on >> (p.leader - 1)) & 1:
        return larger(deploy_vp(s, p) + w[W_DEPLOY], w[W_MILITARY_ACTION])
    return w[W_MILITARY_ACTION]


cdef float construction_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    if p.workers == 0:
        return w[W_HIRE] + w[W_HIRE_LATER] * remaining_share(s)
    return w[W_CONSTRUCTION_ACTION] if free_sites(p) & s.sites_left else w[W_BUILD]


cdef inline float action_worth(const State *s, const Player *p, int action,
                               const float *w) noexcept nogil:
    """About the worth of an action now, an extra-action tile for it included."""
    cdef float worth
    if action == SEAPORT:
        worth = larger(w[W_SEAPORT_ACTION], best_shipment(s, p, w))
    elif action == FORUM:
        worth = forum_worth(s, p, w)
    elif action == MILITARY:
        worth = military_worth(s, p, w)
    elif action == SENATE:
        worth = SENATE_VP[p.space + 1] + w[W_SENATE] if p.space < LAST_SPACE else 0
    elif action == TRAJAN:
        worth = (w[W_TRAJAN] + w[W_TRAJAN_LATER] * remaining_share(s)
                 if p.arch != CENTRE else 0)
    else:
        worth = construction_worth(s, p, w)
    if p.tiles[EXTRA_TILE + action] > 0:
        worth += larger(worth - w[W_EXTRA_KEEP], 0) * (1 + ((p.plus2 >> action) & 1))
    return worth


cdef inline float building_worth(const Player *p, int building, const float *w) noexcept nogil:
    """Worth of a building: its VP, the set it joins, the free action of the first."""
    cdef int kind = (building - 1) >> 2
    cdef int owned = SET_OF_6[(p.buildings >> (4 * kind)) & 15]
    cdef float worth = w[W_BUILD_VP] * BUILDING_VP[building] + SET_VP[owned + 1] - SET_VP[owned]
    return worth + (w[W_BUILD_SET] if owned > 0 else w[W_FREE_ACTION])


# ---- Rates of the moves of one decision -------------------------------------------------------

cdef void rate_sowing(const State *s, const Player *p, const move_t *moves, int count,
                      const float *w, float *rates) noexcept nogil:
    """A tray: the worth of the target's action and of its Trajan tile, if it can be completed."""
    cdef float worth[6]
    cdef unsigned int lack
    cdef int i, tray, markers, target, tile, completed
    # All six, whether a target or not: constants for each, and nothing to mispredict.
    worth[SEAPORT] = action_worth(s, p, SEAPORT, w)
    worth[FORUM] = action_worth(s, p, FORUM, w)
    worth[MILITARY] = action_worth(s, p, MILITARY, w)
    worth[SENATE] = action_worth(s, p, SENATE, w)
    worth[TRAJAN] = action_worth(s, p, TRAJAN, w)
    worth[CONSTRUCTION] = action_worth(s, p, CONSTRUCTION, w)
    for i in range(count):
        tray = moves[i] - SOW_MOVE
        markers = count_markers(p.trays[tray])
        target = TRAY_AFTER[tray + markers]
        rates[i] = worth[target] - w[W_SPREAD] * markers
        tile = p.slots[target]
        lack = missing(p, target, tile)
        completed = ((lack == 0) & (target != tray)) | (
            ((lack & (lack - 1)) == 0) & (((lack | lack >> 8) & p.trays[tray] & COLOUR_MASK) != 0))
        rates[i] += tile_worth(tile, w) * w[W_COMPLETE] * completed


cdef void rate_drops(const State *s, const Player *p, const move_t *moves, int count,
                     const float *w, float *rates) noexcept nogil:
    """A colour: what the tile beside its tray misses; what the target misses is kept for it."""
    cdef int tray = s.next_tray
    cdef int target = TRAY_AFTER[tray + count_markers(s.sow_hand) - 1]
    cdef unsigned int wanted = 0
    cdef unsigned int kept = 0
    cdef int i
    cdef unsigned int bit
    if p.slots[tray] != 0:
        wanted = missing(p, tray, p.slots[tray])
        wanted = (wanted | wanted >> 8) & COLOUR_MASK
    if p.slots[target] != 0 and target != tray:
        kept = missing(p, target, p.slots[target])
        kept = (kept | kept >> 8) & COLOUR_MASK
    for i in range(count):
        bit = <unsigned int>1 << (moves[i] - DROP_MOVE)
        rates[i] = 0
        if wanted & bit:
            rates[i] += w[W_DROP_FIT]
        if kept & bit and not (s.sow_hand >> 8) & bit:
            rates[i] -= w[W_DROP_TARGET]


cdef inline int pile_good(const State *s, int side) noexcept nogil:
    return s.piles[pile_top(s, side)] - 1


cdef float rate_seaport(const State *s, const Player *p, move_t move,
                        const float *w) noexcept nogil:
    cdef int form, good
    cdef float worth
    if move == DRAW_MOVE:
        return w[W_DRAW]
    elif move == TAKE_LEFT_MOVE or move == TAKE_RIGHT_MOVE:
        good = pile_good(s, move - TAKE_LEFT_MOVE)
        worth = w[W_TAKE]
        if good_count(p.hand, good) > 0:
            worth += w[W_PAIR_CARD]
        if ((p.gold | p.silver) >> (good >> 1)) & 1:
            worth += w[W_BONUS_CARD]
        return worth
    elif move == SHIP_PAIRS_MOVE:
        form = fewer(count_bits(at_least_2(p.hand)), 3)
        return shipment_worth(s, p, PAIRS, form, w) if form > 0 else 0
    elif move == SHIP_DIFFERENT_MOVE:
        form = fewer(count_bits(at_least_1(p.hand)), 4)
        return shipment_worth(s, p, DIFFERENT, form, w) if form > 0 else 0
    elif move == PASS_MOVE:
        return 0
    elif move < EQUAL_MOVE:
        good = move - PLAY_MOVE
        worth = w[W_PLAY]
        if ((p.gold >> (good >> 1)) & 1) or ((p.silver >> (good >> 1)) & 1):
            worth += w[W_BONUS_CARD]
        return worth
    elif move < EQUAL_WILD_MOVE:
        form = (move - EQUAL_MOVE) // GOODS_KINDS
        return (shipment_worth(s, p, EQUAL, EQUAL_CARDS[form] + EQUAL_WILDS[form], w)
                - (w[W_WILD_CARD] - w[W_CARD]) * EQUAL_WILDS[form])
    return (shipment_worth(s, p, EQUAL, move - EQUAL_WILD_MOVE + 1, w)
            - (w[W_WILD_CARD] - w[W_CARD]) * (move - EQUAL_WILD_MOVE + 1))


cdef float rate_shipment(const State *s, const Player *p, move_t move,
                         const float *w) noexcept nogil:
    """The next pair or card of a shipment: the VP it adds less what it is worth in hand."""
    cdef int ship = PAIRS if s.kind == ON_PAIR else DIFFERENT
    cdef float worth
    if move == DONE_MOVE:
        return 0
    worth = shipment_worth(s, p, ship, s.step + 1, w) - shipment_worth(s, p, ship, s.step, w)
    if move == CARD_WILD_MOVE or (PAIR_WILD_MOVE <= move < PAIR_WILDS_MOVE):
        worth -= w[W_WILD_CARD] - w[W_CARD]
    elif move == PAIR_WILDS_MOVE:
        worth -= 2 * (w[W_WILD_CARD] - w[W_CARD])
    elif ship == DIFFERENT and good_count(p.hand, move - CARD_MOVE) > 1:
        worth -= w[W_PAIR_CARD]
    return worth


cdef float rate_military(const State *s, const Player *p, move_t move,
                         const float *w) noexcept nogil:
    cdef int province, i
    cdef float worth, vp
    if move == PASS_MOVE:
        return 0
    elif move == RECRUIT_MOVE:
        return w[W_RECRUIT] + w[W_RECRUIT_LATER] * remaining_share(s)
    elif move == DEPLOY_MOVE:
        return deploy_vp(s, p) + w[W_DEPLOY]
    province = move - MARCH_MOVE
    worth = w[W_MARCH]
    if s.provinces[province] != 0:
        worth += forum_tile_worth(s, p, s.provinces[province] - 1, w)
    if not (p.legions_on >> province) & 1:
        vp = PROVINCE_VP[province]
        for i in range(s.players):
            vp -= LEGIONNAIRE_LOSS * ((s.seats[i].legions_on >> province) & 1)
        worth += w[W_MARCH_VALUE] * larger(vp, 0)
    return worth


cdef float rate_construction(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    cdef int building
    if move == PASS_MOVE:
        return 0
    elif move == HIRE_MOVE:
        return w[W_HIRE] + w[W_HIRE_LATER] * remaining_share(s)
    building = s.sites[move - BUILD_MOVE]
    if building == 0:
        return w[W_BUILD]
    return w[W_BUILD] + building_worth(p, building, w)


cdef float rate_bonus(const State *s, const Player *p, int tile, const float *w) noexcept nogil:
    """A bonus tile on offer: what it would bring now, and a little for what is to come."""
    if tile < GOLD_GOODS:
        return GOLD_VP[tile] * (good_count(p.display, 2 * tile)
                                + good_count(p.display, 2 * tile + 1)
                                + w[W_GOLD] * (good_count(p.hand, 2 * tile)
                                               + good_count(p.hand, 2 * tile + 1)))
    elif tile < BONUS_WORKERS:
        return GOLD_VP[tile] * (1 if p.tiles[DEMAND_TILE + tile - BONUS_SYMBOL] > 0
                                else remaining_share(s))
    elif tile == BONUS_WORKERS:
        return count_bits(p.workers_on)
    elif tile == BONUS_LEGIONS:
        return GOLD_VP[tile] * count_bits(p.legions_on)
    return GOLD_VP[tile] * (count_bits(p.gold) + 1)


cdef float rate_setup(const State *s, const Player *p, move_t move, const float *w) noexcept nogil:
    cdef int stack, good
    if s.kind == ON_START:
        stack = move - START_MOVE
        return fit(p, 2 * s.step + 1, s.stacks[stack * STACK_TILES + s.stack_size[stack] - 1], w)
    elif s.kind == ON_GOODS and move != GOODS_MOVE:
        good = pile_good(s, move - GOODS_MOVE - 1)
        return card_worth(p, good, w) + (w[W_PAIR_CARD] if good_count(p.hand, good) else 0)
    return w[W_CARD]


cdef float rate_other(const State *s, const Player *p, move_t move, const float *w) noexcept nogil:
    """Decisions that are not the main ones of an action."""
    cdef int kind = s.kind
    cdef int stack, action
    if kind == ON_DISCARD:
        return -card_worth(p, (move - DISCARD_MOVE) % GOODS_KINDS, w)
    elif kind == ON_PLAY:
        if move == DONE_MOVE:
            return 0
        return rate_seaport(s, p, move, w)
    elif kind == ON_PAIR or kind == ON_CARD:
        return rate_shipment(s, p, move, w)
    elif kind == ON_EXTRA:
        if move == NO_EXTRA_MOVE:
            return w[W_EXTRA_KEEP] * (remaining_share(s) > 0)
        action = running_action(s)
        return action_worth(s, p, action, w) * (1 + ((p.plus2 >> action) & 1)) - (
            w[W_EXTRA_WILD] - w[W_EXTRA] if move == EXTRA_WILD_MOVE else 0)
    elif kind == ON_PLUS2:
        action = move - PLUS2_MOVE
        return action_worth(s, p, action, w) + w[W_EXTRA_PLUS2] * p.tiles[EXTRA_TILE + action]
    elif kind == ON_BONUS:
        return rate_bonus(s, &s.seats[s.decider], move - BONUS_MOVE, w)
    elif kind == ON_EFFECT:
        return 1 if move == EFFECT_MOVE else 0
    return rate_setup(s, p, move, w)


cdef void rate_moves(const State *s, const move_t *moves, int count, const float *w,
                     float *rates) noexcept nogil:
    """rates[i]: about how many VP moves[i] is worth."""
    cdef const Player *p = &s.seats[s.active]
    cdef int kind = s.kind
    cdef int i, stack
    if kind == ON_SOW:
        rate_sowing(s, p, moves, count, w, rates)
    elif kind == ON_DROP:
        rate_drops(s, p, moves, count, w, rates)
    elif kind == SEAPORT:
        for i in range(count):
            rates[i] = rate_seaport(s, p, moves[i], w)
    elif kind == FORUM:
        for i in range(count):
            rates[i] = (forum_tile_worth(s, p, moves[i] - FORUM_MOVE, w)
                        if moves[i] != PASS_MOVE else 0)
    elif kind == MILITARY:
        for i in range(count):
            rates[i] = rate_military(s, p, moves[i], w)
    elif kind == SENATE:
        for i in range(count):
            rates[i] = 0 if moves[i] == PASS_MOVE else SENATE_VP[p.space + 1]
    elif kind == TRAJAN:
        for i in range(count):
            if moves[i] == PASS_MOVE:
                rates[i] = 0
            else:
                stack = moves[i] - TILE_MOVE
                rates[i] = 1 + fit(
                    p, p.arch, s.stacks[stack * STACK_TILES + s.stack_size[stack] - 1], w)
    elif kind == CONSTRUCTION:
        for i in range(count):
            rates[i] = rate_construction(s, p, moves[i], w)
    else:
        for i in range(count):
            rates[i] = rate_other(s, p, moves[i], w)


cdef inline int drop_by_mask(const State *s, uint64_t bits) noexcept nogil:
    """Index of a colour at random, of those that rate_drops() rates highest."""
    cdef const Player *p = &s.seats[s.active]
    cdef int tray = s.next_tray
    cdef int target = TRAY_AFTER[tray + count_markers(s.sow_hand) - 1]
    cdef unsigned int lack = missing(p, tray, p.slots[tray])
    cdef unsigned int hand = s.sow_hand & COLOUR_MASK
    cdef unsigned int free = hand
    cdef unsigned int best
    if target != tray:
        best = missing(p, target, p.slots[target])
        free &= ~(best | best >> 8) | s.sow_hand >> 8
        free = free if free != 0 else hand
    best = free & (lack | lack >> 8)
    best = best if best != 0 else free
    best = <unsigned int>1 << PICK_OF_6[best][((bits >> 32) * SET_OF_6[best]) >> 32]
    return SET_OF_6[hand & (best - 1)]


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil:
    """The move of the highest rate, after a random number below W_NOISE is added to each."""
    cdef float rates[MOST_LEGAL]
    cdef int64_t best = -(<int64_t>1 << 62)
    cdef int64_t key
    cdef int i
    cdef uint64_t bits = rng_next(rng)
    cdef float noise = weights[W_NOISE] * <float>(1.0 / 4294967296.0)
    cdef int kind = (<const State *>state).kind
    if kind == ON_DROP:
        return drop_by_mask(<const State *>state, bits)
    elif kind == ON_MARKER:
        return <int>(((bits >> 32) * <unsigned int>count) >> 32)
    elif kind == SENATE:
        return 0
    rate_moves(<const State *>state, moves, count, weights, rates)
    for i in range(count):
        # Fixed point with the index below, so that the greatest is found without a branch.
        key = <int64_t>((rates[i] + noise * <float>(bits >> 32)) * <float>65536) * 256 + i
        best = key if key > best else best
        bits *= <uint64_t>0xD1342543DE82EF95
    return <int>(best & 255)


cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil:
    """Softmax of the rates with W_TEMPERATURE, in VP; no move below a thousandth."""
    rate_moves(<const State *>state, moves, count, weights, out)
    softmax(out, count, weights[W_TEMPERATURE])
