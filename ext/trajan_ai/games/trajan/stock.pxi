"""Cards, piles and tiles: drawing from hidden stacks, and placing what was drawn."""

# ---- Goods cards ------------------------------------------------------------------------------

cdef inline int top_of_deck(State *s) noexcept nogil:
    """Draw from the deck, which has a card; return the good."""
    s.deck_size -= 1
    cdef int good = s.deck[s.deck_size] - 1
    s.deck[s.deck_size] = 0
    s.deck_counts -= one_good(good)
    return good


cdef inline void gain_card(Player *p, int good) noexcept nogil:
    p.hand += one_good(good)
    p.hand_size += 1


cdef inline void lose_cards(Player *p, int good, int count) noexcept nogil:
    """Remove cards visibly from the hand; cards known to other players count as removed first."""
    cdef int known = good_count(p.known, good)
    p.hand -= count * one_good(good)
    p.known -= (known if known < count else count) * one_good(good)
    p.hand_size -= count


cdef inline void draw_cards(State *s, Player *p, int count) noexcept nogil:
    """Draw cards, at most all of the deck."""
    cdef uint64_t before = p.hand
    while count > 0 and s.deck_size > 0:
        gain_card(p, top_of_deck(s))
        count -= 1
    if expect(s.options & OPTION_REPORTED, 0):
        report_draws(s, p.hand - before)


cdef inline int pile_top(const State *s, int side) noexcept nogil:
    """Return the index in State.piles of the top card of a pile that is not empty."""
    return s.pile_size[0] - 1 if side == 0 else DECK_CARDS - s.pile_size[1]


cdef inline void put_on_pile(State *s, int side, int good) noexcept nogil:
    s.pile_size[side] += 1
    s.piles[pile_top(s, side)] = good + 1


cdef inline void turn_up(State *s, int side) noexcept nogil:
    """Begin a pile with the top card of the deck, which has a card."""
    cdef int good = top_of_deck(s)
    put_on_pile(s, side, good)
    happen(s, EVENT_TURN_UP, NO_PLAYER, good, 0)


cdef inline void take_from_pile(State *s, Player *p, int side) noexcept nogil:
    """Take the top card; an emptied pile is refilled at once from the deck."""
    cdef int place = pile_top(s, side)
    cdef int good = s.piles[place] - 1
    s.piles[place] = 0
    s.pile_size[side] -= 1
    if s.pile_unknown[side] > 0 and s.pile_unknown[side] >= s.pile_size[side]:
        s.pile_unknown[side] -= 1
    gain_card(p, good)
    p.known += one_good(good)
    happen(s, EVENT_TAKE_CARD, s.active, good, 0)
    if s.pile_size[side] == 0 and s.deck_size > 0:
        turn_up(s, side)


# ---- Forum, extra-action and bonus tiles ------------------------------------------------------

cdef inline void put_in_forum(State *s, int tile) noexcept nogil:
    s.forum[tile] += 1
    s.forum_kinds |= <uint32_t>1 << tile


cdef inline int next_of_supply(State *s) noexcept nogil:
    s.supply_size -= 1
    cdef int tile = s.supply[s.supply_size] - 1
    s.supply[s.supply_size] = 0
    if s.supply_counts[tile] > 0:
        s.supply_counts[tile] -= 1
    else:  # a tile that may belong to either supply
        s.extra_counts[tile - TILE_EXTRA] -= 1
    return tile


cdef inline int next_extra(State *s) noexcept nogil:
    s.extra_size -= 1
    cdef int tile = s.extra_supply[s.extra_size] - 1
    s.extra_supply[s.extra_size] = 0
    s.extra_counts[tile - TILE_EXTRA] -= 1
    return tile


cdef inline int next_demand(State *s) noexcept nogil:
    s.demand_size -= 1
    cdef int symbol = s.demand_stack[s.demand_size] - 1
    s.demand_stack[s.demand_size] = 0
    s.demand_counts[symbol] -= 1
    return symbol


cdef inline int next_bonus(State *s) noexcept nogil:
    s.bonus_size -= 1
    cdef int tile = s.bonus_bag[s.bonus_size] - 1
    s.bonus_bag[s.bonus_size] = 0
    s.bonus_hidden &= ~(1 << tile)
    return tile


cdef inline void offer_bonus(State *s) noexcept nogil:
    """Offer two bonus tiles. They lie side by side, so they are reported in a fixed order."""
    cdef int first = next_bonus(s)
    cdef int second = next_bonus(s)
    s.offer = 1 << first | 1 << second
    happen(s, EVENT_OFFER_BONUS, NO_PLAYER, min(first, second), 0)
    happen(s, EVENT_OFFER_BONUS, NO_PLAYER, max(first, second), 0)


cdef inline void fill_forum(State *s) noexcept nogil:
    cdef int i
    for i in range(tables.forum_spaces[s.players]):
        if s.supply_size == 0:
            break
        put_in_forum(s, next_of_supply(s))
    for i in range(tables.extra_spaces):
        put_in_forum(s, next_extra(s))


# ---- Trajan tiles -----------------------------------------------------------------------------

cdef inline int top_tile(const State *s, int stack) noexcept nogil:
    """Return the number + 1 of the tile on top of a stack that is not empty."""
    return s.stacks[stack * STACK_TILES + s.stack_size[stack] - 1]


cdef inline void show_top(State *s, int stack) noexcept nogil:
    """Mark the new top of a stack as seen.

    Equal tiles of a stack have neighbouring bits; the upper bit is cleared first.
    """
    cdef int bit
    if s.stack_size[stack] == 0:
        s.stacks_left &= ~(1 << stack)
        return
    bit = tables.tile_bit[top_tile(s, stack)]
    if tables.same_as_next[stack] >> bit & 1 and s.stack_hidden[stack] >> (bit + 1) & 1:
        bit += 1
    s.stack_hidden[stack] &= ~(1 << bit)


cdef inline int take_tile(State *s, int stack) noexcept nogil:
    """Take the top tile of a stack that is not empty; return its number + 1."""
    s.stack_size[stack] -= 1
    cdef int place = stack * STACK_TILES + s.stack_size[stack]
    cdef int tile = s.stacks[place]
    s.stacks[place] = 0
    show_top(s, stack)
    return tile


cdef inline int next_free_slot(const Player *p, int slot) noexcept nogil:
    """Return the next slot clockwise without a tile, or CENTRE."""
    cdef int i
    for i in range(TRAYS):
        slot = slot + 1 if slot < TRAYS - 1 else 0
        if p.slots[slot] == 0:
            return slot
    return CENTRE


# ---- Counts kept of the hidden stacks ---------------------------------------------------------

cdef inline void count_hidden(State *s) noexcept nogil:
    """Count the kinds in the hidden stacks; all counts must be zero before."""
    cdef int i
    for i in range(s.deck_size):
        s.deck_counts += one_good(s.deck[i] - 1)
    for i in range(s.supply_size):
        s.supply_counts[s.supply[i] - 1] += 1
    for i in range(s.extra_size):
        s.extra_counts[s.extra_supply[i] - 1 - TILE_EXTRA] += 1
    for i in range(s.demand_size):
        s.demand_counts[s.demand_stack[i] - 1] += 1
