"""From rates of moves to a prior and to a playout policy: what games with knowledge share."""

from libc.stdint cimport int64_t, uint64_t

from trajan_ai.core.rng cimport Rng, rng_next


cdef inline float exponential(float x) noexcept nogil:
    """e ** x for x <= 0, within 2e-4: (1 + x / 1024) ** 1024 with a correction of second order.

    Only products and sums, so the same on every machine.
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


cdef inline int noisy_best(const float *rates, int count, float noise, Rng *rng) noexcept nogil:
    """Index of the greatest rate after a random number below `noise` is added to each.

    One draw for all of them, mixed on by a multiplier; at most 1024 rates, below 2**30 / 1024.
    """
    cdef uint64_t bits = rng_next(rng)
    cdef float scale = noise * <float>(1.0 / 4294967296.0)
    cdef int64_t best = -(<int64_t>1 << 62)
    cdef int64_t key
    cdef int i
    for i in range(count):
        # Fixed point with the index below, so that the greatest is found without a branch.
        key = <int64_t>((rates[i] + scale * <float>(bits >> 32)) * <float>65536) * 1024 + i
        best = key if key > best else best
        bits *= <uint64_t>0xD1342543DE82EF95
    return <int>(best & 1023)
