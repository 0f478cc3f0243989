"""What moves and positions are worth: prior, playout policy, static evaluation."""

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng

cdef enum:  # weights of moves
    W_NOISE                  # VP: width of the noise that a playout adds to each rate
    W_TEMPERATURE            # VP: of the prior
    W_RESOURCE               # worth of builder, four workers, assistant, coin, tribune, upgrade
    W_TILE_DOWN = W_RESOURCE + 9
    W_ENVOY                  # an envoy on the ship
    W_CITIZEN                # an active citizen, for each round left
    W_SEAT                   # ability of a row's first citizen, by row, for each round left
    W_SECOND = W_SEAT + 6    # bonus of a row's second citizen
    W_COLONIA = W_SECOND + 6 # share of a new grey's VP in the scorings left
    W_LEVEL                  # rewards of the tracks
    W_SENT = W_LEVEL + 12    # an envoy sent, for each scoring left
    W_EAGLE                  # beside an eagle, for each scoring left
    W_GROUP                  # beside an own envoy, for each scoring left
    W_FILL                   # filling an area
    W_CRANE                  # share of the VP that a structure adds to an open crane
    W_OPEN                   # opening a crane, for each structure of its colour
    W_MATCH                  # share of the Trajan value that a completed pattern brings
    W_CLEAR                  # freeing a cell that completes a pattern
    W_COST                   # share of what resources are worth that a payment costs
    W_WAGE                   # an ability kept, for each scoring left
    W_CYPRESS
    MOVE_WEIGHTS

cdef enum:
    FEATURES = 34

cdef enum:
    WEIGHTS = MOVE_WEIGHTS + FEATURES

cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil
cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil
cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil
cdef int turns_left(const void *state, int player) noexcept nogil
