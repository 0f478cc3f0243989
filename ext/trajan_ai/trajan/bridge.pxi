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
        enter_marker(s)
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
