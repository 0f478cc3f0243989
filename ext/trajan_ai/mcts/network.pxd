"""Networks as C structures, for the search."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from trajan_ai.core.game cimport MAX_PLAYERS, Game, GameOps

cdef enum:
    MAX_TERMS = 512          # of the evaluation, per player

cdef extern from "trajan_ai/mcts/network.h":
    enum:
        _UNITS "TRAJAN_UNITS"
        _NEURONS "TRAJAN_NEURONS"
        STEP "TRAJAN_STEP"
        ABOVE "TRAJAN_ABOVE"
    ctypedef struct NetworkPart "trajan_network":
        int views
        int terms
        const float *low
        const float *scale
        int steps
        const uint16_t *step
        const uint32_t *place
        const uint8_t *used
        const uint64_t *rows
        void *bias
        void *one
        void *second
        void *second_bias
        void *out
        void *skip
        void *out_bias
    void network_values "trajan_network_values"(
        const NetworkPart *part, const uint8_t *features, uint32_t *room, int seats,
        float *values) noexcept nogil


cdef inline void put_inputs(const GameOps *ops, const NetworkPart *part, const void *state,
                            uint8_t *out) noexcept nogil:
    """Write what the network reads: for each player, from the player to move on, what that player
    knows, then for each of them the terms of the evaluation."""
    cdef float terms[MAX_PLAYERS * MAX_TERMS]
    cdef const float *own
    cdef float scaled
    cdef int players = ops.players(state)
    cdef int first = ops.player(state)
    cdef int size = ops.feature_count(players)
    cdef int i, k
    for i in range(part.views):
        ops.features(state, (first + i) % players, out + i * size)
    if part.terms == 0:
        return
    out += players * size
    ops.terms(state, terms)
    for i in range(players):
        own = terms + (first + i) % players * part.terms
        for k in range(part.terms):
            scaled = (own[k] - part.low[k]) * part.scale[k]
            out[k] = 0 if not scaled > 0 else 255 if scaled >= 255 else <uint8_t>scaled
        out += part.terms


cdef class Network:
    """The networks of a game, one for each number of players that has one."""
    cdef readonly Game game
    cdef readonly dict card
    cdef readonly str digest  # of the numbers: twelve hex digits
    cdef NetworkPart[MAX_PLAYERS + 1] _parts
    cdef list _owners

    cdef _add(self, int players, dict arrays)
    cdef const uint64_t *_spread(self, dict arrays, int count) except NULL
    cdef NetworkPart *part(self, int players) noexcept
