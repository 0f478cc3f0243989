"""The choice among the moves of a node: bounds, expansion, priors."""

cdef inline double log_count(const Search *s, int32_t count) noexcept nogil:
    """Natural logarithm of count >= 1; most counts in a tree are small."""
    return s.logs[count] if count < TABLED_LOGS else log_of(count)


cdef inline int tree_of(const Search *s, int player) noexcept nogil:
    """The tree in which a player chooses."""
    return player if s.trees > 1 else 0


cdef inline int32_t add_move(Search *s, int32_t parent, int t, int32_t key) noexcept nogil:
    """Return a new child of a node of tree `t`, NO_NODE if the tree is full.

    Its siblings may move in memory; paths of the iterations under way that lead there do so, too.
    """
    cdef int32_t old = s.tree.nodes[parent].block
    cdef int32_t count = s.tree.nodes[parent].count
    cdef int32_t child = add_child(&s.tree, parent, key)
    cdef int32_t moved = s.tree.nodes[parent].block - old
    cdef int64_t i
    cdef int d
    cdef Iteration *other
    if moved != 0 and count > 0:
        for i in range(s.iterations, s.selected):
            other = &s.under_way[i & s.ring]
            for d in range(other.depth):
                if old <= other.path[t][d] < old + count:
                    other.path[t][d] += moved
    return child


cdef inline void mark_legal(Search *s, const Iteration *it, int mover,
                            int count) noexcept nogil:
    cdef int i
    s.epoch += 2
    for i in range(count):
        s.marks[key_of(it.moves[i], mover)] = s.epoch


cdef inline int touch_children(Search *s, Node *children, int count) noexcept nogil:
    """Count availability of the legal children; return their number."""
    cdef int i, matched = 0
    for i in range(count):
        if s.marks[children[i].key] == s.epoch:
            s.marks[children[i].key] = s.epoch + 1
            children[i].availability += 1
            matched += 1
    return matched


cdef inline int best_ucb1(Search *s, Node *children, int count, int *matched) noexcept nogil:
    """Return the place of the legal child with the highest UCB1 value, -1 if none is legal.

    Auer, Cesa-Bianchi and Fischer (2002), UCB1, with the availability of the child for the
    visits of the parent (Cowling et al. 2012).
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


cdef inline int least_visited(Search *s, Node *children, int count, int *matched) noexcept nogil:
    """As best_ucb1, the child with the fewest visits for its availability: flat Monte Carlo."""
    cdef int i, best = -1
    for i in range(count):
        if s.marks[children[i].key] != s.epoch:
            continue
        s.marks[children[i].key] = s.epoch + 1
        matched[0] += 1
        children[i].availability += 1
        if best < 0 or (<int64_t>children[i].visits * children[best].availability
                        < <int64_t>children[best].visits * children[i].availability):
            best = i
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
    """Choose among children by a bound, or add one: children come into being when tried."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef Node *children = &s.tree.nodes[parent.block]
    cdef int matched = 0, best = -1
    mark_legal(s, it, mover, count)
    if parent.count < count and s.tree.used < s.tree.limit:
        matched = touch_children(s, children, parent.count)
    elif s.parameters.selection == SELECTION_UNIFORM:
        best = least_visited(s, children, parent.count, &matched)
    else:
        best = best_ucb1(s, children, parent.count, &matched)
    if matched < count:
        expand_untried(s, it, node, mover, count, count - matched, choice)
        if choice.child != NO_NODE or best < 0:
            return
    choice.child = parent.block + best
    choice.move = children[best].key >> KEY_BITS
    choice.fresh = False


cdef inline void add_missing(Search *s, const Iteration *it, int32_t node, int mover,
                             int count) noexcept nogil:
    """Give the node a child with its prior for every legal move that has none."""
    cdef int i
    cdef int32_t child
    if s.parameters.game_prior:
        s.ops.prior(it.state, it.moves, count, s.weights, s.priors)
    for i in range(count):
        if s.marks[key_of(it.moves[i], mover)] == s.epoch:
            child = add_move(s, node, tree_of(s, mover), key_of(it.moves[i], mover))
            if child == NO_NODE:
                return
            s.tree.nodes[child].availability = 1
            s.tree.nodes[child].prior = (s.priors[i] if s.parameters.game_prior
                                         else <float>(1.0 / count))


cdef inline int best_puct(Search *s, const Node *parent, Node *children) noexcept nogil:
    """Return the place of the best legal child by PUCT, -1 if none is legal.

    Rosin (2011); in the form of Silver et al., "Mastering the game of Go without human
    knowledge" (2017), Methods, "Select". Legal children are marked epoch + 1. A child without
    visits counts as the mean of its tried siblings. Exploration grows with the visits, as in their
    "A general reinforcement learning algorithm that masters chess, shogi, and Go" (2018), but
    from GROWTH_FROM of them on.
    """
    cdef int i, best = -1
    cdef double total = 0.0, visits = 0.0
    cdef double unseen, bound, value = 0.0
    cdef double exploration = s.parameters.exploration
    cdef Node *child
    for i in range(parent.count):
        if s.marks[children[i].key] >= s.epoch and children[i].visits > 0:
            total += children[i].total
            visits += children[i].visits
    unseen = total / visits if visits else 0.5
    if visits > GROWTH_FROM:
        exploration += s.parameters.exploration_growth * log_of(visits / GROWTH_FROM)
    for i in range(parent.count):
        child = &children[i]
        if s.marks[child.key] < s.epoch:
            continue
        bound = child.total / child.visits if child.visits else unseen
        bound += exploration * child.prior * sqrt(child.availability) / (1 + child.visits)
        if best < 0 or bound > value:
            best = i
            value = bound
    return best


cdef inline void choose_by_prior(Search *s, const Iteration *it, int32_t node, int mover, int count,
                                 Choice *choice) noexcept nogil:
    """Choose by PUCT among all legal moves; each is a child, tried or not."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef int best
    mark_legal(s, it, mover, count)
    if touch_children(s, &s.tree.nodes[parent.block], parent.count) < count:
        add_missing(s, it, node, mover, count)
        parent = &s.tree.nodes[node]
    best = best_puct(s, parent, &s.tree.nodes[parent.block])
    if best < 0:
        choice.child = NO_NODE
        choice.move = it.moves[rng_below(&s.rng, <uint32_t>count)]
        choice.fresh = True
        return
    choice.child = parent.block + best
    choice.move = s.tree.nodes[choice.child].key >> KEY_BITS
    choice.fresh = s.tree.nodes[choice.child].visits == 0
