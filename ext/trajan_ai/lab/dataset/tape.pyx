"""Whole games as arrays: moves, states at the start of each turn, and the events in between.

The functions here play a game by the policy, or replay it from its move numbers, through the
contract alone; `of_trajan` and `of_forum_trajanum` interpret the states of the two games.
"""

from cpython cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport (
    MAX_EVENTS, MAX_PLAYERS, MAX_MOVES, MAX_SOURCES, NO_PLAYER, Event, EventSink, Game, GameOps,
    Position, has_move, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_seed

import array

from trajan_ai.core.errors import TrajanError

cdef enum:
    # number of decisions for which there is room initially; there is room for half that number of
    # rows, and both are doubled when the memory is full
    FIRST_ROOM = 512
    EVENTS_PER_DECISION = 4  # number of events for which there is room per decision


cdef enum Ending:
    OVER                     # the game is over, or no move is left to be replayed
    FULL                     # there is no room for another decision
    ILLEGAL


cdef struct Decision:
    uint16_t move
    uint16_t mover


# An event, as noticed by the player whom it concerns, or by everybody if it concerns no player.
cdef struct Happening:
    int32_t row              # the row after which the event happened
    int16_t kind
    int16_t player
    int16_t thing
    int16_t count


# A row contains the state at the first decision of a turn or at the end of the game, the number of
# decisions made before it (int32), and the VP gained until the next row, by player and source
# (int16).
cdef struct Tape:
    Decision *decisions
    uint8_t *rows
    Happening *happenings
    int room                 # number of decisions that fit; half as many rows fit
    int event_room           # number of events that fit
    int row_size             # size of a row in bytes
    int made
    int count                # number of rows
    int happened             # number of events
    int turn                 # turn of the last row


cdef void add_row(Tape *tape, const GameOps *ops, const void *state) noexcept nogil:
    cdef uint8_t *row = tape.rows + tape.count * <Py_ssize_t>tape.row_size
    memset(row, 0, tape.row_size)
    memcpy(row, state, ops.state_size)
    memcpy(row + ops.state_size, &tape.made, sizeof(int32_t))
    tape.turn = ops.turn(state)
    tape.count += 1


cdef void add_events(Tape *tape, const EventSink *sink) noexcept nogil:
    cdef const Event *event
    cdef int i
    for i in range(sink.count):
        event = &sink.events[i]
        # An event is reported again for players who notice it later; that report is skipped.
        if event.player == NO_PLAYER or (event.noticed >> event.player) & 1:
            tape.happenings[tape.happened] = Happening(
                tape.count - 1, event.kind, event.player, event.thing, event.count)
            tape.happened += 1


cdef Ending play_on(Tape *tape, const GameOps *ops, void *state, const float **weights, Rng *rng,
                    const uint16_t *line, int length) noexcept nogil:
    """Play by the policy or, if `weights` is NULL, make the `length` moves of `line`."""
    cdef move_t moves[MAX_MOVES]
    cdef int32_t vp[MAX_PLAYERS * MAX_SOURCES]
    cdef Event events[MAX_EVENTS]
    cdef EventSink sink
    cdef int columns = ops.players(state) * ops.vp_sources
    cdef int16_t *sources
    cdef int player, count, i
    cdef move_t move
    sink.events, sink.vp = events, vp
    while True:
        player = ops.player(state)
        if player == NO_PLAYER or (weights == NULL and tape.made == length):
            return OVER
        if (tape.made == tape.room or tape.count + 1 >= tape.room // 2
                or tape.happened + MAX_EVENTS > tape.event_room):
            return FULL
        if tape.count == 0 or ops.turn(state) != tape.turn:
            add_row(tape, ops, state)
        count = ops.legal(state, moves)
        if weights != NULL:
            move = moves[ops.policy(state, moves, count, weights[player], rng)]
        else:
            move = line[tape.made]
            if not has_move(moves, count, move):
                return ILLEGAL
        tape.decisions[tape.made] = Decision(<uint16_t>move, <uint16_t>player)
        tape.made += 1
        memset(vp, 0, sizeof(vp))
        sink.count = 0
        ops.apply_reported(state, move, &sink)
        add_events(tape, &sink)
        sources = <int16_t *>(tape.rows + tape.count * <Py_ssize_t>tape.row_size) - columns
        for i in range(columns):
            sources[i] += <int16_t>vp[i]


cdef tuple taped(Position start, const float **weights, uint64_t seed, array.array line):
    cdef Game game = start.game
    cdef Position running = game.wrap(start.state, None, 0)
    cdef int columns = start.players * game.ops.vp_sources
    cdef const uint16_t *moves = NULL if line is None else line.data.as_ushorts
    cdef int length = 0 if line is None else <int>len(line)
    cdef bytearray decisions = bytearray(), rows = bytearray(), happenings = bytearray()
    cdef Ending ending = FULL
    cdef Tape tape
    cdef Rng rng
    if game.ops.apply_reported == NULL:
        raise TrajanError(f"{game.name}: the game does not report VP by source")
    memset(&tape, 0, sizeof(tape))
    tape.row_size = <int>(game.ops.state_size + sizeof(int32_t) + columns * sizeof(int16_t))
    rng_seed(&rng, seed)
    while ending == FULL:
        tape.room = max(FIRST_ROOM, 2 * tape.room)
        PyByteArray_Resize(decisions, tape.room * sizeof(Decision))
        PyByteArray_Resize(rows, tape.room // 2 * <Py_ssize_t>tape.row_size)
        tape.event_room = EVENTS_PER_DECISION * tape.room + MAX_EVENTS
        PyByteArray_Resize(happenings, tape.event_room * sizeof(Happening))
        tape.happenings = <Happening *>PyByteArray_AS_STRING(happenings)
        tape.decisions = <Decision *>PyByteArray_AS_STRING(decisions)
        tape.rows = <uint8_t *>PyByteArray_AS_STRING(rows)
        with nogil:
            ending = play_on(&tape, game.ops, running.state, weights, &rng, moves, length)
    if ending == ILLEGAL:
        raise TrajanError(f"move {tape.made} of the game is not legal")
    add_row(&tape, game.ops, running.state)
    PyByteArray_Resize(decisions, tape.made * sizeof(Decision))
    PyByteArray_Resize(rows, tape.count * <Py_ssize_t>tape.row_size)
    PyByteArray_Resize(happenings, tape.happened * sizeof(Happening))
    return decisions, rows, running.scores, running.ranks, happenings


def play(Position start not None, weights_by_player, seed):
    """Play a game by the policy, with ``weights_by_player[p]`` for player p; return its arrays.

    Returns (decisions, rows, scores, ranks, events). A decision consists of the move and the player
    who made it, each as uint16. There is one row for the first decision of every turn, and one for
    the end of the game. A row consists of the bytes of the state, the number of decisions before it
    (int32), and the VP gained until the next row, by player and source (int16). An event consists
    of the number of the row after which it happened (int32), and of its kind, player, thing and
    count (int16). Raises TrajanError if the game has no policy or the number of weights is wrong.
    """
    cdef const float *weights[MAX_PLAYERS]
    cdef Game game = start.game
    kept = [array.array("f", numbers) for numbers in weights_by_player]
    if (game.ops.policy == NULL or len(kept) != start.players
            or any(len(one) != game.ops.weight_count for one in kept)):
        raise TrajanError(f"{game.name}: a policy needs {game.ops.weight_count} weights for each "
                          f"of {start.players} players")
    for p in range(start.players):
        weights[p] = (<array.array>kept[p]).data.as_floats
    return taped(start, weights, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF), None)


def replay(Position start not None, moves):
    """Replay a game from its moves, given as 16-bit numbers; return the same arrays as
    :func:`play`.

    If the moves stop before the end of the game, the ranks are None. Raises TrajanError if a move
    is not legal.
    """
    return taped(start, NULL, 0, array.array("H", moves))
