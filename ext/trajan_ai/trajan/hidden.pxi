# What an observer cannot know, and drawing it anew (section 10 of the rules).
#
# Unseen are: the goods deck and the cards in other hands beyond those known; the forum, extra,
# demand and bonus stacks; the Trajan stacks below the top, and before the markers are placed the
# tops too. Equal cards and tiles are alike. An assignment of the unseen cards and tiles to their
# places is as likely as any other: the unknown cards of a hand are drawn from the unseen goods
# without replacement (hypergeometric), each stack is a random order of its own contents.
#
# A card taken from a pile is known to all until a card of its good leaves that hand in the open;
# then one known card of the good counts as gone, so `known` is the largest number of cards of the
# good that others can be sure of. Nothing is read from choices. Where the decision of another
# player needs certain cards to exist (a second card to lay, a pair to go on with), only hands that
# have them are drawn.

cdef extern from *:
    """
    /* A number in [0, bound) from the random bits of *bits, which keeps the rest of them. */
    static inline uint64_t below_of(uint64_t *bits, uint64_t bound) {
        unsigned __int128 product = (unsigned __int128)*bits * bound;
        *bits = (uint64_t)product;
        return (uint64_t)(product >> 64);
    }
    """
    uint64_t below_of(uint64_t *bits, uint64_t bound) noexcept nogil

cdef enum:
    # Draws from one random number: the product of their bounds, below 70 ** 6, over 2 ** 64 is
    # the bias, 6e-9 (Brackett-Rozinsky and Lemire 2024, "Batched ranged random integers").
    DRAWS_AT_ONCE = 6
    ROOM = 128               # the largest stack and the overhang of repeat_byte()


cdef inline void shuffle(Rng *rng, uint8_t *items, int count) noexcept nogil:
    """Every order of items[0:count] equally likely (Fisher and Yates from the top down).

    All places are drawn before the first swap: so no load waits for the address of a store.
    """
    cdef uint8_t place[ROOM]
    cdef uint8_t kept
    cdef uint64_t bits, k
    cdef uint64_t left = <uint64_t>count
    cdef int i
    while left > DRAWS_AT_ONCE:
        bits = rng_next(rng)
        for i in range(DRAWS_AT_ONCE):
            place[left] = <uint8_t>below_of(&bits, left)
            left -= 1
    bits = rng_next(rng)
    while left > 1:
        place[left] = <uint8_t>below_of(&bits, left)
        left -= 1
    left = <uint64_t>count
    while left > 1:
        k = place[left]
        left -= 1
        kept = items[left]
        items[left] = items[k]
        items[k] = kept


cdef inline int repeat_byte(uint8_t *items, int place, int value, int count) noexcept nogil:
    """Write `value` `count` times (at most 16; writes 16 bytes), return the place after it."""
    memset(items + place, value, 16)
    return place + count


cdef inline int count_cards(uint64_t goods) noexcept nogil:
    cdef uint64_t x = (goods & <uint64_t>0x0F0F0F0F0F0F0F0F) + (
        (goods >> 4) & <uint64_t>0x0F0F0F0F0F0F0F0F)
    return <int>((x * <uint64_t>0x0101010101010101) >> 56)


cdef inline bint needs_hand(const State *s) noexcept nogil:
    """Whether the legal moves of the decision follow from the cards in hand."""
    return s.kind == SEAPORT or (ON_DISCARD <= s.kind <= ON_CARD)


cdef uint64_t moves_of_hand(const State *s) noexcept nogil:
    cdef const Player *p = &s.seats[s.active]
    if s.kind == SEAPORT:
        return seaport_moves(s, p)
    elif s.kind == ON_DISCARD:
        return discard_moves(p)
    elif s.kind == ON_PLAY:
        return play_moves(s, p)
    elif s.kind == ON_PAIR:
        return pair_moves(s, p)
    return card_moves(s, p)


cdef void draw_goods(State *s, int observer, Rng *rng) noexcept nogil:
    """Deal the unseen goods anew to the other hands and the deck."""
    cdef uint8_t cards[ROOM]
    cdef uint64_t unseen = s.deck_counts
    cdef uint64_t hand
    cdef int i, k, unknown
    cdef int count = 0
    cdef int dealt = 0
    for i in range(s.players):
        if i != observer:
            unseen += s.seats[i].hand - s.seats[i].known
    for i in range(GOODS_KINDS):
        count = repeat_byte(cards, count, i + 1, good_count(unseen, i))
    shuffle(rng, cards, count)
    for i in range(s.players):
        if i != observer:
            hand = s.seats[i].known
            unknown = s.seats[i].hand_size - count_cards(hand)
            for k in range(dealt, dealt + unknown):
                hand += <uint64_t>1 << (4 * (cards[k] - 1))
                unseen -= <uint64_t>1 << (4 * (cards[k] - 1))
            dealt += unknown
            s.seats[i].hand = hand
    s.deck_counts = unseen
    memset(cards + count, 0, 16)
    memcpy(s.deck, cards + dealt, s.deck_size)


cdef inline void draw_kinds(uint8_t *stack, const uint8_t *counts, int kinds, int first,
                            Rng *rng) noexcept nogil:
    """Order a stack anew: counts[k] of the tiles numbered first + k."""
    cdef uint8_t tiles[ROOM]
    cdef int count = 0
    cdef int k
    for k in range(kinds):
        count = repeat_byte(tiles, count, first + k + 1, counts[k])
    shuffle(rng, tiles, count)
    memcpy(stack, tiles, count)


cdef inline void order_packed(uint8_t *stack, uint64_t packed, int count,
                              uint64_t bits) noexcept nogil:
    """Write the `count` lowest bytes of `packed`, at most 8, in random order."""
    cdef uint64_t below
    cdef uint64_t shift
    while count > 0:
        shift = 8 * below_of(&bits, <uint64_t>count)
        count -= 1
        stack[count] = <uint8_t>(packed >> shift)
        below = (<uint64_t>1 << shift) - 1
        packed = (packed & below) | ((packed >> 8) & ~below)


cdef inline void draw_bits(uint8_t *stack, unsigned int hidden, const uint8_t *value_of,
                           Rng *rng) noexcept nogil:
    """Order a stack anew: the tiles value_of[bit] of the hidden bits."""
    cdef int count = 0
    cdef uint64_t packed = 0
    while hidden != 0:
        stack[count & 15] = value_of[lowest_bit(hidden)]
        packed |= <uint64_t>stack[count & 15] << (8 * (count & 7))
        hidden &= hidden - 1
        count += 1
    if count <= 8:
        order_packed(stack, packed, count, rng_next(rng))
    else:
        shuffle(rng, stack, count)


# Not a constant: the compiler would copy by `rep movs`, slower than the library at this size.
cdef size_t STATE_BYTES = sizeof(State)


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    cdef State *s = <State *>target
    cdef int i
    memcpy(target, source, STATE_BYTES)
    draw_goods(s, observer, rng)
    draw_kinds(s.supply, s.supply_counts, TILE_KINDS, 0, rng)
    draw_kinds(s.extra_supply, s.extra_counts, EXTRA_KINDS, EXTRA_TILE, rng)
    draw_kinds(s.demand_stack, s.demand_counts, SYMBOLS, 0, rng)
    draw_bits(s.bonus_bag, s.bonus_hidden, BONUS_BYTE, rng)
    for i in range(STACKS):
        draw_bits(s.stacks + i * STACK_TILES, s.stack_hidden[i], TILE_BYTE[i], rng)
    if needs_hand(s) and s.decider != observer:
        s.legal = moves_of_hand(s)
        while is_forced(s):
            draw_goods(s, observer, rng)
            s.legal = moves_of_hand(s)
