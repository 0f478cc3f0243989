"""Plans within one turn: the greedy sequence of moves, and the decisions still to come.

Both look at one determinization and play only the decisions of the player to move.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.game cimport (
    MAX_PLAYERS, MOST_MOVES, NO_PLAYER, Game, GameOps, Position, move_t, raise_failure,
)
from trajan_ai.core.rng cimport Rng, rng_below, seeded
from trajan_ai.mcts.numbers cimport log2_of

cdef enum:
    MAX_DECISIONS = 64      # of one turn that a plan looks ahead
    PLAN_BUDGET = 20000      # moves tried in one plan, some 2 ms


cdef struct Plan:
    const GameOps *ops
    uint8_t *states          # one per decision of depth
    move_t *moves            # max_moves per decision of depth
    int player
    int turn


cdef inline int32_t score_of(const Plan *plan, const void *state) noexcept nogil:
    cdef int32_t scores[MAX_PLAYERS]
    plan.ops.scores(state, scores)
    return scores[plan.player]


cdef inline void try_move(const Plan *plan, int depth, move_t move) noexcept nogil:
    """Write the state after `move` one level deeper."""
    cdef uint8_t *state = plan.states + <size_t>depth * plan.ops.state_size
    memcpy(state + plan.ops.state_size, state, plan.ops.state_size)
    plan.ops.apply(state + plan.ops.state_size, move)


cdef int32_t best_score(const Plan *plan, int depth, int64_t budget,
                        move_t *chosen) noexcept nogil:
    """Return the most VP the player can have at the end of the turn, and the first move to it.

    The budget of moves is shared evenly among the moves of each decision; where it is used up,
    only the move with the most VP at once is followed. Of equal moves the first listed wins.
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
    """Return the first move of the sequence that gains most VP by the end of this turn.

    Hidden things are as in one determinization for `observer`, drawn from `seed`.
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


cdef double rest_of_turn(const GameOps *ops, void *state, move_t *moves, int player, int turn,
                         Rng *rng) noexcept nogil:
    """Return the sum of log2(legal moves) over the player's further decisions of the turn."""
    cdef double need = 0.0
    cdef int count = ops.legal(state, moves)
    while True:
        ops.apply(state, moves[rng_below(rng, <unsigned int>count)])
        if ops.player(state) != player or ops.turn(state) != turn:
            return need
        count = ops.legal(state, moves)
        need += log2_of(count)


cdef int own_turns(const GameOps *ops, void *state, move_t *moves, int player,
                   Rng *rng) noexcept nogil:
    """Return the number of turns, the running one included, that the player has to the end."""
    cdef int turns = 0, last = -1
    while ops.player(state) != NO_PLAYER:
        if ops.player(state) == player and ops.turn(state) != last:
            turns += 1
            last = ops.turn(state)
        ops.apply(state, moves[rng_below(rng, <unsigned int>ops.legal(state, moves))])
    return turns


def turn_need(Position position not None, int samples, seed):
    """Return (bits of this decision, mean bits of the rest of the turn) in random play.

    The bits of a decision are log2 of its legal moves.
    """
    cdef const GameOps *ops = position.game.ops
    cdef int player = position.player
    cdef int turn = position.turn
    cdef double rest = 0.0
    cdef Position drawn = position.game.wrap(position.state, None, 0)
    cdef move_t moves[MOST_MOVES]
    cdef Rng rng = seeded(seed)
    cdef int i
    with nogil:
        for i in range(samples):
            ops.determinize(position.state, drawn.state, player, &rng)
            rest += rest_of_turn(ops, drawn.state, moves, player, turn, &rng)
    raise_failure()
    return log2_of(ops.legal(position.state, moves)), rest / samples


def turns_left(Position position not None, int samples, seed):
    """Return the turns that the player to decide still has, the running one included.

    By the game's own estimate, else the mean of random playouts.
    """
    cdef const GameOps *ops = position.game.ops
    cdef int player = position.player
    cdef Position drawn = position.game.wrap(position.state, None, 0)
    cdef move_t moves[MOST_MOVES]
    cdef Rng rng = seeded(seed)
    cdef int i
    cdef long turns = 0
    if ops.turns_left != NULL:
        return float(max(ops.turns_left(position.state, player), 1))
    with nogil:
        for i in range(samples):
            ops.determinize(position.state, drawn.state, player, &rng)
            turns += own_turns(ops, drawn.state, moves, player, &rng)
    raise_failure()
    return max(turns / <double>samples, 1.0)
