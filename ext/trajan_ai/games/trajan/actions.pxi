"""The actions besides the seaport: forum, military, senate, trajan, construction."""

cdef inline void apply_forum(State *s, move_t move) noexcept nogil:
    cdef int tile = move - MOVE_FORUM
    if move == MOVE_PASS:
        passed(s)
        return
    s.forum[tile] -= 1
    if s.forum[tile] == 0:
        s.forum_kinds &= ~(<uint32_t>1 << tile)
    s.player[s.active].tiles[tile] += 1
    performed(s)


# ---- Military ---------------------------------------------------------------------------------

cdef inline int legionnaire_vp(const State *s, int province) noexcept nogil:
    """Return the VP of a legionnaire who joins those in a province."""
    cdef int vp = tables.province_vp[province]
    cdef int i
    for i in range(s.players):
        vp -= tables.legionnaire_loss * ((s.player[i].legions_on >> province) & 1)
    return vp if vp > 0 else 0


cdef inline void deploy(State *s, Player *p) noexcept nogil:
    """Send a legionnaire to the leader; score the VP of the province, reduced by rivals there."""
    cdef int province = p.leader - 1
    earn(s, p, VP_MILITARY, legionnaire_vp(s, province), EVENT_DEPLOY, province, 0)
    p.legions_on |= 1 << province
    p.legionnaires -= 1


cdef inline void apply_military(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int province
    if move == MOVE_PASS:
        passed(s)
        return
    if move == MOVE_RECRUIT:
        p.supply -= 1
        p.legionnaires += 1
    elif move == MOVE_DEPLOY:
        deploy(s, p)
    else:
        province = move - MOVE_MARCH
        p.leader = province + 1
        if s.provinces[province] != 0:
            p.tiles[s.provinces[province] - 1] += 1
            s.provinces[province] = 0
    performed(s)


# ---- Senate -----------------------------------------------------------------------------------

cdef inline void rise(State *s, int player) noexcept nogil:
    """Move the disc one space, on top of the discs there."""
    cdef Player *p = &s.player[player]
    cdef int i = 0
    p.space += 1
    earn(s, p, VP_SENATE, tables.senate_vp[p.space], EVENT_ADVANCE, NO_THING, p.space)
    while s.order[i] != player:
        i += 1
    while i + 1 < s.players and s.player[s.order[i + 1]].space <= p.space:
        s.order[i] = s.order[i + 1]
        i += 1
    s.order[i] = player


cdef inline void apply_senate(State *s, move_t move) noexcept nogil:
    if move == MOVE_PASS:
        passed(s)
    else:
        rise(s, s.active)
        performed(s)


# ---- Trajan -----------------------------------------------------------------------------------

cdef inline void apply_trajan(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    if move == MOVE_PASS:
        passed(s)
        return
    p.slots[p.arch] = take_tile(s, move - MOVE_TILE)
    p.arch = next_free_slot(p, p.arch)
    performed(s)


# ---- Construction -----------------------------------------------------------------------------

cdef inline void build(State *s, Player *p, int site) noexcept nogil:
    """Put a worker on a site; the first building of a kind gives a free action."""
    cdef int building = s.sites[site]
    cdef int kind
    p.workers -= 1
    p.workers_on |= <uint32_t>1 << site
    if building == 0:
        return
    s.sites[site] = 0
    s.sites_left &= ~(<uint32_t>1 << site)
    kind = (building - 1) >> 2
    if (p.buildings >> (4 * kind)) & 15 == 0:
        s.free_action = tables.free_action[kind]
    p.buildings |= <uint32_t>1 << (building - 1)
    earn(s, p, VP_CONSTRUCTION, tables.building_vp[building], EVENT_BUILD, building - 1,
         count_of_6((p.buildings >> (4 * kind)) & 15))


cdef inline void apply_construction(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    if move == MOVE_PASS:
        passed(s)
        return
    if move == MOVE_HIRE:
        p.supply -= 1
        p.workers += 1
    else:
        build(s, p, move - MOVE_BUILD)
    performed(s)
