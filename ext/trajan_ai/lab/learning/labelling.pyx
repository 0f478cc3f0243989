"""Positions for training, labelled with the VP that players gained afterwards. The playout policy
generates positions and labels, without the GIL.

Every position is the start of a turn, where no effect of a move is pending, so that an evaluation
takes everything into account.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy
from cpython cimport array

from trajan_ai.core.game cimport (
    MAX_PLAYERS, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.uniform cimport play_at_random, play_by_policy
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, seeded
from trajan_ai.core.room cimport items, room

import array

from trajan_ai.core.errors import TrajanError

cdef enum:
    _GAME_OVER = 255

GAME_OVER = _GAME_OVER    # written instead of a seat if the game is over


cdef struct Task:
    const GameOps *ops
    const float *roaming     # weights of the games that lead to the positions
    const float *judging     # weights of the playouts that label them
    int first                # the positions lie in the turns [first, last)
    int last
    int playouts


cdef Position first_of(list openings):
    """Return the first opening; raise an error unless all have the same game and number of
    players."""
    if not openings:
        raise ValueError("openings must not be empty")
    cdef Position first = <Position?>openings[0]
    for one in openings:
        if (<Position?>one).game is not first.game or one.players != first.players:
            raise TrajanError("all openings must be of the same game and number of players")
        if one.player is None:
            raise TrajanError("an opening is over")
    return first


cdef array.array weights_of(Game game, weights):
    """Check the number of weights for a game's knowledge, and return them as floats."""
    cdef array.array numbers = array.array("f", weights)
    if len(numbers) != game.ops.weight_count:
        raise TrajanError(f"{game.name}: there must be {game.ops.weight_count} weights, "
                          f"got {len(numbers)}")
    return numbers


cdef Task task_of(Game game, array.array roaming, array.array judging, turns,
                  int playouts) except *:
    """Return a task with these settings; it keeps pointers into `roaming` and `judging`."""
    cdef Task task
    task.ops = game.ops
    task.roaming = roaming.data.as_floats
    task.judging = judging.data.as_floats
    task.first, task.last = turns
    task.playouts = playouts
    if not 0 <= task.first < task.last:
        raise ValueError(f"turns must be a range of turns, got {turns}")
    if playouts < 1:
        raise ValueError(f"playouts must be at least 1, got {playouts}")
    return task


cdef void label(const Task *task, const void *opening, void *state, void *scratch, Rng *rng,
                float *terms, float *gains) noexcept nogil:
    """Play to a position; write its terms, and the mean VP that each player gains afterwards."""
    cdef const GameOps *ops = task.ops
    cdef int32_t numbers[MAX_PLAYERS]
    cdef int players = ops.players(opening)
    cdef int i, p
    while True:
        memcpy(state, opening, ops.state_size)
        play_by_policy(
            ops, state, task.roaming, rng,
            task.first + <int>rng_below(rng, <unsigned int>(task.last - task.first)))
        if ops.player(state) != NO_PLAYER:
            break
    ops.terms(state, terms)
    for p in range(players):
        gains[p] = 0
    for i in range(task.playouts):
        memcpy(scratch, state, ops.state_size)
        play_by_policy(ops, scratch, task.judging, rng, NO_LIMIT)
        ops.scores(scratch, numbers)
        for p in range(players):
            gains[p] += numbers[p]
    ops.scores(state, numbers)
    for p in range(players):
        gains[p] = gains[p] / task.playouts - numbers[p]


def label_turn_starts(list openings not None, roaming, judging, seed, turns, int playouts,
                      terms, gains):
    """Fill `terms` (N, players, terms) of the evaluation, and `gains` (N, players) in VP.

    To reach the i-th position, the policy plays from ``openings[i % len(openings)]`` with the
    weights `roaming` to a turn chosen uniformly from ``range(*turns)``; if the game ends earlier,
    it is played again. The label of the position is the mean gain of each player until the end,
    over `playouts` games that the policy plays with the weights `judging`. Runs without the GIL, so
    several threads may fill different parts of the arrays at the same time. Raises TrajanError if
    the game has no policy or no terms, and ValueError if an array has the wrong type or shape.
    """
    cdef Position opening = first_of(openings)
    cdef Game game = opening.game
    cdef const GameOps *ops = game.ops
    cdef Position labelled = game.wrap(opening.state, None, 0)
    cdef Position scratch = game.wrap(opening.state, None, 0)
    cdef array.array first = weights_of(game, roaming)
    cdef array.array second = weights_of(game, judging)
    cdef Task task = task_of(game, first, second, turns, playouts)
    cdef list owners = []
    cdef float *term = <float *>items(owners, terms, "f")
    cdef float *gain = <float *>items(owners, gains, "f")
    cdef Py_ssize_t i
    cdef int players = opening.players
    cdef Rng rng = seeded(seed)
    if ops.policy == NULL or ops.terms == NULL:
        raise TrajanError(f"{game.name}: the game has no policy, or no linear evaluation")
    if terms.shape != (len(gains), players, ops.term_count) or gains.shape[1:] != (players,):
        raise ValueError(f"terms must have the shape (N, {players}, {ops.term_count}) and gains "
                         f"(N, {players}), got {terms.shape} and {gains.shape}")
    if any(one.turn > task.first for one in openings):
        raise TrajanError("an opening is after the first turn of the range")
    for i in range(len(gains)):
        opening = openings[i % len(openings)]
        with nogil:
            label(&task, opening.state, labelled.state, scratch.state, &rng,
                  term + i * players * ops.term_count, gain + i * players)


cdef struct Views:
    void **openings
    int count                # number of openings
    uint8_t *features        # features of the player to move
    float *evaluations
    float *finals


cdef void play_to_view(const Task *task, const void *opening, void *state, Rng *rng) noexcept nogil:
    """Deal an opening again, and play on to the start of a turn."""
    cdef const GameOps *ops = task.ops
    cdef int begin = ops.turn(opening)
    while True:
        if begin == 0 and ops.deal != NULL:
            memcpy(state, opening, ops.state_size)
            ops.deal(state, rng)
        else:
            ops.determinize(opening, state, ops.player(opening), rng)
        if begin and rng_below(rng, 2):
            play_at_random(ops, state, rng, begin + 1)
        play_by_policy(
            ops, state, task.roaming, rng,
            begin + task.first + <int>rng_below(rng, <unsigned int>(task.last - task.first)))
        if ops.player(state) != NO_PLAYER:
            return


cdef void label_view(const Task *task, const Views *views, Py_ssize_t place, void *state,
                     void *scratch, Rng *rng) noexcept nogil:
    """Play to a position, and write its features, evaluation and final VP."""
    cdef const GameOps *ops = task.ops
    cdef int32_t scores[MAX_PLAYERS]
    cdef float values[MAX_PLAYERS]
    cdef const void *opening = views.openings[rng_below(rng, <unsigned int>views.count)]
    cdef int players = ops.players(opening)
    cdef int i, p, seat
    play_to_view(task, opening, state, rng)
    seat = ops.player(state)
    ops.features(state, seat, views.features + place * ops.feature_counts[players])
    ops.evaluate(state, task.judging, values)
    for p in range(players):
        views.evaluations[place * players + p] = values[(seat + p) % players]
        views.finals[place * players + p] = 0
    for i in range(task.playouts):
        memcpy(scratch, state, ops.state_size)
        play_by_policy(ops, scratch, task.judging, rng, NO_LIMIT)
        ops.scores(scratch, scores)
        for p in range(players):
            views.finals[place * players + p] += (
                <float>scores[(seat + p) % players] / task.playouts)


def label_views(list openings not None, roaming, judging, seed, turns, int playouts,
                features, evaluations, finals):
    """Fill the arrays with what the player to move sees at the start of turns, and with labels.

    Every position is reached from a random opening. First, everything that the player to move
    cannot know is dealt again; if the opening is in the first turn and the game can deal in C, the
    whole game is dealt again. Then, in half of the cases, one turn is played at random, unless the
    opening is in the first turn. After that, the policy plays with the weights `roaming` to a turn
    that is chosen uniformly from ``range(*turns)`` and counted from the opening. `features` (N,
    features) receives the features of the player to move. `evaluations` (N, players) receives the
    linear evaluation of every player, beginning with the player to move. `finals` (N, players)
    receives in the same order the mean final VP over `playouts` games that the policy plays with
    the weights `judging`. Runs without the GIL. Raises ValueError if an array has the wrong type or
    size.
    """
    cdef Position opening = first_of(openings)
    cdef Game game = opening.game
    cdef const GameOps *ops = game.ops
    cdef Position labelled = game.wrap(opening.state, None, 0)
    cdef Position scratch = game.wrap(opening.state, None, 0)
    cdef array.array first = weights_of(game, roaming)
    cdef array.array second = weights_of(game, judging)
    cdef Task task = task_of(game, first, second, turns, playouts)
    cdef Views views
    cdef list owners = []
    cdef Py_ssize_t i, count = len(finals)
    cdef int players = opening.players
    cdef Rng rng = seeded(seed)
    if ops.policy == NULL or ops.evaluate == NULL or ops.features == NULL:
        raise TrajanError(f"{game.name}: the game has no policy, evaluation or features")
    views.features = <uint8_t *>items(owners, features, "B", False,
                                      count * ops.feature_counts[players])
    views.evaluations = <float *>items(owners, evaluations, "f", False, count * players)
    views.finals = <float *>items(owners, finals, "f", False, count * players)
    views.openings = <void **>room(owners, len(openings) * sizeof(void *))
    views.count = len(openings)
    for i, one in enumerate(openings):
        views.openings[i] = (<Position>one).state
    with nogil:
        for i in range(count):
            label_view(&task, &views, i, labelled.state, scratch.state, &rng)


cdef struct Leaves:
    move_t move
    int turns                # turns of the playout
    uint8_t *features        # features of the player to move after the playout
    float *evaluations
    uint8_t *seats


cdef void play_to_leaf(const GameOps *ops, const void *opening, const float *weights,
                       const Leaves *leaves, Py_ssize_t place, void *state, Rng *rng) noexcept nogil:
    """Play to a leaf, and write its evaluation, features and seat."""
    cdef int32_t scores[MAX_PLAYERS]
    cdef float values[MAX_PLAYERS]
    cdef int players = ops.players(opening)
    cdef int first = ops.player(opening)
    cdef int p, last
    ops.determinize(opening, state, first, rng)
    ops.apply(state, leaves.move)
    play_by_policy(ops, state, weights, rng, ops.turn(state) + leaves.turns)
    last = ops.player(state)
    if last == NO_PLAYER:
        ops.scores(state, scores)
        for p in range(players):
            values[p] = scores[p]
    else:
        ops.evaluate(state, weights, values)
        ops.features(state, last, leaves.features + place * ops.feature_counts[players])
    for p in range(players):
        leaves.evaluations[place * players + p] = values[(first + p) % players]
    leaves.seats[place] = <uint8_t>((last - first + players) % players if last != NO_PLAYER
                                    else _GAME_OVER)


def play_to_leaves(Position position not None, int move, weights, seed, int turns,
                   features, evaluations, seats):
    """Fill the arrays with positions that a search would evaluate for a move, after cut playouts.

    For each position, everything that the player to move cannot know is dealt again, the move is
    made, and the policy plays with `weights` for `turns` turns. With the same seed, the i-th deal
    is the same for every move. `evaluations` (N, players) receives the VP of each player, beginning
    with the player to move in `position`: the final VP if the game is over, otherwise those that
    the linear evaluation expects. `features` (N, features) receives the features of the player to
    move after the playout. `seats` (N) receives the seat of that player, counted from the player to
    move in `position`, or GAME_OVER. Runs without the GIL. Raises TrajanError if the move is not
    legal, and ValueError if an array has the wrong type or size.
    """
    cdef Game game = position.game
    cdef const GameOps *ops = game.ops
    cdef Position state = game.wrap(position.state, None, 0)
    cdef array.array numbers = weights_of(game, weights)
    cdef Leaves leaves
    cdef list owners = []
    cdef Py_ssize_t i, count = len(seats)
    cdef int players = position.players
    cdef Rng rng
    cdef uint64_t first
    if ops.policy == NULL or ops.evaluate == NULL or ops.features == NULL:
        raise TrajanError(f"{game.name}: the game has no policy, evaluation or features")
    position._check_move(move)
    if turns < 1:
        raise ValueError(f"turns must be positive, got {turns}")
    leaves.move = <move_t>move
    leaves.turns = turns
    leaves.features = <uint8_t *>items(owners, features, "B", False,
                                       count * ops.feature_counts[players])
    leaves.evaluations = <float *>items(owners, evaluations, "f", False, count * players)
    leaves.seats = <uint8_t *>items(owners, seats, "B", False, count)
    first = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    with nogil:
        for i in range(count):
            rng_seed(&rng, first + <uint64_t>i)
            play_to_leaf(ops, position.state, numbers.data.as_floats, &leaves, i, state.state, &rng)
