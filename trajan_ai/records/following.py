"""Follow a real game from what one player knows, move by move (docs/follow.md).

    table = following.follow(trajan_ai.game("trajan").start(3), observer=0)
    table.play("sow III")               # a move that shows nothing new
    table.play("tile points", {"stack points": "points-blue-white"})   # and what it showed
    table.play()                        # another player's hidden choices are made

What a move must state besides is in `Unstated.asks`, raised by `play` where it is missing, and
returned by ``table.asks(action)``. What contradicts the position is refused with a TrajanError.
The result knows neither more nor less than the player: the rest of `position` is made up, and
determinizations draw it anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.names import Names
from trajan_ai.core.rules import HasFollowing, Question, Reveals, needed
from trajan_ai.core.whole import write_whole
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.kit.sets import Sets
from trajan_ai.records import position_files

FORMAT = "trajan-ai/witnessed"
VERSION = 1
KEYS = ("format", "version", "observer", "start", "moves")


@dataclass(frozen=True)
class Move:
    """A move as the observer saw it.

    ``action`` is None where they see nothing of what is chosen; ``shown`` is what came to light.
    """

    player: int
    action: str | None
    shown: Reveals = field(default_factory=dict)


class Table:
    """A game that is followed: the position that `observer` knows, and the moves up to it.

    `start` looks to `observer` like the position in which following begins. What it holds beyond
    their knowledge does not matter.
    """

    def __init__(self, start: Position, observer: int) -> None:
        if not 0 <= observer < start.players:
            raise TrajanError(f"observer must be 0 to {start.players - 1}, got {observer}")
        self._rules = needed(start.game, HasFollowing)
        self.observer = observer
        self._rules.list_possible(start, observer)  # not every variant of a game can be followed
        self.start = start
        self.moves: list[Move] = []
        self._positions = [self._known(start)]

    def _known(self, position: Position) -> Position:
        """Return the position by which the observer's knowledge is represented.

        So what can be played, what is asked and which names are offered follow from that alone.
        """
        canonical = InformationSet(position, self.observer).canonical.to_bytes()
        return position.game.from_bytes(canonical, position.origin, position.ply)

    @property
    def position(self) -> Position:
        """A position that looks to the observer like the real one."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The position before each of `moves`, and the last one."""
        return tuple(self._positions)

    @property
    def player(self) -> int | None:
        """The player to decide, None when the game is over."""
        return self.position.player

    @property
    def view(self) -> dict[str, Any]:
        """What the observer knows."""
        return self.position.view(self.observer)

    @property
    def sets(self) -> Sets:
        """What may be named now, the things of a set in any order."""
        return Sets(self.position, self.observer)

    def legal(self) -> list[str]:
        """Return the actions the player to decide may have.

        For another player these are the actions legal in some world that agrees with what the
        observer knows. Empty where they see nothing of what is chosen (then `play` takes None),
        and when the game is over.
        """
        return self._rules.list_possible(self.position, self.observer)

    def asks(
        self, action: str | None = None, reveals: Mapping[str, object] | None = None
    ) -> list[Question]:
        """Return what must be stated of a move besides `reveals`.

        Raises TrajanError if it is not legal, or if `reveals` contradict what is known.
        """
        try:
            self._after(action, reveals or {})
        except Unstated as error:
            return list(error.asks)
        return []

    def play(self, action: str | None = None, reveals: Mapping[str, object] | None = None) -> Move:
        """Carry out a move of the player to decide and return it.

        `action` is None where the observer sees nothing of what is chosen. `reveals` states what
        the move showed. Raises Unstated if something is missing, TrajanError if the move is not
        legal or contradicts what is known; the table stays as it was.
        """
        move, after = self._after(action, reveals or {})
        self.moves.append(move)
        self._positions.append(self._known(after))
        return move

    def undo(self, count: int = 1) -> None:
        """Take the last `count` moves back."""
        if not 0 <= count <= len(self.moves):
            raise TrajanError(f"there are {len(self.moves)} moves to undo, not {count}")
        keep = len(self.moves) - count
        del self.moves[keep:], self._positions[keep + 1 :]

    def _after(self, action: str | None, reveals: Mapping[str, object]) -> tuple[Move, Position]:
        """Return a move and the position after it."""
        position = self.position
        if position.player is None:
            raise TrajanError("the game is over")
        name = self._named(action)
        after, shown = self._rules.carry_out(position, self.observer, name, reveals)
        stated = {
            key: list(value) if isinstance(value, list | tuple) else [value]
            for key, value in reveals.items()
        }
        missing = {
            key: names
            for key, names in shown.items()
            if key not in stated or len(stated[key]) < len(names)
        }
        if missing:
            asks = self._rules.list_questions(position, after, self.observer, missing)
            raise Unstated(name, asks)
        problems = [
            f"{name or 'the hidden move'}: {key} shows {len(shown.get(key, []))} things, "
            f"{len(names)} are stated"
            for key, names in stated.items()
            if len(shown.get(key, [])) < len(names)
        ]
        if problems:
            raise TrajanError(*problems)
        return Move(position.player, name, shown), after

    def _named(self, action: str | None) -> str | None:
        """Return an action as it stands in the list of legal ones."""
        legal = self.legal()
        who = f"player {self.player}"
        if action is None:
            if legal:
                raise TrajanError(f"{who} makes an open move: {', '.join(legal)}")
            return None
        names = Names(legal)
        found = names.find(action)
        if found is None:
            if not legal:
                raise TrajanError(f"nothing is seen of what {who} chooses, so no action is named")
            raise TrajanError(
                f"{action!r} is not legal for {who}; legal: {', '.join(sorted(legal))}"
                f"{names.hint(action)}"
            )
        return found

    def position_file(self) -> dict[str, Any]:
        """Return the position file of what the observer knows now."""
        return position_files.position_file(self.position, self.observer)

    def record(self) -> dict[str, Any]:
        """Return the witnessed record as plain data: where following began, the moves, the end."""
        result = {
            "format": FORMAT,
            "version": VERSION,
            "observer": self.observer,
            "start": position_files.position_file(self.start, self.observer),
            "moves": [[move.player, move.action, move.shown] for move in self.moves],
        }
        if self.player is None:
            result |= {"scores": self.position.scores, "ranks": self.position.ranks}
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file that `load` reads, in one step: never half of it."""
        write_whole(Path(path), [records.dumps(self.record()), "\n"])


def follow(position: Position, observer: int | None = None) -> Table:
    """Return a table that follows the game from `position` as `observer` sees it.

    Left out, the observer is the player to decide. Raises NotSupported if the game cannot be
    followed.
    """
    return Table(position, (position.player or 0) if observer is None else observer)


def load(path: str | os.PathLike[str]) -> Table:
    """Return the table of a file that `Table.save` wrote."""
    try:
        data = records.parse_object(Path(path).read_bytes(), "game")
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}") from None
    if isinstance(data, TrajanError):
        raise data.within(str(path))
    return restore(data, str(path))


def is_witnessed(data: object) -> bool:
    """Whether plain data is meant as a witnessed record."""
    return isinstance(data, dict) and data.get("format") == FORMAT


def scan_all(
    path: str | os.PathLike[str],
) -> Iterator[tuple[str, records.Record | Table | TrajanError]]:
    """Yield the place of each line of a file, and its record or the table of a witnessed one.

    A line that holds neither yields the error instead, as `records.scan_all` does.
    """
    for place, data in records.scan_objects(path):
        yield place, _game(data)


def scan(path: str | os.PathLike[str]) -> Iterator[tuple[str, records.Record | Table]]:
    """Yield the same of a file without such lines; raises TrajanError on the first one."""
    for place, entry in scan_all(path):
        if isinstance(entry, TrajanError):
            raise entry.within(place)
        yield place, entry


def parse(line: str | bytes, place: str = "record") -> records.Record | Table:
    """Return the record that a line of a file holds, or the table of a witnessed one."""
    entry = _game(records.parse_object(line))
    if isinstance(entry, TrajanError):
        raise entry.within(place)
    return entry


def _game(data: Any) -> records.Record | Table | TrajanError:
    """Return a record, the table of a witnessed one, or what is wrong with it."""
    if isinstance(data, TrajanError):
        return data
    if not is_witnessed(data):
        return records.checked(data)
    try:
        return restore(data, "")
    except TrajanError as error:
        return error


def restore(data: Any, place: str = "table") -> Table:
    """Return the table of a witnessed record, whose every move and reveal is checked.

    Raises TrajanError, with `place` and the number of the move, if a move was not possible or did
    not show just what is recorded, or if the result is not the one that it leads to.
    """
    try:
        return _restored(data)
    except TrajanError as error:
        raise error.within(place) from None


def _restored(data: Any) -> Table:
    if not is_witnessed(data):
        raise TrajanError(f"not a followed game; its format is {FORMAT!r}")
    problems = _shape_problems(data)
    if problems:
        raise TrajanError(*problems)
    table = Table(position_files.parse(data["start"], "start"), data["observer"])
    if data["start"].get("observer") != table.observer:
        raise TrajanError(f"start: its observer is {table.observer}, as that of the game")
    for number, entry in enumerate(data["moves"], start=1):
        try:
            player, action, shown = entry
            if player != table.player:
                raise TrajanError(f"player {player} moves, but player {table.player} decides")
            table.play(action, shown)
        except TrajanError as error:
            raise error.within(f"move {number}") from None
        except (AttributeError, TypeError, ValueError):
            form = "a move is [player, action or null, {what it showed: [names]}]"
            raise TrajanError(f"move {number}: {form}, got {entry!r:.60}") from None
    for key, replayed in (("scores", table.position.scores), ("ranks", table.position.ranks)):
        if key in data and data[key] != (replayed if table.player is None else None):
            ended = replayed if table.player is None else "nothing: the game is not over"
            raise TrajanError(f"{key}: {data[key]!r:.40} recorded, its moves lead to {ended}")
    return table


def _shape_problems(data: dict[str, Any]) -> list[str]:
    """Return what is wrong with the keys of a witnessed record."""
    problems = records.key_problems(data, KEYS)
    if problems:
        return problems
    if data["version"] != VERSION:
        problems.append(f"version is {VERSION}, got {data['version']!r:.40}")
    if type(data["observer"]) is not int:
        problems.append(f"observer is the number of a player, got {data['observer']!r:.40}")
    if not isinstance(data["moves"], list):
        problems.append(f"moves is a list, got {data['moves']!r:.40}")
    return problems


def witnessed(entry: records.Record, observer: int) -> Iterator[tuple[Position, Move | None]]:
    """Yield each position of a record with the move by which it is followed: see `seen`."""
    sequence = records.positions(entry)
    before = next(sequence)
    for after, (_, action) in zip(sequence, entry["actions"], strict=True):
        yield from seen(before, action, after, observer)
        before = after


def seen(
    before: Position, action: str, after: Position, observer: int
) -> Iterator[tuple[Position, Move | None]]:
    """Yield the moves by which a decision is followed, each with its position.

    The move is what `observer` saw of it, None where that comes later: of hidden choices nothing
    is seen until they are over. A move that was forced, where it need not have been for all that
    `observer` knows, is one that they saw, at a position of its own.
    """
    rules, actions = needed(before.game, HasFollowing), before.game.actions
    watched = before.watched(before.game.move(action), observer)
    ends = [*(at for at, _ in watched[1:]), after]
    for (at, made), end in zip(watched, ends, strict=bool(watched)):
        look = at.observed(made, observer)
        assert at.player is not None
        assert look is not None
        shown = rules.list_reveals(at, actions[made], end, observer)
        yield at, Move(at.player, actions[look], shown)
    if watched:
        return
    assert before.player is not None
    if after.player == before.player and not after.watched(after.legal_moves()[0], observer):
        yield before, None
    else:
        shown = rules.list_reveals(before, action, after, observer)
        yield before, Move(before.player, None, shown)
