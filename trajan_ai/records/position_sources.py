"""Open any file that contains a position: a position file, or records of games.

Files are YAML or JSON. A position file and a single record may extend over any number of lines;
files of several records contain one record per line. The content of a file determines its kind;
only a name that ends in .jsonl always means records.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from trajan_ai import records
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.yamlfile import Document, decode, parse_yaml
from trajan_ai.records import following, position_files
from trajan_ai.records.following import FollowedGame, RecordedGame

GAME_FORMATS = (records.FORMAT, following.FORMAT)
MAX_YAML = 100_000  # characters: ten times the longest position file, because PyYAML is slow
NEITHER = "the file is neither a game record nor a position file"
LINES = ".jsonl"  # ending of files that contain records, even if the first line is damaged

Entry = RecordedGame | Document  # a Document is a position file


@dataclass(frozen=True)
class PositionSource:
    """A position, and what its file states about it.

    Attributes:
        position: the position.
        observer: the player whose knowledge the file contains, or None if it contains everything.
        record: the record to which the position belongs (for a witnessed record, the followed
            game), or None for a position file.
        ply: the number of moves in the record that were made before the position.
    """

    position: Position
    observer: int | None = None
    record: RecordedGame | None = None
    ply: int = 0

    @property
    def last(self) -> tuple[int, str] | None:
        """The move that led to the position as (player, action), or None if it is not known."""
        if self.record is None or not self.ply:
            return None
        if isinstance(self.record, FollowedGame):
            move = self.record.moves[self.ply - 1]
            return None if move.action is None else (move.player, move.action)
        player, action = self.record["actions"][self.ply - 1]
        return int(player), str(action)

    def list_events(self, player: int | None) -> list[Event]:
        """Return what happened in the move that led to the position, as `player` sees it.

        If `player` is None, return everything that the file contains. The list is empty if the
        move is not known.
        """
        if self.record is None or not self.ply:
            return []
        if isinstance(self.record, FollowedGame):
            return self.record.events[self.ply - 1]
        _, action = self.record["actions"][self.ply - 1]
        return records.replay(self.record, self.ply - 1).events(action, player)

    def check_observer(self) -> None:
        """Raise TrajanError if the file does not contain what the player to move knows."""
        player = self.position.player
        if self.observer not in (None, player) and player is not None:
            raise TrajanError(
                f"player {player} is to move, but the file contains only what player "
                f"{self.observer} knows"
            )

    def information_set(self) -> InformationSet:
        """Return what the player to move knows.

        Raises TrajanError as `check_observer` does, and if the game is over.
        """
        self.check_observer()
        return InformationSet(self.position)


def scan(path: str | os.PathLike[str]) -> Iterator[tuple[str, Entry | TrajanError]]:
    """Yield every game in a file with its place, ``file:line``, or a single position file.

    The file is read only once, and records are read line by line. For a line without a valid
    record, an error is yielded instead. Raises TrajanError if the file cannot be read or is
    neither YAML nor JSON.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            yield from _entries(name, file)
    except FileNotFoundError:
        raise TrajanError(f"{name}: there is no such file") from None
    except OSError as error:
        raise TrajanError(f"{name}: cannot be read: {error.strerror}") from None


def scan_games(path: str | os.PathLike[str]) -> Iterator[tuple[str, RecordedGame | TrajanError]]:
    """Yield every game in a file as `scan` does; raise TrajanError if the file contains no
    game."""
    place = None
    for place, entry in scan(path):
        if isinstance(entry, Document):
            raise TrajanError(f"{path}: not a file of game records")
        yield place, entry
    if place is None:
        raise TrajanError(f"{path}: contains no game records")


def scan_text(text: str, name: str) -> Iterator[tuple[str, Entry | TrajanError]]:
    """Yield the games or the position file in the text of a file that messages call `name`."""
    return _entries(name, (line.encode() for line in text.splitlines(keepends=True)))


def _entries(name: str, lines: Iterable[bytes]) -> Iterator[tuple[str, Entry | TrajanError]]:
    numbered = enumerate(lines, start=1)
    begin: list[bytes] = []  # lines up to the first line that is not blank
    for _, line in numbered:
        begin.append(line)
        if not records.is_blank(line):
            break
    data = records.parse_object(begin[-1]) if begin else None
    if name.endswith(LINES) or (isinstance(data, dict) and data.get("format") in GAME_FORMATS):
        for number, line in chain(enumerate(begin, start=1), numbered):
            if not records.is_blank(line):
                parsed = data if number == len(begin) else records.parse_object(line)
                yield f"{name}:{number}", following.checked(parsed)
        return
    text = decode(b"".join(chain(begin, (line for _, line in numbered))), name)
    yield name, _whole(text, name)


def _whole(text: str, name: str) -> Entry | TrajanError:
    """Return the single game or the position file that a text contains."""
    data = records.parse_object(text) if text.lstrip().startswith("{") else None
    if not isinstance(data, dict) or data.get("format") not in GAME_FORMATS:
        if len(text) > MAX_YAML:
            raise TrajanError(f"{name}: a position file has at most {MAX_YAML:,} characters")
        try:
            document = parse_yaml(text, name)
        except TrajanError as error:
            raise TrajanError(*(_explained(problem) for problem in error.problems)) from None
        data = document.data
        if not isinstance(data, dict) or data.get("format") not in GAME_FORMATS:
            return document
    return following.checked(data)


def _explained(problem: Problem) -> Problem:
    return replace(problem, text=f"{problem.text}; {NEITHER}")


def read(
    path: str | os.PathLike[str], *, number: int | None = 1, ply: int | None = None
) -> PositionSource:
    """Return the position in a file of any kind.

    Args:
        path: a position file, or records of games, witnessed or not.
        number: the number of the game in the file, from 1, or None for the last game.
        ply: the number of moves of the game before the position, or None for all of them.

    Raises TrajanError, with place and reason, if the file has no such position.
    """
    return _chosen(scan(path), os.fspath(path), number, ply)


def parse(text: str, name: str, *, number: int = 1, ply: int | None = None) -> PositionSource:
    """Return the position in `text`, the content of a file that messages call `name`."""
    return _chosen(scan_text(text, name), name, number, ply)


def _chosen(
    entries: Iterator[tuple[str, Entry | TrajanError]],
    name: str,
    number: int | None,
    ply: int | None,
) -> PositionSource:
    count, chosen = 0, None
    for count, (place, entry) in enumerate(entries, start=1):
        if isinstance(entry, TrajanError):
            raise entry.within(place)
        chosen = place, entry
        if count == number:
            break
    if chosen is None or number not in (None, count):
        has = "1 record" if count == 1 else f"{count} records"
        which = 1 if number is None else number
        raise TrajanError(f"{name}: has {has}, so there is no record {which}")
    place, entry = chosen
    if isinstance(entry, Document):
        return source_of(entry, ply)
    try:
        return source_of(entry, ply)
    except TrajanError as error:
        raise error.within(place) from None


def source_of(entry: Entry, ply: int | None = None) -> PositionSource:
    """Return the position of an entry after `ply` moves, by default after all of its moves.

    Raises TrajanError if the entry is not valid, or if there is no such ply.
    """
    if isinstance(entry, Document):
        if ply is not None:
            raise TrajanError("a ply requires a record, but this is a position file")
        position = position_files.of_document(entry)
        return PositionSource(position, entry.data.get("observer"))
    if isinstance(entry, FollowedGame):
        count = len(entry.moves)
        at = count if ply is None else ply
        if not 0 <= at <= count:
            raise TrajanError(f"ply must be 0 to {count}, got {ply}")
        return PositionSource(entry.positions[at], entry.observer, entry, at)
    position = records.replay(entry, ply)
    return PositionSource(position, None, entry, position.ply)


def read_followed(path: str | os.PathLike[str]) -> FollowedGame:
    """Return the last game in a file that `FollowedGame.save` wrote; the game can be continued.

    Raises TrajanError if the last game is not a witnessed record.
    """
    game = read(path, number=None).record
    if not isinstance(game, FollowedGame):
        raise TrajanError(f"{path}: not a followed game: its format must be {following.FORMAT!r}")
    return game
