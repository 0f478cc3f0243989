"""Playouts: the loops that a game's own (GameOps.playout, policy_playout) must draw as."""

from trajan_ai.core.game cimport GameOps, move_t
from trajan_ai.core.rng cimport Rng, rng_below


cdef inline int uniform_playout(const GameOps *ops, void *state, Rng *rng, int transitions,
                                int turns, move_t *moves) noexcept nogil:
    """Play until the game is over or a limit is reached; `moves` has room for max_moves."""
    cdef int made = 0
    cdef int count
    while made < transitions and ops.turn(state) < turns:
        count = ops.legal(state, moves)
        if count == 0:
            break
        ops.apply(state, moves[rng_below(rng, <unsigned int>count)])
        made += 1
    return made


cdef inline int policy_playout(const GameOps *ops, void *state, const float *weights, Rng *rng,
                               int transitions, int turns, move_t *moves) noexcept nogil:
    """The same by the game's policy."""
    cdef int made = 0
    cdef int count
    while made < transitions and ops.turn(state) < turns:
        count = ops.legal(state, moves)
        if count == 0:
            break
        ops.apply(state, moves[ops.policy(state, moves, count, weights, rng)])
        made += 1
    return made
