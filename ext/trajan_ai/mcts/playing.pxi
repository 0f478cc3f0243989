"""Playouts, and the value of the states that they reach."""

cdef inline void apply_with_sources(const Search *s, Iteration *it, move_t move) noexcept nogil:
    """Make a move, and add the VP that it brings to the sources of the iteration."""
    cdef EventSink sink
    sink.events, sink.count, sink.vp = NULL, 0, it.sources
    s.ops.apply_reported(it.state, move, &sink)


cdef inline void apply_noting(const Search *s, Iteration *it, move_t move) noexcept nogil:
    """Make a move, and record its sources of VP if the iteration records sources."""
    if it.with_sources:
        apply_with_sources(s, it, move)
    else:
        s.ops.apply(it.state, move)


cdef inline void play_to_the_end(const Search *s, Iteration *it) noexcept nogil:
    """Continue an iteration that records sources of VP to the end of the game, after it has been
    judged.

    This uses the generator that drew the iteration's state, so that a search with sources is
    otherwise the same as one without.
    """
    cdef int count = s.ops.legal(it.state, it.moves)
    cdef int place
    while count > 0:
        place = (s.ops.policy(it.state, it.moves, count, s.weights, &it.rng)
                 if s.parameters.playout == PLAYOUT_POLICY and s.ops.policy != NULL
                 else <int>rng_below(&it.rng, <uint32_t>count))
        apply_with_sources(s, it, it.moves[place])
        count = s.ops.legal(it.state, it.moves)


cdef inline int choose_in_playout(const Search *s, Iteration *it, int count) noexcept nogil:
    """Return the index of the move that a playout makes among the `count` listed moves."""
    if s.parameters.playout == PLAYOUT_UNIFORM:
        return <int>rng_below(it.dice, <uint32_t>count)
    return s.ops.policy(it.state, it.moves, count, s.weights, it.dice)


cdef inline void play_out(const Search *s, Iteration *it) noexcept nogil:
    """Play to the end of the game or to the cut."""
    cdef int turns = NO_LIMIT
    cdef int count
    cdef Rng dice
    if s.parameters.cut_turns:
        turns = s.ops.turn(it.state) + s.parameters.cut_turns
        if s.parameters.network_until and s.ops.turns_left(
                it.state, s.ops.player(it.state)) <= s.parameters.network_until:
            turns = NO_LIMIT
    if s.parameters.playout == PLAYOUT_UNIFORM and s.ops.playout != NULL and not it.with_sources:
        s.ops.playout(it.state, it.dice, NO_LIMIT, turns)
        return
    if s.parameters.playout == PLAYOUT_POLICY and s.ops.policy_playout != NULL:
        if not it.with_sources:
            s.ops.policy_playout(it.state, s.weights, it.dice, NO_LIMIT, turns,
                                 it.outcome.shortfalls)
            return
        # The loop below makes the same moves but computes no shortfalls, so compute them here.
        if s.mix.control_variate != 0:
            dice = it.dice[0]
            memcpy(it.again, it.state, s.ops.state_size)
            s.ops.policy_playout(it.again, s.weights, &dice, NO_LIMIT, turns,
                                 it.outcome.shortfalls)
    while s.ops.turn(it.state) < turns:
        count = s.ops.legal(it.state, it.moves)
        if count == 0:
            return
        apply_noting(s, it, it.moves[choose_in_playout(s, it, count)])


cdef inline void correct(const Search *s, Iteration *it, float *values) noexcept nogil:
    """Add the corrections of the network to the evaluation."""
    cdef float corrections[MAX_PLAYERS]
    cdef int player = s.ops.player(it.state)
    cdef int seat
    s.ops.features(it.state, player, it.features)
    network_values(s.network, it.features, it.rows, s.players, corrections)
    for seat in range(s.players):
        values[(player + seat) % s.players] += corrections[seat]


cdef inline void judge(const Search *s, Iteration *it) noexcept nogil:
    """Value the state that was reached: by its result if the game is over, otherwise by the
    evaluation or the running score."""
    cdef int32_t scores[MAX_PLAYERS]
    cdef float values[MAX_PLAYERS]
    cdef int p
    cdef bint over = s.ops.player(it.state) == NO_PLAYER
    if over or not s.parameters.evaluates:
        s.ops.scores(it.state, scores)
        for p in range(s.players):
            it.outcome.values[p] = scores[p]
    else:
        end_phase(s, it, PHASE_PLAYOUT)
        s.ops.evaluate(it.state, s.weights, values)
        end_phase(s, it, PHASE_EVALUATION)
        if s.network != NULL:
            correct(s, it, values)
            end_phase(s, it, PHASE_NETWORK)
        for p in range(s.players):
            it.outcome.values[p] = values[p]
    if over:
        s.ops.ranks(it.state, it.outcome.ranks)
    else:
        ranks_of_values(&it.outcome, s.players)
