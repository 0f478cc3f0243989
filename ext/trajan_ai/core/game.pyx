"""The Python handles Game and Position, which give access to the contract and check all input."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Malloc, PyMem_Free
from cpython.object cimport newfunc
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

from trajan_ai.core.portable cimport exchange, load, store
from trajan_ai.core.rng cimport Rng, rng_below, seeded

import importlib

from trajan_ai.core.errors import TrajanError, check_seat
from trajan_ai.core.events import Event as PyEvent
from trajan_ai.core.names import Names
from trajan_ai.core.templates import render_board

cdef extern from "Python.h":
    ctypedef struct TypeSlots "PyTypeObject":
        newfunc tp_new
        void *tp_vectorcall

# Numbers of players that the contract allows; Game.player_counts contains those of a game.
PLAYER_COUNTS = tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))

cdef const char *CAPSULE_NAME = b"trajan_ai.core.game.GameOps"


cdef object capsule(const GameOps *ops):
    return PyCapsule_New(<void *>ops, CAPSULE_NAME, NULL)


cdef object first_failure = None


cdef void note_failure(object error) noexcept:
    global first_failure
    if first_failure is None:
        first_failure = error


cdef bint is_failure_noted() noexcept:
    return first_failure is not None


cdef int raise_failure() except -1:
    global first_failure
    if first_failure is not None:
        error, first_failure = first_failure, None
        raise error
    return 0


cdef class Random:
    """The random number generator of the C code with a seed, for setups drawn in Python."""

    def __cinit__(self, seed):
        self.rng = seeded(seed)

    def below(self, int bound):
        """Return an integer in [0, bound)."""
        if bound < 1:
            raise ValueError(f"bound must be at least 1, got {bound}")
        return rng_below(&self.rng, <unsigned int>bound)

    def shuffled(self, items):
        """Return a list of `items` in random order; all orders are equally likely."""
        cdef list result = list(items)
        cdef int i, j
        for i in range(len(result) - 1, 0, -1):
            j = <int>rng_below(&self.rng, <unsigned int>(i + 1))
            result[i], result[j] = result[j], result[i]
        return result


def _restore_game(str reference):
    """Unpickle a game handle by its name, ``module:attribute``."""
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _restore_position(Game game, object origin, int ply, bytes state):
    """Unpickle a position."""
    return game.from_bytes(state, origin, ply)


cdef class Game:
    """Game(name, reference, ops, actions, rules, weight_names=(),
     default_weights=None, vp_sources=())
--

A game: its contract table, action strings and rules.

    Parameters
    ----------
    name : str
        Name in records and on the command line.
    reference : str
        ``module:attribute`` where the handle is found when it is unpickled.
    ops : capsule
        The ``GameOps`` table, wrapped by the C function ``capsule``.
    actions : tuple of str
        The action strings, indexed by move number.
    rules : trajan_ai.core.rules.Rules
        Options, setups and drawing of the game.
    weight_names : tuple of str
        Names of the weights that policy, prior and evaluation read, in order.
    default_weights : tuple of float or None
    vp_sources : tuple of str
        Names of the sources of VP, in the order of ``GameOps.apply_reported``.
    """

    def __cinit__(self, str name not None, str reference, object ops, tuple actions not None,
                  object rules, tuple weight_names not None=(), object default_weights=None,
                  tuple vp_sources not None=()):
        self.ops = <const GameOps *>PyCapsule_GetPointer(ops, CAPSULE_NAME)
        if len(actions) != self.ops.action_count:
            raise ValueError(f"{name}: {len(actions)} action strings for "
                             f"{self.ops.action_count} moves")
        if len(weight_names) != self.ops.weight_count:
            raise ValueError(f"{name}: {len(weight_names)} weight names for "
                             f"{self.ops.weight_count} weights")
        if len(vp_sources) != self.ops.vp_sources or len(vp_sources) > MAX_SOURCES:
            raise ValueError(f"{name}: {len(vp_sources)} names for {self.ops.vp_sources} sources "
                             f"of VP, {MAX_SOURCES} at most")
        if self.ops.max_moves > MAX_MOVES:
            raise ValueError(f"{name}: max_moves must be at most {MAX_MOVES}, "
                             f"got {self.ops.max_moves}")
        self.name = name
        self.reference = reference
        self.actions = actions
        self.rules = rules
        self.weight_names = weight_names
        self.default_weights = default_weights
        self.vp_sources = vp_sources
        self._move_of = {action: move for move, action in enumerate(actions)}
        self.names = Names(actions)
        if len(self._move_of) != len(actions):
            raise ValueError(f"{name}: two moves share one action string")

    def __reduce__(self):
        return _restore_game, (self.reference,)

    def __repr__(self):
        return f"<game {self.name}>"

    @property
    def state_bytes(self):
        """Size of a state in bytes."""
        return self.ops.state_size

    @property
    def hidden_information(self):
        """Whether different states may look alike to a player."""
        return bool(self.ops.facts & GameFact.HIDDEN_INFORMATION)

    @property
    def hidden_moves(self):
        """Whether some moves are only partly visible to the other players."""
        return bool(self.ops.facts & GameFact.HIDDEN_MOVES)

    @property
    def has_knowledge(self):
        """Names of the optional knowledge functions that this game has."""
        return tuple(
            name for name, there in (
                ("policy", self.ops.policy != NULL),
                ("prior", self.ops.prior != NULL),
                ("evaluate", self.ops.evaluate != NULL),
                ("turns_left", self.ops.turns_left != NULL),
            ) if there
        )

    @property
    def deals_in_c(self):
        """Whether the game can deal in C, by ``GameOps.deal``."""
        return self.ops.deal != NULL

    @property
    def player_counts(self):
        """Numbers of players that the rules accept, in ascending order."""
        return tuple(players for players in PLAYER_COUNTS if self._accepts(players))

    def _accepts(self, int players):
        try:
            self.rules.check(players, {})
        except TrajanError:
            return False
        return True

    def start(self, int players, seed=0, **options):
        """Deal a new game and return the position at its first decision.

        Raises TrajanError if the rules do not allow the number of players or an option, or if the
        seed is not a number.
        """
        checked = self.rules.check(players, options)
        try:
            number = int(seed)
        except (TypeError, ValueError):
            raise TrajanError(f"seed must be an integer, got {seed!r}") from None
        setup = self.rules.deal(players, number, checked)
        return self.restore(players, setup, **checked)

    def restore(self, int players, object setup, **options):
        """Return the first position of the game with this setup, the `setup` object of a record.

        Raises TrajanError with every contradiction found in the setup.
        """
        checked = self.rules.check(players, options)
        state = self.rules.encode(players, checked, setup)
        return self.from_bytes(state, (players, checked, setup), 0)

    def from_bytes(self, bytes state, object origin=None, int ply=0):
        """Return the position with this state, given as bytes from :meth:`Position.to_bytes`."""
        if len(state) != self.ops.state_size:
            raise TrajanError(f"{self.name}: a state has {self.ops.state_size} bytes, "
                              f"got {len(state)}")
        return self.wrap(<const char *>state, origin, ply)

    def move(self, str action):
        """Return the move number of an action string, which may be typed loosely: see `Names`."""
        move = self._move_of.get(action)
        if move is None:
            move = self._move_of.get(self.names.find(action))
        if move is None:
            raise TrajanError(f"{self.name}: no action is called {action!r}"
                              f"{self.names.hint(action)}")
        return move

    cdef Position wrap(self, const void *state, object origin, int ply):
        cdef Position position = Position.__new__(Position)
        position.state = PyMem_Malloc(self.ops.state_size)
        if position.state == NULL:
            raise MemoryError
        memcpy(position.state, state, self.ops.state_size)
        position._cached = NOT_CACHED
        position.game = self
        position.origin = origin
        position.ply = ply
        return position


cdef object event_of(const Event *event, Game game, kind, observer):
    """Return an event of the given kind as `observer` sees it."""
    cdef bint knows = observer is None or (event.known >> <int>observer) & 1
    return PyEvent(
        name=kind.name,
        player=None if event.player == NO_PLAYER else event.player,
        vp=event.vp,
        thing=kind.things[event.thing] if event.thing != NO_THING and knows else None,
        count=event.count,
        source=None if event.source == NO_SOURCE else game.vp_sources[event.source],
    )


cdef class Position:
    """Position()
--

A state of a game at a decision, or at the end of the game. Immutable.

    Games create positions: call `Game.start`, `Game.restore` or `Game.from_bytes`.

    ``player`` is the player to move (None when the game is over), ``ply`` is the number of
    decisions made so far, and ``origin`` is the tuple (players, options, setup) from which the game
    was dealt, or None.
    """

    def __dealloc__(self):
        PyMem_Free(self.state)

    def __reduce__(self):
        return _restore_position, (self.game, self.origin, self.ply, self.to_bytes())

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        return (self.game is (<Position>other).game
                and memcmp(self.state, (<Position>other).state, self.game.ops.state_size) == 0)

    def __hash__(self):
        return hash(self.to_bytes())

    def __repr__(self):
        return f"<{self.game.name} position, ply {self.ply}, player {self.player}>"

    def to_bytes(self):
        """Return the state as bytes, which are identical for identical positions."""
        return PyBytes_FromStringAndSize(<const char *>self.state, self.game.ops.state_size)

    @property
    def players(self):
        """Number of players."""
        return self.game.ops.players(self.state)

    @property
    def player(self):
        """The player to move, or None when the game is over."""
        cdef int player = self.game.ops.player(self.state)
        return None if player == NO_PLAYER else player

    @property
    def turn(self):
        """Number of the current turn, from 0; a player's setup decisions count as a turn."""
        return self.game.ops.turn(self.state)

    @property
    def scores(self):
        """The VP of each player so far, which are final when the game is over."""
        cdef int32_t scores[MAX_PLAYERS]
        self.game.ops.scores(self.state, scores)
        return [scores[p] for p in range(self.game.ops.players(self.state))]

    @property
    def ranks(self):
        """The rank of each player, where 1 is best, or None until the game is over."""
        cdef int32_t ranks[MAX_PLAYERS]
        if self.game.ops.player(self.state) != NO_PLAYER:
            return None
        self.game.ops.ranks(self.state, ranks)
        return [ranks[p] for p in range(self.game.ops.players(self.state))]

    def legal_moves(self):
        """Return the numbers of the legal moves in a fixed order, or [] when the game is over."""
        cdef move_t moves[MAX_MOVES]
        cdef int count = self._list(moves)
        cdef int i
        return [moves[i] for i in range(count)]

    def legal(self):
        """Return the legal action strings in a fixed order, or [] when the game is over."""
        cdef move_t moves[MAX_MOVES]
        cdef int count = self._list(moves)
        cdef tuple actions = self.game.actions
        cdef int i
        return [actions[moves[i]] for i in range(count)]

    def after(self, str action not None):
        """Return the position after `action`, which may be typed as loosely as in `Game.move`.

        Raises TrajanError if the action is not legal.
        """
        move = self.game._move_of.get(action)
        if move is None:
            move = self.game._move_of.get(self.game.names.find(action))
        if move is None or not self._is_legal(move):
            raise TrajanError(self._complaint(action))
        return self._apply(move)

    def after_move(self, move_t move):
        """Return the position after a move, given by number; raise TrajanError if it is not
        legal."""
        if not self._is_legal(move):
            self._check_move(move)    # raises the error
        return self._apply(move)

    def features(self, int player):
        """Return what `player` knows as features, one byte each, for learning: see `HasFeatures`.

        Raises TrajanError if the game has no features.
        """
        cdef const GameOps *ops = self.game.ops
        self._check_player(player)
        if ops.features == NULL:
            raise TrajanError(f"{self.game.name}: this game has no features for learners")
        cdef bytes result = PyBytes_FromStringAndSize(NULL, ops.feature_counts[self.players])
        ops.features(self.state, player, <uint8_t *><char *>result)
        raise_failure()
        return result

    def view(self, int player):
        """Return everything that `player` may know, as plain data without hidden information."""
        self._check_player(player)
        return self.game.rules.view(self, player)

    def __str__(self):
        """Return the board as text, as the player to move sees it; when the game is over, nothing
        is hidden."""
        return self.game.rules.draw(self, self.player)

    def _repr_html_(self):
        """Return the board as HTML for notebooks, with a picture if the game can draw one."""
        draw = getattr(self.game.rules, "picture", None)
        svg = None if draw is None else draw(self.game.rules.view(self, self.player))
        return render_board(str(self), svg)

    def determinized(self, int player, seed):
        """Return a position drawn uniformly from those that `player` cannot distinguish from this.

        Its ply is 0, because the number of decisions made may be hidden, too.
        """
        cdef Rng rng = seeded(seed)
        self._check_player(player)
        cdef Position result = self.game.wrap(self.state, None, 0)
        self.game.ops.determinize(self.state, result.state, player, &rng)
        raise_failure()
        return result

    def observed(self, move_t move, int player):
        """Return what `player` sees of the legal `move`: the number of a move that looks the same
        to them.

        Returns None if the player does not even notice that a decision is made. Raises TrajanError
        if the move is not legal.
        """
        cdef move_t seen = move
        self._check_player(player)
        self._check_move(move)
        if self.game.ops.observed != NULL:
            seen = self.game.ops.observed(self.state, move, player)
            raise_failure()
        return None if seen == NOTHING_SEEN else seen

    def events(self, str action not None, observer=None):
        """Return the events that the legal `action` causes, in order, as `observer` sees them.

        The result, a list of `trajan_ai.core.events.Event`, covers the action and all forced moves
        that follow, up to the next decision. An event is reported for the move at which the
        observer notices it, so the events of a hidden choice are reported for the move that reveals
        the choice. If the observer is None, every event is reported once, and the VP of each player
        sum to the change in `scores`. Raises TrajanError if the action is not legal; the list is
        empty if the game reports no events.
        """
        cdef const GameOps *ops = self.game.ops
        cdef Event room[MAX_EVENTS]
        cdef EventSink sink
        cdef Position after
        cdef move_t move = self.game.move(action)
        cdef int i
        self._check_move(move)
        if observer is not None:
            check_seat(observer, self.players, "observer")
        kinds = getattr(self.game.rules, "events", ())
        if ops.apply_reported == NULL or not kinds:
            return []
        sink.events, sink.count, sink.vp = room, 0, NULL
        after = self.game.wrap(self.state, None, 0)
        ops.apply_reported(after.state, move, &sink)
        raise_failure()
        events = []
        for i in range(sink.count):
            # An event that others notice later is reported again for them. So without an observer,
            # use only the report to the player whom the event concerns.
            viewer = room[i].player if observer is None else observer
            if viewer == NO_PLAYER or (room[i].noticed >> <int>viewer) & 1:
                events.append(event_of(&room[i], self.game, kinds[room[i].kind], observer))
        return events

    def heard(self, move_t move, player):
        """Return the moves that `player` notices when the legal `move` is made; None notices all.

        The result is a list of (position, move) pairs: `move` itself, then each forced move that
        follows. For each pair, ``position.observed(move, player)`` is what `player` sees of the
        move. Moves that `player` does not notice are omitted. Forced moves are listed like
        decisions, so that `player` does not learn which moves were forced. Raises TrajanError if
        the move is not legal.
        """
        cdef const GameOps *ops = self.game.ops
        cdef move_t moves[MAX_MOVES]
        cdef Position at = self
        cdef Position after
        cdef list moves_noticed = []
        self._check_move(move)
        if player is not None:
            self._check_player(player)
        while True:
            if player is None or at.observed(move, player) is not None:
                moves_noticed.append((at, move))
            if ops.step == NULL:
                return moves_noticed
            after = self.game.wrap(at.state, self.origin, self.ply + 1)
            ops.step(after.state, move)
            raise_failure()
            if ops.legal(after.state, moves) != 1:
                return moves_noticed
            at, move = after, moves[0]

    def watched(self, move_t move, player):
        """Return those moves of :meth:`heard` that look like decisions to `player`.

        A move looks like a decision if its player may have had a choice, as far as `player` knows.
        """
        return [(at, made) for at, made in self.heard(move, player)
                if at is self or (<Position>at)._is_open(player)]

    cdef bint _is_open(self, player):
        """Return whether the player to move might have a choice, as far as `player` knows."""
        return (player is not None and self.player != player
                and len(self.determinized(player, 0).legal_moves()) > 1)

    cdef int _list(self, move_t *moves):
        """Write the legal moves, and return their number.

        The first call caches the moves in the handle if there are at most CACHED_MOVES. Any number
        of threads may call this at once, for example through after().
        """
        cdef int count = self.game.ops.legal(self.state, moves)
        cdef int64_t state = NOT_CACHED
        if (count <= CACHED_MOVES and load(&self._cached) == NOT_CACHED
                and exchange(&self._cached, &state, CACHING)):
            memcpy(self._moves, moves, count * sizeof(move_t))
            store(&self._cached, count)
        return count

    cdef bint _is_legal(self, move_t move):
        cdef move_t moves[MAX_MOVES]
        cdef const move_t *listed = self._moves
        cdef int64_t count = load(&self._cached)
        if count < 0:
            count = self._list(moves)
            listed = moves
        return has_move(listed, <int>count, move)

    cdef Position _apply(self, move_t move):
        cdef Position result = self.game.wrap(self.state, self.origin, self.ply + 1)
        self.game.ops.apply(result.state, move)
        raise_failure()
        return result

    def _check_move(self, move_t move):
        """Raise TrajanError if the move is not legal."""
        if not self._is_legal(move):
            name = self.game.actions[move] if 0 <= move < len(self.game.actions) else str(move)
            raise TrajanError(self._complaint(name))

    def _check_player(self, int player):
        check_seat(player, self.players)

    def _complaint(self, action):
        if self.player is None:
            return f"{self.game.name}: {action!r} after the end of the game"
        legal = sorted(self.legal())
        return (f"{self.game.name}: {action!r} is not legal for player {self.player} at ply "
                f"{self.ply}; legal: {', '.join(legal)}{Names(legal).hint(action)}")


cdef object refuse_new(void *cls, void *args, void *keywords):
    raise TypeError("positions are created by games; call Game.start, Game.restore or "
                    "Game.from_bytes")


# Python must not create positions without a game and a state, because they would crash. Game.wrap
# does not use these slots.
(<TypeSlots *>Position).tp_new = <newfunc>refuse_new
(<TypeSlots *>Position).tp_vectorcall = NULL
