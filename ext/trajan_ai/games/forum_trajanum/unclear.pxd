"""Citizens in rows of which nobody remembers whose they are: drawing who has come up.

A position file may leave out which tiles of a colour have not been seen. A male citizen, which
began among the tiles that lie face down, may then still lie there, or be gone: in a citizen row or
out of the game. A row holds citizens of its owner and of their left neighbour, and one of an
owner's female citizens was their start citizen, so lies in a row of their own.
"""

from trajan_ai.core.rng cimport Rng
from trajan_ai.games.forum_trajanum.types cimport State


# The unseen tiles of a colour and where they lie.
cdef struct Pool:
    int males       # classes, as bits, whose male citizen is one of them
    int places      # that hold one of them, where they are not gone
    int others      # tiles that are not male citizens
    int twins       # where a pair has a known tile: others like it, which may be that one


cdef inline bint is_unclear(const State *s) noexcept nogil:
    """Whether a row holds a citizen of which nobody remembers whose it is."""
    cdef int player
    for player in range(s.players):
        if s.player[player].unclear[0] | s.player[player].unclear[1] | s.player[player].unclear[2]:
            return True
    return False


cdef bint draw_gone(const State *s, const Pool *pools, int *gone, Rng *rng) noexcept nogil
cdef bint draw_twin(const Pool *pool, int gone, Rng *rng) noexcept nogil
