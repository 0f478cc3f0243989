"""What moves are worth: prior and playout policy."""

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng

# Weights of moves, in VP: the section `moves` of weights.yaml, for prior and policy.
cpdef enum:
    WEIGHT_TEMPERATURE           # of the prior
    WEIGHT_NOISE                 # the policy adds a random number below it to each rate
    WEIGHT_BUILDER               # worth of each Resource, in its order
    WEIGHT_WORKER_BLUE
    WEIGHT_WORKER_GREEN
    WEIGHT_WORKER_RED
    WEIGHT_WORKER_YELLOW
    WEIGHT_ASSISTANT
    WEIGHT_COIN
    WEIGHT_TRIBUNE
    WEIGHT_UPGRADE
    WEIGHT_TILE_DOWN
    WEIGHT_SHIP_ENVOY            # an envoy on the ship
    WEIGHT_CITIZEN               # an active citizen, per round left
    WEIGHT_SEAT_PATRICIAN_1      # ability of a row's first citizen, by row, per round left
    WEIGHT_SEAT_PATRICIAN_2
    WEIGHT_SEAT_MERCHANT_1
    WEIGHT_SEAT_MERCHANT_2
    WEIGHT_SEAT_CRAFTSMAN_1
    WEIGHT_SEAT_CRAFTSMAN_2
    WEIGHT_SECOND_PATRICIAN_1    # bonus of a row's second citizen
    WEIGHT_SECOND_PATRICIAN_2
    WEIGHT_SECOND_MERCHANT_1
    WEIGHT_SECOND_MERCHANT_2
    WEIGHT_SECOND_CRAFTSMAN_1
    WEIGHT_SECOND_CRAFTSMAN_2
    WEIGHT_COLONIA               # share of a grey's VP in the scorings left
    WEIGHT_LIBRARY_1             # rewards of the tracks
    WEIGHT_LIBRARY_2
    WEIGHT_LIBRARY_3
    WEIGHT_LIBRARY_4
    WEIGHT_BASILICA_1
    WEIGHT_BASILICA_2
    WEIGHT_BASILICA_3
    WEIGHT_BASILICA_4
    WEIGHT_MARKET_1
    WEIGHT_MARKET_2
    WEIGHT_MARKET_3
    WEIGHT_MARKET_4
    WEIGHT_ENVOY_SENT            # an envoy sent, per scoring left
    WEIGHT_EAGLE                 # beside an eagle, per scoring left
    WEIGHT_GROUP                 # beside an own envoy, per scoring left
    WEIGHT_FILL_AREA             # filling an area
    WEIGHT_CRANE                 # share of the VP that a structure adds to an open crane
    WEIGHT_OPEN_CRANE            # opening a crane, per structure of its colour
    WEIGHT_MATCH                 # share of the Trajan value that a completed pattern brings
    WEIGHT_CLEAR_MATCH           # freeing a cell that completes a pattern
    WEIGHT_COST                  # share of what resources are worth that a payment costs
    WEIGHT_WAGE                  # an ability kept, per scoring left
    WEIGHT_CYPRESS
    WEIGHT_FREE_MANY             # what a tile taken is worth less, per free cell, six at most
    WEIGHT_FREE_PAIR             # freeing a cell beside a free one
    WEIGHT_FREE_ROW              # freeing a cell, per grey that its row lacks, as WEIGHT_COLONIA
    WEIGHT_IGNORE_CARD           # what ignoring a card costs beside the tribune
    WEIGHT_IGNORE_CARD_LATER     # and on top by the share of rounds left
    WEIGHT_CONVERSION            # a conversion, whatever it gives
    WEIGHT_BUILD_ROW             # as WEIGHT_COLONIA, of a grey about to be built
    WEIGHT_BREAK_PAIR            # what a single building beside a free cell costs
    WEIGHT_DOUBLE                # a double tile, per round left
    WEIGHT_COLUMN_LATER          # these, by the share of rounds left: a column,
    WEIGHT_BUILDER_LATER         # each Resource, in its order,
    WEIGHT_WORKER_BLUE_LATER
    WEIGHT_WORKER_GREEN_LATER
    WEIGHT_WORKER_RED_LATER
    WEIGHT_WORKER_YELLOW_LATER
    WEIGHT_ASSISTANT_LATER
    WEIGHT_COIN_LATER
    WEIGHT_TRIBUNE_LATER
    WEIGHT_UPGRADE_LATER
    WEIGHT_TILE_DOWN_LATER
    WEIGHT_LIBRARY_LATER         # and rewards of the tracks
    WEIGHT_BASILICA_LATER
    WEIGHT_MARKET_LATER

cdef enum:
    WEIGHTS = WEIGHT_MARKET_LATER + 1

cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil
cdef int policy_playout(void *state, const float *weights, Rng *rng, int transitions, int turns,
                        float *shortfalls) noexcept nogil
cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil
