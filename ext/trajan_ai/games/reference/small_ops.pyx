"""The GameOps tables of the reference games: Nim, fork, Kuhn poker and pennies.

This extension is compiled from the files included below. They show what a game consists of: a
packed struct, the functions of GameOps that work on it, and a capsule.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, uint8_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport NO_PLAYER, GameFact, GameOps, capsule, move_t
from trajan_ai.core.rng cimport Rng, rng_below

include "nim.pxi"
include "choices.pxi"
