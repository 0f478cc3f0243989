"""Neighbours at the table, whose run it is, and the street cards of the round."""

cdef inline int left_of(const State *s, int player) noexcept nogil:
    """Return the player who passes a tile to `player`."""
    return 0 if player + 1 == s.players else player + 1


cdef inline int right_of(const State *s, int player) noexcept nogil:
    """Return the player to whom `player` passes a tile."""
    return (player if player else <int>s.players) - 1


cdef inline int in_order(const State *s, int place) noexcept nogil:
    """Return the player whose run is number `place` of the stage; the first player's figure moves
    to the right."""
    cdef int passed = s.round + (s.stage == STAGE_WAGES)
    if s.stage < STAGE_TAKE:
        return place
    if s.options & OPTION_PHASE_HANDOVER_TWICE:
        passed += s.round // PHASE_ROUNDS
    place += s.players - passed % s.players
    return place - s.players if place >= s.players else place


cdef inline int received_tile(const State *s, int player) noexcept nogil:
    if s.player[player].picked:
        return s.player[player].picked
    return s.player[left_of(s, player)].given


cdef inline uint64_t street_cells(const State *s, int player, int card) noexcept nogil:
    """Return the cells of the player's street that street card `card` of the round shows."""
    cdef int street = s.player[player].street[s.street_cards[2 * s.round + card]]
    if street < ROWS:
        return row_cells(street)
    return <uint64_t>0x010101010101 << (street - ROWS)


cdef inline bint hides_step_one(const State *s) noexcept nogil:
    """Return whether the stage is step 1 and players do not see what others do in this step."""
    return s.stage == STAGE_TAKE and s.options & OPTION_STEP_ONE_OPEN == 0


cdef inline bint equal_cards(const State *s) noexcept nogil:
    """Return whether both street cards of the round show the same symbol."""
    return s.street_cards[2 * s.round] == s.street_cards[2 * s.round + 1]
