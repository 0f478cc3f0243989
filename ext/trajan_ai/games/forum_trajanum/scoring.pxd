"""Scoring of a phase and final ranks (rules, A8 and A9)."""

from libc.stdint cimport int32_t

from trajan_ai.games.forum_trajanum.types cimport State


# VP of one player in one scoring, by step.
cdef struct PhaseScore:
    int cranes
    int colonia
    int eagles
    int area
    int trajan


cdef PhaseScore phase_score(const State *s, int player) noexcept nogil
cdef void score_phase(State *s) noexcept nogil
cdef void scores_of(const void *state, int32_t *scores) noexcept nogil
cdef void ranks_of(const void *state, int32_t *ranks) noexcept nogil
