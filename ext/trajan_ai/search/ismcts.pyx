"""Information-set Monte-Carlo tree search: one tree for all (SO) or one a player (MO).

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012),
the algorithms SO-ISMCTS and MO-ISMCTS. Each iteration draws a determinization, descends
among the moves legal in it, adds a node, plays out, and backs up one payoff a player (max-n).
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trajan_ai.core.game cimport (
    MAX_PLAYERS, NO_LIMIT, NO_PLAYER, Game, GameOps, Position, move_t,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, rng_unit
from trajan_ai.search.numbers cimport log_of, power_of
from trajan_ai.search.payoff cimport Outcome, PayoffMix, ranks_of_values, settle
from trajan_ai.search.tree cimport (
    KEY_BITS, MOST_CHILDREN, NO_NODE, Node, Tree, add_child, add_root, check, copy_subtrees,
    find_child, key_of, tree_clear, tree_reserve,
)

from trajan_ai.core.errors import TrajanError

cdef extern from *:
    """
    #define prefetch_line(address) __builtin_prefetch(address)
    """
    void prefetch_line(const void *address) noexcept nogil

cdef enum:
    MAX_DEPTH = 512          # decisions below the root that the tree may reach
    CLOCK_STRIDE = 8         # iterations between looks at the clock, some 0.2 ms
    LED_BLOCK = 100          # iterations in one vote on which move leads
    EPOCH_LIMIT = 0xF0000000
    MOST_TRACED = 4096       # moves of one iteration that all-moves-as-first statistics see
    LOOKS = 8                # determinizations that show whether a move revealed something
    LOOKS_TRIED = 64         # and how many are drawn to find those in which it is legal
    SPARE_NODES = 1 << 18    # 8 MiB: a larger tree left behind is given back to the system
    TABLED_LOGS = 1024       # 8 KiB
    PHASES = 5               # determinize, select, expand, playout, backup

cdef enum Selection:
    UCB1
    UCB1_TUNED
    PUCT
    EVEN
    GRAVE

cdef enum Playout:
    UNIFORM
    POLICY
    MAST

SELECTIONS = {"ucb1": UCB1, "ucb1-tuned": UCB1_TUNED, "puct": PUCT, "grave": GRAVE,
              "uniform": EVEN}
PLAYOUTS = {"uniform": UNIFORM, "policy": POLICY, "mast": MAST}
PHASE_NAMES = ("determinization", "selection", "expansion", "playout", "backup")


cdef struct Parameters:
    int selection
    int playout
    bint many_trees          # MO-ISMCTS
    bint cheat               # no determinization
    bint game_prior
    bint evaluates           # a cut playout ends in ops.evaluate, else in the running score
    double exploration
    bint urgent              # first_play_urgency is set
    double urgency
    double widening          # 0 switches widening off
    double widening_exponent
    double epsilon
    double grave_bias
    int grave_reference
    bint traces              # the moves of an iteration are noted
    int cut_transitions
    int cut_turns            # 0: never
    int depth_limit


cdef struct RootStat:
    int64_t count            # iterations of this search through the move
    double win
    double win_squares
    double score
    double margin
    double payoff
    double payoff_squares
    int64_t ranks[MAX_PLAYERS]
    int64_t led
    int64_t count_before     # at the start of the running vote


cdef struct AmafStat:        # all moves as first: of a move wherever it was made
    float total
    int32_t visits


cdef struct AmafTables:      # GRAVE: one table, by key, for every node with enough visits
    AmafStat *stats
    int32_t used             # table 0 means none
    int32_t capacity
    int32_t limit


cdef struct Choice:
    move_t move
    int32_t child            # NO_NODE if the tree is full
    bint fresh               # the child has no visits yet


cdef struct Search:
    const GameOps *ops
    Parameters parameters
    PayoffMix mix
    Tree tree
    Tree spare               # where a kept subtree is copied
    Rng rng
    uint64_t determinization_seed
    int64_t iterations
    int players
    int observer             # whose knowledge the search has
    int root_player
    int trees
    int32_t roots[MAX_PLAYERS]
    void *root_state
    void *state
    move_t *moves
    float *priors
    const float *weights
    uint32_t *marks          # by key: epoch if legal here, epoch + 1 if also a child
    uint32_t epoch
    int depth
    int32_t path[MAX_PLAYERS][MAX_DEPTH]
    uint8_t movers[MAX_DEPTH]
    Outcome outcome
    int key_count
    AmafStat *mast           # by key
    AmafTables tables
    int32_t *trace           # keys of the moves made in this iteration
    int traced
    int32_t *lasts           # places in the trace whose key does not come again
    RootStat *root_stats     # by place among the root's children
    int64_t depths[MAX_DEPTH + 1]
    bint timed
    int64_t phase_ns[PHASES]
    int64_t phase_start
    bint stopped


cdef double[TABLED_LOGS] LOGS
cdef int _n
for _n in range(1, TABLED_LOGS):
    LOGS[_n] = log_of(_n)


cdef inline double log_count(int32_t count) noexcept nogil:
    """Natural logarithm of count >= 1; most counts in a tree are small."""
    return LOGS[count] if count < TABLED_LOGS else log_of(count)


cdef inline void prefetch_children(const Tree *tree, int32_t node) noexcept nogil:
    """Ask for the first two lines of the children while the move is being carried out."""
    cdef const Node *first = &tree.nodes[tree.nodes[node].block]
    prefetch_line(first)
    prefetch_line(first + 2)


cdef inline int64_t now_ns() noexcept nogil:
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return <int64_t>time.tv_sec * 1000000000 + time.tv_nsec


cdef inline void end_phase(Search *s, int phase) noexcept nogil:
    cdef int64_t now
    if s.timed:
        now = now_ns()
        s.phase_ns[phase] += now - s.phase_start
        s.phase_start = now


cdef inline void note_move(Search *s, move_t move, int mover) noexcept nogil:
    if s.traced < MOST_TRACED:
        s.trace[s.traced] = key_of(move, mover)
        s.traced += 1


cdef inline void mark_legal(Search *s, int mover, int count) noexcept nogil:
    cdef int i
    s.epoch += 2
    for i in range(count):
        s.marks[key_of(s.moves[i], mover)] = s.epoch


cdef int touch_children(Search *s, Node *children, int count) noexcept nogil:
    """Count availability of the legal children; return their number."""
    cdef int i, matched = 0
    for i in range(count):
        if s.marks[children[i].key] == s.epoch:
            s.marks[children[i].key] = s.epoch + 1
            children[i].availability += 1
            matched += 1
    return matched


cdef int best_ucb1(Search *s, Node *children, int count, int *matched,
                   double *value) noexcept nogil:
    """Return the place of the legal child with the highest UCB1 value, -1 if none is legal.

    Auer, Cesa-Bianchi and Fischer (2002), UCB1, with the availability of the child for the
    visits of the parent (Cowling et al. 2012).
    """
    cdef double c2 = s.parameters.exploration * s.parameters.exploration
    cdef double log_available = 0.0
    cdef double bound
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
            log_available = c2 * log_count(available)
        bound = (child.total + sqrt(log_available * child.visits)) / child.visits
        if best < 0 or bound > value[0]:
            best = i
            value[0] = bound
    return best


cdef int best_tuned(Search *s, Node *children, int count, int *matched,
                    double *value) noexcept nogil:
    """As best_ucb1, by UCB1-Tuned (Auer et al. 2002, section 4)."""
    cdef double c2 = s.parameters.exploration * s.parameters.exploration
    cdef double bound, share, mean, variance
    cdef int i, best = -1
    cdef Node *child
    for i in range(count):
        child = &children[i]
        if s.marks[child.key] != s.epoch:
            continue
        s.marks[child.key] = s.epoch + 1
        matched[0] += 1
        child.availability += 1
        share = log_count(child.availability) / child.visits
        mean = child.total / child.visits
        variance = child.extra / child.visits - mean * mean + sqrt(2.0 * share)
        bound = mean + sqrt(c2 * share * (variance if variance < 0.25 else 0.25))
        if best < 0 or bound > value[0]:
            best = i
            value[0] = bound
    return best


cdef int least_visited(Search *s, Node *children, int count, int *matched) noexcept nogil:
    """As best_ucb1, the child visited most rarely for its availability: flat Monte Carlo."""
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


cdef inline bint may_widen(const Search *s, int32_t visits, int tried) noexcept nogil:
    """Progressive widening: whether a node may try more than `tried` moves.

    Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007), in
    the form k * visits ** a of Couetoux et al. (2011).
    """
    if s.parameters.widening == 0.0 or tried == 0:
        return True
    return tried < s.parameters.widening * power_of(visits + 1,
                                                    s.parameters.widening_exponent)


cdef void expand_untried(Search *s, int32_t node, int mover, int count, int untried,
                         Choice *choice) noexcept nogil:
    """Add a child for one of the `untried` legal moves, all equally likely."""
    cdef int skip = <int>rng_below(&s.rng, <uint32_t>untried)
    cdef int i
    choice.move = s.moves[0]
    for i in range(count):
        if s.marks[key_of(s.moves[i], mover)] == s.epoch:
            if skip == 0:
                choice.move = s.moves[i]
                break
            skip -= 1
    choice.child = add_child(&s.tree, node, key_of(choice.move, mover))
    choice.fresh = True


cdef void choose_lazily(Search *s, int32_t node, int mover, int count,
                        Choice *choice) noexcept nogil:
    """Choose among children by a bound, or add one: children come into being when tried."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef Node *children = &s.tree.nodes[parent.block]
    cdef int matched = 0, best = -1
    cdef double value = 0.0
    cdef bint expands
    mark_legal(s, mover, count)
    if (parent.count < count and not s.parameters.urgent and s.parameters.widening == 0.0
            and s.tree.used < s.tree.limit):
        matched = touch_children(s, children, parent.count)
    elif s.parameters.selection == UCB1:
        best = best_ucb1(s, children, parent.count, &matched, &value)
    elif s.parameters.selection == EVEN:
        best = least_visited(s, children, parent.count, &matched)
    else:
        best = best_tuned(s, children, parent.count, &matched, &value)
    expands = matched < count and may_widen(s, parent.visits, matched)
    if expands and best >= 0 and s.parameters.urgent:
        expands = s.parameters.urgency > value
    if expands:
        expand_untried(s, node, mover, count, count - matched, choice)
        if choice.child != NO_NODE or best < 0:
            return
    choice.child = parent.block + best
    choice.move = children[best].key >> KEY_BITS
    choice.fresh = False


cdef void add_missing(Search *s, int32_t node, int mover, int count) noexcept nogil:
    """Give the node a child with its prior for every legal move that has none."""
    cdef int i
    cdef int32_t child
    if s.parameters.game_prior:
        s.ops.prior(s.state, s.moves, count, s.weights, s.priors)
    for i in range(count):
        if s.marks[key_of(s.moves[i], mover)] == s.epoch:
            child = add_child(&s.tree, node, key_of(s.moves[i], mover))
            if child == NO_NODE:
                return
            s.tree.nodes[child].availability = 1
            s.tree.nodes[child].extra = (s.priors[i] if s.parameters.game_prior
                                         else <float>(1.0 / count))


cdef int best_puct(Search *s, const Node *parent, Node *children) noexcept nogil:
    """Return the place of the best legal child by PUCT, -1 if none is legal.

    Rosin (2011); in the form of Silver et al., "Mastering the game of Go without human
    knowledge" (2017), Methods, "Select". Legal children are marked epoch + 1. A child without
    visits counts as first_play_urgency, or as the mean of its tried siblings.
    """
    cdef int i, tried = 0, best = -1
    cdef double total = 0.0, visits = 0.0
    cdef double unseen, bound, value = 0.0
    cdef bint widens
    cdef Node *child
    for i in range(parent.count):
        if s.marks[children[i].key] >= s.epoch and children[i].visits > 0:
            tried += 1
            total += children[i].total
            visits += children[i].visits
    unseen = s.parameters.urgency if s.parameters.urgent else total / visits if tried else 0.5
    widens = may_widen(s, parent.visits, tried)
    for i in range(parent.count):
        child = &children[i]
        if s.marks[child.key] < s.epoch or (child.visits == 0 and not widens):
            continue
        bound = child.total / child.visits if child.visits else unseen
        bound += (s.parameters.exploration * child.extra * sqrt(child.availability)
                  / (1 + child.visits))
        if best < 0 or bound > value:
            best = i
            value = bound
    return best


cdef void choose_by_prior(Search *s, int32_t node, int mover, int count,
                          Choice *choice) noexcept nogil:
    """Choose by PUCT among all legal moves; each is a child, tried or not."""
    cdef Node *parent = &s.tree.nodes[node]
    cdef int best
    mark_legal(s, mover, count)
    if touch_children(s, &s.tree.nodes[parent.block], parent.count) < count:
        add_missing(s, node, mover, count)
        parent = &s.tree.nodes[node]
    best = best_puct(s, parent, &s.tree.nodes[parent.block])
    if best < 0:
        choice.child = NO_NODE
        choice.move = s.moves[rng_below(&s.rng, <uint32_t>count)]
        choice.fresh = True
        return
    choice.child = parent.block + best
    choice.move = s.tree.nodes[choice.child].key >> KEY_BITS
    choice.fresh = s.tree.nodes[choice.child].visits == 0


cdef int32_t table_of(Search *s, int32_t node) noexcept nogil:
    """Return the number of the node's table, 0 while it has too few visits or memory is out."""
    cdef Node *place = &s.tree.nodes[node]
    cdef AmafTables *tables = &s.tables
    cdef AmafStat *stats
    cdef int32_t capacity
    if place.extra != 0.0 or place.visits < s.parameters.grave_reference:
        return <int32_t>place.extra
    if tables.used >= tables.capacity:
        capacity = 2 * tables.capacity if tables.capacity else 8
        if capacity > tables.limit:
            return 0
        stats = <AmafStat *>realloc(
            tables.stats, <size_t>capacity * s.key_count * sizeof(AmafStat))
        if stats == NULL:
            return 0
        tables.stats = stats
        tables.capacity = capacity
    memset(&tables.stats[<size_t>tables.used * s.key_count], 0, s.key_count * sizeof(AmafStat))
    place.extra = <float>tables.used
    tables.used += 1
    return tables.used - 1


cdef void choose_by_amaf(Search *s, int32_t node, int mover, int count, int32_t reference,
                         Choice *choice) noexcept nogil:
    """Choose by GRAVE among children and untried moves.

    Cazenave, "Generalized Rapid Action Value Estimation" (2015): the statistics of
    the nearest node with grave_reference visits, here `reference`; a UCB1 term may be added.
    """
    cdef const AmafStat *amaf = &s.tables.stats[<size_t>reference * s.key_count]
    cdef Node *parent = &s.tree.nodes[node]
    cdef Node *children = &s.tree.nodes[parent.block]
    cdef double c2 = s.parameters.exploration * s.parameters.exploration
    cdef double bound, value = 0.0, n, a, beta
    cdef int i, best = -1
    cdef int32_t key, untried = -1
    mark_legal(s, mover, count)
    for i in range(parent.count):
        key = children[i].key
        if s.marks[key] != s.epoch:
            continue
        s.marks[key] = s.epoch + 1
        children[i].availability += 1
        n = children[i].visits
        bound = children[i].total / n
        a = amaf[key].visits if reference else 0.0
        if a > 0.0:
            beta = a / (a + n + s.parameters.grave_bias * a * n)
            bound += beta * (amaf[key].total / a - bound)
        bound += sqrt(c2 * log_count(children[i].availability) / n)
        if best < 0 or bound > value:
            best = i
            value = bound
    for i in range(count):
        key = key_of(s.moves[i], mover)
        if s.marks[key] != s.epoch:
            continue
        bound = s.parameters.urgency if s.parameters.urgent else 2.0
        if reference and amaf[key].visits > 0:
            bound = amaf[key].total / amaf[key].visits
        if (best < 0 and untried < 0) or bound > value:
            untried = key
            value = bound
    if untried >= 0:
        choice.move = untried >> KEY_BITS
        choice.child = add_child(&s.tree, node, untried)
        choice.fresh = True
        if choice.child != NO_NODE or best < 0:
            return
    choice.child = parent.block + best
    choice.move = children[best].key >> KEY_BITS
    choice.fresh = False


cdef bint follow_others(Search *s, int32_t *cursors, int mover, move_t move) noexcept nogil:
    """Step down the trees of the other players by what each sees; False if one is full."""
    cdef int p
    cdef move_t seen
    cdef int32_t key, child
    cdef bint complete = True
    for p in range(s.trees):
        if p == mover:
            continue
        seen = move if s.ops.observed == NULL else s.ops.observed(s.state, move, p)
        key = key_of(seen, mover)
        child = find_child(&s.tree, cursors[p], key)
        if child == NO_NODE:
            child = add_child(&s.tree, cursors[p], key)
        cursors[p] = child
        complete = complete and child != NO_NODE
    return complete


cdef bint descend(Search *s) noexcept nogil:
    """Go down the tree and one move beyond it; False if the game ended on the way."""
    cdef int32_t cursors[MAX_PLAYERS]
    cdef int32_t references[MAX_PLAYERS]
    cdef int32_t table
    cdef Choice choice
    cdef int count, mover, own, t
    cdef bint complete = True
    memcpy(cursors, s.roots, sizeof(cursors))
    memset(references, 0, sizeof(references))
    s.depth = 0
    s.traced = 0
    while s.depth < s.parameters.depth_limit:
        count = s.ops.legal(s.state, s.moves)
        if count == 0:
            return False
        mover = s.ops.player(s.state)
        check(count >= 2 and mover >= 0)
        own = mover if s.trees > 1 else 0
        if s.parameters.selection == PUCT:
            choose_by_prior(s, cursors[own], mover, count, &choice)
        elif s.parameters.selection == GRAVE:
            table = table_of(s, cursors[own])
            references[own] = table if table else references[own]
            choose_by_amaf(s, cursors[own], mover, count, references[own], &choice)
        else:
            choose_lazily(s, cursors[own], mover, count, &choice)
        if choice.fresh:
            end_phase(s, 1)
        cursors[own] = choice.child
        if choice.child != NO_NODE:
            prefetch_children(&s.tree, choice.child)
        if s.trees > 1:
            complete = follow_others(s, cursors, mover, choice.move)
        s.ops.apply(s.state, choice.move)
        if s.parameters.traces:
            note_move(s, choice.move, mover)
        if choice.child == NO_NODE:
            return True
        for t in range(s.trees):
            s.path[t][s.depth] = cursors[t]
        s.movers[s.depth] = <uint8_t>mover
        s.depth += 1
        if choice.fresh or not complete:
            return True
    return True


cdef int best_by_mast(Search *s, int count) noexcept nogil:
    """Return the place of the listed move with the highest mean; unknown ones count 1.

    Finnsson and Bjornsson, "Simulation-Based Approach to General Game Playing" (2008), with the
    epsilon-greedy choice of Tak, Winands and Bjornsson (2012).
    """
    cdef int mover = s.ops.player(s.state)
    cdef int i, best = 0
    cdef float value, highest = -1.0
    cdef const AmafStat *stat
    for i in range(count):
        stat = &s.mast[key_of(s.moves[i], mover)]
        value = stat.total / stat.visits if stat.visits else <float>1.0
        if value > highest:
            best = i
            highest = value
    return best


cdef int choose_in_playout(Search *s, int count) noexcept nogil:
    """Return the place of the move a playout makes among the `count` listed."""
    if s.parameters.playout == UNIFORM or (
            s.parameters.epsilon > 0.0 and rng_unit(&s.rng) < s.parameters.epsilon):
        return <int>rng_below(&s.rng, <uint32_t>count)
    if s.parameters.playout == POLICY:
        return s.ops.policy(s.state, s.moves, count, s.weights, &s.rng)
    return best_by_mast(s, count)


cdef void play_out(Search *s) noexcept nogil:
    """Play to the end of the game or to the cut."""
    cdef int transitions = s.parameters.cut_transitions
    cdef int turns = NO_LIMIT
    cdef int count
    cdef move_t move
    if s.parameters.cut_turns:
        turns = s.ops.turn(s.state) + s.parameters.cut_turns
    if (s.parameters.playout == UNIFORM and s.ops.playout != NULL
            and not s.parameters.traces):
        s.ops.playout(s.state, &s.rng, transitions, turns)
        return
    while transitions > 0 and s.ops.turn(s.state) < turns:
        count = s.ops.legal(s.state, s.moves)
        if count == 0:
            return
        move = s.moves[choose_in_playout(s, count)]
        if s.parameters.traces:
            note_move(s, move, s.ops.player(s.state))
        s.ops.apply(s.state, move)
        transitions -= 1


cdef void judge(Search *s) noexcept nogil:
    """Value the state reached: by its result if over, else as far as it has come."""
    cdef int32_t scores[MAX_PLAYERS]
    cdef float values[MAX_PLAYERS]
    cdef int p
    cdef bint over = s.ops.player(s.state) == NO_PLAYER
    if over or not s.parameters.evaluates:
        s.ops.scores(s.state, scores)
        for p in range(s.players):
            s.outcome.values[p] = scores[p]
    else:
        s.ops.evaluate(s.state, s.weights, values)
        for p in range(s.players):
            s.outcome.values[p] = values[p]
    if over:
        s.ops.ranks(s.state, s.outcome.ranks)
    else:
        ranks_of_values(&s.outcome, s.players)
    settle(&s.outcome, s.players, &s.mix)


cdef void note_root(Search *s, int32_t child) noexcept nogil:
    """Add the outcome to the statistics of a root move."""
    cdef int root_tree = s.root_player if s.trees > 1 else 0
    cdef int p = s.root_player
    cdef RootStat *stat = &s.root_stats[child - s.tree.nodes[s.roots[root_tree]].block]
    cdef double win = s.outcome.wins[p], payoff = s.outcome.payoffs[p]
    check(child != NO_NODE and stat >= s.root_stats)
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


cdef void iterate(Search *s) noexcept nogil:
    cdef Rng draw
    cdef bint running
    if s.epoch >= <uint32_t>EPOCH_LIMIT:
        memset(s.marks, 0, s.key_count * sizeof(uint32_t))
        s.epoch = 0
    if s.timed:
        s.phase_start = now_ns()
    if s.parameters.cheat:
        memcpy(s.state, s.root_state, s.ops.state_size)
    else:
        rng_seed(&draw, s.determinization_seed + <uint64_t>s.iterations)
        s.ops.determinize(s.root_state, s.state, s.observer, &draw)
    end_phase(s, 0)
    running = descend(s)
    end_phase(s, 2 if running else 1)
    if running:
        play_out(s)
    judge(s)
    end_phase(s, 3)
    back_up(s)
    end_phase(s, 4)
    s.iterations += 1
    if s.iterations % LED_BLOCK == 0:
        vote(s)


cdef int64_t iterate_until(Search *s, int64_t count, int64_t deadline) noexcept nogil:
    """Run `count` iterations or, CLOCK_STRIDE at least, up to the deadline (0: none)."""
    cdef int64_t done
    for done in range(count):
        iterate(s)
        if done % CLOCK_STRIDE == CLOCK_STRIDE - 1 and (
                s.stopped or (deadline and now_ns() >= deadline)):
            return done + 1
    return count


cdef class Searcher:
    """One tree and everything a search of one thread needs; kept from decision to decision.

    Calls come in this order: `begin`, any number of `run`, then `root_moves`, `line`, `shape`.
    """

    cdef Search s
    cdef bint planted         # the tree is about the position after the last one followed
    cdef Game game
    cdef object settings

    def __cinit__(self, Game game not None, settings):
        cdef const GameOps *ops = game.ops
        memset(&self.s, 0, sizeof(Search))
        self.game = game
        self.settings = settings
        self.s.ops = ops
        self.s.key_count = ops.action_count << KEY_BITS
        self.s.root_state = PyMem_Malloc(ops.state_size)
        self.s.state = PyMem_Malloc(ops.state_size)
        self.s.moves = <move_t *>PyMem_Malloc(ops.max_moves * sizeof(move_t))
        self.s.priors = <float *>PyMem_Malloc(ops.max_moves * sizeof(float))
        self.s.weights = <float *>PyMem_Calloc(ops.weight_count + 1, sizeof(float))
        self.s.marks = <uint32_t *>PyMem_Calloc(self.s.key_count, sizeof(uint32_t))
        self.s.root_stats = <RootStat *>PyMem_Calloc(self.s.key_count, sizeof(RootStat))
        self.s.mast = <AmafStat *>PyMem_Calloc(self.s.key_count, sizeof(AmafStat))
        self.s.trace = <int32_t *>PyMem_Malloc(MOST_TRACED * sizeof(int32_t))
        self.s.lasts = <int32_t *>PyMem_Malloc(MOST_TRACED * sizeof(int32_t))
        if (self.s.root_state == NULL or self.s.state == NULL or self.s.moves == NULL
                or self.s.priors == NULL or self.s.weights == NULL or self.s.marks == NULL
                or self.s.root_stats == NULL or self.s.mast == NULL or self.s.trace == NULL
                or self.s.lasts == NULL):
            raise MemoryError
        self._configure(settings)

    def __dealloc__(self):
        PyMem_Free(self.s.root_state)
        PyMem_Free(self.s.state)
        PyMem_Free(self.s.moves)
        PyMem_Free(self.s.priors)
        PyMem_Free(<void *>self.s.weights)
        PyMem_Free(self.s.marks)
        PyMem_Free(self.s.root_stats)
        PyMem_Free(self.s.mast)
        PyMem_Free(self.s.trace)
        PyMem_Free(self.s.lasts)
        free(self.s.tables.stats)
        free(self.s.tree.nodes)
        free(self.s.spare.nodes)

    cdef _configure(self, settings):
        cdef Parameters *p = &self.s.parameters
        cdef PayoffMix *mix = &self.s.mix
        cdef double whole
        cdef int i
        p.selection = SELECTIONS[settings.selection]
        p.playout = PLAYOUTS[settings.playout]
        p.many_trees = settings.algorithm == "mo"
        p.cheat = settings.cheat or not self.game.hidden_information
        p.game_prior = settings.prior == "game"
        p.evaluates = settings.cutoff == "evaluate"
        p.exploration = settings.exploration
        p.urgent = settings.first_play_urgency is not None
        p.urgency = settings.first_play_urgency or 0.0
        p.widening = settings.widening
        p.widening_exponent = settings.widening_exponent
        p.epsilon = settings.playout_epsilon
        p.cut_transitions = settings.playout_transitions or NO_LIMIT
        p.cut_turns = settings.playout_turns or 0
        p.depth_limit = min(settings.tree_depth or MAX_DEPTH, MAX_DEPTH)
        payoff = settings.payoff
        whole = payoff.win + payoff.rank + payoff.margin + payoff.score
        mix.win = payoff.win / whole
        mix.rank = payoff.rank / whole
        mix.margin = payoff.margin / whole
        mix.score = payoff.score / whole
        mix.margin_scale = settings.margin_scale
        mix.score_scale = settings.score_scale
        for i, weight in enumerate(settings.weights_for(self.game)):
            (<float *>self.s.weights)[i] = weight
        p.grave_bias = settings.grave_bias
        p.grave_reference = settings.grave_reference
        p.traces = p.selection == GRAVE or p.playout == MAST
        nodes = settings.nodes_a_thread
        if p.selection == GRAVE:  # a quarter of the memory for tables, at least one
            table_bytes = self.s.key_count * sizeof(AmafStat)
            self.s.tables.limit = 8 + <int32_t>(nodes // 4 * sizeof(Node) // table_bytes)
            nodes -= nodes // 4
        self.s.tree.limit = <int32_t>nodes
        self.s.spare.limit = <int32_t>nodes

    def begin(self, Position position not None, int observer, seed, bint keep=False):
        """Start a search of `position` with what `observer` knows.

        With `keep` the tree that `follow` has led to this position is searched on, and returns
        its visits; else the tree starts empty.
        """
        if position.player is None:
            raise TrajanError(f"{self.game.name}: the game is over, there is nothing to search")
        memcpy(self.s.root_state, position.state, self.s.ops.state_size)
        self.s.players = position.players
        self.s.observer = observer
        self.s.root_player = position.player
        self.s.trees = self.s.players if self.s.parameters.many_trees else 1
        self.s.tables.used = 1
        if not (keep and self.planted and self._keep_subtrees()):
            self._plant()
        self.planted = True
        rng_seed(&self.s.rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
        self.s.determinization_seed = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
        self.s.iterations = 0
        self.s.stopped = False
        memset(self.s.root_stats, 0, self.s.key_count * sizeof(RootStat))
        memset(self.s.mast, 0, self.s.key_count * sizeof(AmafStat))
        memset(self.s.depths, 0, sizeof(self.s.depths))
        memset(self.s.phase_ns, 0, sizeof(self.s.phase_ns))
        return self.s.tree.nodes[self.s.roots[0]].visits

    cdef _plant(self):
        cdef int t
        if not tree_reserve(&self.s.tree):
            raise MemoryError
        tree_clear(&self.s.tree)
        for t in range(self.s.trees):
            self.s.roots[t] = add_root(&self.s.tree)
            if self.s.roots[t] == NO_NODE:
                raise MemoryError

    cdef bint _keep_subtrees(self):
        """Keep what lies below the roots and forget the rest; False if memory is out."""
        cdef Tree left
        cdef int32_t i
        if not tree_reserve(&self.s.spare):
            return False
        tree_clear(&self.s.spare)
        if not copy_subtrees(&self.s.tree, &self.s.spare, self.s.roots, self.s.trees):
            return False
        left = self.s.tree
        self.s.tree = self.s.spare
        self.s.spare = left
        if left.used > SPARE_NODES:
            free(self.s.spare.nodes)
            self.s.spare.nodes = NULL
        if self.s.parameters.selection == GRAVE:  # tables do not outlive a search
            for i in range(1, self.s.tree.used):
                self.s.tree.nodes[i].extra = 0.0
        return True

    def follow(self, Position before not None, Position after not None, move_t move, seed):
        """Lead the tree from `before`, the position searched or followed to last, by `move`.

        The subtree is kept where that is sound: the observer saw the move itself, and nothing
        else was revealed to him. That shows in determinizations of `before` in which the move is
        legal: after it, all must look to him as `after` does. Returns whether a tree is left.
        """
        cdef Rng rng
        if not self.planted:
            return False
        rng_seed(&rng, <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF))
        self.planted = (after.player is not None
                        and self._saw_all(before, after, move, &rng)
                        and self._step_roots(before, move))
        return self.planted

    cdef bint _saw_all(self, Position before, Position after, move_t move, Rng *rng):
        cdef const GameOps *ops = self.s.ops
        cdef int observer = self.s.observer
        cdef bytes expected = after.determinized(observer, LOOKS).to_bytes()
        cdef Rng draw
        cdef int looks = 0, tried, i, count, alike
        cdef bint legal
        cdef move_t seen = move
        if self.s.parameters.cheat:
            return True
        if ops.observed != NULL:
            seen = ops.observed(before.state, move, observer)
        for tried in range(LOOKS_TRIED):
            ops.determinize(before.state, self.s.root_state, observer, rng)
            count = ops.legal(self.s.root_state, self.s.moves)
            alike = 0
            legal = False
            for i in range(count):
                legal = legal or self.s.moves[i] == seen
                alike += seen == (
                    self.s.moves[i] if ops.observed == NULL else
                    ops.observed(self.s.root_state, self.s.moves[i], observer))
            if not legal:
                continue
            if alike != 1:
                return False
            ops.apply(self.s.root_state, seen)
            rng_seed(&draw, LOOKS)
            ops.determinize(self.s.root_state, self.s.state, observer, &draw)
            if memcmp(self.s.state, <const char *>expected, ops.state_size) != 0:
                return False
            looks += 1
            if looks == LOOKS:
                return True
        return False

    cdef bint _step_roots(self, Position before, move_t move):
        cdef int t
        cdef int mover = before.player
        cdef move_t seen
        cdef int32_t child
        for t in range(self.s.trees):
            seen = move
            if self.s.trees > 1 and t != mover and self.s.ops.observed != NULL:
                seen = self.s.ops.observed(before.state, move, t)
            child = find_child(&self.s.tree, self.s.roots[t], key_of(seen, mover))
            if child == NO_NODE:
                return False
            self.s.roots[t] = child
        return True

    def run(self, int64_t count, double deadline=0.0):
        """Run up to `count` iterations without the GIL, until `deadline` on time.monotonic().

        Returns the number made. Results do not depend on how a total is split into calls.
        """
        cdef int64_t deadline_ns = <int64_t>(deadline * 1e9)
        cdef int64_t done
        with nogil:
            done = iterate_until(&self.s, count, deadline_ns)
        return done

    def stop(self):
        """Make `run`, in whatever thread, return within CLOCK_STRIDE iterations."""
        self.s.stopped = True

    @property
    def stopped(self):
        """Whether `stop` was called since `begin`."""
        return self.s.stopped

    @property
    def timed(self):
        """Whether the phases of an iteration are timed (some 100 ns an iteration)."""
        return self.s.timed

    @timed.setter
    def timed(self, bint value):
        self.s.timed = value

    @property
    def iterations(self):
        """Iterations since `begin`."""
        return self.s.iterations

    @property
    def nodes(self):
        """Nodes in the tree."""
        return self.s.tree.live

    @property
    def tree_bytes(self):
        """Bytes of the arena in use, room kept for more children included."""
        return <int64_t>self.s.tree.used * sizeof(Node)

    def root_moves(self):
        """Return a dict of statistics for every root move in the tree."""
        cdef int root_tree = self.s.root_player if self.s.trees > 1 else 0
        cdef const Node *root = &self.s.tree.nodes[self.s.roots[root_tree]]
        cdef const Node *child
        cdef RootStat stat
        cdef int i
        result = []
        for i in range(root.count):
            child = &self.s.tree.nodes[root.block + i]
            stat = self.s.root_stats[i]
            result.append({
                "move": child.key >> KEY_BITS, "visits": child.visits, "total": child.total,
                "availability": child.availability, "count": stat.count, "win": stat.win,
                "win_squares": stat.win_squares, "score": stat.score, "margin": stat.margin,
                "payoff": stat.payoff, "payoff_squares": stat.payoff_squares,
                "ranks": [stat.ranks[r] for r in range(self.s.players)], "led": stat.led,
            })
        return result

    def line(self, move_t move, int length, int32_t visits):
        """Return the most visited continuation as (player, move), `move` first.

        Ends after `length` moves or where a node has fewer than `visits` visits.
        """
        cdef int root_tree = self.s.root_player if self.s.trees > 1 else 0
        cdef int32_t node = find_child(&self.s.tree, self.s.roots[root_tree],
                                       key_of(move, self.s.root_player))
        cdef const Node *parent
        cdef int32_t best
        cdef int i
        result = []
        while node != NO_NODE and len(result) < length:
            parent = &self.s.tree.nodes[node]
            result.append((parent.key & ((1 << KEY_BITS) - 1), parent.key >> KEY_BITS))
            best = NO_NODE
            for i in range(parent.count):
                if self.s.tree.nodes[parent.block + i].visits >= visits and (
                        best == NO_NODE or self.s.tree.nodes[parent.block + i].visits
                        > self.s.tree.nodes[best].visits):
                    best = parent.block + i
            node = best
        return result

    def shape(self):
        """Return (iterations by tree depth reached, expanded nodes by number of children)."""
        cdef int i
        depths = [self.s.depths[i] for i in range(MAX_DEPTH + 1)]
        while len(depths) > 1 and depths[len(depths) - 1] == 0:
            depths.pop()
        return depths, {i: self.s.tree.widths[i] for i in range(1, MOST_CHILDREN + 1)
                        if self.s.tree.widths[i]}

    def phases(self):
        """Return seconds by phase since `begin`; all 0 unless `timed`."""
        return {name: self.s.phase_ns[i] / 1e9 for i, name in enumerate(PHASE_NAMES)}
