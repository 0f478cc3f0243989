"""The rules as a whole: one table of decisions, and what callers do with it."""

from libc.stdint cimport int16_t, int32_t, uint64_t

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.games.trajan.types cimport State

cdef int players_of(const void *state) noexcept nogil
cdef int player_of(const void *state) noexcept nogil
cdef int turn_of(const void *state) noexcept nogil
cdef int list_moves(const void *state, move_t *moves) noexcept nogil
cdef void apply_forced(State *s) noexcept nogil
cdef void apply_move(void *state, move_t move) noexcept nogil
cdef void step_move(void *state, move_t move) noexcept nogil
cdef void apply_booked(void *state, move_t move, int32_t *vp) noexcept nogil
cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil
