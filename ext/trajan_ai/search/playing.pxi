# Playouts, and what the state they reach is worth.

cdef int best_by_mast(Search *s, int count) noexcept nogil:
    """Return the place of the listed move with the highest mean; unknown ones count 1.

    Finnsson and Bjornsson, "Simulation-Based Approach to General Game Playing" (2008), with the
    epsilon-greedy choice of Tak, Winands and Bjornsson (2012).
    """
    cdef int mover = s.ops.player(s.state)
    cdef int i, best = 0
    cdef float value, highest = -1.0
    cdef const AmafStat *stat
    for i in range(count):
        stat = &s.mast[key_of(s.moves[i], mover)]
        value = stat.total / stat.visits if stat.visits else <float>1.0
        if value > highest:
            best = i
            highest = value
    return best


cdef int choose_in_playout(Search *s, int count) noexcept nogil:
    """Return the place of the move a playout makes among the `count` listed."""
    if s.parameters.playout == UNIFORM or (
            s.parameters.epsilon > 0.0 and rng_unit(&s.rng) < s.parameters.epsilon):
        return <int>rng_below(&s.rng, <uint32_t>count)
    if s.parameters.playout == POLICY:
        return s.ops.policy(s.state, s.moves, count, s.weights, &s.rng)
    return best_by_mast(s, count)


cdef void play_out(Search *s) noexcept nogil:
    """Play to the end of the game or to the cut."""
    cdef int transitions = s.parameters.cut_transitions
    cdef int turns = NO_LIMIT
    cdef int count
    cdef move_t move
    if s.parameters.cut_turns:
        turns = s.ops.turn(s.state) + s.parameters.cut_turns
    if (s.parameters.playout == UNIFORM and s.ops.playout != NULL
            and not s.parameters.traces):
        s.ops.playout(s.state, &s.rng, transitions, turns)
        return
    while transitions > 0 and s.ops.turn(s.state) < turns:
        count = s.ops.legal(s.state, s.moves)
        if count == 0:
            return
        move = s.moves[choose_in_playout(s, count)]
        if s.parameters.traces:
            note_move(s, move, s.ops.player(s.state))
        s.ops.apply(s.state, move)
        transitions -= 1


cdef void judge(Search *s) noexcept nogil:
    """Value the state reached: by its result if over, else as far as it has come."""
    cdef int32_t scores[MAX_PLAYERS]
    cdef float values[MAX_PLAYERS]
    cdef int p
    cdef bint over = s.ops.player(s.state) == NO_PLAYER
    if over or not s.parameters.evaluates:
        s.ops.scores(s.state, scores)
        for p in range(s.players):
            s.outcome.values[p] = scores[p]
    else:
        s.ops.evaluate(s.state, s.weights, values)
        for p in range(s.players):
            s.outcome.values[p] = values[p]
    if over:
        s.ops.ranks(s.state, s.outcome.ranks)
    else:
        ranks_of_values(&s.outcome, s.players)
    settle(&s.outcome, s.players, &s.mix)
