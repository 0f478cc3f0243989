"""What the checks walk through: tables (a deal and its options) and random games played there."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import PLAYER_COUNTS, Game, Position, Random
from trajan_ai.core.rules import Option, all_options
from trajan_ai.core.seeds import derive_seed
from trajan_ai.testing.probe import Overrun, Probe

MOST_PLIES = 20_000  # decisions after which a game counts as endless
NO_PLAYER = -1
NOTHING_SEEN = -1
NO_LIMIT = 0x7FFFFFFF
FILLS = (0x00, 0xFF)  # what stands where something is to be written: it must not matter
# Values tried on an option whose words do not name any.
COMMON_VALUES: tuple[Any, ...] = (True, False, 0, 1, 2, 3, 5, 8, 13, 21, [], [0], [1], "", 0.5)


@dataclass(frozen=True)
class Table:
    """One deal: number of players, every option's value, seed."""

    game: Game
    players: int
    options: dict[str, Any]
    seed: int

    def start(self) -> Position:
        """Deal."""
        return self.game.start(self.players, self.seed, **self.options)

    def deals(self, first: int, count: int) -> list[bytes]:
        """Return the first decisions of `count` deals here, their seeds counted from `first`."""
        return [
            self.game.start(self.players, seed, **self.options).to_bytes()
            for seed in range(first, first + count)
        ]


@dataclass(frozen=True)
class Flaw:
    """Why a course must not be handed to anyone who trusts the game, and the check it breaks."""

    check: str
    message: str
    ply: int


class _Flawed(Exception):
    """What is in the way of a course: name of the check, message."""


@dataclass(eq=False)
class Course:
    """A random game at a table, as bytes: ``states[i]`` is the state before ``moves[i]``.

    It is played through a probe and looked through on the way for what could make the search
    crash: so a game that breaks its promises harms nobody. It stops early at such a flaw. `now`
    is the ply that a check looks at.
    """

    table: Table
    probe: Probe
    states: list[bytes] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    flaw: Flaw | None = None
    now: int | None = None

    @classmethod
    def play(cls, table: Table, most_plies: int = MOST_PLIES) -> Course:
        """Play a random game at the table."""
        course = cls(table, Probe(table.game))
        try:
            course.states.append(table.start().to_bytes())
            course._advance(most_plies)
        except _Flawed as error:
            check, message = error.args
            course.flaw = Flaw(check, message, course.end)
        except Overrun as error:
            course.flaw = Flaw("writes_in_bounds", str(error), course.end)
        except Exception as error:  # whatever a stranger's code raises
            text = f"the deal fails: {type(error).__name__}: {error}"
            course.flaw = Flaw("setups", text, course.end)
        return course

    def _advance(self, most_plies: int) -> None:
        """Play to the end; raise _Flawed, with name of the check and message, at a flaw."""
        probe = self.probe
        random = Random(derive_seed("course", self.table.seed))
        while True:
            state = self.states[-1]
            legal = self._listed(state)
            if probe.player(state) == NO_PLAYER:
                break
            self._look_around(state, legal)
            if len(self.moves) == most_plies:
                raise _Flawed("game_ends", f"the game is not over after {most_plies} decisions")
            move = legal[random.below(len(legal))]
            self.moves.append(move)
            self.states.append(probe.apply(state, move))
        ranks = probe.ranks(state)
        if not all(1 <= rank <= self.table.players for rank in ranks):
            raise _Flawed("ranks", f"ranks() are {ranks}")

    def _listed(self, state: bytes) -> list[int]:
        """Return the legal moves, after a look at them and at the player to decide."""
        probe, players = self.probe, self.table.players
        player, legal = probe.player(state), probe.legal(state)
        if probe.players(state) != players:
            text = f"players() is {probe.players(state)}, dealt to {players}"
            raise _Flawed("players_and_deciders", text)
        if player != NO_PLAYER and not 0 <= player < players:
            text = f"player() is {player}, with {players} players"
            raise _Flawed("players_and_deciders", text)
        if bool(legal) != (player != NO_PLAYER):
            text = f"player() is {player}, but there are {len(legal)} legal moves"
            raise _Flawed("players_and_deciders", text)
        for move in legal:
            if not 0 <= move < probe.action_count:
                text = f"legal move {move}, actions are 0 to {probe.action_count - 1}"
                raise _Flawed("moves_in_range", text)
        if len(set(legal)) != len(legal):
            twice = next(move for move in legal if legal.count(move) > 1)
            raise _Flawed("moves_unique", f"{self.game.actions[twice]!r} is listed twice")
        return legal

    def _look_around(self, state: bytes, legal: list[int]) -> None:
        """Look at what a search would ask of the state."""
        probe, ply = self.probe, self.end
        for observer in self.observers:
            for move in legal:
                seen = probe.observed(state, move, observer)
                if seen != NOTHING_SEEN and not 0 <= seen < probe.action_count:
                    raise _Flawed("observed_moves", f"player {observer} sees a move {seen}")
            drawn, _ = probe.determinize(state, observer, ply)
            try:
                self._listed(drawn)
            except _Flawed as error:
                text = f"determinized for player {observer}: {error.args[1]}"
                raise _Flawed("determinize_keeps_knowledge", text) from None
        probe.scores(state)
        if "prior" not in probe.missing:
            probe.prior(state, legal)
        if "evaluate" not in probe.missing:
            probe.evaluate(state)
        if "policy" not in probe.missing:
            choice, _ = probe.policy(state, legal, ply)
            if not 0 <= choice < len(legal):
                raise _Flawed("policy", f"policy() chooses move {choice} of {len(legal)}")

    @property
    def game(self) -> Game:
        """The game played."""
        return self.table.game

    @property
    def observers(self) -> range:
        """All players."""
        return range(self.table.players)

    @property
    def end(self) -> int:
        """The ply after the last move."""
        return len(self.moves)

    @cached_property
    def origin(self) -> tuple[int, dict[str, Any], Any]:
        """What the positions of this course were dealt from."""
        origin = self.table.start().origin
        assert origin is not None
        return origin

    def position(self, state: bytes | None = None) -> Position:
        """Return the state of this ply, or the one given, as a handle."""
        assert self.now is not None
        state = self.states[self.now] if state is None else state
        return self.game.from_bytes(state, self.origin, self.now)

    def walk(self, plies: Iterable[int] | None = None) -> Iterator[bytes]:
        """Yield the states of the plies, by default of all; `now` follows."""
        for ply in range(len(self.states)) if plies is None else plies:
            self.now = ply
            yield self.states[ply]

    def decisions(self, most: int | None = None) -> Iterator[bytes]:
        """Yield the states in which somebody decides: all, or `most` spread over the game."""
        count = len(self.moves)
        if most is None or count <= most:
            return self.walk(range(count))
        return self.walk(sorted({i * (count - 1) // (most - 1) for i in range(most)}))

    def ends(self, most: int) -> Iterator[bytes]:
        """Yield the state the game ends in, then those that `most` further random games do."""
        yield from self.walk([self.end])
        for seed in range(most):
            self.now = seed * self.end // most
            yield self.probe.playout(self.states[self.now], seed, NO_LIMIT, NO_LIMIT, False)[1]

    def stations(self, most: int) -> Iterator[bytes]:
        """Yield `most` decisions spread over the game, then the state it ends in."""
        yield from self.decisions(most)
        if len(self.states) > len(self.moves):
            yield from self.walk([len(self.moves)])


def position_at(game: Game, players: int, seed: int, ply: int, **options: Any) -> Position:
    """Return the position that a problem names: that ply of the kit's random game at the table."""
    table = Table(game, players, game.rules.check(players, options), seed)
    course = Course.play(table)
    if not 0 <= ply < len(course.states):
        raise TrajanError(f"ply must be 0 to {len(course.states) - 1}, got {ply}")
    course.now = ply
    return course.position()


def player_counts(game: Game) -> list[int]:
    """Return the numbers of players that the rules accept."""
    counts = []
    for players in PLAYER_COUNTS:
        try:
            game.rules.check(players, {})
        except TrajanError:
            continue
        counts.append(players)
    return counts


def alternatives(option: Option, players: int, given: Sequence[Any] = ()) -> list[Any]:
    """Return values of an option besides its default: those given, else those found by trying."""
    default = option.default(players)
    words = option.allowed.replace(" or ", ", ").replace(" and ", ", ").split(", ")
    candidates = list(given) or [*words, *COMMON_VALUES]
    found: list[Any] = []
    for value in candidates:
        same = [other for other in (default, *found) if _plain(other) == _plain(value)]
        if not same and (given or option.accepts(value, players)):
            found.append(value)
    return found if given else found[:4]


def make_tables(
    game: Game,
    players: int,
    scale: float = 1,
    seed: int = 0,
    given: Mapping[str, Sequence[Any]] | None = None,
) -> list[Table]:
    """Return tables for one number of players: the defaults, then mixtures of the options.

    Every alternative value of every option occurs at least once.
    """
    defaults = dict(game.rules.check(players, {}))
    values = {
        option.name: [
            value
            for value in alternatives(option, players, (given or {}).get(option.name, ()))
            if _is_taken(game, players, {option.name: value})
        ]
        for option in all_options(game.rules)
    }
    most = max((len(found) for found in values.values()), default=0)
    mixtures = max(most, 2 if most else 0, round(2 * scale) if most else 0)
    variants: list[dict[str, Any]] = [{} for _ in range(max(1, round(scale)) + (0 if most else 1))]
    for number in range(mixtures):
        random = Random(derive_seed("mixture", players, number))
        variants.append(
            {
                name: found[number % len(found)]
                for name, found in values.items()
                if found and (number < len(found) or random.below(2))
            }
        )
    return [
        Table(game, players, {**defaults, **variant}, seed + number)
        for number, variant in enumerate(variants)
    ]


def _is_taken(game: Game, players: int, options: dict[str, Any]) -> bool:
    """Whether the rules take a value that looks right: it may name a file that is not there."""
    try:
        game.rules.check(players, options)
    except TrajanError:
        return False
    return True


def digest(table: Table) -> str:
    """Return a hash of the setup and of every state of the random game at the table."""
    position = table.start()
    assert position.origin is not None
    digester = hashlib.sha256(_plain(position.origin[2]).encode())
    for state in Course.play(table).states:
        digester.update(state)
    return digester.hexdigest()


def print_digests() -> None:
    """Answer the request on standard input with one digest a line, in a process of its own."""
    request = json.load(sys.stdin)
    module, _, attribute = request["game"].partition(":")
    game = getattr(__import__(module, fromlist=["_"]), attribute)
    for players, options, seed in request["tables"]:
        print(digest(Table(game, players, options, seed)))


def first_difference(one: bytes, other: bytes) -> int:
    """Return the place of the first byte in which two states differ."""
    return next(place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
