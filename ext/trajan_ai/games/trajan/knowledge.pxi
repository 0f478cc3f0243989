"""Rates of moves, in VP, for a prior and a playout policy.

A rate depends on the current decision alone, except that the rate of a tray also includes what the
next turn offers. Rates are weighted by the section `moves` of weights.yaml, in the order of this
enumeration. The prior divides the rates by a temperature; the policy adds noise to them.
"""

cpdef enum:
    WEIGHT_TEMPERATURE           # temperature of the prior, in VP
    WEIGHT_SOW_TEMPERATURE       # the same for the choice of a tray
    WEIGHT_NOISE                 # VP: the policy adds a random number below this to each rate
    WEIGHT_SOW_NOISE             # the same for the choice of a tray
    WEIGHT_CARD                  # a hand card
    WEIGHT_PAIR_CARD             # additional, if the card completes a pair
    WEIGHT_BONUS_CARD            # additional, if the player has a bonus tile for the card's good
    WEIGHT_WILD_CARD             # a wild goods tile
    WEIGHT_DRAW
    WEIGHT_TAKE
    WEIGHT_PLAY
    WEIGHT_SENATE                # an additional vote
    WEIGHT_VOTE                  # a vote on a tile
    WEIGHT_RECRUIT
    # `_LATER` weights are multiplied by the remaining share of the game
    WEIGHT_RECRUIT_LATER
    WEIGHT_MARCH
    WEIGHT_MARCH_VALUE           # share of the VP for deploying to the province
    WEIGHT_DEPLOY
    WEIGHT_HIRE
    WEIGHT_HIRE_LATER
    WEIGHT_BUILD
    WEIGHT_BUILD_VP
    WEIGHT_BUILD_SET             # a building of a kind that the player has
    WEIGHT_FREE_ACTION
    WEIGHT_TRAJAN
    WEIGHT_TRAJAN_LATER
    # share of a Trajan tile's worth for each required colour in its tray
    WEIGHT_TILE_FIT
    WEIGHT_DEMAND_NEEDED         # these three must be consecutive: see demand_worth()
    WEIGHT_DEMAND_STOCK
    WEIGHT_DEMAND_SPARE
    WEIGHT_DEMAND_WILD
    WEIGHT_SYMBOL_BONUS          # for a player's only tile of a symbol that a bonus tile requires
    WEIGHT_WILD_BUILDING
    WEIGHT_EXTRA
    WEIGHT_EXTRA_WILD
    WEIGHT_EXTRA_PLUS2
    WEIGHT_EXTRA_KEEP            # worth of keeping an extra-action tile
    WEIGHT_EFFECT_CARDS          # effects of Trajan tiles, in the order of EFFECT_..
    WEIGHT_EFFECT_POINTS
    WEIGHT_EFFECT_WORKERS
    WEIGHT_EFFECT_LEGIONS
    WEIGHT_EFFECT_PLUS2
    WEIGHT_EFFECT_DEMAND
    WEIGHT_COMPLETE              # factor of the worth of a tile that the sowing completes
    WEIGHT_SPREAD                # subtracted for each marker sown
    WEIGHT_DROP_FIT              # dropping a colour that the slot's tile lacks
    WEIGHT_DROP_TARGET           # keeping a colour that the target's tile lacks
    WEIGHT_SEAPORT_ACTION
    WEIGHT_FORUM_ACTION
    WEIGHT_MILITARY_ACTION
    WEIGHT_CONSTRUCTION_ACTION
    WEIGHT_GOLD
    # share of the worth of the action that the first building of a kind gives
    WEIGHT_FREE_ACTION_SHARE
    WEIGHT_BUILD_REACH           # a building on a site that the worker opens up for building
    WEIGHT_EXTRA_SHARE           # an extra-action tile, as a share of the worth of its action
    # additional worth of an action, times the remaining share of the game
    WEIGHT_SEAPORT_LATER
    WEIGHT_FORUM_LATER
    WEIGHT_MILITARY_LATER
    WEIGHT_SENATE_LATER
    WEIGHT_CONSTRUCTION_LATER
    WEIGHT_NEXT                  # share of the best rate of a tray in the next turn

cdef enum:
    WEIGHTS = WEIGHT_NEXT + 1


cdef inline float remaining_share(const State *s) noexcept nogil:
    """Return the share of the game that is left, 1 at its start."""
    cdef float rounds = <float>(QUARTERS * ROUNDS - ROUNDS * s.quarter - s.round)
    return (rounds - <float>s.time / <float>s.lap_length) * <float>(1.0 / (QUARTERS * ROUNDS))


cdef enum:
    # `size` in best_by_mask() if all bits of State.legal, with `pass`, stand for consecutive moves
    NO_PASS = 64
    NO_WORTH = -1000         # VP, less than any rate


# ---- Worth of tiles, cards and actions --------------------------------------------------------

cdef inline float tile_worth(int tile, const float *w) noexcept nogil:
    """Return the VP of a Trajan tile plus the worth of its effect."""
    cdef int effect = tables.tile_effect[tile]
    return tables.tile_vp[tile] + w[WEIGHT_EFFECT_CARDS + effect] * tables.tile_factor[tile]


cdef inline float fit(const Player *p, int slot, int tile, const float *w) noexcept nogil:
    """Return the worth of a tile in a slot, which grows with its colours in the tray."""
    cdef int lack = count_markers(<uint16_t>missing(p, slot, tile))
    return tile_worth(tile, w) * (w[WEIGHT_TILE_FIT] * (2 - lack) + w[WEIGHT_COMPLETE])


cdef inline float demand_worth(const State *s, const Player *p, int symbol,
                               const float *w) noexcept nogil:
    """Return the worth of a demand tile: needed now, in stock for a later demand, or spare."""
    cdef int have = p.tiles[TILE_DEMAND + symbol] + p.demands[symbol] - s.row[symbol]
    return w[WEIGHT_DEMAND_NEEDED + (have >= 0) + (have > 0)]


cdef float forum_tile_worth(const State *s, const Player *p, int tile,
                            const float *w) noexcept nogil:
    cdef int k
    cdef float worth
    if tile < TILE_DEMAND:
        return w[WEIGHT_VOTE] * (tile + 2)
    elif tile < TILE_WILD_ACTION:
        k = tile - TILE_DEMAND
        worth = demand_worth(s, p, k, w)
        if p.tiles[tile] == 0 and ((p.gold | p.silver) >> (BONUS_BREAD + k)) & 1:
            worth += w[WEIGHT_SYMBOL_BONUS]
        return worth
    elif tile == TILE_WILD_ACTION:
        return w[WEIGHT_EXTRA_WILD]
    elif tile == TILE_WILD_GOODS:
        return w[WEIGHT_WILD_CARD]
    elif tile == TILE_WILD_DEMAND:
        return w[WEIGHT_DEMAND_WILD]
    elif tile == TILE_WILD_BUILDING:
        return w[WEIGHT_WILD_BUILDING]
    k = tile - TILE_EXTRA
    return w[WEIGHT_EXTRA] + w[WEIGHT_EXTRA_PLUS2] * ((p.plus2 >> k) & 1) + (
        share_of_action(s, p, k, w[WEIGHT_EXTRA_SHARE], w))


cdef inline float card_worth(const Player *p, int good, const float *w) noexcept nogil:
    """Return the worth of a card in hand."""
    cdef float worth = w[WEIGHT_CARD]
    if good_count(p.hand, good) > 1:
        worth += w[WEIGHT_PAIR_CARD]
    if ((p.gold | p.silver) >> (good >> 1)) & 1:
        worth += w[WEIGHT_BONUS_CARD]
    return worth


cdef inline float shipment_worth(const State *s, const Player *p, int ship, int size,
                                 const float *w) noexcept nogil:
    """Return the VP of a shipment minus the worth of its cards in hand."""
    cdef int cards = 2 * size if ship == SHIP_PAIRS else size
    return ship_vp(s, ship, size) - w[WEIGHT_CARD] * cards


cdef float best_shipment(const State *s, const Player *p, const float *w) noexcept nogil:
    cdef uint64_t two = at_least_2(p.hand)
    cdef int different = min(count_bits(at_least_1(p.hand)), MAX_DIFFERENT)
    cdef float best = 0
    cdef int equal = 1
    cdef int pairs
    if p.hand_size == 0:
        return 0
    best = max(best, shipment_worth(s, p, SHIP_DIFFERENT, different, w))
    if two != 0:
        pairs = min(count_bits(two), MAX_PAIRS)
        best = max(best, shipment_worth(s, p, SHIP_PAIRS, pairs, w))
        equal = 4 if at_least_4(p.hand) else 3 if at_least_3(p.hand) else 2
    return max(best, shipment_worth(s, p, SHIP_EQUAL, equal, w))


cdef float forum_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    """Estimate the worth of the best tile in the forum."""
    cdef float best = w[WEIGHT_FORUM_ACTION]
    cdef int k
    if s.forum_kinds == 0:
        return 0
    for k in range(SYMBOLS):
        if s.forum[TILE_DEMAND + k] > 0:
            best = max(best, demand_worth(s, p, k, w))
    return best


cdef float military_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    if can_deploy(p):
        return max(legionnaire_vp(s, p.leader - 1) + w[WEIGHT_DEPLOY], w[WEIGHT_MILITARY_ACTION])
    return w[WEIGHT_MILITARY_ACTION]


cdef float construction_worth(const State *s, const Player *p, const float *w) noexcept nogil:
    if p.workers == 0:
        return w[WEIGHT_HIRE] + w[WEIGHT_HIRE_LATER] * remaining_share(s)
    if free_sites(p) & s.sites_left:
        return w[WEIGHT_CONSTRUCTION_ACTION] + w[WEIGHT_CONSTRUCTION_LATER] * remaining_share(s)
    return w[WEIGHT_BUILD]


cdef inline float action_worth(const State *s, const Player *p, int action, float shipment,
                               const float *w) noexcept nogil:
    """Estimate the worth of an action now, including its repeats by an extra-action tile.

    `shipment` is best_shipment(), which only the seaport needs.
    """
    cdef float left = remaining_share(s)
    cdef float worth
    if action == ACTION_SEAPORT:
        worth = max(w[WEIGHT_SEAPORT_ACTION], shipment) + w[WEIGHT_SEAPORT_LATER] * left
    elif action == ACTION_FORUM:
        worth = forum_worth(s, p, w) + w[WEIGHT_FORUM_LATER] * left
    elif action == ACTION_MILITARY:
        worth = military_worth(s, p, w) + w[WEIGHT_MILITARY_LATER] * left
    elif action == ACTION_SENATE:
        worth = (tables.senate_vp[p.space + 1] + w[WEIGHT_SENATE] + w[WEIGHT_SENATE_LATER] * left
                 if p.space < LAST_SPACE else 0)
    elif action == ACTION_TRAJAN:
        worth = (w[WEIGHT_TRAJAN] + w[WEIGHT_TRAJAN_LATER] * left
                 if p.arch != CENTRE else 0)
    else:
        worth = construction_worth(s, p, w)
    if p.tiles[TILE_EXTRA + action] > 0:
        worth += max(worth - w[WEIGHT_EXTRA_KEEP], 0) * (1 + ((p.plus2 >> action) & 1))
    return worth


cdef inline float worth_of_action(const State *s, const Player *p, int action,
                                  const float *w) noexcept nogil:
    cdef float shipment = best_shipment(s, p, w) if action == ACTION_SEAPORT else 0
    return action_worth(s, p, action, shipment, w)


cdef float share_of_action(const State *s, const Player *p, int action, float share,
                           const float *w) noexcept nogil:
    return share * worth_of_action(s, p, action, w) if share != 0 else 0


cdef inline float building_worth(const Player *p, int building, const float *w) noexcept nogil:
    """Return the worth of a building: its VP, its set, and the free action if it is the first."""
    cdef int kind = (building - 1) >> 2
    cdef int owned = count_of_6((p.buildings >> (4 * kind)) & 15)
    cdef float worth = (w[WEIGHT_BUILD_VP] * tables.building_vp[building]
                        + tables.set_vp[owned + 1] - tables.set_vp[owned])
    return worth + (w[WEIGHT_BUILD_SET] if owned > 0 else w[WEIGHT_FREE_ACTION])


cdef inline float free_action_worth(const State *s, const Player *p, int building,
                                    const float *w) noexcept nogil:
    """Return the bonus for the first building of a kind, a share of its free action's worth."""
    cdef int kind = (building - 1) >> 2
    if (p.buildings >> (4 * kind)) & 15 != 0:
        return 0
    return share_of_action(s, p, tables.free_action[kind] - 1, w[WEIGHT_FREE_ACTION_SHARE], w)


# ---- Rates of the moves of one decision -------------------------------------------------------

cdef inline void worth_of_actions(const State *s, const Player *p, float shipment,
                                  const float *w, float *worth) noexcept nogil:
    """Rate all six actions, even those that no tray leads to, to avoid unpredictable branches."""
    worth[ACTION_SEAPORT] = action_worth(s, p, ACTION_SEAPORT, shipment, w)
    worth[ACTION_FORUM] = action_worth(s, p, ACTION_FORUM, shipment, w)
    worth[ACTION_MILITARY] = action_worth(s, p, ACTION_MILITARY, shipment, w)
    worth[ACTION_SENATE] = action_worth(s, p, ACTION_SENATE, shipment, w)
    worth[ACTION_TRAJAN] = action_worth(s, p, ACTION_TRAJAN, shipment, w)
    worth[ACTION_CONSTRUCTION] = action_worth(s, p, ACTION_CONSTRUCTION, shipment, w)


# Cached values for the rates of trays; moves rarely change them.
cdef struct TrayCache:
    uint64_t hand
    uint64_t slots
    int ships
    float shipment           # best_shipment() of the hand and the ships
    float tile[TRAYS + 1]    # what completing each slot's Trajan tile is worth


cdef inline void clear(TrayCache *cache) noexcept nogil:
    cache.hand = ~<uint64_t>0
    cache.slots = ~<uint64_t>0


cdef inline void refresh(const State *s, const Player *p, const float *w,
                         TrayCache *cache) noexcept nogil:
    cdef uint64_t slots = 0
    cdef int i
    memcpy(&slots, p.slots, TRAYS)
    if cache.slots != slots:
        cache.slots = slots
        for i in range(TRAYS):
            cache.tile[i] = tile_worth(p.slots[i], w) * w[WEIGHT_COMPLETE]
        cache.tile[NO_TRAY] = 0
    if cache.hand != p.hand or cache.ships != s.ships:
        cache.hand = p.hand
        cache.ships = s.ships
        cache.shipment = best_shipment(s, p, w)


# The values from which the rates of trays are computed.
cdef struct Trays:
    uint32_t markers         # number of markers in each tray, 4 bits per tray
    unsigned int ready       # trays whose Trajan tile lacks no colour, as bits
    uint64_t completes       # 8 bits per tray: trays whose tile lacks only a colour of this tray
    float worth[TRAYS + 1]   # worth of the action at each tray; for NO_TRAY, less than any rate
    const float *tile        # what completing each slot's Trajan tile is worth


cdef inline void look_at_trays(const State *s, const Player *p, TrayCache *cache, const float *w,
                               Trays *trays) noexcept nogil:
    cdef uint64_t colours = 0
    cdef int i
    cdef unsigned int lack, colour
    refresh(s, p, w, cache)
    worth_of_actions(s, p, cache.shipment, w, trays.worth)
    trays.worth[NO_TRAY] = NO_WORTH
    trays.tile = cache.tile
    trays.markers = 0
    trays.ready = 0
    trays.completes = 0
    for i in range(TRAYS):
        colours |= <uint64_t>(p.trays[i] & ALL_TRAYS) << 8 * i
        trays.markers |= <uint32_t>count_markers(p.trays[i]) << 4 * i
    for i in range(TRAYS):
        lack = missing(p, i, p.slots[i])
        trays.ready |= <unsigned int>(lack == 0) << i
        colour = (lack | lack >> SECOND_MARKER) & ALL_TRAYS
        trays.completes |= (colours >> tables.pick_of_6[colour][0] & <uint64_t>0x010101010101
                            & -<uint64_t>((lack != 0) & (lack & (lack - 1) == 0))) << i


cdef inline float tray_rate(const Trays *trays, int tray, int markers, unsigned int ready,
                            unsigned int open, const float *w) noexcept nogil:
    """Rate a tray to sow by the action at its target and the Trajan tile that is completed there.

    Only tiles of slots in `open` count.
    """
    cdef int target = tables.leads_to[tray][markers]
    cdef unsigned int done = open & (
        (ready & ~(<unsigned int>1 << tray)) | <unsigned int>(trays.completes >> 8 * tray))
    return (trays.worth[target] - w[WEIGHT_SPREAD] * markers
            + trays.tile[target] * (done >> target & 1))


cdef inline float best_next(const Trays *trays, int tray, int markers,
                            const float *w) noexcept nogil:
    """Return the best rate of any tray in the player's next turn if `tray` is sown now.

    A marker is assumed to be dropped wherever its colour is the only one that a tile lacks.
    """
    cdef uint32_t after = (trays.markers & ~(<uint32_t>15 << 4 * tray)) + tables.sown[tray][markers]
    cdef unsigned int open = ~(<unsigned int>1 << tray
                               | <unsigned int>1 << tables.leads_to[tray][markers])
    cdef unsigned int ready = trays.ready | (
        <unsigned int>(trays.completes >> 8 * tray) & tables.passed[tray][markers])
    cdef float best = NO_WORTH
    cdef int i
    for i in range(TRAYS):
        best = max(best, tray_rate(trays, i, after >> 4 * i & 15, ready, open, w))
    return best


cdef inline float sow_rate(const Trays *trays, int tray, const float *w) noexcept nogil:
    """Rate a tray in this turn, plus a share of the best rate in the player's next turn."""
    cdef int markers = trays.markers >> 4 * tray & 15
    return tray_rate(trays, tray, markers, trays.ready, ALL_TRAYS, w) + (
        w[WEIGHT_NEXT] * best_next(trays, tray, markers, w))


cdef void rate_sowing(const State *s, const Player *p, const move_t *moves, int count,
                      const float *w, float *rates) noexcept nogil:
    cdef Trays trays
    cdef TrayCache cache
    cdef int i
    clear(&cache)
    look_at_trays(s, p, &cache, w, &trays)
    for i in range(count):
        rates[i] = sow_rate(&trays, moves[i] - MOVE_SOW, w)


cdef void rate_drops(const State *s, const Player *p, const move_t *moves, int count,
                     const float *w, float *rates) noexcept nogil:
    """Rate the colours to drop: more for a colour that the Trajan tile beside the tray lacks, less
    for one that the target's tile lacks."""
    cdef int tray = s.next_tray
    cdef int target = tables.tray_after[tray + count_markers(s.sow_hand) - 1]
    cdef unsigned int useful = 0
    cdef unsigned int reserved = 0
    cdef int i
    cdef unsigned int bit
    if p.slots[tray] != 0:
        useful = missing(p, tray, p.slots[tray])
        useful = (useful | useful >> SECOND_MARKER) & ALL_TRAYS
    if p.slots[target] != 0 and target != tray:
        reserved = missing(p, target, p.slots[target])
        reserved = (reserved | reserved >> SECOND_MARKER) & ALL_TRAYS
    for i in range(count):
        bit = <unsigned int>1 << (moves[i] - MOVE_DROP)
        rates[i] = 0
        if useful & bit:
            rates[i] += w[WEIGHT_DROP_FIT]
        if reserved & bit and not (s.sow_hand >> SECOND_MARKER) & bit:
            rates[i] -= w[WEIGHT_DROP_TARGET]


cdef inline int pile_good(const State *s, int side) noexcept nogil:
    return s.piles[pile_top(s, side)] - 1


cdef inline float rate_seaport(const State *s, const Player *p, move_t move,
                               const float *w) noexcept nogil:
    cdef int form, good, cards, wilds
    cdef float worth
    if move == MOVE_DRAW:
        return w[WEIGHT_DRAW]
    elif move < MOVE_SHIP_PAIRS:
        good = pile_good(s, move - MOVE_TAKE)
        worth = w[WEIGHT_TAKE]
        if good_count(p.hand, good) > 0:
            worth += w[WEIGHT_PAIR_CARD]
        if ((p.gold | p.silver) >> (good >> 1)) & 1:
            worth += w[WEIGHT_BONUS_CARD]
        return worth
    elif move == MOVE_SHIP_PAIRS:
        form = min(count_bits(at_least_2(p.hand)), MAX_PAIRS)
        return shipment_worth(s, p, SHIP_PAIRS, form, w) if form > 0 else 0
    elif move == MOVE_SHIP_DIFFERENT:
        form = min(count_bits(at_least_1(p.hand)), MAX_DIFFERENT)
        return shipment_worth(s, p, SHIP_DIFFERENT, form, w) if form > 0 else 0
    elif move == MOVE_PASS:
        return 0
    elif move < MOVE_EQUAL:
        good = move - MOVE_PLAY
        worth = w[WEIGHT_PLAY]
        if ((p.gold | p.silver) >> (good >> 1)) & 1:
            worth += w[WEIGHT_BONUS_CARD]
        return worth
    elif move < MOVE_EQUAL_WILD:
        form = (move - MOVE_EQUAL) // GOODS
        wilds = tables.equal_wilds[form]
        cards = tables.equal_cards[form] + wilds
    else:
        wilds = move - MOVE_EQUAL_WILD + 1
        cards = wilds
    worth = shipment_worth(s, p, SHIP_EQUAL, cards, w)
    return worth - (w[WEIGHT_WILD_CARD] - w[WEIGHT_CARD]) * wilds


cdef inline float rate_shipment(const State *s, const Player *p, move_t move,
                                const float *w) noexcept nogil:
    """Rate the next pair or card of a shipment: the VP that it adds minus its worth in hand."""
    cdef int ship = SHIP_PAIRS if s.decision == DECIDE_PAIR else SHIP_DIFFERENT
    cdef float worth
    if move == MOVE_DONE:
        return 0
    worth = shipment_worth(s, p, ship, s.step + 1, w) - shipment_worth(s, p, ship, s.step, w)
    if move == MOVE_CARD_WILD or (MOVE_PAIR_WILD <= move < MOVE_PAIR_WILDS):
        worth -= w[WEIGHT_WILD_CARD] - w[WEIGHT_CARD]
    elif move == MOVE_PAIR_WILDS:
        worth -= 2 * (w[WEIGHT_WILD_CARD] - w[WEIGHT_CARD])
    elif ship == SHIP_DIFFERENT and good_count(p.hand, move - MOVE_CARD) > 1:
        worth -= w[WEIGHT_PAIR_CARD]
    return worth


cdef inline float rate_military(const State *s, const Player *p, move_t move,
                                const float *w) noexcept nogil:
    cdef int province
    cdef float worth
    if move == MOVE_PASS:
        return 0
    elif move == MOVE_RECRUIT:
        return w[WEIGHT_RECRUIT] + w[WEIGHT_RECRUIT_LATER] * remaining_share(s)
    elif move == MOVE_DEPLOY:
        return legionnaire_vp(s, p.leader - 1) + w[WEIGHT_DEPLOY]
    province = move - MOVE_MARCH
    worth = w[WEIGHT_MARCH]
    if s.provinces[province] != 0:
        worth += forum_tile_worth(s, p, s.provinces[province] - 1, w)
    if not (p.legions_on >> province) & 1:
        worth += w[WEIGHT_MARCH_VALUE] * legionnaire_vp(s, province)
    return worth


cdef inline int more_in_reach(const State *s, const Player *p, int site) noexcept nogil:
    """Count buildings beside a site that are not yet beside one of the player's workers."""
    cdef uint64_t near = free_sites(p) if p.workers_on != 0 else 0
    return count_bits(sites_beside(<uint64_t>1 << site) & s.sites_left & ~near)


cdef inline float rate_construction(const State *s, const Player *p, move_t move,
                                    const float *w) noexcept nogil:
    cdef int building
    cdef float worth
    if move == MOVE_PASS:
        return 0
    elif move == MOVE_HIRE:
        return w[WEIGHT_HIRE] + w[WEIGHT_HIRE_LATER] * remaining_share(s)
    building = s.sites[move - MOVE_BUILD]
    worth = w[WEIGHT_BUILD] + w[WEIGHT_BUILD_REACH] * more_in_reach(s, p, move - MOVE_BUILD)
    if building == 0:
        return worth
    return worth + building_worth(p, building, w) + free_action_worth(s, p, building, w)


cdef inline float rate_bonus(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    """Rate a bonus tile on offer: its VP now, plus a part of the VP that it may bring later."""
    cdef int tile = move - MOVE_BONUS
    cdef int first = 2 * tile    # the first of the two goods that the tile counts
    if tile < GOODS_BONUSES:
        return tables.gold_vp[tile] * (
            good_count(p.display, first) + good_count(p.display, first + 1)
            + w[WEIGHT_GOLD] * (good_count(p.hand, first) + good_count(p.hand, first + 1)))
    elif tile < BONUS_WORKERS:
        return tables.gold_vp[tile] * (
            1 if p.tiles[TILE_DEMAND + tile - BONUS_BREAD] > 0 else remaining_share(s))
    elif tile == BONUS_WORKERS:
        return count_bits(p.workers_on)
    elif tile == BONUS_LEGIONS:
        return tables.gold_vp[tile] * count_bits(p.legions_on)
    return tables.gold_vp[tile] * (count_bits(p.gold) + 1)


cdef inline float rate_forum(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    return forum_tile_worth(s, p, move - MOVE_FORUM, w) if move != MOVE_PASS else 0


cdef inline float rate_senate(const State *s, const Player *p, move_t move,
                              const float *w) noexcept nogil:
    return tables.senate_vp[p.space + 1] if move != MOVE_PASS else 0


cdef inline float rate_trajan(const State *s, const Player *p, move_t move,
                              const float *w) noexcept nogil:
    return 1 + fit(p, p.arch, top_tile(s, move - MOVE_TILE), w) if move != MOVE_PASS else 0


cdef inline float rate_plus2(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    cdef int action = move - MOVE_PLUS2
    return worth_of_action(s, p, action, w) + w[WEIGHT_EXTRA_PLUS2] * p.tiles[TILE_EXTRA + action]


cdef inline float rate_effect(const State *s, const Player *p, move_t move,
                              const float *w) noexcept nogil:
    return move == MOVE_EFFECT


cdef inline float rate_discard(const State *s, const Player *p, move_t move,
                               const float *w) noexcept nogil:
    return -card_worth(p, (move - MOVE_DISCARD) % GOODS, w)


cdef inline float rate_play(const State *s, const Player *p, move_t move,
                            const float *w) noexcept nogil:
    return rate_seaport(s, p, move, w) if move != MOVE_DONE else 0


cdef inline float rate_extra(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    cdef int action = running_action(s)
    if move == MOVE_NO_EXTRA:
        return w[WEIGHT_EXTRA_KEEP] * (remaining_share(s) > 0)
    return worth_of_action(s, p, action, w) * (1 + ((p.plus2 >> action) & 1)) - (
        w[WEIGHT_EXTRA_WILD] - w[WEIGHT_EXTRA] if move == MOVE_EXTRA_WILD else 0)


cdef inline float rate_payment(const State *s, const Player *p, move_t move,
                               const float *w) noexcept nogil:
    """Rate a payment by what it gives up: stock, wilds, and tiles that a bonus tile requires."""
    cdef const byte_t *tiles = tables.payment[move - MOVE_PAY]
    cdef float worth = w[WEIGHT_DEMAND_WILD] * tiles[SYMBOLS]
    cdef int k
    for k in range(SYMBOLS):
        worth += w[WEIGHT_DEMAND_STOCK] * tiles[k]
        if tiles[k] > 0 and p.tiles[TILE_DEMAND + k] == tiles[k]:
            if ((p.gold | p.silver) >> (BONUS_BREAD + k)) & 1:
                worth += w[WEIGHT_SYMBOL_BONUS]
    return -worth


cdef inline float rate_marker(const State *s, const Player *p, move_t move,
                              const float *w) noexcept nogil:
    return w[WEIGHT_CARD]


cdef inline float rate_goods(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    cdef int good
    if move == MOVE_GOODS:
        return w[WEIGHT_CARD]
    good = pile_good(s, move - MOVE_GOODS - 1)
    return card_worth(p, good, w) + (w[WEIGHT_PAIR_CARD] if good_count(p.hand, good) else 0)


cdef inline float rate_start(const State *s, const Player *p, move_t move,
                             const float *w) noexcept nogil:
    return fit(p, 2 * s.step + 1, top_tile(s, move - MOVE_START), w)


# ---- Every decision ---------------------------------------------------------------------------

ctypedef float (*rate_t)(const State *s, const Player *p, move_t move,
                         const float *w) noexcept nogil


cdef inline void each(rate_t rate, const State *s, const Player *p, const move_t *moves, int count,
                      const float *w, float *rates) noexcept nogil:
    """Rate moves one by one. Callers pass a named function `rate`, so the compiler inlines it."""
    cdef int i
    for i in range(count):
        rates[i] = rate(s, p, moves[i], w)


cdef void rate_moves(const State *s, const move_t *moves, int count, const float *w,
                     float *rates) noexcept nogil:
    """Write to rates[i] about how many VP moves[i] is worth."""
    cdef const Player *p = &s.player[s.decider]
    cdef int decision = s.decision
    if decision == DECIDE_SOW:
        rate_sowing(s, p, moves, count, w, rates)
    elif decision == DECIDE_DROP:
        rate_drops(s, p, moves, count, w, rates)
    elif decision == DECIDE_SEAPORT:
        each(rate_seaport, s, p, moves, count, w, rates)
    elif decision == DECIDE_FORUM:
        each(rate_forum, s, p, moves, count, w, rates)
    elif decision == DECIDE_MILITARY:
        each(rate_military, s, p, moves, count, w, rates)
    elif decision == DECIDE_SENATE:
        each(rate_senate, s, p, moves, count, w, rates)
    elif decision == DECIDE_TRAJAN:
        each(rate_trajan, s, p, moves, count, w, rates)
    elif decision == DECIDE_CONSTRUCTION:
        each(rate_construction, s, p, moves, count, w, rates)
    elif decision == DECIDE_PLUS2:
        each(rate_plus2, s, p, moves, count, w, rates)
    elif decision == DECIDE_EFFECT:
        each(rate_effect, s, p, moves, count, w, rates)
    elif decision == DECIDE_DISCARD:
        each(rate_discard, s, p, moves, count, w, rates)
    elif decision == DECIDE_PLAY:
        each(rate_play, s, p, moves, count, w, rates)
    elif decision == DECIDE_PAIR or decision == DECIDE_CARD:
        each(rate_shipment, s, p, moves, count, w, rates)
    elif decision == DECIDE_EXTRA:
        each(rate_extra, s, p, moves, count, w, rates)
    elif decision == DECIDE_BONUS:
        each(rate_bonus, s, p, moves, count, w, rates)
    elif decision == DECIDE_MARKER:
        each(rate_marker, s, p, moves, count, w, rates)
    elif decision == DECIDE_GOODS:
        each(rate_goods, s, p, moves, count, w, rates)
    elif decision == DECIDE_START:
        each(rate_start, s, p, moves, count, w, rates)
    elif decision == DECIDE_PAYMENT:
        each(rate_payment, s, p, moves, count, w, rates)


cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil:
    """Write to `out` the softmax of the rates, with a temperature in VP; see `softmax`."""
    cdef const State *s = <const State *>state
    cdef bint sows = s.decision == DECIDE_SOW
    rate_moves(s, moves, count, weights, out)
    softmax(out, count, weights[WEIGHT_SOW_TEMPERATURE if sows else WEIGHT_TEMPERATURE])


cdef inline int drop_by_mask(const State *s, Rng *rng) noexcept nogil:
    """Return a random colour among those that rate_drops() rates highest."""
    cdef const Player *p = &s.player[s.active]
    cdef int tray = s.next_tray
    cdef int target = tables.tray_after[tray + count_markers(s.sow_hand) - 1]
    cdef unsigned int hand = s.sow_hand & ALL_TRAYS
    cdef unsigned int free = hand
    cdef unsigned int best
    if target != tray:
        best = missing(p, target, p.slots[target])
        free &= ~(best | best >> SECOND_MARKER) | s.sow_hand >> SECOND_MARKER
        free = free if free != 0 else hand
    best = missing(p, tray, p.slots[tray])
    best = free & (best | best >> SECOND_MARKER)
    best = best if best != 0 else free
    return pick_of_6(best, <int>rng_below(rng, count_of_6(best)))


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil:
    """Return the index of the move with the highest rate after adding noise."""
    cdef const State *s = <const State *>state
    cdef float rates[MAX_MOVES]
    if s.decision == DECIDE_DROP:
        return count_of_6(s.sow_hand & ((<unsigned int>1 << drop_by_mask(s, rng)) - 1))
    elif s.decision == DECIDE_MARKER:
        return <int>rng_below(rng, <unsigned int>count)
    elif s.decision == DECIDE_SENATE:
        rng_next(rng)
        return 0             # move 0 raises the disc, and nobody passes
    rate_moves(s, moves, count, weights, rates)
    return noisy_best(
        rates, count, weights[WEIGHT_SOW_NOISE if s.decision == DECIDE_SOW else WEIGHT_NOISE], rng)


# ---- A whole playout by the policy -------------------------------------------------------------

# What a playout records about its decisions.
cdef struct Notes:
    float rates[NO_PASS]     # rates of the moves of the current decision
    float *shortfalls        # by player; policy_playout() adds to them


cdef inline int noted(const Notes *notes, int player, float highest, int chosen) noexcept nogil:
    notes.shortfalls[player] += highest - notes.rates[chosen]
    return chosen


cdef int sow_by_mask(const State *s, const float *w, TrayCache *cache, Rng *rng,
                     Notes *notes) noexcept nogil:
    """Return the tray that policy() chooses: rate_sowing() and noisy_best() in one loop."""
    cdef const Player *p = &s.player[s.active]
    cdef Trays trays
    cdef uint64_t bits = rng_next(rng)
    cdef float scale = noise_scale(w[WEIGHT_SOW_NOISE])
    cdef int64_t key
    cdef int64_t best = LOWEST_KEY
    cdef unsigned int left = p.filled
    cdef float highest = NO_WORTH
    cdef int tray
    look_at_trays(s, p, cache, w, &trays)
    while left != 0:
        tray = lowest_bit(left)
        left &= left - 1
        notes.rates[tray] = sow_rate(&trays, tray, w)
        highest = max(highest, notes.rates[tray])
        key = key_of(notes.rates[tray], scale, bits, tray)
        best = key if key > best else best
        bits = next_noise(bits)
    return noted(notes, s.active, highest, index_of(best))


cdef inline move_t best_by_mask(rate_t rate, const State *s, int first, int size, const float *w,
                                Rng *rng, Notes *notes) noexcept nogil:
    """Return the move that policy() chooses: each() and noisy_best() in one loop.

    The bits of State.legal must stand for `size` moves from `first` on, and then for a pass. As for
    each(), callers pass a named function `rate`.
    """
    cdef const Player *p = &s.player[s.decider]
    cdef uint64_t left = s.legal
    cdef uint64_t bits = rng_next(rng)
    cdef float scale = noise_scale(w[WEIGHT_NOISE])
    cdef int64_t best = LOWEST_KEY
    cdef int64_t key
    cdef float highest = NO_WORTH
    cdef int bit
    while left != 0:
        bit = lowest_bit(left)
        left &= left - 1
        notes.rates[bit] = rate(s, p, <move_t>(first + bit if bit < size else MOVE_PASS), w)
        highest = max(highest, notes.rates[bit])
        key = key_of(notes.rates[bit], scale, bits, bit)
        best = key if key > best else best
        bits = next_noise(bits)
    bit = noted(notes, s.decider, highest, index_of(best))
    return <move_t>(first + bit if bit < size else MOVE_PASS)


cdef int policy_playout(void *state, const float *weights, Rng *rng, int transitions, int turns,
                        float *shortfalls) noexcept nogil:
    """Play out by policy(), listing the moves of rare decisions only.

    Shortfalls include neither these decisions nor dropped colours.
    """
    cdef State *s = <State *>state
    cdef const float *w = weights
    cdef move_t moves[MAX_MOVES]
    cdef TrayCache cache[MAX_PLAYERS]
    cdef Notes notes
    cdef int made = 0
    cdef int i, count
    memset(notes.rates, 0, sizeof(notes.rates))
    notes.shortfalls = shortfalls
    for i in range(s.players):
        clear(&cache[i])
    while s.decision != DECIDE_OVER and made < transitions and s.turn < turns:
        made += 1
        if s.decision == DECIDE_DROP:
            i = drop_by_mask(s, rng)
            apply_drop(s, MOVE_DROP + i)
        elif s.decision == DECIDE_SOW:
            apply_sow(s, MOVE_SOW + sow_by_mask(s, w, &cache[s.active], rng, &notes))
        elif s.decision == DECIDE_SENATE:
            rng_next(rng)
            apply_senate(s, MOVE_SENATE)
        elif s.decision == DECIDE_FORUM:
            apply_forum(s, best_by_mask(rate_forum, s, MOVE_FORUM, TILES, w, rng, &notes))
        elif s.decision == DECIDE_TRAJAN:
            apply_trajan(s, best_by_mask(rate_trajan, s, MOVE_TILE, STACKS, w, rng, &notes))
        elif s.decision == DECIDE_CONSTRUCTION:
            apply_construction(
                s, best_by_mask(rate_construction, s, MOVE_HIRE, 1 + SITES, w, rng, &notes))
        elif s.decision == DECIDE_MILITARY:
            apply_military(
                s, best_by_mask(rate_military, s, MOVE_RECRUIT, 2 + PROVINCES, w, rng, &notes))
        elif s.decision == DECIDE_SEAPORT and not has_rare_shipments(&s.player[s.active]):
            apply_seaport(s, best_by_mask(rate_seaport, s, MOVE_DRAW, NO_PASS, w, rng, &notes))
        elif s.decision == DECIDE_EXTRA:
            apply_extra(s, best_by_mask(rate_extra, s, MOVE_EXTRA, NO_PASS, w, rng, &notes))
        elif s.decision == DECIDE_DISCARD:
            apply_discard(s, best_by_mask(rate_discard, s, MOVE_DISCARD, NO_PASS, w, rng, &notes))
        elif s.decision == DECIDE_MARKER:
            i = <int>rng_below(rng, count_of_6(<unsigned int>s.legal))
            apply_marker(s, MOVE_MARKER + pick_of_6(<unsigned int>s.legal, i))
        elif s.decision == DECIDE_BONUS:
            apply_bonus(s, best_by_mask(rate_bonus, s, MOVE_BONUS, NO_PASS, w, rng, &notes))
        elif s.decision == DECIDE_GOODS:
            apply_goods(s, best_by_mask(rate_goods, s, MOVE_GOODS, NO_PASS, w, rng, &notes))
        elif s.decision == DECIDE_START:
            apply_start(s, best_by_mask(rate_start, s, MOVE_START, NO_PASS, w, rng, &notes))
        else:
            count = list_moves(s, moves)
            apply_move(s, moves[policy(s, moves, count, w, rng)])
            continue
        if is_forced(s):
            apply_forced(s, False)
    return made
