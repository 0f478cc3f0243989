"""A player's knowledge as numbers for learners. Seats are in turn order, the observer's first.

These functions read only what is open and what the observer alone has seen. In a hidden step 1,
they read the state of the other players from before that step. features.py contains the names of
the numbers, in the same order.
"""

cdef enum:
    NO_SCORE = 64            # added to a score, which may be below zero
    TILE = 1 + CITIZENS + RESOURCE_UPGRADE + 1          # numbers that describe a tile
    STREETS = 2 * ROWS
    MAX_FEATURES = 8192     # room for the features of a state



# ---- Parts ------------------------------------------------------------------------------------

cdef inline uint8_t *put_tile(uint8_t *out, const State *s, int tile) noexcept nogil:
    """Write a tile, given by its number in the state, or by 0 if there is no tile."""
    cdef int name = s.tile_name[tile]
    out = put(out, tile > 0)
    out = put_one(out, tile - 1, CITIZENS)
    if tile <= CITIZENS:
        return put_bits(out, 0, RESOURCE_UPGRADE + 1)
    memcpy(out, &tables.tile_resources[name], RESOURCE_UPGRADE)
    out[RESOURCE_UPGRADE] = tables.tile_upgrades[name]
    return out + RESOURCE_UPGRADE + 1


cdef inline uint8_t *put_cells(uint8_t *out, uint64_t cells) noexcept nogil:
    """Write cells of a Colonia, row by row."""
    cdef uint64_t line
    cdef int row
    for row in range(ROWS):
        line = spread(cells >> (8 * row))
        memcpy(out, &line, ROWS)
        out += ROWS
    return out


cdef inline uint8_t *put_mosaic(uint8_t *out, const uint64_t *words) noexcept nogil:
    """Write cells of the mosaic, row by row."""
    cdef cells_t cells = mosaic(words)
    cdef int row
    for row in range(MOSAIC_ROWS):
        out = put_bits(out, cells.low, MOSAIC_COLUMNS)
        cells = back(cells, MOSAIC_STRIDE)
    return out


# ---- A player ---------------------------------------------------------------------------------

cdef inline uint8_t *put_reserve(uint8_t *out, const State *s, const Player *p) noexcept nogil:
    """Write the sum of the features of all tiles in the reserve."""
    cdef uint8_t tile[TILE]
    cdef int i, k
    memset(out, 0, TILE)
    for i in range(p.reserve_count):
        put_tile(tile, s, p.reserve[i])
        for k in range(TILE):
            out[k] += tile[k]
    return out + TILE


cdef inline uint8_t *put_round(uint8_t *out, const State *s, int player,
                               int observer) noexcept nogil:
    """Write the tiles of step 1 that the observer has seen."""
    cdef const Player *p = &s.player[player]
    out = put_tile(out, s, p.kept if knows_kept(s, player, observer) else 0)
    out = put_tile(out, s, p.given if knows_given(s, player, observer) else 0)
    out = put_tile(out, s, p.shown[1])
    out = put_tile(out, s, p.shown[0])
    return put_tile(out, s, p.picked)


cdef inline uint8_t *put_streets(uint8_t *out, const State *s, const Player *p) noexcept nogil:
    """Write the player's streets for both street cards of the round."""
    cdef int card
    if s.stage < STAGE_TAKE:
        return put_bits(out, 0, 2 * STREETS)
    for card in range(2):
        out = put_one(out, p.street[s.street_cards[2 * s.round + card]], STREETS)
    return out


cdef inline uint8_t *put_player(uint8_t *out, const State *s, int player,
                                int observer) noexcept nogil:
    cdef const Player *p = &s.player[player]
    cdef int i
    out = put(out, p.score + NO_SCORE)
    out = put_bytes(out, &p.resources, RESOURCE_UPGRADE)
    out = put_bytes(out, p.citizens, ROWS)
    out = put_bits(out, p.active, ROWS)
    out = put_bytes(out, p.marker, TRACKS)
    out = put(out, p.slider)
    out = put(out, p.flipped)
    out = put(out, p.ship)
    for i in range(CORNERS):
        out = put_one(out, <int>p.crane[i] - 1, COLOURS)
    out = put_bits(out, p.crane_open, CORNERS)
    out = put_bits(out, p.crane_used, CORNERS)
    out = put_cells(out, p.tiles)
    for i in range(CORNERS):
        out = put_tile(out, s, p.tile[corner_cell(i)])
    for i in range(BUILDINGS):
        out = put_cells(out, p.built[i])
    out = put_reserve(out, s, p)
    out = put_round(out, s, player, observer)
    out = put_streets(out, s, p)
    return put_mosaic(out, p.envoys)


# ---- The decision -----------------------------------------------------------------------------

cdef inline uint8_t *put_decision(uint8_t *out, const State *s, int observer) noexcept nogil:
    """Write the decision; in step 1, players other than the decider know only whose turn it is."""
    cdef int players = s.players
    cdef bint known = s.decider == observer or s.stage != STAGE_TAKE
    cdef int card
    out = put_one(out, s.stage, STAGE_OVER + 1)
    out = put_one(out, (s.decider + players - observer) % players if s.stage != STAGE_OVER
                  else players, players)
    out = put_one(out, (in_order(s, 0) + players - observer) % players, players)
    out = put_one(out, s.decision if known else -1, DECIDE_NOVICE + 1)
    out = put(out, s.argument if known else 0)
    out = put_bits(out, s.open_cards if known else 0, 2)
    for card in range(2):
        out = put_tile(out, s, s.taken[card] if known else 0)
    out = put_bits(out, s.hand, SOURCE_GRID + 1)
    out = put(out, s.swapped)
    out = put(out, s.trained)
    out = put(out, s.promoted)
    return put(out, s.depth if known else 0)


# ---- The board --------------------------------------------------------------------------------

cdef inline uint8_t *put_board(uint8_t *out, const State *s) noexcept nogil:
    cdef int i
    out = put_one(out, s.round, ROUNDS)
    for i in range(PHASES):
        out = put_one(out, s.pattern[i], PATTERN_NONE)
    out = put_bytes(out, s.collect, PHASES * DEMANDS)
    out = put_bytes(out, s.singles, COLOURS)
    out = put_bytes(out, s.doubles, COLOURS)
    for i in range(COLOURS):
        out = put_mosaic(out, &s.colour[2 * i])
    out = put_mosaic(out, s.eagles)
    return put_mosaic(out, s.touched)


# ---- All of it --------------------------------------------------------------------------------

cdef uint8_t *put_all(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int i
    for i in range(s.players):
        out = put_player(out, s, (observer + i) % s.players, observer)
    out = put_decision(out, s, observer)
    return put_board(out, s)


cdef void write_features(const void *state, int observer, uint8_t *out) noexcept nogil:
    cdef State before
    if not hides_step_one(<const State *>state):
        put_all(out, <const State *>state, observer)
        return
    before = (<const State *>state)[0]
    take_others_back(&before, observer)
    put_all(out, &before, observer)
