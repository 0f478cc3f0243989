"""Information-set Monte-Carlo tree search, with one tree (SO) or one per player (MO, own).

SO-ISMCTS and MO-ISMCTS are described in Cowling, Powley and Whitehouse, "Information Set Monte
Carlo Tree Search", IEEE TCIAIG 4 (2012). Each iteration draws a determinization, descends the tree
along moves that are legal in it, adds a node, runs a playout, and backs up one payoff per player
(max-n).

With the algorithm "own", each tree contains only the moves of one player, so a node stands for a
sequence of that player's moves, regardless of what other players did in between. In effect, every
player runs an open-loop search (Perez et al., "Open Loop Search for General Video Game Playing",
2015). Decoupled UCT (Finnsson and Bjornsson 2008) applies the same idea within a single joint move.

This extension is compiled from the files included below: first the data, then the phases of an
iteration. Each file may use the types and constants of the files above it.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove, memset

from trajan_ai.core.debug cimport require
from trajan_ai.core.game cimport (
    MAX_PLAYERS, MAX_MOVES, MAX_SOURCES, NO_LIMIT, NO_PLAYER, NOTHING_SEEN, EventSink, Game,
    GameOps, Position, has_move, move_t, raise_failure,
)
from trajan_ai.core.portable cimport (
    LINE, exchange, load, prefetch, release, reserve, store, thread_time_ns, wait,
)
from trajan_ai.core.rng cimport Rng, rng_below, rng_seed, seeded
from trajan_ai.core.room cimport room
from trajan_ai.mcts.network cimport STEP, Network, NetworkPart, network_values
from trajan_ai.mcts.numbers cimport log_of

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import get_decider

# The data.
include "payoff.pxi"
include "tree.pxi"
include "structs.pxi"

# The phases of an iteration (descent, playout, backup), and the sharing of work among threads.
include "timing.pxi"
include "choosing.pxi"
include "playing.pxi"
include "descending.pxi"
include "crediting.pxi"
include "sharing.pxi"

# The names used in settings and in statistics.
SELECTIONS = {"ucb1": SELECTION_UCB1, "puct": SELECTION_PUCT}
PLAYOUTS = {"uniform": PLAYOUT_UNIFORM, "policy": PLAYOUT_POLICY}
_PHASES = ("determinization", "selection", "expansion", "playout", "evaluation", "network",
           "backup")


cdef void *lines(size_t size):
    """Return memory that shares no cache line with other data, or NULL on failure; release() frees
    it."""
    return reserve((size + APART - 1) // APART * APART, APART)


cdef int64_t NO_END = <int64_t>1 << 62    # more iterations than any search makes


cdef class Searcher:
    """The trees and all other memory of a search, which are kept from decision to decision.

    Call the methods in this order: `begin`, `run` any number of times, `finish`, then `root_moves`,
    `line` and `shape`. `root_moves` and `line` may also be called earlier, while no thread is in
    `run`; the visits that they report then include those of iterations in flight.
    """

    cdef Search s
    cdef bint planted         # the tree belongs to the position of the last `begin` or `follow`
    # bytes of everything except the tree, the iterations in flight and the sources of VP
    cdef int64_t fixed_bytes
    cdef int64_t flight_bytes    # bytes of the iterations in flight
    cdef int64_t source_bytes    # bytes of the sources of VP by root move
    cdef Game game
    cdef object settings
    cdef Network network      # None if the search uses no network
    cdef list owners          # owners of the memory that the search uses

    def __cinit__(self, Game game not None, settings):
        cdef const GameOps *ops = game.ops
        cdef int i
        if ops.action_count > MAX_KEYS >> KEY_BITS:
            raise TrajanError(f"{game.name}: a search allows {MAX_KEYS >> KEY_BITS:,} actions, "
                              f"got {ops.action_count:,}")
        memset(&self.s, 0, sizeof(Search))
        self.s.ring = -1
        self.game = game
        self.settings = settings
        self.network = settings.network_for(game)
        self.s.ops = ops
        self.s.key_count = ops.action_count << KEY_BITS
        self.s.threads = settings.threads
        self.owners = owners = []
        self.s.root_state = room(owners, ops.state_size)
        self.s.priors = <float *>room(owners, ops.max_moves * sizeof(float))
        self.s.allowed = <move_t *>room(owners, ops.max_moves * sizeof(move_t))
        self.s.weights = <float *>room(owners, ops.weight_count * sizeof(float))
        self.s.marks = <uint32_t *>room(owners, self.s.key_count * sizeof(uint32_t))
        for i in range(1, TABLED_LOGS):
            self.s.logs[i] = log_of(i)
        self.s.root_stats = <RootStat *>PyMem_Calloc(self._root_places(), sizeof(RootStat))
        if self.s.root_stats == NULL:
            raise MemoryError
        self.fixed_bytes = (sum(map(len, owners)) + sizeof(Search)
                            + self._root_places() * <int64_t>sizeof(RootStat))
        self._configure(settings)

    def __dealloc__(self):
        self._free_room()
        PyMem_Free(self.s.root_stats)
        PyMem_Free(self.s.root_sources)
        tree_release(&self.s.tree)

    cdef _free_room(self):
        """Free the memory of the iterations in flight, which ends the search."""
        cdef int64_t i
        self.planted = False
        self.s.selected = self.s.claimed = self.s.iterations
        self.s.limit = 0
        if self.s.under_way != NULL:
            for i in range(self.s.ring + 1):
                release(self.s.under_way[i].state)
                release(self.s.under_way[i].again)
                release(self.s.under_way[i].moves)
                release(self.s.under_way[i].features)
                release(self.s.under_way[i].rows)
        PyMem_Free(self.s.under_way)
        self.s.under_way = NULL
        self.s.ring = -1

    cdef _make_room(self, int in_flight):
        """Allocate memory for this number of iterations in flight, rounded up to a power of two."""
        cdef const GameOps *ops = self.s.ops
        cdef int64_t each = ops.max_moves * sizeof(move_t) + 2 * ops.state_size + sizeof(Iteration)
        cdef size_t inputs = 0
        cdef int64_t places = 1, i
        cdef bint planted = self.planted
        cdef Iteration *it
        if self.network is not None:
            inputs = ops.feature_counts[MAX_PLAYERS] + STEP
            each += inputs * (sizeof(uint8_t) + sizeof(uint32_t))
        while places < in_flight:
            places *= 2
        if places == self.s.ring + 1:
            return
        self._free_room()
        self.s.under_way = <Iteration *>PyMem_Calloc(places, sizeof(Iteration))
        if self.s.under_way == NULL:
            raise MemoryError
        self.s.ring = places - 1
        self.flight_bytes = places * each
        self.s.tree.limit = self._units(self._other_bytes())
        for i in range(places):
            it = &self.s.under_way[i]
            it.state = lines(ops.state_size)
            it.again = lines(ops.state_size)
            it.moves = <move_t *>lines(ops.max_moves * sizeof(move_t))
            if inputs:
                it.features = <uint8_t *>lines(inputs)
                it.rows = <uint32_t *>lines(inputs * sizeof(uint32_t))
            if it.state == NULL or it.again == NULL or it.moves == NULL or (
                    inputs and (it.features == NULL or it.rows == NULL)):
                self._free_room()
                raise MemoryError
        self.planted = planted

    cdef int64_t _root_places(self):
        return min(self.s.key_count, MAX_CHILDREN)

    cdef int64_t _other_bytes(self):
        return self.fixed_bytes + self.flight_bytes + self.source_bytes

    cdef int32_t _units(self, int64_t other_bytes):
        """Return how many units of the tree fit into `tree_bytes` less `other_bytes`."""
        cdef int64_t left = int(self.settings.tree_bytes) - other_bytes
        return <int32_t>min(max(left // <int64_t>sizeof(Node), MIN_UNITS), NO_LIMIT)

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

    def begin(self, Position position not None, int observer, seed, bint keep=False,
              allowed=(), bint with_sources=False, iterations=None):
        """Start a search of `position` with the knowledge of `observer`.

        With `keep`, the search continues in the tree that `follow` has advanced to this position;
        otherwise the tree starts empty. Returns the number of visits that the tree already
        contains. If `allowed` is not empty, only these legal moves are tried at the root; the
        observer must then be the player to move, because only that player knows what is legal. With
        `with_sources`, one in SOURCES_STRIDE iterations records its sources of VP (see
        `root_moves`). If `iterations` is given, all calls of `run` together make at most that
        number of iterations.
        """
        cdef int64_t i
        cdef Rng rng = seeded(seed)
        self._check_game(position)
        position._check_player(observer)
        get_decider(position)  # raises TrajanError if the game is over
        self._allow(position, observer, allowed)
        memcpy(self.s.root_state, position.state, self.s.ops.state_size)
        self.s.players = position.players
        self.s.network = NULL if self.network is None else self.network.part(position)
        self.s.parameters.cut_turns = self.settings.cut_turns(
            position.players, self.game if self.s.network != NULL else None)
        self.s.parameters.network_until = (
            0 if self.s.network == NULL or self.s.ops.turns_left == NULL
            else self.settings.network_until)
        self.s.with_sources = with_sources and self.s.ops.apply_reported != NULL
        if self.s.with_sources:
            self._make_sources()
        self.s.parameters.in_flight = self.settings.flights(iterations)
        self._make_room(self.s.parameters.in_flight)
        self.s.observer = observer
        self.s.root_player = position.player
        self.s.trees = self.s.players if self.s.parameters.many_trees else 1
        if not (keep and self.planted and self._keep_subtrees()):
            self._plant()
        self.planted = True
        self.s.rng = rng
        self.s.determinization_seed = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
        self.s.iterations = self.s.selected = self.s.claimed = 0
        self.s.limit = NO_END if iterations is None else iterations
        self.s.stopped = False
        for i in range(self.s.ring + 1):
            self.s.under_way[i].played = 0
            memset(self.s.under_way[i].phase_ns, 0, sizeof(self.s.under_way[i].phase_ns))
            self.s.under_way[i].dice = (&self.s.under_way[i].rng
                                        if self.s.parameters.in_flight > 1 else &self.s.rng)
            draw(&self.s, &self.s.under_way[i], i)
        self._forget_stats()
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
            raise TrajanError(
                "moves can be allowed only for the player whose knowledge is used, player "
                f"{observer}, but player {position.player} decides")
        for i, move in enumerate(allowed):
            if i == self.s.ops.max_moves:
                raise TrajanError(f"at most {i} moves can be allowed, got {len(allowed)}")
            if not position._is_legal(move):
                raise TrajanError(f"{move!r} is not legal, so it cannot be allowed")
            self.s.allowed[i] = move
        self.s.allowed_count = len(allowed)

    cdef _plant(self):
        cdef int t
        if not tree_reserve(&self.s.tree, self._units(0)):
            raise MemoryError
        tree_clear(&self.s.tree)
        for t in range(self.s.trees):
            self.s.roots[t] = add_root(&self.s.tree)
            if self.s.roots[t] == NO_NODE:
                raise MemoryError

    cdef _make_sources(self):
        """Allocate memory for the sources of VP of every root move, for the largest number of
        players."""
        cdef int64_t size = MAX_PLAYERS * self.s.ops.vp_sources * sizeof(double)
        if self.s.root_sources == NULL:
            self.s.root_sources = <double *>PyMem_Calloc(self._root_places(), size)
            if self.s.root_sources == NULL:
                raise MemoryError
            self.source_bytes = self._root_places() * size
            self.s.tree.limit = self._units(self._other_bytes())

    cdef _forget_stats(self):
        memset(self.s.root_stats, 0, self.s.noted * sizeof(RootStat))
        if self.s.root_sources != NULL:
            memset(self.s.root_sources, 0, self.s.noted * self.source_bytes // self._root_places())
        self.s.noted = 0

    cdef bint _keep_subtrees(self):
        """Keep the subtrees below the roots, and drop all other nodes.

        Return False if it is not known which of the kept root moves are legal.
        """
        if self.s.parameters.own_moves:
            if self.s.observer != self.s.root_player:
                return False
            self._forget_illegal()
        keep_subtrees(&self.s.tree, self.s.roots, self.s.trees)
        self.s.tree.full = False
        return True

    cdef _forget_illegal(self):
        """Drop root moves that have become illegal because of what other players have done since
        these moves were added."""
        cdef move_t *moves = self.s.under_way[0].moves
        cdef Tree *tree = &self.s.tree
        cdef Node *root = &tree.nodes[self.s.roots[self.s.root_player]]
        cdef Node *nodes = &tree.nodes[root.block]
        cdef Untried *others = untried_of(tree, root)
        cdef int width = width_of(root)
        cdef int i = 0, tried = 0, untried = 0, place
        for place in range(width):
            if i < <int>root.tried and <int>nodes[i].place == place:
                if self._is_listed(nodes[i].key, self.s.root_state, moves):
                    nodes[tried] = nodes[i]
                    nodes[tried].place = tried + untried
                    tried += 1
                else:
                    drop_subtree(tree, root.block + i, NO_NODE)
                i += 1
            elif self._is_listed(others[place - i].key, self.s.root_state, moves):
                others[untried] = others[place - i]
                untried += 1
            else:
                tree.live -= 1
                tree.widths[0] -= 1
        memmove(nodes + tried, others, untried * sizeof(Untried))
        root.tried = tried
        root.untried = untried
        tree.widths[width] -= 1
        tree.widths[tried + untried] += 1

    def follow(self, Position before not None, Position after not None, move_t move, seed):
        """Advance the tree by `move`, one of the moves that the observer watches
        (`Position.watched`). `before` is the position to which the tree belongs, and `after` is the
        position after the move.

        The subtree is kept only if that is sound, that is, if the observer saw the move itself and
        nothing else was revealed to them. This is tested in determinizations of `before` in which
        the move is legal: after the move, each of them must look like `after` to the observer. A
        decision that the observer does not notice leaves the tree as it is. Returns whether a tree
        remains.
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
        raise_failure()
        return self.planted

    cdef bint _noticed(self, Position before, move_t move):
        cdef const GameOps *ops = self.s.ops
        return (self.s.parameters.cheat or ops.observed == NULL
                or ops.observed(before.state, move, self.s.observer) != NOTHING_SEEN)

    cdef bytes _look(self, Position position):
        """Return one fixed determinization of a position, which represents what the observer
        knows."""
        return position.determinized(self.s.observer, LOOK_SEED).to_bytes()

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
                rng_seed(&looking, LOOK_SEED)
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
            child = self._reach(self.s.roots[t], t, key_of(seen, mover))
            if child == NO_NODE:
                return False
            self.s.roots[t] = child
        return True

    cdef int32_t _reach(self, int32_t parent, int t, int32_t key):
        """Return the child with this key as a node, even if it is untried, or NO_NODE."""
        cdef int32_t child = find_child(&self.s.tree, parent, key)
        cdef int j = find_untried(&self.s.tree, parent, key)
        return child if j < 0 else try_move(&self.s, parent, t, j)

    def run(self, int64_t count, double deadline=0.0):
        """Run up to `count` iterations without the GIL, but stop at `deadline`.

        The deadline is a value of time.monotonic(), or of time.thread_time() if `by_cpu_time` is
        true; 0 means no deadline. Returns the number of iterations made. Results do not depend on
        how the iterations are split into calls. Only one thread at a time may call this; other
        threads may call `help`.
        """
        cdef int64_t deadline_ns = <int64_t>(deadline * 1e9)
        cdef int64_t done
        with nogil:
            done = run_tree(&self.s, count, deadline_ns)
        raise_failure()
        return done

    def open(self):
        """Let other threads call `help`, until `close` is called."""
        store(&self.s.open, True)

    def help(self, double deadline=0.0):
        """Play out iterations while another thread is in `run`, until `close` or `stop` is called.

        If a deadline is given, as a value of time.monotonic(), also return at the deadline, or
        earlier if there is nothing to do.
        """
        cdef int64_t deadline_ns = <int64_t>(deadline * 1e9)
        with nogil:
            play_along(&self.s, deadline_ns)
        raise_failure()

    def close(self):
        """Make the helpers return."""
        store(&self.s.open, False)

    def finish(self):
        """Finish the iterations in flight; call this after the last `run`."""
        with nogil:
            land(&self.s)
        raise_failure()

    def stop(self):
        """Make `run` and `help` return within CLOCK_STRIDE iterations, in all threads."""
        store(&self.s.stopped, True)

    @property
    def by_cpu_time(self):
        """Whether deadlines of `run` refer to the CPU time of the calling thread."""
        return self.s.by_cpu_time

    @by_cpu_time.setter
    def by_cpu_time(self, bint value):
        self.s.by_cpu_time = value

    @property
    def timed(self):
        """Whether the phases of iterations are timed, which adds some 100 ns to each iteration."""
        return self.s.timed

    @timed.setter
    def timed(self, bint value):
        self.s.timed = value

    @property
    def iterations(self):
        """Number of iterations since `begin`."""
        return load(&self.s.iterations)

    @property
    def nodes(self):
        """Number of moves in the tree, whether they have been tried or not."""
        return self.s.tree.live

    @property
    def full(self):
        """Whether a move could not be added to the tree for lack of room."""
        return bool(self.s.tree.full)

    @property
    def memory_bytes(self):
        """Size of the search in bytes, including room for more children in the tree."""
        return <int64_t>self.s.tree.used * <int64_t>sizeof(Node) + self._other_bytes()

    def root_moves(self):
        """Return a list with a dict of statistics for every root move in the tree."""
        self._check_begun()
        cdef int root_tree = tree_of(&self.s, self.s.root_player)
        cdef const Node *root = &self.s.tree.nodes[self.s.roots[root_tree]]
        cdef const Untried *others = untried_of(&self.s.tree, root)
        cdef const Node *child
        cdef int i
        result = []
        for i in range(<int>root.tried):
            child = &self.s.tree.nodes[root.block + i]
            result.append({
                "move": child.key >> KEY_BITS, "visits": child.visits, "total": child.total,
                "availability": child.availability, **self._stats(child.place),
            })
        for i in range(<int>root.untried):
            result.append({
                "move": others[i].key >> KEY_BITS, "visits": 0, "total": 0.0,
                "availability": others[i].availability,
                **self._stats(i + nodes_before(&self.s.tree, root, i)),
            })
        return result

    cdef dict _stats(self, int place):
        """Return the statistics of the move with this place among the children of the root."""
        cdef RootStat stat = self.s.root_stats[place]
        cdef int sources = self.s.ops.vp_sources
        cdef int first = place * sources * self.s.players
        return {
            "count": stat.count, "win": stat.win,
            "scores": [stat.scores[p] for p in range(self.s.players)],
            "margin": stat.margin, "margin_squares": stat.margin_squares,
            "payoff": stat.payoff, "payoff_high": stat.payoff_high,
            "source_visits": stat.source_visits,
            "sources": [[self.s.root_sources[first + p * sources + i] for i in range(sources)]
                        for p in range(self.s.players)] if stat.source_visits else [],
        }

    def line(self, move_t move, int length, int32_t visits):
        """Return the most visited continuation as (player, move) pairs, beginning with `move`.

        The line ends after `length` moves or at a node with fewer than `visits` visits. With the
        algorithm "own", the trees of all players are followed in one determinization.
        """
        self._check_begun()
        if not 0 <= move < self.s.ops.action_count:
            raise TrajanError(f"move must be 0 to {self.s.ops.action_count - 1}, got {move}")
        if length < 0 or visits < 0:
            raise ValueError(f"length and visits must be at least 0, got {length} and {visits}")
        cdef int root_tree = tree_of(&self.s, self.s.root_player)
        cdef int32_t key = key_of(move, self.s.root_player)
        cdef int32_t node = find_child(&self.s.tree, self.s.roots[root_tree], key)
        result = []
        if node == NO_NODE and find_untried(&self.s.tree, self.s.roots[root_tree], key) < 0:
            return result
        if self.s.parameters.own_moves:
            return self._line_of_all(key, length, visits)
        while key != NO_KEY and len(result) < length:
            result.append((key & ((1 << KEY_BITS) - 1), key >> KEY_BITS))
            key = self._most_visited(node, NULL, NULL, visits)
            node = find_child(&self.s.tree, node, key)
        return result

    cdef list _line_of_all(self, int32_t key, int length, int32_t visits):
        """Return the line that begins with a root move and follows each player's own tree."""
        cdef const GameOps *ops = self.s.ops
        cdef Position drawn = self.game.wrap(self.s.root_state, None, 0)
        cdef move_t moves[MAX_MOVES]
        cdef int32_t places[MAX_PLAYERS]
        cdef int mover = self.s.root_player
        cdef Rng rng
        cdef int tried
        result = []
        rng_seed(&rng, self.s.determinization_seed)
        memcpy(places, self.s.roots, sizeof(places))
        for tried in range(LOOKS_TRIED):
            if not self.s.parameters.cheat:
                ops.determinize(self.s.root_state, drawn.state, self.s.observer, &rng)
            if self._is_listed(key, drawn.state, moves):
                break
        else:
            key = NO_KEY
        while key != NO_KEY and len(result) < length:
            result.append((mover, key >> KEY_BITS))
            places[mover] = find_child(&self.s.tree, places[mover], key)
            ops.apply(drawn.state, key >> KEY_BITS)
            mover = ops.player(drawn.state)
            if mover == NO_PLAYER:
                break
            key = self._most_visited(places[mover], drawn.state, moves, visits)
        raise_failure()
        return result

    cdef bint _is_listed(self, int32_t key, void *state, move_t *moves):
        """Return whether the move of a key is legal in the state."""
        return has_move(moves, self.s.ops.legal(state, moves), key >> KEY_BITS)

    cdef int32_t _most_visited(self, int32_t node, void *state, move_t *moves, int32_t visits):
        """Return the key of the most visited child with at least `visits` visits, or NO_KEY.

        If a state is given, only children that are legal in it are considered.
        """
        cdef const Node *parent = &self.s.tree.nodes[node]
        cdef const Node *child
        cdef int32_t key = NO_KEY, most = max(visits, 1) - 1
        cdef int32_t i
        for i in range(parent.block, parent.block + <int32_t>parent.tried):
            child = &self.s.tree.nodes[i]
            if child.visits > most and (state == NULL
                                        or self._is_listed(<int32_t>child.key, state, moves)):
                key = <int32_t>child.key
                most = child.visits
        return key

    def shape(self):
        """Return (depths, nodes): the number of iterations that reached each depth of the tree,
        and for each number of children, the number of nodes that have it."""
        cdef int i
        depths = [self.s.depths[i] for i in range(MAX_DEPTH + 1)]
        while len(depths) > 1 and depths[len(depths) - 1] == 0:
            depths.pop()
        return depths, {i: self.s.tree.widths[i] for i in range(1, MAX_CHILDREN + 1)
                        if self.s.tree.widths[i]}

    def phases(self):
        """Return the seconds spent in each phase since `begin`; all are 0 unless `timed` is
        true."""
        return {name: self.s.phase_ns[i] / 1e9 for i, name in enumerate(_PHASES)}
