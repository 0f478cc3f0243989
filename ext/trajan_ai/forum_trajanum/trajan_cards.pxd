"""Trajan cards: what building and collecting tasks are worth (rules, A10)."""

from libc.stdint cimport uint64_t

from trajan_ai.forum_trajanum.types cimport Player, State

cdef int different_greys(const Player *p, uint64_t cells) noexcept nogil
cdef int build_copies(const State *s, const Player *p, int pattern) noexcept nogil
cdef int collect_copies(const State *s, const Player *p, int phase) noexcept nogil
