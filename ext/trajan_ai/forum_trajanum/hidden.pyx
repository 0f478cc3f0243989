"""What a player cannot know, and drawing it anew (rules, A11 and A14).

Unknown to everybody: the order of street cards not yet turned, the faces of tiles that lie face
down on a grid; during the setup also every tile but the female citizens, the workers, and the
start citizens of those who still choose cranes. Known to its owner alone: the ship tile of the
setup, and which tile he kept; to giver and receiver, once all have passed: the tile passed.

The draw is uniform over the worlds that an observer cannot tell apart: every distribution of a
player's unseen tiles over the places where they may be, times either choice of the tile kept.
So where one of two taken tiles lay face up, X, and the one revealed since is an X as well, the
other one is an unseen tile in N parts of N + c, and in c parts the X that all had seen: N unseen
tiles, c of them an X.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from trajan_ai.core.bits cimport lowest_bit
from trajan_ai.core.game cimport move_t
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, shuffle_bytes
from trajan_ai.forum_trajanum.moves cimport (
    BOARD, M_KEEP, M_SKIP, M_TAKE, M_TAKE_TRIBUNE, mask_cell,
)
from trajan_ai.forum_trajanum.play cimport MAX_MOVES, in_order, list_moves, street_cells
from trajan_ai.forum_trajanum.types cimport (
    CHOOSE_CRANE, CHOOSE_KEEP, CHOOSE_TAKE, Player, Stage, State, TILE_KINDS, byte_t,
)

cdef enum:
    SYMBOLS = 12
    CARDS = 24
    PLACES = 34
    CORNERS_MASK = 0x210000000021
    UNKNOWN = 255           # in the fields that look() returns

# Places that hold tiles an observer does not know, and how many of each kind lie there.
cdef struct Unseen:
    byte_t *place[34]
    int count
    int kinds[35]


cdef inline void hide(Unseen *unseen, byte_t *place) noexcept nogil:
    unseen.place[unseen.count] = place
    unseen.count += 1
    unseen.kinds[place[0]] += 1


cdef void deal_again(Unseen *unseen, Rng *rng) noexcept nogil:
    """Shuffle the unseen tiles over their places, from a fixed order."""
    cdef uint8_t tiles[34]
    cdef int kind, i
    cdef int count = 0
    for kind in range(TILE_KINDS):
        for i in range(unseen.kinds[kind]):
            tiles[count] = <uint8_t>kind
            count += 1
    shuffle_bytes(rng, tiles, count)
    for i in range(count):
        unseen.place[i][0] = tiles[i]


cdef inline int known_street_cards(const State *s) noexcept nogil:
    if s.stage < Stage.TAKE:
        return 0
    return 2 * (s.round + 1)


cdef void shuffle_street_cards(State *s, Rng *rng) noexcept nogil:
    """Shuffle the street cards not yet turned, over all decks."""
    cdef uint8_t cards[24]
    cdef int left[12]
    cdef int known = known_street_cards(s)
    cdef int i, symbol
    cdef int count = 0
    for symbol in range(SYMBOLS):
        left[symbol] = 0
    for i in range(known, CARDS):
        left[s.street_cards[i]] += 1
    for symbol in range(SYMBOLS):
        for i in range(left[symbol]):
            cards[count] = <uint8_t>symbol
            count += 1
    shuffle_bytes(rng, cards, count)
    for i in range(count):
        s.street_cards[known + i] = cards[i]


cdef void draw_setup(State *s, Rng *rng) noexcept nogil:
    """Start citizens that are not drawn yet, and workers."""
    cdef uint8_t colours[4]
    cdef int player
    for player in range(4):
        colours[player] = <uint8_t>player
    shuffle_bytes(rng, colours, 4)
    for player in range(s.players):
        s.player[player].start_worker = colours[player]
        if player > s.actor or (player == s.actor and s.decision == CHOOSE_CRANE):
            s.player[player].start_class = <uint8_t>rng_below(rng, 3)


cdef inline bint fits_both(const State *s, int player, int cell) noexcept nogil:
    """Whether a cell lies in both streets or in neither: its card does not show."""
    return ((street_cells(s, player, 0) >> cell) & 1) == ((street_cells(s, player, 1) >> cell) & 1)


cdef inline bint equal_cards(const State *s) noexcept nogil:
    return s.street_cards[2 * s.round] == s.street_cards[2 * s.round + 1]


cdef inline void swap_takes(State *s) noexcept nogil:
    s.taken[0], s.taken[1] = s.taken[1], s.taken[0]
    s.taken_cell[0], s.taken_cell[1] = s.taken_cell[1], s.taken_cell[0]
    s.open_cards = <uint8_t>(((s.open_cards & 1) << 1) | (s.open_cards >> 1))


cdef bint cards_hidden(const State *s) noexcept nogil:
    """Whether others cannot tell which card was resolved by what they saw in step 1."""
    cdef const Player *p = &s.player[s.actor]
    cdef int card
    if equal_cards(s) or s.open_cards == 3:
        return False
    if s.open_cards and not (s.taken_cell[0] or s.taken_cell[1]):
        return (street_cells(s, s.actor, 0) | street_cells(s, s.actor, 1)) & p.tiles == 0
    for card in range(2):
        if s.taken_cell[card] and not fits_both(s, s.actor, s.taken_cell[card] - 1):
            return False
    return True


cdef void draw_cards_resolved(State *s, Rng *rng) noexcept nogil:
    """Which card an opponent in the middle of step 1 resolved, where it does not show."""
    cdef move_t moves[MAX_MOVES]
    if not cards_hidden(s):
        return
    if s.taken_cell[0] < s.taken_cell[1] or s.open_cards == 1:
        swap_takes(s)
        if list_moves(s, moves) < 2:
            swap_takes(s)
            return
    if rng_below(rng, 2):
        swap_takes(s)
        if list_moves(s, moves) < 2:
            swap_takes(s)


cdef inline bint begun(const State *s, int player) noexcept nogil:
    """Whether the player has revealed his tiles in step 2 of this round."""
    cdef int place
    if s.stage != Stage.TURN:
        return False
    for place in range(s.seated):
        if in_order(s, place) == player:
            return True
    return False


cdef void hide_taken(State *s, int player, Unseen *unseen) noexcept nogil:
    """Tiles that the player has taken in a step 1 that still runs, from under a plain cell."""
    cdef int card
    if s.stage != Stage.TAKE or s.actor != player:
        return
    for card in range(2):
        if s.taken_cell[card] and not (CORNERS_MASK >> (s.taken_cell[card] - 1)) & 1:
            hide(unseen, &s.taken[card])


cdef inline bint knows_kept(const State *s, int player, int observer) noexcept nogil:
    return player == observer or begun(s, player)


cdef inline bint knows_given(const State *s, int player, int observer) noexcept nogil:
    """Whether an observer has seen the tile passed: giver, receiver, or all once it is shown."""
    cdef int right = (player if player else <int>s.players) - 1
    return player == observer or begun(s, right) or (
        right == observer and s.stage > Stage.TAKE)


cdef void hide_pair(Player *p, Unseen *unseen, Rng *rng) noexcept nogil:
    """Two tiles of which none is known; where one or both lay face up, either is the kept one."""
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
    """Tiles kept and passed by an opponent; returns the one that may be the tile seen, X."""
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
    """Gather the unseen tiles of a player's colour; returns what hide_passed does."""
    cdef Player *p = &s.player[player]
    cdef uint64_t cells = p.tiles & ~<uint64_t>CORNERS_MASK
    cdef int kind
    unseen.count = 0
    for kind in range(TILE_KINDS):
        unseen.kinds[kind] = 0
    while cells:
        hide(unseen, &p.tile[lowest_bit(cells)])
        cells &= cells - 1
    if s.stage == Stage.SETUP:
        hide(unseen, &p.spare[0])
        hide(unseen, &p.spare[1])
    if s.stage == Stage.SETUP or player != observer:
        hide(unseen, &p.ship_tile)
    if player == observer:
        return NULL
    hide_taken(s, player, unseen)
    return hide_passed(s, player, observer, unseen, rng)


cdef void draw_tiles(State *s, int player, int observer, Rng *rng) noexcept nogil:
    """Deal the unseen tiles of a player's colour again."""
    cdef Player *p = &s.player[player]
    cdef Unseen unseen
    cdef byte_t *either = find_unseen(s, player, observer, &unseen, rng)
    cdef int same
    if either != NULL:
        same = unseen.kinds[p.shown[1]]
        if <int>rng_below(rng, <unsigned int>(unseen.count + same)) < same:
            either[0] = p.shown[1]
            unseen.kinds[p.shown[1]] -= 1
            unseen.count -= 1
    deal_again(&unseen, rng)


cdef void determinize(const void *source, void *target, int observer, Rng *rng) noexcept nogil:
    cdef State *s = <State *>target
    cdef int player
    memcpy(target, source, sizeof(State))
    shuffle_street_cards(s, rng)
    if s.stage == Stage.SETUP:
        draw_setup(s, rng)
    if s.stage == Stage.TAKE and s.actor != observer:
        draw_cards_resolved(s, rng)
    for player in range(s.players):
        draw_tiles(s, player, observer, rng)


cdef move_t observed(const void *state, move_t move, int observer) noexcept nogil:
    """Of step 1 others see the cells and what is paid, not the card and not the tile kept."""
    cdef const State *s = <const State *>state
    if s.actor == observer:
        return move
    if s.decision == CHOOSE_KEEP:
        return M_KEEP
    if s.decision != CHOOSE_TAKE or equal_cards(s):
        return move
    if move == M_SKIP + 1:
        if (street_cells(s, s.actor, 0) & s.player[s.actor].tiles) == 0:
            return M_SKIP
    elif move < M_SKIP and (move - M_TAKE) // BOARD % 2:
        if fits_both(s, s.actor, mask_cell((move - M_TAKE) % BOARD)):
            return move - BOARD
    return move


def look(bytes data not None, int observer):
    """Return (fields, unseen): the state with UNKNOWN wherever `observer` cannot know.

    ``unseen[p][kind]`` is the number of unseen tiles of a kind of player p's colour; a tile kept
    or passed that could be inferred from faces shown is UNKNOWN and not among them.
    """
    cdef State state
    cdef Unseen unseen
    cdef Rng rng
    cdef State *s = &state
    cdef Player *p
    cdef int player, i
    cdef bint passed
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(&state, <const char *>data, sizeof(State))
    rng_seed(&rng, 0)
    if s.stage == Stage.TAKE and s.actor != observer:
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
        if s.stage == Stage.SETUP:
            p.start_worker = UNKNOWN
            if player > s.actor or (player == s.actor and s.decision == CHOOSE_CRANE):
                p.start_class = UNKNOWN
    for i in range(known_street_cards(s), CARDS):
        s.street_cards[i] = UNKNOWN
    return state, counts
