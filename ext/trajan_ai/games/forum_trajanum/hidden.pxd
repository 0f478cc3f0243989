"""What a player cannot know, and drawing it anew (rules, A11 and A14)."""

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.games.forum_trajanum.rounds cimport in_order, right_of
from trajan_ai.games.forum_trajanum.types cimport STAGE_TAKE, STAGE_TURN, State

cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil
cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil


cdef inline bint begun(const State *s, int player) noexcept nogil:
    """Whether the player has revealed their tiles in step 2 of this round."""
    cdef int place
    if s.stage != STAGE_TURN:
        return False
    for place in range(s.begun):
        if in_order(s, place) == player:
            return True
    return False


cdef inline bint knows_kept(const State *s, int player, int observer) noexcept nogil:
    return player == observer or begun(s, player)


cdef inline bint knows_given(const State *s, int player, int observer) noexcept nogil:
    """Whether an observer has seen the tile passed: giver, receiver, or all once it is shown."""
    cdef int right = right_of(s, player)
    return player == observer or begun(s, right) or (
        right == observer and s.stage > STAGE_TAKE)
