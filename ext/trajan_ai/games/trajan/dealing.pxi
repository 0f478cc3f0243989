"""The setup: markers, goods, starting tiles, and what becomes visible in between."""

cdef enum:
    GOODS_SOURCES = 3        # deck, left pile, right pile; all may always be chosen
    ALL_SOURCES = 7


cdef inline uint64_t start_moves(const State *s) noexcept nogil:
    """Return the stacks that are not used yet; State.last contains the used ones, as bits."""
    return s.stacks_left & ~s.last


cdef enum:
    CARDS = 3                # goods cards that each player chooses, and as many starting tiles
    TWO_OF_EACH = ALL_TRAYS << SECOND_MARKER | ALL_TRAYS     # all 12 markers, as in a tray
    MARKERS = 2 * COLOURS


cdef void begin(State *s) noexcept nogil:
    cdef int i
    count_hidden(s)
    s.bonus_hidden = (1 << BONUSES) - 1
    for i in range(STACKS):
        s.stack_hidden[i] = (1 << STACK_TILES) - 1
    s.stacks_left = (1 << STACKS) - 1
    s.sites_left = ALL_SITES
    s.ships = ALL_SHIPS
    for i in range(PROVINCES):
        s.provinces[i] = next_of_supply(s) + 1
    fill_forum(s)
    for i in range(s.players):
        place_figures(&s.player[i])
        s.order[i] = i
    if s.player[0].trays[0] == 0:
        enter_markers(s)
    else:
        for i in range(s.players):
            s.player[i].filled = ALL_TRAYS
        deal_goods(s)


cdef void place_figures(Player *p) noexcept nogil:
    """Place leader, legionnaire and worker in their camps, and the arch on slot I."""
    p.legionnaires = 1
    p.workers = 1
    p.supply = tables.figures - 2


# ---- Markers ----------------------------------------------------------------------------------

cdef uint64_t marker_moves(const State *s) noexcept nogil:
    """Return the colours that may be placed next, as bits.

    `sow_hand` contains the markers still to place, and `last` the first colour of a tray.
    """
    cdef unsigned int left = s.sow_hand & ALL_TRAYS
    cdef unsigned int highest = left
    if s.step & 1:
        left = (left >> s.last) << s.last
    else:
        # The second colour of a tray must not precede the first, so a first colour may be chosen
        # only if a marker of the same or of a later colour remains.
        while highest & (highest - 1):
            highest &= highest - 1
        if not (s.sow_hand >> SECOND_MARKER) & highest:
            left &= ~highest
    return left


cdef void enter_markers(State *s) noexcept nogil:
    """Let the next player place all markers."""
    s.decider = s.active
    s.sow_hand = TWO_OF_EACH
    enter_decision(s, DECIDE_MARKER, marker_moves(s))


cdef void apply_marker(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    cdef int colour = move - MOVE_MARKER
    cdef int tray = s.step >> 1
    s.sow_hand = without_marker(s.sow_hand, colour)
    p.trays[tray] = with_marker(p.trays[tray], colour)
    p.filled |= 1 << tray
    s.last = 0 if s.step & 1 else colour
    s.step += 1
    if s.step < 2 * TRAYS:
        enter_decision(s, DECIDE_MARKER, marker_moves(s))
    elif next_of_setup(s):
        enter_markers(s)
    else:
        deal_goods(s)


cdef bint next_of_setup(State *s) noexcept nogil:
    """Pass the choice to the next player; return False when all have chosen."""
    s.step = 0
    s.last = 0
    s.active += 1
    s.turn += 1
    if s.active == s.players:
        s.active = 0
    s.decider = s.active
    return s.active != 0


# ---- Goods and starting tiles -----------------------------------------------------------------

cdef void deal_goods(State *s) noexcept nogil:
    """Reveal Trajan tiles, bonus tiles and discard piles; players then choose goods."""
    cdef int i, tile
    for i in range(STACKS):
        show_top(s, i)
    for i in range(s.players):
        tile = next_bonus(s)
        s.player[i].gold = 1 << tile
        happen(s, EVENT_WIN_GOLD, i, tile, 0)
    offer_bonus(s)
    turn_up(s, 0)
    turn_up(s, 1)
    enter_decision(s, DECIDE_GOODS, ALL_SOURCES)


cdef void apply_goods(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.player[s.active]
    if move == MOVE_GOODS:
        draw_cards(s, p, 1)
    else:
        take_from_pile(s, p, move - MOVE_GOODS - 1)
    s.step += 1
    if s.step == CARDS and not next_of_setup(s):
        enter_decision(s, DECIDE_START, start_moves(s))


cdef void apply_start(State *s, move_t move) noexcept nogil:
    """Place a tile on slot II, IV or VI."""
    cdef Player *p = &s.player[s.active]
    cdef int stack = move - MOVE_START
    p.slots[2 * s.step + 1] = take_tile(s, stack)
    s.last |= 1 << stack
    s.step += 1
    if s.step == CARDS and not next_of_setup(s):
        enter_sow(s)
    else:
        enter_decision(s, DECIDE_START, start_moves(s))


# ---- Another deal -----------------------------------------------------------------------------

cdef int shuffled(void *stack, int kinds, int copies, int first, Rng *rng) noexcept nogil:
    """Fill a stack with `copies` of each kind, numbered from `first`, and shuffle it.

    Returns the number of items.
    """
    cdef uint8_t *items = <uint8_t *>stack
    cdef int i
    for i in range(kinds * copies):
        items[i] = <uint8_t>(first + i // copies)
    shuffle_bytes(rng, items, kinds * copies)
    return kinds * copies


cdef void gather_supply(const State *s, uint8_t *tiles) noexcept nogil:
    """Gather the forum supply at a game's first decision, including its tiles on the board."""
    cdef int[TILES] left
    cdef int i, k, count = 0
    for i in range(TILES):
        left[i] = s.forum[i] + s.supply_counts[i]
    for i in range(EXTRAS):
        left[TILE_EXTRA + i] += s.extra_counts[i] - EXTRA_TILES // EXTRAS
    for i in range(PROVINCES):
        left[s.provinces[i] - 1] += 1
    for i in range(TILES):
        for k in range(left[i]):
            tiles[count] = <uint8_t>(i + 1)
            count += 1


cdef void deal_markers(Player *p, Rng *rng) noexcept nogil:
    """Deal two markers to each tray."""
    cdef uint8_t markers[MARKERS]
    cdef int i
    shuffled(markers, COLOURS, 2, 0, rng)
    for i in range(MARKERS):
        p.trays[i >> 1] = with_marker(p.trays[i >> 1], markers[i])


cdef void deal(void *state, Rng *rng) noexcept nogil:
    """Put everything back that the setup laid out, shuffle, and set up again."""
    cdef State *s = <State *>state
    cdef State new
    cdef int i, k
    memset(&new, 0, sizeof(new))
    new.players = s.players
    new.lap_length = s.lap_length
    new.options = s.options
    gather_supply(s, <uint8_t *>new.supply)
    shuffle_bytes(rng, <uint8_t *>new.supply, SUPPLY_TILES)
    new.supply_size = SUPPLY_TILES
    shuffled(new.sites, SITES, 1, 1, rng)
    new.deck_size = shuffled(new.deck, GOODS, DECK_CARDS // GOODS, 1, rng)
    new.extra_size = shuffled(new.extra_supply, EXTRAS, EXTRA_TILES // EXTRAS, TILE_EXTRA + 1, rng)
    new.demand_size = shuffled(new.demand_stack, SYMBOLS, DEMAND_TILES // SYMBOLS, 1, rng)
    new.bonus_size = shuffled(new.bonus_bag, BONUSES, 1, 1, rng)
    for i in range(STACKS):
        new.stack_size[i] = STACK_TILES
        for k in range(STACK_TILES):
            new.stacks[STACK_TILES * i + k] = tables.tile_byte[i][k]
        shuffle_bytes(rng, <uint8_t *>&new.stacks[STACK_TILES * i], STACK_TILES)
    if s.player[0].trays[0] != 0:
        for i in range(s.players):
            deal_markers(&new.player[i], rng)
    begin(&new)
    s[0] = new
