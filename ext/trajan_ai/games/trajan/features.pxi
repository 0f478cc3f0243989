"""A player's knowledge as numbers for learners. Seats are in turn order, the observer's first.

These functions read only what is open, the observer's hand, and counts that follow by exclusion.
features.py contains the names of the numbers, in the same order.
"""

cdef enum:
    NO_SCORE = 64            # added to a score, which may be below zero
    TILE = 16                # numbers that describe a Trajan tile
    SITE = 8                 # numbers that describe a building
    TRAJAN_TILES = 55        # no tile, and 54 tiles
    CARD_KINDS = 21          # no building, and 20 combinations of a building's kind and VP
    MAX_FEATURES = 4096     # room for the features of a state

cdef uint8_t[TRAJAN_TILES][TILE] tile_inputs
cdef uint8_t[CARD_KINDS][SITE] building_inputs


# ---- Parts ------------------------------------------------------------------------------------

cdef inline uint8_t *put_markers(uint8_t *out, int tray) noexcept nogil:
    """Write how many markers there are of each colour, at most two."""
    cdef uint64_t counts = spread(tray) + spread(tray >> SECOND_MARKER)
    memcpy(out, &counts, COLOURS)
    return out + COLOURS


cdef inline uint8_t *put_goods(uint8_t *out, uint64_t goods) noexcept nogil:
    cdef int i
    for i in range(GOODS):
        out[i] = <uint8_t>good_count(goods, i)
    return out + GOODS


cdef inline uint8_t *put_tile(uint8_t *out, int tile) noexcept nogil:
    """Write a Trajan tile, given as its number + 1, or as 0 if there is no tile."""
    return put_bytes(out, tile_inputs[tile], TILE)


cdef void fill_inputs() noexcept:
    """Describe Trajan tiles and buildings as features."""
    cdef int i, k
    for i in range(1, TRAJAN_TILES):
        tile_inputs[i][0] = 1
        put_markers(&tile_inputs[i][1], tables.need[i])
        tile_inputs[i][1 + COLOURS] = tables.tile_vp[i]
        k = tables.tile_effect[i]
        if k == EFFECT_DEMAND:
            tile_inputs[i][TILE - SYMBOLS + tables.tile_amount[i]] = 1
        else:
            tile_inputs[i][2 + COLOURS + k] = tables.tile_factor[i] or 1
    for i in range(1, CARD_KINDS):
        building_inputs[i][(i - 1) // 4] = 1
        building_inputs[i][BUILDINGS] = tables.building_vp[i]


# ---- A player ---------------------------------------------------------------------------------

cdef inline uint8_t *put_player(uint8_t *out, const Player *p, bint own) noexcept nogil:
    cdef int i
    out = put(out, p.score + NO_SCORE)
    for i in range(TRAYS):
        out = put_markers(out, p.trays[i])
    for i in range(TRAYS):
        out = put(out, count_markers(p.trays[i]))
    for i in range(TRAYS):
        out = put_tile(out, p.slots[i])
    out = put_one(out, p.arch, CENTRE + 1)
    out = put_bits(out, p.plus2, TRAYS)
    out = put_goods(out, p.hand if own else p.known)
    out = put(out, p.hand_size)
    out = put_goods(out, p.display)
    out = put_bytes(out, p.tiles, TILES)
    out = put_bytes(out, p.demands, SYMBOLS)
    out = put(out, p.supply)
    out = put(out, p.legionnaires)
    out = put(out, p.workers)
    out = put_one(out, p.leader, PROVINCES + 1)
    out = put_bits(out, p.legions_on, PROVINCES)
    out = put_bits(out, p.workers_on, SITES)
    out = put_bits(out, p.buildings, SITES)
    out = put_bits(out, p.gold, BONUSES)
    out = put_bits(out, p.silver, BONUSES)
    return put_one(out, p.space, LAST_SPACE + 1)


# ---- The decision -----------------------------------------------------------------------------

cdef inline int after_good(const State *s) noexcept nogil:
    """Return the good after which the next card must come in order, or GOODS if there is none."""
    if s.decision == DECIDE_PLAY:
        return s.last
    if (s.decision == DECIDE_PAIR or s.decision == DECIDE_CARD) and s.last > 0:
        return s.last - 1
    return GOODS


cdef inline uint8_t *put_decision(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int players = s.players
    cdef int shift = players - observer
    cdef bint second = s.decision == DECIDE_MARKER and s.step & 1
    out = put_one(out, s.decision, DECISIONS)
    out = put_one(out, (s.decider + shift) % players if s.decision != DECIDE_OVER else players,
                  players)
    out = put_one(out, (s.active + shift) % players, players)
    out = put_markers(out, s.sow_hand)
    out = put_one(out, s.next_tray if s.decision == DECIDE_DROP else <int>TRAYS, TRAYS)
    out = put_one(out, s.target, TRAYS)
    out = put_tile(out, s.effect)
    out = put_one(out, <int>s.free_action - 1, TRAYS)
    out = put(out, s.in_free)
    out = put_one(out, <int>s.repeating - 1, 2)
    out = put(out, s.repeats)
    out = put(out, s.extra_spent)
    out = put(out, s.step)
    out = put_one(out, after_good(s), GOODS)
    out = put_one(out, s.last if second else <int>COLOURS, COLOURS)
    return put_bits(out, s.last if s.decision == DECIDE_START else 0, STACKS)


# ---- The board --------------------------------------------------------------------------------

cdef inline uint8_t *put_stacks(uint8_t *out, const State *s) noexcept nogil:
    """Write the Trajan tiles on top of the stacks, once they lie open."""
    cdef int i
    cdef bint hidden = s.decision == DECIDE_MARKER
    for i in range(STACKS):
        out = put_tile(out, 0 if hidden or s.stack_size[i] == 0 else top_tile(s, i))
    out = put_bytes(out, s.stack_size, STACKS)
    return out


cdef inline uint8_t *put_goods_table(uint8_t *out, const State *s, int observer) noexcept nogil:
    """Write discard piles, deck, and how many cards of each good the observer has not seen."""
    cdef int side
    for side in range(2):
        out = put_one(out, <int>s.piles[pile_top(s, side)] - 1 if s.pile_size[side] else -1, GOODS)
        out = put(out, s.pile_size[side])
    out = put(out, s.deck_size)
    return put_goods(out, unseen_goods(s, observer))


cdef inline uint8_t *put_board(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int i
    out = put_one(out, s.quarter, QUARTERS)
    out = put_one(out, s.round, ROUNDS)
    out = put(out, s.lap_length - s.time)
    out = put(out, s.rounds_due)
    out = put_bits(out, s.ships, SHIP_DIFFERENT + 1)
    out = put_bytes(out, s.forum, TILES)
    for i in range(PROVINCES):
        out = put_one(out, <int>s.provinces[i] - 1, TILES)
    for i in range(SITES):
        out = put_bytes(out, building_inputs[s.sites[i]], BUILDINGS + 1)
    out = put_bytes(out, s.row, SYMBOLS)
    out = put_bits(out, s.offer, BONUSES)
    out = put_stacks(out, s)
    out = put_goods_table(out, s, observer)
    for i in range(s.players):
        out = put_one(out, (s.order[i] + s.players - observer) % s.players, s.players)
    out = put_bytes(out, s.supply_counts, TILES)
    out = put_bytes(out, s.extra_counts, EXTRAS)
    out = put_bytes(out, s.demand_counts, SYMBOLS)
    return put_bits(out, s.bonus_hidden, BONUSES)


# ---- All of it --------------------------------------------------------------------------------

cdef uint8_t *put_all(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int i
    for i in range(s.players):
        out = put_player(out, &s.player[(observer + i) % s.players], i == 0)
    out = put_decision(out, s, observer)
    return put_board(out, s, observer)


cdef void write_features(const void *state, int observer, uint8_t *out) noexcept nogil:
    put_all(out, <const State *>state, observer)
