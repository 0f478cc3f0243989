"""The store of a tournament: one SQLite file with every game that was played.

A game is one row under its identity, so that no game counts twice. Every game is committed when it
ends. All SQL is in this module.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments.game_task import Outcome
from trajan_ai.tournaments.plan_file import Plan, restore_plan
from trajan_ai.tournaments.ratings import NO_BOT, NO_FAILURE, SEATS, UNKNOWN_FAILURE, Results
from trajan_ai.tournaments.schedule import Fixture

Plain = TypeVar("Plain", dict[str, Any], list[Any])
FILE = "results.sqlite"
VERSION = 2

_SCHEMA = """
CREATE TABLE IF NOT EXISTS plans (
    number INTEGER PRIMARY KEY,
    plan TEXT NOT NULL UNIQUE,             -- JSON, see plan_file.Plan.stored
    current INTEGER NOT NULL               -- 1: the folder's tables show its games
) STRICT;
CREATE TABLE IF NOT EXISTS chosen (        -- deal blocks that an adaptive plan has chosen
    plan INTEGER NOT NULL REFERENCES plans (number),
    number INTEGER NOT NULL,
    bots TEXT NOT NULL,                    -- JSON: the table, numbers of bots in the plan
    deal INTEGER NOT NULL,
    PRIMARY KEY (plan, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bots (
    digest TEXT PRIMARY KEY,               -- hash of the makeup
    name TEXT NOT NULL,                    -- as last used
    makeup TEXT NOT NULL                   -- JSON: everything that determines how it plays
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,                   -- hash of bots by seat, game, options and deal
    game TEXT NOT NULL,
    engine TEXT NOT NULL,                  -- play signature of the engine for this game
    options TEXT NOT NULL,                 -- JSON
    players INTEGER NOT NULL,
    block TEXT NOT NULL,                   -- equal for all games of one deal
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cpu REAL NOT NULL,
    failed INTEGER NOT NULL,               -- seat; -1: nobody; -2: unknown
    record BLOB NOT NULL                   -- the record's line, compressed by zlib
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
    attempt INTEGER NOT NULL,              -- from 0; the last one counted
    counted INTEGER NOT NULL,              -- 0: the game was repeated
    kind TEXT NOT NULL,
    seat INTEGER,
    bot TEXT,
    ply INTEGER NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (id, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (          -- of the command; missing in stores of 0.4.0
    started REAL NOT NULL,                 -- Unix time
    ended REAL NOT NULL,                   -- when the last game was stored
    machine TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (started, machine)
) STRICT, WITHOUT ROWID;
DROP INDEX IF EXISTS games_by_block;       -- of older stores
-- Everything but the records, which make the table 20 times as large and its tree deep.
CREATE INDEX IF NOT EXISTS games_without_records ON games
    (block, rotation, id, game, engine, options, players, deal, plies, cpu, failed);
"""


@dataclass(frozen=True, kw_only=True)
class GameRow:
    """A stored game. Lists are indexed by seat."""

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


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run of the command that played games: Unix times, machine, jobs and number of games."""

    started: float
    ended: float
    machine: str
    jobs: int
    games: int


@dataclass(frozen=True, kw_only=True)
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
    """An open store, to be used as a context manager.

    `folder` is a tournament's folder. With `create`, a missing store is created. Raises
    TrajanError if there is no store or if it cannot be read.
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(folder) / FILE
        self._run: tuple[float, str] | None = None  # start and machine of the current run
        # copy of a store in a folder without write access
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        if not create and not self.path.exists():
            raise TrajanError(
                f"{self.path}: there are no results; name the folder of a tournament"
            )
        with self._explained():
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # Transactions are opened explicitly.
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
            try:
                self._open(create)
            except BaseException:
                self.close()
                raise

    def _open(self, create: bool) -> None:
        try:
            self._set_up()
        except sqlite3.OperationalError as error:
            if create or not self._is_read_only(error):
                raise
            self._db.close()
            self._db = self._connect_read_only()
            self._check_version()

    def _is_read_only(self, error: sqlite3.OperationalError) -> bool:
        """Return whether there is no write access; a failing disk causes nearly the same error."""
        if "unable to open database" in str(error):
            return not os.access(self.path.parent, os.W_OK)
        return "readonly database" in str(error)

    def _connect_read_only(self) -> sqlite3.Connection:
        """Return a connection to a store without write access; it uses no locks and no new log.

        If a killed run has left a log, a copy is opened, because SQLite must write to apply a log.
        """
        path = self.path.resolve()
        log = path.with_name(f"{FILE}-wal")
        if not log.exists() or not log.stat().st_size:
            return sqlite3.connect(
                f"file:{quote(str(path))}?immutable=1", uri=True, isolation_level=None
            )
        self._copy = tempfile.TemporaryDirectory()
        for file in (path, log):
            shutil.copyfile(file, Path(self._copy.name, file.name))
        name = quote(str(Path(self._copy.name, FILE)))
        return sqlite3.connect(f"file:{name}", uri=True, isolation_level=None)

    def _set_up(self) -> None:
        self._check_version()
        self._db.execute("PRAGMA journal_mode = WAL")
        # in WAL mode, this is safe even if the run is killed
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_SCHEMA + f"PRAGMA user_version = {VERSION};")

    def _check_version(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise TrajanError(
                f"{self.path}: written by another version (format {version}; this one reads "
                f"{VERSION}); read it with the release that wrote it, or give another folder"
            )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; SQLite merges the log into the file."""
        self._db.close()
        if self._copy is not None:
            self._copy.cleanup()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of files and SQLite to one-line errors with a remedy."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            remedy = {
                "full": "make room and run the same command again: every finished game is kept",
                "locked": "another program is using the file; wait until it ends, or stop it",
                "readonly": "make the file and its folder writable",
                "not a database": "name the folder of a tournament",
            }
            text = next((text for word, text in remedy.items() if word in str(error)), None)
            raise TrajanError(
                f"{self.path}: {error}; {text or 'check the disk and the file'}"
            ) from error
        except OSError as error:
            raise TrajanError(f"{self.path}: {error.strerror or error}") from error

    def _each(self, query: str, *values: Any) -> Iterator[Any]:
        with self._explained():
            # `yield from` the cursor itself would close the cursor together with the generator,
            # which fails after the store has been closed.
            yield from (row for row in self._db.execute(query, values))

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return list(self._each(query, *values))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():  # SQLite would go on writing to the deleted file
            raise TrajanError(
                f"{self.path}: deleted while it was in use, with all games; play the games again"
            )
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def set_plan(self, plan: Mapping[str, Any], bots: Iterable[tuple[str, str, str]]) -> int:
        """Make `plan` the current plan, without chosen blocks, and return its number.

        `bots` are (digest, name, makeup as JSON).
        """
        text = json.dumps(plan, sort_keys=True)
        with self._transaction() as db:
            db.execute("UPDATE plans SET current = 0")
            db.execute(
                "INSERT INTO plans (plan, current) VALUES (?, 1) "
                "ON CONFLICT (plan) DO UPDATE SET current = 1",
                (text,),
            )
            row = db.execute("SELECT number FROM plans WHERE plan = ?", (text,)).fetchone()
            db.execute("DELETE FROM chosen WHERE plan = ?", row)
            db.executemany(
                "INSERT INTO bots VALUES (?, ?, ?) "
                "ON CONFLICT (digest) DO UPDATE SET name = excluded.name",
                bots,
            )
        return int(row[0])

    def begin_run(self, machine: str, jobs: int) -> None:
        """Count the games that are added from now on as those of a new run."""
        now = time.time()
        self._run = (now, machine)
        with self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, 0)", (now, now, machine, jobs)
            )

    def runs(self) -> list[RunRow]:
        """Return the runs that added games, in order of their start."""
        rows = self._rows(
            "SELECT started, ended, machine, jobs, games FROM runs WHERE games ORDER BY started"
        )
        names = tuple(column.name for column in fields(RunRow))
        return [RunRow(**dict(zip(names, row, strict=True))) for row in rows]

    def plans(self) -> dict[int, dict[str, Any]]:
        """Return the current plans as {number: plan}; after a merge there may be several."""
        rows = self._rows("SELECT number, plan FROM plans WHERE current ORDER BY number")
        return {number: self._plain(f"plan {number}", plan, dict) for number, plan in rows}

    def restore_plans(self) -> dict[int, Plan]:
        """Return the current plans in a form that can be scheduled and rated."""
        plans = {}
        for number, data in self.plans().items():
            try:
                plans[number] = restore_plan(data)
            except (KeyError, TypeError, ValueError) as error:  # including those of pydantic
                raise self.describe_damage(f"plan {number}", type(error).__name__) from None
        return plans

    def choose(self, plan: int, blocks: Iterable[tuple[tuple[int, ...], int]]) -> None:
        """Store further deal blocks, (table, deal), that an adaptive plan has chosen."""
        with self._transaction() as db:
            count = db.execute("SELECT count(*) FROM chosen WHERE plan = ?", (plan,)).fetchone()[0]
            rows = (
                (plan, count + number, json.dumps(table), deal)
                for number, (table, deal) in enumerate(blocks)
            )
            db.executemany("INSERT INTO chosen VALUES (?, ?, ?, ?)", rows)

    def chosen(self, plan: int) -> list[tuple[tuple[int, ...], int]]:
        """Return the deal blocks, (table, deal), that an adaptive plan has chosen, in order."""
        rows = self._rows("SELECT bots, deal FROM chosen WHERE plan = ? ORDER BY number", plan)
        what = f"the list of deals chosen by plan {plan}"
        return [(tuple(self._plain(what, bots, list)), deal) for bots, deal in rows]

    def makeups(self) -> dict[str, dict[str, Any]]:
        """Return the makeup of every bot as {digest: makeup}."""
        rows = self._rows("SELECT digest, makeup FROM bots")
        return {digest: self._plain(f"bot {digest}", makeup, dict) for digest, makeup in rows}

    def count_games(self, digest: str) -> int:
        """Return the number of games that a bot played."""
        return int(self._rows("SELECT count(DISTINCT id) FROM seats WHERE bot = ?", digest)[0][0])

    def engines(self, game: str, bots: Collection[str]) -> dict[str, int]:
        """Return, by engine, the number of games in which only these bots played."""
        query = (
            "SELECT engine, count(*) FROM games WHERE game = ? AND NOT EXISTS ("
            "SELECT 1 FROM seats WHERE seats.id = games.id "
            "AND bot NOT IN (SELECT value FROM json_each(?))) GROUP BY engine"
        )
        return dict(self._rows(query, game, json.dumps(list(bots))))

    def select(self, ids: Iterable[str]) -> None:
        """Select the games to which methods with `selected` are limited."""
        with self._explained():
            self._db.execute("DROP TABLE IF EXISTS temp.selection")
            self._db.execute(
                "CREATE TEMP TABLE selection (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"
            )
            self._db.execute("BEGIN")
            # sorted, because inserting in order is several times faster
            rows = ((identity,) for identity in sorted(ids))
            self._db.executemany("INSERT OR IGNORE INTO selection VALUES (?)", rows)
            self._db.execute("COMMIT")

    def count_missing(self) -> int:
        """Return the number of selected games that are not stored; see `identities`."""
        query = (
            "SELECT (SELECT count(*) FROM temp.selection) - count(*) FROM games "
            f"WHERE failed <> ? AND {SELECTED_GAMES}"
        )
        return int(self._rows(query, UNKNOWN_FAILURE)[0][0])

    def count_others(self) -> int:
        """Return the number of stored games that are not selected."""
        query = (
            "SELECT count(*) FROM games WHERE id NOT IN (SELECT id FROM temp.selection) "
            "AND failed <> ?"
        )
        return int(self._rows(query, UNKNOWN_FAILURE)[0][0])

    def groups(
        self, where: Mapping[str, Any] | None = None, *, selected: bool = False
    ) -> list[tuple[str, str, str]]:
        """Return every (game, options, engine) of the games, limited as in `results`."""
        condition, values = _make_condition(where, selected)
        return self._rows(
            "SELECT DISTINCT game, options, engine FROM games "
            f"WHERE {condition} ORDER BY game, options, engine",
            *values,
        )

    def drop(self, engine: str) -> int:
        """Delete all games of an engine; return their number."""
        with self._transaction() as db:
            for table in ("seats", "failures"):
                db.execute(
                    f"DELETE FROM {table} WHERE id IN (SELECT id FROM games WHERE engine = ?)",
                    (engine,),
                )
            return db.execute("DELETE FROM games WHERE engine = ?", (engine,)).rowcount

    def names(self) -> dict[str, str]:
        """Return the latest name of every bot as {digest: name}; names need not be unique."""
        return dict(self._rows("SELECT digest, name FROM bots ORDER BY name, digest"))

    def bots(self) -> dict[str, str]:
        """Return a unique name for every bot as {digest: name}.

        If several bots have the same name, the one in a current plan keeps it, and the digest is
        appended to the names of the other bots.
        """
        names = self.names()
        mine = {digest for plan in self.plans().values() for digest in plan.get("digests", ())}
        count = Counter(names.values())
        count_mine = Counter(names.get(digest) for digest in mine)
        return {
            digest: name
            if count[name] == 1 or (digest in mine and count_mine[name] == 1)
            else f"{name}@{digest}"
            for digest, name in names.items()
        }

    def find_versions(self) -> dict[str, list[str]]:
        """Return the names that several bots with stored games of the same game have had.

        The values are the unique names of these bots; see `bots`. Bots that played different games
        are not compared, because weights for single games make the digest depend on the game.
        """
        rows = self._rows(
            "SELECT DISTINCT game, name, digest FROM games JOIN seats USING (id) "
            "JOIN bots ON bots.digest = seats.bot ORDER BY game, name, digest"
        )
        unique = self.bots()
        versions: dict[str, list[str]] = {}
        for (_, name), same in groupby(rows, itemgetter(0, 1)):
            digests = [row[2] for row in same]
            if len(digests) > 1:
                bots = versions.setdefault(name, [])
                bots += [unique[one] for one in digests if unique[one] not in bots]
        return versions

    def identities(self) -> set[str]:
        """Return the identities of all stored games except those lost to an unknown failure.

        Lost games count as not played, and `add` replaces them.
        """
        rows = self._rows("SELECT id FROM games WHERE failed <> ?", UNKNOWN_FAILURE)
        return {row[0] for row in rows}

    def add(self, fixture: Fixture, outcome: Outcome, engine: str) -> bool:
        """Store a game by `engine` in one transaction; return False if it was already stored."""
        failure, retried = outcome.failure, outcome.retried
        failed = NO_FAILURE if failure is None else failure.seat
        row = vars(fixture) | {
            "engine": engine,
            "players": len(fixture.bots),
            "plies": outcome.plies,
            "seconds": outcome.total_seconds,
            "cpu": outcome.total_cpu,
            "failed": UNKNOWN_FAILURE if failed is None else failed,
            "record": zlib.compress(outcome.record.encode()),
        }
        with self._transaction() as db:
            lost = (fixture.id, UNKNOWN_FAILURE)
            if db.execute("SELECT 1 FROM games WHERE id = ? AND failed = ?", lost).fetchone():
                for table in ("seats", "failures", "games"):
                    db.execute(f"DELETE FROM {table} WHERE id = ?", (fixture.id,))
            added = db.execute(
                "INSERT OR IGNORE INTO games VALUES (:id, :game, :engine, :options, :players, "
                ":block, :deal, :rotation, :plies, :seconds, :cpu, :failed, :record)",
                row,
            ).rowcount
            if not added:
                return False
            db.executemany(
                "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _seat_rows(fixture, outcome),
            )
            if self._run is not None:
                db.execute(
                    "UPDATE runs SET ended = max(ended, ?), games = games + 1 "
                    "WHERE started = ? AND machine = ?",
                    (time.time(), *self._run),
                )
            for attempt, one in enumerate([*retried, failure] if failure else retried):
                where = {"id": fixture.id, "attempt": attempt, "counted": attempt == len(retried)}
                bot = None if one.seat is None else fixture.bots[one.seat]
                db.execute(
                    "INSERT INTO failures VALUES "
                    "(:id, :attempt, :counted, :kind, :seat, :bot, :ply, :message, :details)",
                    vars(one) | where | {"bot": bot},
                )
        return True

    def results(
        self,
        names: Mapping[str, str],
        where: Mapping[str, Any] | None = None,
        *,
        selected: bool = False,
    ) -> Results:
        """Return the games between the bots `names` (digest to name) as columns.

        `where` limits the games to those with the given values in columns of CHOICES, and
        `selected` limits them to the selected games. Games are ordered by block and rotation.
        """
        condition, values = _make_condition(where, selected)
        games = self._read_columns(
            f"SELECT id, block, rotation, players, failed FROM games WHERE {condition}",
            values,
            ("S", "S", np.int32, np.int32, np.int32),
        )
        builder = ResultsBuilder(tuple(names.values()), games)
        del games
        number = {digest: index for index, digest in enumerate(names)}
        for rows in self._chunks(
            "SELECT id, seat, bot, rank, score, turns, seconds, cpu FROM seats"
            + (f" WHERE {SELECTED}" if selected else ""),
            (),
        ):
            id_, seat, bot, *rest = zip(*rows, strict=True)
            builder.add(id_, seat, [number.get(digest, NO_BOT) for digest in bot], rest)
        return builder.finish()

    def _chunks(self, query: str, values: Sequence[Any]) -> Iterator[list[Any]]:
        """Yield the rows of a query in lists of at most CHUNK."""
        with self._explained():
            cursor = self._db.execute(query, values)
            while rows := cursor.fetchmany(CHUNK):
                yield rows

    def _read_columns(
        self, query: str, values: Sequence[Any], types: Sequence[Any]
    ) -> list[NDArray[Any]]:
        """Return the columns of a query as arrays of these types, where "S" is ASCII text."""
        parts: list[list[NDArray[Any]]] = [[np.array([], dtype)] for dtype in types]
        for rows in self._chunks(query, values):
            for part, column, dtype in zip(parts, zip(*rows, strict=True), types, strict=True):
                part.append(_make_array(column, dtype))
        return [np.concatenate(part) for part in parts]

    def games(
        self, where: Mapping[str, Any] | None = None, *, selected: bool = False
    ) -> Iterator[GameRow]:
        """Yield the stored games, limited as in `results`, ordered by block and rotation."""
        condition, values = _make_condition(where, selected)
        names = self.bots()
        columns = ("id", "game", "options", "players", "block", "deal", "rotation", "plies",
                   "failed")  # fmt: skip
        rows = self._each(
            f"SELECT {', '.join(columns)}, bot, score, rank "
            f"FROM games JOIN seats USING (id) WHERE {condition} "
            "ORDER BY block, rotation, id, seat",
            *values,
        )
        for head, seats in groupby(rows, itemgetter(slice(len(columns)))):
            bots, scores, ranks = zip(*(row[len(columns) :] for row in seats), strict=True)
            yield GameRow(
                **dict(zip(columns, head, strict=True)),
                bots=[names.get(bot, bot) for bot in bots],
                scores=list(scores),
                ranks=list(ranks),
            )

    def failures(
        self, where: Mapping[str, Any] | None = None, *, selected: bool = False
    ) -> list[FailureRow]:
        """Return the failures in games limited as in `results`, ordered by game and attempt."""
        condition, values = _make_condition(where, selected)
        names = self.bots()
        columns = tuple(column.name for column in fields(FailureRow))
        rows = self._each(
            f"SELECT {', '.join(f'failures.{name}' for name in columns)} "
            f"FROM failures JOIN games USING (id) WHERE {condition} ORDER BY id, attempt",
            *values,
        )
        data = (dict(zip(columns, row, strict=True)) for row in rows)
        return [
            FailureRow(
                **one | {"counted": bool(one["counted"]), "bot": names.get(one["bot"], one["bot"])}
            )
            for one in data
        ]

    def find(self, prefix: str) -> list[str]:
        """Return the identities that start with `prefix`."""
        query = "SELECT id FROM games WHERE substr(id, 1, ?) = ? ORDER BY id"
        return [row[0] for row in self._rows(query, len(prefix), prefix)]

    def record(self, identity: str) -> str:
        """Return the record of a game as one line."""
        for record in self._records("id = ?", identity):
            return record
        raise TrajanError(f"{self.path}: there is no game {identity!r}")

    def records(self, *, selected: bool = False) -> Iterator[str]:
        """Yield the records as lines, ordered by identity."""
        return self._records(_make_condition(None, selected)[0])

    def _records(self, condition: str, *values: Any) -> Iterator[str]:
        query = f"SELECT id, record FROM games WHERE {condition} ORDER BY id"
        for identity, record in self._each(query, *values):
            try:
                yield zlib.decompress(record).decode()
            except (zlib.error, UnicodeDecodeError) as error:
                raise self.describe_damage(f"the record of game {identity}", error) from None

    def _plain(self, what: str, text: str, expected: type[Plain]) -> Plain:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.describe_damage(what, error) from None
        if not isinstance(data, expected):
            raise self.describe_damage(what, f"not a {expected.__name__}")
        return data

    def describe_damage(self, what: str, why: object) -> TrajanError:
        """Return the error for a damaged row."""
        return TrajanError(
            f"{self.path}: {what} is damaged ({why}); restore the file from a copy, or play the "
            "plan in another folder"
        )

    def measure_harness(self) -> float:
        """Return what fraction of the CPU time in complete selected games was not used by bots."""
        condition = f"failed = {NO_FAILURE} AND {SELECTED_GAMES}"
        ((games,),) = self._rows(f"SELECT total(cpu) FROM games WHERE {condition}")
        query = f"SELECT total(seats.cpu) FROM games CROSS JOIN seats USING (id) WHERE {condition}"
        ((bots,),) = self._rows(query)
        return round(1.0 - bots / games, 4) if games else 0.0

    def merge(self, other: str | os.PathLike[str]) -> int:
        """Add the games of another store that this one does not contain; return their number."""
        with Store(other) as source:
            path = source.path
            plans = [(plan, source.chosen(number)) for number, plan in source.plans().items()]
        before = len(self.identities())
        with self._explained():
            self._db.execute("ATTACH DATABASE ? AS other", (str(path),))
        try:
            self._check_engines(path)
            # A store of 0.4.0 without write access lacks this table.
            source_runs = self._rows("SELECT 1 FROM other.sqlite_master WHERE name = 'runs'")
            with self._transaction() as db:
                db.execute("INSERT OR IGNORE INTO main.bots SELECT * FROM other.bots")
                # Only whole games are copied, since attempts may have failed differently in the
                # stores.
                for table in ("failures", "seats", "games"):
                    db.execute(
                        f"INSERT INTO main.{table} SELECT * FROM other.{table} "
                        "WHERE id NOT IN (SELECT id FROM main.games)"
                    )
                if source_runs:
                    db.execute("INSERT OR IGNORE INTO main.runs SELECT * FROM other.runs")
                for plan, chosen in plans:
                    _merge_plan(db, plan, chosen)
        finally:
            with self._explained():
                self._db.execute("DETACH DATABASE other")
        return len(self.identities()) - before

    def _check_engines(self, other: Path) -> None:
        """Raise TrajanError if games of the attached store were played by another engine."""
        query = (
            "SELECT ours.game, ours.engine, theirs.engine "
            "FROM (SELECT DISTINCT game, engine FROM main.games) AS ours "
            "JOIN (SELECT DISTINCT game, engine FROM other.games) AS theirs USING (game) "
            "WHERE ours.engine <> theirs.engine LIMIT 1"
        )
        for game, ours, theirs in self._rows(query):
            raise _describe_engines(game, (self.path, ours), (other, theirs))


def check_sources(
    folders: Iterable[str | os.PathLike[str]], target: str | os.PathLike[str]
) -> None:
    """Raise TrajanError if the stores in `folders` cannot all be merged into that in `target`.

    The target need not exist. It must not be among the sources, one engine must have played all
    stored games of the same game, and no record of a source may be damaged.
    """
    engines: dict[str, tuple[Path, str]] = {}
    into = Path(target).resolve()
    sources = {Path(folder).resolve(): folder for folder in folders}
    if into in sources:
        raise TrajanError(
            f"{sources[into]}: is both a source and the target of the merge; remove it "
            "from the sources, because the target keeps its games"
        )
    if (into / FILE).exists():
        sources = {into: target} | sources
    for path, folder in sources.items():
        with Store(folder) as store:
            for game, _, engine in store.groups():
                first = engines.setdefault(game, (store.path, engine))
                if first[0] != store.path and first[1] != engine:
                    raise _describe_engines(game, first, (store.path, engine))
            if path != into:
                for _ in store.records():  # raises if a record is damaged
                    pass


def _describe_engines(game: str, ours: tuple[Path, str], theirs: tuple[Path, str]) -> TrajanError:
    """Return the error for two stores, given with their engines, that must not be merged."""
    return TrajanError(
        f"{theirs[0]}: its games of {game} were played by engine {theirs[1]}, but those of "
        f"{ours[0]} by {ours[1]}, which must not be rated together; keep both folders"
    )


def _merge_plan(
    db: sqlite3.Connection,
    plan: Mapping[str, Any],
    chosen: Sequence[tuple[tuple[int, ...], int]],
) -> None:
    """Add a current plan of another store, unless this store contains it."""
    added = db.execute(
        "INSERT OR IGNORE INTO main.plans (plan, current) VALUES (?, 1)",
        (json.dumps(plan, sort_keys=True),),
    )
    if added.rowcount:
        rows = [
            (added.lastrowid, number, json.dumps(table), deal)
            for number, (table, deal) in enumerate(chosen)
        ]
        db.executemany("INSERT INTO main.chosen VALUES (?, ?, ?, ?)", rows)


def _seat_rows(fixture: Fixture, outcome: Outcome) -> list[tuple[Any, ...]]:
    empty: Sequence[int | None] = [None] * len(fixture.bots)
    scores, ranks = outcome.scores or empty, outcome.ranks or empty
    times = outcome.times
    columns = (times.turns, times.seconds, times.cpu, times.longest)
    rows = zip(fixture.bots, scores, ranks, *columns, strict=True)
    return [(fixture.id, seat, *row) for seat, row in enumerate(rows)]


# Columns by which games can be limited.
CHOICES = ("game", "engine", "options", "players", "deal")
CHUNK = 10_000  # rows that are converted to arrays at a time
SELECTED = "id IN (SELECT id FROM temp.selection)"
# With the plus, SQLite scans an index; without it, SQLite would look up each selected game.
SELECTED_GAMES = f"+games.{SELECTED}"


def _make_condition(where: Mapping[str, Any] | None, selected: bool) -> tuple[str, list[Any]]:
    where = where or {}
    assert set(where) <= set(CHOICES), f"games are limited by {CHOICES}, got {set(where)}"
    parts = [f"games.{key} = ?" for key in where]
    if selected:
        parts.append(SELECTED_GAMES)
    return " AND ".join(parts) or "1", list(where.values())


def _make_array(values: Sequence[Any], dtype: Any) -> NDArray[Any]:
    if dtype == "S":
        return np.array([value.encode() for value in values])
    return np.array(values, dtype)


class ResultsBuilder:
    """Builds `Results` from games, and from seats in chunks, without a Python object per game.

    `games` are the columns id, block, rotation, players and failed.
    """

    def __init__(self, names: tuple[str, ...], games: Sequence[NDArray[Any]]) -> None:
        self.names = names
        order = np.argsort(games[0])
        self.ids, blocks, self.rotations, self.players, self.failed = (
            column[order] for column in games
        )
        self.blocks = np.unique(blocks, return_inverse=True)[1].astype(np.int32)
        shape = (len(self.ids), SEATS)
        self.seats = np.full(shape, NO_BOT, np.int32)
        self.ranks = np.zeros(shape, np.int32)
        self.scores = np.full(shape, math.nan)
        self.turns = np.zeros(shape, np.int32)
        self.seconds = np.zeros(shape, np.float32)
        self.cpu = np.zeros(shape, np.float32)

    def add(
        self, ids: Sequence[str], seats: Sequence[int], bots: Sequence[int], rest: Sequence[Any]
    ) -> None:
        """Add the results of seats; `rest` contains ranks, scores, turns and times.

        Seats of games that are not among `ids` are ignored.
        """
        if not len(self.ids):
            return
        keys = _make_array(ids, "S")
        rows = np.searchsorted(self.ids, keys)
        mine = self.ids[np.minimum(rows, len(self.ids) - 1)] == keys
        at = rows[mine], np.array(seats)[mine]
        self.seats[at] = np.array(bots)[mine]
        self.ranks[at] = np.array([rank or 0 for rank in rest[0]])[mine]
        self.scores[at] = np.array(rest[1], dtype=np.float64)[mine]  # None becomes nan
        for column, values in zip((self.turns, self.seconds, self.cpu), rest[2:], strict=True):
            column[at] = np.array(values)[mine]

    def finish(self) -> Results:
        """Return the games in which all bots are known, ordered by block and rotation."""
        places = np.arange(SEATS) < self.players[:, None]
        rated = ~((self.seats == NO_BOT) & places).any(axis=1)
        order = np.lexsort((self.rotations, self.blocks))
        order = order[rated[order]]
        block = np.unique(self.blocks[order], return_inverse=True)[1].astype(np.int32)
        names = ("players", "seats", "ranks", "scores", "failed", "turns", "seconds", "cpu")
        for name in names:  # one at a time, since each needs a copy
            setattr(self, name, getattr(self, name)[order])
        columns = {name: getattr(self, name) for name in names}
        return Results(bots=self.names, block=block, **columns)
