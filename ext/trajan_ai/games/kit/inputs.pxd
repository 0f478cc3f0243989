"""Writing features for learners: each `put` function writes at `out` and returns the address
after the last byte written."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    HIGHEST = 255


cdef inline uint64_t spread(uint64_t bits) noexcept nogil:
    """Return the lowest eight bits as the bytes of a number, each 0 or 1, the lowest first."""
    cdef uint64_t x = ((bits & 0xFF) * <uint64_t>0x0101010101010101) & (
        <uint64_t>0x8040201008040201)
    return ((x + <uint64_t>0x7F7F7F7F7F7F7F7F) >> 7) & <uint64_t>0x0101010101010101


cdef inline uint8_t *put(uint8_t *out, int value) noexcept nogil:
    """Write a number, limited to 0 .. HIGHEST."""
    out[0] = <uint8_t>(0 if value < 0 else HIGHEST if value > HIGHEST else value)
    return out + 1


cdef inline uint8_t *put_one(uint8_t *out, int which, int count) noexcept nogil:
    """Write `count` numbers, 1 at `which` and 0 elsewhere; all 0 if `which` is out of range."""
    memset(out, 0, count)
    if 0 <= which < count:
        out[which] = 1
    return out + count


cdef inline uint8_t *put_bits(uint8_t *out, uint64_t bits, int count) noexcept nogil:
    cdef uint64_t eight
    while count >= 8:
        eight = spread(bits)
        memcpy(out, &eight, 8)
        bits >>= 8
        out += 8
        count -= 8
    if count > 0:
        eight = spread(bits)
        memcpy(out, &eight, count)
    return out + count


cdef inline uint8_t *put_bytes(uint8_t *out, const void *values, int count) noexcept nogil:
    memcpy(out, values, count)
    return out + count
