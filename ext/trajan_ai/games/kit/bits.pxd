"""Sets as bits of a 64-bit number: counting and picking, the same on every processor."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(TRAJAN_PORTABLE)
    #define trajan_lowest_bit(mask) ((int)__builtin_ctzll(mask))
    #else
    /* The lowest bit times a sequence in which six bits running are never twice the same (Leiserson,
       Prokop and Randall 1998, "Using de Bruijn sequences to index a 1 in a computer word"). */
    static inline int trajan_lowest_bit(uint64_t mask) {
        static const unsigned char place[64] = {
            0, 1, 2, 7, 3, 13, 8, 19, 4, 25, 14, 28, 9, 34, 20, 40,
            5, 17, 26, 38, 15, 46, 29, 48, 10, 31, 35, 54, 21, 50, 41, 57,
            63, 6, 12, 18, 24, 27, 33, 39, 16, 37, 45, 47, 30, 53, 49, 56,
            62, 11, 23, 32, 36, 44, 52, 55, 61, 22, 43, 51, 60, 42, 59, 58,
        };
        return place[((mask & (0 - mask)) * UINT64_C(0x0218A392CD3D5DBF)) >> 58];
    }
    #endif
    """
    int lowest_bit "trajan_lowest_bit"(uint64_t mask) noexcept nogil


cdef inline int count_bits(uint64_t x) noexcept nogil:
    x = x - ((x >> 1) & <uint64_t>0x5555555555555555)
    x = (x & <uint64_t>0x3333333333333333) + ((x >> 2) & <uint64_t>0x3333333333333333)
    x = (x + (x >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F
    return <int>((x * <uint64_t>0x0101010101010101) >> 56)


cdef inline int pick_bit(uint64_t mask, int k) noexcept nogil:
    """Index of the k-th set bit, from 0."""
    while k > 0:
        mask &= mask - 1
        k -= 1
    return lowest_bit(mask)
