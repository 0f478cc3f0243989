"""Citizens in rows whose owners are unknown: drawing which male citizens have come up.

A position file may omit which tiles of a colour have not been seen. Every male citizen began among
the face-down tiles. It may still be there, or be gone: in a citizen row or out of the game. A row
has citizens of its owner and of the owner's left neighbour. One of a player's female citizens was
the start citizen, so it is in one of the player's own rows.

A world is a placement of the citizens that may be in the rows, and a distribution of each colour's
unseen tiles over their possible places; the tiles left over are gone. Every world is equally
likely. So the number of worlds in which a certain set of male citizens is gone is the number of
placements that this set allows, times the number of arrangements of the other tiles. The placements
are counted around the table, because a row has citizens of two neighbours. Inclusion and exclusion
over the players whose start citizen is not in one of their rows removes the impossible placements.
"""

# The unseen tiles of a colour and where they lie.
cdef struct Pool:
    int males       # classes, as bits, whose male citizen is one of the tiles
    int places      # places for the tiles that are not gone
    int others      # tiles that are not male citizens
    int twins       # tiles like the known tile of a pair; any of them may be that tile


cdef inline bint is_unclear(const State *s) noexcept nogil:
    """Return whether a row contains a citizen of unknown owner."""
    cdef int player
    for player in range(s.players):
        if s.player[player].unclear[0] | s.player[player].unclear[1] | s.player[player].unclear[2]:
            return True
    return False


cdef enum:
    HOLDINGS = 6            # kinds of holdings of a player in a class; see WAYS
    PLACED = 3              # 0, 1 or 2 citizens of a class in rows
    PLAYER_SETS = 1 << MAX_PLAYERS
    FEMALES = 0b101010      # bits of Player.may_lie

# WAYS[holding][own][right]: the number of ways in which `own` of a player's citizens of one class
# lie in the owner's rows and `right` of them in rows of the right neighbour, while the others are
# gone. A holding is the sum of 1 for a male citizen and 2 for a female citizen, or 4 instead of 2
# if the female citizen is not in one of her owner's rows.
cdef int WAYS[HOLDINGS][PLACED][PLACED]
WAYS = [
    [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[1, 1, 0], [1, 0, 0], [0, 0, 0]],
    [[1, 1, 0], [1, 0, 0], [0, 0, 0]],
    [[1, 2, 1], [2, 2, 0], [1, 0, 0]],
    [[1, 1, 0], [0, 0, 0], [0, 0, 0]],
    [[1, 2, 1], [1, 1, 0], [0, 0, 0]],
]


cdef int placements(const State *s, int rank, int gone, int without) noexcept nogil:
    """Count the ways to fill the rows of a class. The male citizens of the players `gone` are not
    among the unseen tiles, and no female citizen of the players `without` lies in one of her
    owner's rows; both are sets of bits."""
    cdef int ways[PLACED]
    cdef int next_ways[PLACED]
    cdef int first, own, right, player, has, need, lie
    cdef int count = 0
    for first in range(3):          # citizens of player 0 in rows of their right neighbour
        ways[0] = ways[1] = ways[2] = 0
        ways[first] = 1
        for player in range(s.players):
            lie = s.player[player].may_lie >> (2 * rank)
            has = (lie | gone >> player) & 1
            if lie & 2:
                has += 4 if without >> player & 1 else 2
            next_ways[0] = next_ways[1] = next_ways[2] = 0
            for right in range(3):
                if ways[right] == 0:
                    continue
                for own in range(3):
                    need = s.player[player].unclear[rank] - own
                    if 0 <= need <= 2:
                        next_ways[need] += ways[right] * WAYS[has][own][right]
            ways = next_ways
        count += ways[first]
    return count


cdef int starters(const State *s) noexcept nogil:
    """Return the players, as bits, whose start citizen is one of several unclear female citizens.

    If only one citizen is possible, it is known and is not among those that may be in a row.
    """
    cdef int player, females
    cdef int found = 0
    for player in range(s.players):
        females = s.player[player].may_lie & FEMALES
        if females & (females - 1):
            found |= 1 << player
    return found


cdef struct Counts:     # placements by class, then by the sets `gone` and `without` of players
    int ways[CLASSES][PLAYER_SETS][PLAYER_SETS]


cdef void count_placements(const State *s, int floating, int starting,
                           Counts *counts) noexcept nogil:
    """Fill in the placements for every subset of the males `floating` (four bits a class) and every
    subset of `starting`."""
    cdef int rank, males, gone, without
    for rank in range(CLASSES):
        males = floating >> (4 * rank) & 15
        gone = males
        while True:
            without = starting
            while True:
                counts.ways[rank][gone][without] = placements(s, rank, gone, without)
                if without == 0:
                    break
                without = (without - 1) & starting
            if gone == 0:
                break
            gone = (gone - 1) & males


cdef int64_t worlds(const Counts *counts, int gone, int starting) noexcept nogil:
    """Count the placements of all classes in which every start citizen lies where it must."""
    cdef int64_t found = 0
    cdef int64_t ways
    cdef int without = starting
    while True:
        ways = <int64_t>counts.ways[0][gone & 15][without] * counts.ways[1][gone >> 4 & 15][without]
        ways *= counts.ways[2][gone >> 8][without]
        found += -ways if count_bits(without) & 1 else ways
        if without == 0:
            return found
        without = (without - 1) & starting


cdef double pair_open(const Pool *pool, int hidden) noexcept nogil:
    """Count the arrangements with `hidden` male citizens that are not gone, up to a common factor,
    if any tile may be the unknown tile of a pair."""
    cdef double count = pool.others if pool.twins else 1
    cdef int i
    for i in range(hidden):
        count *= pool.places - i
    for i in range(hidden + 1, count_bits(pool.males) + 1):
        count *= pool.others - pool.places + i
    return count


cdef double pair_twin(const Pool *pool, int hidden) noexcept nogil:
    """Count the arrangements as pair_open() does, if the known tile of the pair is another tile of
    its kind."""
    cdef double count = pool.twins
    cdef int i
    for i in range(hidden):
        count *= pool.places - 1 - i
    for i in range(hidden + 1, count_bits(pool.males) + 1):
        count *= pool.others - pool.places + i
    return count


cdef double worlds_with(const State *s, const Pool *pools, const Counts *counts,
                        double (*arrangements)[4], int these, int starting) noexcept nogil:
    """Count the worlds, up to a factor, in which exactly `these` of the males in doubt are gone."""
    cdef int player
    cdef double found = <double>worlds(counts, these, starting)
    for player in range(s.players):
        if found == 0:
            break
        found *= arrangements[player][count_bits(pools[player].males & ~classes(these, player))]
    return found


cdef inline int classes(int males, int player) noexcept nogil:
    """Return, as bits, the classes of a player's males in `males`, which has four bits a class."""
    return males >> player & 1 | males >> (player + 3) & 2 | males >> (player + 6) & 4


cdef bint draw_gone(const State *s, const Pool *pools, int *gone, Rng *rng) noexcept nogil:
    """Draw the classes, as bits, of every colour's male citizens that are gone.

    Returns False if no world fits.
    """
    cdef Counts counts
    cdef double arrangements[MAX_PLAYERS][CLASSES + 1]
    cdef double found[1 << (MAX_PLAYERS * CLASSES)]
    cdef double total = 0
    cdef int player, rank, hidden, males, starting, these
    cdef int floating = 0
    cdef int drawn = 0
    for player in range(s.players):
        gone[player] = 0
        males = pools[player].males
        for rank in range(CLASSES):
            floating |= (males >> rank & 1) << (4 * rank + player)
        for hidden in range(count_bits(males) + 1):
            arrangements[player][hidden] = (
                pair_open(&pools[player], hidden) + pair_twin(&pools[player], hidden))
    starting = starters(s)
    count_placements(s, floating, starting, &counts)
    these = floating
    while True:
        found[these] = worlds_with(s, pools, &counts, arrangements, these, starting)
        total += found[these]
        if these == 0:
            break
        these = (these - 1) & floating
    if total <= 0:
        return False
    total *= rng_unit(rng)
    these = floating
    while total >= 0:
        if found[these] > 0:
            drawn = these           # the last entry is drawn if rounding leaves a remainder
            total -= found[these]
        if these == 0:
            break
        these = (these - 1) & floating
    for player in range(s.players):
        gone[player] = classes(drawn, player)
    return True


cdef bint draw_twin(const Pool *pool, int gone, Rng *rng) noexcept nogil:
    """Draw whether the known tile of a pair is a different tile from the one that everybody saw."""
    cdef int hidden = count_bits(pool.males & ~gone)
    cdef double twin = pair_twin(pool, hidden)
    return rng_unit(rng) * (twin + pair_open(pool, hidden)) < twin


cdef int gone_males(const State *s) noexcept nogil:
    """Return the male citizens in the places of tiles that are gone, four bits a class."""
    cdef const Player *p
    cdef int player, i
    cdef int found = 0
    for player in range(s.players):
        p = &s.player[player]
        for i in range(p.lost_count):
            if p.lost[i] <= 2 * CLASSES and p.lost[i] & 1:
                found |= 1 << (4 * (p.lost[i] >> 1) + player)
    return found


def can_fill_rows(bytes data not None):
    """Return whether the rows can be filled with citizens whose tiles are gone in this state."""
    cdef State state
    cdef Counts counts
    cdef int gone, starting
    read_state(data, &state)
    gone = gone_males(&state)
    starting = starters(&state)
    count_placements(&state, gone, starting, &counts)
    return worlds(&counts, gone, starting) > 0


def can_fill_class(bytes data not None, int rank):
    """Return whether the rows of a class can be filled if every unseen male citizen has come up."""
    cdef State state
    read_state(data, &state)
    if not 0 <= rank < CLASSES:
        raise ValueError(f"rank must be 0 to {CLASSES - 1}, got {rank}")
    return placements(&state, rank, 15, 0) > 0
