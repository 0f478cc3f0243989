"""The goods of a player, and the player's citizens in rows."""

cdef inline int stock(const Player *p, int resource) noexcept nogil:
    return <int>((p.resources >> (8 * resource)) & 255)


cdef inline void gain(Player *p, int resource, int count) noexcept nogil:
    p.resources += <uint64_t>count << (8 * resource)


cdef inline void spend(Player *p, int resource, int count) noexcept nogil:
    p.resources -= <uint64_t>count << (8 * resource)


cdef inline void receive(State *s, Player *p, int resource, int count) noexcept nogil:
    """Gain a resource, and report it."""
    gain(p, resource, count)
    happen(s, EVENT_GAIN, <int>(p - s.player), resource, count)


cdef inline void hand_in(State *s, Player *p, int resource, int count) noexcept nogil:
    """Spend a resource, and report it."""
    spend(p, resource, count)
    happen(s, EVENT_SPEND, <int>(p - s.player), resource, count)


cdef inline int worker_count(const Player *p) noexcept nogil:
    cdef uint64_t workers = p.resources >> 8
    return <int>((workers & 255) + ((workers >> 8) & 255) + ((workers >> 16) & 255)
                 + ((workers >> 24) & 255))


cdef inline int is_active(const Player *p, int row) noexcept nogil:
    return (p.active >> row) & 1


cdef inline int active_citizens(const Player *p) noexcept nogil:
    cdef int row, total = 0
    for row in range(ROWS):
        total += p.citizens[row] * is_active(p, row)
    return total


cdef inline int row_factor(const Player *p, int row) noexcept nogil:
    """Return the factor of a row's greys in the scoring of the Colonia."""
    return 1 + p.citizens[row] * is_active(p, row)


cdef inline int greys_in_row(const Player *p, int row) noexcept nogil:
    """Return the number of different grey buildings in a street row."""
    cdef uint64_t cells = row_cells(row)
    return (((p.built[0] & cells) != 0) + ((p.built[1] & cells) != 0)
            + ((p.built[2] & cells) != 0) + ((p.built[3] & cells) != 0))


cdef inline bint is_asleep(const Player *p, int citizen_class) noexcept nogil:
    """Return whether both rows of a class contain citizens and none of them is active."""
    return (p.citizens[2 * citizen_class] and p.citizens[2 * citizen_class + 1]
            and (p.active >> (2 * citizen_class)) & 3 == 0)


cdef inline int class_of(int tile) noexcept nogil:
    """Return the class of a citizen tile; resource tiles have numbers above CITIZENS."""
    return (tile - 1) >> 1


cdef inline int female_of(int citizen_class) noexcept nogil:
    """Return the female citizen of a class."""
    return 2 * citizen_class + 2
