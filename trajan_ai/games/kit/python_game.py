"""Games written in Python, which are slow to play but quick to change; see docs/own_game.md."""

from __future__ import annotations

import ctypes
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from trajan_ai.core.errors import GameFailed, NotSupported, TrajanError, quoted
from trajan_ai.core.events import EventKind
from trajan_ai.core.game import PLAYER_COUNTS, Game, Position, Random
from trajan_ai.core.rules import (
    HasFeatures,
    Option,
    Options,
    Setup,
    check_options,
    counts_in_words,
    offered,
)
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.kit.checked_state import checked
from trajan_ai.games.kit.python_ops import PythonOps

MAX_FORCED = 10_000  # maximum number of forced moves in a row
MAX_DRAWS = 200  # maximum number of determinizations until the player to move has a choice
MAX_NUMBER, NO_PLAYER, MAX_FEATURE = 2**31 - 1, -1, 255
MAX_EVENT = 2**15 - 1  # the highest number in an event
NO_THING, NO_SOURCE = -1, -1
HIDDEN_INFORMATION, HIDDEN_MOVES, RANKS_TIE = 1, 2, 4  # GameFact
Result = TypeVar("Result")


class PythonRules(ABC):
    """The rules of a game, and the functions of its `GameOps`, in Python.

    `state` is always a `State`, a structure of ctypes. The game remembers nothing but its bytes,
    so identical positions must have identical bytes. Storing a number that does not fit into its
    field is an error. Moves are indices of `actions`.
    """

    name: ClassVar[str]
    actions: ClassVar[tuple[str, ...]]
    State: ClassVar[type[ctypes.Structure]]
    player_counts: ClassVar[Sequence[int]] = PLAYER_COUNTS
    ranks_tie: ClassVar[bool] = True  # whether two players may share a rank
    options: Sequence[Option] = ()
    events: Sequence[EventKind] = ()  # kinds of events that the game reports; see `happen`
    vp_sources: Sequence[str] = ()  # what brings VP, if the game reports events

    def shuffle(self, players: int, options: Options, random: Random) -> Setup:
        """Return the setup of a deal: a dict of plain data."""
        return {}

    @abstractmethod
    def begin(self, state: Any, players: int, options: Options, setup: Setup) -> None:
        """Fill in an empty state; raise ValueError if the setup is impossible."""

    @abstractmethod
    def player(self, state: Any) -> int | None:
        """Return the player to move, or None when the game is over."""

    @abstractmethod
    def turn(self, state: Any) -> int:
        """Return a number that grows by one at the start of each turn."""

    @abstractmethod
    def legal(self, state: Any) -> Sequence[int]:
        """Return the legal moves of the player to move, of which there must be at least one."""

    @abstractmethod
    def step(self, state: Any, move: int) -> None:
        """Make one legal move. The base class makes the forced moves that follow."""

    def happen(
        self,
        name: str,
        player: int | None = None,
        *,
        thing: str | None = None,
        count: int = 0,
        vp: int = 0,
        source: str | None = None,
        noticed_by: Collection[int] | None = None,
        known_by: Collection[int] | None = None,
    ) -> None:
        """Report an event; `step` calls this method at the moment at which the event happens.

        Every change in a score must belong to exactly one event. The method does nothing unless
        the caller of the move asks for events.

        Args:
            name: the name of a kind in `events`.
            player: the player whom it concerns, if any.
            thing: what the event concerns, such as a tile; one of the kind's `things`.
            count: the number of tiles, cards or other objects.
            vp: the VP that the player gains or, below 0, loses.
            source: the source of the VP, one of `vp_sources`.
            noticed_by: the players who notice the event; by default all.
            known_by: those of these players who learn the thing; by default all.
        """
        reports = getattr(self._calls, "reports", None)
        if reports is None:
            return
        number = _find("events", [kind.name for kind in self.events], name)
        things = self.events[number].things
        if player is not None and not 0 <= player < PLAYER_COUNTS[-1]:
            raise ValueError(f"event {name}: player must be 0 to {PLAYER_COUNTS[-1] - 1}")
        if vp and (player is None or source is None):
            raise ValueError(f"event {name}: VP need a player and a source")
        if not max(abs(vp), abs(count)) <= MAX_EVENT:
            raise ValueError(f"event {name}: numbers must be {-MAX_EVENT} to {MAX_EVENT}")
        noticing = _to_bits(PLAYER_COUNTS[-1], noticed_by)
        reports.append(
            (
                number,
                NO_PLAYER if player is None else player,
                NO_THING if thing is None else _find(f"things of {name}", things, thing),
                count,
                NO_SOURCE if source is None else _find("sources of VP", self.vp_sources, source),
                vp,
                noticing,
                noticing & _to_bits(PLAYER_COUNTS[-1], known_by),
            )
        )

    @abstractmethod
    def scores(self, state: Any) -> Sequence[int]:
        """Return the score of each player so far."""

    def ranks(self, state: Any) -> Sequence[int]:
        """Return the rank of each player at the end; 1 is the best."""
        scores = self.scores(state)
        return [1 + sum(other > own for other in scores) for own in scores]

    def determinize(self, state: Any, observer: int, random: Random) -> None:  # noqa: B027
        """Draw again everything that `observer` cannot know.

        Gather the hidden components in a fixed order first, because the result must not depend on
        where they really are. If another player is to move, the method is called until that player
        has a choice. Games without hidden information do not define this method.
        """

    def observed(self, state: Any, move: int, observer: int) -> int | None:
        """Return what another player sees of a move.

        This is the smallest of all moves that look the same to `observer`, whether legal or not.
        Return None if `observer` does not notice the decision. Games without hidden moves do not
        define this method.
        """
        return move

    def observe(self, state: Any, observer: int) -> Sequence[int]:
        """Return the values of the features for `observer`, for learners.

        A game with features also defines ``features(players)``, which returns a `Feature` for each
        value: its name and its highest value.
        """
        raise NotImplementedError

    def pieces(self, state: Any) -> Sequence[Any] | None:
        """Return all pieces, such as cards, wherever they are, in any order.

        With this list, the conformance kit detects a piece that vanishes.
        """
        return None

    @abstractmethod
    def show(self, state: Any, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, or everything if `player` is None, as plain data."""

    def make_game(self, reference: str) -> Game:
        """Return the handle of the game; `reference` is its ``module:attribute``."""
        hides_moves = type(self).observed is not PythonRules.observed
        facts = RANKS_TIE * self.ranks_tie + HIDDEN_MOVES * hides_moves
        if type(self).determinize is not PythonRules.determinize:
            facts += HIDDEN_INFORMATION
        self.state_type = checked(self.State)
        named = offered(self, HasFeatures)
        counts = {n: len(named.features(n)) for n in self.player_counts} if named else {}
        room = ctypes.sizeof(self.State)
        self._calls = threading.local()  # has `reports` while a thread makes a move to be reported
        self._ops = PythonOps(
            self,
            reference,
            len(self.actions),
            room,
            facts,
            hides_moves,
            counts,
            bool(self.events),
            len(self.vp_sources),
        )
        return Game(
            self.name,
            reference,
            self._ops.capsule,
            self.actions,
            self,
            vp_sources=tuple(self.vp_sources),
        )

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults."""
        checked = check_options(self.name, self.options, players, options)
        if players not in self.player_counts:
            counts = counts_in_words(self.player_counts)
            raise TrajanError(f"{self.name}: players must be {counts}, got {players}")
        return checked

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return the setup of the deal with this seed."""
        return self._ask(self.shuffle, players, options, Random(derive_seed(self.name, seed)))

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state at the first decision."""
        keys = list(self.deal(players, 0, options))
        if sorted(setup) != sorted(keys):
            text = f"setup must have the keys {', '.join(keys) or '(none)'}"
            raise TrajanError(f"{self.name}: {text}, got {', '.join(setup) or '(none)'}")
        state = self.state_type()
        self._ask(self.begin, state, players, options, setup)
        self._make_forced_moves(state)
        return self._ops.pack(players, state)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows."""
        return self._ask(self.show, self._ops.unpack(position.to_bytes()), player)

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Raise NotSupported."""
        raise NotSupported(f"{self.name}: a game in Python has no position files")

    def draw(self, position: Position, player: int | None = None, **style: Any) -> str:
        """Return the view, one key per line, regardless of the style."""
        return "\n".join(f"{key}: {value}" for key, value in self.view(position, player).items())

    def list_pieces(self, position: Position) -> Sequence[Any] | None:
        """Return all pieces of a position, or None if the game does not list them."""
        return self._ask(self.pieces, self._ops.unpack(position.to_bytes()))

    def summarize(
        self, state: Any, players: int
    ) -> tuple[int, int, Sequence[int], Sequence[int], Sequence[int]]:
        """Return player, turn, scores, ranks and legal moves, all checked."""
        player = self._ask(self.player, state)
        self._check(self.player, [0 if player is None else player], 0, players, 1)
        turn = self._ask(self.turn, state)
        self._check(self.turn, [turn], 0, MAX_NUMBER, 1)
        scores = self._ask(self.scores, state)
        self._check(self.scores, scores, -MAX_NUMBER, MAX_NUMBER, players)
        if player is None:
            ranks = self._ask(self.ranks, state)
            self._check(self.ranks, ranks, 1, players + 1, players)
            return NO_PLAYER, turn, scores, ranks, []
        return player, turn, scores, [0] * players, self._list_legal(state)

    def change(self, state: Any, move: int, carry_on: bool) -> None:
        """Make a move and, with `carry_on`, all forced moves after it."""
        self._ask(self.step, state, move)
        if carry_on:
            self._make_forced_moves(state)

    def report(self, state: Any, move: int) -> list[tuple[int, ...]]:
        """Make a move and all forced moves after it; return the events as numbers."""
        reports: list[tuple[int, ...]] = []
        self._calls.reports = reports
        try:
            self.change(state, move, carry_on=True)
        finally:
            self._calls.reports = None
        return reports

    def draw_hidden(self, state: Any, observer: int, random: Random) -> None:
        """Draw what `observer` cannot know.

        If another player is to move, draw again until that player has a choice, at most MAX_DRAWS
        times in all.
        """
        for _ in range(MAX_DRAWS):
            self._ask(self.determinize, state, observer, random)
            player = self._ask(self.player, state)
            if player in (None, observer) or len(self._list_legal(state)) > 1:
                return

    def see(self, state: Any, move: int, observer: int) -> int | None:
        """Return what `observer` sees of a move."""
        if observer == self._ask(self.player, state):
            return move
        view = self._ask(self.observed, state, move, observer)
        self._check(self.observed, [0 if view is None else view], 0, len(self.actions), 1)
        return view

    def observe_all(self, state: Any, observer: int, count: int) -> Sequence[int]:
        """Return the values of the `count` features, checked."""
        values = self._ask(self.observe, state, observer)
        self._check(self.observe, values, 0, MAX_FEATURE + 1, count)
        return values

    def _make_forced_moves(self, state: Any) -> None:
        for _ in range(MAX_FORCED):
            if self._ask(self.player, state) is None:
                return
            if len(legal := self._list_legal(state)) > 1:
                return
            self._ask(self.step, state, legal[0])
        raise GameFailed(f"{self.name}: more than {MAX_FORCED} forced moves in a row")

    def _list_legal(self, state: Any) -> Sequence[int]:
        legal = self._ask(self.legal, state)
        self._check(self.legal, legal, 0, len(self.actions))
        if not legal or len(set(legal)) < len(legal):
            what = "at least one move, each once"
            raise GameFailed(f"{self.name}: legal() must return {what}, got {legal}")
        return legal

    def _ask(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function of the game; an exception becomes an error of one line."""
        try:
            return function(*arguments)
        except Exception as error:
            here, *frames = traceback.extract_tb(error.__traceback__)
            # This module detects a wrong event, but the message names the line of the game that
            # reports the event.
            frame = [here, *(frame for frame in frames if frame.filename != here.filename)][-1]
            text = f"{function.__name__}() raises {type(error).__name__}: {error}"
            raise GameFailed(f"{self.name}: {text} ({frame.filename}:{frame.lineno})") from error

    def _check(
        self, function: Callable[..., Any], values: Any, first: int, end: int, count: int = 0
    ) -> None:
        """Raise TrajanError unless a result is a sequence of whole numbers in [first, end).

        If `count` is not 0, the sequence must have this length.
        """
        # Test for a list first: the general check takes longer, and this runs for every move.
        is_sequence = type(values) is list or isinstance(values, Sequence)
        right = is_sequence and len(values) == (count or len(values))
        if not (right and all(isinstance(v, int) and first <= v < end for v in values)):
            number = {0: "whole numbers", 1: "a whole number"}.get(count, f"{count} whole numbers")
            got = quoted(values[0] if count == 1 else values)
            number += f" from {first} to {end - 1}, got {got}"
            raise GameFailed(f"{self.name}: {function.__name__}() must return {number}")


def _to_bits(players: int, chosen: Collection[int] | None) -> int:
    """Return the chosen players as bits, or all players if `chosen` is None."""
    if chosen is None:
        return (1 << players) - 1
    if not set(chosen) <= set(range(players)):
        raise ValueError(f"players must be 0 to {players - 1}, got {sorted(chosen)}")
    return sum(1 << player for player in set(chosen))


def _find(what: str, names: Sequence[str], name: str) -> int:
    """Return the index of a name; raise ValueError if it is not one of `names`."""
    if name not in names:
        raise ValueError(f"{what} must be {', '.join(names) or '(none)'}, got {quoted(name)}")
    return names.index(name)
