"""Plays that people logged, results without moves: read in three forms, written without names.

Read are the export of BG Stats (``.json``: lists `games`, `players` and `plays`), the plays that
BoardGameGeek's XML API lists (``.xml``), and tables (``.csv``) with a row for each player and the
columns of `COLUMNS` that somebody knows, which is also what `write` writes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.plain import loads

GAMES = ("trajan", "forum_trajanum")
COLUMNS = ("play", "month", "game", "person", "seat", "score", "won")
NEEDED = ("play", "game", "person", "score")
SUM = re.compile(r"\s*-?\d+(\s*[+-]\s*\d+)*\s*")  # BG Stats keeps sums as they were typed


class Result(NamedTuple):
    """What is known of one player of a play; seats count from 1, the start player's."""

    person: str
    seat: int | None
    score: int
    won: bool


class Play(NamedTuple):
    """A play of one of the two games; `month` is YYYY-MM, or empty."""

    game: str
    month: str
    results: tuple[Result, ...]


def read(path: Path) -> tuple[list[Play], list[str]]:
    """Return the plays of our games in a file, and what is wrong with those left out, a line each.

    Raises TrajanError if the file cannot be read as its suffix says.
    """
    forms = {".json": _of_bg_stats, ".xml": _of_bgg, ".csv": _of_table}
    if path.suffix not in forms:
        raise TrajanError(f"{path}: plays are read from {', '.join(forms)} files")
    plays, problems = [], []
    try:
        text = path.read_text(encoding="utf-8-sig")
        for place, name, date, rows in forms[path.suffix](text):
            if (game := name.strip().lower().replace(" ", "_")) in GAMES:
                try:
                    plays.append(Play(game, _month(date), tuple(_results(rows))))
                except ValueError as error:
                    problems.append(f"{path}: {place}: {error}")
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError, csv.Error, ElementTree.ParseError) as error:
        raise TrajanError(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise TrajanError(f"{path}: not such an export ({error!r:.80})") from None
    return plays, problems


Logged = tuple[str, str, str, list[dict[str, Any]]]  # its place, game, date, rows by player


def _of_bg_stats(text: str) -> Iterator[Logged]:
    data = loads(text)
    names = {game["id"]: game["name"] for game in data["games"]}
    for number, play in enumerate(data["plays"], start=1):
        rows, scores = [], play["playerScores"]
        seats = [row.get("seatOrder") for row in scores]
        ordered = sorted(seats) if None not in seats and len(set(seats)) == len(seats) else None
        for row in scores:
            first = 1 if row.get("startPlayer") else None
            seat = first if ordered is None else 1 + ordered.index(row["seatOrder"])
            rows.append({"person": row["playerRefId"], "seat": seat, **_kept(row, "winner")})
        yield f"play {number}", names[play["gameRefId"]], play.get("playDate", ""), rows


def _of_bgg(text: str) -> Iterator[Logged]:
    for play in ElementTree.fromstring(text).iter("play"):
        item, rows = play.find("item"), []
        for row in play.iter("player"):
            person = row.get("userid", "0") if row.get("userid", "0") != "0" else row.get("name")
            rows.append({"person": person, "seat": row.get("startposition"), **_kept(row, "win")})
        name = "" if item is None else item.get("name", "")
        yield f"play {play.get('id')}", name, play.get("date", ""), rows


def _kept(row: Any, winner: str) -> dict[str, Any]:
    return {"score": row.get("score"), "won": row.get(winner)}


def _of_table(text: str) -> Iterator[Logged]:
    reader = csv.DictReader(text.splitlines())
    if lacking := [name for name in NEEDED if name not in (reader.fieldnames or ())]:
        raise ValueError(f"1: no column {', '.join(lacking)}")
    plays: dict[str, list[dict[str, Any]]] = {}
    for row in reader:
        plays.setdefault(row["play"], []).append(row)
    for play, rows in plays.items():
        yield f"play {play}", rows[0]["game"] or "", rows[0].get("month") or "", rows


def _month(date: str) -> str:
    found = re.match(r"\d{4}-(0[1-9]|1[0-2])", date)
    return found[0] if found else ""


def _results(rows: list[dict[str, Any]]) -> Iterator[Result]:
    """Yield the results of a play; raises ValueError where it cannot be used."""
    if not 2 <= len(rows) <= 4 or len({str(row["person"]) for row in rows}) != len(rows):
        raise ValueError(f"{len(rows)} players, there must be 2 to 4 different ones")
    scores = [str(row["score"]) for row in rows]
    for score in scores:
        if not SUM.fullmatch(score):
            raise ValueError(f"score {score!r:.40} is no whole number")
    totals = [sum(map(int, re.findall(r"[+-]?\d+", re.sub(r"\s", "", s)))) for s in scores]
    won = [str(row.get("won")).lower() in ("1", "true") for row in rows]
    for row, total, told in zip(rows, totals, won, strict=True):
        seat = str(row.get("seat"))
        known = int(seat) if re.fullmatch("[1-4]", seat) else None
        yield Result(str(row["person"]), known, total, told if any(won) else total == max(totals))


def write(files: Mapping[str, Iterable[Play]], target: Path) -> None:
    """Write plays as a table; persons are numbers in it, those of one file the same throughout."""
    persons: dict[tuple[str, str], int] = {}
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        plays = ((source, play) for source, found in files.items() for play in found)
        for number, (source, play) in enumerate(plays, start=1):
            for result in play.results:
                person = persons.setdefault((source, result.person), len(persons) + 1)
                rest = ("" if result.seat is None else result.seat, result.score, int(result.won))
                writer.writerow((number, play.month, play.game, person, *rest))
