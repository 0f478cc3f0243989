"""The course of a game and the table of its decisions: what GameOps and hidden.pyx need."""

from libc.stdint cimport int32_t

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.games.forum_trajanum.building cimport Builds
from trajan_ai.games.forum_trajanum.types cimport State

cdef int players_of(const void *state) noexcept nogil
cdef int player_of(const void *state) noexcept nogil
cdef int turn_of(const void *state) noexcept nogil
cdef int list_moves(const void *state, move_t *moves) noexcept nogil
cdef void apply_move(void *state, move_t move) noexcept nogil
cdef void step_move(void *state, move_t move) noexcept nogil
cdef void apply_booked(void *state, move_t move, int32_t *vp) noexcept nogil
cdef void advance(State *s) noexcept nogil
cdef int ready(const State *s, Builds *b) noexcept nogil
cdef int play_on(State *s, Builds *b, move_t move) noexcept nogil
cdef void finish_run(State *s, Rng *rng) noexcept nogil
cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil
