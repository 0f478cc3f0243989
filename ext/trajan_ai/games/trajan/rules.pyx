"""Trajan in C: state, rules, hidden information, knowledge, features and GameOps table.

This extension is compiled from the files included below, so that a playout makes no call between
modules. A file uses types and constants only from the files above it, but functions from all
files.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from trajan_ai.core.debug cimport CHECKED, require
from trajan_ai.core.game cimport (
    EVERYBODY, MAX_EVENTS, MAX_PLAYERS, MIN_PLAYERS, NO_PLAYER, NO_SOURCE, NO_THING, Event,
    EventSink, GameFact, GameOps, capsule, has_move, move_t,
)
from trajan_ai.core.portable cimport expect, product
from trajan_ai.core.rng cimport Rng, rng_below, rng_next, seeded, shuffle_bytes
from trajan_ai.games.kit.bits cimport count_bits, lowest_bit, pick_bit
from trajan_ai.games.kit.inputs cimport put, put_bits, put_bytes, put_one, spread
from trajan_ai.games.kit.rates cimport (
    LOWEST_KEY, index_of, key_of, next_noise, noise_scale, noisy_best, softmax,
)

from trajan_ai.core.errors import check_seat

# The state and its parts.
include "state.pxi"
include "tables.pxi"
include "packed.pxi"
include "stock.pxi"

# The rules, with one file for each topic, then the table of all decisions.
include "legal.pxi"
include "turn.pxi"
include "seaport.pxi"
include "actions.pxi"
include "repeats.pxi"
include "scoring.pxi"
include "ends.pxi"
include "dealing.pxi"
include "invariants.pxi"
include "decisions.pxi"
include "events.pxi"

# Functions that other modules apply to a state.
include "hidden.pxi"
include "knowledge.pxi"
include "evaluation.pxi"
include "features.pxi"
include "ops.pxi"
