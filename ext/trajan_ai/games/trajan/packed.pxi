"""Trays as bits by colour, and goods as 4 bits each of a 64-bit number."""

cdef inline int count_of_6(unsigned int bits) noexcept nogil:
    return tables.set_of_6[bits]


cdef inline int pick_of_6(unsigned int bits, int k) noexcept nogil:
    """Return the index of the k-th set bit of a 6-bit mask, where k counts from 0."""
    return tables.pick_of_6[bits][k]


# ---- Trays, one bit per colour: the low byte contains the colours with at least one marker, the
# high byte those with two ------------------------------------------------------------------------

cdef inline int count_markers(uint16_t tray) noexcept nogil:
    return count_of_6(tray & ALL_TRAYS) + count_of_6(tray >> SECOND_MARKER)


cdef inline uint16_t with_marker(uint16_t tray, int colour) noexcept nogil:
    cdef unsigned int bit = (<unsigned int>1) << colour
    return <uint16_t>(tray | bit | ((tray & bit) << SECOND_MARKER))


cdef inline uint16_t without_marker(uint16_t tray, int colour) noexcept nogil:
    """Remove a marker of a colour: the second one if there are two."""
    cdef unsigned int second = tray & ((<unsigned int>0x100) << colour)
    cdef unsigned int first = ((<unsigned int>1) << colour) & ~(second >> SECOND_MARKER)
    return <uint16_t>(tray & ~(second | first))


cdef inline unsigned int missing(const Player *p, int tray, int tile) noexcept nogil:
    """Return the markers that a Trajan tile needs and its tray lacks, encoded like a tray."""
    return tables.need[tile] & ~p.trays[tray]


# ---- Goods ------------------------------------------------------------------------------------

cdef inline uint64_t one_good(int good) noexcept nogil:
    return <uint64_t>1 << (4 * good)


cdef inline int good_count(uint64_t goods, int good) noexcept nogil:
    return <int>((goods >> (4 * good)) & 15)


cdef inline int count_cards(uint64_t goods) noexcept nogil:
    cdef uint64_t x = (goods & <uint64_t>0x0F0F0F0F0F0F0F0F) + (
        (goods >> 4) & <uint64_t>0x0F0F0F0F0F0F0F0F)
    return <int>((x * <uint64_t>0x0101010101010101) >> 56)


cdef inline uint64_t goods_bits(uint64_t strided) noexcept nogil:
    """Return bits 0, 4, .. 44 of `strided` as bits 0 to 11."""
    cdef uint64_t x = strided & <uint64_t>0x111111111111
    x = (x | (x >> 3)) & <uint64_t>0x030303030303
    x = (x | (x >> 6)) & <uint64_t>0x000F000F000F
    return (x & 0xF) | ((x >> 12) & 0xF0) | ((x >> 24) & 0xF00)


cdef inline uint64_t at_least_1(uint64_t goods) noexcept nogil:
    """Return the goods of which there is at least one, as bits."""
    return goods_bits(goods | (goods >> 1) | (goods >> 2))


cdef inline uint64_t at_least_2(uint64_t goods) noexcept nogil:
    return goods_bits((goods >> 1) | (goods >> 2))


cdef inline uint64_t at_least_3(uint64_t goods) noexcept nogil:
    return goods_bits((goods >> 2) | ((goods >> 1) & goods))


cdef inline uint64_t at_least_4(uint64_t goods) noexcept nogil:
    return goods_bits(goods >> 2)
