"""Step 2b: conversions, what may be built, payments, placing."""

cdef enum:
    SHORT_LIST = 160        # maximum number of moves in any decision except building


# The moves of the player to decide: a list, or masks of what may be built and where.
cdef struct Builds:
    move_t listed[SHORT_LIST]
    uint64_t cells          # legal cells
    uint64_t across         # left cells of legal pairs
    uint64_t down           # upper cells of legal pairs
    int singles             # buildings as bits
    int doubles             # doubles of grey and a colour: the colours as bits
    int twins               # doubles of one colour: the colours as bits
    int conversions         # moves from MOVE_SWAP on, as bits


# The parts of a build move.
cdef struct Plan:
    int building            # the building on the first cell
    # colour of the tile and, for a double tile, of the structure on the second cell
    int colour
    int first               # cells
    int second              # second cell, -1 for a single tile


cdef inline Plan plan_of(const State *s, int move) noexcept nogil:
    """Return what a build move builds, and where."""
    cdef Plan plan
    cdef int pair
    plan.second = -1
    if move < MOVE_BUILD_GREY:
        plan.building = (move - MOVE_BUILD) // BOARD
        plan.first = cell_of((move - MOVE_BUILD) % BOARD)
        if plan.building < STRUCTURE:
            plan.colour = s.colour_of[plan.building]
        else:
            plan.colour = plan.building - STRUCTURE
        return plan
    if move < MOVE_BUILD_TWO:
        plan.building = (move - MOVE_BUILD_GREY) // (2 * COLOURS * PAIRS)
        plan.colour = ((move - MOVE_BUILD_GREY) // (2 * PAIRS)) & 3
        pair = (move - MOVE_BUILD_GREY) % (2 * PAIRS)
    else:
        plan.colour = (move - MOVE_BUILD_TWO) // PAIRS
        plan.building = STRUCTURE + plan.colour
        pair = (move - MOVE_BUILD_TWO) % PAIRS
    plan.first = tables.first_cell[pair]
    plan.second = tables.second_cell[pair]
    return plan


# --- paying --------------------------------------------------------------------------------------

cdef inline bint can_pay(uint64_t resources, uint64_t cost) noexcept nogil:
    """Return whether the resources cover the cost in every byte; all counters are below 128."""
    cdef uint64_t high = <uint64_t>0x8080808080808080
    return ((resources | high) - cost) & high == high


cdef inline int payment_target(Plan plan) noexcept nogil:
    """Return the number of the target that is paid for; see TARGETS in tables.pxi."""
    cdef bint grey = plan.building < STRUCTURE
    if plan.second < 0:
        return 0 if grey else 1 + plan.colour
    return (TARGET_DOUBLE if grey else TARGET_TWIN) + plan.colour


cdef inline int payment_row(const State *s, int target) noexcept nogil:
    return (s.options & OPTION_RECOLOUR_IN_SWAP) * TARGETS + target


cdef inline bint can_pay_target(const State *s, const Player *p, int target) noexcept nogil:
    cdef int row = payment_row(s, target)
    cdef const byte_t *listed = &tables.payment_list[row * PAYMENT_LIST]
    cdef int i
    for i in range(tables.payment_count[row]):
        if can_pay(p.resources, tables.payment_cost[listed[i]]):
            return True
    return False


cdef inline move_t *list_payments(const State *s, const Player *p, move_t *out) noexcept nogil:
    cdef int row = payment_row(s, payment_target(plan_of(s, s.plan)))
    cdef const byte_t *listed = &tables.payment_list[row * PAYMENT_LIST]
    cdef int i
    for i in range(tables.payment_count[row]):
        if can_pay(p.resources, tables.payment_cost[listed[i]]):
            out[0] = MOVE_PAY + listed[i]
            out += 1
    return out


cdef inline void join_cells(Player *p, int cell, int next_cell) noexcept nogil:
    """Remember that one double tile covers both cells."""
    if next_cell == cell + 1:
        p.across |= bit(cell)
    else:
        p.down |= bit(cell)


cdef inline void pay(State *s, Player *p, int move) noexcept nogil:
    """Pay, then lay the tile; its rewards follow in the order of the action string."""
    cdef Plan plan = plan_of(s, s.plan)
    p.resources -= tables.payment_cost[move - MOVE_PAY]
    s.plan = 0
    p.built[plan.building] |= bit(plan.first)
    if plan.second < 0:
        if s.singles[plan.colour] != UNLIMITED:
            s.singles[plan.colour] -= 1
    else:
        p.built[STRUCTURE + plan.colour] |= bit(plan.second)
        join_cells(p, min(plan.first, plan.second), max(plan.first, plan.second))
        if s.doubles[plan.colour] != UNLIMITED:
            s.doubles[plan.colour] -= 1
        push(s, TASK_BENEFIT_OF, STRUCTURE + plan.colour)
    push(s, TASK_BENEFIT_OF, plan.building)


# --- what may be built and converted -------------------------------------------------------------

cdef inline int pairs_of_workers(const Player *p) noexcept nogil:
    """Return the colours of which the player has at least two workers, as bits."""
    cdef uint64_t two = ((p.resources >> 8) + <uint64_t>0x7E7E7E7E) & <uint64_t>0x80808080
    return <int>(((two >> 7) | (two >> 14) | (two >> 21) | (two >> 28)) & 15)


cdef inline bint can_pay_double(const State *s, const Player *p, int colour, int own, int workers,
                                int pairs) noexcept nogil:
    """Return whether a grey building and a structure of `colour` can be paid for together."""
    cdef int assistants = stock(p, RESOURCE_ASSISTANT)
    if s.options & OPTION_RECOLOUR_IN_SWAP:
        return can_pay_target(s, p, TARGET_DOUBLE + colour)
    if stock(p, RESOURCE_BUILDER) and (own or assistants):
        return True
    if workers < 3:
        return False
    if pairs & ~(1 << colour) and (own or assistants):
        return True
    return own >= 2 and (own >= 3 or assistants)


cdef inline int conversions(const State *s, const Player *p, int assistants,
                            int pairs) noexcept nogil:
    """Return the conversions on offer, as bits counted from MOVE_SWAP."""
    cdef int offered = 0
    if s.options & OPTION_WORKER_SWAP_PAYMENT == 0:
        offered = pairs << (MOVE_EXCHANGE - MOVE_SWAP)
    if p.active & ((1 << ROW_MERCHANT_2) | (1 << ROW_CRAFTSMAN_1) | (1 << ROW_CRAFTSMAN_2)) == 0:
        return offered
    if is_active(p, ROW_MERCHANT_2) and not s.swapped:
        if stock(p, RESOURCE_COIN):
            offered |= 3
        if assistants:
            offered |= 3 << 2
        if stock(p, RESOURCE_TRIBUNE):
            offered |= 3 << 4
    if assistants:
        if is_active(p, ROW_CRAFTSMAN_1) and s.trained < 2:
            offered |= 15 << (MOVE_TRAIN - MOVE_SWAP)
        if is_active(p, ROW_CRAFTSMAN_2) and not s.promoted:
            offered |= 1 << (MOVE_PROMOTE - MOVE_SWAP)
    return offered


cdef inline void find_builds(const State *s, const Player *p, Builds *b) noexcept nogil:
    """Fill `b` with what the player may build and convert now."""
    cdef int workers = worker_count(p)
    cdef int assistants = stock(p, RESOURCE_ASSISTANT)
    cdef int pairs = pairs_of_workers(p)
    cdef int colour, grey, own, left
    b.conversions = conversions(s, p, assistants, pairs)
    b.singles = 0
    b.doubles = 0
    b.twins = 0
    b.cells = free_cells(s, p)
    b.across = b.cells & (b.cells >> 1)
    b.down = b.cells & (b.cells >> 8)
    if b.cells == 0 or workers + stock(p, RESOURCE_BUILDER) == 0:
        return
    grey = stock(p, RESOURCE_BUILDER) | pairs
    if s.options & OPTION_RECOLOUR_IN_SWAP:
        grey = can_pay_target(s, p, 0)
    for colour in range(COLOURS):
        own = stock(p, RESOURCE_BLUE + colour)
        # Conditions are combined without branches, which would often be mispredicted.
        left = s.singles[colour] != 0
        b.singles |= (left & (grey != 0)) << s.grey_of[colour]
        b.singles |= (left & ((own != 0) | ((workers != 0) & (assistants != 0)))) << (
            STRUCTURE + colour)
        if s.doubles[colour] == 0 or workers == 0:
            continue
        if grey and can_pay_double(s, p, colour, own, workers, pairs):
            b.doubles |= 1 << colour
        b.twins |= ((own >= 2) | ((workers >= 2) & (own + assistants >= 2))) << colour


# --- the building action -------------------------------------------------------------------------

cdef inline move_t *list_pairs(const Builds *b, int base, move_t *out) noexcept nogil:
    """List the moves of a double tile, horizontal pairs first."""
    cdef uint64_t cells = b.across
    cdef int cell
    while cells:
        cell = lowest_bit(cells)
        out[0] = base + (cell >> 3) * 5 + (cell & 7)
        out += 1
        cells &= cells - 1
    return list_cells(b.down, base + ACROSS, out)


cdef inline move_t *list_all_builds(const State *s, const Builds *b, move_t *out) noexcept nogil:
    """List conversions, `no build`, single tiles, doubles of grey and a colour, and twins."""
    cdef int building, colour, base
    out = list_bits(b.conversions, MOVE_SWAP, out)
    out[0] = MOVE_NO_BUILD
    out += 1
    for building in range(BUILDINGS):
        if (b.singles >> building) & 1:
            out = list_cells(b.cells, MOVE_BUILD + BOARD * building, out)
    for colour in range(COLOURS):
        if (b.doubles >> colour) & 1:
            base = MOVE_BUILD_GREY + (s.grey_of[colour] * COLOURS + colour) * 2 * PAIRS
            out = list_pairs(b, base, out)
            out = list_pairs(b, base + PAIRS, out)
    for colour in range(COLOURS):
        if (b.twins >> colour) & 1:
            out = list_pairs(b, MOVE_BUILD_TWO + colour * PAIRS, out)
    return out


cdef inline move_t *list_builds(const State *s, const Player *p, move_t *out) noexcept nogil:
    """List the moves that `find_builds` finds, in the order of `list_all_builds`."""
    cdef Builds b
    find_builds(s, p, &b)
    return list_all_builds(s, &b, out)


cdef inline int count_builds(const State *s, const Player *p, Builds *b) noexcept nogil:
    """Return the number of moves that list_builds lists; fill `b`."""
    cdef int pairs
    find_builds(s, p, b)
    if (b.singles | b.doubles | b.twins) == 0:
        return count_bits(b.conversions) + 1
    pairs = count_bits(b.across) + count_bits(b.down)
    return (count_bits(b.conversions) + 1 + count_bits(b.singles) * count_bits(b.cells)
            + pairs * (2 * count_bits(b.doubles) + count_bits(b.twins)))


cdef inline int pick_pair(const Builds *b, int k) noexcept nogil:
    cdef int across = count_bits(b.across)
    cdef int cell
    if k >= across:
        return ACROSS + board_place(pick_bit(b.down, k - across))
    cell = pick_bit(b.across, k)
    return (cell >> 3) * 5 + (cell & 7)


cdef inline move_t pick_build(const State *s, const Player *p, const Builds *b,
                              int k) noexcept nogil:
    """Return the k-th move that list_builds lists."""
    cdef int cells, pairs, colour
    cdef int size = count_bits(b.conversions)
    if k < size:
        return MOVE_SWAP + pick_bit(b.conversions, k)
    k -= size
    if k == 0:
        return MOVE_NO_BUILD
    k -= 1
    cells = count_bits(b.cells)
    size = count_bits(b.singles) * cells
    if k < size:
        return MOVE_BUILD + BOARD * pick_bit(b.singles, k // cells) + board_place(
            pick_bit(b.cells, k % cells))
    k -= size
    pairs = count_bits(b.across) + count_bits(b.down)
    size = count_bits(b.doubles) * 2 * pairs
    if k < size:
        colour = pick_bit(b.doubles, k // (2 * pairs))
        k %= 2 * pairs
        return (MOVE_BUILD_GREY + ((s.grey_of[colour] * COLOURS + colour) * 2 + k // pairs) * PAIRS
                + pick_pair(b, k % pairs))
    k -= size
    return MOVE_BUILD_TWO + pick_bit(b.twins, k // pairs) * PAIRS + pick_pair(b, k % pairs)


cdef inline void convert(State *s, Player *p, int move) noexcept nogil:
    """Carry out a conversion; the building action continues."""
    if move < MOVE_TRAIN:
        hand_in(s, p, tables.swap_from[move - MOVE_SWAP], 1)
        receive(s, p, tables.swap_to[move - MOVE_SWAP], 1)
        s.swapped = 1
    elif move < MOVE_PROMOTE:
        hand_in(s, p, RESOURCE_ASSISTANT, 1)
        receive(s, p, RESOURCE_BLUE + move - MOVE_TRAIN, 1)
        s.trained += 1
    elif move < MOVE_EXCHANGE:
        hand_in(s, p, RESOURCE_ASSISTANT, 1)
        receive(s, p, RESOURCE_BUILDER, 1)
        s.promoted = 1
    else:
        hand_in(s, p, RESOURCE_BLUE + move - MOVE_EXCHANGE, 2)
        receive(s, p, RESOURCE_BUILDER, 1)
    push(s, DECIDE_BUILD, 0)


cdef inline void build(State *s, Player *p, int move) noexcept nogil:
    if move < MOVE_NO_BUILD:
        convert(s, p, move)
    elif move > MOVE_NO_BUILD:
        s.plan = <uint16_t>move
        push(s, DECIDE_PAY, 0)


cdef inline void begin_conversions(State *s) noexcept nogil:
    """Reset the limits of conversions, which apply per turn."""
    s.swapped = 0
    s.trained = 0
    s.promoted = 0
