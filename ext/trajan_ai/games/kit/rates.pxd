"""The prior and the playout policy, computed from rates of moves. Games with knowledge share this
code."""

from libc.stdint cimport int64_t, uint64_t

from trajan_ai.core.rng cimport Rng, rng_next


cdef inline float exponential(float x) noexcept nogil:
    """Return e ** x for x <= 0, within 2e-4.

    This is (1 + x / 1024) ** 1024 with a correction of second order: only products and sums, so the
    result is the same on every machine.
    """
    cdef double y = 1 + x * (1.0 / 1024) + x * x * (0.5 / 1048576)
    cdef int i
    if x < -60:
        return <float>1e-26
    for i in range(10):
        y *= y
    return <float>y


cdef inline void softmax(float *rates, int count, float temperature) noexcept nogil:
    """Turn rates into probabilities, in place; none falls below a thousandth of the best."""
    cdef float best = rates[0]
    cdef float total = 0
    cdef int i
    for i in range(1, count):
        best = rates[i] if rates[i] > best else best
    for i in range(count):
        rates[i] = exponential((rates[i] - best) / temperature) + <float>1e-3
        total += rates[i]
    for i in range(count):
        rates[i] /= total


# ---- The best rate with noise -------------------------------------------------------------------
#
# One random number serves all rates of a decision: a multiplier mixes its bits again for each rate.
# The sum of a rate and its noise becomes a fixed-point number that has the index of the rate in its
# lowest bits, so that the greatest sum is found without a branch. There are at most 1024 rates,
# each below 2**30 / 1024.

cdef enum:
    LOWEST_KEY = -(<int64_t>1 << 62)


cdef inline float noise_scale(float noise) noexcept nogil:
    """Return the VP of the smallest step of the noise, which has 2**32 steps."""
    return noise * <float>(1.0 / 4294967296.0)


cdef inline uint64_t next_noise(uint64_t bits) noexcept nogil:
    return bits * <uint64_t>0xD1342543DE82EF95


cdef inline int64_t key_of(float rate, float scale, uint64_t bits, int index) noexcept nogil:
    return <int64_t>((rate + scale * <float>(bits >> 32)) * <float>65536) * 1024 + index


cdef inline int index_of(int64_t key) noexcept nogil:
    return <int>(key & 1023)


cdef inline int noisy_best(const float *rates, int count, float noise, Rng *rng) noexcept nogil:
    """Return the index of the greatest rate after adding a random number below `noise` to each."""
    cdef uint64_t bits = rng_next(rng)
    cdef float scale = noise_scale(noise)
    cdef int64_t best = LOWEST_KEY
    cdef int64_t key
    cdef int i
    for i in range(count):
        key = key_of(rates[i], scale, bits, i)
        best = key if key > best else best
        bits = next_noise(bits)
    return index_of(best)
