"""The value of positions in VP: a linear evaluation, and the number of turns left."""

# Features of the evaluation. Their weights are in the sections `evaluation_2` to `evaluation_4` of
# weights.yaml, with one section for each number of players.
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
    TERMS = FEATURES         # weights for one number of players


cdef int has_played(const State *s, int player) noexcept nogil:
    """Return whether the player's turn of this round is over."""
    cdef int place
    if s.stage == STAGE_WAGES:
        return 1
    if s.stage != STAGE_TURN:
        return 0
    for place in range(s.begun - 1):
        if in_order(s, place) == player:
            return 1
    return 0


cdef int turns_left(const void *state, int player) noexcept nogil:
    """Return the turns left, the current one included; steps 1 and 2 of a round are one turn each.
    """
    cdef const State *s = <const State *>state
    if s.stage == STAGE_OVER:
        return 0
    if s.stage < STAGE_TAKE:
        return 2 * ROUNDS + 1
    if s.stage == STAGE_TAKE:
        return 2 * (ROUNDS - s.round)
    return 2 * (ROUNDS - s.round) - 1 - has_played(s, player)


cdef void fill_features(const State *s, int player, float *f) noexcept nogil:
    """Compute the features of the evaluation, by FEATURE_*."""
    cdef const Player *p = &s.player[player]
    cdef PhaseScore now = phase_score(s, player)
    cdef int phase = s.round // PHASE_ROUNDS
    cdef float scorings = <float>(PHASES - phase)
    cdef float turns = <float>(ROUNDS - s.round - has_played(s, player)) / ROUNDS
    cdef float in_phase = <float>(PHASE_ROUNDS - s.round % PHASE_ROUNDS - has_played(s, player))
    cdef int later
    cdef int active = active_citizens(p)
    cdef float copies = 0
    cdef float value = s.bust[(MAX_STEPS + 1) * p.flipped + p.slider]
    for later in range(phase + 1, PHASES):
        copies += build_copies(s, p, s.pattern[later]) + collect_copies(s, p, later)
    f[FEATURE_ONE] = 1
    f[FEATURE_TURNS] = turns
    f[FEATURE_TURNS_SQUARED] = turns * turns
    f[FEATURE_COLONIA] = now.colonia
    f[FEATURE_COLONIA_LATER] = now.colonia * (scorings - 1)
    f[FEATURE_EAGLES] = now.eagles
    f[FEATURE_EAGLES_LATER] = now.eagles * (scorings - 1)
    f[FEATURE_AREA] = now.area
    f[FEATURE_AREA_LATER] = now.area * (scorings - 1)
    f[FEATURE_CRANES] = now.cranes
    f[FEATURE_TRAJAN] = now.trajan
    f[FEATURE_TRAJAN_LATER] = copies * value
    f[FEATURE_BUILDER] = stock(p, RESOURCE_BUILDER)
    f[FEATURE_BUILDER_TURNS] = stock(p, RESOURCE_BUILDER) * turns
    f[FEATURE_WORKERS] = worker_count(p)
    f[FEATURE_WORKERS_TURNS] = worker_count(p) * turns
    f[FEATURE_ASSISTANTS] = stock(p, RESOURCE_ASSISTANT)
    f[FEATURE_ASSISTANTS_TURNS] = stock(p, RESOURCE_ASSISTANT) * turns
    f[FEATURE_COINS] = stock(p, RESOURCE_COIN)
    f[FEATURE_COINS_TURNS] = stock(p, RESOURCE_COIN) * turns
    f[FEATURE_TRIBUNES] = stock(p, RESOURCE_TRIBUNE)
    f[FEATURE_TRIBUNES_TURNS] = stock(p, RESOURCE_TRIBUNE) * turns
    f[FEATURE_SHIP] = p.ship
    f[FEATURE_SHIP_TURNS] = p.ship * turns
    f[FEATURE_CITIZENS] = active
    f[FEATURE_CITIZENS_TURNS] = active * turns
    f[FEATURE_SLIDER] = p.slider
    f[FEATURE_SLIDER_TURNS] = p.slider * turns
    f[FEATURE_ENVOYS_TURNS] = count_mosaic(mosaic(p.envoys)) * turns
    f[FEATURE_CRANES_COVERED_TURNS] = count_bits(~p.crane_open & 15) * turns
    f[FEATURE_MARKERS_TURNS] = (p.marker[0] + p.marker[1] + p.marker[2]) * turns
    f[FEATURE_CELLS_CLEAR_TURNS] = count_bits(s.plain & ~p.tiles) * turns
    f[FEATURE_TURNS_IN_PHASE] = in_phase
    f[FEATURE_FLIPPED_TURNS] = p.flipped * turns


cdef void terms(const void *state, float *out) noexcept nogil:
    """Write the features of every player."""
    cdef const State *s = <const State *>state
    cdef int player
    for player in range(s.players):
        fill_features(s, player, out + player * TERMS)


cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    """Write the VP so far plus a weighted sum of features, for every player."""
    cdef const State *s = <const State *>state
    cdef const float *w = weights + WEIGHTS + TERMS * (s.players - MIN_PLAYERS)
    cdef float f[FEATURES]
    cdef int player, i
    for player in range(s.players):
        values[player] = s.player[player].score
        if s.stage == STAGE_OVER:
            continue
        fill_features(s, player, f)
        for i in range(FEATURES):
            values[player] += w[i] * f[i]
