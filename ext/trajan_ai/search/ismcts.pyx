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

include "structs.pxi"

SELECTIONS = {"ucb1": UCB1, "ucb1-tuned": UCB1_TUNED, "puct": PUCT, "grave": GRAVE,
              "uniform": EVEN}
PLAYOUTS = {"uniform": UNIFORM, "policy": POLICY, "mast": MAST}
PHASE_NAMES = ("determinization", "selection", "expansion", "playout", "backup")


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


include "choosing.pxi"
include "playing.pxi"
include "crediting.pxi"


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
        memset(self.s.root_stats, 0, self.s.noted * sizeof(RootStat))
        self.s.noted = 0
        if self.s.parameters.playout == MAST:
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
