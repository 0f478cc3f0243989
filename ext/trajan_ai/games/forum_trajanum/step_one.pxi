"""Step 1: taking, keeping and passing; a tile of the reserve."""

cdef inline int cards_to_resolve(const State *s) noexcept nogil:
    """Return the cards that may be resolved now, as bits; only the first of two identical cards."""
    if s.open_cards == 3 and equal_cards(s):
        return 1
    return s.open_cards


cdef inline move_t *list_takes(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef int cards = cards_to_resolve(s)
    cdef int card
    cdef uint64_t street
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.decider, card) & p.tiles
        if street:
            out = list_cells(street, MOVE_TAKE + BOARD * card, out)
        else:
            out[0] = MOVE_SKIP + card
            out += 1
        if stock(p, RESOURCE_TRIBUNE):
            out = list_cells(p.tiles & ~street, MOVE_TAKE_TRIBUNE + BOARD * card, out)
    return out


cdef inline int count_takes(const State *s, const Player *p) noexcept nogil:
    """Return the number of moves that list_takes lists."""
    cdef int cards = cards_to_resolve(s)
    cdef int card, count = 0
    cdef uint64_t street
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.decider, card) & p.tiles
        count += count_bits(street) if street else 1
        if stock(p, RESOURCE_TRIBUNE):
            count += count_bits(p.tiles & ~street)
    return count


cdef inline move_t pick_take(const State *s, const Player *p, int k) noexcept nogil:
    """Return the k-th move that list_takes lists."""
    cdef int cards = cards_to_resolve(s)
    cdef int card, size
    cdef uint64_t street = 0
    cdef uint64_t others
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.decider, card) & p.tiles
        size = count_bits(street) if street else 1
        if k < size:
            break
        k -= size
        if stock(p, RESOURCE_TRIBUNE):
            others = p.tiles & ~street
            size = count_bits(others)
            if k < size:
                return MOVE_TAKE_TRIBUNE + BOARD * card + board_place(pick_bit(others, k))
            k -= size
    if street == 0:
        return MOVE_SKIP + card
    return MOVE_TAKE + BOARD * card + board_place(pick_bit(street, k))


cdef inline void take(State *s, Player *p, int move) noexcept nogil:
    cdef int place = move - MOVE_TAKE
    cdef int card, cell
    if move >= MOVE_SKIP:
        resolve_card(s, p, move - MOVE_SKIP)
        return
    if move >= MOVE_TAKE_TRIBUNE:
        spend(p, RESOURCE_TRIBUNE, 1)
        p.paid += hides_step_one(s)
        place = move - MOVE_TAKE_TRIBUNE
    card = place >= BOARD
    cell = cell_of(place - BOARD * card)
    s.taken[card] = <uint8_t>lift(p, cell)
    s.taken_cell[card] = <uint8_t>(1 + cell)
    resolve_card(s, p, card)


cdef inline void resolve_card(State *s, Player *p, int card) noexcept nogil:
    """Finish a card: continue with the other card, or with keeping and passing."""
    s.open_cards &= <uint8_t>~(1 << card)
    if s.open_cards:
        push(s, DECIDE_TAKE, 0)
    elif s.taken_cell[0] and s.taken_cell[1]:
        push(s, DECIDE_KEEP, 0)
    elif s.taken_cell[0] or s.taken_cell[1]:
        keep_tile(s, p, 0 if s.taken_cell[0] else 1)


cdef inline move_t *list_keeps(const State *s, const Player *p, move_t *out) noexcept nogil:
    return list_bits(3, MOVE_KEEP, out)


cdef inline void keep(State *s, Player *p, int move) noexcept nogil:
    keep_tile(s, p, move - MOVE_KEEP)


cdef inline void keep_tile(State *s, Player *p, int card) noexcept nogil:
    """Keep the tile of `card` and pass the other; record what others see after the step."""
    cdef int i
    cdef uint8_t larger
    p.kept = s.taken[card]
    p.given = s.taken[1 - card]
    if expect(s.options & OPTION_REPORTED, 0):
        report_choice(s, p)
    if hides_step_one(s):
        p.took[0] = s.taken_cell[card]
        p.took[1] = s.taken_cell[1 - card]
    for i in range(2):
        p.shown[i] = 0
        if s.taken_cell[i] and is_corner(s.taken_cell[i] - 1):
            p.shown[i] = s.taken[i]
    if p.shown[0] > p.shown[1]:
        larger = p.shown[0]
        p.shown[0] = p.shown[1]
        p.shown[1] = larger
    forget_takes(s)


cdef inline void forget_takes(State *s) noexcept nogil:
    s.taken[0] = 0
    s.taken[1] = 0
    s.taken_cell[0] = 0
    s.taken_cell[1] = 0


cdef inline void begin_takes(State *s) noexcept nogil:
    """Begin the decider's step 1."""
    s.open_cards = 3
    push(s, DECIDE_TAKE, 0)


cdef inline void lay_back(Player *p, int cell, int tile) noexcept nogil:
    """Undo lift()."""
    p.tile[cell] = <uint8_t>tile
    p.tiles |= bit(cell)
    if is_corner(cell):
        p.crane_open &= <uint8_t>~(1 << corner_of(cell))


cdef inline void take_back(State *s, int player) noexcept nogil:
    """Undo what a player has done in a hidden step 1, finished or not."""
    cdef Player *p = &s.player[player]
    cdef int i
    if p.took[0]:
        lay_back(p, p.took[0] - 1, p.kept)
    if p.took[1]:
        lay_back(p, p.took[1] - 1, p.given)
    if player == s.decider:
        for i in range(2):
            if s.taken_cell[i]:
                lay_back(p, s.taken_cell[i] - 1, s.taken[i])
        forget_takes(s)
    gain(p, RESOURCE_TRIBUNE, p.paid)
    forget_choice(p)
    p.kept = 0
    p.given = 0
    p.shown[0] = 0
    p.shown[1] = 0


cdef inline void forget_choice(Player *p) noexcept nogil:
    """Forget the notes on cells and tribunes of step 1, which are public now or were undone."""
    p.took[0] = 0
    p.took[1] = 0
    p.paid = 0


cdef inline void reveal_takes(State *s) noexcept nogil:
    """Report step 1 to the other players after all have passed, and forget the notes on it."""
    cdef int player
    if expect(s.options & OPTION_REPORTED, 0):
        report_step_one(s)
    for player in range(s.players):
        forget_choice(&s.player[player])


cdef inline void reserve_tile(Player *p, int tile) noexcept nogil:
    """Lay a tile into the reserve, kept in ascending order."""
    cdef int i = p.reserve_count
    require(i < RESERVE and tile > 0)
    while i > 0 and p.reserve[i - 1] > tile:
        p.reserve[i] = p.reserve[i - 1]
        i -= 1
    p.reserve[i] = <uint8_t>tile
    p.reserve_count += 1


cdef inline move_t *list_reserve(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef int i
    for i in range(p.reserve_count):
        if i == 0 or p.reserve[i] != p.reserve[i - 1]:
            out[0] = MOVE_RESERVE + s.tile_name[p.reserve[i]]
            out += 1
    out[0] = MOVE_NO_RESERVE
    return out + 1


cdef inline void pick_reserve(State *s, Player *p, int move) noexcept nogil:
    """Take a tile out of the reserve, to serve as the received tile."""
    cdef int i = 0
    if move == MOVE_NO_RESERVE:
        return
    while s.tile_name[p.reserve[i]] != move - MOVE_RESERVE:
        i += 1
    p.picked = p.reserve[i]
    p.reserve_count -= 1
    while i < p.reserve_count:
        p.reserve[i] = p.reserve[i + 1]
        i += 1
    p.reserve[i] = 0


cdef inline void end_round(State *s) noexcept nogil:
    """Forget the tiles of step 1, which have all been used or put back."""
    cdef int player
    cdef Player *p
    for player in range(s.players):
        p = &s.player[player]
        p.kept = 0
        p.given = 0
        p.shown[0] = 0
        p.shown[1] = 0
        p.picked = 0
