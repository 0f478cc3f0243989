"""Scoring of a phase and final ranks."""

# VP of one player for each step of one scoring.
cdef struct PhaseScore:
    int cranes
    int colonia
    int eagles
    int group                # envoys in the largest group, not VP
    int area
    int copies               # how many times the tasks of the Trajan card are fulfilled, not VP
    int trajan


cdef inline int count_across(cells_t near, cells_t cells) noexcept nogil:
    """Count pairs of neighbours in a row: one cell in `near`, the other one in `cells`."""
    return (count_mosaic(common(near, forth(cells, 1)))
            + count_mosaic(common(near, back(cells, 1))))


cdef inline cells_t first_cell(cells_t cells) noexcept nogil:
    if cells.low:
        return cells_of(cells.low & -cells.low, 0)
    return cells_of(0, cells.high & -cells.high)


cdef int eagle_points(const State *s, const Player *p) noexcept nogil:
    """Return the VP of envoys on and near eagles (A12.15 and A12.16)."""
    cdef cells_t eagles = mosaic(s.eagles)
    cdef cells_t own = mosaic(p.envoys)
    cdef cells_t near = without(own, eagles)
    cdef cells_t up = forth(eagles, MOSAIC_STRIDE)
    cdef cells_t down = back(eagles, MOSAIC_STRIDE)
    cdef int points = 2 * count_mosaic(common(own, eagles))
    cdef int once = s.options & OPTION_EAGLE_ONCE
    if once:
        points += count_mosaic(common(near, beside(eagles)))
    else:
        points += count_across(near, eagles) + (count_mosaic(common(near, up))
                                                + count_mosaic(common(near, down)))
    if not is_active(p, ROW_PATRICIAN_1):
        return points
    if once:
        return points + count_mosaic(common(near, joined(across(up), across(down))))
    return points + count_across(near, up) + count_across(near, down)


cdef int largest_group(const Player *p) noexcept nogil:
    """Return the size of the player's largest connected group of envoys."""
    cdef cells_t left = mosaic(p.envoys)
    cdef cells_t group
    cdef int size = 0
    while is_any(left):
        group = connected(first_cell(left), left)
        left = without(left, group)
        size = max(size, count_mosaic(group))
    return size


cdef int area_points(const State *s, const Player *p, int size) noexcept nogil:
    """Return the VP of a largest group of `size` envoys."""
    if size == 0:
        return 0
    return s.prestige[s.label[LABELS * p.flipped + min(size, LABELS - 1)] + p.slider]


cdef int colonia_points(const Player *p) noexcept nogil:
    cdef int row, points = 0
    for row in range(ROWS):
        points += greys_in_row(p, row) * row_factor(p, row)
    return points


cdef PhaseScore phase_score(const State *s, int player) noexcept nogil:
    """Compute the VP of the phase's scoring from the position after the wages."""
    cdef const Player *p = &s.player[player]
    cdef int phase = s.round // PHASE_ROUNDS
    cdef int fresh = p.crane_open & ~p.crane_used
    cdef PhaseScore score
    cdef Player scored = p[0]
    cdef int corner
    score.cranes = 0
    for corner in range(CORNERS):
        if (fresh >> corner) & 1:
            score.cranes += (s.crane_vp[phase]
                             * count_bits(p.built[STRUCTURE + p.crane[corner] - 1]))
    score.colonia = colonia_points(p)
    score.eagles = eagle_points(s, p)
    score.group = largest_group(p)
    score.area = area_points(s, p, score.group)
    scored.crane_used |= scored.crane_open
    score.copies = build_copies(s, p, s.pattern[phase]) + collect_copies(s, &scored, phase)
    score.trajan = s.bust[(MAX_STEPS + 1) * p.flipped + p.slider] * score.copies
    return score


cdef void score_phase(State *s) noexcept nogil:
    """Score the phase for every player; open cranes become used."""
    cdef int player
    cdef PhaseScore score
    cdef Player *p
    happen(s, EVENT_END_PHASE, NO_PLAYER, NO_THING, s.round // PHASE_ROUNDS + 1)
    for player in range(s.players):
        score = phase_score(s, player)
        p = &s.player[player]
        earn_some(s, p, VP_CRANES, score.cranes, EVENT_SCORE_CRANES, 0)
        earn_some(s, p, VP_COLONIA, score.colonia, EVENT_SCORE_COLONIA, 0)
        earn_some(s, p, VP_EAGLES, score.eagles, EVENT_SCORE_EAGLES, 0)
        earn_some(s, p, VP_AREA, score.area, EVENT_SCORE_AREA, score.group)
        earn_some(s, p, VP_TRAJAN_CARDS, score.trajan, EVENT_FULFIL_CARD, score.copies)
        if score.copies == 0 and s.pattern[s.round // PHASE_ROUNDS] != PATTERN_NONE:
            happen(s, EVENT_MISS_CARD, player, NO_THING, 0)
        p.crane_used |= p.crane_open


cdef void scores_of(const void *state, int32_t *scores) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int player
    for player in range(s.players):
        scores[player] = s.player[player].score


cdef void ranks_of(const void *state, int32_t *ranks) noexcept nogil:
    """Write 1 plus the number of players who are better by VP, active citizens, resources (A12.27)."""
    cdef const State *s = <const State *>state
    cdef int32_t value[MAX_PLAYERS]
    cdef int player, other, resource
    for player in range(s.players):
        value[player] = (s.player[player].score * 64 + active_citizens(&s.player[player])) * 2048
        for resource in range(8):
            value[player] += stock(&s.player[player], resource)
    for player in range(s.players):
        ranks[player] = 1
        for other in range(s.players):
            ranks[player] += value[other] > value[player]


def score_position(bytes data not None, int player):
    """Return the VP that each step of scoring the phase now would bring a player."""
    cdef State state
    cdef PhaseScore score
    read_state(data, &state)
    check_seat(player, state.players)
    score = phase_score(&state, player)
    return {"cranes": score.cranes, "colonia": score.colonia, "eagles": score.eagles,
            "area": score.area, "trajan": score.trajan}
