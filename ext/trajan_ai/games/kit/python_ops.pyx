"""The functions of GameOps for games written in Python; see `python_game`.

A state begins with a summary that suffices for most functions, so that only moves, sampling,
observations and features call Python. After the summary come the legal moves, then the bytes of
the Python class.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport (
    MAX_EVENTS, MAX_MOVES, MAX_PLAYERS, MIN_PLAYERS, NO_PLAYER, NO_SOURCE, NOTHING_SEEN, Event,
    EventSink, GameOps, Random, capsule, is_failure_noted, move_t, note_failure,
)
from trajan_ai.core.rng cimport Rng

from zlib import crc32
from trajan_ai.core.errors import GameFailed

GAMES = {}    # the PythonOps of every game, by its key

cdef struct Summary:
    uint32_t key    # key of the game in GAMES
    int32_t players, player, turn, count
    int32_t[MAX_PLAYERS] scores, ranks


cdef class PythonOps:
    """The table of a game. The rules must keep a reference to this object while the game is in use.
    """

    cdef GameOps ops
    cdef uint32_t key
    cdef int before, room     # bytes before the Python class, and bytes of the class
    cdef object rules
    cdef readonly object capsule

    def __cinit__(self, rules, str reference not None, int actions, int room, int facts,
                  bint hides_moves, feature_counts not None, bint has_events, int vp_sources):
        """Fill in the table. `feature_counts` maps numbers of players to numbers of features."""
        cdef GameOps *ops = &self.ops
        if actions < 1 or room < 1:
            raise ValueError(f"{reference}: a game needs actions and a state with fields")
        self.key = crc32(reference.encode())
        self.rules = rules
        ops.action_count = actions
        ops.max_moves = min(actions, MAX_MOVES)
        self.before = sizeof(Summary) + ops.max_moves * sizeof(move_t)
        self.room = room
        ops.state_size = self.before + room
        ops.facts = facts
        ops.players = get_players
        ops.player = get_player
        ops.turn = get_turn
        ops.legal = list_moves
        ops.apply = apply
        ops.scores = get_scores
        ops.ranks = get_ranks
        ops.determinize = determinize
        if hides_moves:
            ops.step = step
            ops.observed = observed
        if has_events:
            ops.apply_reported = apply_reported
            ops.vp_sources = vp_sources
        for players, count in feature_counts.items():
            ops.feature_counts[players] = count
            ops.features = write_features
        self.capsule = capsule(ops)
        GAMES[self.key] = self

    def pack(self, int players, state):
        """Return a state as bytes, for a game with this number of players."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise ValueError(f"players must be {MIN_PLAYERS} to {MAX_PLAYERS}, got {players}")
        cdef bytearray memory = bytearray(self.ops.state_size)
        cdef Summary *summary = <Summary *><char *>memory
        summary.key = self.key
        summary.players = players
        self.write(summary, state)
        return bytes(memory)

    def unpack(self, bytes memory not None):
        """Return the state that the bytes of a position contain."""
        if len(memory) != self.ops.state_size:
            raise ValueError(f"a state has {self.ops.state_size} bytes, got {len(memory)}")
        return self.read(<const char *>memory)

    cdef object read(self, const void *memory):
        return self.rules.state_type.from_buffer_copy(PyBytes_FromStringAndSize(
            <const char *>memory + self.before, self.room))

    cdef int write(self, void *memory, state) except -1:
        """Write the state and its summary. The number of players does not change."""
        cdef Summary *summary = <Summary *>memory
        cdef move_t *moves = <move_t *>(summary + 1)
        cdef bytes own = bytes(state)
        cdef int i
        if len(own) != self.room:
            raise ValueError(f"the state must have {self.room} bytes, got {len(own)}")
        player, turn, scores, ranks, legal = self.rules.summarize(state, summary.players)
        if len(legal) > self.ops.max_moves:
            raise GameFailed(f"legal() returns {len(legal)} moves, more than "
                             f"{self.ops.max_moves}")
        memset(moves, 0, self.before - sizeof(Summary))
        for i, move in enumerate(legal):
            moves[i] = move
        for i in range(summary.players):
            summary.scores[i] = scores[i]
            summary.ranks[i] = ranks[i]
        summary.turn = turn
        summary.count = <int32_t>len(legal)
        summary.player = player
        memcpy(<char *>memory + self.before, <const char *>own, self.room)
        return 0


cdef int get_players(const void *state) noexcept nogil:
    return (<const Summary *>state).players

cdef int get_player(const void *state) noexcept nogil:
    return (<const Summary *>state).player

cdef int get_turn(const void *state) noexcept nogil:
    return (<const Summary *>state).turn


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const Summary *summary = <const Summary *>state
    memcpy(moves, summary + 1, summary.count * sizeof(move_t))
    return summary.count


cdef void get_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Summary *summary = <const Summary *>state
    memcpy(scores, summary.scores, summary.players * sizeof(int32_t))


cdef void get_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef const Summary *summary = <const Summary *>state
    memcpy(ranks, summary.ranks, summary.players * sizeof(int32_t))


cdef void apply(void *state, move_t move) noexcept with gil:
    change(state, move, True, NULL)

cdef void step(void *state, move_t move) noexcept with gil:
    change(state, move, False, NULL)

cdef void apply_reported(void *state, move_t move, EventSink *sink) noexcept with gil:
    change(state, move, True, sink)

cdef void change(void *state, move_t move, bint carry_on, EventSink *sink) noexcept:
    """Make a move and, with `carry_on`, forced moves; if there is a sink, note the events."""
    cdef PythonOps ops
    try:
        if not is_failure_noted():
            ops = GAMES[(<const Summary *>state).key]
            changed = ops.read(state)
            if sink == NULL:
                ops.rules.change(changed, move, carry_on)
            else:
                note_all(sink, ops.rules.report(changed, move), ops.ops.vp_sources)
            ops.write(state, changed)
            return
    except BaseException as error:
        note_failure(error)
    # After a failure, the game counts as over, so that every loop ends soon.
    (<Summary *>state).player = NO_PLAYER
    (<Summary *>state).count = 0


cdef int note_all(EventSink *sink, list events, int sources) except -1:
    """Note events; each of them is a sequence of the fields of an `Event`, in their order."""
    cdef Event event
    if len(events) > MAX_EVENTS:
        raise GameFailed(f"a move has {len(events)} events, more than {MAX_EVENTS}")
    for one in events:
        (event.kind, event.player, event.thing, event.count, event.source, event.vp, event.noticed,
         event.known) = one
        if sink.vp != NULL and event.source != NO_SOURCE:
            sink.vp[event.player * sources + event.source] += event.vp
        if sink.events != NULL:
            sink.events[sink.count] = event
            sink.count += 1
    return 0


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept with gil:
    cdef PythonOps ops
    cdef Random random = Random(0)
    try:
        ops = GAMES[(<const Summary *>source).key]
        memcpy(target, source, ops.ops.state_size)
        if not is_failure_noted():
            random.rng = rng[0]
            drawn = ops.read(source)
            ops.rules.draw_hidden(drawn, observer, random)
            rng[0] = random.rng
            ops.write(target, drawn)
    except BaseException as error:
        note_failure(error)


cdef move_t observed(const void *state, move_t move, int observer) noexcept with gil:
    cdef PythonOps ops
    try:
        if not is_failure_noted():
            ops = GAMES[(<const Summary *>state).key]
            seen = ops.rules.see(ops.read(state), move, observer)
            return NOTHING_SEEN if seen is None else seen
    except BaseException as error:
        note_failure(error)
    return move


cdef void write_features(const void *state, int observer, uint8_t *out) noexcept with gil:
    cdef PythonOps ops
    cdef int count, i
    try:
        ops = GAMES[(<const Summary *>state).key]
        count = ops.ops.feature_counts[(<const Summary *>state).players]
        memset(out, 0, count)
        if not is_failure_noted():
            for i, value in enumerate(ops.rules.observe_all(ops.read(state), observer, count)):
                out[i] = value
    except BaseException as error:
        note_failure(error)
