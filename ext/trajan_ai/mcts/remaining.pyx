"""Estimates, by random play, of how much remains of a turn and of a game."""

from trajan_ai.core.game cimport (
    MAX_MOVES, NO_PLAYER, GameOps, Position, move_t, raise_failure,
)
from trajan_ai.core.rng cimport Rng, rng_below, seeded
from trajan_ai.mcts.numbers cimport log2_of


cdef double rest_of_turn(const GameOps *ops, void *state, move_t *moves, int player, int turn,
                         Rng *rng) noexcept nogil:
    """Return the sum of log2(number of legal moves) over the player's later decisions in the
    turn."""
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
    """Return how many turns the player still has, including the current one."""
    cdef int turns = 0, last = -1
    while ops.player(state) != NO_PLAYER:
        if ops.player(state) == player and ops.turn(state) != last:
            turns += 1
            last = ops.turn(state)
        ops.apply(state, moves[rng_below(rng, <unsigned int>ops.legal(state, moves))])
    return turns


def turn_need(Position position not None, int samples, seed):
    """Return (bits of this decision, mean bits of the rest of the turn) in random play.

    The bits of a decision are the base-2 logarithm of its number of legal moves.
    """
    cdef const GameOps *ops = position.game.ops
    cdef int player = position.player
    cdef int turn = position.turn
    cdef double rest = 0.0
    cdef Position drawn = position.game.wrap(position.state, None, 0)
    cdef move_t moves[MAX_MOVES]
    cdef Rng rng = seeded(seed)
    cdef int i
    with nogil:
        for i in range(samples):
            ops.determinize(position.state, drawn.state, player, &rng)
            rest += rest_of_turn(ops, drawn.state, moves, player, turn, &rng)
    raise_failure()
    return log2_of(ops.legal(position.state, moves)), rest / samples


def turns_left(Position position not None, int samples, seed):
    """Return how many turns the player to move still has, including the current one.

    The result is the game's own estimate if there is one, otherwise the mean over random playouts.
    """
    cdef const GameOps *ops = position.game.ops
    cdef int player = position.player
    cdef Position drawn = position.game.wrap(position.state, None, 0)
    cdef move_t moves[MAX_MOVES]
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
