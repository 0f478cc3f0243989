"""Loops over the contract and over the machine that benchmarks time from outside."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy
from cpython.mem cimport PyMem_Free, PyMem_Malloc

from trajan_ai.core.game cimport MAX_PLAYERS, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, move_t
from trajan_ai.core.rng cimport Rng, rng_below, rng_next, rng_seed

cdef enum:
    KIBIBYTE = 1024
    RING = 8
    ITEMS = 10


cdef int uniform_playout(const GameOps *ops, void *state, Rng *rng, int transitions,
                         move_t *moves) noexcept nogil:
    """The loop that GameOps.playout must draw as."""
    cdef int made = 0
    cdef int count
    while made < transitions:
        count = ops.legal(state, moves)
        if count == 0:
            break
        ops.apply(state, moves[rng_below(rng, <unsigned int>count)])
        made += 1
    return made


cdef uint64_t mixed(uint64_t digest, uint64_t value) noexcept nogil:
    digest = (digest ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return digest ^ (digest >> 29)


def playouts(list openings not None, int count, seed, bint fused=True):
    """Play `count` uniform playouts, the i-th from ``openings[i % len(openings)]``.

    Returns (transitions made, turns played, digest of all scores). `fused` uses the game's own
    playout entry where it has one; the digest does not depend on it.
    """
    if not openings or count < 1:
        raise ValueError("needs at least one opening and one playout")
    cdef Game game = (<Position?>openings[0]).game
    cdef const GameOps *ops = game.ops
    cdef Py_ssize_t size = ops.state_size
    cdef int kinds = len(openings)
    cdef uint8_t *states = <uint8_t *>PyMem_Malloc(size * (kinds + 1))
    cdef move_t *moves = <move_t *>PyMem_Malloc(ops.max_moves * sizeof(move_t))
    cdef uint8_t *state = states + size * kinds
    cdef int32_t scores[MAX_PLAYERS]
    cdef uint64_t digest = 0
    cdef long long transitions = 0, turns = 0
    cdef Rng rng
    cdef int i, p
    try:
        if states == NULL or moves == NULL:
            raise MemoryError
        for i in range(kinds):
            memcpy(states + size * i, (<Position?>openings[i]).state, size)
        rng_seed(&rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
        with nogil:
            for i in range(count):
                memcpy(state, states + size * (i % kinds), size)
                if fused and ops.playout != NULL:
                    transitions += ops.playout(state, &rng, NO_LIMIT, NO_LIMIT)
                else:
                    transitions += uniform_playout(ops, state, &rng, NO_LIMIT, moves)
                turns += ops.turn(state)
                ops.scores(state, scores)
                for p in range(ops.players(state)):
                    digest = mixed(digest, <uint64_t>scores[p])
    finally:
        PyMem_Free(states)
        PyMem_Free(moves)
    return transitions, turns, digest


def determinizations(Position position not None, int observer, int count, seed):
    """Draw `count` determinizations of `position` for `observer`; returns a digest of them."""
    cdef const GameOps *ops = position.game.ops
    cdef uint8_t *state = <uint8_t *>PyMem_Malloc(ops.state_size)
    cdef uint64_t digest = 0
    cdef Rng rng
    cdef int i = 0
    if state == NULL:
        raise MemoryError
    rng_seed(&rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
    with nogil:
        for i in range(count):
            ops.determinize(position.state, state, observer, &rng)
        digest = mixed(digest, state[count % ops.state_size])
    PyMem_Free(state)
    return digest


def copy_kibibyte(int count):
    """Copy 1 KiB `count` times around a ring; returns a byte so that nothing is optimised away."""
    cdef uint8_t ring[RING][KIBIBYTE]
    cdef int i
    for i in range(KIBIBYTE):
        ring[0][i] = <uint8_t>i
    with nogil:
        for i in range(count):
            memcpy(<void *>ring[(i + 1) % RING], <const void *>ring[i % RING], KIBIBYTE)
    return ring[count % RING][count % KIBIBYTE]


def bounded_random(int count, seed):
    """Draw `count` random numbers below changing bounds (xoshiro + bounded); returns their sum."""
    cdef Rng rng
    cdef uint64_t total = 0
    cdef int i
    rng_seed(&rng, <uint64_t>seed)
    with nogil:
        for i in range(count):
            total += rng_below(&rng, <unsigned int>(2 + (i & 15)))
    return total


def choose_of_ten(int count, seed):
    """List about 10 of 20 items from a mask and choose one, `count` times; returns a sum."""
    cdef Rng rng
    cdef uint64_t total = 0
    cdef uint64_t mask
    cdef int32_t listed[2 * ITEMS]
    cdef int i, j, found
    rng_seed(&rng, <uint64_t>seed)
    with nogil:
        for i in range(count):
            mask = rng_next(&rng) | 1
            found = 0
            for j in range(2 * ITEMS):
                listed[found] = j
                found += <int>((mask >> j) & 1)
            total += <uint64_t>listed[rng_below(&rng, <unsigned int>found)]
    return total
