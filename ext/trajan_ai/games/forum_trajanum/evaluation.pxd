"""What positions are worth: static evaluation, and turns still to come."""

# What the evaluation weighs: sections `evaluation_2` to `evaluation_4` of weights.yaml, one for each
# number of players.
cpdef enum:
    FEATURE_ONE
    FEATURE_TURNS
    FEATURE_TURNS_SQUARED
    FEATURE_COLONIA
    FEATURE_COLONIA_LATER
    FEATURE_EAGLES
    FEATURE_EAGLES_LATER
    FEATURE_AREA
    FEATURE_AREA_LATER
    FEATURE_CRANES
    FEATURE_TRAJAN
    FEATURE_TRAJAN_LATER
    FEATURE_BUILDER
    FEATURE_BUILDER_TURNS
    FEATURE_WORKERS
    FEATURE_WORKERS_TURNS
    FEATURE_ASSISTANTS
    FEATURE_ASSISTANTS_TURNS
    FEATURE_COINS
    FEATURE_COINS_TURNS
    FEATURE_TRIBUNES
    FEATURE_TRIBUNES_TURNS
    FEATURE_SHIP
    FEATURE_SHIP_TURNS
    FEATURE_CITIZENS
    FEATURE_CITIZENS_TURNS
    FEATURE_SLIDER
    FEATURE_SLIDER_TURNS
    FEATURE_ENVOYS_TURNS
    FEATURE_CRANES_COVERED_TURNS
    FEATURE_MARKERS_TURNS
    FEATURE_CELLS_CLEAR_TURNS
    FEATURE_TURNS_IN_PHASE
    FEATURE_FLIPPED_TURNS

cdef enum:
    FEATURES = FEATURE_FLIPPED_TURNS + 1
    TERMS = FEATURES         # at one number of players

cdef void terms(const void *state, float *out) noexcept nogil
cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil
cdef int turns_left(const void *state, int player) noexcept nogil
