"""The rewards of buildings: columns, tracks, envoys, area bonuses."""

cdef inline void benefit(State *s, Player *p, int building) noexcept nogil:
    """Carry out the rewards of a placed building."""
    cdef int track = building - BUILDING_LIBRARY
    if building >= STRUCTURE:
        push(s, DECIDE_ENVOY, building - STRUCTURE)
    elif building == BUILDING_COLUMN:
        score_column(s, p, 0)
    elif p.marker[track] < TRACK_END:
        p.marker[track] += 1
        happen(s, EVENT_ADVANCE, s.decider, track, p.marker[track])
        if p.marker[track] == TRACK_END:
            push(s, TASK_COMPLETE_TRACK, 0)
        if p.marker[track] == 1:
            push(s, TASK_LEVEL, TRACK_END * track)
        else:
            push(s, DECIDE_REWARD, track)


cdef inline void score_column(State *s, Player *p, int argument) noexcept nogil:
    earn(s, p, VP_COLUMNS, s.column_vp[s.round // PHASE_ROUNDS] + active_citizens(p),
         EVENT_SCORE_COLUMN, NO_THING, 0)


# --- tracks --------------------------------------------------------------------------------------

cdef inline move_t *list_rewards(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the rewards of the step that the marker has reached and of the one before it."""
    return list_bits(3, MOVE_REWARD + TRACK_END * s.argument + p.marker[s.argument] - 2, out)


cdef inline void take_reward(State *s, Player *p, int move) noexcept nogil:
    level(s, p, move - MOVE_REWARD)


cdef inline void level(State *s, Player *p, int which) noexcept nogil:
    """Give the player the reward of a step; `which` is track * 4 + step - 1."""
    happen(s, EVENT_REWARD, s.decider, which, 0)
    if which == 0:
        receive(s, p, RESOURCE_TRIBUNE, 1)
        push(s, DECIDE_GAIN, GAIN_WORKER)
    elif which == 1:
        receive(s, p, RESOURCE_BUILDER, 1)
    elif which == 2:
        push(s, DECIDE_ENVOY, ENVOY_EAGLE)
    elif which == 3 or which == 11:
        push(s, DECIDE_TILE, 0)
    elif which == 4:
        receive(s, p, RESOURCE_ASSISTANT, 2)
    elif which == 5:
        receive(s, p, RESOURCE_TRIBUNE, 2)
    elif which == 6:
        push(s, DECIDE_UPGRADE, 0)
    elif which == 7:
        push(s, DECIDE_BUILD, 0)
    elif which == 8:
        receive(s, p, RESOURCE_COIN, 1)
    elif which == 9:
        area_bonus(s, p, 0)
    else:
        push(s, DECIDE_ENVOY, ENVOY_ANY)


# --- area bonuses --------------------------------------------------------------------------------

cdef inline void area_bonus(State *s, Player *p, int argument) noexcept nogil:
    push(s, DECIDE_BONUS, TWO_BONUSES if is_active(p, ROW_PATRICIAN_2) else 0)


cdef inline move_t *list_bonuses(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List all bonuses but the one already taken."""
    cdef int offered = (1 << BONUSES) - 1
    if 0 < s.argument < TWO_BONUSES:
        offered &= ~(1 << (s.argument - 1))
    return list_bits(offered, MOVE_BONUS, out)


cdef inline void take_bonus(State *s, Player *p, int move) noexcept nogil:
    """Take a bonus; after the first of two, another one follows."""
    cdef int which = move - MOVE_BONUS
    if s.argument == TWO_BONUSES:
        push(s, DECIDE_BONUS, 1 + which)
    if which == BONUS_VP:
        earn(s, p, VP_AREA_BONUSES, s.bonus_vp, EVENT_BONUS, BONUS_VP, 0)
        return
    happen(s, EVENT_BONUS, s.decider, which, 0)
    if which == BONUS_UPGRADE:
        push(s, DECIDE_UPGRADE, 0)
    else:
        receive(s, p, tables.bonus[which], 1)


# --- envoys --------------------------------------------------------------------------------------

cdef inline cells_t all_envoys(const State *s) noexcept nogil:
    return joined(joined(mosaic(s.player[0].envoys), mosaic(s.player[1].envoys)),
                  joined(mosaic(s.player[2].envoys), mosaic(s.player[3].envoys)))


cdef inline cells_t envoy_cells(const State *s, const Player *p) noexcept nogil:
    """Return the cells an envoy may go to, by s.argument: a colour, ENVOY_ANY or ENVOY_EAGLE."""
    cdef int kind = s.argument
    cdef cells_t taken = all_envoys(s)
    cdef cells_t free, started
    if p.ship == 0:
        return cells_of(0, 0)
    if kind == ENVOY_EAGLE:
        return without(mosaic(s.eagles), taken)
    if kind == ENVOY_ANY:
        return without(joined(joined(colour_cells(s, 0), colour_cells(s, 1)),
                              joined(colour_cells(s, 2), colour_cells(s, 3))), taken)
    free = without(colour_cells(s, kind), taken)
    started = common(free, mosaic(s.touched))
    if is_any(started) and not is_active(p, ROW_PATRICIAN_1):
        return started
    return free


cdef inline move_t *list_envoys(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List cells and `no envoy`, or nothing if there is no cell."""
    cdef cells_t cells = envoy_cells(s, p)
    cdef uint64_t word = cells.low
    if not is_any(cells):
        return out
    while word:
        out[0] = MOVE_ENVOY + mosaic_place(lowest_bit(word))
        out += 1
        word &= word - 1
    word = cells.high
    while word:
        out[0] = MOVE_ENVOY + mosaic_place(64 + lowest_bit(word))
        out += 1
        word &= word - 1
    out[0] = MOVE_NO_ENVOY
    return out + 1


cdef inline void send_envoy(State *s, Player *p, int move) noexcept nogil:
    """Send an envoy; filling an area brings its bonus. Eagles belong to no area."""
    cdef cells_t here, area
    cdef int colour
    if move == MOVE_NO_ENVOY:
        return
    here = one_cell(mosaic_cell(move - MOVE_ENVOY))
    p.ship -= 1
    store_mosaic(p.envoys, joined(mosaic(p.envoys), here))
    for colour in range(COLOURS):
        if is_any(common(colour_cells(s, colour), here)):
            area = connected(here, colour_cells(s, colour))
            store_mosaic(s.touched, joined(mosaic(s.touched), area))
            if not is_any(without(area, all_envoys(s))):
                happen(s, EVENT_COMPLETE_AREA, s.decider, NO_THING, 0)
                push(s, TASK_COMPLETE_AREA, 0)
            return
