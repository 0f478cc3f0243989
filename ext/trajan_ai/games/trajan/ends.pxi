"""Ends of rounds, quarters and the game."""

cdef inline uint64_t bonus_moves(const State *s) noexcept nogil:
    return s.offer


cdef void end_rounds(State *s) noexcept nogil:
    """Carry out the ends of rounds due now, up to the first decision at the end of a quarter."""
    cdef byte_t before[SYMBOLS]
    memcpy(before, s.row, sizeof(before))
    while s.rounds_due > 0:
        s.rounds_due -= 1
        if s.round == ROUNDS - 1:
            report_demands(s, before)
            take_losses(s)
            if s.options & OPTION_DEMAND_PAYMENT_CHOSEN:
                enter_payment(s, 0)
            else:
                pay_demands(s)
                enter_bonus(s)
            return
        s.round += 1
        s.row[next_demand(s)] += 1
    report_demands(s, before)
    next_player(s)


# ---- Demands ----------------------------------------------------------------------------------

cdef void report_demands(State *s, const byte_t *before) noexcept nogil:
    """Report the demand tiles revealed since `before`, in the order of their symbols.

    The row has no order, so if two rounds end at once, the events must not show which tile came
    first.
    """
    cdef int i, k
    if expect(s.options & OPTION_REPORTED, 0):
        for k in range(SYMBOLS):
            for i in range(s.row[k] - before[k]):
                happen(s, EVENT_REVEAL_DEMAND, NO_PLAYER, k, 0)


cdef void take_losses(State *s) noexcept nogil:
    cdef int i, k, missed
    for i in range(s.players):
        missed = -covered(s, &s.player[i])
        for k in range(SYMBOLS):
            missed += demanded(s, &s.player[i], k)
        if missed < ROUNDS - 1:
            happen(s, EVENT_MEET_DEMANDS, i, NO_THING, ROUNDS - 1 - missed)
        if missed > 0:
            earn(s, &s.player[i], VP_DEMANDS, -tables.demand_loss[missed], EVENT_MISS_DEMANDS,
                 NO_THING, missed)


cdef void pay_demands(State *s) noexcept nogil:
    """Pay all demands, with forum tiles before wilds; in quarter 4 the final scoring pays them."""
    cdef int i, k, rest
    cdef byte_t paid[SYMBOLS + 1]
    cdef Player *p
    if s.quarter == QUARTERS - 1:
        return
    for i in range(s.players):
        p = &s.player[i]
        rest = 0
        for k in range(SYMBOLS):
            paid[k] = min(demanded(s, p, k), p.tiles[TILE_DEMAND + k])
            rest += demanded(s, p, k) - paid[k]
            p.tiles[TILE_DEMAND + k] -= paid[k]
        paid[SYMBOLS] = min(rest, p.tiles[TILE_WILD_DEMAND])
        p.tiles[TILE_WILD_DEMAND] -= paid[SYMBOLS]
        if expect(s.options & OPTION_REPORTED, 0):
            report_payment(s, i, paid)
    clear_row(s)


cdef uint64_t payment_moves(const State *s) noexcept nogil:
    """List the payments that cover as many demands as possible without a wasted tile."""
    cdef const Player *p = &s.player[s.decider]
    cdef const byte_t *tiles
    cdef uint64_t moves = 0
    cdef int due = covered(s, p)
    cdef bint possible
    cdef int i, k, total
    for i in range(PAYMENTS):
        tiles = tables.payment[i]
        total = tiles[SYMBOLS]
        possible = tiles[SYMBOLS] <= p.tiles[TILE_WILD_DEMAND]
        for k in range(SYMBOLS):
            total += tiles[k]
            possible &= tiles[k] <= min(demanded(s, p, k), p.tiles[TILE_DEMAND + k])
        moves |= <uint64_t>(possible and total == due) << i
    return moves


cdef void enter_payment(State *s, int player) noexcept nogil:
    """Continue with the next player who has demands to pay, or with the senate."""
    cdef uint64_t moves
    for s.decider in range(player, s.players):
        moves = payment_moves(s)
        if moves != 0:
            enter_decision(s, DECIDE_PAYMENT, moves)
            return
    clear_row(s)
    enter_bonus(s)


cdef void apply_payment(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.decider]
    cdef const byte_t *tiles = tables.payment[move - MOVE_PAY]
    cdef int k
    for k in range(SYMBOLS):
        p.tiles[TILE_DEMAND + k] -= tiles[k]
    p.tiles[TILE_WILD_DEMAND] -= tiles[SYMBOLS]
    enter_payment(s, s.decider + 1)


cdef inline void clear_row(State *s) noexcept nogil:
    """Remove the demand tiles of the quarter."""
    memset(s.row, 0, sizeof(s.row))


# ---- Senate -----------------------------------------------------------------------------------

cdef void enter_bonus(State *s) noexcept nogil:
    """Rank the senate; the winner chooses a bonus tile."""
    if s.options & OPTION_FINAL_TIE_TRACK and s.quarter == QUARTERS - 1:
        memcpy(s.track, s.order, sizeof(s.track))
    s.decider = rank_senate(s)
    enter_decision(s, DECIDE_BONUS, bonus_moves(s))


cdef int rank_senate(State *s) noexcept nogil:
    """Move all discs to the start space, stacked by votes; return the winner, who is on top.

    Ties keep the previous order (further along, then higher), because the sort is stable.
    """
    cdef int votes[MAX_PLAYERS]
    cdef int i, j, player
    for i in range(s.players):
        votes[i] = count_votes(&s.player[i])
        s.player[i].space = 0
    for i in range(1, s.players):
        player = s.order[i]
        j = i
        while j > 0 and votes[s.order[j - 1]] > votes[player]:
            s.order[j] = s.order[j - 1]
            j -= 1
        s.order[j] = player
    if expect(s.options & OPTION_REPORTED, 0):
        for i in range(s.players - 1, -1, -1):
            happen(s, EVENT_COUNT_VOTES, s.order[i], NO_THING, votes[s.order[i]])
    return s.order[s.players - 1]


cdef void apply_bonus(State *s, move_t move) noexcept nogil:
    """Give the consul one bonus tile, and the second in the senate the other."""
    cdef int taken = 1 << (move - MOVE_BONUS)
    s.player[s.decider].gold |= taken
    s.player[s.order[s.players - 2]].silver |= s.offer & ~taken
    s.offer = 0
    if s.quarter == QUARTERS - 1:
        finish_game(s)
        return
    s.quarter += 1
    happen(s, EVENT_END_QUARTER, NO_PLAYER, NO_THING, s.quarter)
    s.round = 0
    begin_quarter(s)
    end_rounds(s)


# ---- The next quarter, or the end -------------------------------------------------------------

cdef void begin_quarter(State *s) noexcept nogil:
    """Remove vote and forum tiles, lay out new bonus, province and forum tiles, turn ships."""
    cdef int i, k
    cdef unsigned int occupied = 0
    for i in range(s.players):
        for k in range(VOTES):
            s.player[i].tiles[TILE_VOTES + k] = 0
        occupied |= s.player[i].legions_on | ((<unsigned int>1 << s.player[i].leader) >> 1)
    if s.options & OPTION_PROVINCE_VOTES_LEAVE:
        for i in range(PROVINCES):
            if TILE_VOTES < s.provinces[i] <= TILE_VOTES + VOTES:
                s.provinces[i] = 0
    memset(s.forum, 0, sizeof(s.forum))
    s.forum_kinds = 0
    s.ships = ALL_SHIPS
    offer_bonus(s)
    for i in range(PROVINCES):
        if s.provinces[i] == 0 and not (occupied >> i) & 1 and s.supply_size > 0:
            s.provinces[i] = next_of_supply(s) + 1
    fill_forum(s)


cdef void finish_game(State *s) noexcept nogil:
    happen(s, EVENT_END_QUARTER, NO_PLAYER, NO_THING, QUARTERS)
    score_game(s)
    clear_row(s)
    s.rounds_due = 0
    s.active = 0
    s.decider = 0
    enter_decision(s, DECIDE_OVER, 0)
