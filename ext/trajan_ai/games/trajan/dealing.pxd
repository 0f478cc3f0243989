"""The setup, section 2: markers, goods, starting tiles, and what comes into view between them."""

from libc.stdint cimport uint64_t

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.games.trajan.types cimport State

cdef enum:
    GOODS_SOURCES = 3        # deck, left pile, right pile; all may always be chosen
    ALL_SOURCES = 7


cdef inline uint64_t start_moves(const State *s) noexcept nogil:
    """State.last holds the stacks already used, as bits."""
    return s.stacks_left & ~s.last


cdef void begin(State *s) noexcept nogil
cdef void deal(void *state, Rng *rng) noexcept nogil
cdef uint64_t marker_moves(const State *s) noexcept nogil
cdef void apply_marker(State *s, move_t move) noexcept nogil
cdef void apply_goods(State *s, move_t move) noexcept nogil
cdef void apply_start(State *s, move_t move) noexcept nogil
