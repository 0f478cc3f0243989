"""The tree: one arena of 32-byte nodes, linked by indices, children in blocks side by side.

A block has room for 1, 2, 4, .. children and is outgrown by moving to the next size; blocks left
behind are handed out again. So a node's children are read in one sweep of memory.
"""

cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    /* Pages of 2 MiB spare most address look-ups in a large tree. The first 2 MiB stay in small
       pages: a fresh large one costs 0.1 ms to clear, more than a quick decision should pay. */
    static inline void *reserve_arena(size_t bytes) {
        const size_t page = (size_t)1 << 21;
        void *arena = trajan_reserve(bytes, page);
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (arena != NULL && bytes > page) {
            (void)madvise((char *)arena + page, bytes - page, MADV_HUGEPAGE);
        }
    #endif
        return arena;
    }
    """
    void *reserve_arena(size_t bytes) noexcept nogil

cdef enum:
    NO_NODE = 0
    SIZE_CLASSES = 12        # blocks of 1 to 2048 children
    MAX_CHILDREN = 2048
    KEY_BITS = 2             # a key is a move and, in its low bits, the player who makes it


cdef struct Node:
    double total             # payoffs of the player who made the move, summed over visits
    int32_t key
    int32_t visits
    int32_t availability     # visits of the parent in which the move was legal
    int32_t block            # first child, or NO_NODE
    float prior              # for PUCT
    uint16_t count           # children
    uint8_t room             # the block has room for 1 << room children
    uint8_t unused


cdef struct Tree:
    Node *nodes
    int32_t used             # nodes [0, used) have been handed out
    int32_t limit            # nodes there is room for
    int32_t live             # nodes in the tree
    int32_t free_blocks[SIZE_CLASSES]
    int32_t widths[MAX_CHILDREN + 1]    # nodes by number of children


cdef inline int32_t key_of(int32_t move, int player) noexcept nogil:
    return (move << KEY_BITS) | player


cdef inline void tree_clear(Tree *tree) noexcept nogil:
    """Forget every node, keep the memory. Node 0 stays unused: it means no node."""
    cdef int i
    tree.used = 1
    tree.live = 0
    for i in range(SIZE_CLASSES):
        tree.free_blocks[i] = NO_NODE
    for i in range(MAX_CHILDREN + 1):
        tree.widths[i] = 0


cdef inline bint tree_reserve(Tree *tree) noexcept nogil:
    """Reserve addresses for `limit` nodes. Memory is assigned as nodes are used. False: failure."""
    if tree.nodes == NULL:
        tree.nodes = <Node *>reserve_arena(<size_t>tree.limit * sizeof(Node))
    return tree.nodes != NULL


cdef inline void tree_release(Tree *tree) noexcept nogil:
    """Give the memory back."""
    release(tree.nodes)
    tree.nodes = NULL


cdef inline int32_t take_block(Tree *tree, int room) noexcept nogil:
    """Return the index of a block of 1 << room nodes, NO_NODE if the tree is full."""
    cdef int32_t block = tree.free_blocks[room]
    if block != NO_NODE:
        tree.free_blocks[room] = tree.nodes[block].block
        return block
    block = tree.used
    if tree.limit - block < 1 << room:
        return NO_NODE
    tree.used += 1 << room
    require(tree.used <= tree.limit)
    return block


cdef inline bint widen_block(Tree *tree, int32_t parent, int room) noexcept nogil:
    """Move the children of `parent` to a block of 1 << room; False if the tree is full."""
    cdef int32_t block = take_block(tree, room)
    cdef Node *node
    if block == NO_NODE:
        return False
    node = &tree.nodes[parent]
    if node.block != NO_NODE:
        memcpy(&tree.nodes[block], &tree.nodes[node.block], node.count * sizeof(Node))
        tree.nodes[node.block].block = tree.free_blocks[node.room]
        tree.free_blocks[node.room] = node.block
    node.block = block
    node.room = <uint8_t>room
    return True


cdef inline void node_reset(Node *node, int32_t key) noexcept nogil:
    node.total = 0.0
    node.key = key
    node.visits = 0
    node.availability = 0
    node.block = NO_NODE
    node.prior = 0.0
    node.count = 0
    node.room = 0
    node.unused = 0


cdef inline int32_t add_root(Tree *tree) noexcept nogil:
    """Return a new node without parent, NO_NODE if the tree is full."""
    cdef int32_t root = take_block(tree, 0)
    if root != NO_NODE:
        node_reset(&tree.nodes[root], 0)
        tree.live += 1
        tree.widths[0] += 1
    return root


cdef inline int32_t add_child(Tree *tree, int32_t parent, int32_t key) noexcept nogil:
    """Return the index of a new child, NO_NODE if the tree is full. May move its siblings."""
    cdef Node *node = &tree.nodes[parent]
    cdef int32_t child
    if node.block == NO_NODE:
        if not widen_block(tree, parent, 0):
            return NO_NODE
    elif node.count == 1 << node.room and (
            node.room + 1 == SIZE_CLASSES or not widen_block(tree, parent, node.room + 1)):
        return NO_NODE
    node = &tree.nodes[parent]
    child = node.block + node.count
    require(node.count < 1 << node.room and child < tree.used)
    tree.widths[node.count] -= 1
    node.count += 1
    tree.widths[node.count] += 1
    tree.widths[0] += 1
    tree.live += 1
    node_reset(&tree.nodes[child], key)
    return child


cdef inline int32_t find_child(const Tree *tree, int32_t parent, int32_t key) noexcept nogil:
    """Return the index of the child with this key, or NO_NODE."""
    cdef const Node *node = &tree.nodes[parent]
    cdef int i
    for i in range(node.count):
        if tree.nodes[node.block + i].key == key:
            return node.block + i
    return NO_NODE


cdef inline bint copy_subtrees(const Tree *source, Tree *target, int32_t *roots,
                               int count) noexcept nogil:
    """Copy the subtrees below `roots` to the empty `target` and update the roots.

    False if memory is out. `target` then contains part of the tree, and the roots are invalid.
    """
    cdef int32_t *todo = <int32_t *>malloc((<size_t>source.live + 1) * sizeof(int32_t))
    cdef int32_t waiting = 0, parent, old
    cdef int i
    if todo == NULL:
        return False
    for i in range(count):
        old = roots[i]
        roots[i] = add_root(target)
        if roots[i] == NO_NODE:
            free(todo)
            return False
        target.nodes[roots[i]] = source.nodes[old]
        todo[waiting] = roots[i]
        waiting += 1
    # Invariant: the nodes in todo are copied, their blocks are still in the source.
    while waiting > 0:
        waiting -= 1
        parent = todo[waiting]
        old = target.nodes[parent].block
        if old == NO_NODE:
            continue
        target.nodes[parent].block = NO_NODE
        if not widen_block(target, parent, target.nodes[parent].room):
            target.nodes[parent].count = 0
            continue
        target.widths[0] += target.nodes[parent].count - 1
        target.widths[target.nodes[parent].count] += 1
        memcpy(&target.nodes[target.nodes[parent].block], &source.nodes[old],
               target.nodes[parent].count * sizeof(Node))
        target.live += target.nodes[parent].count
        for i in range(target.nodes[parent].count):
            todo[waiting] = target.nodes[parent].block + i
            waiting += 1
    free(todo)
    return True
