"""The contract between a game and everything that plays it: GameOps, a table of C functions.

A state is one flat block of `state_size` bytes: no pointers, zeroed at setup, a fixed meaning for
every byte. So a copy is a memcpy, equal positions are equal bytes, and bytes travel to another
process. Every function is total on reachable states, cannot fail, allocates nothing and needs no
GIL. The caller checks what comes from outside (core/game.pyx does).
"""

from libc.stdint cimport int32_t

from trajan_ai.core.rng cimport Rng

# A move: an index into the game's table of action strings. It means the same in every state and
# every determinization (a card, never a slot of a hand).
ctypedef int32_t move_t

cdef enum:
    MAX_PLAYERS = 4
    NO_PLAYER = -1       # player() of a finished game
    NO_LIMIT = 0x7FFFFFFF
    KEPT_MOVES = 16      # legal moves that a Python handle remembers


# What a game declares about itself, as bits of GameOps.facts.
cdef enum GameFact:
    HIDDEN_INFORMATION = 1   # two states may look alike to a player
    HIDDEN_MOVES = 2         # others see some moves only in part: observed() is not the identity
    RANKS_TIE = 4            # two players may share a rank


cdef struct GameOps:
    int state_size           # bytes of a state
    int max_moves            # the most moves legal() ever writes
    int action_count         # moves are 0 .. action_count - 1
    int facts                # GameFact bits
    int weight_count         # floats read by policy, prior and evaluate; 0 without knowledge

    # Number of players of this state, 2 to MAX_PLAYERS.
    int (*players)(const void *state) noexcept nogil
    # The player to decide, or NO_PLAYER when the game is over.
    int (*player)(const void *state) noexcept nogil
    # A number that grows by one at the start of each turn: a player's run of decisions from
    # sowing, or from step 1, to its end. Each player's run of setup decisions is a turn too.
    int (*turn)(const void *state) noexcept nogil
    # Write the legal moves in a fixed order and return their number: at least 2, or 0 when over.
    int (*legal)(const void *state, move_t *moves) noexcept nogil
    # Carry out a legal move, then every forced decision after it, up to a decision with at
    # least two moves or the end. Draws nothing at random.
    void (*apply)(void *state, move_t move) noexcept nogil
    # scores[p]: VP of player p so far, final when the game is over.
    void (*scores)(const void *state, int32_t *scores) noexcept nogil
    # ranks[p]: 1 is best; asked only of finished games.
    void (*ranks)(const void *state, int32_t *ranks) noexcept nogil
    # Write to `target` a state drawn uniformly from those that `observer` cannot tell from
    # `source`. Canonical: the draw depends on what the observer knows and on the generator alone.
    # The two never overlap.
    void (*determinize)(const void *source, void *target, int observer,
                        Rng *rng) noexcept nogil
    # What `observer` sees when the player to decide makes `move` in `state`: the move itself
    # when public to him, else the smallest move of the class that looks alike to him.
    # Null for a game without HIDDEN_MOVES.
    move_t (*observed)(const void *state, move_t move, int observer) noexcept nogil

    # Optional entries, null when a game has none.

    # Play uniformly random moves until the game is over, `transitions` moves were made or
    # turn() has reached `turns`; return the number of moves made. Must draw exactly as the
    # loop rng_below(rng, legal(state, moves)) does, so that it changes speed and nothing else.
    int (*playout)(void *state, Rng *rng, int transitions, int turns) noexcept nogil
    # Index of the move a playout should make among the `count` listed.
    int (*policy)(const void *state, const move_t *moves, int count, const float *weights,
                  Rng *rng) noexcept nogil
    # out[i]: prior probability of moves[i]; positive, sums to 1.
    void (*prior)(const void *state, const move_t *moves, int count, const float *weights,
                  float *out) noexcept nogil
    # values[p]: the final VP expected for player p, VP so far included. Works on any state.
    void (*evaluate)(const void *state, const float *weights, float *values) noexcept nogil
    # Turns that the player still has before the end, estimated; spreads a game's clock.
    int (*turns_left)(const void *state, int player) noexcept nogil


cdef class Game:
    """Handle of a game: its GameOps, action strings and rules."""
    cdef const GameOps *ops
    cdef readonly str name
    cdef readonly str reference
    cdef readonly tuple actions
    cdef readonly object rules
    cdef readonly tuple weight_names
    cdef readonly object default_weights
    cdef dict _move_of

    cdef Position wrap(self, const void *state, object origin, int ply)


cdef class Position:
    """Handle of a state: immutable, one block of memory."""
    cdef readonly Game game
    cdef readonly object origin
    cdef readonly int ply
    cdef void *state
    cdef int _kept                    # moves remembered in _moves, -1 when none are
    cdef move_t _moves[KEPT_MOVES]

    cdef int _list(self, move_t *moves)
    cdef bint _is_legal(self, move_t move)
    cdef Position _apply(self, move_t move)
