"""The way down: from the root to a new node, or beyond the tree if it is full."""

cdef inline void prefetch_children(const Tree *tree, int32_t node) noexcept nogil:
    """Prefetch the first cache lines of the children while the move is being carried out."""
    cdef const Node *first = &tree.nodes[tree.nodes[node].block]
    prefetch(first)
    prefetch(first + 2)
    prefetch(first + 4)


cdef inline bint follow_others(Search *s, const Iteration *it, int32_t *cursors, int mover,
                              move_t move) noexcept nogil:
    """Descend in the trees of the other players by what each of them sees of the move.

    Return False if the tree has no room for another node.
    """
    cdef int p
    cdef move_t observation
    cdef int32_t key, child
    cdef bint complete = True
    for p in range(s.trees):
        if p == mover:
            continue
        observation = move if s.ops.observed == NULL else s.ops.observed(it.state, move, p)
        if observation == NOTHING_SEEN:
            continue
        key = key_of(observation, mover)
        child = find_child(&s.tree, cursors[p], key)
        if child == NO_NODE:
            child = add_move(s, cursors[p], p, key)
        cursors[p] = child
        complete = complete and child != NO_NODE
    return complete


cdef inline int keep_allowed(const Search *s, move_t *moves, int count) noexcept nogil:
    """Leave only the moves that the search allows at its root; return their number."""
    cdef int i, kept = 0
    for i in range(count):
        if has_move(s.allowed, s.allowed_count, moves[i]):
            moves[kept] = moves[i]
            kept += 1
    require(kept > 0)
    return kept


cdef inline bint descend(Search *s, Iteration *it) noexcept nogil:
    """Go down the tree and one move beyond it; return False if the game ended on the way."""
    cdef int32_t cursors[MAX_PLAYERS]
    cdef Choice choice
    cdef int count, mover, own, t
    cdef bint complete = True
    memcpy(cursors, s.roots, sizeof(cursors))
    it.depth = 0
    while it.depth < MAX_DEPTH:
        count = s.ops.legal(it.state, it.moves)
        if count == 0:
            return False
        mover = s.ops.player(it.state)
        require(count >= 2 and mover >= 0)
        if it.depth == 0 and s.allowed_count > 0:
            count = keep_allowed(s, it.moves, count)
        own = tree_of(s, mover)
        if s.parameters.selection == SELECTION_PUCT:
            choose_by_prior(s, it, cursors[own], mover, count, &choice)
        else:
            choose_lazily(s, it, cursors[own], mover, count, &choice)
        if choice.fresh:
            end_phase(s, it, PHASE_SELECTION)
        cursors[own] = choice.child
        if choice.child != NO_NODE:
            prefetch_children(&s.tree, choice.child)
        if s.trees > 1 and not s.parameters.own_moves:
            complete = follow_others(s, it, cursors, mover, choice.move)
        apply_noting(s, it, choice.move)
        if choice.child == NO_NODE:
            return True
        for t in range(s.trees):
            it.path[t][it.depth] = cursors[t]
        it.movers[it.depth] = <uint8_t>mover
        it.depth += 1
        if choice.fresh or not complete:
            return True
    return True
