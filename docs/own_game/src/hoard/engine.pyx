# cython: boundscheck=False, wraparound=False, cdivision=True
"""The functions of GameOps for Hoard.

Each player holds three cards. In a turn, the player plays one of them openly, which scores its
value, keeps another one face down, and draws two. The player whose kept cards have the highest
total value scores a bonus.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport (
    EVERYBODY, MAX_PLAYERS, NO_PLAYER, NO_SOURCE, NO_THING, Event, EventSink, GameFact, GameOps,
    capsule, move_t,
)
from trajan_ai.core.rng cimport Rng, shuffle_bytes


cdef int get_players(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int get_decider(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    return NO_PLAYER if s.decision == DECIDE_OVER else <int>s.decider


cdef int get_turn(const void *state) noexcept nogil:
    return (<const State *>state).turn


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int first = PLAY if s.decision == DECIDE_PLAY else KEEP
    cdef int count = 0
    cdef int kind
    if s.decision == DECIDE_OVER:
        return 0
    for kind in range(KINDS):
        if s.player[s.decider].hand[kind]:
            moves[count] = first + kind
            count += 1
    return count


cdef void draw_cards(State *s) noexcept nogil:
    cdef int i
    for i in range(DRAWN):
        s.deck_size -= 1
        s.player[s.decider].hand[s.deck[s.deck_size] - 1] += 1
        s.deck[s.deck_size] = 0


cdef void make_move(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.decider]
    cdef int kind = move % KINDS
    p.hand[kind] -= 1
    if s.decision == DECIDE_PLAY:
        p.played[kind] += 1
        s.decision = DECIDE_KEEP
        return
    p.kept[kind] += 1
    draw_cards(s)
    s.turn += 1
    s.decider = <byte_t>(s.turn % s.players)
    s.decision = DECIDE_OVER if s.turn == s.turns else DECIDE_PLAY


cdef void carry_on(State *s) noexcept nogil:
    """Make all forced moves, until a player has a choice or the game ends."""
    cdef move_t moves[KINDS]
    while list_moves(s, moves) == 1:
        make_move(s, moves[0])


cdef void apply(void *state, move_t move) noexcept nogil:
    make_move(<State *>state, move)
    carry_on(<State *>state)


cdef void step(void *state, move_t move) noexcept nogil:
    """Make only this move: forced moves after it would reveal that a player has no choice."""
    make_move(<State *>state, move)


cdef int value_of(const byte_t *cards) noexcept nogil:
    cdef int kind, value = 0
    for kind in range(KINDS):
        value += cards[kind] * (kind + 1)
    return value


cdef int count_of(const byte_t *cards) noexcept nogil:
    cdef int kind, count = 0
    for kind in range(KINDS):
        count += cards[kind]
    return count


cdef int bonus_owner(const State *s) noexcept nogil:
    """Return the player who has kept a higher value than every other, or NO_PLAYER."""
    cdef int p, most = 0, owner = NO_PLAYER
    for p in range(s.players):
        if value_of(s.player[p].kept) > most:
            most = value_of(s.player[p].kept)
            owner = p
        elif value_of(s.player[p].kept) == most:
            owner = NO_PLAYER
    return owner


cdef void get_scores(const void *state, int32_t *scores) noexcept nogil:
    """Write the scores: the value of the cards played and, at the end of the game, the bonus."""
    cdef const State *s = <const State *>state
    cdef int p
    for p in range(s.players):
        scores[p] = value_of(s.player[p].played)
    if s.decision == DECIDE_OVER and bonus_owner(s) != NO_PLAYER:
        scores[bonus_owner(s)] += s.bonus


cdef void get_ranks(const void *state, int32_t *ranks) noexcept nogil:
    """Write the ranks by score, then by the value kept; later players win the remaining ties."""
    cdef const State *s = <const State *>state
    cdef int32_t key[MAX_PLAYERS]
    cdef int p, q
    get_scores(state, key)
    for p in range(s.players):
        key[p] = (key[p] * 256 + value_of(s.player[p].kept)) * MAX_PLAYERS + p
    for p in range(s.players):
        ranks[p] = 1
        for q in range(s.players):
            ranks[p] += key[q] > key[p]


cdef void gather(byte_t *cards, int *unseen) noexcept nogil:
    """Add the cards of a pile to the unseen ones, and empty the pile."""
    cdef int kind
    for kind in range(KINDS):
        unseen[kind] += cards[kind]
        cards[kind] = 0


cdef int deal(byte_t *cards, const byte_t *pool, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        cards[pool[i] - 1] += 1
    return count


cdef bint has_choice(const State *s) noexcept nogil:
    cdef move_t moves[KINDS]
    return s.decision == DECIDE_OVER or list_moves(s, moves) >= 2


cdef bint may_choose(const int *unseen) noexcept nogil:
    """Return whether a hand of unseen cards can contain two kinds."""
    cdef int kind, kinds = 0
    for kind in range(KINDS):
        kinds += unseen[kind] > 0
    return kinds >= 2


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """Redeal what the observer has not seen: the deck, and other players' hands and kept cards.

    First all unseen cards are put into a fixed order, so that the new deal cannot depend on their
    true places. The player to decide gets at least two kinds of cards, if the unseen cards allow
    it.
    """
    cdef const State *true_state = <const State *>source
    cdef State *s = <State *>target
    cdef int unseen[KINDS]
    cdef byte_t pool[CARDS]
    cdef int p, i, dealt, kind, count = 0
    memcpy(target, source, sizeof(State))
    memset(unseen, 0, sizeof(unseen))
    for i in range(s.deck_size):
        unseen[s.deck[i] - 1] += 1
    for p in range(s.players):
        if p != observer:
            gather(s.player[p].hand, unseen)
            if s.decision != DECIDE_OVER:
                gather(s.player[p].kept, unseen)
    for kind in range(KINDS):
        for i in range(unseen[kind]):
            pool[count] = <byte_t>(kind + 1)
            count += 1
    while True:
        shuffle_bytes(rng, <uint8_t *>pool, count)
        dealt = 0
        for p in range(s.players):
            if p != observer:
                memset(s.player[p].hand, 0, KINDS)
                dealt += deal(s.player[p].hand, pool + dealt,
                              count_of(true_state.player[p].hand))
                if s.decision != DECIDE_OVER:
                    memset(s.player[p].kept, 0, KINDS)
                    dealt += deal(s.player[p].kept, pool + dealt,
                                  count_of(true_state.player[p].kept))
        memcpy(s.deck, pool + dealt, s.deck_size)
        if s.decider == observer or has_choice(s) or not may_choose(unseen):
            return


cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil:
    """Return the move as `observer` sees it: others see that a card is kept, but not which one."""
    if observer == (<const State *>state).decider or move < KEEP:
        return move
    return KEEP


# Optional: events, which report what happens when a move is made.
cdef void note(EventSink *sink, int kind, int player, int thing, int count, int source, int vp,
               int known) noexcept nogil:
    """Record an event; only players whose bit is set in `known` see the thing that it names."""
    cdef Event *event
    if sink.vp != NULL and source != NO_SOURCE:
        sink.vp[player * VP_SOURCES + source] += vp
    if sink.events == NULL:
        return
    event = &sink.events[sink.count]
    sink.count += 1
    event.kind, event.player, event.thing = <int16_t>kind, <int16_t>player, <int16_t>thing
    event.count, event.source, event.vp = <int16_t>count, <int16_t>source, <int16_t>vp
    event.noticed, event.known = EVERYBODY, <uint16_t>known


cdef void report_move(State *s, move_t move, EventSink *sink) noexcept nogil:
    """Make a move, and record its events."""
    cdef int p = s.decider, kind = move % KINDS
    if s.decision == DECIDE_PLAY:
        note(sink, EVENT_PLAY, p, kind, 0, VP_PLAYED, kind + 1, EVERYBODY)
    else:
        note(sink, EVENT_KEEP, p, kind, 0, NO_SOURCE, 0, 1 << p)
        note(sink, EVENT_DRAW, p, NO_THING, DRAWN, NO_SOURCE, 0, EVERYBODY)
    make_move(s, move)
    if s.decision == DECIDE_OVER and bonus_owner(s) != NO_PLAYER:
        note(sink, EVENT_BONUS, bonus_owner(s), NO_THING, 0, VP_BONUS, s.bonus, EVERYBODY)


cdef void apply_reported(void *state, move_t move, EventSink *sink) noexcept nogil:
    cdef State *s = <State *>state
    cdef move_t moves[KINDS]
    report_move(s, move, sink)
    while list_moves(s, moves) == 1:
        report_move(s, moves[0], sink)


# Optional, for learners: what `observer` knows, as numbers that `features` in game.py names.
cdef void write_features(const void *state, int observer, uint8_t *out) noexcept nogil:
    """Write all piles, the observer's first and hidden ones as zeros, then the other values."""
    cdef const State *s = <const State *>state
    cdef bint over = s.decision == DECIDE_OVER
    cdef int i, k, p
    for i in range(s.players):
        p = (observer + i) % s.players
        for k in range(KINDS):
            out[k] = s.player[p].hand[k] if i == 0 else 0
            out[KINDS + k] = s.player[p].played[k]
            out[2 * KINDS + k] = s.player[p].kept[k] if i == 0 or over else 0
        out += PILES * KINDS
    out[0] = <byte_t>((s.decider + s.players - observer) % s.players)
    out[1], out[2], out[3] = s.decision, s.turn, s.bonus


cdef count_features(GameOps *ops):
    for players in range(2, MAX_PLAYERS + 1):
        ops.feature_counts[players] = players * PILES * KINDS + FEATURES


cdef GameOps OPS
memset(&OPS, 0, sizeof(GameOps))
OPS.state_size = sizeof(State)
OPS.max_moves = KINDS
OPS.action_count = MOVES
OPS.facts = GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES
OPS.players = get_players
OPS.player = get_decider
OPS.turn = get_turn
OPS.legal = list_moves
OPS.apply = apply
OPS.step = step
OPS.scores = get_scores
OPS.ranks = get_ranks
OPS.determinize = determinize
OPS.observed = observed
OPS.apply_reported = apply_reported
OPS.vp_sources = VP_SOURCES
count_features(&OPS)
OPS.features = write_features

CAPSULE = capsule(&OPS)
ACTIONS = tuple(f"{verb} {kind + 1}" for verb in ("play", "keep") for kind in range(KINDS))


def turns_of(int players):
    """Return the highest number of turns that the deck allows if all players have equally many."""
    return (CARDS - HAND * players) // (DRAWN * players) * players


def start_state(int players, int bonus, list deck not None):
    """Return the state at the first decision, after dealing `deck` (values 1 to 6, top first)."""
    cdef State s
    cdef int i
    memset(&s, 0, sizeof(State))
    s.players, s.bonus, s.turns = players, bonus, turns_of(players)
    for i in range(HAND * players):
        s.player[i // HAND].hand[<int>deck[i] - 1] += 1
    for i in range(CARDS - 1, HAND * players - 1, -1):
        s.deck[s.deck_size] = <byte_t>deck[i]
        s.deck_size += 1
    carry_on(&s)
    return PyBytes_FromStringAndSize(<const char *>&s, sizeof(State))


def read_state(bytes state not None):
    """Return the fields of a state as a dict, whose keys are the names in engine.pxd."""
    cdef State s
    memcpy(&s, <const char *>state, sizeof(State))
    return s


def write_state(dict fields not None):
    """Return the state with these fields: the inverse of `read_state`."""
    cdef State s = fields
    return PyBytes_FromStringAndSize(<const char *>&s, sizeof(State))
