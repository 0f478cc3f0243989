# Uniformly random play to the end, drawing as the generic loop over list_moves() does.

cdef inline move_t random_move(const State *s, Rng *rng) noexcept nogil:
    cdef move_t moves[MOST_LEGAL]
    cdef int kind = s.kind
    cdef int k
    if kind == ON_DROP or kind == ON_SOW:
        k = <int>rng_below(rng, SET_OF_6[s.legal])
        return (DROP_MOVE if kind == ON_DROP else SOW_MOVE) + PICK_OF_6[s.legal][k]
    if kind == SEAPORT and has_rare_shipments(&s.seats[s.active]):
        return moves[rng_below(rng, <unsigned int>list_moves(s, moves))]
    k = <int>rng_below(rng, <unsigned int>count_bits(s.legal))
    return MOVE_OF[kind][pick_bit(s.legal, k)]


cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    cdef State *s = <State *>state
    cdef int count = 0
    while s.kind != OVER and count < transitions and s.turn < turns:
        apply_once(s, random_move(s, rng))
        apply_forced(s)
        count += 1
    return count
