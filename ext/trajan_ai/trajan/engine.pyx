"""The engine of Trajan: GameOps over the state of types.pxd, and states from and to Python data.

One module, so that playouts inline the rules; its rooms are the included files.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from trajan_ai.core.bits cimport count_bits, lowest_bit, pick_bit
from trajan_ai.core.game cimport GameFact, GameOps, NO_PLAYER, move_t
from trajan_ai.core.rates cimport softmax
from trajan_ai.core.rng cimport Rng, rng_below, rng_next, rng_seed

from trajan_ai.core.errors import TrajanError
from trajan_ai.trajan.components import COMPONENTS
from trajan_ai.trajan.types cimport *

include "bits.pxi"
include "tables.pxi"
include "rules.pxi"
include "hidden.pxi"
include "playout.pxi"
include "knowledge.pxi"
include "evaluation.pxi"
include "bridge.pxi"
include "debug.pxi"


cdef int players_of(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int player_of(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    return <int>s.decider if s.kind != OVER else NO_PLAYER


cdef int turn_of(const void *state) noexcept nogil:
    return (<const State *>state).turn


cdef void scores_of(const void *state, int32_t *scores) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int i
    for i in range(s.players):
        scores[i] = s.seats[i].score


cdef void ranks_of(const void *state, int32_t *ranks) noexcept nogil:
    """Most VP first; a tie goes to the higher one of the last senate ranking."""
    cdef const State *s = <const State *>state
    cdef int i, k
    cdef int32_t here, other
    for i in range(s.players):
        here = s.seats[s.order[i]].score
        ranks[s.order[i]] = 1
        for k in range(s.players):
            other = s.seats[s.order[k]].score
            if other > here or (other == here and k > i):
                ranks[s.order[i]] += 1


cdef GameOps OPS
OPS.state_size = sizeof(State)
OPS.max_moves = MOST_LEGAL
OPS.action_count = MOVES
OPS.facts = GameFact.HIDDEN_INFORMATION
OPS.players = players_of
OPS.player = player_of
OPS.turn = turn_of
OPS.legal = list_moves
OPS.apply = apply_move
OPS.scores = scores_of
OPS.ranks = ranks_of
OPS.determinize = determinize
OPS.playout = playout
OPS.weight_count = MOVE_WEIGHT_COUNT + 2 * FEATURES
OPS.policy = policy
OPS.prior = prior
OPS.evaluate = evaluate
OPS.turns_left = turns_left

ops = PyCapsule_New(&OPS, b"trajan_ai.core.game.GameOps", NULL)
