"""The generator of every random draw: xoshiro256**, inline, 32 bytes of state.

Source: D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47
(2021); seeding by splitmix64 as they advise. The generator uses only integer operations, so that
draws are the same on every machine.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t


cdef struct Rng:
    uint64_t s0
    uint64_t s1
    uint64_t s2
    uint64_t s3


cdef inline uint64_t splitmix(uint64_t *x) noexcept nogil:
    x[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t z = x[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void rng_seed(Rng *rng, uint64_t seed) noexcept nogil:
    rng.s0 = splitmix(&seed)
    rng.s1 = splitmix(&seed)
    rng.s2 = splitmix(&seed)
    rng.s3 = splitmix(&seed)


cdef inline Rng seeded(seed) except *:
    """Return a generator with any integer as its seed."""
    cdef Rng rng
    rng_seed(&rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
    return rng


cdef inline uint64_t rng_next(Rng *rng) noexcept nogil:
    cdef uint64_t x = rng.s1 * 5
    cdef uint64_t result = ((x << 7) | (x >> 57)) * 9
    cdef uint64_t t = rng.s1 << 17
    rng.s2 ^= rng.s0
    rng.s3 ^= rng.s1
    rng.s1 ^= rng.s2
    rng.s0 ^= rng.s3
    rng.s2 ^= t
    rng.s3 = (rng.s3 << 45) | (rng.s3 >> 19)
    return result


cdef inline uint32_t rng_below(Rng *rng, uint32_t bound) noexcept nogil:
    """Return a number in [0, bound), by multiply and shift; the bias is below bound / 2**32."""
    return <uint32_t>(((rng_next(rng) >> 32) * bound) >> 32)


cdef inline double rng_unit(Rng *rng) noexcept nogil:
    """Return a double in [0, 1) with 53 random bits."""
    return <double>(rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef inline void shuffle_bytes(Rng *rng, uint8_t *items, int count) noexcept nogil:
    """Shuffle items[0:count], every order equally likely (Fisher and Yates, from the top down)."""
    cdef int i, j
    cdef uint8_t kept
    for i in range(count - 1, 0, -1):
        j = <int>rng_below(rng, <uint32_t>(i + 1))
        kept = items[i]
        items[i] = items[j]
        items[j] = kept
