"""Plays that people logged: read results without moves in three formats, write them without names.

The formats are exports of BG Stats (``.json``: lists `games`, `players` and `plays`), plays listed
by BoardGameGeek's XML API (``.xml``), and tables (``.csv``) with a row per player and the columns
in `COLUMNS`, which `write` writes as well.
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from trajan_ai.core.errors import TrajanError, quoted
from trajan_ai.core.json_parsing import loads

GAMES = ("trajan", "forum_trajanum")
COLUMNS = ("play", "month", "game", "person", "seat", "score", "won")
NEEDED = ("play", "game", "person", "score")
MAX_SCORE = 999  # VP in size; far beyond what either game allows
SUM = re.compile(r"[+-]?\d+(\.0*)?([+-]\d+(\.0*)?)*")  # BG Stats stores sums as people typed them
NO_DATE = ("", "0000-00-00")
YES, NO = ("1", "true", "yes", "y", "x"), ("", "0", "false", "no", "n", "none")


class LoggedResult(NamedTuple):
    """One player's result; seats count from 1, the start player, and None is unknown."""

    person: str
    seat: int | None
    score: int
    is_winner: bool


class LoggedPlay(NamedTuple):
    """A play of one of the two games; `month` is YYYY-MM or empty."""

    game: str
    month: str
    results: tuple[LoggedResult, ...]


@dataclass
class PlayFile:
    """The plays in one file: `read` = `plays` + `other_games` + `skipped`.

    `problems` has one line for each skipped play, `notes` one for each value that was ignored.
    """

    read: int = 0
    other_games: int = 0
    plays: list[LoggedPlay] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def skipped(self) -> int:
        """The number of plays of our games that could not be used."""
        return len(self.problems)

    def __str__(self) -> str:
        return (
            f"{self.read} plays read: {len(self.plays)} counted, {self.skipped} skipped, "
            f"{self.other_games} of other games"
        )


class _Entry(NamedTuple):
    """A play as its file describes it, and why it does not count, if the file says so."""

    place: str
    id: str  # empty if the format has none
    titles: tuple[Any, ...]  # of the game
    date: Any
    rows: list[dict[str, Any]]  # by player: person, seat, score, won
    reason: str = ""


class PlayReader:
    """Reads files of plays, and recognises plays that an earlier file contained."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._days: dict[tuple[Any, ...], list[tuple[Path, str]]] = {}

    def read(self, path: Path) -> PlayFile:
        """Return the plays in a file, with a reason for each one that does not count.

        Raises TrajanError if the file is not what its suffix says.
        """
        formats = {".json": _read_bg_stats, ".xml": _read_bgg, ".csv": _read_table}
        read_entries = formats.get(path.suffix.lower())
        if read_entries is None:
            raise TrajanError(f"{path}: plays are read from {', '.join(formats)} files")
        file = PlayFile()
        try:
            text = path.read_text(encoding="utf-8-sig")
            digest = hashlib.sha256(text.encode()).hexdigest()
            for entry in read_entries(text):
                file.read += 1
                try:
                    self._add(file, path, digest, entry)
                except ValueError as error:
                    file.problems.append(f"{path}: {entry.place}: {error}")
        except OSError as error:
            raise TrajanError(f"{path}: {error.strerror}") from None
        except (ValueError, RecursionError, csv.Error, ElementTree.ParseError) as error:
            raise TrajanError(f"{path}: {error}") from None
        return file

    def _add(self, file: PlayFile, path: Path, digest: str, entry: _Entry) -> None:
        """Count a play; raise ValueError with the reason if it does not count."""
        names = {str(title).strip().lower().replace(" ", "_") for title in entry.titles}
        game = next((game for game in GAMES if game in names), None)
        if game is None:
            if entry.reason and not any(entry.titles):
                raise ValueError(entry.reason)
            file.other_games += 1
            return
        if entry.reason:
            raise ValueError(entry.reason)
        date = "" if entry.date is None else str(entry.date).strip()
        dated = re.match(r"(\d{4}-(?:0[1-9]|1[0-2]))(-\d\d)?", date)
        month, day = (dated[1], dated[2] or "") if dated else ("", "")
        results, note = _results(entry)
        play = LoggedPlay(game, month, results)
        self._check_new(play, day, path, entry.id or f"{digest} {entry.place}")
        file.plays.append(play)
        notes = [note] if note else []
        if not dated and date not in NO_DATE:
            notes.append(f"date {quoted(date)} ignored: must begin with YYYY-MM")
        file.notes += [f"{path}: {entry.place}: {one}" for one in notes]

    def _check_new(self, play: LoggedPlay, day: str, path: Path, play_id: str) -> None:
        """Raise ValueError if the play was read before: by its id, or by date and scores.

        Plays in one file may have equal scores on one day, so scores only identify a play across
        files, and only if its month is known.
        """
        scores = sorted(result.score for result in play.results)
        days = self._days.setdefault((play.game, play.month, *scores), [])
        is_known = play_id in self._ids or any(
            play.month and other != path and (not day or not other_day or day == other_day)
            for other, other_day in days
        )
        if is_known:
            raise ValueError("duplicate of a play that was read before")
        self._ids.add(play_id)
        days.append((path, day))


def _read_bg_stats(text: str) -> Iterator[_Entry]:
    data = loads(text)
    games, plays = (
        data.get(key) if isinstance(data, dict) else None for key in ("games", "plays")
    )
    if not isinstance(games, list) or not isinstance(plays, list):
        raise ValueError("not an export of BG Stats: must contain lists `games` and `plays`")
    titles = {
        str(game.get("id")): (game.get("name"), game.get("bggName")) for game in _objects(games)
    }
    anonymous = {
        str(player.get("id"))
        for player in _objects(data.get("players"))
        if player.get("isAnonymous")
    }
    for number, play in enumerate(plays, start=1):
        place = f"play {number}"
        if not isinstance(play, dict):
            yield _Entry(place, "", (), "", [], "must be an object")
            continue
        game, rows = str(play.get("gameRefId")), _objects(play.get("playerScores"))
        reason = "" if any(titles.get(game, ())) else "its game is not in the file's list of games"
        if play.get("ignored"):
            reason = "marked as ignored in BG Stats"
        elif play.get("usesTeams"):
            reason = "played in teams"
        seats = _seats_by_order(rows)
        yield _Entry(
            place=place,
            id=str(play.get("uuid") or ""),
            titles=titles.get(game, ()),
            date=play.get("playDate"),
            rows=[
                {
                    "person": "" if str(row.get("playerRefId")) in anonymous
                    else row.get("playerRefId"),
                    "seat": seat,
                    "score": row.get("score"),
                    "won": row.get("winner"),
                }
                for row, seat in zip(rows, seats, strict=True)
            ],
            reason=reason,
        )  # fmt: skip


def _objects(values: Any) -> list[dict[str, Any]]:
    """Return the JSON objects in a list, none of anything else."""
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _seats_by_order(rows: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Return the seats of players of BG Stats, which has the order at the table and who starts."""
    starts = [bool(row.get("startPlayer")) for row in rows]
    orders = [_whole_number(row.get("seatOrder")) for row in rows]
    numbers = [order for order in orders if order is not None]
    if not rows or len(set(numbers)) < len(rows):
        return [1 if is_first else None for is_first in starts]
    around = sorted(numbers)
    first = numbers[starts.index(True)] if any(starts) else around[0]
    return [1 + (around.index(order) - around.index(first)) % len(rows) for order in numbers]


def _read_bgg(text: str) -> Iterator[_Entry]:
    root = ElementTree.fromstring(text)
    if root.tag == "message":
        raise ValueError("BoardGameGeek is still preparing the list; download it again later")
    if root.tag != "plays":
        raise ValueError(f"not a list of plays: must be <plays>, got <{root.tag}>")
    for play in root.iter("play"):
        item = play.find("item")
        quantity = play.get("quantity", "1")
        reason = ""
        if play.get("incomplete") == "1":
            reason = "marked as incomplete"
        elif play.get("nowinstats") == "1":
            reason = "marked as not counting for win statistics"
        elif quantity != "1":
            reason = f"quantity is {quoted(quantity)}: one set of scores must be of one play"
        rows = []
        for row in play.iter("player"):
            user = row.get("userid", "0")
            person = row.get("name") if user == "0" else f"user {user}"
            place, score, won = (row.get(key) for key in ("startposition", "score", "win"))
            rows.append({"person": person, "seat": place, "score": score, "won": won})
        title = None if item is None else item.get("name")
        number = play.get("id")
        yield _Entry(
            place=f"play {number}",
            id=f"bgg {number}" if number else "",
            titles=(title,),
            date=play.get("date"),
            rows=rows,
            reason=reason if title else "it names no game",
        )


def _read_table(text: str) -> Iterator[_Entry]:
    lines = text.splitlines()
    heads = lines[0] if lines else ""
    delimiter = max(",;\t", key=heads.count)
    reader = csv.DictReader(lines, delimiter=delimiter)
    reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or ()]
    if lacking := [name for name in NEEDED if name not in reader.fieldnames]:
        raise ValueError(f"1: no column {', '.join(lacking)}")
    plays: dict[str, list[dict[Any, Any]]] = {}
    for row in reader:
        plays.setdefault((row["play"] or "").strip(), []).append(row)
    for play, rows in plays.items():
        games = dict.fromkeys((row["game"] or "").strip().lower() for row in rows)
        months = dict.fromkeys((row.get("month") or "").strip() for row in rows)
        reason = "" if any(games) else "it names no game"
        if any(None in row for row in rows):
            reason = f"a row has more than {len(reader.fieldnames)} columns"
        elif len(games) > 1:
            reason = f"its rows name several games: {', '.join(games)}"
        elif len(months) > 1:
            reason = f"its rows name several months: {', '.join(months)}"
        yield _Entry(f"play {play}", "", tuple(games), next(iter(months)), rows, reason)


def _results(entry: _Entry) -> tuple[tuple[LoggedResult, ...], str]:
    """Return the results of a play, and a note on seats that are ignored.

    Raises ValueError if the play cannot be used.
    """
    rows = entry.rows
    named = [str(row["person"]).strip() for row in rows if row["person"] not in (None, "")]
    if not 2 <= len(rows) <= 4 or len(set(named)) != len(named):
        raise ValueError(f"{len(rows)} players, there must be 2 to 4 different ones")
    scores = [_score(row["score"]) for row in rows]
    winners = [_is_winner(row.get("won")) for row in rows]
    if not any(winners):
        winners = [score == max(scores) for score in scores]
    if any(score < max(scores) for score, won in zip(scores, winners, strict=True) if won):
        raise ValueError("a winner has a lower score than another player")
    texts = [str(row.get("seat") or "").strip() for row in rows]
    seats = [_whole_number(text) for text in texts]
    numbers = [seat for seat in seats if seat is not None]
    note = ""
    if (
        len(set(numbers)) < len(numbers)
        or not all(1 <= seat <= len(rows) for seat in numbers)
        or len(numbers) < sum(map(bool, texts))
    ):
        got = ", ".join(text or "none" for text in texts)
        note = f"seats {got[:40]} ignored: must be different numbers from 1 to {len(rows)}"
        seats = [None] * len(rows)
    persons = [
        str(row["person"] or "").strip() or f"unnamed {entry.place} {number}"
        for number, row in enumerate(rows)
    ]
    return tuple(map(LoggedResult, persons, seats, scores, winners)), note


def _score(value: Any) -> int:
    text = re.sub(r"\s", "", str(value))
    if value in (None, "") or not text:
        raise ValueError("a player has no score")
    if len(text) <= 100 and SUM.fullmatch(text):
        total = sum(int(float(one)) for one in re.findall(r"[+-]?\d+\.?0*", text))
        if abs(total) <= MAX_SCORE:
            return total
    raise ValueError(
        f"score {quoted(value)} is not a whole number from -{MAX_SCORE} to {MAX_SCORE}"
    )


def _is_winner(value: Any) -> bool:
    text = str(value).strip().lower()
    if text not in YES + NO:
        raise ValueError(f"won is {quoted(value)}: must be yes or no")
    return text in YES


def _whole_number(value: Any) -> int | None:
    """Return a number such as 1, "1" or "1.0", None for anything else."""
    whole = re.fullmatch(r"(\d{1,3})(\.0*)?", str(value).strip())
    return int(whole[1]) if whole else None


def write(files: Iterable[Iterable[LoggedPlay]], target: Path) -> None:
    """Write the plays of several files as one table.

    Persons are numbers in it: the same person in one file has the same number throughout.
    """
    persons: dict[tuple[int, str], int] = {}
    plays = ((source, play) for source, plays in enumerate(files) for play in plays)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, (source, play) in enumerate(plays, start=1):
            for result in play.results:
                person = persons.setdefault((source, result.person), len(persons) + 1)
                seat = "" if result.seat is None else result.seat
                row = (number, play.month, play.game, person)
                writer.writerow((*row, seat, result.score, int(result.is_winner)))
