"""What a position holds in store: playouts that note what brings VP, and what a move reveals.

Everything is drawn from what one player knows, so nothing here tells more than that player may
know. The same seed gives the same draws to every move (common random numbers), so that the
differences between moves are surer than the moves' own figures.
"""

from cpython cimport array
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memset

import array

from trajan_ai.core.game cimport (
    MAX_PLAYERS, MOST_MOVES, MOST_SOURCES, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed

from trajan_ai.core.errors import TrajanError

cdef enum:
    COLUMNS = MAX_PLAYERS * (MOST_SOURCES + 2)
    LOOKS = 16               # redraws that show whether a move revealed something


cdef inline void start_draw(Rng *rng, uint64_t seed, int number, int purpose) noexcept nogil:
    """A generator of its own for each draw and each purpose."""
    rng_seed(rng, seed + <uint64_t>0x9E3779B97F4A7C15 * <uint64_t>(2 * number + purpose + 1))


cdef inline move_t chosen_move(const GameOps *ops, const void *state, const move_t *moves,
                               int count, const float *weights, Rng *rng) noexcept nogil:
    if ops.policy != NULL:
        return moves[ops.policy(state, moves, count, weights, rng)]
    return moves[rng_below(rng, <unsigned int>count)]


cdef inline void apply_noting(const GameOps *ops, void *state, move_t move,
                              int32_t *vp) noexcept nogil:
    """Make a move; note in `vp`, unless that is NULL, what it brings."""
    if vp != NULL and ops.apply_booked != NULL:
        ops.apply_booked(state, move, vp)
    else:
        ops.apply(state, move)


cdef void play_out(const GameOps *ops, void *state, const float *weights, Rng *rng,
                   int32_t *vp) noexcept nogil:
    """Play to the end by the game's policy, uniformly without one; add to vp by source."""
    cdef move_t moves[MOST_MOVES]
    cdef int count = ops.legal(state, moves)
    while count > 0:
        apply_noting(ops, state, chosen_move(ops, state, moves, count, weights, rng), vp)
        count = ops.legal(state, moves)


cdef void share_win(const GameOps *ops, const void *state, float *out) noexcept nogil:
    """Write each player's share of the win of a finished game."""
    cdef int32_t ranks[MAX_PLAYERS]
    cdef int players = ops.players(state)
    cdef int p, first = 0
    ops.ranks(state, ranks)
    for p in range(players):
        first += ranks[p] == 1
    for p in range(players):
        out[p] = <float>(1.0 / first) if ranks[p] == 1 else <float>0.0


def default_weights(Game game not None):
    """Return the weights of a game's knowledge as the functions here take them."""
    return array.array("f", game.default_weights or (0.0,))


cdef bint is_legal(const GameOps *ops, const void *state, move_t move) noexcept nogil:
    cdef move_t moves[MOST_MOVES]
    cdef int count = ops.legal(state, moves)
    cdef int i
    for i in range(count):
        if moves[i] == move:
            return True
    return False


cdef void follow(const GameOps *ops, void *state, const int *line, int length, int observer,
                 int32_t *vp) noexcept nogil:
    """Make the moves of a line as long as the observer can."""
    cdef int i
    for i in range(length):
        if ops.player(state) != observer or not is_legal(ops, state, line[i]):
            return
        apply_noting(ops, state, line[i], vp)


def playouts(Position position not None, int observer, list lines, int count, seed,
             array.array weights not None, bint booked):
    """Play `count` games out after each of `lines`, lists of the observer's moves from here.

    A line may be empty, and is left where what it goes on with is not possible. Returns an array of floats: by
    line, then playout, then player, the share of the win, the final VP, and if `booked` the VP
    from each of the game's sources from here on.
    """
    cdef Game game = position.game
    cdef const GameOps *ops = game.ops
    cdef int players = ops.players(position.state)
    cdef int sources = ops.vp_sources if booked else 0
    cdef int width = sources + 2
    cdef array.array result = array.array("f", [0.0]) * (len(lines) * count * players * width)
    cdef float *out = result.data.as_floats
    cdef const float *w = weights.data.as_floats
    cdef Position drawn = game.wrap(position.state, None, 0)
    cdef uint64_t start = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef int32_t vp[COLUMNS]
    cdef int32_t *account = vp if booked else NULL
    cdef int32_t scores[MAX_PLAYERS]
    cdef float wins[MAX_PLAYERS]
    cdef Rng rng
    cdef int i, p, k, length
    cdef array.array line
    for moves in lines:
        line = array.array("i", moves)
        if moves and not position._is_legal(moves[0]):
            raise TrajanError(f"line {moves}: does not begin with a legal move")
        length = <int>len(moves)
        for i in range(count):
            with nogil:
                memset(vp, 0, sizeof(vp))
                start_draw(&rng, start, i, 0)
                ops.determinize(position.state, drawn.state, observer, &rng)
                start_draw(&rng, start, i, 1)
                follow(ops, drawn.state, line.data.as_ints, length, observer, account)
                play_out(ops, drawn.state, w, &rng, account)
                ops.scores(drawn.state, scores)
                share_win(ops, drawn.state, wins)
                for p in range(players):
                    out[0] = wins[p]
                    out[1] = <float>scores[p]
                    for k in range(sources):
                        out[2 + k] = <float>vp[p * sources + k]
                    out += width
    return result


def booked(Position position not None, move_t move):
    """Return the position after a legal move, and the VP that it brought: by player, by source."""
    cdef Position after = position.game.wrap(position.state, position.origin, position.ply + 1)
    cdef const GameOps *ops = position.game.ops
    cdef int32_t vp[COLUMNS]
    cdef int p, k
    position.after_move(move)           # raises where the move is not legal
    memset(vp, 0, sizeof(vp))
    apply_noting(ops, after.state, move, vp)
    return after, [[vp[p * ops.vp_sources + k] for k in range(ops.vp_sources)]
                   for p in range(ops.players(position.state))]


def reveals(Position position not None, move_t move, int observer, seed):
    """Whether the observer's move shows them something that they did not know before.

    Exact but for chance: the position after it is compared with what it is after redrawing what
    the observer does not know, LOOKS times.
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
    for i in range(LOOKS):
        start_draw(&rng, start, i, 0)
        ops.determinize(position.state, drawn.state, observer, &rng)
        ops.apply(drawn.state, move)
        # Positions that look alike to the observer are drawn alike, byte for byte.
        start_draw(&rng, start, i, 1)
        ops.determinize(drawn.state, one.state, observer, &rng)
        start_draw(&rng, start, i, 1)
        ops.determinize(after.state, other.state, observer, &rng)
        if memcmp(one.state, other.state, ops.state_size) != 0:
            return True
    return False
