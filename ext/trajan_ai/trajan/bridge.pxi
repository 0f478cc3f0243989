# States from and to Python data.

cdef int _put(uint8_t *target, object numbers) except -1:
    """Store a stack given in drawing order, each number plus one, top last; return its size."""
    cdef int i = 0
    for number in reversed(numbers):
        target[i] = <uint8_t>(number + 1)
        i += 1
    return i


def initial_state(int players, int lap_length, int options, dict stacks, markers):
    """Return the bytes of the first decision of a checked setup.

    `stacks` has the numbers of goods_deck, forum_supply, extra_supply, buildings, demands,
    trajan_stacks (a list of 6) and bonus_tiles in drawing order; `markers` for each player the 12
    colours by tray, or None when players place them.
    """
    cdef State state
    cdef State *s = &state
    cdef int i, k
    memset(s, 0, sizeof(State))
    s.players = <uint8_t>players
    s.lap_length = <uint16_t>lap_length
    s.options = <uint8_t>options
    s.deck_size = <uint8_t>_put(s.deck, stacks["goods_deck"])
    s.supply_size = <uint8_t>_put(s.supply, stacks["forum_supply"])
    s.extra_size = <uint8_t>_put(s.extra_supply, stacks["extra_supply"])
    s.demand_size = <uint8_t>_put(s.demand_stack, stacks["demands"])
    s.bonus_size = <uint8_t>_put(s.bonus_bag, stacks["bonus_tiles"])
    s.bonus_hidden = (1 << BONUS_KINDS) - 1
    for i in range(STACKS):
        s.stack_size[i] = <uint8_t>_put(s.stacks + i * STACK_TILES, stacks["trajan_stacks"][i])
        s.stack_hidden[i] = (1 << STACK_TILES) - 1
    s.stacks_left = (1 << STACKS) - 1
    for i, building in enumerate(stacks["buildings"]):
        s.sites[i] = <uint8_t>(building + 1)
    s.sites_left = ALL_SITES
    s.ships = (1 << SHIPS) - 1
    count_hidden(s)
    for i in range(PROVINCES):
        s.provinces[i] = <uint8_t>(next_of_supply(s) + 1)
    fill_forum(s)
    for i in range(players):
        seat_player(&s.seats[i])
        s.order[i] = <uint8_t>i
    if markers is None:
        s.sow_hand = (COLOUR_MASK << 8) | COLOUR_MASK
        enter_decision(s, ON_MARKER, marker_moves(s))
    else:
        for i in range(players):
            for k in range(2 * TRAYS):
                s.seats[i].trays[k // 2] = with_marker(s.seats[i].trays[k // 2], markers[i][k])
            s.seats[i].filled = COLOUR_MASK
        deal_goods(s)
    return PyBytes_FromStringAndSize(<const char *>s, sizeof(State))


cdef void count_hidden(State *s) noexcept nogil:
    """Counts of the kinds in the hidden stacks."""
    cdef int i
    for i in range(s.deck_size):
        s.deck_counts += <uint64_t>1 << (4 * (s.deck[i] - 1))
    for i in range(s.supply_size):
        s.supply_counts[s.supply[i] - 1] += 1
    for i in range(s.extra_size):
        s.extra_counts[s.extra_supply[i] - 1 - EXTRA_TILE] += 1
    for i in range(s.demand_size):
        s.demand_counts[s.demand_stack[i] - 1] += 1


cdef void seat_player(Player *p) noexcept nogil:
    """Leader and a legionnaire in the camp, a worker in the other, the arch on slot I."""
    p.legionnaires = 1
    p.workers = 1
    p.supply = <uint8_t>(FIGURES - 2)


def derived(bytes data):
    """Return a state with the fields worked out that follow from others: counts, sets of kinds,
    legal moves."""
    cdef State state
    memcpy(&state, <const char *>data, sizeof(State))
    derive_fields(&state)
    return PyBytes_FromStringAndSize(<const char *>&state, sizeof(State))


def redrawn(bytes data, int observer, seed, int tries):
    """Return a state as :func:`determinize` draws it, or None when after `tries` draws no hand
    allows the decision of another player."""
    cdef State source, target
    cdef Rng rng
    memcpy(&source, <const char *>data, sizeof(State))
    rng_seed(&rng, <uint64_t>seed)
    memcpy(&target, &source, sizeof(State))
    if needs_hand(&source) and source.decider != observer:
        while True:
            draw_goods(&target, observer, &rng)
            target.legal = moves_of_hand(&target)
            if not is_forced(&target):
                break
            tries -= 1
            if tries == 0:
                return None
    determinize(&source, &target, observer, &rng)
    return PyBytes_FromStringAndSize(<const char *>&target, sizeof(State))


cdef void derive_fields(State *s) noexcept nogil:
    cdef int i, k
    cdef Player *p
    s.deck_counts = 0
    memset(s.supply_counts, 0, sizeof(s.supply_counts))
    memset(s.extra_counts, 0, sizeof(s.extra_counts))
    memset(s.demand_counts, 0, sizeof(s.demand_counts))
    count_hidden(s)
    s.forum_kinds = 0
    for i in range(TILE_KINDS):
        s.forum_kinds |= <uint32_t>(s.forum[i] > 0) << i
    s.sites_left = 0
    for i in range(SITES):
        s.sites_left |= <uint32_t>(s.sites[i] > 0) << i
    s.stacks_left = 0
    for i in range(STACKS):
        s.stacks_left |= <uint8_t>((s.stack_size[i] > 0) << i)
    for i in range(s.players):
        p = &s.seats[i]
        p.hand_size = <uint8_t>count_cards(p.hand)
        p.filled = 0
        for k in range(TRAYS):
            p.filled |= <uint8_t>((p.trays[k] > 0) << k)
    s.legal = legal_bits(s)


cdef uint64_t legal_bits(State *s) noexcept nogil:
    """Legal moves of the decision, worked out from the rest of the state."""
    cdef const Player *p = &s.seats[s.active]
    if s.kind <= CONSTRUCTION:
        return action_moves(s, p, s.kind)
    elif needs_hand(s):
        return moves_of_hand(s)
    elif s.kind == ON_SOW:
        return p.filled
    elif s.kind == ON_DROP:
        return s.sow_hand & COLOUR_MASK
    elif s.kind == ON_PLUS2:
        return ~p.plus2 & COLOUR_MASK
    elif s.kind == ON_EFFECT:
        return 3
    elif s.kind == ON_EXTRA:
        return extra_moves(p, running_action(s))
    elif s.kind == ON_BONUS:
        return s.offer
    elif s.kind == ON_MARKER:
        return marker_moves(s)
    elif s.kind == ON_GOODS:
        return 7
    elif s.kind == ON_START:
        return s.stacks_left & ~s.last
    return 0
