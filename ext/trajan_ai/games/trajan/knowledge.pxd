"""Rates of moves, in VP: for a prior and a playout policy.

The rates look at the decision alone; only that of a tray counts what the next turn offers, too.
Both weigh them by the section `moves` of weights.yaml, in the order of this enumeration; the prior
divides them by a temperature, the policy adds noise to them.
"""

from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng
from trajan_ai.games.trajan.types cimport QUARTERS, ROUNDS, State

cpdef enum:
    WEIGHT_TEMPERATURE           # VP: of the prior
    WEIGHT_SOW_TEMPERATURE       # the same, where a tray is chosen
    WEIGHT_NOISE                 # VP: the policy adds a random number below it to each rate
    WEIGHT_SOW_NOISE             # the same, where a tray is chosen
    WEIGHT_CARD                  # a hand card
    WEIGHT_PAIR_CARD             # more, where it makes a pair
    WEIGHT_BONUS_CARD            # more, where an own bonus tile counts its good
    WEIGHT_WILD_CARD             # a wild goods tile
    WEIGHT_DRAW
    WEIGHT_TAKE
    WEIGHT_PLAY
    WEIGHT_SENATE                # a vote more
    WEIGHT_VOTE                  # a vote on a tile
    WEIGHT_RECRUIT
    WEIGHT_RECRUIT_LATER         # these, times the remaining share of the game
    WEIGHT_MARCH
    WEIGHT_MARCH_VALUE           # share of the province's VP to deploy for
    WEIGHT_DEPLOY
    WEIGHT_HIRE
    WEIGHT_HIRE_LATER
    WEIGHT_BUILD
    WEIGHT_BUILD_VP
    WEIGHT_BUILD_SET             # a building of a kind owned
    WEIGHT_FREE_ACTION
    WEIGHT_TRAJAN
    WEIGHT_TRAJAN_LATER
    WEIGHT_TILE_FIT              # share of a Trajan tile's worth, a colour present in its tray
    WEIGHT_DEMAND_NEEDED         # these three in a row: see demand_worth()
    WEIGHT_DEMAND_STOCK
    WEIGHT_DEMAND_SPARE
    WEIGHT_DEMAND_WILD
    WEIGHT_SYMBOL_BONUS          # share of the bonus tile's VP
    WEIGHT_WILD_BUILDING
    WEIGHT_EXTRA
    WEIGHT_EXTRA_WILD
    WEIGHT_EXTRA_PLUS2
    WEIGHT_EXTRA_KEEP            # worth of keeping an extra-action tile
    WEIGHT_EFFECT_CARDS          # of Trajan tiles, in the order of EFFECT_..
    WEIGHT_EFFECT_POINTS
    WEIGHT_EFFECT_WORKERS
    WEIGHT_EFFECT_LEGIONS
    WEIGHT_EFFECT_PLUS2
    WEIGHT_EFFECT_DEMAND
    WEIGHT_COMPLETE              # factor of a tile that the sowing completes
    WEIGHT_SPREAD                # a marker in hand
    WEIGHT_DROP_FIT              # a dropped colour that the tile of the slot misses
    WEIGHT_DROP_TARGET           # a colour that the target's tile misses, to be kept for it
    WEIGHT_SEAPORT_ACTION
    WEIGHT_FORUM_ACTION
    WEIGHT_MILITARY_ACTION
    WEIGHT_CONSTRUCTION_ACTION
    WEIGHT_GOLD
    WEIGHT_FREE_ACTION_SHARE     # of the worth of the action that the first of a kind gives
    WEIGHT_BUILD_REACH           # a building on a site that the worker makes free to build on
    WEIGHT_EXTRA_SHARE           # of the worth of its action, for an extra-action tile
    WEIGHT_SEAPORT_LATER         # more for an action, times the remaining share of the game
    WEIGHT_FORUM_LATER
    WEIGHT_MILITARY_LATER
    WEIGHT_SENATE_LATER
    WEIGHT_CONSTRUCTION_LATER
    WEIGHT_NEXT                  # share of the best rate of a tray in the next turn

cdef enum:
    WEIGHTS = WEIGHT_NEXT + 1


cdef inline float remaining_share(const State *s) noexcept nogil:
    """Share of the game that is left, 1 at its start."""
    cdef float rounds = <float>(QUARTERS * ROUNDS - ROUNDS * s.quarter - s.round)
    return (rounds - <float>s.time / <float>s.lap_length) * <float>(1.0 / (QUARTERS * ROUNDS))


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil
cdef int policy_playout(void *state, const float *weights, Rng *rng, int transitions, int turns,
                        float *shortfalls) noexcept nogil
cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil
