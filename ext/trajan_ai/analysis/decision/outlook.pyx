"""The outlook of a position: playouts by the policy, the VP of a move, and revealing moves.

Playouts begin in states drawn from the knowledge of one player, so their results reveal nothing
that is hidden from this player. The same seed gives the same states (common random numbers), so the
difference between two results is more precise than either result.
"""

from cpython cimport array
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memset

import array

from trajan_ai.core.game cimport (
    MAX_MOVES, MAX_PLAYERS, MAX_SOURCES, NO_LIMIT, EventSink, Game, GameOps, Position, has_move,
    move_t, raise_failure,
)
from trajan_ai.core.rng cimport Rng, rng_seed
from trajan_ai.core.uniform cimport play_at_random, play_by_policy

from trajan_ai.core.errors import TrajanError

cdef enum:
    COLUMNS = MAX_PLAYERS * MAX_SOURCES
    LOOKS = 16               # number of determinizations that `reveals` compares


cdef inline void start_draw(Rng *rng, uint64_t seed, int number, int purpose) noexcept nogil:
    """Seed `rng` so that every draw has a separate generator for each purpose."""
    rng_seed(rng, seed + <uint64_t>0x9E3779B97F4A7C15 * <uint64_t>(2 * number + purpose + 1))


cdef void play_out(const GameOps *ops, void *state, const float *weights, Rng *rng) noexcept nogil:
    """Play to the end by the game's policy, or at random if the game has no policy."""
    if ops.policy != NULL:
        play_by_policy(ops, state, weights, rng, NO_LIMIT)
    else:
        play_at_random(ops, state, rng, NO_LIMIT)


cdef void follow(const GameOps *ops, void *state, const int *line, int length,
                 int observer) noexcept nogil:
    """Make the moves of a line, but stop before a move that is illegal or not the observer's."""
    cdef move_t moves[MAX_MOVES]
    cdef int i
    for i in range(length):
        if ops.player(state) != observer or not has_move(moves, ops.legal(state, moves), line[i]):
            return
        ops.apply(state, line[i])


def playouts(Position position not None, int observer, line, int count, seed):
    """Play `count` games to the end after `line`, a list of moves that the observer makes first.

    The line may be empty. A game leaves the line at the first move that is not possible in that
    game. Returns a flat array of floats: for each playout, the final VP of every player.
    """
    cdef Game game = position.game
    cdef const GameOps *ops = game.ops
    cdef int players = ops.players(position.state)
    cdef array.array result = array.array("f", [0.0]) * (max(count, 0) * <Py_ssize_t>players)
    cdef float *out = result.data.as_floats
    cdef array.array weights = array.array("f", game.default_weights or ())
    cdef Position drawn = game.wrap(position.state, None, 0)
    cdef uint64_t start = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef array.array moves = array.array("i", line)
    cdef int32_t scores[MAX_PLAYERS]
    cdef Rng rng
    cdef int i, p
    cdef int length = <int>len(moves)
    position._check_player(observer)
    if line and not position._is_legal(line[0]):
        raise TrajanError(f"line {line}: does not begin with a legal move")
    with nogil:
        for i in range(count):
            start_draw(&rng, start, i, 0)
            ops.determinize(position.state, drawn.state, observer, &rng)
            start_draw(&rng, start, i, 1)
            follow(ops, drawn.state, moves.data.as_ints, length, observer)
            play_out(ops, drawn.state, weights.data.as_floats, &rng)
            ops.scores(drawn.state, scores)
            for p in range(players):
                out[p] = <float>scores[p]
            out += players
    raise_failure()
    return result


def sources_of(Position position not None, move_t move):
    """Return the position after a legal move, and each player's VP gained from each source."""
    cdef Position after = position.game.wrap(position.state, position.origin, position.ply + 1)
    cdef const GameOps *ops = position.game.ops
    cdef int32_t vp[COLUMNS]
    cdef EventSink sink
    cdef int p, k
    position._check_move(move)
    memset(vp, 0, sizeof(vp))
    sink.events, sink.count, sink.vp = NULL, 0, vp
    if ops.apply_reported != NULL:
        ops.apply_reported(after.state, move, &sink)
    else:
        ops.apply(after.state, move)
    raise_failure()
    return after, [[vp[p * ops.vp_sources + k] for k in range(ops.vp_sources)]
                   for p in range(ops.players(position.state))]


def reveals(Position position not None, move_t move, int observer, seed):
    """Return whether a move of the observer reveals something that the observer did not know.

    What the observer sees after the move is compared with what they would see in LOOKS
    determinizations. Therefore a result of True is certain, but False can be wrong by chance.
    """
    cdef Game game = position.game
    cdef const GameOps *ops = game.ops
    cdef Position after = position.after_move(move)
    cdef Position drawn = game.wrap(position.state, None, 0)
    cdef Position one = game.wrap(position.state, None, 0)
    cdef Position other = game.wrap(position.state, None, 0)
    cdef uint64_t start = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef Rng rng
    cdef int i
    if position.player != observer:
        raise TrajanError(f"the observer must be the player to decide, got {observer}")
    for i in range(LOOKS):
        start_draw(&rng, start, i, 0)
        ops.determinize(position.state, drawn.state, observer, &rng)
        ops.apply(drawn.state, move)
        # With the same seed, the draws from two positions that look alike to the observer are
        # identical, byte for byte.
        start_draw(&rng, start, i, 1)
        ops.determinize(drawn.state, one.state, observer, &rng)
        start_draw(&rng, start, i, 1)
        ops.determinize(after.state, other.state, observer, &rng)
        raise_failure()
        if memcmp(one.state, other.state, ops.state_size) != 0:
            return True
    return False
