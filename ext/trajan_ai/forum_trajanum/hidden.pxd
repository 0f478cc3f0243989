"""What a player cannot know, and drawing it anew (rules, A11 and A14)."""

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng

cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil
cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil
