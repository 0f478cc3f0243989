"""Calls single functions of a GameOps, with guards around all memory that they may write.

A handle (`Game`, `Position`) trusts its game; a probe does not. States are bytes here. If a
function writes up to GUARD bytes before or after the memory that it may write, nothing else is
overwritten, and the probe raises Overrun.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython cimport array
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from trajan_ai.core.game cimport (
    MAX_EVENTS, MAX_PLAYERS, MAX_SOURCES, Event, EventSink, Game, GameFact, GameOps, Position, move_t,
    raise_failure,
)
from trajan_ai.core.room cimport room
from trajan_ai.core.uniform cimport policy_playout, uniform_playout
from trajan_ai.core.rng cimport Rng, seeded

import array

from trajan_ai.core.errors import check_seat

cdef enum:
    GUARD = 512              # bytes watched before and after each block, floats after the weights
    GUARD_BYTE = 0xA5
    BLOCKS = 3               # state, target, everything else that is written
    ANYTHING = -559038737    # initial value of integers that a function must write


class Overrun(Exception):
    """A function of the game wrote to memory that it must not change."""


cdef class Probe:
    """Access to the functions of one game, for states given as bytes.

    `fill` is the initial value of the bytes that a function must write. Calls with two different
    values show which bytes the function leaves unwritten.
    """

    cdef const GameOps *ops
    cdef uint8_t *memory[BLOCKS]
    cdef size_t room[BLOCKS]
    cdef uint8_t guard[GUARD]
    cdef float *weights
    # shortfalls from the last call of the game's own policy_playout
    cdef readonly float[MAX_PLAYERS] shortfalls
    cdef list owners           # owners of the memory

    def __cinit__(self, Game game not None):
        cdef int i
        self.ops = game.ops
        self.room[0] = self.room[1] = self.ops.state_size
        self.room[2] = max(self.ops.max_moves, MAX_PLAYERS) * sizeof(move_t)
        if self.ops.features != NULL:
            self.room[2] = max(self.room[2], <size_t>self.ops.feature_counts[MAX_PLAYERS])
        self.room[2] = max(self.room[2], MAX_PLAYERS * self.ops.term_count * sizeof(float))
        self.owners = []
        self.weights = <float *>room(
            self.owners, (self.ops.weight_count + GUARD) * sizeof(float))
        memset(self.guard, GUARD_BYTE, GUARD)
        for i in range(BLOCKS):
            self.memory[i] = <uint8_t *>room(self.owners, self.room[i] + 2 * GUARD)
            self._mend(i)
        own = game.default_weights or ()
        for i in range(self.ops.weight_count):
            self.weights[i] = own[i] if i < len(own) else 0.0

    cdef _weigh(self, float beyond):
        """Write `beyond` behind the game's own weights, to floats that the game must not read."""
        cdef int i
        for i in range(GUARD):
            self.weights[self.ops.weight_count + i] = beyond

    cdef void *_load(self, bytes state, int fill=0) except NULL:
        """Write the state to its block and `fill` to the others; return the state's address."""
        if len(state) != self.ops.state_size:
            raise ValueError(f"a state has {self.ops.state_size} bytes, got {len(state)}")
        memcpy(self.memory[0] + GUARD, <const char *>state, self.room[0])
        memset(self.memory[1] + GUARD, fill, self.room[1])
        memset(self.memory[2] + GUARD, fill, self.room[2])
        return self.memory[0] + GUARD

    cdef _look(self, str entry, bytes unchanged=None):
        """Check the guards after a call and, if `unchanged` is given, that the state still equals
        it."""
        cdef int i
        raise_failure()
        for i in range(BLOCKS):
            if (memcmp(self.memory[i], self.guard, GUARD) != 0
                    or memcmp(self.memory[i] + GUARD + self.room[i], self.guard, GUARD) != 0):
                self._mend(i)
                raise Overrun(f"{entry}() writes outside the room it is given")
        if unchanged is not None and memcmp(self.memory[0] + GUARD, <const char *>unchanged,
                                            self.room[0]) != 0:
            raise Overrun(f"{entry}() changes the state it is asked about")

    cdef _mend(self, int i):
        memset(self.memory[i], GUARD_BYTE, self.room[i] + 2 * GUARD)

    cdef int _need(self, str entry, bint there) except -1:
        if not there:
            raise ValueError(f"this game has no function {entry}")
        return 0

    cdef int _check_player(self, bytes state, int player) except -1:
        check_seat(player, self.ops.players(self._load(state)))
        return 0

    cdef int _check_moves(self, bytes state, list moves) except -1:
        """Check that there are moves, and that all of them are legal."""
        legal = set(self.legal(state))
        if not 0 < len(moves) <= self.ops.max_moves or not legal.issuperset(moves):
            raise ValueError(f"moves must be legal in the state: some of {sorted(legal)}")
        return 0

    @property
    def ranks_tie(self):
        """Whether the game declares that two players may share a rank."""
        return bool(self.ops.facts & GameFact.RANKS_TIE)

    @property
    def missing(self):
        """Names of the functions that the game lacks."""
        there = {
            "players": self.ops.players != NULL, "player": self.ops.player != NULL,
            "turn": self.ops.turn != NULL, "legal": self.ops.legal != NULL,
            "apply": self.ops.apply != NULL, "step": self.ops.step != NULL,
            "scores": self.ops.scores != NULL, "ranks": self.ops.ranks != NULL,
            "determinize": self.ops.determinize != NULL, "observed": self.ops.observed != NULL,
            "playout": self.ops.playout != NULL, "policy": self.ops.policy != NULL,
            "policy_playout": self.ops.policy_playout != NULL, "prior": self.ops.prior != NULL,
            "evaluate": self.ops.evaluate != NULL,
            "apply_reported": self.ops.apply_reported != NULL, "terms": self.ops.terms != NULL,
            "turns_left": self.ops.turns_left != NULL, "features": self.ops.features != NULL,
            "deal": self.ops.deal != NULL,
        }
        return tuple(name for name, here in there.items() if not here)

    cdef int _number(self, str entry, int (*function)(const void *) noexcept nogil,
                     bytes state) except? ANYTHING:
        """Call a function of the state, and return its result."""
        cdef int result = function(self._load(state))
        self._look(entry, state)
        return result

    def players(self, bytes state not None):
        """Return the number of players."""
        return self._number("players", self.ops.players, state)

    def player(self, bytes state not None):
        """Return the player to move, or NO_PLAYER (-1) when the game is over."""
        return self._number("player", self.ops.player, state)

    def turn(self, bytes state not None):
        """Return the number of the turn."""
        return self._number("turn", self.ops.turn, state)

    def legal(self, bytes state not None, int fill=0):
        """Return the legal moves in the game's order; raise Overrun if there are more than
        max_moves."""
        cdef int count, i
        cdef size_t room = self.ops.max_moves * sizeof(move_t)
        cdef size_t behind = min(self.room[2] - room, <size_t>GUARD)  # room for other results
        cdef uint8_t *end = self.memory[2] + GUARD + room
        self._load(state, fill)
        memset(end, GUARD_BYTE, behind)
        count = self.ops.legal(self.memory[0] + GUARD, <move_t *>(self.memory[2] + GUARD))
        self._look("legal", state)
        if memcmp(end, self.guard, behind) != 0:
            raise Overrun("legal() writes outside the room it is given")
        if not 0 <= count <= self.ops.max_moves:
            raise Overrun(f"legal() returns {count}, but max_moves is {self.ops.max_moves}")
        return [(<move_t *>(self.memory[2] + GUARD))[i] for i in range(count)]

    cdef bytes _reached(self, str entry):
        """Return the state that a function has changed."""
        self._look(entry)
        return PyBytes_FromStringAndSize(<const char *>self.memory[0] + GUARD, self.room[0])

    def apply(self, bytes state not None, move_t move):
        """Return the state after the move."""
        self._check_moves(state, [move])
        self.ops.apply(self._load(state), move)
        return self._reached("apply")

    def apply_reported(self, bytes state not None, move_t move):
        """Return the state after the move, made by `apply_reported`, which the game must have."""
        cdef EventSink sink
        cdef Event events[MAX_EVENTS]
        cdef int32_t vp[MAX_PLAYERS * MAX_SOURCES]
        self._need("apply_reported", self.ops.apply_reported != NULL)
        self._check_moves(state, [move])
        memset(vp, 0, sizeof(vp))
        sink.events, sink.count, sink.vp = events, 0, vp
        self.ops.apply_reported(self._load(state), move, &sink)
        return self._reached("apply_reported")

    def step(self, bytes state not None, move_t move):
        """Return the state after only this move, made by `step`, which the game must have."""
        self._need("step", self.ops.step != NULL)
        self._check_moves(state, [move])
        self.ops.step(self._load(state), move)
        return self._reached("step")

    cdef list _integers(self, str entry, void (*function)(const void *, int32_t *) noexcept nogil,
                        bytes state):
        """Call a function of the state, and return the integers that it writes, one for each
        player."""
        cdef int p
        cdef int32_t *written = <int32_t *>(self.memory[2] + GUARD)
        self._load(state)
        for p in range(MAX_PLAYERS):
            written[p] = ANYTHING
        function(self.memory[0] + GUARD, written)
        self._look(entry, state)
        return [written[p] for p in range(self.ops.players(self.memory[0] + GUARD))]

    def scores(self, bytes state not None):
        """Return the scores, one per player."""
        return self._integers("scores", self.ops.scores, state)

    def ranks(self, bytes state not None):
        """Return the ranks of a finished game, one per player."""
        if self.player(state) >= 0:
            raise ValueError("the game is not over")
        return self._integers("ranks", self.ops.ranks, state)

    def determinize(self, bytes state not None, int observer, seed, int fill=0):
        """Return (drawn state, state of the random number generator after the draw)."""
        self._check_player(state, observer)
        cdef Rng rng = seeded(seed)
        self._load(state, fill)
        self.ops.determinize(self.memory[0] + GUARD, self.memory[1] + GUARD, observer, &rng)
        self._look("determinize", state)
        drawn = PyBytes_FromStringAndSize(<const char *>self.memory[1] + GUARD, self.room[1])
        return drawn, (rng.s0, rng.s1, rng.s2, rng.s3)

    def observed(self, bytes state not None, move_t move, int observer):
        """Return what the observer sees of the move."""
        self._check_player(state, observer)
        self._check_moves(state, [move])
        cdef move_t result = move
        self._load(state)
        if self.ops.observed != NULL:
            result = self.ops.observed(self.memory[0] + GUARD, move, observer)
            self._look("observed", state)
        return result

    def playout(self, bytes state not None, seed, int transitions, int turns, bint own):
        """Return (moves made, state reached, state of the generator).

        With `own`, this calls the game's `playout`, which the game must have; otherwise it calls
        the reference loop, whose random draws `playout` must repeat.
        """
        if own:
            self._need("playout", self.ops.playout != NULL)
        cdef Rng rng = seeded(seed)
        cdef int made
        self._load(state)
        if own:
            made = self.ops.playout(self.memory[0] + GUARD, &rng, transitions, turns)
        else:
            made = uniform_playout(self.ops, self.memory[0] + GUARD, &rng, transitions, turns,
                                   <move_t *>(self.memory[2] + GUARD))
        return made, self._reached("playout"), (rng.s0, rng.s1, rng.s2, rng.s3)

    def policy(self, bytes state not None, list moves not None, seed, float beyond=0.0):
        """Return (index of the policy's move, state of the generator).

        `beyond` is written behind the game's own weights, to floats that the game must not read.
        """
        self._need("policy", self.ops.policy != NULL)
        self._check_moves(state, moves)
        cdef Rng rng = seeded(seed)
        cdef array.array listed = array.array("i", [*moves, ANYTHING])
        cdef int index
        self._weigh(beyond)
        self._load(state)
        index = self.ops.policy(self.memory[0] + GUARD, <move_t *>listed.data.as_ints,
                                len(moves), self.weights, &rng)
        self._look("policy", state)
        return index, (rng.s0, rng.s1, rng.s2, rng.s3)

    def policy_playout(self, bytes state not None, seed, int transitions, int turns, bint own):
        """Return the same as `playout`, but for `policy_playout` or the loop that it must repeat.
        """
        if own:
            self._need("policy_playout", self.ops.policy_playout != NULL)
        self._need("policy", self.ops.policy != NULL)
        cdef Rng rng = seeded(seed)
        cdef int made
        cdef void *running
        self._weigh(0.0)
        running = self._load(state)
        if own:
            memset(self.shortfalls, 0, sizeof(self.shortfalls))
            made = self.ops.policy_playout(running, self.weights, &rng, transitions, turns,
                                           self.shortfalls)
        else:
            made = policy_playout(self.ops, running, self.weights, &rng, transitions, turns,
                                  <move_t *>(self.memory[2] + GUARD))
        return made, self._reached("policy_playout"), (rng.s0, rng.s1, rng.s2, rng.s3)

    def prior(self, bytes state not None, list moves not None, float beyond=0.0, int fill=0):
        """Return the prior of each move."""
        self._need("prior", self.ops.prior != NULL)
        self._check_moves(state, moves)
        cdef array.array listed = array.array("i", [*moves, ANYTHING])
        cdef int i
        self._weigh(beyond)
        self._load(state, fill)
        self.ops.prior(self.memory[0] + GUARD, <move_t *>listed.data.as_ints, len(moves),
                       self.weights, <float *>(self.memory[2] + GUARD))
        self._look("prior", state)
        return [(<float *>(self.memory[2] + GUARD))[i] for i in range(len(moves))]

    def evaluate(self, bytes state not None, float beyond=0.0, int fill=0):
        """Return the expected final VP, one per player."""
        self._need("evaluate", self.ops.evaluate != NULL)
        cdef int p
        self._weigh(beyond)
        self._load(state, fill)
        self.ops.evaluate(self.memory[0] + GUARD, self.weights,
                          <float *>(self.memory[2] + GUARD))
        self._look("evaluate", state)
        return [(<float *>(self.memory[2] + GUARD))[p]
                for p in range(self.ops.players(self.memory[0] + GUARD))]

    def terms(self, bytes state not None):
        """Return the weighted sums of terms, one per player."""
        self._need("terms", self.ops.terms != NULL)
        cdef int p, i
        cdef int count = self.ops.term_count
        cdef float *terms = <float *>(self.memory[2] + GUARD)
        cdef int players = self.ops.players(self._load(state))
        cdef int first = self.ops.weight_count - (MAX_PLAYERS - players + 1) * count
        self.ops.terms(self.memory[0] + GUARD, terms)
        self._look("terms", state)
        return [sum(self.weights[first + i] * terms[p * count + i] for i in range(count))
                for p in range(players)]

    def turns_left(self, bytes state not None, int player):
        """Return the estimate of the player's remaining turns."""
        self._need("turns_left", self.ops.turns_left != NULL)
        self._check_player(state, player)
        cdef int result
        self._load(state)
        result = self.ops.turns_left(self.memory[0] + GUARD, player)
        self._look("turns_left", state)
        return result

    def features(self, bytes state not None, int observer, int fill=0):
        """Return what the observer knows as features for machine learning."""
        self._need("features", self.ops.features != NULL)
        self._check_player(state, observer)
        self._load(state, fill)
        self.ops.features(self.memory[0] + GUARD, observer, self.memory[2] + GUARD)
        self._look("features", state)
        cdef int count = self.ops.feature_counts[self.ops.players(self.memory[0] + GUARD)]
        return PyBytes_FromStringAndSize(<const char *>self.memory[2] + GUARD, count)

    def deal(self, Position start not None, seed):
        """Deal the game that begins with `start` again, and return the new state."""
        self._need("deal", self.ops.deal != NULL)
        cdef Rng rng = seeded(seed)
        if start.game.ops != self.ops or start.ply != 0 or start.origin is None:
            raise ValueError("the position must be the first decision of a deal of the game")
        self._load(start.to_bytes())
        self.ops.deal(self.memory[0] + GUARD, &rng)
        return self._reached("deal")
