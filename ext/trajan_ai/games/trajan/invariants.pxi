"""Invariants of Trajan, asserted after every move in a build with TRAJAN_DEBUG=1."""

cdef inline void require_legal(const move_t *moves, int count, move_t move) noexcept nogil:
    require(1 <= count <= MAX_MOVES)  # 1 only if a hand was assumed for another player
    require(has_move(moves, count, move))


cdef inline void keep_unknown(State *expected, const State *s) noexcept nogil:
    """Copy to `expected` the counts of stacks with more candidates than tiles.

    They cannot be computed again, because some of the tiles left the game unseen.
    """
    cdef int i, counted
    counted = 0
    for i in range(TILES):
        counted += s.supply_counts[i]
    for i in range(EXTRAS):
        counted += s.extra_counts[i]
    if counted > s.supply_size + s.extra_size:
        memcpy(expected.supply_counts, s.supply_counts, sizeof(s.supply_counts))
        memcpy(expected.extra_counts, s.extra_counts, sizeof(s.extra_counts))
    counted = 0
    for i in range(SYMBOLS):
        counted += s.demand_counts[i]
    if counted > s.demand_size:
        memcpy(expected.demand_counts, s.demand_counts, sizeof(s.demand_counts))


cdef inline uint64_t all_goods(const State *s) noexcept nogil:
    """Count the goods of each kind. No move changes the counts; their sum is 60 if no hand is
    assumed."""
    cdef uint64_t goods = s.deck_counts
    cdef int i
    for i in range(DECK_CARDS):
        if s.piles[i] != 0:
            goods += one_good(s.piles[i] - 1)
    for i in range(s.players):
        goods += s.player[i].hand + s.player[i].display
    return goods


cdef inline void require_sound(const State *s, const State *expected) noexcept nogil:
    """Require that stored fields agree with the fields they follow from, and that no figure is
    lost.

    `expected` is the state with its stored fields computed again.
    """
    cdef const Player *p
    cdef int i
    require(memcmp(expected, s, sizeof(State)) == 0)
    for i in range(s.players):
        p = &s.player[i]
        require(p.supply + p.legionnaires + p.workers + count_bits(p.legions_on)
                + count_bits(p.workers_on) == tables.figures)
        require((p.arch == CENTRE) == (next_free_slot(p, 0) == CENTRE))
        require(p.arch == CENTRE or p.slots[p.arch] == 0)
