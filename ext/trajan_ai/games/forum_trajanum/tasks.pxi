"""The stack of waiting tasks and decisions, and lists of moves.

A player's run of decisions pushes its tasks in reverse order. A task with a choice becomes the
decision, and the other tasks are carried out at once. What a reward brings is pushed on top and so
comes first (depth first), as the rules require.
"""

cdef inline void push(State *s, int task, int argument) noexcept nogil:
    """Add a Decision or Task before those that are waiting."""
    require(s.depth < STACK)
    s.stack[2 * s.depth] = <uint8_t>task
    s.stack[2 * s.depth + 1] = <uint8_t>argument
    s.depth += 1


cdef inline void pop(State *s) noexcept nogil:
    """Make the top of the stack the current decision or task."""
    s.depth -= 1
    s.decision = s.stack[2 * s.depth]
    s.argument = s.stack[2 * s.depth + 1]
    s.stack[2 * s.depth] = 0
    s.stack[2 * s.depth + 1] = 0


cdef inline int lift(Player *p, int cell) noexcept nogil:
    """Take the tile from a cell of the grid; a corner's crane opens."""
    cdef int tile = p.tile[cell]
    p.tiles &= ~bit(cell)
    p.tile[cell] = 0
    if is_corner(cell):
        p.crane_open |= <uint8_t>(1 << corner_of(cell))
    return tile


cdef inline move_t *list_cells(uint64_t cells, int base, move_t *out) noexcept nogil:
    while cells:
        out[0] = base + board_place(lowest_bit(cells))
        out += 1
        cells &= cells - 1
    return out


cdef inline move_t *list_bits(int bits, int base, move_t *out) noexcept nogil:
    while bits:
        out[0] = base + lowest_bit(bits)
        out += 1
        bits &= bits - 1
    return out
