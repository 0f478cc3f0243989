"""Scoring of a phase and final ranks (rules, A8 to A10)."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.bits cimport count_bits
from trajan_ai.forum_trajanum.types cimport (
    ASSISTANT, BLUE, BUILDER, BUILDINGS, CELLS, COIN, COLLECTABLES, COLUMN, CRANE_SIDES,
    C_ASSISTANT, C_BUILDER, C_COIN, C_COLUMN, C_EACH_CLASS, C_MARKER, C_SHIP_ENVOY, C_TRIBUNE,
    C_TWO_CLASSES, C_TWO_WORKERS, C_USED_CRANE, C_WORKER, EAGLE_ONCE, FOUR_COLOURS, GKG_ACROSS,
    GKG_DOWN, KGGK_DOWN, KGK_DOWN, MOSAIC_STRIDE, NO_TASK, PATRICIAN_1, Player, ROWS, SQUARE,
    STRUCTURE, State, TEMPLE_ABOVE_BELOW, TEMPLE_DIAGONALS, THREE_COLOURS_DOWN,
    THREE_GREYS_DOWN, TRACK_END, TRIBUNE, TWO_GREYS_DOWN, active_citizens, beside, cells_t,
    connected, count_mosaic, is_active, mosaic, stock, worker_count,
)

cdef enum:
    ROW_CELLS = 0x3F
    SQUARES = 13            # sets of columns 0..4 without neighbours


cdef struct Squares:
    uint8_t column[13]      # left columns of 2 x 2 squares that do not overlap in one row
    uint8_t next_to[13]     # columns whose squares would overlap them from the next row

cdef Squares squares


cdef int _greys(const Player *p, uint64_t cells) noexcept nogil:
    """Number of different grey buildings among `cells`."""
    cdef int building, kinds = 0
    for building in range(STRUCTURE):
        kinds += (p.built[building] & cells) != 0
    return kinds


cdef uint64_t _any_of(const Player *p, int first, int end) noexcept nogil:
    cdef uint64_t cells = 0
    cdef int building
    for building in range(first, end):
        cells |= p.built[building]
    return cells


cdef int _runs(uint64_t starts, int step, int length) noexcept nogil:
    """Most disjoint runs of `length` cells, `step` bits apart, that begin at `starts`.

    Taking the first possible run each time is optimal: runs of one line are intervals of equal
    length.
    """
    cdef int found = 0
    cdef int i
    cdef uint64_t first
    while starts:
        first = starts & -starts
        found += 1
        for i in range(length):
            starts &= ~(first << (i * step))
    return found


cdef uint64_t _different(const Player *p, int first, int length) noexcept nogil:
    """Cells that begin a downward run of `length` different buildings of four kinds."""
    cdef uint64_t starts = 0
    cdef int i, j, k
    for i in range(first, first + 4):
        for j in range(first, first + 4):
            if j == i:
                continue
            if length == 2:
                starts |= p.built[i] & (p.built[j] >> 8)
                continue
            for k in range(first, first + 4):
                if k != i and k != j:
                    starts |= p.built[i] & (p.built[j] >> 8) & (p.built[k] >> 16)
    return starts


cdef int _most_disjoint(const uint64_t *sets, int count) noexcept nogil:
    """Most pairwise disjoint among at most four sets of cells."""
    cdef int chosen, i, size, best = 0
    cdef uint64_t used
    for chosen in range(1 << count):
        used = 0
        size = 0
        for i in range(count):
            if (chosen >> i) & 1:
                if used & sets[i]:
                    break
                used |= sets[i]
                size += 1
        else:
            if size > best:
                best = size
    return best


cdef int _temples(uint64_t temples, uint64_t built, int diagonal) noexcept nogil:
    """Most temples with disjoint demanded neighbours, all of them in `built`."""
    cdef uint64_t sets[4]
    cdef int count = 0
    cdef uint64_t temple, wanted
    while temples and count < 4:
        temple = temples & -temples
        temples ^= temple
        wanted = (temple << 8) | (temple >> 8)
        if diagonal:
            wanted = (wanted << 1) | (wanted >> 1)
        if wanted & ~built == 0:
            sets[count] = wanted
            count += 1
    return _most_disjoint(sets, count)


cdef int _most_squares(uint64_t built) noexcept nogil:
    """Most disjoint 2 x 2 squares of built cells, row by row over the squares chosen above."""
    cdef uint64_t starts = built & (built >> 1) & (built >> 8) & (built >> 9)
    cdef int best[13]
    cdef int last[13]
    cdef int row, here, above, most
    cdef int columns
    for here in range(SQUARES):
        last[here] = -1
    last[0] = 0
    for row in range(5):
        columns = <int>((starts >> (8 * row)) & 31)
        for here in range(SQUARES):
            best[here] = -1
            if squares.column[here] & ~columns:
                continue
            most = -1
            for above in range(SQUARES):
                if last[above] > most and squares.next_to[above] & squares.column[here] == 0:
                    most = last[above]
            best[here] = most + count_bits(squares.column[here])
        memcpy(last, best, sizeof(best))
    most = 0
    for here in range(SQUARES):
        most = max(most, last[here])
    return most


cdef int _four_colours(const Player *p) noexcept nogil:
    cdef int colour
    cdef int least = CELLS
    for colour in range(4):
        least = min(least, count_bits(p.built[STRUCTURE + colour]))
    return least


cdef int _crane_sides(uint64_t built) noexcept nogil:
    """Corners with both neighbours built; no cell neighbours two corners."""
    cdef int row, column, found = 0
    cdef uint64_t corner, sides
    for row in range(0, 6, 5):
        for column in range(0, 6, 5):
            corner = <uint64_t>1 << (8 * row + column)
            sides = (corner >> 1 if column else corner << 1) | (corner >> 8 if row else corner << 8)
            found += sides & ~built == 0
    return found


cdef int build_copies(const State *s, const Player *p, int task) noexcept nogil:
    """Most pairwise disjoint matches of a building task (A10)."""
    cdef uint64_t grey = _any_of(p, 0, STRUCTURE)
    cdef uint64_t coloured = _any_of(p, STRUCTURE, BUILDINGS)
    if task == GKG_ACROSS:
        return _runs(grey & (coloured >> 1) & (grey >> 2), 1, 3)
    if task == TEMPLE_ABOVE_BELOW:
        return _temples(s.temples, grey | coloured, 0)
    if task == TWO_GREYS_DOWN:
        return _runs(_different(p, 0, 2), 8, 2)
    if task == CRANE_SIDES:
        return _crane_sides(grey | coloured)
    if task == SQUARE:
        return _most_squares(grey | coloured)
    if task == KGK_DOWN:
        return _runs(coloured & (grey >> 8) & (coloured >> 16), 8, 3)
    if task == FOUR_COLOURS:
        return _four_colours(p)
    if task == GKG_DOWN:
        return _runs(grey & (coloured >> 8) & (grey >> 16), 8, 3)
    if task == KGGK_DOWN:
        return _runs(coloured & (grey >> 8) & (grey >> 16) & (coloured >> 24), 8, 4)
    if task == THREE_COLOURS_DOWN:
        return _runs(_different(p, STRUCTURE, 3), 8, 3)
    if task == TEMPLE_DIAGONALS:
        return _temples(s.temples, coloured, 1)
    if task == THREE_GREYS_DOWN:
        return _runs(_different(p, 0, 3), 8, 3)
    return 0


cdef int _pairs_of_kinds(int total, int most) noexcept nogil:
    """Most pairs of different kinds among `total` things, `most` of them of one kind."""
    return min(total // 2, total - most)


cdef void _have(const Player *p, int *have) noexcept nogil:
    """What a player can show for a collecting task, by Collectable, in copies of one demand."""
    cdef int row, colour
    cdef int by_class[3]
    cdef int most = 0
    for row in range(3):
        by_class[row] = (p.citizens[2 * row] * is_active(p, 2 * row)
                         + p.citizens[2 * row + 1] * is_active(p, 2 * row + 1))
    have[C_BUILDER] = stock(p, BUILDER)
    have[C_WORKER] = worker_count(p)
    have[C_ASSISTANT] = stock(p, ASSISTANT)
    have[C_COIN] = stock(p, COIN)
    have[C_TRIBUNE] = stock(p, TRIBUNE)
    have[C_SHIP_ENVOY] = p.ship
    have[C_COLUMN] = count_bits(p.built[COLUMN])
    have[C_USED_CRANE] = count_bits(p.crane_used)
    have[C_MARKER] = ((p.marker[0] == TRACK_END) + (p.marker[1] == TRACK_END)
                      + (p.marker[2] == TRACK_END))
    have[C_TWO_CLASSES] = _pairs_of_kinds(
        by_class[0] + by_class[1] + by_class[2], max(by_class[0], by_class[1], by_class[2]))
    have[C_EACH_CLASS] = min(by_class[0], by_class[1], by_class[2])
    for colour in range(4):
        most = max(most, stock(p, BLUE + colour))
    have[C_TWO_WORKERS] = _pairs_of_kinds(have[C_WORKER], most)


cdef int collect_copies(const State *s, const Player *p, int phase) noexcept nogil:
    """Copies of the collecting task of the phase's Trajan card (A10)."""
    cdef int have[12]
    cdef int item, need
    cdef int copies = 255
    _have(p, have)
    for item in range(COLLECTABLES):
        need = s.collect[phase * COLLECTABLES + item]
        if need:
            copies = min(copies, have[item] // need)
    return copies if copies < 255 else 0


cdef int _eagle_points(const State *s, const Player *p) noexcept nogil:
    """VP of envoys on and near eagles (A8 3a; rulings 15 and 16)."""
    cdef cells_t eagles = mosaic(s.eagles)
    cdef cells_t own = mosaic(p.envoys)
    cdef cells_t near = own & ~eagles
    cdef cells_t across = (eagles << 1) | (eagles >> 1)
    cdef cells_t up = eagles << MOSAIC_STRIDE
    cdef cells_t down = eagles >> MOSAIC_STRIDE
    cdef int points = 2 * count_mosaic(own & eagles)
    cdef int once = s.variant & EAGLE_ONCE
    if once:
        points += count_mosaic(near & (across | up | down))
    else:
        points += (count_mosaic(near & (eagles << 1)) + count_mosaic(near & (eagles >> 1))
                   + count_mosaic(near & up) + count_mosaic(near & down))
    if not is_active(p, PATRICIAN_1):
        return points
    if once:
        return points + count_mosaic(near & ((up << 1) | (up >> 1) | (down << 1) | (down >> 1)))
    return points + (count_mosaic(near & (up << 1)) + count_mosaic(near & (up >> 1))
                     + count_mosaic(near & (down << 1)) + count_mosaic(near & (down >> 1)))


cdef int _area_points(const State *s, const Player *p) noexcept nogil:
    """VP of the largest connected group of own envoys (A8 3b)."""
    cdef cells_t left = mosaic(p.envoys)
    cdef cells_t group
    cdef int size = 0
    while left:
        group = connected(left & -left, left)
        left ^= group
        size = max(size, count_mosaic(group))
    if size == 0:
        return 0
    return s.prestige[s.label[11 * p.flipped + min(size, 10)] + p.slider]


cdef int _colonia_points(const Player *p) noexcept nogil:
    cdef int row, points = 0
    for row in range(ROWS):
        points += (_greys(p, <uint64_t>ROW_CELLS << (8 * row))
                   * (1 + p.citizens[row] * is_active(p, row)))
    return points


cdef PhaseScore phase_score(const State *s, int player) noexcept nogil:
    """What the phase's scoring gives, from the position after the wages (A8 1 to 4)."""
    cdef const Player *p = &s.player[player]
    cdef int phase = s.round // 4
    cdef int fresh = p.crane_open & ~p.crane_used
    cdef PhaseScore found
    cdef Player scored = p[0]
    cdef int corner
    found.cranes = 0
    for corner in range(4):
        if (fresh >> corner) & 1:
            found.cranes += (s.crane_vp[phase]
                             * count_bits(p.built[STRUCTURE + p.crane[corner] - 1]))
    found.colonia = _colonia_points(p)
    found.eagles = _eagle_points(s, p)
    found.area = _area_points(s, p)
    scored.crane_used |= scored.crane_open
    found.trajan = (s.bust[13 * p.flipped + p.slider]
                    * (build_copies(s, p, s.build_task[phase])
                       + collect_copies(s, &scored, phase)))
    return found


cdef void score_phase(State *s) noexcept nogil:
    """Score the phase for every player; open cranes become used."""
    cdef int player
    cdef PhaseScore found
    for player in range(s.players):
        found = phase_score(s, player)
        s.player[player].score += <int>(
            found.cranes + found.colonia + found.eagles + found.area + found.trajan)
        s.player[player].crane_used |= s.player[player].crane_open


cdef void rank_players(const void *state, int32_t *ranks) noexcept nogil:
    """1 + the players strictly better by VP, active citizens, resources (A14)."""
    cdef const State *s = <const State *>state
    cdef int32_t value[4]
    cdef int player, other, resource
    for player in range(s.players):
        value[player] = (s.player[player].score * 64 + active_citizens(&s.player[player])) * 2048
        for resource in range(8):
            value[player] += stock(&s.player[player], resource)
    for player in range(s.players):
        ranks[player] = 1
        for other in range(s.players):
            ranks[player] += value[other] > value[player]


cdef void _fill_squares() noexcept:
    cdef int columns
    cdef int count = 0
    for columns in range(32):
        if columns & (columns >> 1) == 0:
            squares.column[count] = columns
            squares.next_to[count] = columns | ((columns << 1) & 31) | (columns >> 1)
            count += 1


_fill_squares()
