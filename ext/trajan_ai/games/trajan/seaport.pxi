"""The seaport: drawing, taking, laying cards, and shipping them."""

cdef enum:
    MAX_PAIRS = 3
    MAX_DIFFERENT = 4
    COMMON_EQUAL = 3         # forms of shipments of equal cards that State.legal has bits for
    # Bits of State.legal.
    PLAY_DONE = 1 << GOODS
    PAIR_WILD = GOODS
    PAIR_WILDS = 1 << (2 * GOODS)
    PAIR_DONE = 1 << (2 * GOODS + 1)
    CARD_WILD = 1 << GOODS
    CARD_DONE = 1 << (GOODS + 1)


cdef inline bint has_rare_shipments(const Player *p) noexcept nogil:
    return p.tiles[TILE_WILD_GOODS] > 0 or (p.hand & <uint64_t>0x444444444444) != 0


cdef inline int rare_shipments(const Player *p, move_t *moves) noexcept nogil:
    """Write the shipments of equal cards that State.legal has no bits for; return their number."""
    cdef int wilds = p.tiles[TILE_WILD_GOODS]
    cdef int count = 0
    cdef int form, good
    for form in range(COMMON_EQUAL, EQUAL_FORMS):
        if tables.equal_wilds[form] > wilds:
            break
        for good in range(GOODS):
            if good_count(p.hand, good) >= tables.equal_cards[form]:
                moves[count] = MOVE_EQUAL + form * GOODS + good
                count += 1
    for form in range(wilds):
        moves[count] = MOVE_EQUAL_WILD + form
        count += 1
    return count


cdef inline uint64_t discard_moves(const Player *p) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    return one | one << GOODS


cdef inline uint64_t play_moves(const State *s, const Player *p) noexcept nogil:
    """Return the legal second cards as bits, from the good of the first card (State.last) on."""
    return PLAY_DONE | ((at_least_1(p.hand) >> s.last) << s.last)


cdef inline uint64_t pair_moves(const State *s, const Player *p) noexcept nogil:
    """Return the legal next pairs as bits, from the first good still allowed (State.last) on.

    State.step is the number of pairs already laid.
    """
    cdef uint64_t later = (<uint64_t>ALL_GOODS << s.last) & ALL_GOODS
    cdef uint64_t moves
    if s.step == MAX_PAIRS:
        return PAIR_DONE
    moves = at_least_2(p.hand) & later
    if p.tiles[TILE_WILD_GOODS] > 0:
        moves |= (at_least_1(p.hand) & later) << PAIR_WILD
        if p.tiles[TILE_WILD_GOODS] > 1:
            moves |= PAIR_WILDS
    if s.step > 0:
        moves |= PAIR_DONE
    return moves


cdef inline uint64_t card_moves(const State *s, const Player *p) noexcept nogil:
    """Return the legal next cards as bits, from the first good still allowed (State.last) on.

    State.step is the number of cards already laid.
    """
    cdef uint64_t later = (<uint64_t>ALL_GOODS << s.last) & ALL_GOODS
    cdef uint64_t moves
    if s.step == MAX_DIFFERENT:
        return CARD_DONE
    moves = at_least_1(p.hand) & later
    if p.tiles[TILE_WILD_GOODS] > 0:
        moves |= CARD_WILD
    if s.step > 0:
        moves |= CARD_DONE
    return moves


cdef inline bint needs_hand(const State *s) noexcept nogil:
    """Return whether the legal moves of the decision follow from the cards in hand."""
    return s.decision == DECIDE_SEAPORT or DECIDE_DISCARD <= s.decision <= DECIDE_CARD


cdef inline uint64_t moves_of_hand(const State *s) noexcept nogil:
    """Return the legal moves of a decision for which needs_hand() is true."""
    cdef const Player *p = &s.player[s.active]
    if s.decision == DECIDE_SEAPORT:
        return seaport_moves(s, p)
    elif s.decision == DECIDE_DISCARD:
        return discard_moves(p)
    elif s.decision == DECIDE_PLAY:
        return play_moves(s, p)
    elif s.decision == DECIDE_PAIR:
        return pair_moves(s, p)
    return card_moves(s, p)


# ---- What the moves do ------------------------------------------------------------------------

cdef inline void lay_cards(Player *p, int good, int count) noexcept nogil:
    lose_cards(p, good, count)
    p.display += count * one_good(good)


cdef inline int ship_vp(const State *s, int ship, int size) noexcept nogil:
    """Return the VP of a shipment of `size` cards or pairs, on the side that the ship shows."""
    return tables.ship_vp[(s.ships >> ship) & 1][ship][size]


cdef inline void finish_shipment(State *s, Player *p, int ship, int size) noexcept nogil:
    earn(s, p, VP_SHIPS, ship_vp(s, ship, size), EVENT_SHIP, ship, size)
    s.ships &= ~(1 << ship)
    s.step = 0
    s.last = 0
    performed(s)


cdef inline void apply_seaport(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int form, good
    if move == MOVE_DRAW:
        draw_cards(s, p, 2)
        enter_decision(s, DECIDE_DISCARD, discard_moves(p))
    elif move < MOVE_SHIP_PAIRS:
        take_from_pile(s, p, move - MOVE_TAKE)
        performed(s)
    elif move == MOVE_SHIP_PAIRS:
        enter_decision(s, DECIDE_PAIR, pair_moves(s, p))
    elif move == MOVE_SHIP_DIFFERENT:
        enter_decision(s, DECIDE_CARD, card_moves(s, p))
    elif move == MOVE_PASS:
        passed(s)
    elif move < MOVE_EQUAL:
        s.last = move - MOVE_PLAY
        lay_cards(p, s.last, 1)
        enter_decision(s, DECIDE_PLAY, play_moves(s, p))
    elif move < MOVE_EQUAL_WILD:
        form = (move - MOVE_EQUAL) // GOODS
        good = (move - MOVE_EQUAL) % GOODS
        lay_cards(p, good, tables.equal_cards[form])
        p.tiles[TILE_WILD_GOODS] -= tables.equal_wilds[form]
        finish_shipment(s, p, SHIP_EQUAL, tables.equal_cards[form] + tables.equal_wilds[form])
    else:
        p.tiles[TILE_WILD_GOODS] -= move - MOVE_EQUAL_WILD + 1
        finish_shipment(s, p, SHIP_EQUAL, move - MOVE_EQUAL_WILD + 1)


cdef inline void apply_discard(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int side = move >= MOVE_DISCARD + GOODS
    cdef int good = move - MOVE_DISCARD - side * GOODS
    lose_cards(p, good, 1)
    put_on_pile(s, side, good)
    performed(s)


cdef inline void apply_play(State *s, move_t move) noexcept nogil:
    """Lay a second card or none; then draw as many cards as were laid."""
    cdef Player *p = &s.player[s.active]
    cdef int laid = 1
    s.last = 0
    if move != MOVE_DONE:
        lay_cards(p, move - MOVE_PLAY, 1)
        laid = 2
    draw_cards(s, p, laid)
    performed(s)


cdef inline void apply_pair(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    if move == MOVE_DONE:
        finish_shipment(s, p, SHIP_PAIRS, s.step)
        return
    if move < MOVE_PAIR_WILD:
        s.last = move - MOVE_PAIR + 1
        lay_cards(p, s.last - 1, 2)
    elif move < MOVE_PAIR_WILDS:
        s.last = move - MOVE_PAIR_WILD + 1
        lay_cards(p, s.last - 1, 1)
        p.tiles[TILE_WILD_GOODS] -= 1
    else:
        s.last = GOODS
        p.tiles[TILE_WILD_GOODS] -= 2
    s.step += 1
    enter_decision(s, DECIDE_PAIR, pair_moves(s, p))


cdef inline void apply_card(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    if move == MOVE_DONE:
        finish_shipment(s, p, SHIP_DIFFERENT, s.step)
        return
    if move == MOVE_CARD_WILD:
        s.last = GOODS
        p.tiles[TILE_WILD_GOODS] -= 1
    else:
        s.last = move - MOVE_CARD + 1
        lay_cards(p, s.last - 1, 1)
    s.step += 1
    enter_decision(s, DECIDE_CARD, card_moves(s, p))
