# cython: boundscheck=False, wraparound=False, cdivision=True
"""Auction, like Goofspiel: all bid a card at once, the highest takes the prize, ties nobody.

Choices made at once are decisions one after the other that the others do not see: a bid waits face
down until all have bid. What is drawn in a game, the prizes, lies in the state from the deal on.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport NO_PLAYER, GameFact, GameOps, capsule, move_t
from trajan_ai.core.rng cimport Rng, rng_below, shuffle_bytes

cdef extern from *:
    # A byte. Declared wider, because Cython makes text of arrays of char instead of lists.
    ctypedef unsigned short byte_t "uint8_t"

cpdef enum:
    CARDS = 6                # each player's, and prizes: worth 1 to 6
    MOST_PLAYERS = 4


cdef packed struct Player:
    byte_t hand[CARDS]       # 1 where the card is not played
    byte_t bid               # the card that waits face down, from 1; 0 for none
    byte_t points


cdef packed struct State:
    byte_t players
    byte_t bids              # made so far: the turn, and who is next
    byte_t left              # prizes
    byte_t prizes[CARDS]     # the last of `left` is the one at stake, then come zeros
    Player player[MOST_PLAYERS]


cdef int get_players(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int get_decider(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    return s.bids % s.players if s.left else NO_PLAYER


cdef int get_turn(const void *state) noexcept nogil:
    return (<const State *>state).bids


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int card, count = 0
    if s.left:
        for card in range(CARDS):
            if s.player[s.bids % s.players].hand[card]:
                moves[count] = card
                count += 1
    return count


cdef bint bids_last(const State *s) noexcept nogil:
    """Whether the bid to come reveals all: then it is no secret."""
    return s.bids % s.players == s.players - 1


cdef void make_move(State *s, move_t move) noexcept nogil:
    cdef bint all_bid = bids_last(s)
    cdef Player *p = &s.player[s.bids % s.players]
    cdef int i, best = 0, owner = NO_PLAYER
    p.hand[move] = 0
    p.bid = <byte_t>(move + 1)
    s.bids += 1
    if all_bid:
        for i in range(s.players):
            if s.player[i].bid > best:
                best, owner = s.player[i].bid, i
            elif s.player[i].bid == best:
                owner = NO_PLAYER
            s.player[i].bid = 0
        s.left -= 1
        if owner != NO_PLAYER:
            s.player[owner].points += s.prizes[s.left]
        s.prizes[s.left] = 0


cdef void apply(void *state, move_t move) noexcept nogil:
    """With one card left each nothing is decided any more: the last bids are forced."""
    cdef move_t moves[CARDS]
    make_move(<State *>state, move)
    while list_moves(state, moves) == 1:
        make_move(<State *>state, moves[0])


cdef void get_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int p
    for p in range(s.players):
        scores[p] = s.player[p].points


cdef void get_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int p, q
    for p in range(s.players):
        ranks[p] = 1
        for q in range(s.players):
            ranks[p] += s.player[q].points > s.player[p].points


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """Draw anew the others' waiting bids, each from what its player held, and prizes to come."""
    cdef State *s = <State *>target
    cdef Player *p
    cdef bint there[CARDS + 1]
    cdef int i, card, drawn, count
    memcpy(target, source, sizeof(State))
    for i in range(s.players):
        p = &s.player[i]
        if i != observer and p.bid:
            p.hand[p.bid - 1] = 1
            count = 0
            for card in range(CARDS):
                count += p.hand[card]
            drawn = <int>rng_below(rng, <unsigned int>count)
            for card in range(CARDS):
                if p.hand[card]:
                    if drawn == 0:
                        p.bid = <byte_t>(card + 1)
                    drawn -= 1
            p.hand[p.bid - 1] = 0
    if s.left > 1:  # in ascending order before the draw
        memset(there, 0, sizeof(there))
        for i in range(s.left - 1):
            there[s.prizes[i]] = True
        count = 0
        for card in range(CARDS + 1):
            if there[card]:
                s.prizes[count] = <byte_t>card
                count += 1
        shuffle_bytes(rng, <uint8_t *>s.prizes, s.left - 1)


cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil:
    """Others see that a card is bid, not which, unless it reveals all."""
    cdef const State *s = <const State *>state
    cdef move_t moves[CARDS]
    if observer == s.bids % s.players or bids_last(s):
        return move
    list_moves(state, moves)
    return moves[0]


cdef GameOps OPS
memset(&OPS, 0, sizeof(GameOps))
OPS.state_size = sizeof(State)
OPS.max_moves = CARDS
OPS.action_count = CARDS
OPS.facts = GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES | GameFact.RANKS_TIE
OPS.players = get_players
OPS.player = get_decider
OPS.turn = get_turn
OPS.legal = list_moves
OPS.apply = apply
OPS.scores = get_scores
OPS.ranks = get_ranks
OPS.determinize = determinize
OPS.observed = observed

CAPSULE = capsule(&OPS)
ACTIONS = tuple(f"bid {card + 1}" for card in range(CARDS))


def start_state(int players, list prizes not None):
    """Return the first decision; the last prize is at stake first."""
    cdef State s
    cdef int p, card
    memset(&s, 0, sizeof(State))
    s.players, s.left = players, CARDS
    for card in range(CARDS):
        s.prizes[card] = prizes[card]
        for p in range(players):
            s.player[p].hand[card] = 1
    return PyBytes_FromStringAndSize(<const char *>&s, sizeof(State))


def read_state(bytes state not None):
    """Return the fields of a state by name."""
    cdef State s
    memcpy(&s, <const char *>state, sizeof(State))
    return s
