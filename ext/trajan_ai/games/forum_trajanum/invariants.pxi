"""Invariants of a state that a build with TRAJAN_DEBUG=1 checks at every decision."""

cdef inline void require_sound(const State *s) noexcept nogil:
    """Require that each cell has at most one thing on it, that no counter is below zero, and that
    markers agree with buildings."""
    cdef const Player *p
    cdef cells_t envoys = cells_of(0, 0)
    cdef uint64_t built
    cdef int player, i
    for player in range(s.players):
        p = &s.player[player]
        built = 0
        for i in range(BUILDINGS):
            require(built & p.built[i] == 0)
            built |= p.built[i]
        require(built & ~s.plain == 0 and built & p.tiles == 0)
        require(p.resources & <uint64_t>0x8080808080808080 == 0)
        for i in range(CELLS):
            require((p.tile[i] != 0) == <bint>((p.tiles >> i) & 1))
        for i in range(TRACKS):
            require(p.marker[i] == min(TRACK_END, count_bits(p.built[BUILDING_LIBRARY + i])))
        require(not is_any(common(envoys, mosaic(p.envoys))))
        envoys = joined(envoys, mosaic(p.envoys))
        require(p.ship <= 34 and p.slider <= s.steps)
