"""Playouts: the reference loops, and functions that use a game's own loop if it has one.

A game's own loops (GameOps.playout, policy_playout) must draw exactly as the reference loops do.
"""

from libc.string cimport memset

from trajan_ai.core.game cimport MAX_MOVES, MAX_PLAYERS, NO_LIMIT, GameOps, move_t
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


cdef inline int play_at_random(const GameOps *ops, void *state, Rng *rng,
                               int turns) noexcept nogil:
    """Play at random until turn() has reached `turns` or the game is over, by the game's own loop
    if it has one; return the number of moves made."""
    cdef move_t moves[MAX_MOVES]
    if ops.playout != NULL:
        return ops.playout(state, rng, NO_LIMIT, turns)
    return uniform_playout(ops, state, rng, NO_LIMIT, turns, moves)


cdef inline void play_by_policy(const GameOps *ops, void *state, const float *weights, Rng *rng,
                                int turns) noexcept nogil:
    """Play by the policy until turn() has reached `turns` or the game is over, by the game's own
    loop if it has one."""
    cdef move_t moves[MAX_MOVES]
    cdef float shortfalls[MAX_PLAYERS]    # not used
    if ops.policy_playout != NULL:
        memset(shortfalls, 0, sizeof(shortfalls))
        ops.policy_playout(state, weights, rng, NO_LIMIT, turns, shortfalls)
    else:
        policy_playout(ops, state, weights, rng, NO_LIMIT, turns, moves)
