"""Loops over a game's functions and over basic operations, for timing, and digests of games."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from cpython cimport array

from trajan_ai.core.game cimport (
    MAX_MOVES, MAX_PLAYERS, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, move_t, raise_failure,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_next, seeded
from trajan_ai.core.uniform cimport play_at_random, uniform_playout

import array

from trajan_ai.core.errors import TrajanError

cdef enum:
    LOOK_STRIDE = 16     # one in this many decisions adds what players know to the digest
    LOOK_LENGTH = 16     # decisions played on from each determinization
    KIBIBYTE = 1024
    RING = 8
    ITEMS = 10


cdef uint64_t mixed(uint64_t digest, uint64_t value) noexcept nogil:
    digest = (digest ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return digest ^ (digest >> 29)


def playouts(list openings not None, int count, seed, bint fused=True):
    """Play `count` uniformly random playouts, the i-th from ``openings[i % len(openings)]``.

    Returns (transitions made, turns played, digest of all scores). If `fused` is true, the game's
    own playout function is used if there is one; the digest does not depend on `fused`.
    """
    if not openings or count < 1:
        raise ValueError("at least one opening and one playout are required")
    for one in openings:
        if (<Position?>one).game is not (<Position?>openings[0]).game:
            raise TrajanError("all openings must be of the same game")
        if one.player is None:
            raise TrajanError("the game of an opening is over")
    cdef Game game = (<Position?>openings[0]).game
    cdef const GameOps *ops = game.ops
    cdef Position opening = openings[0]
    cdef Position running = game.wrap(opening.state, None, 0)
    cdef move_t moves[MAX_MOVES]
    cdef int32_t scores[MAX_PLAYERS]
    cdef uint64_t digest = 0
    cdef long long transitions = 0, turns = 0
    cdef Rng rng = seeded(seed)
    cdef int i, p
    for i in range(count):
        opening = openings[i % len(openings)]
        with nogil:
            memcpy(running.state, opening.state, ops.state_size)
            if fused:
                transitions += play_at_random(ops, running.state, &rng, NO_LIMIT)
            else:
                transitions += uniform_playout(ops, running.state, &rng, NO_LIMIT, NO_LIMIT, moves)
            turns += ops.turn(running.state)
            ops.scores(running.state, scores)
            for p in range(ops.players(running.state)):
                digest = mixed(digest, <uint64_t>scores[p])
    raise_failure()
    return transitions, turns, digest


cdef uint64_t mix_floats(uint64_t digest, const float *numbers, int count) noexcept nogil:
    cdef uint32_t bits
    cdef int i
    for i in range(count):
        memcpy(&bits, &numbers[i], sizeof(bits))
        digest = mixed(digest, bits)
    return digest


cdef uint64_t mix_scores(uint64_t digest, const GameOps *ops, const void *state) noexcept nogil:
    cdef int32_t numbers[MAX_PLAYERS]
    cdef int p
    ops.scores(state, numbers)
    for p in range(ops.players(state)):
        digest = mixed(digest, <uint64_t>numbers[p])
    if ops.player(state) == NO_PLAYER:
        ops.ranks(state, numbers)
        for p in range(ops.players(state)):
            digest = mixed(digest, <uint64_t>numbers[p])
    return digest


cdef uint64_t mix_knowledge(uint64_t digest, const GameOps *ops, const void *state,
                            const move_t *moves, int count, const float *weights,
                            Rng *rng) noexcept nogil:
    """Mix prior, policy, evaluation and remaining turns into the digest, if the game has them."""
    cdef float numbers[MAX_MOVES]
    cdef int p
    if ops.prior != NULL:
        ops.prior(state, moves, count, weights, numbers)
        digest = mix_floats(digest, numbers, count)
    if ops.policy != NULL:
        digest = mixed(digest, <uint64_t>ops.policy(state, moves, count, weights, rng))
    if ops.evaluate != NULL:
        ops.evaluate(state, weights, numbers)
        digest = mix_floats(digest, numbers, ops.players(state))
    if ops.turns_left != NULL:
        for p in range(ops.players(state)):
            digest = mixed(digest, <uint64_t>ops.turns_left(state, p))
    return digest


cdef uint64_t mix_game(uint64_t digest, const GameOps *ops, void *state, void *drawn,
                       const float *weights, Rng *rng, int most) noexcept nogil:
    """Continue from `state` at random for up to `most` decisions; return a digest of the decisions.

    `drawn` is memory for determinizations; if it is NULL, no determinizations are examined.
    """
    cdef move_t moves[MAX_MOVES]
    cdef int count, i, p, made = 0
    while made < most:
        count = ops.legal(state, moves)
        digest = mixed(mixed(digest, <uint64_t>count), <uint64_t>ops.turn(state))
        digest = mix_scores(digest, ops, state)
        if count == 0:
            return digest
        digest = mixed(digest, <uint64_t>ops.player(state))
        for i in range(count):
            digest = mixed(digest, <uint64_t>moves[i])
        if drawn != NULL and made % LOOK_STRIDE == 0:
            digest = mix_knowledge(digest, ops, state, moves, count, weights, rng)
            for p in range(ops.players(state)):
                ops.determinize(state, drawn, p, rng)
                digest = mix_game(digest, ops, drawn, NULL, weights, rng, LOOK_LENGTH)
        i = <int>rng_below(rng, <unsigned int>count)
        if ops.observed != NULL:
            for p in range(ops.players(state)):
                digest = mixed(digest, <uint64_t>ops.observed(state, moves[i], p))
        ops.apply(state, moves[i])
        made += 1
    return digest


def game_digest(Position position not None, seed):
    """Return a digest of one random game from `position`; the digest changes with the rules.

    The digest covers decisions, legal moves, turns, scores and ranks, what each player may know (by
    playing on from determinizations), and the game's knowledge with its default weights. The digest
    does not depend on the memory layout of states.
    """
    cdef Game game = position.game
    cdef Position running = game.wrap(position.state, None, 0)
    cdef Position drawn = game.wrap(position.state, None, 0)
    cdef array.array weights = array.array("f", game.default_weights or ())
    cdef uint64_t digest
    cdef Rng rng = seeded(seed)
    with nogil:
        digest = mix_game(1, game.ops, running.state, drawn.state, weights.data.as_floats, &rng,
                          NO_LIMIT)
    raise_failure()
    return digest


def determinizations(Position position not None, int observer, int count, seed):
    """Draw `count` determinizations of `position` for `observer`; return a digest of the last."""
    cdef const GameOps *ops = position.game.ops
    cdef Position drawn = position.game.wrap(position.state, None, 0)
    cdef Rng rng = seeded(seed)
    cdef int i
    position._check_player(observer)
    if count < 0:
        raise ValueError(f"count must be at least 0, got {count}")
    with nogil:
        for i in range(count):
            ops.determinize(position.state, drawn.state, observer, &rng)
    raise_failure()
    return mixed(0, (<uint8_t *>drawn.state)[count % ops.state_size])


def copy_kibibyte(int count):
    """Copy 1 KiB `count` times around a ring; return a byte, so that no copy is optimised away."""
    cdef uint8_t ring[RING][KIBIBYTE]
    cdef int i
    for i in range(KIBIBYTE):
        ring[0][i] = <uint8_t>i
    with nogil:
        for i in range(count):
            memcpy(<void *>ring[(i + 1) % RING], <const void *>ring[i % RING], KIBIBYTE)
    return ring[count % RING][count % KIBIBYTE]


def bounded_random(int count, seed):
    """Draw `count` random numbers with varying upper bounds from xoshiro, and return their sum."""
    cdef Rng rng = seeded(seed)
    cdef uint64_t total = 0
    cdef int i
    with nogil:
        for i in range(count):
            total += rng_below(&rng, <unsigned int>(2 + (i & 15)))
    return total


def choose_of_ten(int count, seed):
    """Choose one of about 10 items (those in a random mask of 20) `count` times; return a sum."""
    cdef Rng rng = seeded(seed)
    cdef uint64_t total = 0
    cdef uint64_t mask
    cdef int32_t listed[2 * ITEMS]
    cdef int i, j, count_listed
    with nogil:
        for i in range(count):
            mask = rng_next(&rng) | 1
            count_listed = 0
            for j in range(2 * ITEMS):
                listed[count_listed] = j
                count_listed += <int>((mask >> j) & 1)
            total += <uint64_t>listed[rng_below(&rng, <unsigned int>count_listed)]
    return total
