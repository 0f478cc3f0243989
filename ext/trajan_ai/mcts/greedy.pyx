"""The greedy sequence of moves within one turn.

A plan considers one determinization, and only decisions of the player to move.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from trajan_ai.core.game cimport MAX_PLAYERS, GameOps, Position, move_t, raise_failure
from trajan_ai.core.rng cimport Rng, seeded

cdef enum:
    MAX_DECISIONS = 64      # maximum number of decisions in a plan
    PLAN_BUDGET = 20000      # moves tried for one plan, which takes some 2 ms


cdef struct Plan:
    const GameOps *ops
    uint8_t *states          # one state for each level of depth
    move_t *moves            # room for max_moves moves for each level of depth
    int player
    int turn


cdef inline int32_t score_of(const Plan *plan, const void *state) noexcept nogil:
    cdef int32_t scores[MAX_PLAYERS]
    plan.ops.scores(state, scores)
    return scores[plan.player]


cdef inline void try_move(const Plan *plan, int depth, move_t move) noexcept nogil:
    """Write the state after `move` to the next level of depth."""
    cdef uint8_t *state = plan.states + <size_t>depth * plan.ops.state_size
    memcpy(state + plan.ops.state_size, state, plan.ops.state_size)
    plan.ops.apply(state + plan.ops.state_size, move)


cdef int32_t best_score(const Plan *plan, int depth, int64_t budget,
                        move_t *chosen) noexcept nogil:
    """Return the most VP that a plan finds for the end of the turn; write its first move to
    `chosen`.

    The budget of moves is shared evenly among the moves of each decision; where the budget is used
    up, only the move that immediately brings the most VP is followed. Among moves with the same VP,
    the first one listed is chosen.
    """
    cdef const void *state = plan.states + <size_t>depth * plan.ops.state_size
    cdef move_t *moves = plan.moves + <size_t>depth * plan.ops.max_moves
    cdef move_t deeper
    cdef int i, count, best = -1
    cdef int32_t score, most = 0
    cdef int64_t share
    if (plan.ops.player(state) != plan.player or plan.ops.turn(state) != plan.turn
            or depth + 1 == MAX_DECISIONS):
        return score_of(plan, state)
    count = plan.ops.legal(state, moves)
    share = budget // count - 1
    for i in range(count):
        try_move(plan, depth, moves[i])
        if share > 0:
            score = best_score(plan, depth + 1, share, &deeper)
        else:
            score = score_of(plan, plan.states + <size_t>(depth + 1) * plan.ops.state_size)
        if best < 0 or score > most:
            best = i
            most = score
    chosen[0] = moves[best]
    if share > 0:
        return most
    try_move(plan, depth, moves[best])
    return best_score(plan, depth + 1, 0, &deeper)


def greedy_move(Position position not None, int observer, seed):
    """Return the first move of the sequence that gains the most VP by the end of this turn.

    Hidden cards and tiles are taken from one determinization for `observer`, drawn with `seed`.
    """
    position._check_player(observer)
    cdef Plan plan
    cdef Rng rng = seeded(seed)
    cdef move_t chosen = 0
    cdef bytearray states = bytearray(position.game.ops.state_size * (MAX_DECISIONS + 1))
    cdef bytearray moves = bytearray(
        position.game.ops.max_moves * MAX_DECISIONS * <int>sizeof(move_t))
    plan.ops = position.game.ops
    plan.player = position.player
    plan.turn = position.turn
    plan.states = <uint8_t *>PyByteArray_AS_STRING(states)
    plan.moves = <move_t *>PyByteArray_AS_STRING(moves)
    with nogil:
        plan.ops.determinize(position.state, plan.states, observer, &rng)
        best_score(&plan, 0, PLAN_BUDGET, &chosen)
    raise_failure()
    return chosen
