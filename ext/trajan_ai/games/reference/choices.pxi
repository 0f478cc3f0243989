"""Reference games of choices between two moves: fork, Kuhn poker, pennies.

Kuhn poker has hidden cards, and pennies has a hidden move.
"""

# The fields with which every state in this file begins. The players choose in turn.
cdef packed struct Choices:
    uint8_t players
    uint8_t made
    uint8_t moves         # bit i: decision i was move 1
    uint8_t over


cdef int players_of(const void *state) noexcept nogil:
    return (<const Choices *>state).players


cdef int player_of(const void *state) noexcept nogil:
    cdef const Choices *choices = <const Choices *>state
    return NO_PLAYER if choices.over else choices.made % choices.players


cdef int turn_of(const void *state) noexcept nogil:
    return (<const Choices *>state).made


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    if (<const Choices *>state).over:
        return 0
    moves[0] = 0
    moves[1] = 1
    return 2


cdef void choose(void *state, move_t move) noexcept nogil:
    """Carry out a move of a game in which everybody chooses once."""
    cdef Choices *choices = <Choices *>state
    choices.moves |= <uint8_t>(move << choices.made)
    choices.made += 1
    choices.over = choices.made == choices.players


cdef void begin_table(GameOps *table, int state_size, int facts) noexcept:
    """Fill in the entries that the games share."""
    memset(table, 0, sizeof(GameOps))
    table.state_size = state_size
    table.max_moves = 2
    table.action_count = 2
    table.facts = facts
    table.players = players_of
    table.player = player_of
    table.turn = turn_of
    table.legal = list_moves
    table.apply = choose


def encode_choices(int players):
    """Return the state in which nobody has chosen yet."""
    cdef Choices choices
    if not 2 <= players <= 4:
        raise ValueError(f"players must be 2 to 4, got {players}")
    memset(&choices, 0, sizeof(Choices))
    choices.players = <uint8_t>players
    return PyBytes_FromStringAndSize(<const char *>&choices, sizeof(Choices))


def decode_choices(bytes state not None):
    """Return the decisions made so far as move numbers."""
    check_size(state, sizeof(Choices))
    cdef const Choices *choices = <const Choices *><const char *>state
    return [(choices.moves >> i) & 1 for i in range(choices.made)]


# Fork: three players in turn choose left or right, and a table lists their scores. Max-n
# (Luckhardt and Irani 1986) chooses right, left, right, so that the scores are (2, 6, 5). A first
# player who expects the other two to form a coalition chooses left.
cdef enum:
    CHOOSERS = 3

cdef int32_t[8][3] FORK_SCORES = [
    # indexed by the moves: bit 0 is the move of the first player
    [1, 4, 4], [0, 4, 1],
    [1, 3, 4], [0, 2, 3],
    [1, 5, 3], [2, 6, 5],
    [1, 6, 2], [9, 1, 2],
]


cdef void fork_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Choices *fork = <const Choices *>state
    cdef int p
    for p in range(CHOOSERS):
        scores[p] = FORK_SCORES[fork.moves][p] if fork.over else 0


cdef void fork_ranks(const void *state, int32_t *ranks) noexcept nogil:
    cdef int32_t scores[CHOOSERS]
    cdef int p, q
    fork_scores(state, scores)
    for p in range(CHOOSERS):
        ranks[p] = 1
        for q in range(CHOOSERS):
            ranks[p] += scores[q] > scores[p]


cdef void fork_determinize(const void *source, void *target, int observer,
                           Rng *rng) noexcept nogil:
    memcpy(target, source, sizeof(Choices))


cdef GameOps FORK
begin_table(&FORK, sizeof(Choices), GameFact.RANKS_TIE)
FORK.scores = fork_scores
FORK.ranks = fork_ranks
FORK.determinize = fork_determinize

FORK_OPS = capsule(&FORK)
FORK_ACTIONS = ("left", "right")


# Kuhn, "A simplified two-person poker" (1950): ante 1, bet 1. The game is worth -1/18 to the
# player who begins. To pass after a bet is to fold, and to bet after a bet is to call.
cdef enum:
    CARDS = 3            # jack 0, queen 1, king 2
    PASS = 0
    BET = 1

cdef packed struct Kuhn:
    Choices so_far
    uint8_t cards[2]
    int8_t won            # chips the first player won


cdef void kuhn_apply(void *state, move_t move) noexcept nogil:
    cdef Kuhn *kuhn = <Kuhn *>state
    cdef int made = kuhn.so_far.made
    cdef bint bet_before = made > 0 and (kuhn.so_far.moves >> (made - 1)) & 1
    cdef int sign = 1 if kuhn.cards[0] > kuhn.cards[1] else -1
    choose(state, move)
    kuhn.so_far.over = bet_before or (move == PASS and made == 1)
    if bet_before and move == BET:
        kuhn.won = <int8_t>(2 * sign)
    elif bet_before:
        kuhn.won = 1 if made & 1 else -1
    elif kuhn.so_far.over:
        kuhn.won = <int8_t>sign


cdef void kuhn_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>state
    scores[0] = kuhn.won
    scores[1] = -kuhn.won


cdef void kuhn_ranks(const void *state, int32_t *ranks) noexcept nogil:
    ranks[0] = 1 if (<const Kuhn *>state).won > 0 else 2
    ranks[1] = 3 - ranks[0]


cdef void kuhn_determinize(const void *source, void *target, int observer,
                           Rng *rng) noexcept nogil:
    cdef const Kuhn *kuhn = <const Kuhn *>source
    cdef Kuhn *drawn = <Kuhn *>target
    cdef int own = kuhn.cards[observer]
    memcpy(target, source, sizeof(Kuhn))
    if not kuhn.so_far.over or kuhn.won == 1 or kuhn.won == -1:
        # The other card is drawn from the two that the observer has not seen.
        drawn.cards[observer ^ 1] = <uint8_t>((own + 1 + rng_below(rng, 2)) % CARDS)


cdef GameOps KUHN
begin_table(&KUHN, sizeof(Kuhn), GameFact.HIDDEN_INFORMATION)
KUHN.apply = kuhn_apply
KUHN.scores = kuhn_scores
KUHN.ranks = kuhn_ranks
KUHN.determinize = kuhn_determinize

KUHN_OPS = capsule(&KUHN)
KUHN_ACTIONS = ("pass", "bet")


def encode_kuhn(list cards not None):
    """Return the state after the deal: each player's card, jack 0 to king 2."""
    return encode_choices(2) + bytes([*cards, 0])


def decode_kuhn(bytes state not None):
    """Return each player's card."""
    check_size(state, sizeof(Kuhn))
    cdef const Kuhn *kuhn = <const Kuhn *><const char *>state
    return [kuhn.cards[0], kuhn.cards[1]]


# Pennies: the first player secretly chooses left or right, and the second wins with a correct
# guess. The game is worth one half to each player, but a search that lets the guesser see the move
# rates the first player's position as hopeless.
cdef bint is_right(const Choices *pennies) noexcept nogil:
    return pennies.moves == 0 or pennies.moves == 3


cdef void pennies_scores(const void *state, int32_t *scores) noexcept nogil:
    cdef const Choices *pennies = <const Choices *>state
    scores[0] = pennies.over and not is_right(pennies)
    scores[1] = pennies.over and is_right(pennies)


cdef void pennies_ranks(const void *state, int32_t *ranks) noexcept nogil:
    ranks[0] = 2 if is_right(<const Choices *>state) else 1
    ranks[1] = 3 - ranks[0]


cdef void pennies_determinize(const void *source, void *target, int observer,
                              Rng *rng) noexcept nogil:
    cdef Choices *drawn = <Choices *>target
    memcpy(target, source, sizeof(Choices))
    if observer == 1 and drawn.made == 1:
        drawn.moves = <uint8_t>rng_below(rng, 2)


cdef move_t pennies_observed(const void *state, move_t move, int observer) noexcept nogil:
    return move if observer == 0 or (<const Choices *>state).made == 1 else 0


cdef GameOps PENNIES
begin_table(&PENNIES, sizeof(Choices), GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES)
PENNIES.scores = pennies_scores
PENNIES.ranks = pennies_ranks
PENNIES.determinize = pennies_determinize
PENNIES.observed = pennies_observed

PENNIES_OPS = capsule(&PENNIES)
PENNIES_ACTIONS = ("left", "right")
