"""Positions with what they turned out to be worth, made by the playout policy without the GIL.

They are starts of turns, where nothing is pending, so an evaluation sees all that counts.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy, memset
from cpython cimport array

from trajan_ai.core.game cimport (
    MAX_PLAYERS, MOST_MOVES, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.uniform cimport policy_playout
from trajan_ai.core.rng cimport Rng, rng_below, seeded
from trajan_ai.core.room cimport items

import array

from trajan_ai.core.errors import TrajanError


cdef void play_on(const GameOps *ops, void *state, const float *weights, Rng *rng,
                  int turns) noexcept nogil:
    """Play by the policy until turn() has reached `turns` or the game is over."""
    cdef move_t moves[MOST_MOVES]
    cdef float shortfalls[MAX_PLAYERS]    # of no interest
    if ops.policy_playout != NULL:
        memset(shortfalls, 0, sizeof(shortfalls))
        ops.policy_playout(state, weights, rng, NO_LIMIT, turns, shortfalls)
    else:
        policy_playout(ops, state, weights, rng, NO_LIMIT, turns, moves)


cdef struct Task:
    const GameOps *ops
    const float *roaming     # weights of the games that lead to the positions
    const float *judging     # weights of the playouts that label them
    int first                # turns: positions lie from `first` to below `last`
    int last
    int playouts


cdef void label(const Task *task, const void *opening, void *state, void *scratch, Rng *rng,
                float *terms, float *gains) noexcept nogil:
    """Fill in the terms of a position, and each player's mean remaining VP."""
    cdef const GameOps *ops = task.ops
    cdef int32_t numbers[MAX_PLAYERS]
    cdef int players = ops.players(opening)
    cdef int i, p
    while True:
        memcpy(state, opening, ops.state_size)
        play_on(ops, state, task.roaming, rng,
                task.first + <int>rng_below(rng, <unsigned int>(task.last - task.first)))
        if ops.player(state) != NO_PLAYER:
            break
    ops.terms(state, terms)
    for p in range(players):
        gains[p] = 0
    for i in range(task.playouts):
        memcpy(scratch, state, ops.state_size)
        play_on(ops, scratch, task.judging, rng, NO_LIMIT)
        ops.scores(scratch, numbers)
        for p in range(players):
            gains[p] += numbers[p]
    ops.scores(state, numbers)
    for p in range(players):
        gains[p] = gains[p] / task.playouts - numbers[p]


def label_turn_starts(list openings not None, roaming, judging, seed, turns, int playouts,
                      terms, gains):
    """Fill in the terms of the evaluation, (N, players, terms), and VP still to come, (N, players).

    The i-th position comes from ``openings[i % len(openings)]``, played by the policy with the
    weights `roaming` to a turn in ``range(*turns)``, all equally likely (again, if the game ends
    before); its label is each player's mean gain in `playouts` games by the policy with `judging`.
    Runs without the GIL, so several threads may fill parts of the arrays side by side. Raises
    TrajanError if the game has no policy or no terms, ValueError for arrays that do not fit.
    """
    if not openings:
        raise ValueError("needs at least one opening")
    cdef Position opening = <Position?>openings[0]
    cdef Game game = opening.game
    cdef const GameOps *ops = game.ops
    cdef Position labelled = game.wrap(opening.state, None, 0)
    cdef Position scratch = game.wrap(opening.state, None, 0)
    cdef array.array first = array.array("f", roaming)
    cdef array.array second = array.array("f", judging)
    cdef Task task
    cdef list owners = []
    cdef float *term = <float *>items(owners, terms, "f")
    cdef float *gain = <float *>items(owners, gains, "f")
    cdef Py_ssize_t i
    cdef int players = opening.players
    cdef Rng rng = seeded(seed)
    if ops.policy == NULL or ops.terms == NULL:
        raise TrajanError(f"{game.name}: the game has no policy, or no linear evaluation")
    if not len(first) == len(second) == ops.weight_count:
        raise TrajanError(f"{game.name}: there must be {ops.weight_count} weights")
    if terms.shape != (len(gains), players, ops.term_count) or gains.shape[1:] != (players,):
        raise ValueError("terms and gains do not fit each other or the game")
    task.ops = ops
    task.roaming = first.data.as_floats
    task.judging = second.data.as_floats
    task.first, task.last = turns
    task.playouts = playouts
    if not 0 <= task.first < task.last:
        raise ValueError(f"turns must be a range of turns, got {turns}")
    if playouts < 1:
        raise ValueError(f"playouts must be at least 1, got {playouts}")
    for one in openings:
        if (<Position?>one).game is not game or one.players != players:
            raise TrajanError("all openings must be of the same game and number of players")
        if one.player is None or one.turn > task.first:
            raise TrajanError("an opening is over, or after the first turn of the range")
    for i in range(len(gains)):
        opening = openings[i % len(openings)]
        with nogil:
            label(&task, opening.state, labelled.state, scratch.state, &rng,
                  term + i * players * ops.term_count, gain + i * players)
