"""Scoring of a phase and final ranks (rules, A8 to A10)."""

from libc.stdint cimport int32_t, uint64_t

from trajan_ai.forum_trajanum.types cimport Player, State


# VP of one player in one scoring, by step.
cdef struct PhaseScore:
    int cranes
    int colonia
    int eagles
    int area
    int trajan


cdef PhaseScore phase_score(const State *s, int player) noexcept nogil
cdef int build_copies(const State *s, const Player *p, int task) noexcept nogil
cdef int collect_copies(const State *s, const Player *p, int phase) noexcept nogil
cdef void score_phase(State *s) noexcept nogil
cdef void rank_players(const void *state, int32_t *ranks) noexcept nogil
