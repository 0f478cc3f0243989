"""Decisions of the setup: cranes, the female citizens' corners, the novices."""

cdef inline move_t *list_cranes(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the moves for the colours whose crane has not been placed yet."""
    cdef int colours = 15
    cdef int corner
    for corner in range(CORNERS):
        if p.crane[corner]:
            colours &= ~(1 << (p.crane[corner] - 1))
    return list_bits(colours, MOVE_CRANE, out)


cdef inline void place_crane(State *s, Player *p, int move) noexcept nogil:
    p.crane[s.argument] = <uint8_t>(1 + move - MOVE_CRANE)
    if s.argument == CORNERS - 1:  # the start citizen is drawn after the last corner
        push(s, DECIDE_SEAT, p.start_class)


cdef inline move_t *list_corners(const State *s, const Player *p, move_t *out) noexcept nogil:
    return list_bits(15, MOVE_CORNER, out)


cdef inline void lay_females(State *s, Player *p, int move) noexcept nogil:
    """Put the female citizens of the other classes on the chosen corner and the opposite one."""
    cdef int first = corner_cell(move - MOVE_CORNER)
    cdef int second = corner_cell(3 - (move - MOVE_CORNER))
    # Their order is alphabetical: craftsman (2), merchant (1), patrician (0).
    p.tile[first] = <uint8_t>female_of(1 if p.start_class == 2 else 2)
    p.tile[second] = <uint8_t>female_of(1 if p.start_class == 0 else 0)
    p.tiles |= bit(first) | bit(second)


cdef inline move_t *list_females(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List a novice's choices: the corners with female citizens."""
    cdef uint64_t cells = 0
    cdef int corner, tile
    for corner in range(CORNERS):
        tile = p.tile[corner_cell(corner)]
        if tile in (female_of(0), female_of(1), female_of(2)):
            cells |= bit(corner_cell(corner))
    return list_cells(cells, MOVE_TILE, out)


cdef inline void reveal_setup(State *s) noexcept nogil:
    """Reveal the other corner tiles and the workers after all choices."""
    cdef int player, corner, cell, spare
    cdef Player *p
    for player in range(s.players):
        p = &s.player[player]
        spare = 0
        for corner in range(CORNERS):
            cell = corner_cell(corner)
            if p.tile[cell] == 0:
                p.tile[cell] = p.spare[spare]
                p.tiles |= bit(cell)
                spare += 1
        p.spare[0] = 0
        p.spare[1] = 0
        receive(s, p, RESOURCE_BLUE + p.start_worker, 1)
        p.start_worker = 0
        p.start_class = 0
