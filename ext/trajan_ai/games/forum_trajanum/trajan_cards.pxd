"""Trajan cards: what building and collecting tasks are worth (rules, A10)."""

from trajan_ai.games.forum_trajanum.types cimport Player, State

cdef int build_copies(const State *s, const Player *p, int pattern) noexcept nogil
cdef int collect_copies(const State *s, const Player *p, int phase) noexcept nogil
