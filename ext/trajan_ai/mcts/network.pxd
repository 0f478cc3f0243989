"""Networks as C structures, for the search."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from trajan_ai.core.game cimport MAX_PLAYERS, Game, Position

cdef extern from "trajan_ai/mcts/network.h":
    enum:
        _UNITS "TRAJAN_UNITS"
        _NEURONS "TRAJAN_NEURONS"
        STEP "TRAJAN_STEP"
        ABOVE "TRAJAN_ABOVE"
    ctypedef struct NetworkPart "trajan_network":
        int width
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


cdef class Network:
    """The networks of a game, at most one for each number of players."""
    cdef readonly Game game
    cdef readonly dict card
    cdef readonly str digest  # hash of the numbers: twelve hex digits
    cdef NetworkPart[MAX_PLAYERS + 1] _parts
    cdef object _rules        # HasNetwork, or None
    cdef list _owners

    cdef _add(self, int players, dict arrays)
    cdef const uint64_t *_spread(self, dict arrays, int count) except NULL
    cdef NetworkPart *part(self, Position position) except? NULL
