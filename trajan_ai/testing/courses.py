"""Deals with options, and random games of them, which the checks examine."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.rules import Option, all_options
from trajan_ai.core.seeds import derive_seed
from trajan_ai.testing.probe import Overrun, Probe

MAX_PLIES = 20_000  # decisions after which a game counts as endless
NO_PLAYER = -1
NOTHING_SEEN = -1
NO_LIMIT = 0x7FFFFFFF
# Minimum number of deals in a round for a game without options, and minimum number of mixtures
# of options in a round for a game with options.
MIN_DEALS, MIN_MIXTURES = 2, 2
MAX_ALTERNATIVES = 4  # maximum number of values of an option that are tried besides its default
FILLS = (0x00, 0xFF)  # contents of buffers before they are written, which must have no effect
# Values that are tried for every option, in addition to those that its description names.
COMMON_VALUES: tuple[Any, ...] = (True, False, 0, 1, 2, 3, 5, 8, 13, 21, [], [0], [1], "", 0.5)


@dataclass(frozen=True)
class Deal:
    """A deal: the number of players, the value of every option, and the seed."""

    game: Game
    players: int
    options: dict[str, Any]
    seed: int

    def start(self) -> Position:
        """Return the position at the first decision."""
        return self.game.start(self.players, self.seed, **self.options)

    def other_starts(self, first: int, count: int) -> Iterator[Position]:
        """Yield the first decision of `count` deals with other seeds, from the seed `first` on."""
        for seed in range(first, first + count):
            yield self.game.start(self.players, seed, **self.options)


@dataclass(frozen=True)
class Flaw:
    """A defect that makes a course unsafe outside the probe, and the check that reports it."""

    check: str
    message: str
    ply: int


class _Flawed(Exception):
    """A defect found while playing, with the name of the check and a message."""


@dataclass(eq=False)
class Course:
    """A random game played from a deal: ``states[i]``, in bytes, is the state before ``moves[i]``.

    A probe plays the game and looks for anything that could crash a search. The course ends early
    at such a flaw, so that a broken game does no harm. `now` is the ply that a check is examining.
    """

    deal: Deal
    probe: Probe
    states: list[bytes] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    flaw: Flaw | None = None
    now: int | None = None

    @classmethod
    def play(cls, deal: Deal, max_plies: int = MAX_PLIES) -> Course:
        """Play a random game of the deal."""
        course = cls(deal, Probe(deal.game))
        try:
            course.states.append(deal.start().to_bytes())
            course._advance(max_plies)
        except _Flawed as error:
            check, message = error.args
            course.flaw = Flaw(check, message, course.end)
        except Overrun as error:
            course.flaw = Flaw("writes_in_bounds", str(error), course.end)
        except Exception as error:  # third-party code may raise anything
            if course.states:
                course.flaw = Flaw("calls_succeed", str(error), course.end)
            else:
                text = f"the deal fails: {type(error).__name__}: {error}"
                course.flaw = Flaw("setups", text, course.end)
        return course

    def _advance(self, max_plies: int) -> None:
        """Play to the end; at a flaw, raise _Flawed with the name of the check and a message."""
        probe = self.probe
        random = Random(derive_seed("course", self.deal.seed))
        while True:
            state = self.states[-1]
            legal = self._check_legal(state)
            if probe.player(state) == NO_PLAYER:
                break
            self._check_calls(state, legal)
            if len(self.moves) == max_plies:
                raise _Flawed("game_ends", f"the game is not over after {max_plies} decisions")
            move = legal[random.below(len(legal))]
            self.moves.append(move)
            self.states.append(probe.apply(state, move))
        ranks = probe.ranks(state)
        if not all(1 <= rank <= self.deal.players for rank in ranks):
            raise _Flawed(
                "ranks", f"ranks() returns {ranks}, but ranks are 1 to {self.deal.players}"
            )

    def _check_legal(self, state: bytes) -> list[int]:
        """Return the legal moves; raise _Flawed if they or the player to decide are wrong."""
        probe, players = self.probe, self.deal.players
        player, legal = probe.player(state), probe.legal(state)
        if probe.players(state) != players:
            text = f"players() is {probe.players(state)}, but the deal is for {players} players"
            raise _Flawed("players_and_deciders", text)
        if player != NO_PLAYER and not 0 <= player < players:
            text = f"player() is {player}, not {NO_PLAYER} (at the end) or 0 to {players - 1}"
            raise _Flawed("players_and_deciders", text)
        if bool(legal) != (player != NO_PLAYER):
            text = f"player() is {player}, but there are {len(legal)} legal moves"
            raise _Flawed("players_and_deciders", text)
        for move in legal:
            if not 0 <= move < len(self.game.actions):
                text = f"a legal move is {move}, but moves are 0 to {len(self.game.actions) - 1}"
                raise _Flawed("moves_in_range", text)
        if len(set(legal)) != len(legal):
            twice = next(move for move in legal if legal.count(move) > 1)
            raise _Flawed("moves_unique", f"{self.game.actions[twice]!r} is listed twice")
        return legal

    def _check_calls(self, state: bytes, legal: list[int]) -> None:
        """Call every function that a search calls on the state; raise _Flawed at a flaw."""
        probe, ply = self.probe, self.end
        for observer in self.observers:
            for move in legal:
                visible = probe.observed(state, move, observer)
                if visible != NOTHING_SEEN and not 0 <= visible < len(self.game.actions):
                    raise _Flawed(
                        "observed_moves", f"player {observer} sees {visible}, which is no move"
                    )
            drawn, _ = probe.determinize(state, observer, ply)
            try:
                self._check_legal(drawn)
            except _Flawed as error:
                text = f"in a determinization for player {observer}, {error.args[1]}"
                raise _Flawed("determinize_keeps_knowledge", text) from None
        probe.scores(state)
        if "prior" not in probe.missing:
            probe.prior(state, legal)
        if "evaluate" not in probe.missing:
            probe.evaluate(state)
        if "policy" not in probe.missing:
            choice, _ = probe.policy(state, legal, ply)
            if not 0 <= choice < len(legal):
                raise _Flawed("policy", f"policy() returns index {choice} for {len(legal)} moves")

    @property
    def game(self) -> Game:
        """The game."""
        return self.deal.game

    @property
    def observers(self) -> range:
        """All players."""
        return range(self.deal.players)

    @property
    def end(self) -> int:
        """The ply after the last move."""
        return len(self.moves)

    @cached_property
    def origin(self) -> tuple[int, dict[str, Any], Any]:
        """Players, options and setup of the positions of this course."""
        origin = self.deal.start().origin
        assert origin is not None
        return origin

    def position(self, state: bytes | None = None) -> Position:
        """Return `state` as a position; by default, the state at `now`."""
        assert self.now is not None
        state = self.states[self.now] if state is None else state
        return self.game.from_bytes(state, self.origin, self.now)

    def walk(self, plies: Iterable[int] | None = None) -> Iterator[bytes]:
        """Yield the states at `plies`, by default at all plies, and set `now` to each ply."""
        for ply in range(len(self.states)) if plies is None else plies:
            self.now = ply
            yield self.states[ply]

    def decisions(self, limit: int | None = None) -> Iterator[bytes]:
        """Yield all states with a decision, or at most `limit` of them, spread over the game."""
        count = len(self.moves)
        if limit is None or count <= limit:
            return self.walk(range(count))
        return self.walk(sorted({i * (count - 1) // (limit - 1) for i in range(limit)}))

    def ends(self, count: int) -> Iterator[bytes]:
        """Yield the final states of the course and of `count` games from its earlier states."""
        yield from self.walk([self.end])
        for seed in range(count):
            self.now = seed * self.end // count
            yield self.probe.playout(self.states[self.now], seed, NO_LIMIT, NO_LIMIT, False)[1]

    def stations(self, limit: int) -> Iterator[bytes]:
        """Yield at most `limit` decisions spread over the game, then the final state."""
        yield from self.decisions(limit)
        if len(self.states) > len(self.moves):
            yield from self.walk([len(self.moves)])


def position_at(game: Game, players: int, seed: int, ply: int, **options: Any) -> Position:
    """Return the position at a ply of the kit's random game, as named in a report.

    Args:
        game: the handle.
        players: the number of players.
        seed: the seed of the deal.
        ply: the number of decisions before the position.
        options: the options of the deal.

    Raises TrajanError if the game has no such ply.
    """
    deal = Deal(game, players, game.rules.check(players, options), seed)
    course = Course.play(deal)
    if not 0 <= ply < len(course.states):
        raise TrajanError(f"ply must be 0 to {len(course.states) - 1}, got {ply}")
    course.now = ply
    return course.position()


def alternatives(option: Option, players: int, values: Sequence[Any] = ()) -> list[Any]:
    """Return alternatives to an option's default: `values`, or else values that it accepts."""
    default = option.default(players)
    words = option.allowed.replace(" or ", ", ").replace(" and ", ", ").split(", ")
    candidates = list(values) or [*words, *COMMON_VALUES]
    different: list[Any] = []
    for value in candidates:
        same = [other for other in (default, *different) if _plain(other) == _plain(value)]
        if not same and (values or option.accepts(value, players)):
            different.append(value)
    return different if values else different[:MAX_ALTERNATIVES]


class Deals:
    """An endless sequence of deals for one number of players.

    It consists of rounds of `length` deals, each with a different seed. The first deal of a round
    has the default options, and the other deals have mixtures of options. Every alternative value
    of every option occurs in the first round.
    """

    def __init__(
        self,
        game: Game,
        players: int,
        seed: int = 0,
        options: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Begin with the deal of `seed`; `options` lists values to try for an option."""
        self.game, self.players, self.seed = game, players, seed
        self._defaults = dict(game.rules.check(players, {}))
        self._values = {
            option.name: [
                value
                for value in alternatives(option, players, (options or {}).get(option.name, ()))
                if _is_valid(game, players, {option.name: value})
            ]
            for option in all_options(game.rules)
        }
        longest = max(map(len, self._values.values()), default=0)
        self.length = 1 + max(longest, MIN_MIXTURES) if longest else MIN_DEALS

    def __getitem__(self, number: int) -> Deal:
        options = self._defaults | self._mix(number)
        return Deal(self.game, self.players, options, self.seed + number)

    def _mix(self, number: int) -> dict[str, Any]:
        """Return the options of a deal that differ from their defaults."""
        done, place = divmod(number, self.length)
        if place == 0:
            return {}
        mixture = done * (self.length - 1) + place - 1
        random = Random(derive_seed("mixture", self.players, mixture))
        return {
            name: choices[mixture % len(choices)]
            for name, choices in self._values.items()
            if choices and (mixture < len(choices) or random.below(2))
        }


def _is_valid(game: Game, players: int, options: dict[str, Any]) -> bool:
    """Return whether the rules accept options; a value may name a file that does not exist."""
    try:
        game.rules.check(players, options)
    except TrajanError:
        return False
    return True


def digest(deal: Deal) -> str:
    """Return a hash of a deal's setup and of every state in its random game."""
    position = deal.start()
    assert position.origin is not None
    digester = hashlib.sha256(_plain(position.origin[2]).encode())
    for state in Course.play(deal).states:
        digester.update(state)
    return digester.hexdigest()


def print_digests() -> None:
    """Read another process's request from standard input, and print one digest per deal."""
    request = json.load(sys.stdin)
    module, _, attribute = request["game"].partition(":")
    game = getattr(__import__(module, fromlist=["_"]), attribute)
    for players, options, seed in request["deals"]:
        print(digest(Deal(game, players, options, seed)))


def first_difference(one: bytes, other: bytes) -> int:
    """Return the index of the first byte in which two states differ."""
    return next(place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
