"""The table of decisions, and the functions that use it: list, apply, play out, derive."""

# ---- The table of decisions -------------------------------------------------------------------

ctypedef uint64_t (*legal_t)(const State *s) noexcept nogil
ctypedef void (*apply_t)(State *s, move_t move) noexcept nogil


cdef enum:
    LEGAL_BITS = 64          # number of bits of State.legal


cdef struct DecisionRule:
    legal_t legal            # the legal moves as bits, computed from the rest of the state
    apply_t apply
    int16_t move_of[LEGAL_BITS]  # the move of each bit of State.legal


cdef DecisionRule rule_of[DECISIONS + 1]      # the last entry is for a game that is over


cdef uint64_t legal_action(const State *s) noexcept nogil:
    return action_moves(s, &s.player[s.active], s.decision)


cdef uint64_t legal_plus2(const State *s) noexcept nogil:
    return plus2_moves(&s.player[s.active])


cdef uint64_t legal_effect(const State *s) noexcept nogil:
    return EFFECT_OR_NOT


cdef uint64_t legal_extra(const State *s) noexcept nogil:
    return extra_moves(&s.player[s.active], running_action(s))


cdef uint64_t legal_goods(const State *s) noexcept nogil:
    return ALL_SOURCES


cdef define(int decision, legal_t legal, apply_t apply, tuple runs):
    """Define the rule of a decision.

    The bits of State.legal stand for the moves of the runs. A run is given as (first move, number
    of moves).
    """
    cdef DecisionRule *rule = &rule_of[decision]
    rule.legal = legal
    rule.apply = apply
    bit = 0
    for first, count in runs:
        for move in range(first, first + count):
            rule.move_of[bit] = move
            bit += 1


define(DECIDE_SEAPORT, legal_action, apply_seaport,
       ((MOVE_DRAW, 6), (MOVE_PLAY, GOODS), (MOVE_EQUAL, COMMON_EQUAL * GOODS)))
define(DECIDE_FORUM, legal_action, apply_forum, ((MOVE_FORUM, TILES), (MOVE_PASS, 1)))
define(DECIDE_MILITARY, legal_action, apply_military,
       ((MOVE_RECRUIT, 2 + PROVINCES), (MOVE_PASS, 1)))
define(DECIDE_SENATE, legal_action, apply_senate, ((MOVE_SENATE, 1), (MOVE_PASS, 1)))
define(DECIDE_TRAJAN, legal_action, apply_trajan, ((MOVE_TILE, STACKS), (MOVE_PASS, 1)))
define(DECIDE_CONSTRUCTION, legal_action, apply_construction,
       ((MOVE_HIRE, 1 + SITES), (MOVE_PASS, 1)))
define(DECIDE_SOW, sow_moves, apply_sow, ((MOVE_SOW, TRAYS),))
define(DECIDE_DROP, drop_moves, apply_drop, ((MOVE_DROP, COLOURS),))
define(DECIDE_PLUS2, legal_plus2, apply_plus2, ((MOVE_PLUS2, TRAYS),))
define(DECIDE_EFFECT, legal_effect, apply_effect, ((MOVE_EFFECT, 2),))
define(DECIDE_DISCARD, moves_of_hand, apply_discard, ((MOVE_DISCARD, 2 * GOODS),))
define(DECIDE_PLAY, moves_of_hand, apply_play, ((MOVE_PLAY, GOODS), (MOVE_DONE, 1)))
define(DECIDE_PAIR, moves_of_hand, apply_pair, ((MOVE_PAIR, 2 * GOODS + 1), (MOVE_DONE, 1)))
define(DECIDE_CARD, moves_of_hand, apply_card, ((MOVE_CARD, GOODS + 1), (MOVE_DONE, 1)))
define(DECIDE_EXTRA, legal_extra, apply_extra, ((MOVE_EXTRA, 3),))
define(DECIDE_BONUS, bonus_moves, apply_bonus, ((MOVE_BONUS, BONUSES),))
define(DECIDE_MARKER, marker_moves, apply_marker, ((MOVE_MARKER, COLOURS),))
define(DECIDE_GOODS, legal_goods, apply_goods, ((MOVE_GOODS, GOODS_SOURCES),))
define(DECIDE_START, start_moves, apply_start, ((MOVE_START, STACKS),))
define(DECIDE_PAYMENT, payment_moves, apply_payment, ((MOVE_PAY, PAYMENTS),))


# ---- The contract -----------------------------------------------------------------------------

cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef const int16_t *move_of = rule_of[s.decision].move_of
    cdef uint64_t left = s.legal
    cdef int count = 0
    while left != 0:
        moves[count] = move_of[lowest_bit(left)]
        left &= left - 1
        count += 1
    if s.decision == DECIDE_SEAPORT and has_rare_shipments(&s.player[s.active]):
        count += rare_shipments(&s.player[s.active], moves + count)
    return count


cdef inline void carry_out(State *s, move_t move) noexcept nogil:
    rule_of[s.decision].apply(s, move)


cdef inline void apply_forced(State *s, bint may_report) noexcept nogil:
    """Make every forced move.

    With `may_report` False, as in playouts, which never report, OPTION_REPORTED is not tested.
    """
    cdef move_t move
    while is_forced(s):
        move = rule_of[s.decision].move_of[lowest_bit(s.legal)]
        if may_report and expect(s.options & OPTION_REPORTED, 0):
            report_move(s, move)
        carry_out(s, move)


cdef void apply_move(void *state, move_t move) noexcept nogil:
    cdef State *s = <State *>state
    cdef move_t moves[MAX_MOVES]
    cdef State again
    cdef uint64_t goods = 0
    if CHECKED:
        require_legal(moves, list_moves(s, moves), move)
        goods = all_goods(s)
    carry_out(s, move)
    apply_forced(s, True)
    if CHECKED:
        again = s[0]
        derive_fields(&again)
        keep_unknown(&again, s)
        require_sound(s, &again)
        require(all_goods(s) == goods)


cdef void step_move(void *state, move_t move) noexcept nogil:
    carry_out(<State *>state, move)


# ---- Uniform play -----------------------------------------------------------------------------

cdef inline move_t random_move(const State *s, Rng *rng) noexcept nogil:
    """Draw a move as the generic loop over list_moves() does."""
    cdef move_t moves[MAX_MOVES]
    cdef unsigned int legal
    cdef int k
    if s.decision == DECIDE_DROP or s.decision == DECIDE_SOW:
        legal = <unsigned int>s.legal
        k = <int>rng_below(rng, count_of_6(legal))
        return (MOVE_DROP if s.decision == DECIDE_DROP else MOVE_SOW) + pick_of_6(legal, k)
    if s.decision == DECIDE_SEAPORT and has_rare_shipments(&s.player[s.active]):
        return moves[rng_below(rng, <unsigned int>list_moves(s, moves))]
    k = <int>rng_below(rng, <unsigned int>count_bits(s.legal))
    return rule_of[s.decision].move_of[pick_bit(s.legal, k)]


cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    cdef State *s = <State *>state
    cdef int count = 0
    while s.decision != DECIDE_OVER and count < transitions and s.turn < turns:
        carry_out(s, random_move(s, rng))
        apply_forced(s, False)
        count += 1
    return count


# ---- From Python ------------------------------------------------------------------------------

def first_decision(bytes data not None):
    """Return the state advanced to the first decision of its setup.

    The given state has `players`, `lap_length`, `options`, every stack with its size, the buildings
    on their sites, and the markers in the trays unless players place them.
    """
    cdef State state
    read_state(data, &state)
    if state.supply_size != SUPPLY_TILES:
        raise ValueError(f"the supply must have {SUPPLY_TILES} tiles before the setup, "
                         f"got {state.supply_size}")
    begin(&state)
    return bytes_of(&state)


def derive(bytes data not None):
    """Return a state with its derived fields computed: counts, sets of kinds, legal moves."""
    cdef State state
    read_state(data, &state)
    derive_fields(&state)
    return bytes_of(&state)


def relist(bytes data not None):
    """Return a state with the legal moves computed again, after hands have changed."""
    cdef State state
    read_state(data, &state)
    list_legal(&state)
    return bytes_of(&state)


cdef void list_legal(State *s) noexcept nogil:
    s.legal = rule_of[s.decision].legal(s) if s.decision != DECIDE_OVER else 0


cdef void derive_fields(State *s) noexcept nogil:
    cdef int i, k
    cdef Player *p
    s.deck_counts = 0
    memset(s.supply_counts, 0, sizeof(s.supply_counts))
    memset(s.extra_counts, 0, sizeof(s.extra_counts))
    memset(s.demand_counts, 0, sizeof(s.demand_counts))
    count_hidden(s)
    s.forum_kinds = 0
    for i in range(TILES):
        s.forum_kinds |= <uint32_t>(s.forum[i] > 0) << i
    s.sites_left = 0
    for i in range(SITES):
        s.sites_left |= <uint32_t>(s.sites[i] > 0) << i
    s.stacks_left = 0
    for i in range(STACKS):
        s.stacks_left |= (s.stack_size[i] > 0) << i
    for i in range(s.players):
        p = &s.player[i]
        p.hand_size = count_cards(p.hand)
        p.filled = 0
        for k in range(TRAYS):
            p.filled |= (p.trays[k] > 0) << k
    list_legal(s)
