"""The entries that the GameOps tables of both games have in common, and their functions.

A game includes this file after all its other files.
"""

cdef GameOps table


cdef int players_of(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int player_of(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    return <int>s.decider if s.decision != DECIDE_OVER else NO_PLAYER


cdef int turn_of(const void *state) noexcept nogil:
    return (<const State *>state).turn


cdef void apply_reported(void *state, move_t move, EventSink *sink) noexcept nogil:
    """Carry out a move as apply_move does, and report what happens.

    report_move() reports the move before it is carried out; the rules report what follows from it.
    """
    cdef Report report
    report.state = (<State *>state)[0]
    report.sink = sink
    report.state.options |= OPTION_REPORTED
    report_move(&report.state, move)
    apply_move(&report, move)
    report.state.options &= ~OPTION_REPORTED
    (<State *>state)[0] = report.state


cdef count_features():
    cdef State s
    cdef uint8_t[MAX_FEATURES] room
    for players in range(1, MAX_PLAYERS + 1):
        memset(&s, 0, sizeof(s))
        s.players = players
        table.feature_counts[players] = <int>(put_all(room, &s, 0) - room)


memset(&table, 0, sizeof(table))
table.state_size = sizeof(State)
table.max_moves = MAX_MOVES
table.action_count = MOVES
table.players = players_of
table.player = player_of
table.turn = turn_of
table.legal = list_moves
table.apply = apply_move
table.step = step_move
table.scores = scores_of
table.vp_sources = VP_SOURCES
table.apply_reported = apply_reported
table.ranks = ranks_of
table.determinize = determinize
table.playout = playout
table.weight_count = WEIGHTS + TERMS * (MAX_PLAYERS - MIN_PLAYERS + 1)
table.policy = policy
table.policy_playout = policy_playout
table.prior = prior
table.evaluate = evaluate
table.term_count = TERMS
table.terms = terms
table.turns_left = turns_left
count_features()
table.features = write_features
