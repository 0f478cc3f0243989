"""Events for what a move itself does. The files of the rules report its consequences."""

cdef void report_move(State *s, move_t move) noexcept nogil:
    """Report a legal move that is about to be carried out."""
    cdef const Player *p = &s.player[s.active]
    cdef int form
    if s.decision <= ACTION_CONSTRUCTION and move == MOVE_PASS:
        happen(s, EVENT_PASS, s.active, s.decision, 0)
    elif s.decision == DECIDE_MARKER:
        happen(s, EVENT_PLACE_MARKER, s.active, move - MOVE_MARKER, (s.step >> 1) + 1)
    elif s.decision == DECIDE_START:
        happen(s, EVENT_TAKE_TILE, s.active, top_tile(s, move - MOVE_START) - 1, 0)
    elif s.decision == DECIDE_SOW:
        form = move - MOVE_SOW
        happen(s, EVENT_SOW, s.active, form, count_markers(p.trays[form]))
    elif s.decision == DECIDE_PLUS2:
        happen(s, EVENT_PLACE_PLUS2, s.active, move - MOVE_PLUS2, 0)
    elif s.decision == DECIDE_FORUM:
        happen(s, EVENT_TAKE_FORUM_TILE, s.active, move - MOVE_FORUM, 0)
    elif s.decision == DECIDE_MILITARY:
        report_military(s, move)
    elif s.decision == DECIDE_TRAJAN:
        happen(s, EVENT_TAKE_TILE, s.active, top_tile(s, move - MOVE_TILE) - 1, 0)
    elif s.decision == DECIDE_CONSTRUCTION:
        if move == MOVE_HIRE:
            happen(s, EVENT_GET_WORKERS, s.active, NO_THING, 1)
        else:
            happen(s, EVENT_PLACE_WORKER, s.active, move - MOVE_BUILD, 0)
    elif s.decision == DECIDE_EXTRA and move != MOVE_NO_EXTRA:
        form = TILE_EXTRA + running_action(s) if move == MOVE_EXTRA else TILE_WILD_ACTION
        report_use(s, s.active, form, 1)
    elif s.decision == DECIDE_PAYMENT:
        report_payment(s, s.decider, tables.payment[move - MOVE_PAY])
    elif s.decision == DECIDE_BONUS:
        report_bonus(s, move - MOVE_BONUS)
    else:
        report_cards(s, move)


cdef void report_use(State *s, int player, int tile, int count) noexcept nogil:
    """Report forum tiles of a kind that a player spends, if any."""
    if count > 0:
        happen(s, EVENT_USE_TILE, player, tile, count)


cdef void report_draws(State *s, uint64_t drawn) noexcept nogil:
    """Report cards drawn from the deck, sorted by good, because a hand has no order."""
    cdef int good, i
    for good in range(GOODS):
        for i in range(good_count(drawn, good)):
            note(s, EVENT_DRAW, s.active, good, 0, NO_SOURCE, 0, EVERYBODY, 1 << s.active)


cdef void report_lay_out(State *s, int good, int count) noexcept nogil:
    happen(s, EVENT_LAY_OUT, s.active, good, count)


cdef void report_cards(State *s, move_t move) noexcept nogil:
    """Report the cards and wild goods tiles of a move at the seaport."""
    cdef int form
    if s.decision == DECIDE_DISCARD:
        happen(s, EVENT_LAY_OFF, s.active, (move - MOVE_DISCARD) % GOODS, 0)
    elif MOVE_PLAY <= move < MOVE_EQUAL:
        report_lay_out(s, move - MOVE_PLAY, 1)
    elif MOVE_EQUAL <= move < MOVE_EQUAL_WILD:
        form = (move - MOVE_EQUAL) // GOODS
        report_lay_out(s, (move - MOVE_EQUAL) % GOODS, tables.equal_cards[form])
        report_use(s, s.active, TILE_WILD_GOODS, tables.equal_wilds[form])
    elif MOVE_EQUAL_WILD <= move < MOVE_DISCARD:
        report_use(s, s.active, TILE_WILD_GOODS, move - MOVE_EQUAL_WILD + 1)
    elif MOVE_PAIR <= move < MOVE_PAIR_WILD:
        report_lay_out(s, move - MOVE_PAIR, 2)
    elif MOVE_PAIR_WILD <= move < MOVE_PAIR_WILDS:
        report_lay_out(s, move - MOVE_PAIR_WILD, 1)
        report_use(s, s.active, TILE_WILD_GOODS, 1)
    elif move == MOVE_PAIR_WILDS:
        report_use(s, s.active, TILE_WILD_GOODS, 2)
    elif MOVE_CARD <= move < MOVE_CARD_WILD:
        report_lay_out(s, move - MOVE_CARD, 1)
    elif move == MOVE_CARD_WILD:
        report_use(s, s.active, TILE_WILD_GOODS, 1)


cdef void report_military(State *s, move_t move) noexcept nogil:
    cdef int province = move - MOVE_MARCH
    if move == MOVE_RECRUIT:
        happen(s, EVENT_GET_LEGIONNAIRES, s.active, NO_THING, 1)
    elif move >= MOVE_MARCH:
        happen(s, EVENT_MARCH, s.active, province, 0)
        if s.provinces[province] != 0:
            happen(s, EVENT_TAKE_PROVINCE_TILE, s.active, s.provinces[province] - 1, 0)


cdef void report_payment(State *s, int player, const byte_t *tiles) noexcept nogil:
    """Report the forum tiles that pay demands: the tiles of each symbol, then wilds."""
    cdef int k
    for k in range(SYMBOLS):
        report_use(s, player, TILE_DEMAND + k, tiles[k])
    report_use(s, player, TILE_WILD_DEMAND, tiles[SYMBOLS])


cdef void report_bonus(State *s, int tile) noexcept nogil:
    """Report the bonus tiles of the consul and of the second in the senate."""
    cdef int other = lowest_bit(s.offer & ~(1 << tile))
    happen(s, EVENT_WIN_GOLD, s.decider, tile, 0)
    happen(s, EVENT_WIN_SILVER, s.order[s.players - 2], other, 0)
