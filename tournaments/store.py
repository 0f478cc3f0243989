"""The store of a tournament: one SQLite file that is the truth about what was played.

One row a game, under the game's identity: the same game is never counted twice, whoever plays it.
Every game is committed as it ends. Alone here there is SQL.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tournaments.play import Failure, Outcome
from tournaments.ratings import NO_BOT, NO_FAILURE, SEATS, UNKNOWN_FAILURE, Results
from trajan_ai.core.errors import TrajanError

FILE = "results.sqlite"
VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS plans (
    number INTEGER PRIMARY KEY,
    plan TEXT NOT NULL UNIQUE              -- resolved, JSON; the last one is the current one
) STRICT;
CREATE TABLE IF NOT EXISTS bots (
    digest TEXT PRIMARY KEY,               -- hash of the settings
    name TEXT NOT NULL,                    -- as last used
    settings TEXT NOT NULL                 -- JSON
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,                   -- hash of bots by seat, game, options and deal
    game TEXT NOT NULL,
    options TEXT NOT NULL,                 -- JSON
    players INTEGER NOT NULL,
    block TEXT NOT NULL,                   -- the games of one deal share it
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cpu REAL NOT NULL,
    failed INTEGER NOT NULL,               -- seat; -1: nobody; -2: unknown
    record BLOB NOT NULL                   -- the record's line, deflated
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seats (
    id TEXT NOT NULL REFERENCES games (id),
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL REFERENCES bots (digest),
    score INTEGER,
    rank INTEGER,
    turns INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cpu REAL NOT NULL,
    longest REAL NOT NULL,                 -- seconds of the longest turn
    PRIMARY KEY (id, seat)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (
    id TEXT NOT NULL REFERENCES games (id),
    attempt INTEGER NOT NULL,              -- 0 is the first; the last is the one that counted
    counted INTEGER NOT NULL,              -- 0: the game was played again
    kind TEXT NOT NULL,
    seat INTEGER,
    bot TEXT,
    ply INTEGER NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (id, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS games_by_block ON games (block, rotation);
"""
_TABLES = ("bots", "games", "seats", "failures")


@dataclass(frozen=True)
class Entry:
    """Where a game belongs: what the schedule knows of it before it is played."""

    id: str
    game: str
    options: str
    block: str
    deal: int
    rotation: int
    bots: tuple[str, ...]  # digests by seat


@dataclass(frozen=True)
class GameRow:
    """A stored game as people look at it. Lists are by seat."""

    id: str
    game: str
    options: str
    players: int
    block: str
    deal: int
    rotation: int
    plies: int
    failed: int
    bots: list[str] = field(default_factory=list)
    scores: list[int | None] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)


@dataclass(frozen=True)
class FailureRow:
    """A stored failure of a bot."""

    id: str
    attempt: int
    counted: bool
    kind: str
    seat: int | None
    bot: str | None
    ply: int
    message: str
    details: str


class Store:
    """An open store; use as a context manager."""

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(folder) / FILE
        if not create and not self.path.exists():
            raise TrajanError(
                f"{self.path}: there are no results; name the folder of a tournament"
            )
        with self._explained():
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # No more isolation than we ask for: transactions are opened by hand.
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
            self._open()

    def _open(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise TrajanError(
                f"{self.path}: written by another version (format {version}, this one reads "
                f"{VERSION})"
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")  # in WAL mode: safe against any kill
        self._db.executescript(_SCHEMA + f"PRAGMA user_version = {VERSION};")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, its log folded in."""
        self._db.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of files and SQLite into one line with a remedy."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            remedy = {
                "full": "make room and run the same command again: every finished game is kept",
                "locked": "another program holds the file; wait for it or stop it",
                "readonly": "make the file and its folder writable",
                "not a database": "name the folder of a tournament",
            }
            told = next((text for word, text in remedy.items() if word in str(error)), None)
            raise TrajanError(
                f"{self.path}: {error}; {told or 'check the disk and the file'}"
            ) from error
        except OSError as error:
            raise TrajanError(f"{self.path}: {error.strerror or error}") from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def add_plan(self, plan: Mapping[str, Any], bots: Iterable[tuple[str, str, str]]) -> None:
        """Store a resolved plan and its bots: (digest, name, settings as JSON) each."""
        text = json.dumps(plan, sort_keys=True)
        with self._transaction() as db:
            db.execute("DELETE FROM plans WHERE plan = ?", (text,))
            db.execute("INSERT INTO plans (plan) VALUES (?)", (text,))
            db.executemany(
                "INSERT INTO bots VALUES (?, ?, ?) "
                "ON CONFLICT (digest) DO UPDATE SET name = excluded.name",
                bots,
            )

    def plan(self) -> dict[str, Any]:
        """Return the last stored plan, empty if there is none."""
        with self._explained():
            row = self._db.execute(
                "SELECT plan FROM plans ORDER BY number DESC LIMIT 1"
            ).fetchone()
        return {} if row is None else dict(json.loads(row[0]))

    def bots(self) -> dict[str, str]:
        """Return the names of all bots by digest; a name used twice is told apart by digest."""
        with self._explained():
            rows = self._db.execute(
                "SELECT digest, name FROM bots ORDER BY name, digest"
            ).fetchall()
        names = [name for _, name in rows]
        return {
            digest: name if names.count(name) == 1 else f"{name}@{digest}" for digest, name in rows
        }

    def identities(self) -> set[str]:
        """Return the identities of all stored games."""
        with self._explained():
            return {row[0] for row in self._db.execute("SELECT id FROM games")}

    def add(self, entry: Entry, outcome: Outcome) -> bool:
        """Store a game, in one transaction; return False if it was there already."""
        failure = outcome.failure
        failed = NO_FAILURE if failure is None else failure.seat
        record = zlib.compress(outcome.record.encode(), 6)
        with self._transaction() as db:
            added = db.execute(
                "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    entry.game,
                    entry.options,
                    len(entry.bots),
                    entry.block,
                    entry.deal,
                    entry.rotation,
                    outcome.plies,
                    outcome.total_seconds,
                    outcome.total_cpu,
                    UNKNOWN_FAILURE if failed is None else failed,
                    record,
                ),
            ).rowcount
            if not added:
                return False
            db.executemany(
                "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _seat_rows(entry, outcome)
            )
            failures = [*outcome.retried, *([failure] if failure else [])]
            db.executemany(
                "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    _failure_row(entry, number, number == len(outcome.retried), told)
                    for number, told in enumerate(failures)
                ],
            )
        return True

    def results(
        self,
        names: Mapping[str, str],
        where: Mapping[str, Any] | None = None,
        blocks: Collection[str] | None = None,
    ) -> Results:
        """Return the games between the bots `names` (digest to name) as columns.

        `where` limits them by equal ``game``, ``options``, ``players`` or ``deal``, `blocks` to
        some deal blocks. Games are in the order of block and rotation.
        """
        number = {digest: index for index, digest in enumerate(names)}
        condition, values = _condition(where or {})
        if blocks is not None:
            condition += " AND block IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(blocks)))
        with self._explained():
            rows = self._db.execute(
                "SELECT id, block, players, failed, seat, bot, rank, score, turns, "
                "seats.seconds, seats.cpu "
                f"FROM games JOIN seats USING (id) WHERE {condition} "
                "ORDER BY block, rotation, id, seat",
                values,
            )
            return _columns(rows, number, tuple(names.values()))

    def games(self, where: Mapping[str, Any] | None = None) -> list[GameRow]:
        """Return the stored games, ordered by block and rotation."""
        condition, values = _condition(where or {})
        names = self.bots()
        found: dict[str, GameRow] = {}
        with self._explained():
            for row in self._db.execute(
                "SELECT id, game, options, players, block, deal, rotation, plies, failed, "
                "bot, score, rank "
                f"FROM games JOIN seats USING (id) WHERE {condition} "
                "ORDER BY block, rotation, id, seat",
                values,
            ):
                bot, score, rank = row[9:]
                game = found.setdefault(row[0], GameRow(*row[:9]))
                game.bots.append(names.get(bot, bot))
                game.scores.append(score)
                game.ranks.append(rank)
        return list(found.values())

    def failures(self) -> list[FailureRow]:
        """Return all failures, ordered by game and attempt."""
        names = self.bots()
        with self._explained():
            rows = self._db.execute("SELECT * FROM failures ORDER BY id, attempt").fetchall()
        return [
            FailureRow(id_, attempt, bool(counted), kind, seat, names.get(bot, bot), *rest)
            for id_, attempt, counted, kind, seat, bot, *rest in rows
        ]

    def find(self, prefix: str) -> list[str]:
        """Return the identities that begin with `prefix`."""
        with self._explained():
            rows = self._db.execute(
                "SELECT id FROM games WHERE substr(id, 1, ?) = ? ORDER BY id",
                (len(prefix), prefix),
            )
            return [row[0] for row in rows]

    def record(self, identity: str) -> str:
        """Return the record of a game as one line."""
        with self._explained():
            row = self._db.execute("SELECT record FROM games WHERE id = ?", (identity,)).fetchone()
        if row is None:
            raise TrajanError(f"{self.path}: there is no game {identity!r}")
        return zlib.decompress(row[0]).decode()

    def records(self) -> Iterator[str]:
        """Yield the records of all games as lines, ordered by identity."""
        with self._explained():
            for (record,) in self._db.execute("SELECT record FROM games ORDER BY id"):
                yield zlib.decompress(record).decode()

    def totals(self) -> dict[str, float]:
        """Return the sums over all games: games, seconds and CPU of games and of their bots."""
        with self._explained():
            games, seconds, cpu = self._db.execute(
                "SELECT count(*), total(seconds), total(cpu) FROM games WHERE failed = -1"
            ).fetchone()
            bots, bots_cpu = self._db.execute(
                "SELECT total(seats.seconds), total(seats.cpu) "
                "FROM games JOIN seats USING (id) WHERE failed = -1"
            ).fetchone()
        return {
            "games": games,
            "seconds": seconds,
            "cpu": cpu,
            "bot_seconds": bots,
            "bot_cpu": bots_cpu,
        }

    def merge(self, other: str | os.PathLike[str]) -> int:
        """Add the games of another store that this one lacks; return their number."""
        with Store(other) as source:
            path = source.path
        before = len(self.identities())
        with self._explained():
            self._db.execute("ATTACH DATABASE ? AS other", (str(path),))
        try:
            with self._transaction() as db:
                for table in _TABLES:
                    db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}")
                db.execute(
                    "INSERT INTO main.plans (plan) SELECT plan FROM other.plans "
                    "WHERE NOT EXISTS (SELECT 1 FROM main.plans) ORDER BY number"
                )
        finally:
            self._db.execute("DETACH DATABASE other")
        return len(self.identities()) - before


def _seat_rows(entry: Entry, outcome: Outcome) -> list[tuple[Any, ...]]:
    empty: Sequence[int | None] = [None] * len(entry.bots)
    return [
        (entry.id, seat, *row)
        for seat, row in enumerate(
            zip(
                entry.bots,
                outcome.scores or empty,
                outcome.ranks or empty,
                outcome.turns,
                outcome.seconds,
                outcome.cpu,
                outcome.longest,
                strict=True,
            )
        )
    ]


def _failure_row(entry: Entry, attempt: int, counted: bool, failure: Failure) -> tuple[Any, ...]:
    bot = None if failure.seat is None else entry.bots[failure.seat]
    return (
        entry.id,
        attempt,
        int(counted),
        failure.kind,
        failure.seat,
        bot,
        failure.ply,
        failure.message,
        failure.details,
    )


def _condition(where: Mapping[str, Any]) -> tuple[str, list[Any]]:
    allowed = {"game", "options", "players", "deal", "block"}
    assert set(where) <= allowed, f"games are chosen by {allowed}, got {set(where)}"
    parts = [f"games.{key} = ?" for key in where]
    return " AND ".join(parts) or "1", list(where.values())


def _columns(
    rows: Iterable[tuple[Any, ...]], number: Mapping[str, int], names: tuple[str, ...]
) -> Results:
    """Build the columns; games with a bot that has no number are left out."""
    blocks: dict[str, int] = {}
    heads: list[tuple[int, int, int]] = []
    seats: list[list[tuple[Any, ...]]] = []
    last = None
    for id_, block, players, failed, _seat, bot, *rest in rows:
        if id_ != last:
            last = id_
            heads.append((blocks.setdefault(block, len(blocks)), players, failed))
            seats.append([])
        seats[-1].append((number.get(bot), *rest))
    chosen = [k for k, game in enumerate(seats) if all(row[0] is not None for row in game)]
    empty = (NO_BOT, 0, float("nan"), 0, 0.0, 0.0)
    table = np.array(
        [
            [
                [
                    row[0],
                    row[1] or 0,
                    float("nan") if row[2] is None else row[2],
                    *row[3:],
                ]
                for row in seats[k]
            ]
            + [list(empty)] * (SEATS - len(seats[k]))
            for k in chosen
        ],
        dtype=np.float64,
    ).reshape(len(chosen), SEATS, 6)
    head = np.array([heads[k] for k in chosen], dtype=np.int64).reshape(-1, 3)
    block_numbers = np.unique(head[:, 0], return_inverse=True)[1].astype(np.int64)
    return Results(
        names,
        block_numbers,
        head[:, 1],
        table[:, :, 0].astype(np.int64),
        table[:, :, 1].astype(np.int64),
        table[:, :, 2],
        head[:, 2],
        table[:, :, 3].astype(np.int64),
        table[:, :, 4],
        table[:, :, 5],
    )
