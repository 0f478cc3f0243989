# Trays as bits by colour, and goods as 4 bits each of a 64-bit number.

cdef enum:
    COLOUR_MASK = 0x3F
    GOODS_MASK = 0xFFF

# Of 6 bits: how many are set, and the index of the k-th set one.
cdef uint8_t SET_OF_6[64]
cdef uint8_t PICK_OF_6[64][8]


cdef inline int count_markers(uint16_t tray) noexcept nogil:
    return SET_OF_6[tray & COLOUR_MASK] + SET_OF_6[tray >> 8]


cdef inline uint16_t with_marker(uint16_t tray, int colour) noexcept nogil:
    cdef unsigned int bit = (<unsigned int>1) << colour
    return <uint16_t>(tray | bit | ((tray & bit) << 8))


cdef inline uint16_t without_marker(uint16_t tray, int colour) noexcept nogil:
    """Low byte: at least one; high byte: two. A second marker leaves first."""
    cdef unsigned int second = tray & ((<unsigned int>0x100) << colour)
    cdef unsigned int first = ((<unsigned int>1) << colour) & ~(second >> 8)
    return <uint16_t>(tray & ~(second | first))


cdef inline uint64_t goods_bits(uint64_t strided) noexcept nogil:
    """Bits 0, 4, .. 44 of `strided` as bits 0 to 11."""
    cdef uint64_t x = strided & <uint64_t>0x111111111111
    x = (x | (x >> 3)) & <uint64_t>0x030303030303
    x = (x | (x >> 6)) & <uint64_t>0x000F000F000F
    return (x & 0xF) | ((x >> 12) & 0xF0) | ((x >> 24) & 0xF00)


cdef inline uint64_t at_least_1(uint64_t goods) noexcept nogil:
    return goods_bits(goods | (goods >> 1) | (goods >> 2))


cdef inline uint64_t at_least_2(uint64_t goods) noexcept nogil:
    return goods_bits((goods >> 1) | (goods >> 2))


cdef inline uint64_t at_least_3(uint64_t goods) noexcept nogil:
    return goods_bits((goods >> 2) | ((goods >> 1) & goods))


cdef inline uint64_t at_least_4(uint64_t goods) noexcept nogil:
    return goods_bits(goods >> 2)


cdef inline int good_count(uint64_t goods, int good) noexcept nogil:
    return <int>((goods >> (4 * good)) & 15)
