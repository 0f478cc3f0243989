"""Logarithms from basic operations alone, so that every machine computes the same bits."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy


cdef inline double log2_of(double x) noexcept nogil:
    """Return the base-2 logarithm of a normal x > 0, to 1e-9; log2_of(1) is 0."""
    cdef uint64_t bits
    cdef double mantissa, s, s2
    memcpy(&bits, &x, sizeof(bits))
    cdef int exponent = <int>(bits >> 52) - 1023
    bits = (bits & <uint64_t>0xFFFFFFFFFFFFF) | <uint64_t>0x3FF0000000000000
    memcpy(&mantissa, &bits, sizeof(bits))
    if mantissa > 1.4142135623730951:
        mantissa *= 0.5
        exponent += 1
    # ln(m) = 2 artanh(s) with s = (m - 1) / (m + 1), whose absolute value is below 0.172
    s = (mantissa - 1.0) / (mantissa + 1.0)
    s2 = s * s
    return exponent + s * 2.8853900817779268 * (
        1.0 + s2 * (1 / 3.0 + s2 * (1 / 5.0 + s2 * (1 / 7.0 + s2 * (1 / 9.0)))))


cdef inline double log_of(double x) noexcept nogil:
    """Return the natural logarithm of a normal x > 0."""
    return log2_of(x) * 0.6931471805599453
