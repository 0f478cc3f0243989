"""Cells of a Colonia, and of the mosaic, as bits; state.pxi describes their numbers."""

cdef struct cells_t:                # mosaic cells, 128 bits
    uint64_t low
    uint64_t high


cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef inline uint64_t row_cells(int row) noexcept nogil:
    return <uint64_t>0x3F << (8 * row)


cdef inline uint64_t corner_cells() noexcept nogil:
    return <uint64_t>0x210000000021


cdef inline int corner_cell(int corner) noexcept nogil:
    return (corner & 1) * 5 + (corner >> 1) * 40


cdef inline int corner_of(int cell) noexcept nogil:
    """Return the number of a corner from its cell."""
    return (cell & 1) + 2 * (cell >= 40)


cdef inline int board_place(int cell) noexcept nogil:
    """Return the index of a cell in move numbers: row * 6 + column."""
    return cell - 2 * (cell >> 3)


cdef inline int cell_of(int place) noexcept nogil:
    """Return the cell with this index in move numbers: the inverse of board_place()."""
    return place + 2 * (place // 6)


cdef inline int mosaic_place(int cell) noexcept nogil:
    return cell - cell // MOSAIC_STRIDE


cdef inline int mosaic_cell(int place) noexcept nogil:
    return place + place // MOSAIC_COLUMNS


cdef inline uint64_t sides_of(int corner) noexcept nogil:
    """Return the two cells beside a corner."""
    cdef int cell = corner_cell(corner)
    return bit(cell - 1 if corner & 1 else cell + 1) | bit(cell - 8 if corner >> 1 else cell + 8)


cdef inline bint is_corner(int cell) noexcept nogil:
    return (corner_cells() >> cell) & 1


cdef inline cells_t cells_of(uint64_t low, uint64_t high) noexcept nogil:
    cdef cells_t cells
    cells.low = low
    cells.high = high
    return cells


cdef inline cells_t one_cell(int cell) noexcept nogil:
    cdef uint64_t bit_of = <uint64_t>1 << (cell & 63)
    return cells_of(0, bit_of) if cell >= 64 else cells_of(bit_of, 0)


cdef inline bint is_any(cells_t cells) noexcept nogil:
    return (cells.low | cells.high) != 0


cdef inline cells_t joined(cells_t a, cells_t b) noexcept nogil:
    return cells_of(a.low | b.low, a.high | b.high)


cdef inline cells_t common(cells_t a, cells_t b) noexcept nogil:
    return cells_of(a.low & b.low, a.high & b.high)


cdef inline cells_t without(cells_t a, cells_t b) noexcept nogil:
    return cells_of(a.low & ~b.low, a.high & ~b.high)


cdef inline cells_t forth(cells_t cells, int by) noexcept nogil:
    """Move every cell to a higher number, by 1 to 63; cells beyond 128 bits are dropped."""
    return cells_of(cells.low << by, (cells.high << by) | (cells.low >> (64 - by)))


cdef inline cells_t back(cells_t cells, int by) noexcept nogil:
    """Move every cell to a lower number, by 1 to 63."""
    return cells_of((cells.low >> by) | (cells.high << (64 - by)), cells.high >> by)


cdef inline cells_t mosaic(const uint64_t *words) noexcept nogil:
    return cells_of(words[0], words[1])


cdef inline void store_mosaic(uint64_t *words, cells_t cells) noexcept nogil:
    words[0] = cells.low
    words[1] = cells.high


cdef inline int count_mosaic(cells_t cells) noexcept nogil:
    return count_bits(cells.low) + count_bits(cells.high)


cdef inline cells_t across(cells_t cells) noexcept nogil:
    """Return the neighbours in the row; the caller masks guard cells away."""
    return joined(forth(cells, 1), back(cells, 1))


cdef inline cells_t beside(cells_t cells) noexcept nogil:
    """Return the orthogonal neighbours; the caller masks guard cells away."""
    return joined(across(cells),
                  joined(forth(cells, MOSAIC_STRIDE), back(cells, MOSAIC_STRIDE)))


cdef inline cells_t connected(cells_t seed, cells_t within) noexcept nogil:
    """Return the part of `within` that is orthogonally connected to its part `seed`."""
    cdef cells_t grown = seed
    cdef cells_t last = cells_of(0, 0)
    while grown.low != last.low or grown.high != last.high:
        last = grown
        grown = common(joined(grown, beside(grown)), within)
    return grown


cdef inline cells_t colour_cells(const State *s, int colour) noexcept nogil:
    return mosaic(&s.colour[2 * colour])


cdef inline uint64_t free_cells(const State *s, const Player *p) noexcept nogil:
    """Return the cells that can be built on."""
    return s.plain & ~(p.tiles | p.built[0] | p.built[1] | p.built[2] | p.built[3]
                       | p.built[4] | p.built[5] | p.built[6] | p.built[7])
