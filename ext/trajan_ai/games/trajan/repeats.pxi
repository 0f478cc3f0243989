"""Actions with their repeats, and the end of a turn."""

cdef enum:
    NO_EXTRA = 1 << 2        # bit of State.legal after those of the two kinds of tile


cdef inline void end_turn(State *s) noexcept nogil:
    s.target = 0
    s.free_action = 0
    s.in_free = 0
    s.repeating = REPEATING_NO
    s.repeats = 0
    s.extra_spent = 0
    if s.rounds_due > 0:
        end_rounds(s)
    else:
        next_player(s)


cdef inline uint64_t extra_moves(const Player *p, int action) noexcept nogil:
    return NO_EXTRA | (p.tiles[TILE_EXTRA + action] > 0) | (p.tiles[TILE_WILD_ACTION] > 0) << 1


cdef inline void leave_free(State *s) noexcept nogil:
    s.in_free = 0
    s.free_action = 0


cdef inline void enter_offer(State *s) noexcept nogil:
    """Offer an extra-action tile for the action just performed.

    After a free action, offer one for the action that gave it, too.
    """
    cdef Player *p = &s.player[s.active]
    cdef int action
    cdef uint64_t moves
    while True:
        action = running_action(s)
        moves = extra_moves(p, action)
        if moves != NO_EXTRA and not s.extra_spent:
            if count_bits(action_moves(s, p, action)) > 1:
                enter_decision(s, DECIDE_EXTRA, moves)
                return
        if not s.in_free:
            end_turn(s)
            return
        leave_free(s)


cdef inline void repeat_or_end(State *s) noexcept nogil:
    if s.repeats > 0:
        s.repeats -= 1
        enter_action(s)
    else:
        end_turn(s)


cdef inline void performed(State *s) noexcept nogil:
    """Continue after an action has been carried out."""
    if s.free_action != 0 and not s.in_free:
        s.in_free = 1
        enter_action(s)
    elif s.repeating == REPEATING_NO:
        enter_offer(s)
    else:
        if s.repeating == REPEATING_ACTION and s.in_free:
            leave_free(s)
        repeat_or_end(s)


cdef inline void passed(State *s) noexcept nogil:
    """Continue after an action has been passed or was impossible."""
    if not s.in_free or s.repeating == REPEATING_FREE_ACTION:
        end_turn(s)
    else:
        leave_free(s)
        if s.repeating == REPEATING_NO:
            enter_offer(s)
        else:
            repeat_or_end(s)


cdef inline void apply_extra(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int action = running_action(s)
    if move == MOVE_NO_EXTRA:
        if s.in_free:
            leave_free(s)
            enter_offer(s)
        else:
            end_turn(s)
        return
    p.tiles[TILE_EXTRA + action if move == MOVE_EXTRA else TILE_WILD_ACTION] -= 1
    s.extra_spent = 1
    s.repeating = REPEATING_FREE_ACTION if s.in_free else REPEATING_ACTION
    s.repeats = (p.plus2 >> action) & 1
    enter_action(s)
