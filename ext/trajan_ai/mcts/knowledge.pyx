"""Access from Python to a game's knowledge: its prior, policy and evaluation.

Weights are floats, one for each of ``Game.weight_names``, in that order. Every function raises
TrajanError if the game lacks the requested knowledge or if the number of weights is wrong.
"""

from cpython cimport array
from libc.stdint cimport uint64_t

from trajan_ai.core.game cimport (
    MAX_MOVES, MAX_PLAYERS, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_below, seeded

import array

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import get_decider

cdef array.array FLOATS = array.array("f")


cdef array.array _checked(Game game, weights):
    """Check the number of weights, and return them as floats."""
    cdef array.array numbers
    cdef int i
    if len(weights) != game.ops.weight_count:
        raise TrajanError(f"{game.name}: there must be {game.ops.weight_count} weights, "
                          f"got {len(weights)}")
    # This loop is six times as fast as array.array("f", weights).
    numbers = array.clone(FLOATS, len(weights), zero=False)
    for i, weight in enumerate(weights):
        numbers.data.as_floats[i] = weight
    return numbers


cdef _need(Game game, bint there, str entry):
    if not there:
        raise TrajanError(f"{game.name}: the game has no {entry}")


def priors(Position position not None, weights):
    """Return the prior of each legal move, in the order of the moves, or [] if the game is over."""
    cdef Game game = position.game
    cdef move_t moves[MAX_MOVES]
    cdef float out[MAX_MOVES]
    cdef int i, count
    _need(game, game.ops.prior != NULL, "prior")
    cdef array.array numbers = _checked(game, weights)
    count = game.ops.legal(position.state, moves)
    if count == 0:
        return []
    game.ops.prior(position.state, moves, count, numbers.data.as_floats, out)
    return [out[i] for i in range(count)]


def policy_choice(Position position not None, weights, seed):
    """Return the index, among the legal moves, of the move that the playout policy makes."""
    cdef Game game = position.game
    cdef move_t moves[MAX_MOVES]
    cdef int count
    cdef Rng rng = seeded(seed)
    _need(game, game.ops.policy != NULL, "policy")
    cdef array.array numbers = _checked(game, weights)
    count = game.ops.legal(position.state, moves)
    get_decider(position)  # raises TrajanError if the game is over
    return game.ops.policy(position.state, moves, count, numbers.data.as_floats, &rng)


def evaluation(Position position not None, weights):
    """Return the expected final VP of each player."""
    cdef Game game = position.game
    cdef float values[MAX_PLAYERS]
    cdef int p
    _need(game, game.ops.evaluate != NULL, "evaluation")
    cdef array.array numbers = _checked(game, weights)
    game.ops.evaluate(position.state, numbers.data.as_floats, values)
    return [values[p] for p in range(position.players)]


cdef int play_on(const GameOps *ops, void *state, const float **weights, Rng *rng,
                 int most) noexcept nogil:
    """Make up to `most` moves by the policy, with weights[p] for player p; return their number."""
    cdef move_t moves[MAX_MOVES]
    cdef int made, count, player
    for made in range(most):
        player = ops.player(state)
        if player == NO_PLAYER:
            return made
        count = ops.legal(state, moves)
        ops.apply(state, moves[ops.policy(state, moves, count, weights[player], rng)])
    return most


def play_by_policy(Position position not None, weights_by_player, seed, int every):
    """Play to the end by the policy, with ``weights_by_player[p]`` for player p.

    Returns the final scores, and the positions at every `every`-th decision, beginning with a
    random one of the first `every` decisions.
    """
    cdef Game game = position.game
    cdef const float *weights[MAX_PLAYERS]
    cdef Position running = game.wrap(position.state, position.origin, position.ply)
    cdef int most
    cdef Rng rng = seeded(seed)
    _need(game, game.ops.policy != NULL, "policy")
    if len(weights_by_player) != position.players:
        raise TrajanError(f"{game.name}: weights of {position.players} players are needed, "
                          f"got {len(weights_by_player)}")
    if every < 1:
        raise TrajanError(f"{game.name}: every must be at least 1 decision, got {every}")
    kept = [_checked(game, numbers) for numbers in weights_by_player]
    for p in range(position.players):
        weights[p] = (<array.array>kept[p]).data.as_floats
    most = <int>rng_below(&rng, <unsigned int>every)
    met = []
    while True:
        with nogil:
            most = play_on(game.ops, running.state, weights, &rng, most)
        running.ply += most
        if running.player is None:
            return running.scores, met
        met.append(game.wrap(running.state, running.origin, running.ply))
        most = every
