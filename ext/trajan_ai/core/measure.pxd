"""The generic playout, for those who compare a game's own with it."""

from trajan_ai.core.game cimport GameOps, move_t
from trajan_ai.core.rng cimport Rng

# The loop that GameOps.playout must draw as; `moves` has room for max_moves.
cdef int uniform_playout(const GameOps *ops, void *state, Rng *rng, int transitions, int turns,
                         move_t *moves) noexcept nogil
