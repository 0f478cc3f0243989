"""Whole games as arrays: the moves, the states at the starts of turns, what brought VP in between.

A game is played by the policy, or replayed from the numbers of its moves, through the contract
alone; what the arrays say of a game is read from the states (`dataset.states`).
"""

from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport (
    MAX_PLAYERS, MOST_MOVES, MOST_SOURCES, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_seed

import array

from trajan_ai.core.errors import TrajanError

cdef enum:
    FIRST_MOVES = 1024       # room for decisions and turns of a usual game; doubled when full
    FIRST_ROWS = 256
    MOST_ACTIONS = 65536     # moves are written as 16 bits


cdef enum Ending:
    OVER                     # or: no move is left to be replayed
    FULL                     # there is no room for another decision
    ILLEGAL


cdef struct Tape:
    uint16_t *moves          # by decision
    uint8_t *movers
    uint8_t *states          # by row: the state at the first decision of a turn, then the last one
    int32_t *plies           # decisions made before it
    int16_t *vp              # of each player by source, from this row to the next
    int move_room
    int row_room
    int made
    int rows
    int turn                 # of the last row


cdef bint grow(Tape *tape, Py_ssize_t state_size, Py_ssize_t columns):
    """Make room for twice as much; whether there is any. What is kept stays."""
    cdef void *moves
    tape.move_room = max(FIRST_MOVES, 2 * tape.move_room)
    tape.row_room = max(FIRST_ROWS, 2 * tape.row_room)
    moves = PyMem_Realloc(tape.moves, tape.move_room * sizeof(uint16_t))
    tape.moves = <uint16_t *>moves if moves != NULL else tape.moves
    movers = PyMem_Realloc(tape.movers, tape.move_room)
    tape.movers = <uint8_t *>movers if movers != NULL else tape.movers
    states = PyMem_Realloc(tape.states, tape.row_room * state_size)
    tape.states = <uint8_t *>states if states != NULL else tape.states
    plies = PyMem_Realloc(tape.plies, tape.row_room * sizeof(int32_t))
    tape.plies = <int32_t *>plies if plies != NULL else tape.plies
    vp = PyMem_Realloc(tape.vp, tape.row_room * columns * sizeof(int16_t))
    tape.vp = <int16_t *>vp if vp != NULL else tape.vp
    return (moves != NULL and movers != NULL and states != NULL and plies != NULL and vp != NULL)


cdef void add_row(Tape *tape, const GameOps *ops, const void *state, int columns) noexcept nogil:
    memcpy(tape.states + tape.rows * <Py_ssize_t>ops.state_size, state, ops.state_size)
    memset(tape.vp + tape.rows * <Py_ssize_t>columns, 0, columns * sizeof(int16_t))
    tape.plies[tape.rows] = tape.made
    tape.turn = ops.turn(state)
    tape.rows += 1


cdef Ending play_on(Tape *tape, const GameOps *ops, void *state, const float **weights, Rng *rng,
                    const uint16_t *line, int length) noexcept nogil:
    """Play by the policy or, where `weights` is NULL, the `length` moves of `line`."""
    cdef move_t moves[MOST_MOVES]
    cdef int32_t vp[MAX_PLAYERS * MOST_SOURCES]
    cdef int columns = ops.players(state) * ops.vp_sources
    cdef int player, count, i
    cdef move_t move
    while True:
        player = ops.player(state)
        if player == NO_PLAYER or (weights == NULL and tape.made == length):
            return OVER
        if tape.made == tape.move_room or tape.rows + 2 > tape.row_room:
            return FULL
        if tape.rows == 0 or ops.turn(state) != tape.turn:
            add_row(tape, ops, state, columns)
        count = ops.legal(state, moves)
        if weights != NULL:
            move = moves[ops.policy(state, moves, count, weights[player], rng)]
        else:
            move = line[tape.made]
            i = 0
            while i < count and moves[i] != move:
                i += 1
            if i == count:
                return ILLEGAL
        tape.moves[tape.made] = <uint16_t>move
        tape.movers[tape.made] = <uint8_t>player
        tape.made += 1
        if ops.apply_booked == NULL:
            ops.apply(state, move)
            continue
        memset(vp, 0, columns * sizeof(int32_t))
        ops.apply_booked(state, move, vp)
        for i in range(columns):
            tape.vp[(tape.rows - 1) * columns + i] += <int16_t>vp[i]


cdef tuple taped(Position start, const float **weights, uint64_t seed, array.array line):
    cdef Game game = start.game
    cdef Position running = game.wrap(start.state, None, 0)
    cdef int columns = start.players * game.ops.vp_sources
    cdef int length = 0 if line is None else <int>len(line)
    cdef const uint16_t *moves = NULL if line is None else line.data.as_ushorts
    cdef Ending ending = FULL
    cdef Tape tape
    cdef Rng rng
    if len(game.actions) > MOST_ACTIONS:
        raise TrajanError(f"{game.name}: moves are written as 16 bits, it has "
                          f"{len(game.actions)}")
    memset(&tape, 0, sizeof(tape))
    rng_seed(&rng, seed)
    try:
        while ending == FULL:
            if not grow(&tape, game.ops.state_size, columns):
                raise MemoryError
            with nogil:
                ending = play_on(&tape, game.ops, running.state, weights, &rng, moves, length)
        if ending == ILLEGAL:
            raise TrajanError(f"move {tape.made} of the game is not legal")
        add_row(&tape, game.ops, running.state, columns)
        return (
            PyBytes_FromStringAndSize(<char *>tape.moves, tape.made * sizeof(uint16_t)),
            PyBytes_FromStringAndSize(<char *>tape.movers, tape.made),
            PyBytes_FromStringAndSize(<char *>tape.states,
                                      tape.rows * <Py_ssize_t>game.ops.state_size),
            PyBytes_FromStringAndSize(<char *>tape.plies, tape.rows * sizeof(int32_t)),
            PyBytes_FromStringAndSize(<char *>tape.vp,
                                      tape.rows * columns * <Py_ssize_t>sizeof(int16_t)),
            running.scores,
            running.ranks,
        )
    finally:
        PyMem_Free(tape.moves)
        PyMem_Free(tape.movers)
        PyMem_Free(tape.states)
        PyMem_Free(tape.plies)
        PyMem_Free(tape.vp)


def play(Position start not None, weights_by_player, seed):
    """Play a game by the policy, player p with ``weights_by_player[p]``; return its arrays.

    Returns (moves, movers, states, plies, vp, scores, ranks): uint16 and uint8 by decision; by row
    the bytes of the state, int32 decisions before it, and int16 VP (player, source) that came until
    the next row. Rows are the first decisions of turns, and the end. Raises TrajanError if the game
    has no policy or the weights do not fit.
    """
    cdef const float *weights[MAX_PLAYERS]
    cdef Game game = start.game
    if game.ops.policy == NULL:
        raise TrajanError(f"{game.name}: the game has no policy")
    kept = [array.array("f", numbers) for numbers in weights_by_player]
    if len(kept) != start.players or any(len(one) != game.ops.weight_count for one in kept):
        raise TrajanError(f"{game.name}: there must be {game.ops.weight_count} weights for each "
                          f"of {start.players} players")
    for p in range(start.players):
        weights[p] = (<array.array>kept[p]).data.as_floats
    return taped(start, weights, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF), None)


def replay(Position start not None, moves):
    """Make the moves of a game, numbers of 16 bits; return its arrays as :func:`play` does.

    The game may be left before its end: its ranks are None then. Raises TrajanError at a move that
    is not legal.
    """
    return taped(start, NULL, 0, array.array("H", moves))
