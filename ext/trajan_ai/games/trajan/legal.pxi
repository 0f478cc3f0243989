"""Legal moves of the six actions, and entering a decision.

State.legal contains the legal moves of the decision as bits; decisions.pxi defines which bit is
which move. At the seaport it contains all but the rare shipments of equal cards (four cards, or
with wild goods tiles), which rare_shipments() lists. A function named enter_... makes a decision
the current one, or skips it.
"""

cdef enum:
    # Bits of State.legal at the seaport.
    CAN_DRAW = 1 << 0
    CAN_TAKE = 1 << 1                    # left, right
    CAN_SHIP_PAIRS = 1 << 3
    CAN_SHIP_DIFFERENT = 1 << 4
    SEAPORT_PASS = 1 << 5
    SEAPORT_PLAY = 6
    SEAPORT_EQUAL = SEAPORT_PLAY + GOODS     # one, two, three cards of each good
    # Bits of State.legal at the other actions.
    FORUM_PASS = 1 << TILES
    CAN_RECRUIT = 1 << 0
    CAN_DEPLOY = 1 << 1
    MILITARY_MARCH = 2
    MILITARY_PASS = 1 << (MILITARY_MARCH + PROVINCES)
    SENATE_PASS = 1 << 1
    TRAJAN_PASS = 1 << STACKS
    CAN_HIRE = 1 << 0
    CONSTRUCTION_BUILD = 1
    CONSTRUCTION_PASS = 1 << (CONSTRUCTION_BUILD + SITES)
    # Sites of the first four and the last four columns.
    NOT_LAST_COLUMN = 0x7BDEF
    NOT_FIRST_COLUMN = 0xF7BDE


cdef inline uint64_t seaport_moves(const State *s, const Player *p) noexcept nogil:
    cdef uint64_t one = at_least_1(p.hand)
    cdef uint64_t two = at_least_2(p.hand)
    cdef int wilds = p.tiles[TILE_WILD_GOODS]
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
    return (moves | one << SEAPORT_PLAY | one << SEAPORT_EQUAL | two << (SEAPORT_EQUAL + GOODS)
            | at_least_3(p.hand) << (SEAPORT_EQUAL + 2 * GOODS))


cdef inline uint64_t military_moves(const Player *p) noexcept nogil:
    cdef uint64_t moves = MILITARY_PASS | <uint64_t>tables.borders[p.leader] << MILITARY_MARCH
    if p.supply > 0:
        moves |= CAN_RECRUIT
    if can_deploy(p):
        moves |= CAN_DEPLOY
    return moves


cdef inline bint can_deploy(const Player *p) noexcept nogil:
    return p.leader > 0 and p.legionnaires > 0 and not (p.legions_on >> (p.leader - 1)) & 1


cdef inline uint64_t sites_beside(uint64_t sites) noexcept nogil:
    return (((sites & NOT_LAST_COLUMN) << 1) | ((sites & NOT_FIRST_COLUMN) >> 1) | (sites << 5)
            | (sites >> 5)) & ALL_SITES


cdef inline uint64_t free_sites(const Player *p) noexcept nogil:
    """Return the sites for the next worker.

    The first worker may go to any site, a later one only beside another worker of the player.
    """
    cdef uint64_t own = p.workers_on
    return sites_beside(own) & ~own if own != 0 else <uint64_t>ALL_SITES


cdef inline uint64_t construction_moves(const Player *p) noexcept nogil:
    cdef uint64_t moves = CONSTRUCTION_PASS
    if p.supply > 0:
        moves |= CAN_HIRE
    if p.workers > 0:
        moves |= free_sites(p) << CONSTRUCTION_BUILD
    return moves


cdef inline uint64_t action_moves(const State *s, const Player *p, int action) noexcept nogil:
    """Return the legal moves of an action, `pass` included."""
    if action == ACTION_SEAPORT:
        return seaport_moves(s, p)
    elif action == ACTION_FORUM:
        return FORUM_PASS | s.forum_kinds
    elif action == ACTION_MILITARY:
        return military_moves(p)
    elif action == ACTION_SENATE:
        return SENATE_PASS | (p.space < LAST_SPACE)
    elif action == ACTION_TRAJAN:
        return TRAJAN_PASS | (s.stacks_left if p.arch != CENTRE else 0)
    return construction_moves(p)


# ---- Entering a decision ----------------------------------------------------------------------

cdef inline bint is_forced(const State *s) noexcept nogil:
    """Return whether the decision has a single legal move."""
    return (s.legal & (s.legal - 1)) == 0 and s.decision != DECIDE_OVER


cdef inline void enter_decision(State *s, int decision, uint64_t moves) noexcept nogil:
    s.decision = decision
    s.legal = moves


cdef inline int running_action(const State *s) noexcept nogil:
    return s.free_action - 1 if s.in_free else s.target


cdef inline void enter_action(State *s) noexcept nogil:
    """Enter the decision of the running action, which has the same number."""
    cdef int action = running_action(s)
    happen(s, EVENT_ACTION, s.active, action, 0)
    enter_decision(s, action, action_moves(s, &s.player[s.active], action))


cdef inline uint64_t sow_moves(const State *s) noexcept nogil:
    return s.player[s.active].filled


cdef inline void enter_sow(State *s) noexcept nogil:
    s.decider = s.active
    enter_decision(s, DECIDE_SOW, sow_moves(s))


cdef inline void next_player(State *s) noexcept nogil:
    s.active = s.active + 1 if s.active + 1 < s.players else 0
    s.turn += 1
    enter_sow(s)
