# The rules, sections 2 to 6: what is legal, what a move does, how a game is scored.
#
# State.legal holds the legal moves of the decision as bits; MOVE_OF names them. At the seaport it
# holds all but the rare shipments of equal cards (four cards, or with wild goods tiles), which
# rare_shipments() lists. A function named enter_... asks for a decision or goes past it.

cdef enum:
    # Bits of State.legal at the seaport.
    CAN_DRAW = 1 << 0
    CAN_TAKE = 1 << 1
    CAN_SHIP_PAIRS = 1 << 3
    CAN_SHIP_DIFFERENT = 1 << 4
    SEAPORT_PASS = 1 << 5
    SEAPORT_PLAY = 6
    SEAPORT_EQUAL = 18
    # The others.
    FORUM_PASS = 1 << TILE_KINDS
    CAN_RECRUIT = 1
    CAN_DEPLOY = 2
    MILITARY_MARCH = 2
    MILITARY_PASS = 1 << (MILITARY_MARCH + PROVINCES)
    CAN_RISE = 1
    SENATE_PASS = 2
    TRAJAN_PASS = 1 << STACKS
    CAN_HIRE = 1
    CONSTRUCTION_BUILD = 1
    CONSTRUCTION_PASS = 1 << (CONSTRUCTION_BUILD + SITES)
    PLAY_DONE = 1 << GOODS_KINDS
    PAIR_WILD = 12
    PAIR_WILDS = 1 << 24
    PAIR_DONE = 1 << 25
    CARD_WILD = 1 << GOODS_KINDS
    CARD_DONE = 1 << (GOODS_KINDS + 1)
    NO_EXTRA = 1 << 2
    # Sites of the first four and the last four columns.
    NOT_LAST_COLUMN = 0x7BDEF
    NOT_FIRST_COLUMN = 0xF7BDE
    ALL_SITES = 0xFFFFF


# ---- Cards, piles and tiles -------------------------------------------------------------------

cdef inline int top_of_deck(State *s) noexcept nogil:
    """Draw from the deck, which has a card; return the good."""
    s.deck_size -= 1
    cdef int good = s.deck[s.deck_size] - 1
    s.deck[s.deck_size] = 0
    s.deck_counts -= <uint64_t>1 << (4 * good)
    return good


cdef inline void gain_card(Player *p, int good) noexcept nogil:
    p.hand += <uint64_t>1 << (4 * good)
    p.hand_size += 1


cdef inline void lose_cards(Player *p, int good, int count) noexcept nogil:
    """Cards leave the hand in the open: those that the others knew count as the first to go."""
    cdef int known = good_count(p.known, good)
    p.hand -= <uint64_t>count << (4 * good)
    p.known -= <uint64_t>(known if known < count else count) << (4 * good)
    p.hand_size -= count


cdef inline void draw_cards(State *s, Player *p, int count) noexcept nogil:
    while count > 0 and s.deck_size > 0:
        gain_card(p, top_of_deck(s))
        count -= 1


cdef inline int pile_top(const State *s, int side) noexcept nogil:
    """Place of the top card of a pile that is not empty."""
    return s.pile_size[0] - 1 if side == 0 else DECK_CARDS - s.pile_size[1]


cdef inline void put_on_pile(State *s, int side, int good) noexcept nogil:
    s.pile_size[side] += 1
    s.piles[pile_top(s, side)] = <uint8_t>(good + 1)


cdef inline void take_from_pile(State *s, Player *p, int side) noexcept nogil:
    """Take the top card; an emptied pile is refilled at once from the deck."""
    cdef int place = pile_top(s, side)
    cdef int good = s.piles[place] - 1
    s.piles[place] = 0
    s.pile_size[side] -= 1
    gain_card(p, good)
    p.known += <uint64_t>1 << (4 * good)
    if s.pile_size[side] == 0 and s.deck_size > 0:
        put_on_pile(s, side, top_of_deck(s))


cdef inline void put_in_forum(State *s, int tile) noexcept nogil:
    s.forum[tile] += 1
    s.forum_kinds |= <uint32_t>1 << tile


cdef inline int next_of_supply(State *s) noexcept nogil:
    s.supply_size -= 1
    cdef int tile = s.supply[s.supply_size] - 1
    s.supply[s.supply_size] = 0
    s.supply_counts[tile] -= 1
    return tile


cdef inline int next_extra(State *s) noexcept nogil:
    s.extra_size -= 1
    cdef int tile = s.extra_supply[s.extra_size] - 1
    s.extra_supply[s.extra_size] = 0
    s.extra_counts[tile - EXTRA_TILE] -= 1
    return tile


cdef inline int next_bonus(State *s) noexcept nogil:
    s.bonus_size -= 1
    cdef int tile = s.bonus_bag[s.bonus_size] - 1
    s.bonus_bag[s.bonus_size] = 0
    s.bonus_hidden &= <uint16_t>~(1 << tile)
    return tile


cdef inline void show_top(State *s, int stack) noexcept nogil:
    """The new top of a stack is seen: it is hidden no longer.

    Equal tiles of a stack have neighbouring bits; the upper one goes first.
    """
    cdef int bit
    if s.stack_size[stack] == 0:
        s.stacks_left &= <uint8_t>~(1 << stack)
        return
    bit = TILE_BIT[s.stacks[stack * STACK_TILES + s.stack_size[stack] - 1]]
    if SAME_AS_NEXT[stack] >> bit & 1 and s.stack_hidden[stack] >> (bit + 1) & 1:
        bit += 1
    s.stack_hidden[stack] &= <uint16_t>~(1 << bit)


cdef inline int take_tile(State *s, int stack) noexcept nogil:
    """Take the top tile of a stack that is not empty; return its number + 1."""
    s.stack_size[stack] -= 1
    cdef int place = stack * STACK_TILES + s.stack_size[stack]
    cdef int tile = s.stacks[place]
    s.stacks[place] = 0
    show_top(s, stack)
    return tile


cdef inline int next_free_slot(const Player *p, int slot) noexcept nogil:
    """The next slot clockwise without a tile, or CENTRE."""
    cdef int i
    for i in range(TRAYS):
        slot = slot + 1 if slot < TRAYS - 1 else 0
        if p.slots[slot] == 0:
            return slot
    return CENTRE


# ---- Legal moves of each action ---------------------------------------------------------------

cdef inline uint64_t seaport_moves(const State *s, const Player *p) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    cdef uint64_t two = at_least_2(p.hand)
    cdef int wilds = p.tiles[WILD_GOODS]
    cdef uint64_t moves = SEAPORT_PASS
    if s.deck_size > 0:
        moves |= CAN_DRAW
    if s.pile_size[0] > 0:
        moves |= CAN_TAKE
    if s.pile_size[1] > 0:
        moves |= CAN_TAKE << 1
    if two != 0 or (wilds > 0 and p.hand_size > 0) or wilds > 1:
        moves |= CAN_SHIP_PAIRS
    if p.hand_size + wilds > 0:
        moves |= CAN_SHIP_DIFFERENT
    return (moves | one << SEAPORT_PLAY | one << SEAPORT_EQUAL | two << (SEAPORT_EQUAL + 12)
            | at_least_3(p.hand) << (SEAPORT_EQUAL + 24))


cdef inline bint has_rare_shipments(const Player *p) noexcept nogil:
    return p.tiles[WILD_GOODS] > 0 or (p.hand & <uint64_t>0x444444444444) != 0


cdef int rare_shipments(const Player *p, move_t *moves) noexcept nogil:
    """Shipments of equal cards that State.legal has no bits for."""
    cdef int wilds = p.tiles[WILD_GOODS]
    cdef int count = 0
    cdef int form, good
    for form in range(3, 10):
        if EQUAL_WILDS[form] > wilds:
            break
        for good in range(GOODS_KINDS):
            if good_count(p.hand, good) >= EQUAL_CARDS[form]:
                moves[count] = EQUAL_MOVE + form * GOODS_KINDS + good
                count += 1
    for form in range(wilds):
        moves[count] = EQUAL_WILD_MOVE + form
        count += 1
    return count


cdef inline uint64_t military_moves(const Player *p) noexcept nogil:
    cdef uint64_t moves = MILITARY_PASS | <uint64_t>BORDERS[p.leader] << MILITARY_MARCH
    if p.supply > 0:
        moves |= CAN_RECRUIT
    if p.leader > 0 and p.legionnaires > 0 and not (p.legions_on >> (p.leader - 1)) & 1:
        moves |= CAN_DEPLOY
    return moves


cdef inline uint64_t free_sites(const Player *p) noexcept nogil:
    """Sites for the next worker: any for the first, else beside an own worker."""
    cdef uint64_t own = p.workers_on
    if own == 0:
        return ALL_SITES
    return (((own & NOT_LAST_COLUMN) << 1) | ((own & NOT_FIRST_COLUMN) >> 1) | (own << 5)
            | (own >> 5)) & ALL_SITES & ~own


cdef inline uint64_t construction_moves(const Player *p) noexcept nogil:
    cdef uint64_t moves = CONSTRUCTION_PASS
    if p.supply > 0:
        moves |= CAN_HIRE
    if p.workers > 0:
        moves |= free_sites(p) << CONSTRUCTION_BUILD
    return moves


cdef inline uint64_t action_moves(const State *s, const Player *p, int action) noexcept nogil:
    """Legal moves of an action, `pass` included."""
    if action == SEAPORT:
        return seaport_moves(s, p)
    elif action == FORUM:
        return FORUM_PASS | s.forum_kinds
    elif action == MILITARY:
        return military_moves(p)
    elif action == SENATE:
        return SENATE_PASS | (p.space < LAST_SPACE)
    elif action == TRAJAN:
        return TRAJAN_PASS | (s.stacks_left if p.arch != CENTRE else 0)
    return construction_moves(p)


cdef inline bint is_forced(const State *s) noexcept nogil:
    """Whether the decision has a single legal move."""
    return (s.legal & (s.legal - 1)) == 0 and s.kind != OVER


# ---- Actions with their repeats, sections 3 to 5 ----------------------------------------------

cdef inline void enter_decision(State *s, int kind, uint64_t moves) noexcept nogil:
    s.kind = <uint8_t>kind
    s.legal = moves


cdef inline int running_action(const State *s) noexcept nogil:
    return s.free_action - 1 if s.in_free else s.target


cdef inline void enter_action(State *s) noexcept nogil:
    cdef int action = running_action(s)
    enter_decision(s, action, action_moves(s, &s.seats[s.active], action))


cdef inline uint64_t extra_moves(const Player *p, int action) noexcept nogil:
    return NO_EXTRA | (p.tiles[EXTRA_TILE + action] > 0) | (p.tiles[WILD_ACTION] > 0) << 1


cdef void enter_offer(State *s) noexcept nogil:
    """Offer an extra-action tile for the action just performed, then for the one that gave it."""
    cdef Player *p = &s.seats[s.active]
    cdef int action
    cdef uint64_t moves
    while True:
        action = running_action(s)
        moves = extra_moves(p, action)
        if moves != NO_EXTRA and not s.extra_spent:
            if count_bits(action_moves(s, p, action)) > 1:
                enter_decision(s, ON_EXTRA, moves)
                return
        if not s.in_free:
            end_turn(s)
            return
        leave_free(s)


cdef inline void leave_free(State *s) noexcept nogil:
    s.in_free = 0
    s.free_action = 0


cdef void repeat_or_end(State *s) noexcept nogil:
    if s.repeats > 0:
        s.repeats -= 1
        enter_action(s)
    else:
        end_turn(s)


cdef void performed(State *s) noexcept nogil:
    """An instance of an action was carried out."""
    if s.free_action != 0 and not s.in_free:
        s.in_free = 1
        enter_action(s)
    elif s.repeating == NOT_REPEATING:
        enter_offer(s)
    else:
        if s.repeating == REPEATING_MAIN and s.in_free:
            leave_free(s)
        repeat_or_end(s)


cdef void passed(State *s) noexcept nogil:
    """An instance of an action was passed or impossible."""
    if not s.in_free or s.repeating == REPEATING_FREE:
        end_turn(s)
    else:
        leave_free(s)
        if s.repeating == NOT_REPEATING:
            enter_offer(s)
        else:
            repeat_or_end(s)


cdef void apply_extra(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int action = running_action(s)
    if move == NO_EXTRA_MOVE:
        if s.in_free:
            leave_free(s)
            enter_offer(s)
        else:
            end_turn(s)
        return
    p.tiles[EXTRA_TILE + action if move == EXTRA_MOVE else WILD_ACTION] -= 1
    s.extra_spent = 1
    s.repeating = REPEATING_FREE if s.in_free else REPEATING_MAIN
    s.repeats = (p.plus2 >> action) & 1
    enter_action(s)


# ---- Seaport ----------------------------------------------------------------------------------

cdef inline uint64_t discard_moves(const Player *p) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    return one | one << GOODS_KINDS


cdef inline uint64_t play_moves(const State *s, const Player *p) noexcept nogil:
    """The second card laid is not before the first: State.last is the first good."""
    return PLAY_DONE | ((at_least_1(p.hand) >> s.last) << s.last)


cdef inline uint64_t pair_moves(const State *s, const Player *p) noexcept nogil:
    """State.last is the first good still allowed, State.step the number of pairs laid."""
    cdef uint64_t later = (<uint64_t>GOODS_MASK << s.last) & GOODS_MASK
    cdef uint64_t moves
    if s.step == 3:
        return PAIR_DONE
    moves = at_least_2(p.hand) & later
    if p.tiles[WILD_GOODS] > 0:
        moves |= (at_least_1(p.hand) & later) << PAIR_WILD
        if p.tiles[WILD_GOODS] > 1:
            moves |= PAIR_WILDS
    if s.step > 0:
        moves |= PAIR_DONE
    return moves


cdef inline uint64_t card_moves(const State *s, const Player *p) noexcept nogil:
    """State.last is the first good still allowed, State.step the number of cards laid."""
    cdef uint64_t later = (<uint64_t>GOODS_MASK << s.last) & GOODS_MASK
    cdef uint64_t moves
    if s.step == 4:
        return CARD_DONE
    moves = at_least_1(p.hand) & later
    if p.tiles[WILD_GOODS] > 0:
        moves |= CARD_WILD
    if s.step > 0:
        moves |= CARD_DONE
    return moves


cdef inline void lay_cards(Player *p, int good, int count) noexcept nogil:
    lose_cards(p, good, count)
    p.display += <uint64_t>count << (4 * good)


cdef void finish_shipment(State *s, Player *p, int ship, int size) noexcept nogil:
    p.score += SHIP_VP[(s.ships >> ship) & 1][ship][size]
    s.ships &= <uint8_t>~(1 << ship)
    s.step = 0
    s.last = 0
    performed(s)


cdef void apply_seaport(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int form, good
    if move == DRAW_MOVE:
        draw_cards(s, p, 2)
        enter_decision(s, ON_DISCARD, discard_moves(p))
    elif move == TAKE_LEFT_MOVE or move == TAKE_RIGHT_MOVE:
        take_from_pile(s, p, move - TAKE_LEFT_MOVE)
        performed(s)
    elif move == SHIP_PAIRS_MOVE:
        enter_decision(s, ON_PAIR, pair_moves(s, p))
    elif move == SHIP_DIFFERENT_MOVE:
        enter_decision(s, ON_CARD, card_moves(s, p))
    elif move == PASS_MOVE:
        passed(s)
    elif move < EQUAL_MOVE:
        s.last = <uint8_t>(move - PLAY_MOVE)
        lay_cards(p, s.last, 1)
        enter_decision(s, ON_PLAY, play_moves(s, p))
    elif move < EQUAL_WILD_MOVE:
        form = (move - EQUAL_MOVE) // GOODS_KINDS
        good = (move - EQUAL_MOVE) % GOODS_KINDS
        lay_cards(p, good, EQUAL_CARDS[form])
        p.tiles[WILD_GOODS] -= EQUAL_WILDS[form]
        finish_shipment(s, p, EQUAL, EQUAL_CARDS[form] + EQUAL_WILDS[form])
    else:
        p.tiles[WILD_GOODS] -= <uint8_t>(move - EQUAL_WILD_MOVE + 1)
        finish_shipment(s, p, EQUAL, move - EQUAL_WILD_MOVE + 1)


cdef void apply_discard(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int side = move >= DISCARD_MOVE + GOODS_KINDS
    cdef int good = move - DISCARD_MOVE - side * GOODS_KINDS
    lose_cards(p, good, 1)
    put_on_pile(s, side, good)
    performed(s)


cdef void apply_play(State *s, move_t move) noexcept nogil:
    """The second card, or none; then draw as many as were laid."""
    cdef Player *p = &s.seats[s.active]
    cdef int laid = 1
    s.last = 0
    if move != DONE_MOVE:
        lay_cards(p, move - PLAY_MOVE, 1)
        laid = 2
    draw_cards(s, p, laid)
    performed(s)


cdef void apply_pair(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    if move == DONE_MOVE:
        finish_shipment(s, p, PAIRS, s.step)
        return
    if move < PAIR_WILD_MOVE:
        s.last = <uint8_t>(move - PAIR_MOVE + 1)
        lay_cards(p, s.last - 1, 2)
    elif move < PAIR_WILDS_MOVE:
        s.last = <uint8_t>(move - PAIR_WILD_MOVE + 1)
        lay_cards(p, s.last - 1, 1)
        p.tiles[WILD_GOODS] -= 1
    else:
        s.last = GOODS_KINDS
        p.tiles[WILD_GOODS] -= 2
    s.step += 1
    enter_decision(s, ON_PAIR, pair_moves(s, p))


cdef void apply_card(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    if move == DONE_MOVE:
        finish_shipment(s, p, DIFFERENT, s.step)
        return
    if move == CARD_WILD_MOVE:
        s.last = GOODS_KINDS
        p.tiles[WILD_GOODS] -= 1
    else:
        s.last = <uint8_t>(move - CARD_MOVE + 1)
        lay_cards(p, s.last - 1, 1)
    s.step += 1
    enter_decision(s, ON_CARD, card_moves(s, p))


# ---- The other actions ------------------------------------------------------------------------

cdef void apply_forum(State *s, move_t move) noexcept nogil:
    cdef int tile = move - FORUM_MOVE
    if move == PASS_MOVE:
        passed(s)
        return
    s.forum[tile] -= 1
    if s.forum[tile] == 0:
        s.forum_kinds &= ~(<uint32_t>1 << tile)
    s.seats[s.active].tiles[tile] += 1
    performed(s)


cdef void deploy(State *s, Player *p) noexcept nogil:
    """A legionnaire joins the leader: the province's VP, less for other players' there."""
    cdef int province = p.leader - 1
    cdef int vp = PROVINCE_VP[province]
    cdef int i
    for i in range(s.players):
        vp -= LEGIONNAIRE_LOSS * ((s.seats[i].legions_on >> province) & 1)
    p.legions_on |= <uint16_t>(1 << province)
    p.legionnaires -= 1
    p.score += vp if vp > 0 else 0


cdef void apply_military(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int province
    if move == PASS_MOVE:
        passed(s)
        return
    if move == RECRUIT_MOVE:
        p.supply -= 1
        p.legionnaires += 1
    elif move == DEPLOY_MOVE:
        deploy(s, p)
    else:
        province = move - MARCH_MOVE
        p.leader = <uint8_t>(province + 1)
        if s.provinces[province] != 0:
            p.tiles[s.provinces[province] - 1] += 1
            s.provinces[province] = 0
    performed(s)


cdef void rise(State *s, int player) noexcept nogil:
    """The disc moves one space and goes on top of the discs there."""
    cdef Player *p = &s.seats[player]
    cdef int i = 0
    p.space += 1
    p.score += SENATE_VP[p.space]
    while s.order[i] != player:
        i += 1
    while i + 1 < s.players and s.seats[s.order[i + 1]].space <= p.space:
        s.order[i] = s.order[i + 1]
        i += 1
    s.order[i] = <uint8_t>player


cdef void apply_senate(State *s, move_t move) noexcept nogil:
    if move == PASS_MOVE:
        passed(s)
    else:
        rise(s, s.active)
        performed(s)


cdef void apply_trajan(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    if move == PASS_MOVE:
        passed(s)
        return
    p.slots[p.arch] = <uint8_t>take_tile(s, move - TILE_MOVE)
    p.arch = <uint8_t>next_free_slot(p, p.arch)
    performed(s)


cdef void build(State *s, Player *p, int site) noexcept nogil:
    """A worker goes to a site; the first building of a kind gives a free action."""
    cdef int building = s.sites[site]
    cdef int kind
    p.workers -= 1
    p.workers_on |= <uint32_t>1 << site
    if building == 0:
        return
    s.sites[site] = 0
    s.sites_left &= ~(<uint32_t>1 << site)
    kind = (building - 1) >> 2
    if (p.buildings >> (4 * kind)) & 15 == 0:
        s.free_action = FREE_ACTION[kind]
    p.buildings |= <uint32_t>1 << (building - 1)
    p.score += BUILDING_VP[building]


cdef void apply_construction(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    if move == PASS_MOVE:
        passed(s)
        return
    if move == HIRE_MOVE:
        p.supply -= 1
        p.workers += 1
    else:
        build(s, p, move - BUILD_MOVE)
    performed(s)


# ---- A turn: sowing and the Trajan tile, section 3 --------------------------------------------

cdef inline void enter_sow(State *s) noexcept nogil:
    s.decider = s.active
    enter_decision(s, ON_SOW, s.seats[s.active].filled)


cdef inline void drop(State *s, Player *p, int colour) noexcept nogil:
    """Put a marker in hand into the next tray."""
    cdef int tray = s.next_tray
    s.sow_hand = without_marker(s.sow_hand, colour)
    p.trays[tray] = with_marker(p.trays[tray], colour)
    p.filled |= <uint8_t>(1 << tray)
    s.target = <uint8_t>tray
    s.next_tray = <uint8_t>(tray + 1 if tray < TRAYS - 1 else 0)


cdef inline void enter_drop(State *s, Player *p) noexcept nogil:
    """Drop markers until a colour must be chosen or the hand is empty."""
    cdef unsigned int colours = s.sow_hand & COLOUR_MASK
    while colours != 0:
        if colours & (colours - 1) != 0:
            enter_decision(s, ON_DROP, colours)
            return
        drop(s, p, lowest_bit(colours))
        colours = s.sow_hand & COLOUR_MASK
    s.next_tray = 0
    complete_tile(s, p)


cdef inline void apply_sow(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int tray = move - SOW_MOVE
    s.sow_hand = p.trays[tray]
    p.trays[tray] = 0
    p.filled &= <uint8_t>~(1 << tray)
    s.time += <uint16_t>count_markers(s.sow_hand)
    while s.time >= s.lap_length:
        s.time -= s.lap_length
        s.rounds_due += 1
    s.next_tray = <uint8_t>(tray + 1 if tray < TRAYS - 1 else 0)
    enter_drop(s, p)


cdef inline void apply_drop(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    drop(s, p, move - DROP_MOVE)
    enter_drop(s, p)


cdef inline void complete_tile(State *s, Player *p) noexcept nogil:
    """The target's Trajan tile is scored if the target tray has its colours."""
    cdef int tile = p.slots[s.target]
    if tile == 0 or p.trays[s.target] & NEED[tile] != NEED[tile]:
        enter_action(s)
        return
    p.slots[s.target] = 0
    p.score += TILE_VP[tile]
    if p.arch == CENTRE:
        p.arch = s.target
    if s.options & OPTIONAL_EFFECTS and can_change(s, p, tile):
        s.effect = <uint8_t>tile
        enter_decision(s, ON_EFFECT, 3)
    else:
        carry_out_effect(s, p, tile)


cdef bint can_change(const State *s, const Player *p, int tile) noexcept nogil:
    """Whether the effect of a tile is one to decide on and would change something."""
    cdef int effect = TILE_EFFECT[tile]
    if effect == EFFECT_CARDS:
        return s.deck_size > 0
    elif effect == EFFECT_WORKERS or effect == EFFECT_LEGIONS:
        return p.supply > 0
    return effect == EFFECT_PLUS2 and p.plus2 != COLOUR_MASK


cdef void carry_out_effect(State *s, Player *p, int tile) noexcept nogil:
    """The effect of a Trajan tile, then the action of the target tray."""
    cdef int effect = TILE_EFFECT[tile]
    cdef int amount = TILE_AMOUNT[tile]
    if effect == EFFECT_CARDS:
        draw_cards(s, p, amount)
    elif effect == EFFECT_WORKERS:
        amount = amount if amount < p.supply else p.supply
        p.supply -= <uint8_t>amount
        p.workers += <uint8_t>amount
    elif effect == EFFECT_LEGIONS:
        amount = amount if amount < p.supply else p.supply
        p.supply -= <uint8_t>amount
        p.legionnaires += <uint8_t>amount
    elif effect == EFFECT_PLUS2 and p.plus2 != COLOUR_MASK:
        enter_decision(s, ON_PLUS2, ~p.plus2 & COLOUR_MASK)
        return
    elif effect == EFFECT_DEMAND:
        p.demands[amount] += 1
    enter_action(s)


cdef void apply_effect(State *s, move_t move) noexcept nogil:
    cdef int tile = s.effect
    s.effect = 0
    if move == EFFECT_MOVE:
        carry_out_effect(s, &s.seats[s.active], tile)
    else:
        enter_action(s)


cdef void apply_plus2(State *s, move_t move) noexcept nogil:
    s.seats[s.active].plus2 |= <uint8_t>(1 << (move - PLUS2_MOVE))
    enter_action(s)


cdef void end_turn(State *s) noexcept nogil:
    s.target = 0
    s.free_action = 0
    s.in_free = 0
    s.repeating = NOT_REPEATING
    s.repeats = 0
    s.extra_spent = 0
    if s.rounds_due > 0:
        end_rounds(s)
    else:
        next_player(s)


cdef inline void next_player(State *s) noexcept nogil:
    s.active = <uint8_t>(s.active + 1 if s.active + 1 < s.players else 0)
    s.turn += 1
    enter_sow(s)


# ---- Ends of rounds, quarters and the game, section 6 -----------------------------------------

cdef void end_rounds(State *s) noexcept nogil:
    """Carry out the ends that are due; a quarter's end stops at the consul's choice."""
    cdef int winner
    while s.rounds_due > 0:
        s.rounds_due -= 1
        if s.round == ROUNDS - 1:
            pay_demands(s)
            winner = rank_senate(s)
            s.decider = <uint8_t>winner
            enter_decision(s, ON_BONUS, s.offer)
            return
        s.round += 1
        s.demand_size -= 1
        s.row[s.demand_stack[s.demand_size] - 1] += 1
        s.demand_counts[s.demand_stack[s.demand_size] - 1] -= 1
        s.demand_stack[s.demand_size] = 0
    next_player(s)


cdef void pay_demands(State *s) noexcept nogil:
    """Each player covers what he can: Trajan tile, forum tile, wild; the rest costs VP.

    In quarter 4 only the loss is taken; final scoring settles which tiles pay.
    """
    cdef bint last = s.quarter == QUARTERS - 1
    cdef int i, k, rest, uncovered, pay
    cdef Player *p
    for i in range(s.players):
        p = &s.seats[i]
        uncovered = 0
        for k in range(SYMBOLS):
            rest = s.row[k] - p.demands[k]
            if rest <= 0:
                continue
            pay = rest if rest < p.tiles[DEMAND_TILE + k] else p.tiles[DEMAND_TILE + k]
            uncovered += rest - pay
            if not last:
                p.tiles[DEMAND_TILE + k] -= <uint8_t>pay
        pay = uncovered if uncovered < p.tiles[WILD_DEMAND] else p.tiles[WILD_DEMAND]
        if not last:
            p.tiles[WILD_DEMAND] -= <uint8_t>pay
        p.score -= DEMAND_LOSS[uncovered - pay]
    if not last:
        for k in range(SYMBOLS):
            s.row[k] = 0


cdef int count_votes(const Player *p) noexcept nogil:
    cdef int votes = p.space + 1 if p.space > 0 else 0
    cdef int i
    for i in range(DEMAND_TILE):
        votes += (i + 2) * p.tiles[VOTES2 + i]
    return votes


cdef int rank_senate(State *s) noexcept nogil:
    """All discs return to the start space, stacked by votes; return the winner, on top.

    The order before breaks ties: further along, then higher. A stable sort keeps it.
    """
    cdef int votes[4]
    cdef int i, j, player
    for i in range(s.players):
        votes[i] = count_votes(&s.seats[i])
        s.seats[i].space = 0
    for i in range(1, s.players):
        player = s.order[i]
        j = i
        while j > 0 and votes[s.order[j - 1]] > votes[player]:
            s.order[j] = s.order[j - 1]
            j -= 1
        s.order[j] = <uint8_t>player
    return s.order[s.players - 1]


cdef void apply_bonus(State *s, move_t move) noexcept nogil:
    """The consul takes one bonus tile, the second of the senate the other."""
    cdef uint16_t taken = <uint16_t>(1 << (move - BONUS_MOVE))
    s.seats[s.decider].gold |= taken
    s.seats[s.order[s.players - 2]].silver |= s.offer & <uint16_t>~taken
    s.offer = 0
    if s.quarter == QUARTERS - 1:
        finish_game(s)
        return
    s.quarter += 1
    s.round = 0
    begin_quarter(s)
    end_rounds(s)


cdef void offer_bonus(State *s) noexcept nogil:
    s.offer = <uint16_t>(1 << next_bonus(s))
    s.offer |= <uint16_t>(1 << next_bonus(s))


cdef void fill_forum(State *s) noexcept nogil:
    cdef int i
    for i in range(FORUM_SPACES[s.players]):
        if s.supply_size == 0:
            break
        put_in_forum(s, next_of_supply(s))
    for i in range(EXTRA_SPACES):
        put_in_forum(s, next_extra(s))


cdef void begin_quarter(State *s) noexcept nogil:
    """Vote tiles and the forum's leave; new bonus tiles, province and forum tiles; ships turn."""
    cdef int i, k
    cdef unsigned int occupied = 0
    for i in range(s.players):
        for k in range(DEMAND_TILE):
            s.seats[i].tiles[VOTES2 + k] = 0
        occupied |= s.seats[i].legions_on | ((<unsigned int>1 << s.seats[i].leader) >> 1)
    for k in range(TILE_KINDS):
        s.forum[k] = 0
    s.forum_kinds = 0
    s.ships = (1 << SHIPS) - 1
    offer_bonus(s)
    for i in range(PROVINCES):
        if s.provinces[i] == 0 and not (occupied >> i) & 1 and s.supply_size > 0:
            s.provinces[i] = <uint8_t>(next_of_supply(s) + 1)
    fill_forum(s)


cdef int bonus_of_symbols(const State *s, const Player *p, const int *left,
                          int wilds) noexcept nogil:
    """VP of the bonus tiles for symbols with these forum tiles left; wilds serve the best."""
    cdef int vp = 0
    cdef int open_gold = 0
    cdef int open_silver = 0
    cdef int k, tile
    for k in range(SYMBOLS):
        tile = BONUS_SYMBOL + k
        if (p.gold >> tile) & 1:
            if left[k] > 0:
                vp += GOLD_VP[tile]
            else:
                open_gold += 1
        elif (p.silver >> tile) & 1:
            if left[k] > 0:
                vp += SILVER_VP[tile]
            else:
                open_silver += 1
    if s.options & WILD_DEMAND_SCORES:
        k = open_gold if open_gold < wilds else wilds
        vp += k * GOLD_VP[BONUS_SYMBOL]
        wilds -= k
        vp += (open_silver if open_silver < wilds else wilds) * SILVER_VP[BONUS_SYMBOL]
    return vp


cdef int settle_demands(State *s, Player *p) noexcept nogil:
    """Pay the demands of quarter 4 with the tiles that leave most VP; return those VP.

    Of the payments that cover as many as possible the best, of equal ones that with the fewest
    wilds. wild[k] wilds pay for symbol k, forum tiles for the rest that is covered.
    """
    cdef int rest[3]
    cdef int left[3]
    cdef int best[4]
    cdef int covered = 0
    cdef int best_vp = -1
    cdef int wilds = p.tiles[WILD_DEMAND]
    cdef int a, b, c, k, have, vp, used
    cdef int wild[3]
    cdef int most
    best[0] = best[1] = best[2] = best[3] = 0
    used = 0
    for k in range(SYMBOLS):
        rest[k] = s.row[k] - p.demands[k]
        if rest[k] < 0:
            rest[k] = 0
        have = p.tiles[DEMAND_TILE + k]
        covered += rest[k] if rest[k] < have else have
        used += rest[k] - have if rest[k] > have else 0
    covered += used if used < wilds else wilds
    for a in range(rest[0] + 1):
        for b in range(rest[1] + 1):
            for c in range(rest[2] + 1):
                used = a + b + c
                if used > wilds:
                    continue
                wild[0], wild[1], wild[2] = a, b, c
                most = used
                for k in range(SYMBOLS):
                    have = p.tiles[DEMAND_TILE + k]
                    vp = rest[k] - wild[k]
                    vp = vp if vp < have else have
                    left[k] = have - vp
                    most += vp
                if most != covered:
                    continue
                vp = bonus_of_symbols(s, p, left, wilds - used)
                if vp > best_vp or (vp == best_vp and used < best[3]):
                    best_vp = vp
                    best[0], best[1], best[2], best[3] = left[0], left[1], left[2], used
    for k in range(SYMBOLS):
        p.tiles[DEMAND_TILE + k] = <uint8_t>best[k]
    p.tiles[WILD_DEMAND] -= <uint8_t>best[3]
    return best_vp


cdef int set_value(const Player *p) noexcept nogil:
    """VP of building sets; wild buildings join the kinds where they bring most."""
    cdef int size[5]
    cdef int wilds = p.tiles[WILD_BUILDING]
    cdef int vp = 0
    cdef int gain = 0
    cdef int gain_2 = 0
    cdef int here, k, m
    for k in range(5):
        size[k] = SET_OF_6[(p.buildings >> (4 * k)) & 15]
        vp += SET_VP[size[k]]
    if wilds == 0:
        return vp
    for k in range(5):
        here = SET_VP[size[k] + 1] - SET_VP[size[k]]
        gain = here if here > gain else gain
        gain_2 = max2(gain_2, SET_VP[size[k] + 2] - SET_VP[size[k]])
        for m in range(k):
            gain_2 = max2(gain_2, here + SET_VP[size[m] + 1] - SET_VP[size[m]])
    return vp + (gain if wilds == 1 else gain_2)


cdef inline int max2(int a, int b) noexcept nogil:
    return a if a > b else b


cdef int bonus_of_goods(const Player *p) noexcept nogil:
    """VP of the bonus tiles for goods; each wild goods tile is a card of the dearest of them."""
    cdef int vp = 0
    cdef int dearest = 0
    cdef int k, cards
    for k in range(GOLD_GOODS):
        if ((p.gold | p.silver) >> k) & 1:
            cards = good_count(p.display, 2 * k) + good_count(p.display, 2 * k + 1)
            if (p.gold >> k) & 1:
                vp += cards * GOLD_VP[k]
                dearest = max2(dearest, GOLD_VP[k])
            else:
                vp += cards * SILVER_VP[k]
                dearest = max2(dearest, SILVER_VP[k])
    return vp + dearest * p.tiles[WILD_GOODS]


cdef int bonus_of_figures(const Player *p) noexcept nogil:
    """VP of the bonus tiles for workers on sites, legionnaires in provinces and gold tiles."""
    cdef int workers = count_bits(p.workers_on)
    cdef int legions = count_bits(p.legions_on)
    cdef int gold = count_bits(p.gold)
    cdef int vp = 0
    if (p.gold >> BONUS_WORKERS) & 1:
        vp += (GOLD_VP[BONUS_WORKERS] * workers + 1) // 2
    elif (p.silver >> BONUS_WORKERS) & 1:
        vp += (SILVER_VP[BONUS_WORKERS] * workers + 1) // 2
    if (p.gold >> BONUS_LEGIONS) & 1:
        vp += GOLD_VP[BONUS_LEGIONS] * legions
    elif (p.silver >> BONUS_LEGIONS) & 1:
        vp += SILVER_VP[BONUS_LEGIONS] * legions
    if (p.gold >> BONUS_GOLD) & 1:
        vp += GOLD_VP[BONUS_GOLD] * gold
    elif (p.silver >> BONUS_GOLD) & 1:
        vp += SILVER_VP[BONUS_GOLD] * gold
    return vp


cdef void finish_game(State *s) noexcept nogil:
    cdef int i, k, slots
    cdef Player *p
    for i in range(s.players):
        p = &s.seats[i]
        slots = 0
        if s.options & SCORE_SLOT_TILES:
            for k in range(TRAYS):
                slots += p.slots[k] != 0
        p.score += <int16_t>(p.hand_size + p.workers + p.legionnaires + slots
                             + settle_demands(s, p) + set_value(p) + bonus_of_goods(p)
                             + bonus_of_figures(p))
    for k in range(SYMBOLS):
        s.row[k] = 0
    s.rounds_due = 0
    s.active = 0
    s.decider = 0
    enter_decision(s, OVER, 0)


# ---- Setup, section 2 -------------------------------------------------------------------------

cdef uint64_t marker_moves(const State *s) noexcept nogil:
    """sow_hand holds the markers still to place, last the first colour of a tray."""
    cdef unsigned int left = s.sow_hand & COLOUR_MASK
    cdef unsigned int highest = left
    if s.step & 1:
        left = (left >> s.last) << s.last
    else:
        # The first colour must leave another that is not before it.
        while highest & (highest - 1):
            highest &= highest - 1
        if not (s.sow_hand >> 8) & highest:
            left &= ~highest
    return left


cdef void apply_marker(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    cdef int tray = s.step >> 1
    s.sow_hand = without_marker(s.sow_hand, move - MARKER_MOVE)
    p.trays[tray] = with_marker(p.trays[tray], move - MARKER_MOVE)
    p.filled |= <uint8_t>(1 << tray)
    s.last = 0 if s.step & 1 else <uint8_t>(move - MARKER_MOVE)
    s.step += 1
    if s.step == 2 * TRAYS:
        s.step = 0
        s.active += 1
        s.turn += 1
        if s.active == s.players:
            deal_goods(s)
            return
        s.decider = s.active
        s.sow_hand = (COLOUR_MASK << 8) | COLOUR_MASK
    enter_decision(s, ON_MARKER, marker_moves(s))


cdef void deal_goods(State *s) noexcept nogil:
    """Trajan tiles, bonus tiles and discard piles come into view; goods are chosen."""
    cdef int i
    for i in range(STACKS):
        show_top(s, i)
    for i in range(s.players):
        s.seats[i].gold = <uint16_t>(1 << next_bonus(s))
    offer_bonus(s)
    put_on_pile(s, 0, top_of_deck(s))
    put_on_pile(s, 1, top_of_deck(s))
    s.active = 0
    s.decider = 0
    enter_decision(s, ON_GOODS, 7)


cdef void apply_goods(State *s, move_t move) noexcept nogil:
    cdef Player *p = &s.seats[s.active]
    if move == GOODS_MOVE:
        draw_cards(s, p, 1)
    else:
        take_from_pile(s, p, move - GOODS_MOVE - 1)
    s.step += 1
    if s.step == 3:
        s.step = 0
        s.active += 1
        s.turn += 1
        if s.active == s.players:
            s.active = 0
            enter_decision(s, ON_START, s.stacks_left)
        s.decider = s.active


cdef void apply_start(State *s, move_t move) noexcept nogil:
    """A tile for slot II, IV or VI; last holds the stacks already used, as bits."""
    cdef Player *p = &s.seats[s.active]
    cdef int stack = move - START_MOVE
    p.slots[2 * s.step + 1] = <uint8_t>take_tile(s, stack)
    s.last |= <uint8_t>(1 << stack)
    s.step += 1
    if s.step == 3:
        s.step = 0
        s.last = 0
        s.active += 1
        s.turn += 1
        if s.active == s.players:
            s.active = 0
            enter_sow(s)
            return
        s.decider = s.active
    enter_decision(s, ON_START, s.stacks_left & ~s.last)


# ---- Every decision ---------------------------------------------------------------------------

cdef inline void apply_once(State *s, move_t move) noexcept nogil:
    cdef int kind = s.kind
    if kind == ON_DROP:
        apply_drop(s, move)
    elif kind == ON_SOW:
        apply_sow(s, move)
    elif kind == SEAPORT:
        apply_seaport(s, move)
    elif kind == FORUM:
        apply_forum(s, move)
    elif kind == MILITARY:
        apply_military(s, move)
    elif kind == SENATE:
        apply_senate(s, move)
    elif kind == TRAJAN:
        apply_trajan(s, move)
    elif kind == CONSTRUCTION:
        apply_construction(s, move)
    elif kind == ON_PLUS2:
        apply_plus2(s, move)
    elif kind == ON_EFFECT:
        apply_effect(s, move)
    elif kind == ON_DISCARD:
        apply_discard(s, move)
    elif kind == ON_PLAY:
        apply_play(s, move)
    elif kind == ON_PAIR:
        apply_pair(s, move)
    elif kind == ON_CARD:
        apply_card(s, move)
    elif kind == ON_EXTRA:
        apply_extra(s, move)
    elif kind == ON_BONUS:
        apply_bonus(s, move)
    elif kind == ON_MARKER:
        apply_marker(s, move)
    elif kind == ON_GOODS:
        apply_goods(s, move)
    else:
        apply_start(s, move)


cdef inline void apply_forced(State *s) noexcept nogil:
    while is_forced(s):
        apply_once(s, MOVE_OF[s.kind][lowest_bit(s.legal)])


cdef void apply_move(void *state, move_t move) noexcept nogil:
    cdef State *s = <State *>state
    if CHECKED:
        require_legal(s, move)
    apply_once(s, move)
    apply_forced(s)
    if CHECKED:
        require_sound(s)


cdef int list_moves(const void *state, move_t *moves) noexcept nogil:
    cdef const State *s = <const State *>state
    cdef const int16_t *move_of = MOVE_OF[s.kind]
    cdef uint64_t left = s.legal
    cdef int count = 0
    while left != 0:
        moves[count] = move_of[lowest_bit(left)]
        left &= left - 1
        count += 1
    if s.kind == SEAPORT and has_rare_shipments(&s.seats[s.active]):
        count += rare_shipments(&s.seats[s.active], moves + count)
    return count
