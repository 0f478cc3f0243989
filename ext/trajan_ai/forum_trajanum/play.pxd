"""The course of a game: what may be decided, and what a decision does."""

from libc.stdint cimport int32_t, uint64_t

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.forum_trajanum.types cimport State, cells_t

cdef enum:
    MAX_MOVES = 768

cdef int players_of(const void *state) noexcept nogil
cdef int player_of(const void *state) noexcept nogil
cdef int turn_of(const void *state) noexcept nogil
cdef int list_moves(const void *state, move_t *moves) noexcept nogil
cdef void apply_move(void *state, move_t move) noexcept nogil
cdef void scores_of(const void *state, int32_t *scores) noexcept nogil
cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil

cdef int in_order(const State *s, int place) noexcept nogil
cdef uint64_t street_cells(const State *s, int player, int card) noexcept nogil
cdef void advance(State *s) noexcept nogil
