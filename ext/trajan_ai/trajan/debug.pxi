# Invariants, asserted after every move in a build with TRAJAN_DEBUG=1; nothing otherwise.

cdef extern from *:
    """
    #include <assert.h>
    #ifdef NDEBUG
    #define CHECKED 0
    #else
    #define CHECKED 1
    #endif
    static inline void require(int condition) { assert(condition); (void)condition; }
    """
    const bint CHECKED
    void require(bint condition) noexcept nogil


cdef void require_legal(const State *s, move_t move) noexcept nogil:
    cdef move_t moves[MOST_LEGAL]
    cdef int count = list_moves(s, moves)
    cdef int i
    cdef bint found = False
    require(2 <= count <= MOST_LEGAL)
    for i in range(count):
        found = found or moves[i] == move
    require(found)


cdef void require_sound(const State *s) noexcept nogil:
    """Kept fields agree with those they follow from; no good and no figure is lost."""
    cdef State again = s[0]
    cdef uint64_t goods = s.deck_counts
    cdef const Player *p
    cdef int i
    derive_fields(&again)
    require(memcmp(&again, s, sizeof(State)) == 0)
    for i in range(DECK_CARDS):
        if s.piles[i] != 0:
            goods += <uint64_t>1 << (4 * (s.piles[i] - 1))
    for i in range(s.players):
        p = &s.seats[i]
        goods += p.hand + p.display
        require(p.supply + p.legionnaires + p.workers + count_bits(p.legions_on)
                + count_bits(p.workers_on) == FIGURES)
        require((p.arch == CENTRE) == (next_free_slot(p, 0) == CENTRE))
        require(p.arch == CENTRE or p.slots[p.arch] == 0)
    require(goods == <uint64_t>0x555555555555)
