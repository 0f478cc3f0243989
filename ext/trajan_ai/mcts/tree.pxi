"""The tree: one arena of units of 32 bytes, linked by indices.

A child that was tried is a node of one unit; an untried child takes a quarter of a unit. The
children of a node lie in one block: first the nodes, then the untried children, both in order of
arrival, so that all of them are read sequentially. Children that outgrow their block move to a
larger one, and the old block can be allocated again.
"""

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    typedef struct {
        double total;
        int32_t visits;
        int32_t availability;
        int32_t block;
        float prior;
        uint32_t key : 20, place : 12;
        uint32_t tried : 12, untried : 12, room : 8;
    } trajan_node;

    typedef struct {
        float prior;
        uint32_t key : 20, availability : 12;
    } trajan_untried;

    /* Pages of 2 MiB save most address look-ups in a large tree. The first 2 MiB stay in small
       pages, because clearing a large page takes 0.1 ms, which is too long for a quick decision. */
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

    ctypedef struct Node "trajan_node":
        double total         # payoffs of the player who made the move, summed over visits
        int32_t visits
        int32_t availability    # visits of the parent in which the move was legal
        int32_t block        # block of the children, or NO_NODE
        float prior          # for PUCT
        uint32_t key
        uint32_t place       # order of arrival among all children of the parent
        uint32_t tried       # children that are nodes
        uint32_t untried     # the other children
        uint32_t room        # the size class of the block

    ctypedef struct Untried "trajan_untried":
        float prior
        uint32_t key
        uint32_t availability    # at most MAX_AVAILABILITY; above it, the child becomes a node

cdef enum:
    NO_NODE = 0
    NO_KEY = -1
    SIZE_CLASSES = 40        # blocks of 1 to 2048 units
    MAX_CHILDREN = 2048
    KEY_BITS = 2             # a key is a move and, in its low bits, the player who makes it
    MAX_KEYS = 1 << 20
    MAX_AVAILABILITY = (1 << 12) - 1
    PER_UNIT = sizeof(Node) // sizeof(Untried)


cdef struct Tree:
    Node *nodes
    int32_t used             # units [0, used) have been allocated
    int32_t limit            # units that the tree may use
    int32_t live             # nodes and untried children in the tree
    bint full                # a child was not added, because there was no room
    int32_t free_blocks[SIZE_CLASSES]
    int32_t widths[MAX_CHILDREN + 1]    # [n]: nodes and untried children that have n children


cdef inline int32_t key_of(int32_t move, int player) noexcept nogil:
    return (move << KEY_BITS) | player


cdef inline int units_of(int room) noexcept nogil:
    """Return the number of units in a block of a size class.

    The classes have 1, 2, .. 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, .. units.
    """
    return room + 1 if room < 8 else (5 + (room & 3)) << ((room >> 2) - 1)


cdef inline int width_of(const Node *node) noexcept nogil:
    """Return the number of children."""
    return <int>(node.tried + node.untried)


cdef inline Untried *untried_of(const Tree *tree, const Node *node) noexcept nogil:
    """Return the untried children of a node."""
    return <Untried *>&tree.nodes[node.block + <int32_t>node.tried]


cdef inline void node_reset(Node *node, int32_t key, int place) noexcept nogil:
    memset(node, 0, sizeof(Node))
    node.key = <uint32_t>key
    node.place = <uint32_t>place


cdef inline void tree_clear(Tree *tree) noexcept nogil:
    """Forget every node, but keep the memory. Node 0 stays unused, because 0 means no node."""
    node_reset(&tree.nodes[NO_NODE], 0, 0)
    tree.used = 1
    tree.live = 0
    tree.full = False
    memset(tree.free_blocks, 0, sizeof(tree.free_blocks))
    memset(tree.widths, 0, sizeof(tree.widths))


cdef inline bint tree_reserve(Tree *tree, int32_t units) noexcept nogil:
    """Reserve addresses for a tree; return False on failure.

    Memory is assigned as units are used.
    """
    if tree.nodes == NULL:
        tree.nodes = <Node *>reserve_arena(<size_t>units * sizeof(Node))
    return tree.nodes != NULL


cdef inline void tree_release(Tree *tree) noexcept nogil:
    """Free the memory."""
    release(tree.nodes)
    tree.nodes = NULL


cdef inline void give_back(Tree *tree, int32_t block, int room) noexcept nogil:
    tree.nodes[block].availability = tree.free_blocks[room]
    tree.free_blocks[room] = block


cdef inline int32_t take_block(Tree *tree, int *room) noexcept nogil:
    """Return a block of at least the size class `room`, and write its size class to `room`.

    Return NO_NODE if the tree is full.
    """
    cdef int32_t block = tree.free_blocks[room[0]]
    cdef int units = units_of(room[0])
    if block == NO_NODE and tree.limit - tree.used >= units:
        block = tree.used
        tree.used += units
        return block
    while block == NO_NODE:
        room[0] += 1
        if room[0] == SIZE_CLASSES:
            tree.full = True
            return NO_NODE
        block = tree.free_blocks[room[0]]
    tree.free_blocks[room[0]] = tree.nodes[block].availability
    return block


cdef inline bint make_room(Tree *tree, int32_t parent, int tried, int untried) noexcept nogil:
    """Make room for `tried` nodes and `untried` other children; return False if the tree is full.

    The children may move.
    """
    cdef Node *node = &tree.nodes[parent]
    cdef int units = tried + (untried + <int>PER_UNIT - 1) // <int>PER_UNIT
    cdef int room = <int>node.room
    cdef int32_t block
    if node.block != NO_NODE and units <= units_of(room):
        return True
    while units_of(room) < units:
        room += 1
    require(room < SIZE_CLASSES)
    block = take_block(tree, &room)
    if block == NO_NODE:
        return False
    require(block + units_of(room) <= tree.used <= tree.limit)
    if node.block != NO_NODE:
        memcpy(&tree.nodes[block], &tree.nodes[node.block],
               node.tried * sizeof(Node) + node.untried * sizeof(Untried))
        give_back(tree, node.block, <int>node.room)
    node.block = block
    node.room = <uint32_t>room
    return True


cdef inline int32_t add_root(Tree *tree) noexcept nogil:
    """Return a new node without a parent, or NO_NODE if the tree is full."""
    cdef int room = 0
    cdef int32_t root = take_block(tree, &room)
    if root != NO_NODE:
        node_reset(&tree.nodes[root], 0, 0)
        tree.live += 1
        tree.widths[0] += 1
    return root


cdef inline void count_children(Tree *tree, int width, int more) noexcept nogil:
    """Update the counts for a node with `width` children to which `more` children are added."""
    tree.widths[width] -= 1
    tree.widths[width + more] += 1
    tree.widths[0] += more
    tree.live += more


cdef inline int32_t insert_node(Tree *tree, Node *parent, int i, int32_t key,
                                int place) noexcept nogil:
    """Insert a node before node `i` of the children, and return it; there must be room for it."""
    cdef Node *node = &tree.nodes[parent.block + i]
    memmove(node + 1, node, (parent.tried - <size_t>i) * sizeof(Node)
            + parent.untried * sizeof(Untried))
    node_reset(node, key, place)
    parent.tried += 1
    return parent.block + i


cdef inline int32_t add_child(Tree *tree, int32_t parent, int32_t key) noexcept nogil:
    """Return a new child, the last node of its block, or NO_NODE if the tree is full."""
    cdef Node *node = &tree.nodes[parent]
    cdef int width = width_of(node)
    if width == MAX_CHILDREN or not make_room(tree, parent, <int>node.tried + 1,
                                              <int>node.untried):
        return NO_NODE
    count_children(tree, width, 1)
    return insert_node(tree, node, <int>node.tried, key, width)


cdef inline int nodes_before(const Tree *tree, const Node *parent, int j) noexcept nogil:
    """Return how many nodes arrived before untried child `j`. Its place is this number plus `j`."""
    cdef const Node *nodes = &tree.nodes[parent.block]
    cdef int i = 0
    while i < <int>parent.tried and <int>nodes[i].place <= i + j:
        i += 1
    return i


cdef inline int32_t promote(Tree *tree, int32_t parent, int j) noexcept nogil:
    """Turn untried child `j` into a node and return it, or NO_NODE if the tree is full."""
    cdef Node *node = &tree.nodes[parent]
    cdef Untried *others
    cdef Untried one
    cdef int32_t child
    cdef int i
    if not make_room(tree, parent, <int>node.tried + 1, <int>node.untried - 1):
        return NO_NODE
    i = nodes_before(tree, node, j)
    others = untried_of(tree, node)
    one = others[j]
    node.untried -= 1
    memmove(others + j, others + j + 1, (node.untried - <size_t>j) * sizeof(Untried))
    child = insert_node(tree, node, i, <int32_t>one.key, i + j)
    tree.nodes[child].prior = one.prior
    tree.nodes[child].availability = <int32_t>one.availability
    return child


cdef inline int32_t find_child(const Tree *tree, int32_t parent, int32_t key) noexcept nogil:
    """Return the node with this key among the children, or NO_NODE."""
    cdef const Node *node = &tree.nodes[parent]
    cdef int32_t child
    for child in range(node.block, node.block + <int32_t>node.tried):
        if <int32_t>tree.nodes[child].key == key:
            return child
    return NO_NODE


cdef inline int find_untried(const Tree *tree, int32_t parent, int32_t key) noexcept nogil:
    """Return the index of the untried child with this key, or -1."""
    cdef const Node *node = &tree.nodes[parent]
    cdef int j
    for j in range(<int>node.untried):
        if <int32_t>untried_of(tree, node)[j].key == key:
            return j
    return -1


cdef inline void drop_subtree(Tree *tree, int32_t top, int32_t kept) noexcept nogil:
    """Remove `top` and everything below it, except `kept` and everything below `kept`.

    The blocks below `top` are given back, so the caller must have copied `kept`.
    """
    cdef int32_t pending = top, child    # a linked list; `visits` holds the next entry
    cdef Node *node
    tree.nodes[top].visits = NO_NODE
    while pending != NO_NODE:
        node = &tree.nodes[pending]
        pending = node.visits
        tree.widths[width_of(node)] -= 1
        tree.widths[0] -= <int32_t>node.untried
        tree.live -= 1 + <int32_t>node.untried
        for child in range(node.block, node.block + <int32_t>node.tried):
            if child != kept:
                tree.nodes[child].visits = pending
                pending = child
        if node.block != NO_NODE:
            give_back(tree, node.block, <int>node.room)


cdef inline void keep_subtrees(Tree *tree, int32_t *roots, int count) noexcept nogil:
    """Drop everything except the subtrees below the roots, and make the roots the first nodes
    again."""
    cdef Node kept
    cdef int32_t first
    cdef int t
    for t in range(count):
        first = t + 1
        if roots[t] != first:
            kept = tree.nodes[roots[t]]
            drop_subtree(tree, first, roots[t])
            tree.nodes[first] = kept
            roots[t] = first
