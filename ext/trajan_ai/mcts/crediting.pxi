"""The way back up: updates of nodes and root statistics."""

cdef inline void note_root(Search *s, const Outcome *outcome, int32_t child) noexcept nogil:
    """Add the outcome to the statistics of a root move."""
    cdef int p = s.root_player
    cdef int q
    cdef int place = <int>s.tree.nodes[child].place
    cdef RootStat *stat = &s.root_stats[place]
    require(child != NO_NODE)
    if place >= s.noted:
        s.noted = place + 1
    if stat.count == 0:
        stat.payoff_high = outcome.payoffs[p]
    stat.count += 1
    stat.win += outcome.wins[p]
    for q in range(s.players):
        stat.scores[q] += outcome.values[q]
    stat.margin += outcome.margins[p]
    stat.margin_squares += outcome.margins[p] * outcome.margins[p]
    stat.payoff += outcome.payoffs[p]
    stat.payoff_high = max(stat.payoff_high, outcome.payoffs[p])


cdef inline void note_sources(Search *s, const Iteration *it) noexcept nogil:
    """Add the sources of VP of an iteration to the statistics of its root move."""
    cdef int place = <int>s.tree.nodes[it.path[tree_of(s, s.root_player)][0]].place
    cdef int count = s.players * s.ops.vp_sources
    cdef double *sources = s.root_sources + place * count
    cdef int i
    s.root_stats[place].source_visits += 1
    for i in range(count):
        sources[i] += it.sources[i]


cdef inline void count_path(Search *s, Iteration *it, bint over) noexcept nogil:
    """Count the visits of an iteration, each with the payoff of the player who made the move.

    With several iterations in flight, a visit is counted before the iteration is over, with a
    provisional payoff: the mean of the node so far, which only makes that mean look more certain,
    or 0 for a node without visits. When the iteration is `over`, its payoff replaces the
    provisional one. After Liu et al., "Watch the Unobserved: A Simple Approach to Parallelizing
    Monte Carlo Tree Search" (2020), and the virtual loss of Chaslot et al. (2008).

    A decision that a player does not notice does not advance the path in their tree.
    """
    cdef bint lends = s.parameters.in_flight > 1
    cdef bint visits = not (over and lends)
    cdef int t, d
    cdef int32_t last
    cdef double payoff, before
    cdef Node *node
    for t in range(s.trees):
        last = s.roots[t]
        s.tree.nodes[last].visits += visits
        for d in range(it.depth):
            if it.path[t][d] == NO_NODE:
                break
            if it.path[t][d] == last:
                continue
            last = it.path[t][d]
            node = &s.tree.nodes[last]
            before = it.lent[t][d] if over and lends else 0.0
            if over:
                payoff = it.outcome.payoffs[it.movers[d]]
            else:
                payoff = it.lent[t][d] = node.total / node.visits if node.visits else 0.0
            require(payoff >= -1e-9 and payoff <= 1.0 + 1e-9)
            node.visits += visits
            node.total += payoff - before


cdef inline void back_up(Search *s, Iteration *it) noexcept nogil:
    """Add the outcome of an iteration to the tree and to all statistics."""
    settle(&it.outcome, s.players, &s.mix, &s.means, <double>s.iterations)
    count_path(s, it, True)
    if it.depth > 0:
        note_root(s, &it.outcome, it.path[tree_of(s, s.root_player)][0])
        if it.with_sources:
            note_sources(s, it)
    s.depths[it.depth] += 1
