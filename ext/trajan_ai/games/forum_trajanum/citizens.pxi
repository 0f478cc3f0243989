"""The use of tiles; citizens and their effects; wages."""

# --- step 2a: using tiles ------------------------------------------------------------------------

cdef inline move_t *list_uses(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the uses of the player's own and the received tile and, with two tribunes, of both."""
    out = list_bits(s.hand, MOVE_USE, out)
    if s.hand == 3 and stock(p, RESOURCE_TRIBUNE) >= 2:
        out = list_bits(3, MOVE_USE + 2, out)
    return out


cdef inline void use(State *s, Player *p, int move) noexcept nogil:
    cdef int first = (move - MOVE_USE) & 1
    if move >= MOVE_USE + 2:
        hand_in(s, p, RESOURCE_TRIBUNE, 2)
        use_source(s, p, 1 - first)
    elif s.hand == 3:
        push(s, TASK_PUT_BACK, 1 - first)
    use_source(s, p, first)
    s.hand = 0


cdef inline void use_source(State *s, Player *p, int source) noexcept nogil:
    use_tile(s, source, p.kept if source == SOURCE_OWN else received_tile(s, s.decider))


cdef inline void use_tile(State *s, int source, int tile) noexcept nogil:
    """Carry out the effect of a tile, and put the tile away right after it."""
    push(s, TASK_PUT_AWAY, source | (tile << 2))
    push(s, TASK_USE, tile)


cdef inline void board(State *s, Player *p) noexcept nogil:
    """Turn a tile into an envoy on the ship."""
    p.ship += 1
    happen(s, EVENT_BOARD, s.decider, NO_THING, 0)


cdef inline move_t *list_tiles(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List all tiles of the grid, for the reward of step 4 of the library and of the market."""
    return list_cells(p.tiles, MOVE_TILE, out)


cdef inline void use_grid(State *s, Player *p, int move) noexcept nogil:
    use_tile(s, SOURCE_GRID, lift(p, cell_of(move - MOVE_TILE)))


cdef inline void effect(State *s, Player *p, int tile) noexcept nogil:
    cdef int i, name
    happen(s, EVENT_USE, s.decider, s.tile_name[tile], 0)
    if tile <= CITIZENS:
        push(s, DECIDE_SEAT, class_of(tile))
        return
    name = s.tile_name[tile]
    p.resources += tables.tile_resources[name]
    if expect(s.options & OPTION_REPORTED, 0):
        report_resources(s, EVENT_GAIN, tables.tile_resources[name])
    for i in range(tables.tile_upgrades[name]):
        push(s, DECIDE_UPGRADE, 0)


cdef inline void put_away(State *s, Player *p, int argument) noexcept nogil:
    """Remove a used tile; citizens have already been seated."""
    cdef int tile = argument >> 2
    if tile <= CITIZENS:
        return
    if argument & 3 != SOURCE_RECEIVED:
        board(s, p)
    elif p.picked == 0:
        reserve_tile(p, tile)
        happen(s, EVENT_RESERVE, s.decider, s.tile_name[tile], 0)


cdef inline void put_back(State *s, Player *p, int source) noexcept nogil:
    """Put an unused tile on the ship if the player had kept it, otherwise into the reserve."""
    cdef int tile
    if source == SOURCE_OWN:
        board(s, p)
    else:
        tile = received_tile(s, s.decider)
        reserve_tile(p, tile)
        happen(s, EVENT_RESERVE, s.decider, s.tile_name[tile], 0)


# --- citizens ------------------------------------------------------------------------------------

cdef inline move_t *list_seats(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the rows of the class s.argument that have a free slot."""
    cdef int row
    for row in range(2 * s.argument, 2 * s.argument + 2):
        if p.citizens[row] < 2:
            out[0] = MOVE_SEAT + row
            out += 1
    return out


cdef inline void seat(State *s, Player *p, int move) noexcept nogil:
    """Place a citizen; the second citizen of a row brings the row's bonus."""
    cdef int row = move - MOVE_SEAT
    p.citizens[row] += 1
    p.active |= <uint8_t>(1 << row)
    if row == ROW_MERCHANT_1:
        p.flipped = 1
    if p.citizens[row] < 2:
        return
    if row == ROW_PATRICIAN_1:
        push(s, DECIDE_ENVOY, ENVOY_ANY)
    elif row == ROW_PATRICIAN_2:
        push(s, DECIDE_BONUS, 0)
    elif row == ROW_MERCHANT_1:
        push(s, DECIDE_GAIN, GAIN_COIN_OR_TRIBUNE)
    elif row == ROW_MERCHANT_2:
        push(s, DECIDE_GAIN, GAIN_COIN_OR_ASSISTANT)
    elif row == ROW_CRAFTSMAN_1:
        push(s, DECIDE_GAIN, GAIN_WORKER)
    else:
        receive(s, p, RESOURCE_BUILDER, 1)


cdef inline move_t *list_gains(const State *s, const Player *p, move_t *out) noexcept nogil:
    if s.argument == GAIN_WORKER:
        return list_bits(15, MOVE_GAIN + 3, out)
    return list_bits(3 if s.argument == GAIN_COIN_OR_TRIBUNE else 5, MOVE_GAIN, out)


cdef inline void gain_one(State *s, Player *p, int move) noexcept nogil:
    receive(s, p, tables.gained[move - MOVE_GAIN], 1)


cdef inline move_t *list_upgrades(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List `step` and, with Merchant I, `cypress` if it leads further."""
    if is_active(p, ROW_MERCHANT_1) and s.cypress[p.slider] > p.slider + 1:
        return list_bits(3, MOVE_UPGRADE, out)
    return list_bits(1, MOVE_UPGRADE, out)


cdef inline void upgrade(State *s, Player *p, int move) noexcept nogil:
    if p.slider == s.steps:
        return
    p.slider = s.cypress[p.slider] if move > MOVE_UPGRADE else p.slider + 1
    happen(s, EVENT_UPGRADE, s.decider, NO_THING, p.slider)


cdef inline bint wakes_class(const State *s, const Player *p, int row) noexcept nogil:
    """Return whether the answer for the upper row of a class holds for both rows (A12.17)."""
    return s.options & OPTION_REACTIVATION_CLASS and is_asleep(p, row // 2)


cdef inline void ask_wages(State *s, const Player *p) noexcept nogil:
    """Ask for the wages of every row with citizens, from row 1 to row 6."""
    cdef int row
    for row in range(ROWS - 1, -1, -1):
        if p.citizens[row] and not (row % 2 and wakes_class(s, p, row)):
            push(s, DECIDE_WAGE, row)


cdef inline move_t *list_wages(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the moves for the row s.argument: to pay a coin, if the player has one, or not to pay.
    """
    if stock(p, RESOURCE_COIN):
        out[0] = MOVE_WAGE + s.argument
        out += 1
    out[0] = MOVE_NO_WAGE + s.argument
    return out + 1


cdef inline void pay_wage(State *s, Player *p, int move) noexcept nogil:
    """Pay a coin for a row, or none; with OPTION_REACTIVATION_CLASS, this decides both rows of a
    class without active citizens."""
    cdef int row = s.argument
    cdef int rows = 3 if wakes_class(s, p, row) and row % 2 == 0 else 1
    cdef int kind = EVENT_PAY_WAGE if move < MOVE_NO_WAGE else EVENT_MISS_WAGE
    if move < MOVE_NO_WAGE:
        hand_in(s, p, RESOURCE_COIN, 1)
        p.active |= <uint8_t>(rows << row)
    else:
        p.active &= <uint8_t>~(rows << row)
    happen(s, kind, s.decider, row, 0)
    if rows == 3:
        happen(s, kind, s.decider, row + 1, 0)
