"""The table of decisions and the course of a game.

The topic files are compiled as one unit, so that a playout, which counts the moves of a decision
and picks the k-th, makes no call between modules. Moves are counted in bit masks where there are
many, and otherwise by listing them.
"""

# --- the table of decisions ----------------------------------------------------------------------

ctypedef move_t *(*list_t)(const State *s, const Player *p, move_t *out) noexcept nogil
ctypedef void (*apply_t)(State *s, Player *p, int move) noexcept nogil
ctypedef void (*task_t)(State *s, Player *p, int argument) noexcept nogil

# The functions of a decision: `list` lists all its moves, even if there is only one or none, and
# `apply` carries out a move and pushes what follows from it.
cdef struct DecisionRule:
    list_t list
    apply_t apply

cdef DecisionRule rule_of[DECISIONS]
cdef task_t DO[TASKS]       # functions of the tasks from TASK_USE on, which involve no choice


cdef void define(int decision, list_t list_, apply_t apply) noexcept:
    """Enter a decision into the table."""
    rule_of[decision].list = list_
    rule_of[decision].apply = apply


define(DECIDE_CRANE, list_cranes, place_crane)
define(DECIDE_SEAT, list_seats, seat)
define(DECIDE_CORNER, list_corners, lay_females)
define(DECIDE_TAKE, list_takes, take)
define(DECIDE_KEEP, list_keeps, keep)
define(DECIDE_RESERVE, list_reserve, pick_reserve)
define(DECIDE_USE, list_uses, use)
define(DECIDE_GAIN, list_gains, gain_one)
define(DECIDE_BONUS, list_bonuses, take_bonus)
define(DECIDE_ENVOY, list_envoys, send_envoy)
define(DECIDE_UPGRADE, list_upgrades, upgrade)
define(DECIDE_BUILD, list_builds, build)
define(DECIDE_PAY, list_payments, pay)
define(DECIDE_REWARD, list_rewards, take_reward)
define(DECIDE_TILE, list_tiles, use_grid)
define(DECIDE_WAGE, list_wages, pay_wage)
define(DECIDE_NOVICE, list_females, use_grid)

DO[TASK_USE] = effect
DO[TASK_PUT_AWAY] = put_away
DO[TASK_PUT_BACK] = put_back
DO[TASK_BENEFIT_OF] = benefit
DO[TASK_LEVEL] = level
DO[TASK_COMPLETE_TRACK] = score_column
DO[TASK_COMPLETE_AREA] = area_bonus


cdef inline int count_moves(const State *s, Builds *b) noexcept nogil:
    """Return the number of moves of the decision; fill `b`, from which `pick_move` picks."""
    cdef const Player *p = &s.player[s.decider]
    if s.decision == DECIDE_BUILD:
        return count_builds(s, p, b)
    if s.decision == DECIDE_TAKE:
        return count_takes(s, p)
    return <int>(rule_of[s.decision].list(s, p, b.listed) - b.listed)


cdef inline move_t pick_move(const State *s, Builds *b, int k) noexcept nogil:
    """Return the k-th move of the list."""
    if s.decision == DECIDE_BUILD:
        return pick_build(s, &s.player[s.decider], b, k)
    if s.decision == DECIDE_TAKE:
        return pick_take(s, &s.player[s.decider], k)
    return b.listed[k]


cdef inline void carry_out(State *s, move_t move) noexcept nogil:
    rule_of[s.decision].apply(s, &s.player[s.decider], move)


# --- the course of the game ----------------------------------------------------------------------

cdef void begin_turn(State *s, const Player *p) noexcept nogil:
    """Begin step 2: both tiles lie open, one is used, and then the building action follows."""
    begin_conversions(s)
    s.hand = <uint8_t>((p.kept != 0) | ((received_tile(s, s.decider) != 0) << 1))
    if expect(s.options & OPTION_REPORTED, 0):
        report_tiles(s, p)
    push(s, DECIDE_BUILD, 0)
    if s.hand:
        push(s, DECIDE_USE, 0)


cdef void begin_run(State *s) noexcept nogil:
    """Push the tasks of the next player's run in this stage; some runs have no tasks."""
    cdef Player *p
    cdef int i
    s.decider = <uint8_t>in_order(s, s.begun)
    s.begun += 1
    p = &s.player[s.decider]
    if s.stage == STAGE_SETUP:
        push(s, DECIDE_CORNER, 0)
        for i in range(CORNERS - 1, -1, -1):
            push(s, DECIDE_CRANE, i)
    elif s.stage == STAGE_NOVICES:
        if (s.novices >> s.decider) & 1:
            receive(s, p, RESOURCE_COIN, 1)
            push(s, DECIDE_NOVICE, 0)
    elif s.stage == STAGE_TAKE:
        begin_takes(s)
    elif s.stage == STAGE_RESERVE:
        if s.player[left_of(s, s.decider)].given == 0 and p.reserve_count:
            push(s, DECIDE_RESERVE, 0)
    elif s.stage == STAGE_TURN:
        begin_turn(s, p)
    else:
        ask_wages(s, p)
    s.turn += s.depth > 0


cdef void begin_round(State *s, int number) noexcept nogil:
    s.round = <uint8_t>number
    s.stage = STAGE_TAKE
    happen(s, EVENT_BEGIN_ROUND, NO_PLAYER, NO_THING, number + 1)


cdef void next_stage(State *s) noexcept nogil:
    """Continue after a stage in which every player's run is over."""
    s.begun = 0
    if s.stage == STAGE_SETUP:
        reveal_setup(s)
        s.stage = STAGE_NOVICES
    elif s.stage == STAGE_NOVICES:
        begin_round(s, 0)
    elif s.stage < STAGE_TURN:
        if s.stage == STAGE_TAKE:
            reveal_takes(s)
        s.stage += 1
    elif s.stage == STAGE_TURN:
        end_round(s)
        begin_conversions(s)
        if s.round % PHASE_ROUNDS == PHASE_ROUNDS - 1:
            s.stage = STAGE_WAGES
        else:
            begin_round(s, s.round + 1)
    else:
        score_phase(s)
        if s.round == ROUNDS - 1:
            s.stage = STAGE_OVER
        else:
            begin_round(s, s.round + 1)


cdef int proceed(State *s, Builds *b, int least) noexcept nogil:
    """Continue to a decision with at least `least` moves, or to the end of the game.

    Return the number of moves, which is 0 at the end of the game.
    """
    cdef move_t move
    cdef int count
    while True:
        if s.depth == 0:
            if s.begun == s.players:
                next_stage(s)
                if s.stage == STAGE_OVER:
                    s.decision = DECIDE_OVER
                    s.argument = 0
                    s.decider = 0
                    return 0
            begin_run(s)
            continue
        pop(s)
        if s.decision >= TASK_USE:
            DO[s.decision](s, &s.player[s.decider], s.argument)
            continue
        count = count_moves(s, b)
        if count >= least:
            if CHECKED:
                require_sound(s)
            return count
        if count == 1:
            move = pick_move(s, b, 0)
            if expect(s.options & OPTION_REPORTED, 0):
                report_move(s, move)
            carry_out(s, move)


cdef void advance(State *s) noexcept nogil:
    """Carry on up to a decision with at least two moves, or to the end of the game."""
    cdef Builds b
    proceed(s, &b, 2)


cdef void finish_run(State *s, Rng *rng) noexcept nogil:
    """Make uniformly random moves, the forced ones included, until the run of decisions is over."""
    cdef Builds b
    cdef int count
    while s.depth:
        pop(s)
        if s.decision >= TASK_USE:
            DO[s.decision](s, &s.player[s.decider], s.argument)
            continue
        count = count_moves(s, &b)
        if count:
            carry_out(s, pick_move(s, &b, <int>rng_below(rng, <unsigned int>count)))


def first_decision(bytes data not None):
    """Return the state advanced to its first decision with at least two moves."""
    cdef State state
    read_state(data, &state)
    advance(&state)
    return bytes_of(&state)


def turn_order(bytes data not None):
    """Return the players in the order in which they act in the current stage."""
    cdef State state
    cdef int place
    read_state(data, &state)
    return [in_order(&state, place) for place in range(state.players)]


cdef int ready(const State *s, Builds *b) noexcept nogil:
    """Return the number of moves, or 0 if the game is over; fill `b` with the moves.

    `b` is not filled if the decision is which tile to take.
    """
    return count_moves(s, b) if s.decision != DECIDE_OVER else 0


cdef int play_on(State *s, Builds *b, move_t move) noexcept nogil:
    """Make a move; for the next decision, return the number of moves and fill `b` as ready() does.
    """
    carry_out(s, move)
    return proceed(s, b, 2)


# --- the contract --------------------------------------------------------------------------------

cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const State *s = <const State *>state
    if s.decision == DECIDE_OVER:
        return 0
    return <int>(rule_of[s.decision].list(s, &s.player[s.decider], moves) - moves)


cdef void apply_move(void *state, move_t move) noexcept nogil:
    cdef State *s = <State *>state
    cdef Builds b
    carry_out(s, move)
    proceed(s, &b, 2)


cdef void step_move(void *state, move_t move) noexcept nogil:
    cdef State *s = <State *>state
    cdef Builds b
    carry_out(s, move)
    proceed(s, &b, 1)


cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    """Play uniformly random moves, exactly like the loop over list_moves and apply_move."""
    cdef State *s = <State *>state
    cdef Builds b
    cdef int made = 0
    cdef int count = ready(s, &b)
    while count and made < transitions and s.turn < turns:
        count = play_on(s, &b, pick_move(s, &b, <int>rng_below(rng, <unsigned int>count)))
        made += 1
    return made
