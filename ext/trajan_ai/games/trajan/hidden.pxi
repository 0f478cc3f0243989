"""Redrawing what an observer cannot know.

The observer cannot see the goods deck; the cards in other hands beyond those known; the forum,
extra, demand and bonus stacks; and the Trajan stacks below the top tiles. Before the markers are
placed, the top tiles are hidden, too. Copies of the same card or tile are interchangeable. All
assignments of the unseen cards and tiles to their places are equally likely: the unknown cards of
a hand are drawn from the unseen goods without replacement (hypergeometric), and each stack is put
into random order.

A card taken from a pile is known to all until a card of its good leaves that hand in the open;
then one known card of the good counts as gone, so `known` is the largest number of cards of the
good that others can be sure of. Nothing is inferred from choices. Where the decision of another
player needs certain cards to exist (a second card to lay, a pair to continue with), only hands that
have them are drawn.

A position file may omit what has left the game, and what is deep in a discard pile. The counts of a
hidden stack then exceed its size, because they include everything that may be in it. The tiles that
remain after the stack has been drawn are those that have left the game. Extra-action tiles that may
lie in either supply count as part of the extra supply, which has at most two of a kind; the forum
supply has at most one.
"""

cdef enum:
    # How many integers are drawn from one random number. Their bias is at most 6e-9: the product
    # of their bounds, which is below 70 ** 6, divided by 2 ** 64 (Brackett-Rozinsky and Lemire
    # 2024, "Batched ranged random integers").
    DRAWS_AT_ONCE = 6
    MAX_OF_A_MOVE = 2       # cards of one good that a decision about a hand may need
    COPIES_OF_EXTRA = 2      # copies of each kind in the extra supply; the forum supply has one
    ROOM = 128               # the largest stack, plus the bytes that repeat_byte() writes beyond it


cdef inline uint64_t below_of(uint64_t *bits, uint64_t bound) noexcept nogil:
    """Return a number in [0, bound) from random bits; leave the unused bits in `bits`."""
    return product(bits[0], bound, bits)


cdef inline void shuffle(Rng *rng, byte_t *items, int count) noexcept nogil:
    """Shuffle items[0:count], every order equally likely (Fisher and Yates, from the top down).

    All places are drawn before the first swap, so that no load waits for the address of a store.
    """
    cdef byte_t place[ROOM]
    cdef byte_t kept
    cdef uint64_t bits, k
    cdef uint64_t left = <uint64_t>count
    cdef int i
    while left > DRAWS_AT_ONCE:
        bits = rng_next(rng)
        for i in range(DRAWS_AT_ONCE):
            place[left] = <byte_t>below_of(&bits, left)
            left -= 1
    bits = rng_next(rng)
    while left > 1:
        place[left] = <byte_t>below_of(&bits, left)
        left -= 1
    left = <uint64_t>count
    while left > 1:
        k = place[left]
        left -= 1
        kept = items[left]
        items[left] = items[k]
        items[k] = kept


cdef inline int repeat_byte(byte_t *items, int place, int value, int count) noexcept nogil:
    """Write `value` `count` times (at most 16; writes 16 bytes); return the index after them."""
    memset(items + place, value, 16)
    return place + count


cdef inline uint64_t unseen_goods(const State *s, int observer) noexcept nogil:
    """Return the goods in the deck and those unknown in the piles and in other hands."""
    cdef uint64_t unseen = s.deck_counts
    cdef int i
    for i in range(s.pile_unknown[0]):
        unseen += one_good(s.piles[i] - 1)
    for i in range(s.pile_unknown[1]):
        unseen += one_good(s.piles[DECK_CARDS - 1 - i] - 1)
    for i in range(s.players):
        if i != observer:
            unseen += s.player[i].hand - s.player[i].known
    return unseen


cdef void draw_goods(State *s, int observer, Rng *rng) noexcept nogil:
    """Deal the unseen goods again: to other hands, the deck and the unknown cards of the piles."""
    cdef byte_t cards[ROOM]
    cdef uint64_t unseen = unseen_goods(s, observer)
    cdef uint64_t hand
    cdef int i, k, unknown
    cdef int count = 0
    cdef int dealt = 0
    for i in range(GOODS):
        count = repeat_byte(cards, count, i + 1, good_count(unseen, i))
    shuffle(rng, cards, count)
    for i in range(s.players):
        if i != observer:
            hand = s.player[i].known
            unknown = s.player[i].hand_size - count_cards(hand)
            for k in range(dealt, dealt + unknown):
                hand += one_good(cards[k] - 1)
                unseen -= one_good(cards[k] - 1)
            dealt += unknown
            s.player[i].hand = hand
    memset(cards + count, 0, 16)
    memcpy(s.deck, cards + dealt, s.deck_size)
    dealt += s.deck_size
    for i in range(s.pile_unknown[0]):
        unseen -= one_good(cards[dealt] - 1)
        s.piles[i] = cards[dealt]
        dealt += 1
    for i in range(s.pile_unknown[1]):
        unseen -= one_good(cards[dealt] - 1)
        s.piles[DECK_CARDS - 1 - i] = cards[dealt]
        dealt += 1
    s.deck_counts = unseen


cdef inline void draw_kinds(byte_t *stack, int size, const byte_t *counts, int kinds, int first,
                            Rng *rng) noexcept nogil:
    """Redraw a stack of `size` from counts[k] tiles of each number first + k."""
    cdef byte_t tiles[ROOM]
    cdef int count = 0
    cdef int k
    for k in range(kinds):
        count = repeat_byte(tiles, count, first + k + 1, counts[k])
    shuffle(rng, tiles, count)
    memcpy(stack, tiles, size)


cdef int count_all(const byte_t *counts, int kinds) noexcept nogil:
    cdef int k
    cdef int count = 0
    for k in range(kinds):
        count += counts[k]
    return count


cdef int most_of_a_kind(const byte_t *tiles, int count) noexcept nogil:
    """Return the largest number of extra-action tiles of one kind."""
    cdef int counts[EXTRAS]
    cdef int i, kind
    cdef int most = 0
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        kind = tiles[i] - 1 - TILE_EXTRA
        if kind >= 0:
            counts[kind] += 1
            most = max(most, counts[kind])
    return most


cdef void draw_both_supplies(State *s, Rng *rng) noexcept nogil:
    """Draw the forum and the extra supply if extra-action tiles may be in either.

    The tiles are drawn again until the kinds fit, so all ways in which they may lie are equally
    likely.
    """
    cdef byte_t extras[ROOM]
    cdef byte_t tiles[ROOM]
    cdef int total = count_all(s.extra_counts, EXTRAS)
    cdef int k, count
    while True:
        draw_kinds(extras, total, s.extra_counts, EXTRAS, TILE_EXTRA, rng)
        if most_of_a_kind(extras, s.extra_size) > COPIES_OF_EXTRA:
            continue
        count = 0
        for k in range(TILES):
            count = repeat_byte(tiles, count, k + 1, s.supply_counts[k])
        for k in range(s.extra_size, total):
            count = repeat_byte(tiles, count, extras[k], 1)
        shuffle(rng, tiles, count)
        if most_of_a_kind(tiles, s.supply_size) <= 1:
            break
    memcpy(s.extra_supply, extras, s.extra_size)
    memcpy(s.supply, tiles, s.supply_size)


cdef inline void order_packed(byte_t *stack, uint64_t packed, int count,
                              uint64_t bits) noexcept nogil:
    """Write the `count` lowest bytes of `packed`, at most 8, in random order."""
    cdef uint64_t below
    cdef uint64_t shift
    while count > 0:
        shift = 8 * below_of(&bits, <uint64_t>count)
        count -= 1
        stack[count] = <byte_t>(packed >> shift)
        below = (<uint64_t>1 << shift) - 1
        packed = (packed & below) | ((packed >> 8) & ~below)


cdef inline void draw_bits(byte_t *stack, unsigned int hidden, const byte_t *value_of,
                           Rng *rng) noexcept nogil:
    """Fill a stack with the tiles value_of[bit] of the hidden bits, at most 9, in random order."""
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


cdef void draw_part(byte_t *stack, int size, unsigned int hidden, const byte_t *value_of,
                    Rng *rng) noexcept nogil:
    """Draw the `size` lowest tiles of a stack if more than `size` tiles are hidden."""
    cdef byte_t tiles[ROOM]
    draw_bits(tiles, hidden, value_of, rng)
    memcpy(stack, tiles, size)


# The size is a variable, because the compiler would copy a block of constant size with an inline
# `rep movs`, which is slower for this size than memcpy() from the C library.
cdef size_t STATE_BYTES = sizeof(State)


cdef bint may_choose(const State *s, int observer) noexcept nogil:
    """Return whether the player to decide may have a choice, for all that `observer` knows.

    If any possible hand leaves a choice, then so does one that consists of the known cards and up
    to two cards each of at most two goods.
    """
    cdef State other = s[0]
    cdef Player *p = &other.player[s.decider]
    cdef uint64_t unseen = unseen_goods(s, observer)
    cdef uint64_t known = p.known
    cdef int unknown = p.hand_size - count_cards(known)
    cdef int one, two, i, k
    for one in range(GOODS):
        for two in range(one):
            for i in range(1 + min(MAX_OF_A_MOVE, good_count(unseen, one), unknown)):
                for k in range(1 + min(MAX_OF_A_MOVE, good_count(unseen, two), unknown - i)):
                    p.hand = known + i * one_good(one) + k * one_good(two)
                    other.legal = moves_of_hand(&other)
                    if not is_forced(&other):
                        return True
    return False


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    cdef State *s = <State *>target
    cdef byte_t *stack
    cdef int i, below
    memcpy(target, source, STATE_BYTES)
    draw_goods(s, observer, rng)
    if count_all(s.extra_counts, EXTRAS) == s.extra_size:
        draw_kinds(s.supply, s.supply_size, s.supply_counts, TILES, 0, rng)
        draw_kinds(s.extra_supply, s.extra_size, s.extra_counts, EXTRAS, TILE_EXTRA, rng)
    else:
        draw_both_supplies(s, rng)
    draw_kinds(s.demand_stack, s.demand_size, s.demand_counts, SYMBOLS, 0, rng)
    draw_bits(s.bonus_bag, s.bonus_hidden, tables.bonus_byte, rng)
    for i in range(STACKS):
        stack = s.stacks + i * STACK_TILES
        below = s.stack_size[i] - (s.decision != DECIDE_MARKER)
        if count_bits(s.stack_hidden[i]) <= below:
            draw_bits(stack, s.stack_hidden[i], tables.tile_byte[i], rng)
        else:
            draw_part(stack, max(below, 0), s.stack_hidden[i], tables.tile_byte[i], rng)
    if needs_hand(s) and s.decider != observer:
        s.legal = moves_of_hand(s)
        if is_forced(s) and may_choose(s, observer):
            while is_forced(s):
                draw_goods(s, observer, rng)
                s.legal = moves_of_hand(s)


def redraw(bytes data not None, int observer, seed, int tries):
    """Return a state as `determinize` draws it.

    Returns None if no hand in `tries` draws allows the decision of another player.
    """
    cdef State source, target
    cdef Rng rng = seeded(seed)
    read_state(data, &source)
    check_seat(observer, source.players, "observer")
    if tries < 1:
        raise ValueError(f"tries must be at least 1, got {tries}")
    target = source
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
    return bytes_of(&target)
