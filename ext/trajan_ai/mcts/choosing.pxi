"""The choice among the moves of a node: bounds, expansion, priors."""

cdef inline double log_count(const Search *s, int32_t count) noexcept nogil:
    """Return the natural logarithm of count >= 1, from a table for small counts (most are)."""
    return s.logs[count] if count < TABLED_LOGS else log_of(count)


cdef inline int tree_of(const Search *s, int player) noexcept nogil:
    """Return the tree in which a player chooses."""
    return player if s.trees > 1 else 0


cdef inline void update_paths(Search *s, int t, int32_t old, int tried, int32_t block,
                              int first) noexcept nogil:
    """Update the paths in tree `t` of the iterations under way, after nodes have moved in memory.

    The block of `tried` nodes that began at `old` now begins at `block`, with a new node at index
    `first`.
    """
    cdef int64_t i
    cdef int d
    cdef int32_t place
    cdef Iteration *other
    if tried == 0 or (block == old and first == tried):
        return
    for i in range(s.iterations, s.selected):
        other = &s.under_way[i & s.ring]
        for d in range(other.depth):
            place = other.path[t][d] - old
            if 0 <= place < tried:
                other.path[t][d] = block + place + (place >= first)


cdef inline int32_t add_move(Search *s, int32_t parent, int t, int32_t key) noexcept nogil:
    """Return a new child of a node of tree `t`, or NO_NODE if the tree is full."""
    cdef Node *node = &s.tree.nodes[parent]
    cdef int32_t old = node.block
    cdef int tried = <int>node.tried
    cdef int32_t child = add_child(&s.tree, parent, key)
    update_paths(s, t, old, tried, node.block, tried)
    return child


cdef inline int32_t try_move(Search *s, int32_t parent, int t, int j) noexcept nogil:
    """Turn untried child `j` into a node of tree `t`; return it, or NO_NODE if the tree is full."""
    cdef Node *node = &s.tree.nodes[parent]
    cdef int32_t old = node.block
    cdef int tried = <int>node.tried
    cdef int32_t child = promote(&s.tree, parent, j)
    if child != NO_NODE:
        update_paths(s, t, old, tried, node.block, child - node.block)
    return child


cdef inline void mark_legal(Search *s, const Iteration *it, int mover,
                            int count) noexcept nogil:
    cdef int i
    s.epoch += 2
    for i in range(count):
        s.marks[key_of(it.moves[i], mover)] = s.epoch


cdef inline int touch_nodes(Search *s, Node *children, int count) noexcept nogil:
    """Add 1 to the availability of each legal node; return their number."""
    cdef int i, matched = 0
    for i in range(count):
        if s.marks[children[i].key] == s.epoch:
            s.marks[children[i].key] = s.epoch + 1
            children[i].availability += 1
            matched += 1
    return matched


cdef inline int best_ucb1(Search *s, Node *children, int count, int *matched) noexcept nogil:
    """Return the index of the legal child with the highest UCB1 value, or -1 if none is legal.

    Auer, Cesa-Bianchi and Fischer (2002), UCB1, with the availability of the child in
    place of the visits of the parent (Cowling et al. 2012).
    """
    cdef double c2 = s.parameters.exploration * s.parameters.exploration
    cdef double log_available = 0.0
    cdef double bound, value = 0.0
    cdef int i, best = -1
    cdef int32_t available = -1
    cdef Node *child
    for i in range(count):
        child = &children[i]
        if s.marks[child.key] != s.epoch:
            continue
        s.marks[child.key] = s.epoch + 1
        matched[0] += 1
        child.availability += 1
        if child.availability != available:
            available = child.availability
            log_available = c2 * log_count(s, available)
        bound = (child.total + sqrt(log_available * child.visits)) / child.visits
        if best < 0 or bound > value:
            best = i
            value = bound
    return best


cdef inline void expand_untried(Search *s, const Iteration *it, int32_t node, int mover, int count,
                                int untried, Choice *choice) noexcept nogil:
    """Add a child for one of the `untried` legal moves, all equally likely."""
    cdef int skip = <int>rng_below(&s.rng, <uint32_t>untried)
    cdef int i
    choice.move = it.moves[0]
    for i in range(count):
        if s.marks[key_of(it.moves[i], mover)] == s.epoch:
            if skip == 0:
                choice.move = it.moves[i]
                break
            skip -= 1
    choice.child = add_move(s, node, tree_of(s, mover), key_of(choice.move, mover))
    choice.fresh = True


cdef inline void choose_lazily(Search *s, const Iteration *it, int32_t node, int mover, int count,
                               Choice *choice) noexcept nogil:
    """Choose a child by UCB1, or add one; a child is created when its move is first tried."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef Node *children = &s.tree.nodes[parent.block]
    cdef int matched = 0, best = -1
    mark_legal(s, it, mover, count)
    if <int>parent.tried < count and not s.tree.full:
        matched = touch_nodes(s, children, <int>parent.tried)
    else:
        best = best_ucb1(s, children, <int>parent.tried, &matched)
    if matched < count:
        expand_untried(s, it, node, mover, count, count - matched, choice)
        if choice.child != NO_NODE or best < 0:
            return
    choice.child = parent.block + best
    choice.move = <move_t>(children[best].key >> KEY_BITS)
    choice.fresh = False


cdef inline int touch_untried(Search *s, int32_t node, int t) noexcept nogil:
    """Add 1 to the availability of each legal untried child; return their number."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef Untried *children = untried_of(&s.tree, parent)
    cdef int j, matched = 0
    cdef bint overflows = False
    for j in range(<int>parent.untried):
        if s.marks[children[j].key] == s.epoch:
            s.marks[children[j].key] = s.epoch + 1
            matched += 1
            if children[j].availability < MAX_AVAILABILITY:
                children[j].availability += 1
            else:
                overflows = True
    if overflows:
        promote_available(s, node, t)
    return matched


cdef inline void promote_available(Search *s, int32_t node, int t) noexcept nogil:
    """Turn legal untried children into nodes if they cannot count their availability any
    further."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef Untried *one
    cdef int32_t child
    cdef int j = 0
    while j < <int>parent.untried:
        one = untried_of(&s.tree, parent) + j
        if one.availability < MAX_AVAILABILITY or s.marks[one.key] != s.epoch + 1:
            j += 1
            continue
        child = try_move(s, node, t, j)
        if child == NO_NODE:
            return
        s.tree.nodes[child].availability += 1


cdef inline void add_missing(Search *s, const Iteration *it, int32_t node, int t, int mover,
                             int count, int missing) noexcept nogil:
    """Add to the node an untried child with its prior for each of the `missing` legal moves."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef int32_t old = parent.block
    cdef int width = width_of(parent)
    cdef int tried = <int>parent.tried
    cdef Untried *child
    cdef int i
    missing = min(missing, MAX_CHILDREN - width)
    # Make room for one more node, because one of the new children is often tried immediately.
    if missing == 0 or not make_room(&s.tree, node, tried + 1, width - tried + missing - 1):
        return
    update_paths(s, t, old, tried, parent.block, tried)
    if s.parameters.game_prior:
        s.ops.prior(it.state, it.moves, count, s.weights, s.priors)
    child = untried_of(&s.tree, parent) + parent.untried
    for i in range(count):
        if missing > 0 and s.marks[key_of(it.moves[i], mover)] == s.epoch:
            child.key = <uint32_t>key_of(it.moves[i], mover)
            child.availability = 1
            child.prior = s.priors[i] if s.parameters.game_prior else <float>(1.0 / count)
            child += 1
            missing -= 1
            parent.untried += 1
    count_children(&s.tree, width, width_of(parent) - width)


cdef inline int best_puct(const Search *s, const Node *parent, const Node *children,
                          int *best_untried) noexcept nogil:
    """Return the index of the best legal node by PUCT, or -1 if there is none.

    `best_untried` receives the index of the best untried child if this child is better, or else -1.
    Rosin (2011); in the form of Silver et al., "Mastering the game of Go without human
    knowledge" (2017), Methods, "Select". Legal children are marked epoch + 1, or epoch if they
    have just been added. The value of a child without visits is the mean value of its visited
    siblings. Exploration grows with the visits, as in Silver et al., "A general reinforcement
    learning algorithm that masters chess, shogi, and Go" (2018), but only from GROWTH_FROM visits
    on. Of two equally good children, the one that was added first is better.
    """
    cdef const Untried *others = untried_of(&s.tree, parent)
    cdef int i, best = -1, best_other = -1
    cdef double total = 0.0, visits = 0.0
    cdef double unseen, bound, value = 0.0, other_value = 0.0, root = 1.0
    cdef double exploration = s.parameters.exploration
    cdef uint32_t available = 1
    cdef const Node *child
    for i in range(<int>parent.tried):
        if s.marks[children[i].key] >= s.epoch and children[i].visits > 0:
            total += children[i].total
            visits += children[i].visits
    unseen = total / visits if visits else 0.5
    if visits > GROWTH_FROM:
        exploration += s.parameters.exploration_growth * log_of(visits / GROWTH_FROM)
    for i in range(<int>parent.tried):
        child = &children[i]
        if s.marks[child.key] < s.epoch:
            continue
        bound = child.total / child.visits if child.visits else unseen
        bound += exploration * child.prior * sqrt(child.availability) / (1 + child.visits)
        if best < 0 or bound > value:
            best = i
            value = bound
    for i in range(<int>parent.untried):
        if s.marks[others[i].key] < s.epoch:
            continue
        if others[i].availability != available:
            available = others[i].availability
            root = sqrt(<double>available)
        bound = unseen + exploration * others[i].prior * root
        if best_other < 0 or bound > other_value:
            best_other = i
            other_value = bound
    if best >= 0 and best_other >= 0 and (other_value < value or (
            other_value == value and <int>children[best].place
            < best_other + nodes_before(&s.tree, parent, best_other))):
        best_other = -1
    best_untried[0] = best_other
    return best


cdef inline void choose_by_prior(Search *s, const Iteration *it, int32_t node, int mover, int count,
                                 Choice *choice) noexcept nogil:
    """Choose by PUCT among all legal moves; each is a child, tried or not."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef int t = tree_of(s, mover)
    cdef int best, other, matched
    mark_legal(s, it, mover, count)
    matched = touch_nodes(s, &s.tree.nodes[parent.block], <int>parent.tried)
    matched += touch_untried(s, node, t)
    if matched < count:
        add_missing(s, it, node, t, mover, count, count - matched)
    best = best_puct(s, parent, &s.tree.nodes[parent.block], &other)
    choice.child = try_move(s, node, t, other) if other >= 0 else NO_NODE
    if choice.child == NO_NODE and best >= 0:
        choice.child = parent.block + best
    if choice.child == NO_NODE:
        choice.move = it.moves[rng_below(&s.rng, <uint32_t>count)]
        choice.fresh = True
        return
    choice.move = <move_t>(s.tree.nodes[choice.child].key >> KEY_BITS)
    choice.fresh = s.tree.nodes[choice.child].visits == 0
