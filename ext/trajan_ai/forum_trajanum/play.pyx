"""The course of a game: what may be decided, and what a decision does (rules, A1 to A8, A14).

Whatever is still to happen waits on a stack of tasks. A player's run of decisions pushes its
tasks in reverse; a task that asks becomes the decision, the others carry themselves out, and
what a reward brings is pushed on top: depth first, as the rules want it.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

from trajan_ai.core.bits cimport count_bits, lowest_bit, pick_bit
from trajan_ai.core.game cimport NO_PLAYER, move_t
from trajan_ai.core.rng cimport Rng, rng_below
from trajan_ai.forum_trajanum.moves cimport *
from trajan_ai.forum_trajanum.scoring cimport score_phase
from trajan_ai.forum_trajanum.types cimport *

cdef extern from *:
    """
    #include <assert.h>
    #ifdef NDEBUG
    #define FORUM_CHECKED 0
    #else
    #define FORUM_CHECKED 1
    #endif
    static inline void forum_require(int condition) { assert(condition); (void)condition; }
    """
    const bint CHECKED "FORUM_CHECKED"              # compiled in by TRAJAN_DEBUG=1
    void require "forum_require"(bint condition) noexcept nogil

cdef enum:
    FIRST_OF_TWO = 6        # argument of CHOOSE_BONUS: another, different one follows
    SHORT_LIST = 48         # the most moves of a decision but CHOOSE_BUILD, TAKE, ENVOY, TILE

# The corners in the order A1, F1, A6, F6.
cdef int[4] CORNER_CELL = [0, 5, 40, 45]

# Conversions of Merchant II: from and to, in the order of M_SWAP.
cdef int[6] SWAP_FROM = [COIN, COIN, ASSISTANT, ASSISTANT, TRIBUNE, TRIBUNE]
cdef int[6] SWAP_TO = [ASSISTANT, TRIBUNE, COIN, TRIBUNE, COIN, ASSISTANT]

# Resources in the order of M_GAIN.
cdef int[7] GAINED = [COIN, TRIBUNE, ASSISTANT, BLUE, GREEN, RED, YELLOW]


# The rows of a city board, then its columns.
cdef uint64_t[12] STREET_CELLS = [
    <uint64_t>0x3F, <uint64_t>0x3F << 8, <uint64_t>0x3F << 16, <uint64_t>0x3F << 24,
    <uint64_t>0x3F << 32, <uint64_t>0x3F << 40,
    <uint64_t>0x010101010101, <uint64_t>0x010101010101 << 1, <uint64_t>0x010101010101 << 2,
    <uint64_t>0x010101010101 << 3, <uint64_t>0x010101010101 << 4, <uint64_t>0x010101010101 << 5]


# What the player to decide may build now.
cdef struct Builds:
    uint64_t cells          # legal cells
    uint64_t across         # left cells of legal pairs
    uint64_t down           # upper cells of legal pairs
    int singles             # buildings as bits
    int doubles             # grey and colour: colours as bits
    int twins               # colour twice: colours as bits
    int conversions         # moves from M_SWAP to M_PROMOTE as bits


# --- small questions ---------------------------------------------------------------------------

cdef inline uint64_t bit(int cell) noexcept nogil:
    return <uint64_t>1 << cell


cdef inline int corner_of(int cell) noexcept nogil:
    """Number of a corner cell, -1 of any other."""
    if cell == 0:
        return 0
    if cell == 5:
        return 1
    if cell == 40:
        return 2
    if cell == 45:
        return 3
    return -1


cdef inline int left_of(const State *s, int player) noexcept nogil:
    return 0 if player + 1 == s.players else player + 1


cdef int in_order(const State *s, int place) noexcept nogil:
    """The player whose run is number `place` of the stage."""
    if s.stage < Stage.TAKE:
        return place
    place += s.players - (s.round + (s.stage == Stage.WAGES)) % s.players
    return place - s.players if place >= s.players else place


cdef uint64_t street_cells(const State *s, int player, int card) noexcept nogil:
    """Cells of the player's street that street card `card` of the round shows."""
    return STREET_CELLS[s.player[player].street[s.street_cards[2 * s.round + card]]]


cdef inline int asked_cards(const State *s) noexcept nogil:
    """Cards that may be resolved now, as bits: of two equal ones the first."""
    if s.open_cards == 3 and (s.street_cards[2 * s.round]
                              == s.street_cards[2 * s.round + 1]):
        return 1
    return s.open_cards


cdef inline uint64_t buildings(const Player *p) noexcept nogil:
    return (p.built[0] | p.built[1] | p.built[2] | p.built[3]
            | p.built[4] | p.built[5] | p.built[6] | p.built[7])


cdef inline cells_t colour_cells(const State *s, int colour) noexcept nogil:
    return mosaic(&s.colour[2 * colour])


cdef inline cells_t all_envoys(const State *s) noexcept nogil:
    return (mosaic(s.player[0].envoys) | mosaic(s.player[1].envoys)
            | mosaic(s.player[2].envoys) | mosaic(s.player[3].envoys))


cdef cells_t envoy_cells(const State *s, const Player *p, int kind) noexcept nogil:
    """Mosaic cells an envoy may go to: of a colour, ANY_COLOUR or EAGLE (A7)."""
    cdef cells_t free = ~all_envoys(s)
    cdef cells_t started
    if p.ship == 0:
        return 0
    if kind == EAGLE:
        return mosaic(s.eagles) & free
    if kind == ANY_COLOUR:
        return free & (colour_cells(s, 0) | colour_cells(s, 1) | colour_cells(s, 2)
                       | colour_cells(s, 3))
    free &= colour_cells(s, kind)
    started = free & mosaic(s.touched)
    if started and not is_active(p, PATRICIAN_1):
        return started
    return free


cdef inline bint can_pay(uint64_t resources, uint64_t cost) noexcept nogil:
    """Whether no byte of `cost` is above that of `resources`; counters stay below 128."""
    cdef uint64_t high = <uint64_t>0x8080808080808080
    return ((resources | high) - cost) & high == high


cdef inline int payment_target(int move) noexcept nogil:
    """What a build move pays for: an index of Payments."""
    cdef int building
    if move < M_BUILD_GREY:
        building = (move - M_BUILD) // BOARD
        return 0 if building < STRUCTURE else 1 + building - STRUCTURE
    if move < M_BUILD_TWO:
        return 5 + ((move - M_BUILD_GREY) // (2 * PAIRS)) % 4
    return 9 + (move - M_BUILD_TWO) // PAIRS


cdef bint can_pay_target(const State *s, const Player *p, int target) noexcept nogil:
    cdef int row = (s.variant & RECOLOUR_IN_SWAP) * PAYMENT_TARGETS + target
    cdef const uint8_t *found = &payments.list[row * PAYMENT_LIST]
    cdef int i
    for i in range(payments.count[row]):
        if can_pay(p.resources, payments.cost[found[i]]):
            return True
    return False


cdef inline int pairs_of_workers(const Player *p) noexcept nogil:
    """Colours of which there are two workers or more, as bits."""
    cdef uint64_t two = ((p.resources >> 8) + <uint64_t>0x7E7E7E7E) & <uint64_t>0x80808080
    return <int>(((two >> 7) | (two >> 14) | (two >> 21) | (two >> 28)) & 15)


cdef bint can_pay_double(const State *s, const Player *p, int colour, int own, int workers,
                         int pairs) noexcept nogil:
    """Whether a grey building and a structure of `colour` can be paid together."""
    cdef int assistants = stock(p, ASSISTANT)
    if s.variant & RECOLOUR_IN_SWAP:
        return can_pay_target(s, p, 5 + colour)
    if stock(p, BUILDER) and (own or assistants):
        return True
    if workers < 3:
        return False
    if pairs & ~(1 << colour) and (own or assistants):
        return True
    return own >= 2 and (own >= 3 or assistants)


cdef void find_builds(const State *s, const Player *p, Builds *b) noexcept nogil:
    """Fill `b` with what the player may build and convert now (A6, A7, A14)."""
    cdef int workers = worker_count(p)
    cdef int assistants = stock(p, ASSISTANT)
    cdef int pairs = pairs_of_workers(p)
    cdef int colour, grey, own, left
    b.conversions = conversions(s, p, assistants)
    b.singles = 0
    b.doubles = 0
    b.twins = 0
    b.cells = s.plain & ~p.tiles & ~buildings(p)
    b.across = b.cells & (b.cells >> 1)
    b.down = b.cells & (b.cells >> 8)
    if b.cells == 0 or workers + stock(p, BUILDER) == 0:
        return
    grey = stock(p, BUILDER) | pairs
    if s.variant & RECOLOUR_IN_SWAP:
        grey = can_pay_target(s, p, 0)
    for colour in range(4):
        own = stock(p, BLUE + colour)
        # Sums of conditions, not branches: which colours are left is hard to predict.
        left = s.singles[colour] != 0
        b.singles |= (left & (grey != 0)) << s.grey_of[colour]
        b.singles |= (left & ((own != 0) | ((workers != 0) & (assistants != 0)))) << (
            STRUCTURE + colour)
        if s.doubles[colour] == 0 or workers == 0:
            continue
        if grey and can_pay_double(s, p, colour, own, workers, pairs):
            b.doubles |= 1 << colour
        b.twins |= ((own >= 2) | ((workers >= 2) & (own + assistants >= 2))) << colour


cdef inline int conversions(const State *s, const Player *p, int assistants) noexcept nogil:
    """Conversions on offer, as bits counted from M_SWAP."""
    cdef int found = 0
    if p.active & ((1 << MERCHANT_2) | (1 << CRAFTSMAN_1) | (1 << CRAFTSMAN_2)) == 0:
        return 0
    if is_active(p, MERCHANT_2) and not s.swapped:
        if stock(p, COIN):
            found |= 3
        if assistants:
            found |= 3 << 2
        if stock(p, TRIBUNE):
            found |= 3 << 4
    if assistants:
        if is_active(p, CRAFTSMAN_1) and s.trained < 2:
            found |= 15 << 6
        if is_active(p, CRAFTSMAN_2) and not s.promoted:
            found |= 1 << 10
    return found


# --- legal moves -------------------------------------------------------------------------------

cdef inline move_t *list_cells(uint64_t cells, int base, move_t *out) noexcept nogil:
    while cells:
        out[0] = base + board_cell(lowest_bit(cells))
        out += 1
        cells &= cells - 1
    return out


cdef inline move_t *list_pairs(const Builds *b, int base, move_t *out) noexcept nogil:
    """Moves of a double tile, horizontal pairs first."""
    cdef uint64_t cells = b.across
    cdef int cell
    while cells:
        cell = lowest_bit(cells)
        out[0] = base + (cell >> 3) * 5 + (cell & 7)
        out += 1
        cells &= cells - 1
    return list_cells(b.down, base + 30, out)


cdef inline move_t *list_bits(int found, int base, move_t *out) noexcept nogil:
    while found:
        out[0] = base + lowest_bit(found)
        out += 1
        found &= found - 1
    return out


cdef move_t *list_takes(const State *s, const Player *p, move_t *out) noexcept nogil:
    """Step 1 (A3, A14)."""
    cdef int cards = asked_cards(s)
    cdef int card
    cdef uint64_t street
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.actor, card) & p.tiles
        if street:
            out = list_cells(street, M_TAKE + BOARD * card, out)
        else:
            out[0] = M_SKIP + card
            out += 1
        if stock(p, TRIBUNE):
            out = list_cells(p.tiles & ~street, M_TAKE_TRIBUNE + BOARD * card, out)
    return out


cdef move_t *list_reserve(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef int i
    for i in range(p.reserve_count):
        if i == 0 or p.reserve[i] != p.reserve[i - 1]:
            out[0] = M_RESERVE + s.tile_name[p.reserve[i]]
            out += 1
    out[0] = M_NO_RESERVE
    return out + 1


cdef move_t *list_uses(const State *s, const Player *p, move_t *out) noexcept nogil:
    """Step 2a: own or received; with two tribunes both, in either order."""
    out = list_bits(s.hand, M_USE, out)
    if s.hand == 3 and stock(p, TRIBUNE) >= 2:
        out = list_bits(3, M_USE + 2, out)
    return out


cdef move_t *list_envoys(cells_t cells, move_t *out) noexcept nogil:
    """Cells and `no envoy`; nothing where there is no cell."""
    cdef uint64_t word = <uint64_t>cells
    if cells == 0:
        return out
    while word:
        out[0] = M_ENVOY + mosaic_place(lowest_bit(word))
        out += 1
        word &= word - 1
    word = <uint64_t>(cells >> 64)
    while word:
        out[0] = M_ENVOY + mosaic_place(64 + lowest_bit(word))
        out += 1
        word &= word - 1
    out[0] = M_NO_ENVOY
    return out + 1


cdef move_t *list_builds(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef Builds b
    cdef int building, colour, base
    find_builds(s, p, &b)
    out = list_bits(b.conversions, M_SWAP, out)
    out[0] = M_NO_BUILD
    out += 1
    for building in range(BUILDINGS):
        if (b.singles >> building) & 1:
            out = list_cells(b.cells, M_BUILD + BOARD * building, out)
    for colour in range(4):
        if (b.doubles >> colour) & 1:
            base = M_BUILD_GREY + (s.grey_of[colour] * 4 + colour) * 2 * PAIRS
            out = list_pairs(&b, base, out)
            out = list_pairs(&b, base + PAIRS, out)
    for colour in range(4):
        if (b.twins >> colour) & 1:
            out = list_pairs(&b, M_BUILD_TWO + colour * PAIRS, out)
    return out


cdef move_t *list_payments(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef int row = ((s.variant & RECOLOUR_IN_SWAP) * PAYMENT_TARGETS + payment_target(s.plan))
    cdef const uint8_t *found = &payments.list[row * PAYMENT_LIST]
    cdef int i
    for i in range(payments.count[row]):
        if can_pay(p.resources, payments.cost[found[i]]):
            out[0] = M_PAY + found[i]
            out += 1
    return out


cdef move_t *list_seats(const Player *p, int citizen_class, move_t *out) noexcept nogil:
    cdef int row
    for row in range(2 * citizen_class, 2 * citizen_class + 2):
        if p.citizens[row] < 2:
            out[0] = M_SEAT + row
            out += 1
    return out


cdef move_t *list_gains(int gains, move_t *out) noexcept nogil:
    if gains == ANY_WORKER:
        return list_bits(15, M_GAIN + 3, out)
    return list_bits(3 if gains == COIN_OR_TRIBUNE else 5, M_GAIN, out)


cdef move_t *list_bonuses(int argument, move_t *out) noexcept nogil:
    cdef int found = 31
    if 0 < argument < FIRST_OF_TWO:
        found &= ~(1 << (argument - 1))
    return list_bits(found, M_BONUS, out)


cdef move_t *list_cranes(const Player *p, move_t *out) noexcept nogil:
    cdef int found = 15
    cdef int corner
    for corner in range(4):
        if p.crane[corner]:
            found &= ~(1 << (p.crane[corner] - 1))
    return list_bits(found, M_CRANE, out)


cdef move_t *list_upgrades(const State *s, const Player *p, move_t *out) noexcept nogil:
    """`step`, and with Merchant I `cypress` where it leads further."""
    if is_active(p, MERCHANT_1) and s.cypress[p.slider] > p.slider + 1:
        return list_bits(3, M_UPGRADE, out)
    return list_bits(1, M_UPGRADE, out)


cdef move_t *list_wages(const Player *p, int row, move_t *out) noexcept nogil:
    if stock(p, COIN):
        out[0] = M_WAGE + row
        out += 1
    out[0] = M_NO_WAGE + row
    return out + 1


cdef uint64_t female_corners(const Player *p) noexcept nogil:
    cdef uint64_t cells = 0
    cdef int corner, tile
    for corner in range(4):
        tile = p.tile[CORNER_CELL[corner]]
        if tile in (2, 4, 6):
            cells |= bit(CORNER_CELL[corner])
    return cells


cdef int options(const State *s, move_t *moves) noexcept nogil:
    """List the moves of the decision at hand, also where there is but one or none."""
    cdef int decision = s.decision
    cdef const Player *p = &s.player[s.actor]
    cdef move_t *out = moves
    if decision == CHOOSE_BUILD:
        out = list_builds(s, p, out)
    elif decision == CHOOSE_TAKE:
        out = list_takes(s, p, out)
    elif decision == CHOOSE_KEEP:
        out = list_bits(3, M_KEEP, out)
    elif decision == CHOOSE_USE:
        out = list_uses(s, p, out)
    elif decision == CHOOSE_ENVOY:
        out = list_envoys(envoy_cells(s, p, s.argument), out)
    elif decision == CHOOSE_PAYMENT:
        out = list_payments(s, p, out)
    elif decision == CHOOSE_SEAT:
        out = list_seats(p, s.argument, out)
    elif decision == CHOOSE_WAGE:
        out = list_wages(p, s.argument, out)
    elif decision == CHOOSE_BONUS:
        out = list_bonuses(s.argument, out)
    elif decision == CHOOSE_GAIN:
        out = list_gains(s.argument, out)
    elif decision == CHOOSE_UPGRADE:
        out = list_upgrades(s, p, out)
    elif decision == CHOOSE_REWARD:
        out = list_bits(3, M_REWARD + 4 * s.argument + p.marker[s.argument] - 2, out)
    elif decision == CHOOSE_RESERVE:
        out = list_reserve(s, p, out)
    elif decision == CHOOSE_TILE:
        out = list_cells(p.tiles, M_TILE, out)
    elif decision == CHOOSE_CRANE:
        out = list_cranes(p, out)
    elif decision == CHOOSE_CORNER:
        out = list_bits(15, M_CORNER, out)
    elif decision == CHOOSE_NOVICE:
        out = list_cells(female_corners(p), M_TILE, out)
    return <int>(out - moves)


# --- counting and picking without a list --------------------------------------------------------

cdef int count_takes(const State *s, const Player *p) noexcept nogil:
    cdef int cards = asked_cards(s)
    cdef int card, count = 0
    cdef uint64_t street
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.actor, card) & p.tiles
        count += count_bits(street) if street else 1
        if stock(p, TRIBUNE):
            count += count_bits(p.tiles & ~street)
    return count


cdef move_t pick_take(const State *s, const Player *p, int k) noexcept nogil:
    """The k-th move of list_takes."""
    cdef int cards = asked_cards(s)
    cdef int card, count
    cdef uint64_t street
    for card in range(2):
        if (cards >> card) & 1 == 0:
            continue
        street = street_cells(s, s.actor, card) & p.tiles
        count = count_bits(street)
        if k < count:
            return M_TAKE + BOARD * card + board_cell(pick_bit(street, k))
        if count == 0:
            if k == 0:
                return M_SKIP + card
            count = 1
        k -= count
        if stock(p, TRIBUNE):
            street = p.tiles & ~street
            count = count_bits(street)
            if k < count:
                return M_TAKE_TRIBUNE + BOARD * card + board_cell(pick_bit(street, k))
            k -= count
    return M_SKIP


cdef int count_builds(const Builds *b) noexcept nogil:
    cdef int pairs
    if b.singles == 0:  # nor anything dearer
        return count_bits(b.conversions) + 1
    pairs = count_bits(b.across) + count_bits(b.down)
    return (count_bits(b.conversions) + 1 + count_bits(b.singles) * count_bits(b.cells)
            + pairs * (2 * count_bits(b.doubles) + count_bits(b.twins)))


cdef inline int pick_pair(const Builds *b, int k) noexcept nogil:
    cdef int across = count_bits(b.across)
    cdef int cell
    if k >= across:
        return 30 + board_cell(pick_bit(b.down, k - across))
    cell = pick_bit(b.across, k)
    return (cell >> 3) * 5 + (cell & 7)


cdef move_t pick_build(const State *s, const Builds *b, int k) noexcept nogil:
    """The k-th move of list_builds."""
    cdef int cells, pairs, colour
    cdef int size = count_bits(b.conversions)
    if k < size:
        return M_SWAP + pick_bit(b.conversions, k)
    k -= size
    if k == 0:
        return M_NO_BUILD
    k -= 1
    cells = count_bits(b.cells)
    size = count_bits(b.singles) * cells
    if k < size:
        return M_BUILD + BOARD * pick_bit(b.singles, k // cells) + board_cell(
            pick_bit(b.cells, k % cells))
    k -= size
    pairs = count_bits(b.across) + count_bits(b.down)
    size = count_bits(b.doubles) * 2 * pairs
    if k < size:
        colour = pick_bit(b.doubles, k // (2 * pairs))
        k %= 2 * pairs
        return (M_BUILD_GREY + ((s.grey_of[colour] * 4 + colour) * 2 + k // pairs) * PAIRS
                + pick_pair(b, k % pairs))
    k -= size
    return M_BUILD_TWO + pick_bit(b.twins, k // pairs) * PAIRS + pick_pair(b, k % pairs)


cdef move_t pick_envoy(cells_t cells, int k) noexcept nogil:
    """The k-th move of list_envoys."""
    cdef int low = count_bits(<uint64_t>cells)
    if k < low:
        return M_ENVOY + mosaic_place(pick_bit(<uint64_t>cells, k))
    k -= low
    if k < count_bits(<uint64_t>(cells >> 64)):
        return M_ENVOY + mosaic_place(64 + pick_bit(<uint64_t>(cells >> 64), k))
    return M_NO_ENVOY


cdef int count_options(const State *s, Builds *b) noexcept nogil:
    """The number of options; `b` is filled where the decision is CHOOSE_BUILD."""
    cdef const Player *p = &s.player[s.actor]
    cdef int decision = s.decision
    cdef move_t moves[SHORT_LIST]
    cdef cells_t cells
    if decision == CHOOSE_BUILD:
        find_builds(s, p, b)
        return count_builds(b)
    elif decision == CHOOSE_TAKE:
        return count_takes(s, p)
    elif decision == CHOOSE_KEEP:
        return 2
    elif decision == CHOOSE_USE:
        if s.hand < 3:
            return 1
        return 4 if stock(p, TRIBUNE) >= 2 else 2
    elif decision == CHOOSE_ENVOY:
        cells = envoy_cells(s, p, s.argument)
        return count_mosaic(cells) + 1 if cells else 0
    elif decision == CHOOSE_TILE:
        return count_bits(p.tiles)
    elif decision == CHOOSE_SEAT:
        return (p.citizens[2 * s.argument] < 2) + (p.citizens[2 * s.argument + 1] < 2)
    elif decision == CHOOSE_WAGE:
        return 2 if stock(p, COIN) else 1
    elif decision == CHOOSE_REWARD:
        return 2
    return options(s, moves)


cdef move_t pick_option(const State *s, const Builds *b, int k) noexcept nogil:
    """The k-th option, in the order of the list."""
    cdef const Player *p = &s.player[s.actor]
    cdef int decision = s.decision
    cdef move_t moves[SHORT_LIST]
    if decision == CHOOSE_BUILD:
        return pick_build(s, b, k)
    elif decision == CHOOSE_TAKE:
        return pick_take(s, p, k)
    elif decision == CHOOSE_KEEP:
        return M_KEEP + k
    elif decision == CHOOSE_USE:
        return M_USE + (k if s.hand == 3 else s.hand >> 1)
    elif decision == CHOOSE_ENVOY:
        return pick_envoy(envoy_cells(s, p, s.argument), k)
    elif decision == CHOOSE_TILE:
        return M_TILE + board_cell(pick_bit(p.tiles, k))
    options(s, moves)
    return moves[k]


# --- what moves and tasks do -------------------------------------------------------------------

cdef inline void push(State *s, int task, int argument) noexcept nogil:
    require(s.depth < STACK)
    s.stack[2 * s.depth] = <uint8_t>task
    s.stack[2 * s.depth + 1] = <uint8_t>argument
    s.depth += 1


cdef inline int class_of(int tile) noexcept nogil:
    """Class of a citizen tile; resource tiles have numbers from 7."""
    return (tile - 1) >> 1


cdef int lift(Player *p, int cell) noexcept nogil:
    """Take the tile from a cell of the grid; a corner's crane opens."""
    cdef int tile = p.tile[cell]
    cdef int corner = corner_of(cell)
    p.tiles &= ~bit(cell)
    p.tile[cell] = 0
    if corner >= 0:
        p.crane_open |= <uint8_t>(1 << corner)
    return tile


cdef void set_corner(State *s, Player *p, int corner) noexcept nogil:
    """The two female citizens go to `corner` and the opposite one, the other tiles wait."""
    cdef int first = 1 if p.start_class == 2 else 2
    cdef int second = 1 if p.start_class == 0 else 0
    p.tile[CORNER_CELL[corner]] = <uint8_t>(2 * first + 2)
    p.tile[CORNER_CELL[3 - corner]] = <uint8_t>(2 * second + 2)
    p.tiles |= bit(CORNER_CELL[corner]) | bit(CORNER_CELL[3 - corner])


cdef void reserve_tile(Player *p, int tile) noexcept nogil:
    """Lay a tile into the reserve, kept in ascending order."""
    cdef int i = p.reserve_count
    require(i < RESERVE and tile > 0)
    while i > 0 and p.reserve[i - 1] > tile:
        p.reserve[i] = p.reserve[i - 1]
        i -= 1
    p.reserve[i] = <uint8_t>tile
    p.reserve_count += 1


cdef void pick_reserve(const State *s, Player *p, int name) noexcept nogil:
    cdef int i = 0
    while s.tile_name[p.reserve[i]] != name:
        i += 1
    p.picked = p.reserve[i]
    p.reserve_count -= 1
    while i < p.reserve_count:
        p.reserve[i] = p.reserve[i + 1]
        i += 1
    p.reserve[i] = 0


cdef inline int received_tile(const State *s, int player) noexcept nogil:
    if s.player[player].picked:
        return s.player[player].picked
    return s.player[left_of(s, player)].given


cdef void take(State *s, Player *p, int card, int cell) noexcept nogil:
    s.taken[card] = <uint8_t>lift(p, cell)
    s.taken_cell[card] = <uint8_t>(1 + cell)
    resolve_card(s, p, card)


cdef void resolve_card(State *s, Player *p, int card) noexcept nogil:
    """A card is done: go on with the other one, or to keeping and passing."""
    s.open_cards &= <uint8_t>~(1 << card)
    if s.open_cards:
        push(s, CHOOSE_TAKE, 0)
    elif s.taken_cell[0] and s.taken_cell[1]:
        push(s, CHOOSE_KEEP, 0)
    elif s.taken_cell[0] or s.taken_cell[1]:
        keep(s, p, 0 if s.taken_cell[0] else 1)


cdef void keep(State *s, Player *p, int card) noexcept nogil:
    """Keep the tile of `card` and pass the other; what others have seen is noted."""
    cdef int i
    cdef uint8_t larger
    p.kept = s.taken[card]
    p.given = s.taken[1 - card]
    for i in range(2):
        p.shown[i] = 0
        if s.taken_cell[i] and corner_of(s.taken_cell[i] - 1) >= 0:
            p.shown[i] = s.taken[i]
    if p.shown[0] > p.shown[1]:
        larger = p.shown[0]
        p.shown[0] = p.shown[1]
        p.shown[1] = larger
    clear_takes(s)


cdef inline void clear_takes(State *s) noexcept nogil:
    s.taken[0] = 0
    s.taken[1] = 0
    s.taken_cell[0] = 0
    s.taken_cell[1] = 0


cdef void use_source(State *s, Player *p, int source) noexcept nogil:
    cdef int tile = p.kept if source == OWN else received_tile(s, s.actor)
    push(s, DO_PUT_AWAY, source | (tile << 2))
    push(s, DO_EFFECT, tile)


cdef void use(State *s, Player *p, int way) noexcept nogil:
    """Step 2a: use own (0), received (1), or both beginning with one of them (2, 3)."""
    cdef int first = way & 1
    if way >= 2:
        spend(p, TRIBUNE, 2)
        use_source(s, p, 1 - first)
    elif s.hand == 3:
        push(s, DO_PUT_BACK, 1 - first)
    use_source(s, p, first)
    s.hand = 0


cdef void put_away(State *s, Player *p, int argument) noexcept nogil:
    """A used tile leaves (A4): citizens are seated already."""
    cdef int tile = argument >> 2
    if tile <= 6:
        return
    if argument & 3 != RECEIVED:
        p.ship += 1
    elif p.picked == 0:
        reserve_tile(p, tile)


cdef void put_back(State *s, Player *p, int source) noexcept nogil:
    """An unused tile: to the ship if own, else to the reserve."""
    if source == OWN:
        p.ship += 1
    else:
        reserve_tile(p, received_tile(s, s.actor))


cdef void effect(State *s, Player *p, int tile) noexcept nogil:
    cdef int i, name
    if tile <= 6:
        push(s, CHOOSE_SEAT, class_of(tile))
        return
    name = s.tile_name[tile]
    p.resources += tile_gains.resources[name]
    for i in range(tile_gains.upgrades[name]):
        push(s, CHOOSE_UPGRADE, 0)


cdef void seat(State *s, Player *p, int row) noexcept nogil:
    """Place a citizen; the second one of a row brings its bonus (A6)."""
    p.citizens[row] += 1
    p.active |= <uint8_t>(1 << row)
    if row == MERCHANT_1:
        p.flipped = 1
    if p.citizens[row] < 2:
        return
    if row == PATRICIAN_1:
        push(s, CHOOSE_ENVOY, ANY_COLOUR)
    elif row == PATRICIAN_2:
        push(s, CHOOSE_BONUS, 0)
    elif row == MERCHANT_1:
        push(s, CHOOSE_GAIN, COIN_OR_TRIBUNE)
    elif row == MERCHANT_2:
        push(s, CHOOSE_GAIN, COIN_OR_ASSISTANT)
    elif row == CRAFTSMAN_1:
        push(s, CHOOSE_GAIN, ANY_WORKER)
    else:
        gain(p, BUILDER, 1)


cdef void bonus(State *s, Player *p, int which) noexcept nogil:
    """An area bonus; the first of two asks for another one afterwards."""
    if s.argument == FIRST_OF_TWO:
        push(s, CHOOSE_BONUS, 1 + which)
    if which == BONUS_TRIBUNE:
        gain(p, TRIBUNE, 1)
    elif which == BONUS_ASSISTANT:
        gain(p, ASSISTANT, 1)
    elif which == BONUS_COIN:
        gain(p, COIN, 1)
    elif which == BONUS_UPGRADE:
        push(s, CHOOSE_UPGRADE, 0)
    else:
        p.score += s.bonus_vp


cdef void send(State *s, Player *p, int cell) noexcept nogil:
    """Send an envoy; who fills an area takes its bonus. Eagles belong to no area."""
    cdef cells_t here = <cells_t>1 << cell
    cdef cells_t area
    cdef int colour
    p.ship -= 1
    store_mosaic(p.envoys, mosaic(p.envoys) | here)
    for colour in range(4):
        if colour_cells(s, colour) & here:
            area = connected(here, colour_cells(s, colour))
            store_mosaic(s.touched, mosaic(s.touched) | area)
            if area & ~all_envoys(s) == 0:
                push(s, DO_AREA_BONUS, 0)
            return


cdef inline void area_bonus(State *s, const Player *p) noexcept nogil:
    push(s, CHOOSE_BONUS, FIRST_OF_TWO if is_active(p, PATRICIAN_2) else 0)


cdef inline void score_column(State *s, Player *p) noexcept nogil:
    p.score += s.column_vp[s.round // 4] + active_citizens(p)


cdef void place(State *s, Player *p) noexcept nogil:
    """Lay the paid building tile; its rewards follow in the order of the action string."""
    cdef int move = s.plan
    cdef int building, colour, pair, first, second
    s.plan = 0
    if move < M_BUILD_GREY:
        building = (move - M_BUILD) // BOARD
        p.built[building] |= bit(mask_cell((move - M_BUILD) % BOARD))
        colour = s.colour_of[building] if building < STRUCTURE else building - STRUCTURE
        if s.singles[colour] != UNLIMITED:
            s.singles[colour] -= 1
        push(s, DO_REWARD, building)
        return
    if move < M_BUILD_TWO:
        building = (move - M_BUILD_GREY) // (8 * PAIRS)
        colour = ((move - M_BUILD_GREY) // (2 * PAIRS)) & 3
        pair = (move - M_BUILD_GREY) % (2 * PAIRS)
    else:
        colour = (move - M_BUILD_TWO) // PAIRS
        building = STRUCTURE + colour
        pair = (move - M_BUILD_TWO) % PAIRS
    first = pair % PAIRS
    if first < 30:
        first = (first // 5) * 8 + first % 5
        second = first + 1
    else:
        first = mask_cell(first - 30)
        second = first + 8
    if pair >= PAIRS:
        first, second = second, first
    p.built[building] |= bit(first)
    p.built[STRUCTURE + colour] |= bit(second)
    if s.doubles[colour] != UNLIMITED:
        s.doubles[colour] -= 1
    push(s, DO_REWARD, STRUCTURE + colour)
    push(s, DO_REWARD, building)


cdef void reward(State *s, Player *p, int building) noexcept nogil:
    """What a building brings (A7)."""
    cdef int track = building - LIBRARY
    if building >= STRUCTURE:
        push(s, CHOOSE_ENVOY, building - STRUCTURE)
    elif building == COLUMN:
        score_column(s, p)
    elif p.marker[track] < TRACK_END:
        p.marker[track] += 1
        if p.marker[track] == TRACK_END:
            push(s, DO_COLUMN, 0)
        if p.marker[track] == 1:
            push(s, DO_LEVEL, 4 * track)
        else:
            push(s, CHOOSE_REWARD, track)


cdef void level(State *s, Player *p, int which) noexcept nogil:
    """The reward of a track's step: track * 4 + step - 1."""
    if which == 0:
        gain(p, TRIBUNE, 1)
        push(s, CHOOSE_GAIN, ANY_WORKER)
    elif which == 1:
        gain(p, BUILDER, 1)
    elif which == 2:
        push(s, CHOOSE_ENVOY, EAGLE)
    elif which == 3 or which == 11:
        push(s, CHOOSE_TILE, 0)
    elif which == 4:
        gain(p, ASSISTANT, 2)
    elif which == 5:
        gain(p, TRIBUNE, 2)
    elif which == 6:
        push(s, CHOOSE_UPGRADE, 0)
    elif which == 7:
        push(s, CHOOSE_BUILD, 0)
    elif which == 8:
        gain(p, COIN, 1)
    elif which == 9:
        area_bonus(s, p)
    else:
        push(s, CHOOSE_ENVOY, ANY_COLOUR)


cdef void convert(State *s, Player *p, int which) noexcept nogil:
    """A conversion of the building step, counted from M_SWAP; the step goes on."""
    if which < 6:
        spend(p, SWAP_FROM[which], 1)
        gain(p, SWAP_TO[which], 1)
        s.swapped = 1
    elif which < 10:
        spend(p, ASSISTANT, 1)
        gain(p, BLUE + which - 6, 1)
        s.trained += 1
    else:
        spend(p, ASSISTANT, 1)
        gain(p, BUILDER, 1)
        s.promoted = 1
    push(s, CHOOSE_BUILD, 0)


cdef void use_grid(State *s, Player *p, int cell) noexcept nogil:
    """Library and market 4, and novices: take a tile from the grid and use it."""
    cdef int tile = lift(p, cell)
    push(s, DO_PUT_AWAY, GRID | (tile << 2))
    push(s, DO_EFFECT, tile)


cdef void carry_out(State *s, int move) noexcept nogil:
    """What a decision does; the tasks that follow from it are pushed."""
    cdef int decision = s.decision
    cdef Player *p = &s.player[s.actor]
    if decision == CHOOSE_BUILD:
        if move < M_NO_BUILD:
            convert(s, p, move - M_SWAP)
        elif move > M_NO_BUILD:
            s.plan = <uint16_t>move
            push(s, CHOOSE_PAYMENT, 0)
    elif decision == CHOOSE_TAKE:
        if move >= M_SKIP:
            resolve_card(s, p, move - M_SKIP)
        elif move >= M_TAKE_TRIBUNE:
            spend(p, TRIBUNE, 1)
            take(s, p, move >= M_TAKE_TRIBUNE + BOARD, mask_cell((move - M_TAKE) % BOARD))
        else:
            take(s, p, move >= M_TAKE + BOARD, mask_cell((move - M_TAKE) % BOARD))
    elif decision == CHOOSE_KEEP:
        keep(s, p, move - M_KEEP)
    elif decision == CHOOSE_USE:
        use(s, p, move - M_USE)
    elif decision == CHOOSE_ENVOY:
        if move != M_NO_ENVOY:
            send(s, p, mosaic_cell(move - M_ENVOY))
    elif decision == CHOOSE_PAYMENT:
        p.resources -= payments.cost[move - M_PAY]
        place(s, p)
    elif decision == CHOOSE_SEAT:
        seat(s, p, move - M_SEAT)
    elif decision == CHOOSE_WAGE:
        if move < M_NO_WAGE:
            spend(p, COIN, 1)
            p.active |= <uint8_t>(1 << s.argument)
        else:
            p.active &= <uint8_t>~(1 << s.argument)
    elif decision == CHOOSE_BONUS:
        bonus(s, p, move - M_BONUS)
    elif decision == CHOOSE_GAIN:
        gain(p, GAINED[move - M_GAIN], 1)
    elif decision == CHOOSE_UPGRADE:
        if move > M_UPGRADE:
            p.slider = s.cypress[p.slider]
        elif p.slider < s.steps:
            p.slider += 1
    elif decision == CHOOSE_REWARD:
        level(s, p, move - M_REWARD)
    elif decision == CHOOSE_RESERVE:
        if move != M_NO_RESERVE:
            pick_reserve(s, p, move - M_RESERVE)
    elif decision == CHOOSE_TILE or decision == CHOOSE_NOVICE:
        use_grid(s, p, mask_cell(move - M_TILE))
    elif decision == CHOOSE_CRANE:
        p.crane[s.argument] = <uint8_t>(1 + move - M_CRANE)
        if s.argument == 3:  # only now the start citizen is drawn
            push(s, CHOOSE_SEAT, p.start_class)
    elif decision == CHOOSE_CORNER:
        set_corner(s, p, move - M_CORNER)


cdef void run(State *s, int task, int argument) noexcept nogil:
    """A task that asks nothing."""
    cdef Player *p = &s.player[s.actor]
    if task == DO_EFFECT:
        effect(s, p, argument)
    elif task == DO_PUT_AWAY:
        put_away(s, p, argument)
    elif task == DO_PUT_BACK:
        put_back(s, p, argument)
    elif task == DO_REWARD:
        reward(s, p, argument)
    elif task == DO_LEVEL:
        level(s, p, argument)
    elif task == DO_COLUMN:
        score_column(s, p)
    else:
        area_bonus(s, p)


# --- the course of the game --------------------------------------------------------------------

cdef void reveal_setup(State *s) noexcept nogil:
    """Everybody has chosen: the other corner tiles and the workers show (A14)."""
    cdef int player, corner, spare
    cdef Player *p
    for player in range(s.players):
        p = &s.player[player]
        spare = 0
        for corner in range(4):
            if p.tile[CORNER_CELL[corner]] == 0:
                p.tile[CORNER_CELL[corner]] = p.spare[spare]
                p.tiles |= bit(CORNER_CELL[corner])
                spare += 1
        p.spare[0] = 0
        p.spare[1] = 0
        gain(p, BLUE + p.start_worker, 1)
        p.start_worker = 0
        p.start_class = 0


cdef void end_round(State *s) noexcept nogil:
    cdef int player
    cdef Player *p
    for player in range(s.players):
        p = &s.player[player]
        p.kept = 0
        p.given = 0
        p.shown[0] = 0
        p.shown[1] = 0
        p.picked = 0


cdef void next_stage(State *s) noexcept nogil:
    s.seated = 0
    if s.stage == Stage.SETUP:
        reveal_setup(s)
        s.stage = Stage.NOVICE
    elif s.stage < Stage.TURN:
        s.stage += 1
    elif s.stage == Stage.TURN and (end_round_and_phase(s)):
        s.stage = Stage.WAGES
    elif s.stage == Stage.WAGES and s.round == ROUNDS - 1:
        score_phase(s)
        s.stage = Stage.OVER
        s.decision = NOTHING
        s.argument = 0
        s.actor = 0
    else:
        if s.stage == Stage.WAGES:
            score_phase(s)
        s.round += 1
        s.stage = Stage.TAKE


cdef inline bint end_round_and_phase(State *s) noexcept nogil:
    """End the round; whether it is the last of a phase."""
    end_round(s)
    s.swapped = 0
    s.trained = 0
    s.promoted = 0
    return s.round % 4 == 3


cdef void begin_turn(State *s, const Player *p) noexcept nogil:
    """Step 2: both tiles lie open, one is used, then the building action."""
    s.swapped = 0
    s.trained = 0
    s.promoted = 0
    s.hand = <uint8_t>((p.kept != 0) | ((received_tile(s, s.actor) != 0) << 1))
    push(s, CHOOSE_BUILD, 0)
    if s.hand:
        push(s, CHOOSE_USE, 0)


cdef void begin_run(State *s) noexcept nogil:
    """Push the tasks of the next player's run in this stage; some have nothing to do."""
    cdef Player *p
    cdef int i
    s.actor = <uint8_t>in_order(s, s.seated)
    s.seated += 1
    p = &s.player[s.actor]
    if s.stage == Stage.SETUP:
        push(s, CHOOSE_CORNER, 0)
        for i in range(3, -1, -1):
            push(s, CHOOSE_CRANE, i)
    elif s.stage == Stage.NOVICE:
        if (s.novices >> s.actor) & 1:
            gain(p, COIN, 1)
            push(s, CHOOSE_NOVICE, 0)
    elif s.stage == Stage.TAKE:
        s.open_cards = 3
        push(s, CHOOSE_TAKE, 0)
    elif s.stage == Stage.RESERVE_STEP:
        if s.player[left_of(s, s.actor)].given == 0 and p.reserve_count:
            push(s, CHOOSE_RESERVE, 0)
    elif s.stage == Stage.TURN:
        begin_turn(s, p)
    else:
        for i in range(ROWS - 1, -1, -1):
            if p.citizens[i]:
                push(s, CHOOSE_WAGE, i)
    s.turn += s.depth > 0


cdef void require_sound(const State *s) noexcept nogil:
    """Every cell holds one thing, no counter ran below zero, markers follow the buildings."""
    cdef const Player *p
    cdef cells_t envoys = 0
    cdef uint64_t built
    cdef int player, i
    for player in range(s.players):
        p = &s.player[player]
        built = 0
        for i in range(BUILDINGS):
            require(built & p.built[i] == 0)
            built |= p.built[i]
        require(built & ~s.plain == 0 and built & p.tiles == 0)
        require(p.resources & <uint64_t>0x8080808080808080 == 0)
        for i in range(CELLS):
            require((p.tile[i] != 0) == <bint>((p.tiles >> i) & 1))
        for i in range(TRACKS):
            require(p.marker[i] == min(TRACK_END, count_bits(p.built[LIBRARY + i])))
        require(envoys & mosaic(p.envoys) == 0)
        envoys |= mosaic(p.envoys)
        require(p.ship <= 34 and p.slider <= s.steps)


cdef int proceed(State *s, Builds *b) noexcept nogil:
    """Carry on up to a decision with at least two moves, and count them; 0 at the end."""
    cdef int count
    while True:
        if s.depth == 0:
            if s.seated == s.players:
                next_stage(s)
                if s.stage == Stage.OVER:
                    return 0
            begin_run(s)
            continue
        s.depth -= 1
        s.decision = s.stack[2 * s.depth]
        s.argument = s.stack[2 * s.depth + 1]
        s.stack[2 * s.depth] = 0
        s.stack[2 * s.depth + 1] = 0
        if s.decision >= DECISIONS:
            run(s, s.decision, s.argument)
            continue
        count = count_options(s, b)
        if count >= 2:
            if CHECKED:
                require_sound(s)
            return count
        if count == 1:
            carry_out(s, pick_option(s, b, 0))


cdef void advance(State *s) noexcept nogil:
    """Carry on up to a decision with at least two moves, or to the end of the game."""
    cdef Builds b
    proceed(s, &b)


# --- the contract ------------------------------------------------------------------------------

cdef int players_of(const void *state) noexcept nogil:
    return (<const State *>state).players


cdef int player_of(const void *state) noexcept nogil:
    cdef const State *s = <const State *>state
    if s.stage == Stage.OVER:
        return NO_PLAYER
    return s.actor


cdef int turn_of(const void *state) noexcept nogil:
    return (<const State *>state).turn


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    return options(<const State *>state, moves)


cdef void apply_move(void *state, move_t move) noexcept nogil:
    carry_out(<State *>state, move)
    advance(<State *>state)


cdef void scores_of(const void *state, int32_t *scores) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef int player
    for player in range(s.players):
        scores[player] = s.player[player].score


cdef int playout(void *state, Rng *rng, int transitions, int turns) noexcept nogil:
    """Play uniformly random moves, exactly as the loop over list_moves and apply_move."""
    cdef State *s = <State *>state
    cdef Builds b
    cdef int count
    cdef int made = 0
    if s.stage == Stage.OVER:
        return 0
    count = count_options(s, &b)
    while count and made < transitions and s.turn < turns:
        carry_out(s, pick_option(s, &b, <int>rng_below(rng, <unsigned int>count)))
        count = proceed(s, &b)
        made += 1
    return made
