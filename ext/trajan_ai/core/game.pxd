"""The contract between a game and everything that plays it: GameOps, a table of C functions.

A state is one flat block of `state_size` bytes: it contains no pointers, it is zeroed at setup, and
every byte has a fixed meaning. Therefore a memcpy copies a state, identical positions have
identical bytes, and the bytes can be sent to another process. Every function works on all reachable
states, cannot fail, allocates nothing and needs no GIL. Callers must check input from outside, as
core/game.pyx does.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t

from trajan_ai.core.rng cimport Rng

# A move: an index into the game's table of action strings. A move has the same meaning in every
# state and every determinization: it names a card, for example, never a slot in a hand.
ctypedef int32_t move_t

cdef enum:
    MIN_PLAYERS = 2
    MAX_PLAYERS = 4
    NO_PLAYER = -1       # player() of a finished game
    NOTHING_SEEN = -1    # observed() of a decision that the observer does not even notice
    NO_LIMIT = 0x7FFFFFFF
    MAX_SOURCES = 32    # maximum number of sources of VP of a game
    MAX_EVENTS = 256     # maximum number of events that one call of apply_reported() reports
    NO_THING = -1        # the thing of an event that concerns none
    NO_SOURCE = -1       # the source of an event that brings no VP
    EVERYBODY = 0xF      # all players, as bits
    MAX_MOVES = 1024    # upper limit of max_moves
    CACHED_MOVES = 16    # maximum number of legal moves that a Python handle caches
    NOT_CACHED = -1      # no moves are cached yet
    CACHING = -2         # a thread is writing the cached moves


# Facts that a game declares about itself, as bits of GameOps.facts.
cdef enum GameFact:
    HIDDEN_INFORMATION = 1   # two states may look alike to a player
    HIDDEN_MOVES = 2         # others see some moves only in part: observed() is not the identity
    RANKS_TIE = 4            # two players may share a rank


# Something that happened while a move was carried out. Rules.events contains the names of the kinds
# and, for each kind, the names of its things.
cdef struct Event:
    int16_t kind
    int16_t player           # whom the event concerns, or NO_PLAYER
    int16_t thing            # a number among the things of the kind, or NO_THING
    int16_t count            # how many of the thing, or 0 if there is nothing to count
    int16_t source           # source of the VP, or NO_SOURCE
    int16_t vp               # VP that the player gains or, below 0, loses
    uint16_t noticed         # the players who notice the event, as bits
    uint16_t known           # the players among `noticed` who learn the thing, as bits


# The memory in which apply_reported() records what happens. A caller that needs only events or only
# VP passes NULL for the other field.
cdef struct EventSink:
    Event *events            # room for MAX_EVENTS
    int count                # events noted so far
    int32_t *vp              # vp[p * vp_sources + i] grows by what source i brings player p


cdef struct GameOps:
    int state_size           # bytes of a state
    int max_moves            # maximum number of moves that legal() writes; at most MAX_MOVES
    int action_count         # moves are 0 .. action_count - 1
    int facts                # GameFact bits
    int vp_sources           # number of sources that apply_reported distinguishes; 0 without it
    int weight_count         # number of floats that policy, prior and evaluate read, or 0

    # The number of players in this state, from MIN_PLAYERS to MAX_PLAYERS.
    int (*players)(const void *state) noexcept nogil
    # The player to move, or NO_PLAYER when the game is over.
    int (*player)(const void *state) noexcept nogil
    # A number that grows by one at the start of each turn. A turn is a series of decisions by one
    # player, as the rules of the game define it; the setup decisions of each player count as a
    # turn, too.
    int (*turn)(const void *state) noexcept nogil
    # Write the legal moves in a fixed order and return their number: at least 2, or 0 when the game
    # is over.
    int (*legal)(const void *state, move_t *moves) noexcept nogil
    # Carry out a legal move and all forced moves after it, up to the next decision with at least
    # two legal moves or to the end of the game. Uses no random numbers.
    void (*apply)(void *state, move_t move) noexcept nogil
    # Carry out only this move and stop at the next decision, even if only one move is legal there;
    # apply() repeats step() until at least two moves are legal or the game is over. Other players
    # must not learn which moves were forced (Position.heard uses this), so legal(), player(),
    # observed() and determinize() must also work at a decision with a single move. At such a
    # decision, determinize() draws for `observer` as if the player to move had a choice, provided
    # that this player has a choice in at least one state that `observer` cannot distinguish from
    # `source`. Null for a game in which all players know which moves are forced.
    void (*step)(void *state, move_t move) noexcept nogil
    # scores[p]: the VP of player p so far, which are final when the game is over.
    void (*scores)(const void *state, int32_t *scores) noexcept nogil
    # ranks[p]: the rank of player p, where 1 is best; called only for finished games.
    void (*ranks)(const void *state, int32_t *ranks) noexcept nogil
    # Write to `target` a state drawn uniformly from those that `observer` cannot distinguish from
    # `source`. Canonical: the draw depends only on what the observer knows and on the generator.
    # The two states never overlap.
    void (*determinize)(const void *source, void *target, int observer,
                        Rng *rng) noexcept nogil
    # What `observer` sees when the player to move makes `move` in `state`: the move itself if the
    # observer can identify it, otherwise the smallest of the moves that look the same to the
    # observer. The result is NOTHING_SEEN if the observer does not even notice that a decision is
    # made. The states before and after such a decision look alike to the observer until the
    # decision is revealed. Null for a game without HIDDEN_MOVES.
    move_t (*observed)(const void *state, move_t move, int observer) noexcept nogil

    # Optional entries, each of which is null if the game lacks it.

    # Play uniformly random moves until the game is over, `transitions` moves have been made or
    # turn() has reached `turns`; return the number of moves made. It must draw the same random
    # numbers as a loop of rng_below(rng, legal(state, moves)), so that it differs from the loop
    # only in speed.
    int (*playout)(void *state, Rng *rng, int transitions, int turns) noexcept nogil
    # The index, among the `count` listed moves, of the move that a playout should make.
    int (*policy)(const void *state, const move_t *moves, int count, const float *weights,
                  Rng *rng) noexcept nogil
    # Like `playout`, but by the policy: it must choose and draw exactly as a loop of legal(),
    # policy() and apply() does. A game that computes shortfalls adds to shortfalls[p] the VP by
    # which it rates the moves of player p below the best moves.
    int (*policy_playout)(void *state, const float *weights, Rng *rng, int transitions, int turns,
                          float *shortfalls) noexcept nogil
    # out[i]: the prior probability of moves[i]. All of them are positive, and they sum to 1.
    void (*prior)(const void *state, const move_t *moves, int count, const float *weights,
                  float *out) noexcept nogil
    # values[p]: the expected final VP of player p, including the VP so far. Works on any state.
    void (*evaluate)(const void *state, const float *weights, float *values) noexcept nogil
    # Like apply, but also records what happens, in order. Every change in VP belongs to exactly one
    # event.
    void (*apply_reported)(void *state, move_t move, EventSink *sink) noexcept nogil
    # terms[p * term_count + i]: for player p, the factor by which evaluate() multiplies its i-th
    # weight. Only for games in which evaluate() is the VP so far plus a sum of weights times
    # factors. Its weights come last among all weights: those for 2 players, then those for 3, then
    # those for 4.
    int term_count
    void (*terms)(const void *state, float *terms) noexcept nogil
    # An estimate of how many turns the player still has; the time on a game clock is divided among
    # these turns.
    int (*turns_left)(const void *state, int player) noexcept nogil
    # The number of bytes that features() writes, indexed by the number of players.
    int[MAX_PLAYERS + 1] feature_counts
    # Write what `observer` knows as features for machine learning, one byte each. States that look
    # alike to the observer give the same features. Rules.features contains the names of the
    # features.
    void (*features)(const void *state, int observer, uint8_t *out) noexcept nogil
    # Replace the first position of a game by that of another deal with the same players and
    # options. Every deal has the probability that Rules.deal gives it.
    void (*deal)(void *state, Rng *rng) noexcept nogil


cdef inline bint has_move(const move_t *moves, int count, move_t move) noexcept nogil:
    """Return whether a move is one of `count` listed moves."""
    cdef int i
    for i in range(count):
        if moves[i] == move:
            return True
    return False


# Wrap the table in an object that Game() accepts. The table must exist as long as the module.
cdef object capsule(const GameOps *ops)

# The functions of GameOps cannot raise. A game written in Python therefore stores its exception,
# and the compiled code that Python called raises the stored exception at its end. Until then, all
# games written in Python end at once. The following three functions require the GIL.
cdef void note_failure(object error) noexcept
cdef bint is_failure_noted() noexcept
cdef int raise_failure() except -1


cdef class Random:
    """The random number generator of the C code, for use in Python."""
    cdef Rng rng


cdef class Game:
    """Handle of a game: its GameOps, action strings and rules."""
    cdef const GameOps *ops
    cdef readonly str name
    cdef readonly str reference
    cdef readonly tuple actions
    cdef readonly object rules
    cdef readonly tuple weight_names
    cdef readonly tuple vp_sources    # names of the sources of VP, or empty
    cdef readonly object default_weights
    cdef readonly object names        # Names of the actions
    cdef dict _move_of

    cdef Position wrap(self, const void *state, object origin, int ply)


cdef class Position:
    """Handle of a state, which is one block of memory. Immutable."""
    cdef readonly Game game
    cdef readonly object origin
    cdef readonly int ply
    cdef void *state
    cdef int64_t _cached              # number of moves in _moves, NOT_CACHED or CACHING
    cdef move_t _moves[CACHED_MOVES]  # written by one thread, once

    cdef bint _is_open(self, player)
    cdef int _list(self, move_t *moves)
    cdef bint _is_legal(self, move_t move)
    cdef Position _apply(self, move_t move)
