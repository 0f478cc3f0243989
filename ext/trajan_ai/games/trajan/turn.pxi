"""A turn: sowing and the Trajan tile."""

cdef enum:
    EFFECT_OR_NOT = 3        # both bits of State.legal


cdef inline uint64_t drop_moves(const State *s) noexcept nogil:
    return s.sow_hand & ALL_TRAYS


cdef inline uint64_t plus2_moves(const Player *p) noexcept nogil:
    return ~p.plus2 & ALL_TRAYS


cdef inline int following(int tray) noexcept nogil:
    return tray + 1 if tray < TRAYS - 1 else 0


cdef inline void drop(State *s, Player *p, int colour) noexcept nogil:
    """Put a marker from the hand into the next tray."""
    cdef int tray = s.next_tray
    s.sow_hand = without_marker(s.sow_hand, colour)
    p.trays[tray] = with_marker(p.trays[tray], colour)
    p.filled |= 1 << tray
    s.target = tray
    s.next_tray = following(tray)


cdef inline void enter_drop(State *s, Player *p) noexcept nogil:
    """Drop markers until a colour must be chosen or the hand is empty."""
    cdef uint64_t colours = drop_moves(s)
    while colours != 0:
        if colours & (colours - 1) != 0:
            enter_decision(s, DECIDE_DROP, colours)
            return
        drop(s, p, lowest_bit(colours))
        colours = drop_moves(s)
    s.next_tray = 0
    complete_tile(s, p)


cdef inline void apply_sow(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int tray = move - MOVE_SOW
    s.sow_hand = p.trays[tray]
    p.trays[tray] = 0
    p.filled &= ~(1 << tray)
    s.time += count_markers(s.sow_hand)
    while s.time >= s.lap_length:
        s.time -= s.lap_length
        s.rounds_due += 1
    s.next_tray = following(tray)
    enter_drop(s, p)


cdef inline void apply_drop(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    drop(s, p, move - MOVE_DROP)
    enter_drop(s, p)


# ---- The Trajan tile --------------------------------------------------------------------------

cdef inline void complete_tile(State *s, Player *p) noexcept nogil:
    """Score the target's Trajan tile if the target tray contains the tile's colours."""
    cdef int tile = p.slots[s.target]
    if tile == 0 or p.trays[s.target] & tables.need[tile] != tables.need[tile]:
        enter_action(s)
        return
    p.slots[s.target] = 0
    earn(s, p, VP_TRAJAN_TILES, tables.tile_vp[tile], EVENT_FULFIL, tile - 1, 0)
    if p.arch == CENTRE:
        p.arch = s.target
    if s.options & OPTION_TILE_EFFECTS_OPTIONAL and can_change(s, p, tile):
        s.effect = tile
        enter_decision(s, DECIDE_EFFECT, EFFECT_OR_NOT)
    else:
        carry_out_effect(s, p, tile)


cdef inline bint can_change(const State *s, const Player *p, int tile) noexcept nogil:
    """Return whether the effect of a tile needs a decision and would change something."""
    cdef int effect = tables.tile_effect[tile]
    if effect == EFFECT_CARDS:
        return s.deck_size > 0
    elif effect == EFFECT_WORKERS or effect == EFFECT_LEGIONS:
        return p.supply > 0
    return effect == EFFECT_PLUS2 and p.plus2 != ALL_TRAYS


cdef inline void carry_out_effect(State *s, Player *p, int tile) noexcept nogil:
    """Carry out the effect of a Trajan tile, then the action of the target tray."""
    cdef int effect = tables.tile_effect[tile]
    cdef int amount = tables.tile_amount[tile]
    if effect == EFFECT_CARDS:
        draw_cards(s, p, amount)
    elif effect == EFFECT_WORKERS:
        amount = min(amount, p.supply)
        p.supply -= amount
        p.workers += amount
        if amount > 0:
            happen(s, EVENT_GET_WORKERS, s.active, NO_THING, amount)
    elif effect == EFFECT_LEGIONS:
        amount = min(amount, p.supply)
        p.supply -= amount
        p.legionnaires += amount
        if amount > 0:
            happen(s, EVENT_GET_LEGIONNAIRES, s.active, NO_THING, amount)
    elif effect == EFFECT_PLUS2 and p.plus2 != ALL_TRAYS:
        enter_decision(s, DECIDE_PLUS2, plus2_moves(p))
        return
    elif effect == EFFECT_DEMAND:
        p.demands[amount] += 1
        happen(s, EVENT_COVER_DEMAND, s.active, amount, 0)
    enter_action(s)


cdef inline void apply_effect(State *s, move_t move) noexcept nogil:
    cdef int tile = s.effect
    s.effect = 0
    if move == MOVE_EFFECT:
        carry_out_effect(s, &s.player[s.active], tile)
    else:
        enter_action(s)


cdef inline void apply_plus2(State *s, move_t move) noexcept nogil:
    s.player[s.active].plus2 |= 1 << (move - MOVE_PLUS2)
    enter_action(s)
