# cython: boundscheck=False, wraparound=False, cdivision=True, language_level=3
"""Hoard with one broken function, in a separate GameOps table for each fault."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport NAN
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from hoard.engine cimport CARDS, COPIES, DECIDE_OVER, DECIDE_PLAY, HAND, KEEP, KINDS, MOVES, State
from trajan_ai.core.game cimport (
    EVERYBODY, MAX_PLAYERS, MIN_PLAYERS, NOTHING_SEEN, NO_LIMIT, NO_PLAYER, EventSink, GameFact,
    GameOps, capsule, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_next, shuffle_bytes

import hoard.engine

cdef enum:
    TABLES = 80
    LOWER = 3                # places of the deck at which `lean` and `pair` put certain cards
    UPPER = 12
    MAX_TOLD = 256
    # last byte of the deck; never a card, because the hands are dealt from the end
    LAST_BYTE = CARDS - 1

cdef const GameOps *RIGHT = <const GameOps *>PyCapsule_GetPointer(
    hoard.engine.CAPSULE, b"trajan_ai.core.game.GameOps")
cdef GameOps[TABLES] tables
cdef int used = 0
cdef int calls = 0           # calls are counted outside the state, which no game may do

CAPSULES = {}


cdef GameOps *copy_of_hoard(str name):
    """Return a new table without a fault; its game reports no events."""
    global used
    cdef GameOps *table = &tables[used]
    memcpy(table, RIGHT, sizeof(GameOps))
    table.apply_reported = NULL
    CAPSULES[name] = capsule(table)
    used += 1
    return table


cdef inline int count_call() noexcept nogil:
    global calls
    calls += 1
    return calls


# Determinization.

cdef void draw_nothing(const void *source, void *target, int observer,
                       Rng *rng) noexcept nogil:
    memcpy(target, source, sizeof(State))


cdef void rotate_deck(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """The new places of cards depend on the places where they really were."""
    cdef const State *true_state = <const State *>source
    cdef State *s = <State *>target
    cdef int shift, i
    memcpy(target, source, sizeof(State))
    if s.deck_size:
        shift = <int>rng_below(rng, s.deck_size)
        for i in range(s.deck_size):
            s.deck[i] = true_state.deck[(i + shift) % s.deck_size]


cdef void sort_deck(State *s) noexcept nogil:
    cdef int i, k
    for i in range(1, s.deck_size):
        for k in range(i, 0, -1):
            if s.deck[k] < s.deck[k - 1]:
                s.deck[k], s.deck[k - 1] = s.deck[k - 1], s.deck[k]


cdef void cut_sorted_deck(const void *source, void *target, int observer,
                          Rng *rng) noexcept nogil:
    """Every card may lie anywhere, but the deck is only a random rotation of its sorted order."""
    cdef State drawn
    RIGHT.determinize(source, &drawn, observer, rng)
    sort_deck(&drawn)
    rotate_deck(&drawn, target, observer, rng)


cdef void leave_deck_sorted(const void *source, void *target, int observer,
                            Rng *rng) noexcept nogil:
    """Hands are drawn, but from the second turn on the deck is always in the same order."""
    cdef State *s = <State *>target
    RIGHT.determinize(source, target, observer, rng)
    if s.turn:
        sort_deck(s)


cdef void put_below(State *s, int place, int card, unsigned int chance, Rng *rng) noexcept nogil:
    """In `chance` % of draws, move a card of this kind above LOWER, if there is one, to
    `place`."""
    cdef int i
    if rng_below(rng, 100) < chance and place < s.deck_size:
        for i in range(LOWER + 1, s.deck_size):
            if s.deck[i] == card:
                s.deck[i], s.deck[place] = s.deck[place], s.deck[i]
                return


cdef void lean(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """One card of the deck is a 1 more often than by chance."""
    RIGHT.determinize(source, target, observer, rng)
    put_below(<State *>target, LOWER, 1, 15, rng)


cdef void pair(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """Two distant cards of the deck are the same more often than by chance."""
    cdef State *s = <State *>target
    RIGHT.determinize(source, target, observer, rng)
    put_below(s, UPPER, s.deck[LOWER], 35, rng)


cdef void draw_own_hand(const void *source, void *target, int observer,
                        Rng *rng) noexcept nogil:
    """The observer's own hand is also dealt again."""
    RIGHT.determinize(source, target, (observer + 1) % (<const State *>source).players, rng)


cdef void forget_choice(const void *source, void *target, int observer,
                        Rng *rng) noexcept nogil:
    """The player who decides may receive identical cards, which leave no choice."""
    cdef State other
    memcpy(&other, source, sizeof(State))
    if other.decision != DECIDE_OVER:
        other.decider = <uint8_t>observer   # the hand of the true decider may then have one kind
    RIGHT.determinize(&other, target, observer, rng)
    (<State *>target).decider = (<const State *>source).decider


cdef void draw_from_elsewhere(const void *source, void *target, int observer,
                              Rng *rng) noexcept nogil:
    cdef Rng own
    own.s0 = own.s1 = own.s2 = own.s3 = <unsigned int>count_call()
    RIGHT.determinize(source, target, observer, &own)


cdef void leave_bytes(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """One byte of the target is not written."""
    cdef uint8_t kept = (<State *>target).deck[LAST_BYTE]
    RIGHT.determinize(source, target, observer, rng)
    (<State *>target).deck[LAST_BYTE] = kept


# Moves.

cdef int list_cards(const void *state, move_t *moves) noexcept nogil:
    """There is one move for each card instead of one for each kind of card."""
    cdef const State *s = <const State *>state
    cdef move_t kinds[KINDS]
    cdef int i, k, count = 0
    for i in range(RIGHT.legal(state, kinds)):
        for k in range(s.player[s.decider].hand[kinds[i] % KINDS]):
            moves[count] = kinds[i]
            count += 1
    return count


cdef int list_too_high(const void *state, move_t *moves) noexcept nogil:
    cdef int count = RIGHT.legal(state, moves)
    if count and (<const State *>state).turn == 2:
        moves[0] += MOVES
    return count


cdef int list_by_deck(const void *state, move_t *moves) noexcept nogil:
    """The order of the moves reveals whether the next card of the deck is high."""
    cdef const State *s = <const State *>state
    cdef int count = RIGHT.legal(state, moves)
    if count and s.deck_size and s.deck[s.deck_size - 1] > KINDS // 2:
        moves[0], moves[count - 1] = moves[count - 1], moves[0]
    return count


cdef int list_beyond(const void *state, move_t *moves) noexcept nogil:
    moves[KINDS] = 0
    return RIGHT.legal(state, moves)


cdef void play_slowly(void *state, move_t move) noexcept nogil:
    """Carry out the move alone, and leave forced moves as decisions."""
    cdef State *s = <State *>state
    cdef int kind = move % KINDS
    if s.decision == DECIDE_PLAY:
        s.player[s.decider].hand[kind] -= 1
        s.player[s.decider].played[kind] += 1
        s.decision += 1
    else:
        RIGHT.apply(state, move)


cdef void draw_in_apply(void *state, move_t move) noexcept nogil:
    """Every seventh call swaps the first and the last card of the deck."""
    cdef State *s = <State *>state
    if count_call() % 7 == 0 and s.deck_size > 1:
        s.deck[0], s.deck[s.deck_size - 1] = s.deck[s.deck_size - 1], s.deck[0]
    RIGHT.apply(state, move)


cdef void leave_trace(void *state, move_t move) noexcept nogil:
    """A byte without a meaning in the game stores the last card that was played."""
    cdef State *s = <State *>state
    RIGHT.apply(state, move)
    if move < KEEP:
        s.deck[LAST_BYTE] = <uint8_t>(move + 1)


cdef void write_behind(void *state, move_t move) noexcept nogil:
    RIGHT.apply(state, move)
    (<uint8_t *>state)[sizeof(State)] = 1


cdef void start_again(void *state, move_t move) noexcept nogil:
    """Restore the previous state when the game ends, so that it never ends."""
    cdef State *s = <State *>state
    cdef State before
    memcpy(&before, state, sizeof(State))
    RIGHT.apply(state, move)
    if s.decision == DECIDE_OVER:
        memcpy(state, &before, sizeof(State))


cdef int decide_beyond(const void *state) noexcept nogil:
    cdef int player = RIGHT.player(state)
    return player + MAX_PLAYERS if player != NO_PLAYER and RIGHT.turn(state) == 1 else player


# Turns, scores and ranks.

cdef int turn_by_two(const void *state) noexcept nogil:
    return 2 * RIGHT.turn(state)


cdef int turn_never(const void *state) noexcept nogil:
    return 0


cdef void score_hands(const void *state, int32_t *scores) noexcept nogil:
    """After the end, cards in hand also score, although the other players do not know them."""
    cdef const State *s = <const State *>state
    cdef int p
    RIGHT.scores(state, scores)
    if s.decision == DECIDE_OVER:
        for p in range(s.players):
            scores[p] += s.player[p].hand[KINDS - 1]


cdef void score_in_a_byte(const void *state, int32_t *scores) noexcept nogil:
    """Scores are 16 times as high, but only their last 8 bits are stored."""
    cdef int p
    RIGHT.scores(state, scores)
    for p in range((<const State *>state).players):
        scores[p] = (scores[p] * 16) & 0xFF


cdef void score_once(const void *state, int32_t *scores) noexcept nogil:
    RIGHT.scores(state, scores)
    scores[0] += count_call() % 2


cdef void rank_by_score(const void *state, int32_t *ranks) noexcept nogil:
    """Ignore the tie-break."""
    cdef int32_t scores[MAX_PLAYERS]
    cdef int p, q
    RIGHT.scores(state, scores)
    for p in range(RIGHT.players(state)):
        ranks[p] = 1
        for q in range(RIGHT.players(state)):
            ranks[p] += scores[q] > scores[p]


cdef void rank_backwards(const void *state, int32_t *ranks) noexcept nogil:
    cdef int p
    RIGHT.ranks(state, ranks)
    for p in range(RIGHT.players(state)):
        ranks[p] = RIGHT.players(state) + 1 - ranks[p]


cdef void rank_from_zero(const void *state, int32_t *ranks) noexcept nogil:
    cdef int p
    RIGHT.ranks(state, ranks)
    for p in range(RIGHT.players(state)):
        ranks[p] -= 1


# Single moves.

cdef void step_on(void *state, move_t move) noexcept nogil:
    """Carry out a forced move together with the move before it."""
    cdef State *s = <State *>state
    cdef move_t kinds[KINDS]
    RIGHT.step(state, move)
    if s.decision == DECIDE_PLAY + 1 and RIGHT.legal(state, kinds) == 1:
        RIGHT.step(state, kinds[0])


cdef void step_aside(void *state, move_t move) noexcept nogil:
    """Leave a trace in the state that apply does not leave."""
    RIGHT.step(state, move)
    (<State *>state).deck[LAST_BYTE] = 1


cdef void forget_step(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    """Before a forced move, observers can see that the player has no choice."""
    cdef move_t kinds[KINDS]
    RIGHT.determinize(source, target, observer, rng)
    if RIGHT.legal(source, kinds) == 1 and RIGHT.player(source) != observer:
        memcpy(target, source, sizeof(State))


# Visibility of moves for the other players.

cdef move_t see_all(const void *state, move_t move, int observer) noexcept nogil:
    return move


cdef move_t see_nothing_own(const void *state, move_t move, int observer) noexcept nogil:
    """Hide a kept card from its owner as well."""
    return KEEP if move >= KEEP else move


cdef move_t notice_nothing(const void *state, move_t move, int observer) noexcept nogil:
    """Other players do not notice even a card that is played openly."""
    return move if observer == RIGHT.player(state) else NOTHING_SEEN


cdef move_t see_by_deck(const void *state, move_t move, int observer) noexcept nogil:
    """The visible part of a move depends on a card that nobody knows."""
    cdef const State *s = <const State *>state
    if s.deck_size and s.deck[s.deck_size - 1] == 1:
        return move
    return RIGHT.observed(state, move, observer)


# Events.

cdef void report_nothing(void *state, move_t move, EventSink *sink) noexcept nogil:
    RIGHT.apply(state, move)


cdef void report_all(void *state, move_t move, EventSink *sink) noexcept nogil:
    """Everybody sees which card was kept."""
    cdef int i
    RIGHT.apply_reported(state, move, sink)
    if sink.events != NULL:
        for i in range(sink.count):
            sink.events[i].known = EVERYBODY


# The correct playout, and faulty ones.

cdef int play_on(void *state, Rng *rng, int transitions, int turns,
                 bint draws_more) noexcept nogil:
    cdef move_t moves[KINDS]
    cdef int count, made = 0
    while made < transitions and RIGHT.turn(state) < turns:
        count = RIGHT.legal(state, moves)
        if count == 0:
            break
        if draws_more:
            rng_next(rng)
        RIGHT.apply(state, moves[rng_below(rng, <unsigned int>count)])
        made += 1
    return made


cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    return play_on(state, rng, transitions, turns, False)


cdef int playout_drawing_more(void *state, Rng *rng, int transitions,
                              int turns) noexcept nogil:
    return play_on(state, rng, transitions, turns, True)


cdef int playout_without_end(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    return play_on(state, rng, NO_LIMIT, turns, False)


cdef int playout_beyond_turns(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    return play_on(state, rng, transitions, NO_LIMIT, False)


cdef int playout_miscounting(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    return play_on(state, rng, transitions, turns, False) + 1


# Knowledge with one weight, the preference for higher cards.

cdef void prior(const void *state, const move_t *moves, int count, const float *weights,
                float *out) noexcept nogil:
    cdef float total = 0.0
    cdef int i
    for i in range(count):
        out[i] = 1.0 + weights[0] * <float>(moves[i] % KINDS)
        total += out[i]
    for i in range(count):
        out[i] /= total


cdef void prior_not_scaled(const void *state, const move_t *moves, int count,
                           const float *weights, float *out) noexcept nogil:
    cdef int i
    for i in range(count):
        out[i] = 1.0


cdef void prior_with_zero(const void *state, const move_t *moves, int count,
                          const float *weights, float *out) noexcept nogil:
    cdef int i
    for i in range(count):
        out[i] = 1.0 if i == 0 else 0.0


cdef int policy(const void *state, const move_t *moves, int count, const float *weights,
                Rng *rng) noexcept nogil:
    return <int>rng_below(rng, <unsigned int>count) if weights[0] < 1.0 else count - 1


cdef int policy_by_move(const void *state, const move_t *moves, int count,
                        const float *weights, Rng *rng) noexcept nogil:
    """Return the move instead of its index."""
    return moves[count - 1]


cdef int policy_in_turn(const void *state, const move_t *moves, int count,
                        const float *weights, Rng *rng) noexcept nogil:
    return count_call() % count


cdef int policy_playout_drawing_more(void *state, const float *weights, Rng *rng, int transitions,
                                     int turns, float *shortfalls) noexcept nogil:
    return play_on(state, rng, transitions, turns, True)


cdef int policy_playout_gaining(void *state, const float *weights, Rng *rng, int transitions,
                                int turns, float *shortfalls) noexcept nogil:
    shortfalls[0] -= 1
    return play_on(state, rng, transitions, turns, False)


cdef void no_terms(const void *state, float *terms) noexcept nogil:
    """All terms are 0, although the evaluation differs from the VP so far."""
    memset(terms, 0, RIGHT.players(state) * sizeof(float))


cdef void evaluate(const void *state, const float *weights, float *values) noexcept nogil:
    cdef int32_t scores[MAX_PLAYERS]
    cdef int p
    RIGHT.scores(state, scores)
    for p in range(RIGHT.players(state)):
        values[p] = scores[p] + weights[0]


cdef void evaluate_the_rest(const void *state, const float *weights,
                            float *values) noexcept nogil:
    """Divide by the number of turns left; at the end, when no turn is left, the result is NaN."""
    cdef const State *s = <const State *>state
    cdef int p
    evaluate(state, weights, values)
    for p in range(s.players):
        values[p] = values[p] / <float>(s.turns - s.turn) if s.turn < s.turns else NAN


cdef void evaluate_beyond(const void *state, const float *weights,
                          float *values) noexcept nogil:
    evaluate(state, weights + 1, values)


cdef int turns_left(const void *state, int player) noexcept nogil:
    cdef const State *s = <const State *>state
    return (s.turns - s.turn + s.players - 1) // s.players


cdef int turns_left_after(const void *state, int player) noexcept nogil:
    return turns_left(state, player) + 1


# Features for learners: the piles from the player's seat on, then a few other numbers.

cdef void tell_next_hand(const void *state, int observer, uint8_t *out) noexcept nogil:
    RIGHT.features(state, (observer + 1) % (<const State *>state).players, out)


cdef void tell_the_most(const void *state, int observer, uint8_t *out) noexcept nogil:
    """Leave the last number unwritten."""
    cdef uint8_t told[MAX_TOLD]
    RIGHT.features(state, observer, told)
    memcpy(out, told, RIGHT.feature_counts[(<const State *>state).players] - 1)


cdef void tell_all_cards(const void *state, int observer, uint8_t *out) noexcept nogil:
    """Count more cards than there are."""
    RIGHT.features(state, observer, out)
    out[0] = CARDS + 1


# Dealing again.

cdef void hand_out(State *s, const uint8_t *cards) noexcept nogil:
    cdef int player, i
    cdef int given = 0
    for player in range(s.players):
        memset(s.player[player].hand, 0, KINDS)
        for i in range(HAND):
            s.player[player].hand[cards[given] - 1] += 1
            given += 1
    memset(s.deck, 0, CARDS)
    memcpy(s.deck, cards + given, s.deck_size)


cdef void deal_shuffled(State *s, Rng *rng, int shuffled) noexcept nogil:
    """Deal a deck whose last cards are not shuffled."""
    cdef uint8_t cards[CARDS]
    cdef int i
    for i in range(CARDS):
        cards[i] = <uint8_t>(i // COPIES + 1)
    shuffle_bytes(rng, cards, shuffled)
    hand_out(s, cards)


cdef void deal(void *state, Rng *rng) noexcept nogil:
    deal_shuffled(<State *>state, rng, CARDS)


cdef void deal_low_cards(void *state, Rng *rng) noexcept nogil:
    deal_shuffled(<State *>state, rng, CARDS - COPIES)


cdef void deal_the_deck(void *state, Rng *rng) noexcept nogil:
    """Only the deck is dealt again, and the hands stay the same."""
    cdef State *s = <State *>state
    shuffle_bytes(rng, <uint8_t *>s.deck, s.deck_size)


cdef GameOps *with_knowledge(str name):
    """Return a table without a fault, with a playout, knowledge and deal()."""
    cdef GameOps *table = copy_of_hoard(name)
    table.weight_count = 1
    table.playout = playout
    table.policy = policy
    table.prior = prior
    table.evaluate = evaluate
    table.turns_left = turns_left
    table.deal = deal
    return table


cdef GameOps *with_terms(str name):
    """Return a table whose evaluation is declared as a sum with one term."""
    cdef GameOps *table = with_knowledge(name)
    table.weight_count = MAX_PLAYERS - MIN_PLAYERS + 1
    table.term_count = 1
    return table


copy_of_hoard("right")
with_knowledge("right_with_knowledge")

copy_of_hoard("determinize_copies").determinize = draw_nothing
copy_of_hoard("determinize_rotates").determinize = rotate_deck
copy_of_hoard("determinize_cuts").determinize = cut_sorted_deck
copy_of_hoard("determinize_leans").determinize = lean
copy_of_hoard("determinize_pairs").determinize = pair
copy_of_hoard("determinize_sorts").determinize = leave_deck_sorted
copy_of_hoard("determinize_own_hand").determinize = draw_own_hand
copy_of_hoard("determinize_forgets_choice").determinize = forget_choice
copy_of_hoard("determinize_draws_elsewhere").determinize = draw_from_elsewhere
copy_of_hoard("determinize_leaves_bytes").determinize = leave_bytes
copy_of_hoard("moves_twice").legal = list_cards
copy_of_hoard("move_too_high").legal = list_too_high
copy_of_hoard("moves_by_deck").legal = list_by_deck
copy_of_hoard("moves_beyond_room").legal = list_beyond
copy_of_hoard("forced_move_left").apply = play_slowly
copy_of_hoard("apply_draws").apply = draw_in_apply
copy_of_hoard("apply_leaves_trace").apply = leave_trace
copy_of_hoard("apply_writes_behind").apply = write_behind
copy_of_hoard("step_missing").step = NULL
copy_of_hoard("step_too_far").step = step_on
copy_of_hoard("step_elsewhere").step = step_aside
copy_of_hoard("step_known").determinize = forget_step
copy_of_hoard("endless").apply = start_again
copy_of_hoard("decider_beyond").player = decide_beyond
copy_of_hoard("turns_by_two").turn = turn_by_two
copy_of_hoard("turns_never").turn = turn_never
copy_of_hoard("scores_after_the_end").scores = score_hands
copy_of_hoard("scores_in_a_byte").scores = score_in_a_byte
copy_of_hoard("scores_counting_calls").scores = score_once
copy_of_hoard("ranks_without_tie_break").ranks = rank_by_score
copy_of_hoard("ranks_backwards").ranks = rank_backwards
copy_of_hoard("ranks_from_zero").ranks = rank_from_zero
copy_of_hoard("observed_shows_all").observed = see_all
copy_of_hoard("observed_hides_own").observed = see_nothing_own
copy_of_hoard("observed_notices_nothing").observed = notice_nothing
copy_of_hoard("observed_by_deck").observed = see_by_deck
copy_of_hoard("events_missing").apply_reported = report_nothing
copy_of_hoard("events_show_all").apply_reported = report_all
copy_of_hoard("secrets_not_declared").facts = 0
copy_of_hoard("hidden_moves_not_declared").facts = GameFact.HIDDEN_INFORMATION
with_knowledge("playout_draws_more").playout = playout_drawing_more
with_knowledge("playout_without_end").playout = playout_without_end
with_knowledge("playout_beyond_turns").playout = playout_beyond_turns
with_knowledge("playout_miscounts").playout = playout_miscounting
with_knowledge("policy_playout_draws_more").policy_playout = policy_playout_drawing_more
with_knowledge("policy_playout_gains").policy_playout = policy_playout_gaining
with_terms("terms_of_nothing").terms = no_terms
with_knowledge("prior_not_scaled").prior = prior_not_scaled
with_knowledge("prior_with_zero").prior = prior_with_zero
with_knowledge("policy_by_move").policy = policy_by_move
with_knowledge("policy_in_turn").policy = policy_in_turn
with_knowledge("evaluation_not_finite").evaluate = evaluate_the_rest
with_knowledge("evaluation_beyond_weights").evaluate = evaluate_beyond
with_knowledge("turns_left_after_the_end").turns_left = turns_left_after
with_knowledge("features_of_the_next").features = tell_next_hand
with_knowledge("features_left_out").features = tell_the_most
with_knowledge("features_too_high").features = tell_all_cards
with_knowledge("deals_low_cards").deal = deal_low_cards
with_knowledge("deals_the_deck").deal = deal_the_deck
