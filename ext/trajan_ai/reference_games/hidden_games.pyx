"""Reference games with secrets: Kuhn poker (a hidden card), pennies (a hidden move)."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, uint8_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport NO_PLAYER, GameFact, GameOps, capsule, move_t
from trajan_ai.core.rng cimport Rng, rng_below

cdef enum:
    PLAYERS = 2
    CARDS = 3            # jack 0, queen 1, king 2
    PASS = 0
    BET = 1


# Kuhn, "A simplified two-person poker" (1950): ante 1, bet 1. The game is worth -1/18 to the
# player who begins. Passing on a bet folds, betting on a bet calls.
cdef packed struct Kuhn:
    uint8_t cards[PLAYERS]
    uint8_t made
    uint8_t history       # bit i: decision i was a bet
    int8_t won            # chips the first player won
    uint8_t over


cdef int kuhn_players(const void *state) noexcept nogil:
    return PLAYERS


cdef int kuhn_player(const void *state) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>state
    return NO_PLAYER if kuhn.over else kuhn.made & 1


cdef int kuhn_turn(const void *state) noexcept nogil:
    return (<const Kuhn *>state).made


cdef int kuhn_legal(const void *state, move_t *moves) noexcept nogil:
    if (<const Kuhn *>state).over:
        return 0
    moves[0] = PASS
    moves[1] = BET
    return 2


cdef void kuhn_apply(void *state, move_t move) noexcept nogil:
    cdef Kuhn *kuhn = <Kuhn *>state
    cdef bint bet_before = kuhn.made > 0 and (kuhn.history >> (kuhn.made - 1)) & 1
    cdef int sign = 1 if kuhn.cards[0] > kuhn.cards[1] else -1
    if bet_before:
        kuhn.over = True
        if move == BET:
            kuhn.won = <int8_t>(2 * sign)
        else:
            kuhn.won = 1 if kuhn.made & 1 else -1
    elif move == PASS and kuhn.made == 1:
        kuhn.over = True
        kuhn.won = <int8_t>sign
    kuhn.history |= <uint8_t>(move << kuhn.made)
    kuhn.made += 1


cdef void kuhn_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>state
    scores[0] = kuhn.won
    scores[1] = -kuhn.won


cdef void kuhn_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>state
    ranks[0] = 1 if kuhn.won > 0 else 2
    ranks[1] = 3 - ranks[0]


cdef void kuhn_determinize(const void *source, void *target, int observer,
                           Rng *rng) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>source
    cdef Kuhn *drawn = <Kuhn *>target
    cdef int own = kuhn.cards[observer]
    memcpy(target, source, sizeof(Kuhn))
    if not kuhn.over or kuhn.won == 1 or kuhn.won == -1:
        # The other card is one of the two unseen, in ascending order before the draw.
        drawn.cards[observer ^ 1] = <uint8_t>((own + 1 + rng_below(rng, 2)) % CARDS)


cdef GameOps KUHN
memset(&KUHN, 0, sizeof(GameOps))
KUHN.state_size = sizeof(Kuhn)
KUHN.max_moves = 2
KUHN.action_count = 2
KUHN.facts = GameFact.HIDDEN_INFORMATION
KUHN.players = kuhn_players
KUHN.player = kuhn_player
KUHN.turn = kuhn_turn
KUHN.legal = kuhn_legal
KUHN.apply = kuhn_apply
KUHN.scores = kuhn_scores
KUHN.ranks = kuhn_ranks
KUHN.determinize = kuhn_determinize

KUHN_OPS = capsule(&KUHN)
KUHN_ACTIONS = ("pass", "bet")


def encode_kuhn(list cards not None):
    """Return the state after the deal: each player's card, jack 0 to king 2."""
    cdef Kuhn kuhn
    memset(&kuhn, 0, sizeof(Kuhn))
    kuhn.cards[0] = <uint8_t>cards[0]
    kuhn.cards[1] = <uint8_t>cards[1]
    return PyBytes_FromStringAndSize(<const char *>&kuhn, sizeof(Kuhn))


def decode_kuhn(bytes state not None):
    """Return (cards, decisions made so far as a list of 0 for pass and 1 for bet)."""
    cdef Kuhn kuhn
    memcpy(&kuhn, <const char *>state, sizeof(Kuhn))
    return [kuhn.cards[0], kuhn.cards[1]], [(kuhn.history >> i) & 1 for i in range(kuhn.made)]


# Pennies: the first player hides left or right unseen, the second guesses; a right guess wins.
# Worth one half to each; a search that lets the guesser see the move thinks hiding hopeless.
cdef packed struct Pennies:
    uint8_t made
    uint8_t hidden
    uint8_t guess


cdef int pennies_players(const void *state) noexcept nogil:
    return PLAYERS


cdef int pennies_player(const void *state) noexcept nogil:
    cdef const Pennies *pennies = <const Pennies *>state
    return NO_PLAYER if pennies.made == PLAYERS else <int>pennies.made


cdef int pennies_turn(const void *state) noexcept nogil:
    return (<const Pennies *>state).made


cdef int pennies_legal(const void *state, move_t *moves) noexcept nogil:
    if (<const Pennies *>state).made == PLAYERS:
        return 0
    moves[0] = 0
    moves[1] = 1
    return 2


cdef void pennies_apply(void *state, move_t move) noexcept nogil:
    cdef Pennies *pennies = <Pennies *>state
    if pennies.made == 0:
        pennies.hidden = <uint8_t>move
    else:
        pennies.guess = <uint8_t>move
    pennies.made += 1


cdef void pennies_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Pennies *pennies = <const Pennies *>state
    cdef bint right = pennies.hidden == pennies.guess
    scores[0] = pennies.made == PLAYERS and not right
    scores[1] = pennies.made == PLAYERS and right


cdef void pennies_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef const Pennies *pennies = <const Pennies *>state
    ranks[0] = 2 if pennies.hidden == pennies.guess else 1
    ranks[1] = 3 - ranks[0]


cdef void pennies_determinize(const void *source, void *target, int observer,
                              Rng *rng) noexcept nogil:
    cdef Pennies *drawn = <Pennies *>target
    memcpy(target, source, sizeof(Pennies))
    if observer == 1 and drawn.made == 1:
        drawn.hidden = <uint8_t>rng_below(rng, 2)


cdef move_t pennies_observed(const void *state, move_t move, int observer) noexcept nogil:
    return move if observer == 0 or (<const Pennies *>state).made == 1 else 0


cdef GameOps PENNIES
memset(&PENNIES, 0, sizeof(GameOps))
PENNIES.state_size = sizeof(Pennies)
PENNIES.max_moves = 2
PENNIES.action_count = 2
PENNIES.facts = GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES
PENNIES.players = pennies_players
PENNIES.player = pennies_player
PENNIES.turn = pennies_turn
PENNIES.legal = pennies_legal
PENNIES.apply = pennies_apply
PENNIES.scores = pennies_scores
PENNIES.ranks = pennies_ranks
PENNIES.determinize = pennies_determinize
PENNIES.observed = pennies_observed

PENNIES_OPS = capsule(&PENNIES)
PENNIES_ACTIONS = ("left", "right")


def encode_pennies():
    """Return the state before anything is hidden."""
    cdef Pennies pennies
    memset(&pennies, 0, sizeof(Pennies))
    return PyBytes_FromStringAndSize(<const char *>&pennies, sizeof(Pennies))


def decode_pennies(bytes state not None):
    """Return (decisions made, where the penny was hidden, the guess)."""
    cdef Pennies pennies
    memcpy(&pennies, <const char *>state, sizeof(Pennies))
    return pennies.made, pennies.hidden, pennies.guess
