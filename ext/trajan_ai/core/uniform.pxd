"""The reference loops of playouts. A game's own loops (GameOps.playout, policy_playout) must draw
exactly as these do."""

from trajan_ai.core.game cimport GameOps, move_t
from trajan_ai.core.rng cimport Rng, rng_below


cdef inline int played(const GameOps *ops, void *state, bint by_policy, const float *weights,
                       Rng *rng, int transitions, int turns, move_t *moves) noexcept nogil:
    """Play until the game is over or a limit is reached; `moves` has room for max_moves."""
    cdef int made = 0
    cdef int count, choice
    while made < transitions and ops.turn(state) < turns:
        count = ops.legal(state, moves)
        if count == 0:
            break
        if by_policy:
            choice = ops.policy(state, moves, count, weights, rng)
        else:
            choice = <int>rng_below(rng, <unsigned int>count)
        ops.apply(state, moves[choice])
        made += 1
    return made


cdef inline int uniform_playout(const GameOps *ops, void *state, Rng *rng, int transitions,
                                int turns, move_t *moves) noexcept nogil:
    """Play at random; see `played`."""
    return played(ops, state, False, NULL, rng, transitions, turns, moves)


cdef inline int policy_playout(const GameOps *ops, void *state, const float *weights, Rng *rng,
                               int transitions, int turns, move_t *moves) noexcept nogil:
    """Play by the game's policy; see `played`."""
    return played(ops, state, True, weights, rng, transitions, turns, moves)
