"""Ends of rounds, quarters and the game, section 6."""

from libc.stdint cimport uint64_t

from trajan_ai.core.game cimport move_t
from trajan_ai.games.trajan.types cimport State


cdef inline uint64_t bonus_moves(const State *s) noexcept nogil:
    return s.offer


cdef void end_rounds(State *s) noexcept nogil
cdef uint64_t payment_moves(const State *s) noexcept nogil
cdef void apply_payment(State *s, move_t move) noexcept nogil
cdef void apply_bonus(State *s, move_t move) noexcept nogil
