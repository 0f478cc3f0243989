"""Sets as bits of a 64-bit number: counting and picking, the same on every processor."""

from libc.stdint cimport uint64_t

from trajan_ai.core.portable cimport lowest_bit


cdef inline int count_bits(uint64_t x) noexcept nogil:
    x = x - ((x >> 1) & <uint64_t>0x5555555555555555)
    x = (x & <uint64_t>0x3333333333333333) + ((x >> 2) & <uint64_t>0x3333333333333333)
    x = (x + (x >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F
    return <int>((x * <uint64_t>0x0101010101010101) >> 56)


cdef inline int pick_bit(uint64_t mask, int k) noexcept nogil:
    """Return the index of the k-th set bit, counted from 0."""
    while k > 0:
        mask &= mask - 1
        k -= 1
    return lowest_bit(mask)
