"""Follow a real game move by move, with what one player knows (docs/follow.md).

    game = following.follow(trajan_ai.game("trajan").start(3), observer=0)
    game.play("sow III")               # a move that reveals nothing
    game.play("tile points", {"stack points": "points-blue-white"})   # a move and what it revealed
    game.play()                        # another player has made hidden choices

Some moves reveal tiles or cards whose names must be stated. `play` raises `Unstated` if a name is
missing, and ``game.asks(action)`` returns the questions for all of them. A move that contradicts
the position raises TrajanError. A followed game contains exactly what the observer knows. The rest
of `position` is arbitrary, and every determinization samples it again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from trajan_ai import records
from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.core.errors import TrajanError, check_seat
from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.names import Names
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_following import HasFollowing, MoveOutcome, Question, Reveals
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.kit.sets import Sets
from trajan_ai.records import position_files

FORMAT = "trajan-ai/witnessed"
VERSION = 1
KEYS = ("format", "version", "observer", "start", "moves")


class WitnessedRecord(TypedDict):
    """A game as one player saw it, as plain data; docs/records.md describes its keys."""

    format: str
    version: int
    observer: int
    start: dict[str, Any]
    moves: list[list[Any]]
    scores: NotRequired[list[int]]
    ranks: NotRequired[list[int]]


@dataclass(frozen=True)
class Move:
    """A move as the observer saw it.

    Attributes:
        player: the player who moved.
        action: the action string, or None if the observer saw nothing of the choice.
        reveals: what the observer learned from the move, as lists of names by key.
    """

    player: int
    action: str | None
    reveals: Reveals = field(default_factory=dict)


class FollowedGame:
    """A game followed by one player: the position that `observer` knows, and the moves so far.

    Attributes:
        observer: the player whose knowledge the game contains.
        start: the position at which following began. What it contains beyond the observer's
            knowledge has no effect.
        moves: the moves so far.
        events: what happened in each of `moves`, as the observer sees it.
    """

    def __init__(self, start: Position, observer: int) -> None:
        """Begin at `start`; raise TrajanError if that is not possible for `observer`."""
        check_seat(observer, start.players, "observer")
        self._rules = needed(start.game, HasFollowing)
        self.observer = observer
        self._rules.list_possible(start, observer)  # raises if this variant cannot be followed
        self.start = start
        self.moves: list[Move] = []
        self.events: list[list[Event]] = []
        self._positions = [self._canonical(start)]

    def _canonical(self, position: Position) -> Position:
        """Return the position that represents the observer's knowledge.

        Legal moves, questions and offered names then depend on that knowledge alone.
        """
        canonical = InformationSet(position, self.observer).canonical.to_bytes()
        return position.game.from_bytes(canonical, position.origin, position.ply)

    @property
    def position(self) -> Position:
        """A position that looks to the observer like the real one."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The position before each of `moves`, then the current one."""
        return tuple(self._positions)

    @property
    def player(self) -> int | None:
        """The player to move, or None when the game is over."""
        return self.position.player

    @property
    def view(self) -> dict[str, Any]:
        """What the observer knows, as plain data."""
        return self.position.view(self.observer)

    @property
    def sets(self) -> Sets:
        """The moves that can be named now; the pieces of a set may be in any order."""
        return Sets(self.position, self.observer)

    def legal(self) -> list[str]:
        """Return the actions that may be legal for the player to move.

        For another player, these are the actions that are legal in some world consistent with the
        observer's knowledge. The list is empty if the game is over, or if the observer sees
        nothing of the choice (in this case, call `play` with None).
        """
        return self._rules.list_possible(self.position, self.observer)

    def asks(
        self, action: str | None = None, reveals: Mapping[str, object] | None = None
    ) -> list[Question]:
        """Return questions about everything that a move reveals but `reveals` does not state yet.

        Raises TrajanError if the move is not legal, or if `reveals` contradicts what is known.
        """
        try:
            self._after(action, reveals or {})
        except Unstated as error:
            return list(error.asks)
        return []

    def find_wrong(self, action: str | None, reveals: Mapping[str, list[str]]) -> dict[str, int]:
        """Return the keys of the wrong answers in the contradictory `reveals` of a move.

        These are the answers about one player, or a single other answer, without which the
        contradiction disappears; if there are no such answers, all answers count as wrong. The
        value of each key is how many of its names, counted from the first, do not contradict the
        position.
        """
        for wrong in reversed(list(reveals)):
            of = wrong.split()[1:]
            keys = [key for key in reveals if key.split()[1:] == of] if of else [wrong]
            others = {key: names for key, names in reveals.items() if key not in keys}
            if self._is_possible(action, others):
                break
        else:
            keys, others = list(reveals), {}
        result = {}
        for key in keys:
            names = reveals[key]
            possible = (
                count
                for count in range(len(names), 0, -1)
                if self._is_possible(action, others | {key: names[:count]})
            )
            result[key] = next(possible, 0)
        return result

    def _is_possible(self, action: str | None, reveals: Mapping[str, object]) -> bool:
        try:
            self.asks(action, reveals)
        except TrajanError:
            return False
        return True

    def play(self, action: str | None = None, reveals: Mapping[str, object] | None = None) -> Move:
        """Play the next move, and return it.

        Args:
            action: the action string, or None if the observer sees nothing of the choice.
            reveals: what the move revealed, as names by key.

        Raises Unstated if a reveal is missing, and TrajanError if the move is not legal or
        contradicts what is known. If an exception is raised, the game is unchanged.
        """
        move, outcome = self._after(action, reveals or {})
        self.moves.append(move)
        self.events.append(outcome.events)
        self._positions.append(self._canonical(outcome.after))
        return move

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves."""
        if not 0 <= count <= len(self.moves):
            raise TrajanError(f"cannot undo {count} of {len(self.moves)} moves")
        left = len(self.moves) - count
        del self.moves[left:], self.events[left:], self._positions[left + 1 :]

    def _after(
        self, action: str | None, reveals: Mapping[str, object]
    ) -> tuple[Move, MoveOutcome]:
        """Return a move and its outcome."""
        position = self.position
        player = get_decider(position)
        name = self._resolve(action)
        outcome = self._rules.carry_out(position, self.observer, name, reveals)
        after, revealed, _ = outcome
        stated = {
            key: list(value) if isinstance(value, list | tuple) else [value]
            for key, value in reveals.items()
        }
        missing = {
            key: names
            for key, names in revealed.items()
            if key not in stated or len(stated[key]) < len(names)
        }
        if missing:
            asks = self._rules.list_questions(position, after, self.observer, missing)
            raise Unstated(name, asks)
        problems = [
            f"{name or 'the hidden move'}: {key} reveals fewer names "
            f"({len(revealed.get(key, []))}) than given ({len(names)})"
            for key, names in stated.items()
            if len(revealed.get(key, [])) < len(names)
        ]
        if problems:
            raise TrajanError(*problems)
        return Move(player, name, revealed), outcome

    def _resolve(self, action: str | None) -> str | None:
        """Return an action as it is spelt in the list of legal actions."""
        legal = self.legal()
        who = f"player {self.player}"
        if action is None:
            if legal:
                raise TrajanError(f"the move of {who} must be named; legal: {', '.join(legal)}")
            return None
        names = Names(legal)
        name = names.find(action)
        if name is None:
            if not legal:
                raise TrajanError(f"the choice of {who} is hidden, so do not name an action")
            raise TrajanError(
                f"{action!r} is not legal for {who}; legal: {', '.join(sorted(legal))}"
                f"{names.hint(action)}"
            )
        return name

    def position_file(self) -> dict[str, Any]:
        """Return the position file of what the observer knows now, as plain data."""
        return position_files.position_file(self.position, self.observer)

    def record(self) -> WitnessedRecord:
        """Return the witnessed record as plain data: the start, the moves, and the result."""
        result: WitnessedRecord = {
            "format": FORMAT,
            "version": VERSION,
            "observer": self.observer,
            "start": position_files.position_file(self.start, self.observer),
            "moves": [[move.player, move.action, move.reveals] for move in self.moves],
        }
        if self.player is None:
            assert self.position.ranks is not None
            result["scores"], result["ranks"] = self.position.scores, self.position.ranks
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the witnessed record to a file in one step, so that the file is never
        incomplete."""
        write_atomically(Path(path), [records.dumps(self.record()), "\n"])


RecordedGame = records.Record | FollowedGame  # a game of a file
AnyRecord = records.Record | WitnessedRecord  # the same as plain data


def follow(position: Position, observer: int | None = None) -> FollowedGame:
    """Follow the game from `position` as `observer` sees it.

    By default, the observer is the player to move. Raises NotSupported if the game cannot be
    followed.
    """
    return FollowedGame(position, (position.player or 0) if observer is None else observer)


def is_witnessed(data: object) -> bool:
    """Return whether plain data has the format of a witnessed record; the rest is not checked."""
    return isinstance(data, dict) and data.get("format") == FORMAT


def checked(data: Any) -> RecordedGame | TrajanError:
    """Return plain data as a record or a followed game, or an error if the data is neither.

    If `data` is already an error, it is returned unchanged.
    """
    if isinstance(data, TrajanError):
        return data
    if not is_witnessed(data):
        return records.checked(data)
    try:
        return restore(data, "")
    except TrajanError as error:
        return error


def restore(data: Any, place: str = "game") -> FollowedGame:
    """Return the followed game of a witnessed record, after checking every move and reveal.

    Raises TrajanError, with `place` and the number of the move, if a move is impossible, if it
    does not reveal exactly what is recorded, or if the recorded result is wrong.
    """
    try:
        return _restored(data)
    except TrajanError as error:
        raise error.within(place) from None


def _restored(data: Any) -> FollowedGame:
    if not is_witnessed(data):
        raise TrajanError(f"not a followed game: its format must be {FORMAT!r}")
    problems = _shape_problems(data)
    if problems:
        raise TrajanError(*problems)
    game = FollowedGame(position_files.parse(data["start"], "start"), data["observer"])
    if data["start"].get("observer") != game.observer:
        raise TrajanError(
            f"start: observer must be {game.observer}, like the observer of the record"
        )
    for number, entry in enumerate(data["moves"], start=1):
        try:
            player, action, reveals = entry
            if player != game.player:
                raise TrajanError(f"player {player} moves, but player {game.player} is to move")
            game.play(action, reveals)
        except TrajanError as error:
            raise error.within(f"move {number}") from None
        except (AttributeError, TypeError, ValueError):
            form = "a move must be [player, action or null, {key: [names that it revealed]}]"
            raise TrajanError(f"move {number}: {form}, got {entry!r:.60}") from None
    for key, replayed in (("scores", game.position.scores), ("ranks", game.position.ranks)):
        if key in data and data[key] != (replayed if game.player is None else None):
            result = replayed if game.player is None else "nothing, because the game is not over"
            raise TrajanError(
                f"{key}: the record has {data[key]!r:.40}, but its moves lead to {result}"
            )
    return game


def _shape_problems(data: dict[str, Any]) -> list[str]:
    """Return the problems with the keys, the version and the types of a witnessed record."""
    problems = records.key_problems(data, KEYS)
    if problems:
        return problems
    if data["version"] != VERSION:
        problems.append(f"version must be {VERSION}, got {data['version']!r:.40}")
    if type(data["observer"]) is not int:
        problems.append(f"observer must be the number of a player, got {data['observer']!r:.40}")
    if not isinstance(data["moves"], list):
        problems.append(f"moves must be a list, got {data['moves']!r:.40}")
    return problems


def witness(entry: records.Record, observer: int) -> Iterator[tuple[Position, Move | None]]:
    """Yield everything that `observe` yields for the decisions of a record, in order."""
    sequence = records.positions(entry)
    before = next(sequence)
    for after, (_, action) in zip(sequence, entry["actions"], strict=True):
        yield from observe(before, action, after, observer)
        before = after


def observe(
    before: Position, action: str, after: Position, observer: int
) -> Iterator[tuple[Position, Move | None]]:
    """Yield the moves that `observer` sees of a decision, each with the position before it.

    The move is None while a player makes hidden choices, which become visible after the last of
    them. A forced move that the observer cannot recognize as forced is yielded like any other,
    with the position before it.
    """
    rules, actions = needed(before.game, HasFollowing), before.game.actions
    watched = before.watched(before.game.move(action), observer)
    ends = [*(at for at, _ in watched[1:]), after]
    for (at, number), end in zip(watched, ends, strict=bool(watched)):
        visible = at.observed(number, observer)
        assert at.player is not None
        assert visible is not None
        reveals = rules.list_reveals(at, actions[number], end, observer)
        yield at, Move(at.player, actions[visible], reveals)
    if watched:
        return
    assert before.player is not None
    if after.player == before.player and not after.watched(after.legal_moves()[0], observer):
        yield before, None
    else:
        reveals = rules.list_reveals(before, action, after, observer)
        yield before, Move(before.player, None, reveals)
