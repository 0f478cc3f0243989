"""Trajan cards: the value of building and collecting tasks."""

cdef enum:
    TWO_DOWN = 0x101        # shapes of matches that start at cell 0
    THREE_DOWN = 0x10101
    FOUR_DOWN = 0x1010101
    THREE_ACROSS = 0x7
    SQUARE = 0x303


cdef uint64_t any_of(const Player *p, int first, int end) noexcept nogil:
    cdef uint64_t cells = 0
    cdef int building
    for building in range(first, end):
        cells |= p.built[building]
    return cells


cdef uint64_t starts_of_different(const Player *p, int first, int length) noexcept nogil:
    """Return the cells that begin a downward run of `length` different buildings, out of the four
    kinds that start at `first`."""
    cdef uint64_t starts = 0
    cdef int i, j, k
    for i in range(first, first + COLOURS):
        for j in range(first, first + COLOURS):
            if j == i:
                continue
            if length == 2:
                starts |= p.built[i] & (p.built[j] >> 8)
                continue
            for k in range(first, first + COLOURS):
                if k != i and k != j:
                    starts |= p.built[i] & (p.built[j] >> 8) & (p.built[k] >> 16)
    return starts


cdef int four_colours(const State *s, const Player *p) noexcept nogil:
    """Return how many structures of the rarest colour there are; with OPTION_TASK_MATCH_TILES, how
    many tiles."""
    cdef int colour, count
    cdef int least = CELLS
    cdef uint64_t built
    for colour in range(COLOURS):
        built = p.built[STRUCTURE + colour]
        count = count_bits(built)
        if s.options & OPTION_TASK_MATCH_TILES:
            count -= count_bits((built & p.across) & (built >> 1))
            count -= count_bits((built & p.down) & (built >> 8))
        least = min(least, count)
    return least


# --- matches -------------------------------------------------------------------------------------

# Matches of a pattern, each a set of cells.
cdef struct Matches:
    uint64_t cells[BOARD]
    int count


cdef inline void add_match(Matches *m, uint64_t cells, uint64_t built) noexcept nogil:
    """Add a match if all its cells are built."""
    m.cells[m.count] = cells
    m.count += cells & ~built == 0


cdef void find_temples(Matches *m, uint64_t temples, uint64_t built, int diagonal) noexcept nogil:
    cdef uint64_t temple, sides
    while temples:
        temple = temples & -temples
        temples ^= temple
        sides = (temple << 8) | (temple >> 8)
        add_match(m, (sides << 1) | (sides >> 1) if diagonal else sides, built)


cdef void find_corners(Matches *m, uint64_t built) noexcept nogil:
    cdef int corner
    for corner in range(CORNERS):
        add_match(m, sides_of(corner), built)


cdef void add_shapes(Matches *m, uint64_t starts, uint64_t shape) noexcept nogil:
    while starts:
        add_match(m, shape << lowest_bit(starts), ~<uint64_t>0)
        starts &= starts - 1


cdef uint64_t whole_tiles(const Player *p, uint64_t cells) noexcept nogil:
    """Return the cells and the other halves of the double tiles that lie on them."""
    return (cells | ((cells & p.across) << 1) | ((cells >> 1) & p.across)
            | ((cells & p.down) << 8) | ((cells >> 8) & p.down))


cdef int most_apart(const uint64_t *others, uint64_t left) noexcept nogil:
    """Return the largest number of matches in `left` of which no two exclude each other.

    Match i excludes others[i]. A match that excludes at most one other is always worth taking; if
    there is none, the match that excludes the most others is tried both taken and not taken.
    """
    cdef uint64_t rest
    cdef int i, count, few, most
    cdef int many = 0
    cdef int taken = 0
    while left:
        few = -1
        most = 0
        rest = left
        while rest:
            i = lowest_bit(rest)
            rest &= rest - 1
            count = count_bits(others[i] & left)
            if count <= 1:
                few = i
                break
            if count > most:
                most = count
                many = i
        if few < 0:
            rest = left & ~bit(many)
            return taken + max(1 + most_apart(others, rest & ~others[many]),
                               most_apart(others, rest))
        taken += 1
        left &= ~(others[few] | bit(few))
    return taken


cdef int most_disjoint(const State *s, const Player *p, Matches *m) noexcept nogil:
    """Return the largest number of matches that share no cell or, with OPTION_TASK_MATCH_TILES, no
    tile."""
    cdef uint64_t others[BOARD]
    cdef int i, j
    if s.options & OPTION_TASK_MATCH_TILES:
        for i in range(m.count):
            m.cells[i] = whole_tiles(p, m.cells[i])
    for i in range(m.count):
        others[i] = 0
        for j in range(m.count):
            if j != i and m.cells[i] & m.cells[j]:
                others[i] |= bit(j)
    return most_apart(others, bit(m.count) - 1)


# --- building tasks ------------------------------------------------------------------------------

cdef uint64_t find_shapes(const Player *p, int pattern, uint64_t *starts) noexcept nogil:
    """Return the shape of a pattern as a match that starts at cell 0, or 0 if it has no fixed
    shape; write the cells at which matches start to `starts`."""
    cdef uint64_t grey = any_of(p, 0, STRUCTURE)
    cdef uint64_t coloured = any_of(p, STRUCTURE, BUILDINGS)
    cdef uint64_t built = grey | coloured
    if pattern == PATTERN_GKG_ACROSS:
        starts[0] = grey & (coloured >> 1) & (grey >> 2)
        return THREE_ACROSS
    if pattern == PATTERN_TWO_GREYS_DOWN:
        starts[0] = starts_of_different(p, 0, 2)
        return TWO_DOWN
    if pattern == PATTERN_SQUARE:
        starts[0] = built & (built >> 1) & (built >> 8) & (built >> 9)
        return SQUARE
    if pattern == PATTERN_KGK_DOWN:
        starts[0] = coloured & (grey >> 8) & (coloured >> 16)
        return THREE_DOWN
    if pattern == PATTERN_GKG_DOWN:
        starts[0] = grey & (coloured >> 8) & (grey >> 16)
        return THREE_DOWN
    if pattern == PATTERN_KGGK_DOWN:
        starts[0] = coloured & (grey >> 8) & (grey >> 16) & (coloured >> 24)
        return FOUR_DOWN
    if pattern == PATTERN_THREE_COLOURS_DOWN:
        starts[0] = starts_of_different(p, STRUCTURE, 3)
        return THREE_DOWN
    if pattern == PATTERN_THREE_GREYS_DOWN:
        starts[0] = starts_of_different(p, 0, 3)
        return THREE_DOWN
    return 0


cdef int build_copies(const State *s, const Player *p, int pattern) noexcept nogil:
    """Return the largest number of pairwise disjoint matches of a building task."""
    cdef Matches m
    cdef uint64_t starts = 0
    cdef uint64_t shape = find_shapes(p, pattern, &starts)
    m.count = 0
    if shape:
        add_shapes(&m, starts, shape)
    elif pattern == PATTERN_TEMPLE_ABOVE_BELOW:
        find_temples(&m, s.temples, any_of(p, 0, BUILDINGS), 0)
    elif pattern == PATTERN_TEMPLE_DIAGONALS:
        find_temples(&m, s.temples, any_of(p, STRUCTURE, BUILDINGS), 1)
    elif pattern == PATTERN_CRANE_SIDES:
        find_corners(&m, any_of(p, 0, BUILDINGS))
    elif pattern == PATTERN_FOUR_COLOURS:
        return four_colours(s, p)
    return most_disjoint(s, p, &m)


# --- collecting tasks ----------------------------------------------------------------------------

cdef int pairs_of_kinds(int total, int most) noexcept nogil:
    """Return the largest number of pairs of different kinds among `total` objects, of which at
    most `most` are of one kind."""
    return min(total // 2, total - most)


cdef void count_assets(const Player *p, int *have) noexcept nogil:
    """Count how many times a player can meet each Demand of collecting tasks."""
    cdef int row, colour
    cdef int by_class[CLASSES]
    cdef int most = 0
    for row in range(3):
        by_class[row] = (p.citizens[2 * row] * is_active(p, 2 * row)
                         + p.citizens[2 * row + 1] * is_active(p, 2 * row + 1))
    have[DEMAND_BUILDER] = stock(p, RESOURCE_BUILDER)
    have[DEMAND_WORKER] = worker_count(p)
    have[DEMAND_ASSISTANT] = stock(p, RESOURCE_ASSISTANT)
    have[DEMAND_COIN] = stock(p, RESOURCE_COIN)
    have[DEMAND_TRIBUNE] = stock(p, RESOURCE_TRIBUNE)
    have[DEMAND_SHIP_ENVOY] = p.ship
    have[DEMAND_COLUMNS_IN_COLONIA] = count_bits(p.built[BUILDING_COLUMN])
    have[DEMAND_USED_CRANES] = count_bits(p.crane_used)
    have[DEMAND_FORUM_MARKER_AT_COLUMN] = (
        (p.marker[0] == TRACK_END) + (p.marker[1] == TRACK_END) + (p.marker[2] == TRACK_END))
    have[DEMAND_ACTIVE_CITIZENS_DISTINCT_CLASSES] = pairs_of_kinds(
        by_class[0] + by_class[1] + by_class[2], max(by_class[0], by_class[1], by_class[2]))
    have[DEMAND_ACTIVE_CITIZEN_EACH_CLASS] = min(by_class[0], by_class[1], by_class[2])
    for colour in range(COLOURS):
        most = max(most, stock(p, RESOURCE_BLUE + colour))
    have[DEMAND_WORKERS_DISTINCT_COLOURS] = pairs_of_kinds(have[DEMAND_WORKER], most)


cdef int collect_copies(const State *s, const Player *p, int phase) noexcept nogil:
    """Return how many copies of the phase's collecting task a player has."""
    cdef int have[DEMANDS]
    cdef int item, need
    cdef int copies = 255
    count_assets(p, have)
    for item in range(DEMANDS):
        need = s.collect[phase * DEMANDS + item]
        if need:
            copies = min(copies, have[item] // need)
    return copies if copies < 255 else 0
