"""Scoring: votes, demands, building sets, bonus tiles, the end of the game, ranks."""

cdef inline int count_votes(const Player *p) noexcept nogil:
    cdef int votes = p.space + 1 if p.space > 0 else 0
    cdef int i
    for i in range(VOTES):
        votes += (i + 2) * p.tiles[TILE_VOTES + i]
    return votes


cdef inline int demanded(const State *s, const Player *p, int symbol) noexcept nogil:
    """Return how many demands of a symbol the player's Trajan demand tiles do not cover."""
    return max(s.row[symbol] - p.demands[symbol], 0)


cdef inline int covered(const State *s, const Player *p) noexcept nogil:
    """Return how many demands the player's forum tiles and wilds can cover."""
    cdef int paid = 0
    cdef int rest = 0
    cdef int k, pay
    for k in range(SYMBOLS):
        pay = min(demanded(s, p, k), p.tiles[TILE_DEMAND + k])
        paid += pay
        rest += demanded(s, p, k) - pay
    return paid + min(rest, p.tiles[TILE_WILD_DEMAND])


# ---- Bonus tiles for symbols, and the demands of quarter 4 ------------------------------------

cdef int bonus_of_symbols(const State *s, const Player *p, const int *left,
                          int wilds) noexcept nogil:
    """Return the VP of bonus tiles for symbols with these forum tiles left.

    With OPTION_WILD_DEMAND_SCORES, wilds stand for missing symbols, those of gold tiles first.
    """
    cdef int vp = 0
    cdef int open_gold = 0
    cdef int open_silver = 0
    cdef int k, tile
    for k in range(SYMBOLS):
        tile = BONUS_BREAD + k
        if (p.gold >> tile) & 1:
            if left[k] > 0:
                vp += tables.gold_vp[tile]
            else:
                open_gold += 1
        elif (p.silver >> tile) & 1:
            if left[k] > 0:
                vp += tables.silver_vp[tile]
            else:
                open_silver += 1
    if s.options & OPTION_WILD_DEMAND_SCORES:
        k = min(open_gold, wilds)
        vp += k * tables.gold_vp[BONUS_BREAD]
        vp += min(open_silver, wilds - k) * tables.silver_vp[BONUS_BREAD]
    return vp


cdef struct Payment:
    int left[SYMBOLS]        # forum tiles that stay, by symbol
    int wilds                # wilds that pay
    int vp                   # VP of the bonus tiles for symbols afterwards


cdef int try_payment(const State *s, const Player *p, const int *wild,
                     Payment *payment) noexcept nogil:
    """Pay with wild[k] wilds for symbol k, forum tiles for the rest; return the demands covered."""
    cdef int covered = 0
    cdef int k, tiles
    payment.wilds = 0
    for k in range(SYMBOLS):
        tiles = min(demanded(s, p, k) - wild[k], p.tiles[TILE_DEMAND + k])
        payment.left[k] = p.tiles[TILE_DEMAND + k] - tiles
        payment.wilds += wild[k]
        covered += tiles + wild[k]
    payment.vp = bonus_of_symbols(s, p, payment.left, p.tiles[TILE_WILD_DEMAND] - payment.wilds)
    return covered


cdef int settle_demands(State *s, Player *p) noexcept nogil:
    """Pay the demands of quarter 4 with the tiles that leave the most VP; return those VP.

    The payment is the best of those that cover as many demands as possible; among equally good
    payments, it has the fewest wilds, then the most bread, then the most games.
    """
    cdef Payment best
    cdef Payment payment
    cdef byte_t paid[SYMBOLS + 1]
    cdef int wild[SYMBOLS]
    cdef int most = -1
    cdef int a, b, c, k, covered
    memset(&best, 0, sizeof(Payment))
    for a in range(demanded(s, p, 0) + 1):
        for b in range(demanded(s, p, 1) + 1):
            for c in range(demanded(s, p, 2) + 1):
                if a + b + c > p.tiles[TILE_WILD_DEMAND]:
                    continue
                wild[0], wild[1], wild[2] = a, b, c
                covered = try_payment(s, p, wild, &payment)
                if covered > most or (covered == most and (
                        payment.vp > best.vp
                        or (payment.vp == best.vp and payment.wilds < best.wilds))):
                    most = covered
                    best = payment
    for k in range(SYMBOLS):
        paid[k] = <byte_t>(p.tiles[TILE_DEMAND + k] - best.left[k])
        p.tiles[TILE_DEMAND + k] = best.left[k]
    paid[SYMBOLS] = <byte_t>best.wilds
    p.tiles[TILE_WILD_DEMAND] -= best.wilds
    if expect(s.options & OPTION_REPORTED, 0):
        report_payment(s, <int>(p - s.player), paid)
    return best.vp


# ---- Everything else --------------------------------------------------------------------------

cdef int set_value(const Player *p) noexcept nogil:
    """Return the VP of building sets; wild buildings join the best kinds."""
    cdef int size[BUILDINGS]
    cdef int wilds = p.tiles[TILE_WILD_BUILDING]
    cdef int vp = 0
    cdef int gain = 0
    cdef int gain_2 = 0
    cdef int here, k, m
    for k in range(BUILDINGS):
        size[k] = count_of_6((p.buildings >> (4 * k)) & 15)
        vp += tables.set_vp[size[k]]
    if wilds == 0:
        return vp
    for k in range(BUILDINGS):
        here = tables.set_vp[size[k] + 1] - tables.set_vp[size[k]]
        gain = max(gain, here)
        gain_2 = max(gain_2, tables.set_vp[size[k] + 2] - tables.set_vp[size[k]])
        for m in range(k):
            gain_2 = max(
                gain_2, here + tables.set_vp[size[m] + 1] - tables.set_vp[size[m]])
    return vp + (gain if wilds == 1 else gain_2)


cdef inline int vp_each(const Player *p, int tile) noexcept nogil:
    """Return the VP of a bonus tile per thing that it counts, or 0 for players without it."""
    if (p.gold >> tile) & 1:
        return tables.gold_vp[tile]
    return tables.silver_vp[tile] if (p.silver >> tile) & 1 else 0


cdef int bonus_of_goods(const Player *p) noexcept nogil:
    """Return the VP of bonus tiles for goods; wild goods tiles count for the most valuable bonus.
    """
    cdef int vp = 0
    cdef int dearest = 0
    cdef int each, k
    for k in range(GOODS_BONUSES):
        each = vp_each(p, k)
        if each > 0:
            vp += each * (good_count(p.display, 2 * k) + good_count(p.display, 2 * k + 1))
            dearest = max(dearest, each)
    return vp + dearest * p.tiles[TILE_WILD_GOODS]


cdef int bonus_of_figures(const Player *p) noexcept nogil:
    """Return the VP of the bonus tiles for workers on sites, legionnaires in provinces and gold
    tiles."""
    return ((vp_each(p, BONUS_WORKERS) * count_bits(p.workers_on) + 1) // 2
            + vp_each(p, BONUS_LEGIONS) * count_bits(p.legions_on)
            + vp_each(p, BONUS_GOLD) * count_bits(p.gold))


cdef void score_game(State *s) noexcept nogil:
    """Add the VP of the final scoring to each player."""
    cdef int i, k, slots
    cdef Player *p
    for i in range(s.players):
        p = &s.player[i]
        slots = 0
        if s.options & OPTION_SCORE_SLOT_TILES:
            for k in range(TRAYS):
                slots += p.slots[k] != 0
        earn_some(s, p, VP_LEFTOVERS, p.hand_size, EVENT_SCORE_CARDS, p.hand_size)
        earn_some(s, p, VP_LEFTOVERS, p.workers, EVENT_SCORE_WORKERS, p.workers)
        earn_some(s, p, VP_LEFTOVERS, p.legionnaires, EVENT_SCORE_LEGIONNAIRES, p.legionnaires)
        earn_some(s, p, VP_LEFTOVERS, slots, EVENT_SCORE_TILES, slots)
        earn_some(s, p, VP_BUILDING_SETS, set_value(p), EVENT_SCORE_SETS, 0)
        earn_some(s, p, VP_BONUS_TILES, settle_demands(s, p), EVENT_SCORE_SYMBOLS, 0)
        earn_some(s, p, VP_BONUS_TILES, bonus_of_goods(p), EVENT_SCORE_GOODS, 0)
        earn_some(s, p, VP_BONUS_TILES, bonus_of_figures(p), EVENT_SCORE_FIGURES, 0)


cdef void scores_of(const void *state, int32_t *scores) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int i
    for i in range(s.players):
        scores[i] = s.player[i].score


cdef inline int tied(const State *s, int i) noexcept nogil:
    """Return the i-th player by the disc that decides a tie, the lowest disc first."""
    return s.track[i] if s.options & OPTION_FINAL_TIE_TRACK else s.order[i]


cdef void ranks_of(const void *state, int32_t *ranks) noexcept nogil:
    """Rank players by VP; in a tie, the player with the higher disc is first.

    The discs are those after the last senate ranking or, with OPTION_FINAL_TIE_TRACK, before it.
    """
    cdef const State *s = <const State *>state
    cdef int i, k
    cdef int32_t here, other
    for i in range(s.players):
        here = s.player[tied(s, i)].score
        ranks[tied(s, i)] = 1
        for k in range(s.players):
            other = s.player[tied(s, k)].score
            if other > here or (other == here and k > i):
                ranks[tied(s, i)] += 1
