# The way back: nodes, root statistics, all-moves-as-first tables, votes.

cdef void note_root(Search *s, int32_t child) noexcept nogil:
    """Add the outcome to the statistics of a root move."""
    cdef int root_tree = s.root_player if s.trees > 1 else 0
    cdef int p = s.root_player
    cdef int place = child - s.tree.nodes[s.roots[root_tree]].block
    cdef RootStat *stat = &s.root_stats[place]
    cdef double win = s.outcome.wins[p], payoff = s.outcome.payoffs[p]
    check(child != NO_NODE and place >= 0)
    if place >= s.noted:
        s.noted = place + 1
    stat.count += 1
    stat.win += win
    stat.win_squares += win * win
    stat.score += s.outcome.values[p]
    stat.margin += s.outcome.margins[p]
    stat.payoff += payoff
    stat.payoff_squares += payoff * payoff
    stat.ranks[s.outcome.ranks[p] - 1] += 1


cdef inline void credit(Search *s, AmafStat *stats, int32_t key) noexcept nogil:
    stats[key].total += <float>s.outcome.payoffs[key & ((1 << KEY_BITS) - 1)]
    stats[key].visits += 1


cdef void credit_all_moves(Search *s) noexcept nogil:
    """Credit the moves of the iteration to MAST and to the tables on the path (GRAVE).

    A move made more than once counts once: where it was made last.
    """
    cdef int i, t, d, start, count = 0
    cdef int32_t node, table
    s.epoch += 2
    for i in range(s.traced - 1, -1, -1):
        if s.marks[s.trace[i]] != s.epoch:
            s.marks[s.trace[i]] = s.epoch
            s.lasts[count] = i
            count += 1
    if s.parameters.playout == MAST:
        for i in range(count):
            credit(s, s.mast, s.trace[s.lasts[i]])
    if s.parameters.selection != GRAVE:
        return
    for t in range(s.trees):
        for d in range(s.depth + 1):
            node = s.path[t][d - 1] if d else s.roots[t]
            table = <int32_t>s.tree.nodes[node].extra if node != NO_NODE else 0
            if table == 0:
                continue
            start = 0
            while start < count and s.lasts[start] >= d:
                credit(s, &s.tables.stats[<size_t>table * s.key_count],
                       s.trace[s.lasts[start]])
                start += 1


cdef void back_up(Search *s) noexcept nogil:
    """Credit every node of the path with the payoff of the player who moved there."""
    cdef int t, d
    cdef double payoff
    cdef Node *node
    for t in range(s.trees):
        s.tree.nodes[s.roots[t]].visits += 1
        for d in range(s.depth):
            if s.path[t][d] == NO_NODE:
                break
            node = &s.tree.nodes[s.path[t][d]]
            payoff = s.outcome.payoffs[s.movers[d]]
            check(payoff >= 0.0 and payoff <= 1.0)
            node.visits += 1
            node.total += payoff
            if s.parameters.selection == UCB1_TUNED:
                node.extra += <float>(payoff * payoff)
    if s.depth > 0:
        note_root(s, s.path[s.root_player if s.trees > 1 else 0][0])
    if s.parameters.traces:
        credit_all_moves(s)
    s.depths[s.depth] += 1


cdef void vote(Search *s) noexcept nogil:
    """Credit the root move with the most visits since the last vote."""
    cdef int root_tree = s.root_player if s.trees > 1 else 0
    cdef int i, leader = -1
    cdef int64_t most = 0
    cdef RootStat *stat
    for i in range(s.tree.nodes[s.roots[root_tree]].count):
        stat = &s.root_stats[i]
        if stat.count - stat.count_before > most:
            most = stat.count - stat.count_before
            leader = i
        stat.count_before = stat.count
    if leader >= 0:
        s.root_stats[leader].led += 1
