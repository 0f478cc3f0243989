"""Information-set Monte-Carlo tree search: one tree for all (SO) or one per player (MO, own).

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012),
the algorithms SO-ISMCTS and MO-ISMCTS. Each iteration draws a determinization, descends
among the moves legal in it, adds a node, plays out, and backs up a payoff per player (max-n).

With trees of own moves alone, a node is the sequence of its player's moves, regardless of what
the others did in between: open-loop search, Perez et al., "Open Loop Search for General Video Game
Playing" (2015), for every player, as decoupled UCT does at one joint move (Finnsson and Bjornsson 2008).

One extension compiled from the files below: the data, then the phases of an iteration in the order
in which a reader meets them. A file uses the types and constants of the files above it.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from trajan_ai.core.debug cimport require
from trajan_ai.core.game cimport (
    MAX_PLAYERS, MOST_MOVES, MOST_SOURCES, NO_LIMIT, NO_PLAYER, NOTHING_SEEN, Game, GameOps,
    Position, move_t,
)
from trajan_ai.core.portable cimport (
    exchange, load, prefetch, release, reserve, store, thread_time_ns, wait,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, seeded
from trajan_ai.core.room cimport room
from trajan_ai.mcts.network cimport STEP, Network, NetworkPart, network_values
from trajan_ai.mcts.numbers cimport log_of

from trajan_ai.core.errors import TrajanError

# The data.
include "payoff.pxi"
include "tree.pxi"
include "structs.pxi"

# An iteration: the way down, the playout, the way back; then how threads share the work.
include "timing.pxi"
include "choosing.pxi"
include "playing.pxi"
include "descending.pxi"
include "crediting.pxi"
include "sharing.pxi"

# The words of the settings and of the statistics.
SELECTIONS = {"ucb1": SELECTION_UCB1, "puct": SELECTION_PUCT, "uniform": SELECTION_UNIFORM}
PLAYOUTS = {"uniform": PLAYOUT_UNIFORM, "policy": PLAYOUT_POLICY}
_PHASES = ("determinization", "selection", "expansion", "playout", "backup")

NODE_BYTES = sizeof(Node)


cdef void *lines(size_t size):
    """Return memory in separate cache lines for release(), NULL if there is none."""
    return reserve((size + APART - 1) // APART * APART, APART)


cdef int64_t NO_END = <int64_t>1 << 62    # iterations


cdef class Searcher:
    """One tree and everything a search needs; kept from decision to decision.

    Calls come in this order: `begin`, any number of `run`, `finish`, then `root_moves`, `line`,
    `shape`. In between, and while no thread is in `run`, `root_moves` and `line` report
    the state so far. Iterations in flight count as visits.
    """

    cdef Search s
    cdef bint planted         # the tree is about the position after the last one followed
    cdef Game game
    cdef object settings
    cdef Network network      # None without one
    cdef list owners          # of memory

    def __cinit__(self, Game game not None, settings):
        cdef const GameOps *ops = game.ops
        cdef int i
        memset(&self.s, 0, sizeof(Search))
        self.game = game
        self.settings = settings
        self.network = settings.network_for(game)
        self.s.ops = ops
        self.s.key_count = ops.action_count << KEY_BITS
        self.owners = owners = []
        self.s.root_state = room(owners, ops.state_size)
        self.s.priors = <float *>room(owners, ops.max_moves * sizeof(float))
        self.s.allowed = <move_t *>room(owners, ops.max_moves * sizeof(move_t))
        self.s.weights = <float *>room(owners, ops.weight_count * sizeof(float))
        self.s.marks = <uint32_t *>room(owners, self.s.key_count * sizeof(uint32_t))
        self.s.root_stats = <RootStat *>room(owners, self.s.key_count * sizeof(RootStat))
        for i in range(1, TABLED_LOGS):
            self.s.logs[i] = log_of(i)
        self._configure(settings)
        self._make_room()

    def __dealloc__(self):
        cdef int64_t i
        if self.s.under_way != NULL:
            for i in range(self.s.ring + 1):
                release(self.s.under_way[i].state)
                release(self.s.under_way[i].again)
                release(self.s.under_way[i].moves)
                release(self.s.under_way[i].features)
                release(self.s.under_way[i].rows)
        PyMem_Free(self.s.under_way)
        tree_release(&self.s.tree)
        tree_release(&self.s.spare)

    cdef _make_room(self):
        """Make room for the iterations in flight, a power of two of them."""
        cdef const GameOps *ops = self.s.ops
        cdef int64_t places = 1, i
        cdef Iteration *it
        cdef size_t size
        while places < self.s.parameters.in_flight:
            places *= 2
        self.s.ring = places - 1
        self.s.under_way = <Iteration *>PyMem_Calloc(places, sizeof(Iteration))
        if self.s.under_way == NULL:
            raise MemoryError
        for i in range(places):
            it = &self.s.under_way[i]
            it.dice = &it.rng if self.s.parameters.in_flight > 1 else &self.s.rng
            it.state = lines(ops.state_size)
            it.again = lines(ops.state_size)
            it.moves = <move_t *>lines(ops.max_moves * sizeof(move_t))
            if self.network is not None:
                size = ops.feature_count(MAX_PLAYERS) + STEP
                it.features = <uint8_t *>lines(size)
                it.rows = <uint32_t *>lines(size * sizeof(uint32_t))
                if it.features == NULL or it.rows == NULL:
                    raise MemoryError
                memset(it.features, 0, size)
            if it.state == NULL or it.again == NULL or it.moves == NULL:
                raise MemoryError

    cdef _configure(self, settings):
        cdef Parameters *p = &self.s.parameters
        cdef PayoffMix *mix = &self.s.mix
        cdef double whole
        cdef int i
        p.selection = SELECTIONS[settings.selection]
        p.playout = PLAYOUTS[settings.playout]
        p.many_trees = settings.algorithm != "so"
        p.own_moves = settings.algorithm == "own"
        p.cheat = settings.cheat or not self.game.hidden_information
        p.game_prior = settings.prior == "game"
        p.evaluates = settings.cutoff == "evaluate"
        p.exploration = settings.exploration
        p.exploration_growth = settings.exploration_growth.get(self.game.name, 0.0)
        p.in_flight = settings.flights
        p.depth_limit = min(settings.tree_depth or MAX_DEPTH, MAX_DEPTH)
        payoff = settings.payoff
        whole = payoff.win + payoff.rank + payoff.margin + payoff.score
        mix.win = payoff.win / whole
        mix.rank = payoff.rank / whole
        mix.margin = payoff.margin / whole
        mix.score = payoff.score / whole
        mix.margin_scale = settings.margin_scale
        mix.score_scale = settings.score_scale
        mix.control_variate = settings.control_variate
        for i, weight in enumerate(settings.weights_for(self.game)):
            (<float *>self.s.weights)[i] = weight
        self.s.tree.limit = self.s.spare.limit = settings.nodes

    def begin(self, Position position not None, int observer, seed, bint keep=False,
              allowed=(), bint books=False):
        """Start a search of `position` with what `observer` knows.

        With `keep` the tree that `follow` has led to this position is searched on, and returns
        its visits; else the tree starts empty. With `allowed` only these moves, legal ones, are
        made at the root; the observer must be the player to decide, who alone knows what is legal.
        With `books` one iteration of BOOKED_STRIDE notes what brings VP (see `root_moves`).
        """
        cdef int64_t i
        cdef Rng rng = seeded(seed)
        self._check_game(position)
        position._check_player(observer)
        if position.player is None:
            raise TrajanError(f"{self.game.name}: the game is over, there is nothing to search")
        self._allow(position, observer, allowed)
        memcpy(self.s.root_state, position.state, self.s.ops.state_size)
        self.s.players = position.players
        self.s.network = NULL if self.network is None else self.network.part(position.players)
        self.s.parameters.cut_turns = self.settings.cut_turns(
            position.players, self.game if self.s.network != NULL else None)
        self.s.parameters.network_until = (
            0 if self.s.network == NULL or self.s.ops.turns_left == NULL
            else self.settings.network_until)
        self.s.books = books and self.s.ops.apply_booked != NULL
        self.s.observer = observer
        self.s.root_player = position.player
        self.s.trees = self.s.players if self.s.parameters.many_trees else 1
        if not (keep and self.planted and self._keep_subtrees()):
            self._plant()
        self.planted = True
        self.s.rng = rng
        self.s.determinization_seed = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
        self.s.iterations = self.s.selected = self.s.claimed = 0
        self.s.limit = NO_END
        self.s.stopped = False
        for i in range(self.s.ring + 1):
            self.s.under_way[i].played = 0
            memset(self.s.under_way[i].phase_ns, 0, sizeof(self.s.under_way[i].phase_ns))
            draw(&self.s, &self.s.under_way[i], i)
        memset(self.s.root_stats, 0, self.s.noted * sizeof(RootStat))
        self.s.noted = 0
        memset(self.s.depths, 0, sizeof(self.s.depths))
        memset(self.s.phase_ns, 0, sizeof(self.s.phase_ns))
        return self.s.tree.nodes[self.s.roots[0]].visits

    cdef int _check_game(self, Position position) except -1:
        if position.game is not self.game:
            raise TrajanError(f"the position must be of the game {self.game.name}, got "
                              f"{position.game.name}")
        return 0

    cdef int _check_begun(self) except -1:
        if self.s.trees == 0 or self.s.tree.nodes == NULL:
            raise TrajanError("the search has not begun; call begin first")
        return 0

    cdef _allow(self, Position position, int observer, allowed):
        cdef int i
        self.s.allowed_count = 0
        if allowed and observer != position.player:
            raise TrajanError("moves are allowed only for the player whose knowledge is used")
        for i, move in enumerate(allowed):
            if not position._is_legal(move) or i == self.s.ops.max_moves:
                raise TrajanError(f"{move!r} is not legal, so it cannot be allowed")
            self.s.allowed[i] = move
        self.s.allowed_count = len(allowed)

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
        """Keep what lies below the roots and forget the rest.

        False if memory is out, or if it is not known which of the kept root moves are legal.
        """
        cdef Tree left
        if self.s.parameters.own_moves:
            if self.s.observer != self.s.root_player:
                return False
            self._forget_illegal()
        if not tree_reserve(&self.s.spare):
            return False
        tree_clear(&self.s.spare)
        if not copy_subtrees(&self.s.tree, &self.s.spare, self.s.roots, self.s.trees):
            return False
        left = self.s.tree
        self.s.tree = self.s.spare
        self.s.spare = left
        if left.used > SPARE_NODES:
            tree_release(&self.s.spare)
        return True

    cdef _forget_illegal(self):
        """Drop root moves that what others have done since they were tried has made illegal."""
        cdef move_t *moves = self.s.under_way[0].moves
        cdef Node *root = &self.s.tree.nodes[self.s.roots[self.s.root_player]]
        cdef Node *children = &self.s.tree.nodes[root.block]
        cdef int i, kept = 0
        for i in range(root.count):
            if self._is_listed(root.block + i, self.s.root_state, moves):
                children[kept] = children[i]
                kept += 1
        root.count = <uint16_t>kept

    def follow(self, Position before not None, Position after not None, move_t move, seed):
        """Lead the tree from `before`, the position searched or followed to last, by `move`, one of
        those that the observer watches (`Position.watched`), to the next or what all lead to.

        The subtree is kept where that is sound: the observer saw the move itself, and nothing
        else was revealed to them. That shows in determinizations of `before` in which the move is
        legal: after it, all must look to them as `after` does. A decision that the observer does
        not notice leaves the tree as it is. Returns whether a tree is left.
        """
        cdef Rng rng = seeded(seed)
        self._check_game(before)
        self._check_game(after)
        if not self.planted:
            return False
        if not before.players == after.players == self.s.players:
            raise TrajanError(f"the positions must have {self.s.players} players")
        before._check_move(move)
        if self._noticed(before, move):
            self.planted = (after.player is not None
                            and self._saw_all(before, after, move, &rng)
                            and self._step_roots(before, move))
        else:
            self.planted = self._look(before) == self._look(after)
        return self.planted

    cdef bint _noticed(self, Position before, move_t move):
        cdef const GameOps *ops = self.s.ops
        return (self.s.parameters.cheat or ops.observed == NULL
                or ops.observed(before.state, move, self.s.observer) != NOTHING_SEEN)

    cdef bytes _look(self, Position position):
        """What the observer knows of a position: always the same determinization."""
        return position.determinized(self.s.observer, CANONICAL_SEED).to_bytes()

    cdef bint _saw_all(self, Position before, Position after, move_t move, Rng *rng):
        cdef const GameOps *ops = self.s.ops
        cdef move_t *moves = self.s.under_way[0].moves
        cdef void *again = self.s.under_way[0].state
        cdef int observer = self.s.observer
        cdef bytes expected = self._look(after)
        cdef Rng looking
        cdef int looks = 0, tried, i, count, alike
        cdef bint legal
        cdef move_t seen = move
        cdef move_t made
        if self.s.parameters.cheat:
            return True
        if ops.observed != NULL:
            seen = ops.observed(before.state, move, observer)
        for tried in range(LOOKS_TRIED):
            ops.determinize(before.state, self.s.root_state, observer, rng)
            count = ops.legal(self.s.root_state, moves)
            alike = 0
            legal = False
            for i in range(count):
                legal = legal or moves[i] == seen
                alike += seen == (
                    moves[i] if ops.observed == NULL else
                    ops.observed(self.s.root_state, moves[i], observer))
            if not legal:
                continue
            if alike != 1:
                return False
            made = seen
            while True:
                if ops.step == NULL:
                    ops.apply(self.s.root_state, made)
                else:
                    ops.step(self.s.root_state, made)
                rng_seed(&looking, CANONICAL_SEED)
                ops.determinize(self.s.root_state, again, observer, &looking)
                if memcmp(again, <const char *>expected, ops.state_size) == 0:
                    break
                if ops.step == NULL or ops.legal(self.s.root_state, moves) != 1:
                    return False
                made = moves[0]
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
            if self.s.parameters.own_moves and t != mover:
                seen = NOTHING_SEEN
            elif self.s.trees > 1 and t != mover and self.s.ops.observed != NULL:
                seen = self.s.ops.observed(before.state, move, t)
            if seen == NOTHING_SEEN:
                continue
            child = find_child(&self.s.tree, self.s.roots[t], key_of(seen, mover))
            if child == NO_NODE:
                return False
            self.s.roots[t] = child
        return True

    def run(self, int64_t count, double deadline=0.0):
        """Run up to `count` iterations without the GIL, until `deadline` on time.monotonic().

        With `by_cpu_time`, `deadline` is on time.thread_time(). Returns the number made. Results do not depend on how a total is split into calls. One
        thread at a time may be here; others may `help`.
        """
        cdef int64_t deadline_ns = <int64_t>(deadline * 1e9)
        cdef int64_t done
        with nogil:
            done = run_tree(&self.s, count, deadline_ns)
        return done

    def open(self):
        """Let other threads `help` until `close`."""
        store(&self.s.open, True)

    def help(self, double deadline=0.0):
        """Play out iterations beside the thread that is in `run`, until `close`.

        With a deadline on time.monotonic(), until that or until there is nothing to do.
        """
        cdef int64_t deadline_ns = <int64_t>(deadline * 1e9)
        with nogil:
            play_along(&self.s, deadline_ns)

    def close(self):
        """Send the helpers home."""
        store(&self.s.open, False)

    def finish(self):
        """Bring the iterations in flight to their end; call it after the last `run`."""
        with nogil:
            land(&self.s)

    def stop(self):
        """Make `run` and `help` return within CLOCK_STRIDE iterations, in all threads."""
        store(&self.s.stopped, True)

    @property
    def stopped(self):
        """Whether `stop` was called since `begin`."""
        return bool(self.s.stopped)

    @property
    def limit(self):
        """Iterations to make in all. Exactly this number is made."""
        return self.s.limit

    @limit.setter
    def limit(self, int64_t iterations):
        self.s.limit = iterations

    @property
    def by_cpu_time(self):
        """Whether deadlines of `run` are on the CPU time of its thread."""
        return self.s.by_cpu_time

    @by_cpu_time.setter
    def by_cpu_time(self, bint value):
        self.s.by_cpu_time = value

    @property
    def timed(self):
        """Whether the phases of an iteration are timed (some 100 ns per iteration)."""
        return self.s.timed

    @timed.setter
    def timed(self, bint value):
        self.s.timed = value

    @property
    def iterations(self):
        """Iterations since `begin`."""
        return load(&self.s.iterations)

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
        self._check_begun()
        cdef int root_tree = tree_of(&self.s, self.s.root_player)
        cdef int sources = self.s.ops.vp_sources
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
                "scores": [stat.scores[p] for p in range(self.s.players)],
                "margin": stat.margin, "margin_squares": stat.margin_squares,
                "payoff": stat.payoff, "booked": stat.booked,
                "sources": [[stat.sources[p * sources + i] for i in range(sources)]
                            for p in range(self.s.players)],
            })
        return result

    def line(self, move_t move, int length, int32_t visits):
        """Return the most visited continuation as (player, move), `move` first.

        Ends after `length` moves or where a node has fewer than `visits` visits. Trees of own
        moves are followed side by side, in one determinization.
        """
        self._check_begun()
        if not 0 <= move < self.s.ops.action_count:
            raise TrajanError(f"move must be 0 to {self.s.ops.action_count - 1}, got {move}")
        if length < 0 or visits < 0:
            raise ValueError("length and visits must be at least 0")
        cdef int root_tree = tree_of(&self.s, self.s.root_player)
        cdef int32_t node = find_child(&self.s.tree, self.s.roots[root_tree],
                                       key_of(move, self.s.root_player))
        cdef int32_t key
        result = []
        if self.s.parameters.own_moves:
            return self._line_of_all(node, length, visits)
        while node != NO_NODE and len(result) < length:
            key = self.s.tree.nodes[node].key
            result.append((key & ((1 << KEY_BITS) - 1), key >> KEY_BITS))
            node = self._most_visited(node, NULL, NULL, visits)
        return result

    cdef list _line_of_all(self, int32_t child, int length, int32_t visits):
        """The line that begins with a root move, each player following their own tree."""
        cdef const GameOps *ops = self.s.ops
        cdef Position drawn = self.game.wrap(self.s.root_state, None, 0)
        cdef move_t moves[MOST_MOVES]
        cdef int32_t places[MAX_PLAYERS]
        cdef int mover = self.s.root_player
        cdef int32_t key
        cdef Rng rng
        cdef int tried
        result = []
        rng_seed(&rng, self.s.determinization_seed)
        memcpy(places, self.s.roots, sizeof(places))
        for tried in range(LOOKS_TRIED):
            if not self.s.parameters.cheat:
                ops.determinize(self.s.root_state, drawn.state, self.s.observer, &rng)
            if child == NO_NODE or self._is_listed(child, drawn.state, moves):
                break
        else:
            child = NO_NODE
        while child != NO_NODE and len(result) < length:
            key = self.s.tree.nodes[child].key
            result.append((mover, key >> KEY_BITS))
            places[mover] = child
            ops.apply(drawn.state, key >> KEY_BITS)
            mover = ops.player(drawn.state)
            if mover == NO_PLAYER:
                break
            child = self._most_visited(places[mover], drawn.state, moves, visits)
        return result

    cdef bint _is_listed(self, int32_t child, void *state, move_t *moves):
        """Whether a child's move is legal in the state."""
        cdef int i
        for i in range(self.s.ops.legal(state, moves)):
            if moves[i] == self.s.tree.nodes[child].key >> KEY_BITS:
                return True
        return False

    cdef int32_t _most_visited(self, int32_t node, void *state, move_t *moves, int32_t visits):
        """The child most visited, `visits` times at least; legal in the state if one is given."""
        cdef const Node *parent = &self.s.tree.nodes[node]
        cdef int32_t best = NO_NODE
        cdef int32_t i
        for i in range(parent.block, parent.block + parent.count):
            if self.s.tree.nodes[i].visits >= visits and (
                    best == NO_NODE or self.s.tree.nodes[i].visits > self.s.tree.nodes[best].visits
                    ) and (state == NULL or self._is_listed(i, state, moves)):
                best = i
        return best

    def shape(self):
        """Return (iterations by tree depth reached, expanded nodes by number of children)."""
        cdef int i
        depths = [self.s.depths[i] for i in range(MAX_DEPTH + 1)]
        while len(depths) > 1 and depths[len(depths) - 1] == 0:
            depths.pop()
        return depths, {i: self.s.tree.widths[i] for i in range(1, MAX_CHILDREN + 1)
                        if self.s.tree.widths[i]}

    def phases(self):
        """Return seconds by phase since `begin`; all 0 unless `timed`."""
        return {name: self.s.phase_ns[i] / 1e9 for i, name in enumerate(_PHASES)}
