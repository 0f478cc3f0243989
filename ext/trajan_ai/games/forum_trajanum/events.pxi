"""Events for what a move itself does. The files of the rules report its consequences."""

cdef inline int thing_of(const State *s, int tile) noexcept nogil:
    """Return the number of a tile among all tile names, or NO_THING if `tile` is 0."""
    return s.tile_name[tile] if tile else NO_THING


cdef inline int watchers(const State *s) noexcept nogil:
    """Return the players who notice what the player to decide does, as bits."""
    return 1 << s.decider if hides_step_one(s) else EVERYBODY


cdef void report_move(State *s, move_t move) noexcept nogil:
    """Report a legal move that is about to be carried out."""
    if s.decision == DECIDE_CRANE:
        happen(s, EVENT_PLACE_CRANE, s.decider, move - MOVE_CRANE, s.argument + 1)
    elif s.decision == DECIDE_CORNER:
        happen(s, EVENT_PLACE_FEMALES, s.decider, move - MOVE_CORNER, 0)
    elif s.decision == DECIDE_TAKE:
        report_take(s, move)
    elif s.decision == DECIDE_RESERVE and move != MOVE_NO_RESERVE:
        happen(s, EVENT_PICK, s.decider, move - MOVE_RESERVE, 0)
    elif s.decision == DECIDE_SEAT:
        happen(s, EVENT_SEAT, s.decider, move - MOVE_SEAT, 0)
    elif s.decision == DECIDE_ENVOY and move != MOVE_NO_ENVOY:
        happen(s, EVENT_SEND_ENVOY, s.decider, move - MOVE_ENVOY, 0)
    elif s.decision == DECIDE_PAY:
        report_resources(s, EVENT_SPEND, tables.payment_cost[move - MOVE_PAY])
        report_building(s, plan_of(s, s.plan))
    elif s.decision == DECIDE_TILE or s.decision == DECIDE_NOVICE:
        report_take_from(s, cell_of(move - MOVE_TILE), EVERYBODY)


# --- step 1 --------------------------------------------------------------------------------------

cdef void note_for(State *s, int kind, int player, int thing, int count, int noticed) noexcept nogil:
    """Note an event without VP that only the players in `noticed`, a set of bits, notice."""
    note(s, kind, player, thing, count, NO_SOURCE, 0, noticed, EVERYBODY)


cdef void report_take_from(State *s, int cell, int noticed) noexcept nogil:
    note_for(s, EVENT_TAKE_TILE, s.decider, board_place(cell), 0, noticed)
    if is_corner(cell):
        note_for(s, EVENT_OPEN_CRANE, s.decider, corner_of(cell), 0, noticed)


cdef void report_take(State *s, move_t move) noexcept nogil:
    """Report a choice of step 1, but not the card for which a tile was taken, which is secret."""
    if move >= MOVE_SKIP:
        note_for(s, EVENT_SKIP_CARD, s.decider, NO_THING, 0, watchers(s))
        return
    if move >= MOVE_TAKE_TRIBUNE:
        note_for(s, EVENT_SPEND, s.decider, RESOURCE_TRIBUNE, 1, watchers(s))
    report_take_from(s, cell_of((move - MOVE_TAKE) % BOARD), watchers(s))


cdef void report_choice(State *s, const Player *p) noexcept nogil:
    """Report the tiles that the player to decide keeps and passes on."""
    cdef int owner = 1 << s.decider
    note_for(s, EVENT_KEEP, s.decider, thing_of(s, p.kept), 0, owner)
    if p.given:
        note_for(s, EVENT_PASS_ON, s.decider, thing_of(s, p.given), 0, owner)


cdef void report_hidden_takes(State *s, int player) noexcept nogil:
    """Report to other players what a player did in a hidden step 1, in the order of the cells."""
    cdef const Player *p = &s.player[player]
    cdef int others = EVERYBODY & ~(1 << player)
    cdef int first = min(p.took[0], p.took[1])
    cdef int cell, i
    if p.paid:
        note_for(s, EVENT_SPEND, player, RESOURCE_TRIBUNE, p.paid, others)
    for i in range(CARDS):
        cell = (first if i == 0 else max(p.took[0], p.took[1])) - 1
        if cell < 0:
            note_for(s, EVENT_SKIP_CARD, player, NO_THING, 0, others)
            continue
        note_for(s, EVENT_TAKE_TILE, player, board_place(cell), 0, others)
        if is_corner(cell):
            note_for(s, EVENT_OPEN_CRANE, player, corner_of(cell), 0, others)


cdef void report_step_one(State *s) noexcept nogil:
    """Report to the other players what each player did in step 1, after all have finished it."""
    cdef int place, player
    for place in range(s.players):
        player = in_order(s, place)
        if hides_step_one(s):
            report_hidden_takes(s, player)
        if s.player[player].given:
            note(s, EVENT_PASS_ON, player, thing_of(s, s.player[player].given), 0, NO_SOURCE, 0,
                 EVERYBODY & ~(1 << player), 1 << right_of(s, player))


# --- step 2 --------------------------------------------------------------------------------------

cdef void report_tiles(State *s, const Player *p) noexcept nogil:
    """Report the tiles that lie open when a player's step 2 begins."""
    if p.kept:
        happen(s, EVENT_SHOW_OWN, s.decider, thing_of(s, p.kept), 0)
    if received_tile(s, s.decider):
        happen(s, EVENT_SHOW_RECEIVED, s.decider, thing_of(s, received_tile(s, s.decider)), 0)


cdef void report_resources(State *s, int kind, uint64_t resources) noexcept nogil:
    """Report that the player to decide gains or spends resources, given as bytes."""
    cdef int resource, count
    for resource in range(RESOURCE_UPGRADE):
        count = <int>((resources >> (8 * resource)) & 255)
        if count > 0:
            happen(s, kind, s.decider, resource, count)


cdef void report_building(State *s, Plan plan) noexcept nogil:
    happen(s, EVENT_BUILD, s.decider, BOARD * plan.building + board_place(plan.first), 0)
    if plan.second >= 0:
        happen(s, EVENT_BUILD, s.decider,
               BOARD * (STRUCTURE + plan.colour) + board_place(plan.second), 0)
