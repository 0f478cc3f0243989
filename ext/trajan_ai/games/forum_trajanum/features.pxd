"""What a player knows as numbers for learners."""

from libc.stdint cimport uint8_t

cdef int feature_count(int players) noexcept nogil
cdef void write_features(const void *state, int observer, uint8_t *out) noexcept nogil
