"""Redrawing what a player cannot know.

Nobody knows the order of the street cards not yet turned, or the faces of tiles that lie face down
on a grid. During the setup, the workers, the start citizens of players who still choose cranes,
and all tiles other than the female citizens are unknown, too. The ship tile of the setup and the
tile that a player kept are known to that player alone. Once all have passed, a passed tile is
known to its giver and its receiver.

In a hidden step 1 (the default), nobody knows what other players have done in this step, or how
far they are. Sampling then starts from the moment at which the round's cards were turned: what
others took and paid is put back, and the unseen tiles are dealt again. Other players who have
already made their choices make them again, by uniformly random legal moves. The player who is
choosing now, unless it is the observer, begins step 1 again.

Otherwise sampling is uniform over the worlds that an observer cannot distinguish: every
distribution of a player's unseen tiles over the places where they may be, combined with either
choice of the tile kept. Suppose that one of two taken tiles was face up, an X, and that the tile
revealed since is an X, too. If c of the N unseen tiles are Xs, then the tile that is not revealed
is, with weight N, one of the unseen tiles and, with weight c, the X that everybody saw.

A position file may omit which tiles of a colour are gone. These tiles then count as unseen tiles in
separate places, and so do omitted street cards of past rounds. The file may also omit whose
citizens are in a row (see unclear.pxi).
"""

cdef inline bint begun(const State *s, int player) noexcept nogil:
    """Return whether the player has revealed their tiles in step 2 of this round."""
    cdef int place
    if s.stage != STAGE_TURN:
        return False
    for place in range(s.begun):
        if in_order(s, place) == player:
            return True
    return False


cdef inline bint knows_kept(const State *s, int player, int observer) noexcept nogil:
    return player == observer or begun(s, player)


cdef inline bint knows_given(const State *s, int player, int observer) noexcept nogil:
    """Return whether an observer has seen the tile that a player passed.

    The giver and the receiver of the tile have seen it, and everybody else once it is shown.
    """
    cdef int right = right_of(s, player)
    return player == observer or begun(s, right) or (
        right == observer and s.stage > STAGE_TAKE)


# Places with tiles that an observer does not know, and how many tiles of each kind lie there. The
# last places contain the tiles that are gone.
cdef struct Unseen:
    byte_t *place[COLOUR_TILES]
    int count
    int gone
    int kinds[TILE_KINDS]


cdef inline void hide(Unseen *unseen, byte_t *place) noexcept nogil:
    unseen.place[unseen.count] = place
    unseen.count += 1
    unseen.kinds[place[0]] += 1


cdef void deal_again(Unseen *unseen, Rng *rng) noexcept nogil:
    """Shuffle the unseen tiles over their places, starting from a fixed order of the tiles."""
    cdef uint8_t tiles[COLOUR_TILES]
    cdef int kind, i
    cdef int count = 0
    for kind in range(TILE_KINDS):
        for i in range(unseen.kinds[kind]):
            tiles[count] = <uint8_t>kind
            count += 1
    shuffle_bytes(rng, tiles, count)
    for i in range(count):
        unseen.place[i][0] = tiles[i]


cdef inline int open_street_cards(const State *s) noexcept nogil:
    if s.stage < STAGE_TAKE:
        return 0
    return 2 * (s.round + 1)


cdef void shuffle_street_cards(State *s, Rng *rng) noexcept nogil:
    """Shuffle the unturned and the forgotten street cards, across all decks."""
    cdef uint8_t cards[STREET_CARDS]
    cdef int left[SYMBOLS]
    cdef int known = open_street_cards(s)
    cdef int i, symbol
    cdef int count = 0
    for symbol in range(SYMBOLS):
        left[symbol] = 0
    for i in range(s.forgotten_cards):
        left[s.street_cards[i]] += 1
    for i in range(known, STREET_CARDS):
        left[s.street_cards[i]] += 1
    for symbol in range(SYMBOLS):
        for i in range(left[symbol]):
            cards[count] = <uint8_t>symbol
            count += 1
    shuffle_bytes(rng, cards, count)
    for i in range(known, STREET_CARDS):
        s.street_cards[i] = cards[i - known]
    for i in range(s.forgotten_cards):
        s.street_cards[i] = cards[STREET_CARDS - known + i]


cdef void draw_setup(State *s, Rng *rng) noexcept nogil:
    """Sample the workers, and the start citizens that have not been revealed yet."""
    cdef uint8_t colours[COLOURS]
    cdef int player
    for player in range(COLOURS):
        colours[player] = <uint8_t>player
    shuffle_bytes(rng, colours, COLOURS)
    for player in range(s.players):
        s.player[player].start_worker = colours[player]
        if player > s.decider or (player == s.decider and s.decision == DECIDE_CRANE):
            s.player[player].start_class = <uint8_t>rng_below(rng, 3)


# --- a hidden step 1 -----------------------------------------------------------------------------

cdef void resume_takes(State *s, const State *before) noexcept nogil:
    """Restore what the decider has done so far in step 1."""
    s.decider = before.decider
    s.decision = before.decision
    s.argument = before.argument
    s.open_cards = before.open_cards
    memcpy(s.taken, before.taken, sizeof(s.taken))
    memcpy(s.taken_cell, before.taken_cell, sizeof(s.taken_cell))


cdef void take_others_back(State *s, int observer) noexcept nogil:
    """Put back all that others have done in step 1."""
    cdef int player
    for player in range(s.players):
        if player != observer:
            take_back(s, player)


cdef void restart_takes(State *s) noexcept nogil:
    """Move the player to decide to the first choice of step 1."""
    begin_takes(s)
    advance(s)


cdef void choose_for_others(State *s, int observer, Rng *rng) noexcept nogil:
    """Repeat step 1 of earlier players at random; a decider other than the observer begins step 1
    again."""
    cdef State before = s[0]
    cdef int place
    forget_takes(s)
    for place in range(s.begun - 1):
        s.decider = <byte_t>in_order(s, place)
        if s.decider != observer:
            begin_takes(s)
            finish_run(s, rng)
    resume_takes(s, &before)
    if s.decider != observer:
        restart_takes(s)


# --- an open step 1 ------------------------------------------------------------------------------

cdef inline bint fits_both(const State *s, int player, int cell) noexcept nogil:
    """Return whether a cell is in both streets or in neither.

    If it is, others do not see for which card the tile on the cell is taken.
    """
    return ((street_cells(s, player, 0) >> cell) & 1) == ((street_cells(s, player, 1) >> cell) & 1)


cdef inline void swap_takes(State *s) noexcept nogil:
    s.taken[0], s.taken[1] = s.taken[1], s.taken[0]
    s.taken_cell[0], s.taken_cell[1] = s.taken_cell[1], s.taken_cell[0]
    s.open_cards = <uint8_t>(((s.open_cards & 1) << 1) | (s.open_cards >> 1))


cdef bint cards_hidden(const State *s) noexcept nogil:
    """Return whether what others saw in step 1 leaves open which card was resolved."""
    cdef const Player *p = &s.player[s.decider]
    cdef int card
    if equal_cards(s) or s.open_cards == 3:
        return False
    if s.open_cards and not (s.taken_cell[0] or s.taken_cell[1]):
        return (street_cells(s, s.decider, 0) | street_cells(s, s.decider, 1)) & p.tiles == 0
    for card in range(2):
        if s.taken_cell[card] and not fits_both(s, s.decider, s.taken_cell[card] - 1):
            return False
    return True


cdef void draw_cards_resolved(State *s, Rng *rng) noexcept nogil:
    """Draw which card an opponent in the middle of step 1 resolved, if it is not visible.

    Both cards are equally likely, unless only one of them leaves the opponent a choice.
    """
    cdef move_t moves[MAX_MOVES]
    cdef bint one, other
    if not cards_hidden(s):
        return
    if s.taken_cell[0] < s.taken_cell[1] or s.open_cards == 1:
        swap_takes(s)
    one = list_moves(s, moves) > 1
    swap_takes(s)
    other = list_moves(s, moves) > 1
    if other and not one:
        return
    if not rng_below(rng, 2) or one != other:
        swap_takes(s)


cdef void hide_taken(State *s, int player, Unseen *unseen) noexcept nogil:
    """Hide the tiles that the player has taken from plain cells in the current step 1."""
    cdef int card
    if s.stage != STAGE_TAKE or s.decider != player:
        return
    for card in range(2):
        if s.taken_cell[card] and not is_corner(s.taken_cell[card] - 1):
            hide(unseen, &s.taken[card])


cdef void hide_pair(Player *p, Unseen *unseen, Rng *rng) noexcept nogil:
    """Hide two unknown tiles; a tile that lay face up may be the kept or the passed one."""
    cdef byte_t seen = p.shown[1]
    cdef byte_t other
    cdef byte_t *place
    if not seen:
        hide(unseen, &p.kept)
        hide(unseen, &p.given)
        return
    other = p.given if p.kept == seen else p.kept
    place = &p.kept
    p.given = seen
    if rng_below(rng, 2):
        place = &p.given
        p.kept = seen
    place[0] = other
    if not p.shown[0]:
        hide(unseen, place)


cdef byte_t *hide_passed(State *s, int player, int observer, Unseen *unseen,
                         Rng *rng) noexcept nogil:
    """Hide the tiles that an opponent kept and passed.

    Return the tile that may be the one whose face everybody saw, or NULL if there is none.
    """
    cdef Player *p = &s.player[player]
    cdef bint know_kept = knows_kept(s, player, observer)
    cdef bint know_given = knows_given(s, player, observer)
    cdef byte_t seen = p.shown[1]
    cdef byte_t *other = &p.kept if know_given else &p.given
    if p.kept == 0 or (know_kept and know_given):
        return NULL
    if p.given == 0:
        if not know_kept and not seen:
            hide(unseen, &p.kept)
        return NULL
    if not know_kept and not know_given:
        hide_pair(p, unseen, rng)
        return NULL
    if not seen:
        hide(unseen, other)
    elif not p.shown[0] and (p.given if know_given else p.kept) == seen:
        hide(unseen, other)
        return other
    return NULL


cdef byte_t *find_unseen(State *s, int player, int observer, Unseen *unseen,
                         Rng *rng) noexcept nogil:
    """Gather the unseen tiles of a player's colour; return the result of hide_passed()."""
    cdef Player *p = &s.player[player]
    cdef uint64_t cells = p.tiles & ~corner_cells()
    cdef int kind
    cdef byte_t *either = NULL
    unseen.count = 0
    for kind in range(TILE_KINDS):
        unseen.kinds[kind] = 0
    while cells:
        hide(unseen, &p.tile[lowest_bit(cells)])
        cells &= cells - 1
    if s.stage == STAGE_SETUP:
        hide(unseen, &p.spare[0])
        hide(unseen, &p.spare[1])
    if s.stage == STAGE_SETUP or player != observer:
        hide(unseen, &p.ship_tile)
    if player != observer:
        hide_taken(s, player, unseen)
        either = hide_passed(s, player, observer, unseen, rng)
    unseen.gone = p.lost_count
    for kind in range(p.lost_count):
        hide(unseen, &p.lost[kind])
    return either


cdef void settle(Unseen *unseen, int i, int kind) noexcept nogil:
    """Put a tile into the i-th place, which is then no longer unseen."""
    cdef int hidden = unseen.count - unseen.gone
    unseen.place[i][0] = <byte_t>kind
    unseen.kinds[kind] -= 1
    if i < hidden:
        unseen.place[i] = unseen.place[hidden - 1]
        i = hidden - 1
    else:
        unseen.gone -= 1
    unseen.count -= 1
    unseen.place[i] = unseen.place[unseen.count]


cdef void settle_either(const Player *p, byte_t *either, Unseen *unseen) noexcept nogil:
    """Let the unknown tile of a pair be the one whose face everybody saw."""
    cdef int i = 0
    while unseen.place[i] != either:
        i += 1
    settle(unseen, i, p.shown[1])


cdef void draw_tiles(State *s, int player, int observer, Rng *rng) noexcept nogil:
    """Deal the unseen tiles of a player's colour again."""
    cdef Player *p = &s.player[player]
    cdef Unseen unseen
    cdef byte_t *either = find_unseen(s, player, observer, &unseen, rng)
    cdef int same
    if either != NULL:
        same = unseen.kinds[p.shown[1]]
        if <int>rng_below(rng, <unsigned int>(unseen.count + same)) < same:
            settle_either(p, either, &unseen)
    deal_again(&unseen, rng)


cdef void draw_unclear(State *s, int observer, Rng *rng) noexcept nogil:
    """Deal the unseen tiles of all colours again if owners of citizens in rows are unknown."""
    cdef Unseen unseen[MAX_PLAYERS]
    cdef byte_t *either[MAX_PLAYERS]
    cdef Pool pool[MAX_PLAYERS]
    cdef int gone[MAX_PLAYERS]
    cdef Player *p
    cdef Unseen *colour
    cdef int player, rank, hidden
    cdef bint fits
    for player in range(s.players):
        p = &s.player[player]
        colour = &unseen[player]
        either[player] = find_unseen(s, player, observer, colour, rng)
        pool[player].males = 0
        for rank in range(3):
            pool[player].males |= (colour.kinds[2 * rank + 1] > 0) << rank
        pool[player].others = colour.count - count_bits(pool[player].males)
        pool[player].places = colour.count - colour.gone
        pool[player].twins = colour.kinds[p.shown[1]] if either[player] != NULL else 0
    fits = draw_gone(s, pool, gone, rng)
    for player in range(s.players):
        p = &s.player[player]
        colour = &unseen[player]
        if either[player] != NULL and draw_twin(&pool[player], gone[player], rng):
            settle_either(p, either[player], colour)
        for rank in range(3):
            if fits and pool[player].males >> rank & 1:
                hidden = colour.count - colour.gone
                if gone[player] >> rank & 1:
                    settle(colour, hidden + <int>rng_below(rng, colour.gone), 2 * rank + 1)
                else:
                    settle(colour, <int>rng_below(rng, hidden), 2 * rank + 1)
        deal_again(colour, rng)


# The size is a variable, because the compiler would copy a block of constant size with an inline
# `rep movs`, which is slower for this size than memcpy() from the C library.
cdef size_t STATE_BYTES = sizeof(State)


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    cdef State *s = <State *>target
    cdef bint hides
    cdef int player
    memcpy(target, source, STATE_BYTES)
    hides = hides_step_one(s)
    shuffle_street_cards(s, rng)
    if s.stage == STAGE_SETUP:
        draw_setup(s, rng)
    if hides:
        take_others_back(s, observer)
    elif s.stage == STAGE_TAKE and s.decider != observer:
        draw_cards_resolved(s, rng)
    if is_unclear(s):
        draw_unclear(s, observer, rng)
    else:
        for player in range(s.players):
            draw_tiles(s, player, observer, rng)
    if hides:
        choose_for_others(s, observer, rng)


cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil:
    """Return what the observer sees of a move.

    Other players see nothing of a hidden step 1. Of an open step 1 they see cells and tribunes, but
    neither the card for which a tile was taken nor which tile was kept.
    """
    cdef const State *s = <const State *>state
    if s.decider == observer:
        return move
    if hides_step_one(s):
        return NOTHING_SEEN
    if s.decision == DECIDE_KEEP:
        return MOVE_KEEP
    if s.decision != DECIDE_TAKE or equal_cards(s):
        return move
    if move == MOVE_SKIP + 1:
        if (street_cells(s, s.decider, 0) & s.player[s.decider].tiles) == 0:
            return MOVE_SKIP
    elif move < MOVE_SKIP and (move - MOVE_TAKE) // BOARD % 2:
        if fits_both(s, s.decider, cell_of((move - MOVE_TAKE) % BOARD)):
            return move - BOARD
    return move


def choose_step_one(bytes data not None, int observer):
    """Return the state with a random step 1 of those who chose before `observer`, if it is hidden.

    This is needed for a state that was built from what the observer knows, in which the
    other players have not chosen yet.
    """
    cdef State state
    cdef Rng rng
    read_state(data, &state)
    check_seat(observer, state.players, "observer")
    if hides_step_one(&state):
        rng_seed(&rng, 0)
        take_others_back(&state, observer)
        choose_for_others(&state, observer, &rng)
    return bytes_of(&state)


def deal_unseen(bytes data not None, int observer):
    """Return the state with its unseen tiles dealt so that the citizens in the rows are possible.

    This is needed for a state that was built from what the observer knows, with unclear citizens.
    """
    cdef State state
    cdef Rng rng
    read_state(data, &state)
    check_seat(observer, state.players, "observer")
    rng_seed(&rng, 0)
    draw_unclear(&state, observer, &rng)
    return bytes_of(&state)


def list_arrangements(bytes data not None):
    """Return the states that others cannot distinguish from this one in an open step 1.

    They differ in which street card the decider resolved. This state comes first. The decider may
    have no choice in one of the states.
    """
    cdef State state
    cdef move_t moves[MAX_MOVES]
    read_state(data, &state)
    states = [data]
    if state.stage == STAGE_TAKE and not hides_step_one(&state) and cards_hidden(&state):
        swap_takes(&state)
        if list_moves(&state, moves) > 0:
            states.append(bytes_of(&state))
    return states


def restart_step_one(bytes data not None):
    """Return the state at the first choice of the current hidden step 1."""
    cdef State state
    cdef int player
    read_state(data, &state)
    for player in range(state.players):
        take_back(&state, player)
    forget_takes(&state)
    state.turn -= state.begun - 1
    state.begun = 1
    state.depth = 0
    state.decider = <byte_t>in_order(&state, 0)
    restart_takes(&state)
    return bytes_of(&state)


def look(bytes data not None, int observer):
    """Return (fields, unseen): the state with UNKNOWN for everything that `observer` cannot know.

    ``unseen[p][kind]`` is the number of unseen tiles of that kind in player p's colour. A tile
    kept or passed that could be inferred from faces shown is UNKNOWN, too, but is not counted.
    """
    cdef State state
    cdef Unseen unseen
    cdef Rng rng
    cdef State *s = &state
    cdef Player *p
    cdef int player, i
    cdef bint passed
    read_state(data, &state)
    check_seat(observer, state.players, "observer")
    rng_seed(&rng, 0)
    if hides_step_one(s):
        take_others_back(s, observer)
        if s.decider != observer:
            restart_takes(s)
    elif s.stage == STAGE_TAKE and s.decider != observer:
        draw_cards_resolved(s, &rng)
    counts = []
    for player in range(s.players):
        p = &s.player[player]
        passed = p.given != 0
        find_unseen(s, player, observer, &unseen, &rng)
        counts.append([unseen.kinds[i] for i in range(TILE_KINDS)])
        for i in range(unseen.count):
            unseen.place[i][0] = UNKNOWN
        if passed and not knows_kept(s, player, observer):
            p.kept = UNKNOWN
        if passed and not knows_given(s, player, observer):
            p.given = UNKNOWN
        if s.stage == STAGE_SETUP:
            p.start_worker = UNKNOWN
            if player > s.decider or (player == s.decider and s.decision == DECIDE_CRANE):
                p.start_class = UNKNOWN
    for i in range(STREET_CARDS):
        if i < s.forgotten_cards or i >= open_street_cards(s):
            s.street_cards[i] = UNKNOWN
    return state, counts
