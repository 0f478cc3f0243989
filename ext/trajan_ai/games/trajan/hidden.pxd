"""Drawing anew what an observer cannot know."""

from trajan_ai.core.rng cimport Rng

cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil
