"""Scoring: votes, demands, building sets, bonus tiles, the end of the game and ranks (section 6)."""

from libc.stdint cimport int32_t

from trajan_ai.games.kit.minmax cimport max_int, min_int
from trajan_ai.games.trajan.types cimport *


cdef inline int count_votes(const Player *p) noexcept nogil:
    cdef int votes = p.space + 1 if p.space > 0 else 0
    cdef int i
    for i in range(VOTES):
        votes += (i + 2) * p.tiles[TILE_VOTES + i]
    return votes


cdef inline int demanded(const State *s, const Player *p, int symbol) noexcept nogil:
    """Demands of a symbol that the player's Trajan demand tiles do not cover."""
    return max_int(s.row[symbol] - p.demands[symbol], 0)


cdef inline int covered(const State *s, const Player *p) noexcept nogil:
    """Demands that the player's forum tiles and wilds can cover."""
    cdef int paid = 0
    cdef int rest = 0
    cdef int k, pay
    for k in range(SYMBOLS):
        pay = min_int(demanded(s, p, k), p.tiles[TILE_DEMAND + k])
        paid += pay
        rest += demanded(s, p, k) - pay
    return paid + min_int(rest, p.tiles[TILE_WILD_DEMAND])


cdef int bonus_of_symbols(const State *s, const Player *p, const int *left,
                          int wilds) noexcept nogil
cdef int bonus_of_goods(const Player *p) noexcept nogil
cdef int bonus_of_figures(const Player *p) noexcept nogil
cdef int set_value(const Player *p) noexcept nogil
cdef void score_game(State *s) noexcept nogil
cdef void scores_of(const void *state, int32_t *scores) noexcept nogil
cdef void ranks_of(const void *state, int32_t *ranks) noexcept nogil
