"""The store of a tournament: one SQLite file that is the truth about what was played.

One row per game, under the game's identity: the same game is never counted twice.
Every game is committed as it ends. Alone here there is SQL.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np

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
    plan TEXT NOT NULL UNIQUE,             -- JSON, see config.Plan.stored
    current INTEGER NOT NULL               -- 1: its games are what the folder is about
) STRICT;
CREATE TABLE IF NOT EXISTS chosen (        -- deal blocks that an adaptive plan has asked for
    plan INTEGER NOT NULL REFERENCES plans (number),
    number INTEGER NOT NULL,
    bots TEXT NOT NULL,                    -- JSON: the table, numbers of bots in the plan
    deal INTEGER NOT NULL,
    PRIMARY KEY (plan, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bots (
    digest TEXT PRIMARY KEY,               -- hash of the makeup
    name TEXT NOT NULL,                    -- as last used
    makeup TEXT NOT NULL                   -- JSON: what makes it play as it does
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,                   -- hash of bots by seat, game, options and deal
    game TEXT NOT NULL,
    engine TEXT NOT NULL,                  -- play signature of the engine for this game
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
        self._copy: tempfile.TemporaryDirectory[str] | None = None  # of what cannot be written
        if not create and not self.path.exists():
            raise TrajanError(
                f"{self.path}: there are no results; name the folder of a tournament"
            )
        with self._explained():
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # No more isolation than we ask for: transactions are opened by hand.
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
        """Whether we can write nothing there; a failing disk says nearly the same."""
        if "unable to open database" in str(error):
            return not os.access(self.path.parent, os.W_OK)
        return "readonly database" in str(error)

    def _connect_read_only(self) -> sqlite3.Connection:
        """Nobody can write where we cannot: reading needs no lock then, and no log but an old one.

        What a killed run has left in its log is read from a copy: only there it can be taken over.
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
        self._db.execute("PRAGMA synchronous = NORMAL")  # in WAL mode: safe against any kill
        self._db.executescript(_SCHEMA + f"PRAGMA user_version = {VERSION};")

    def _check_version(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise TrajanError(
                f"{self.path}: written by another version (format {version}, this one reads "
                f"{VERSION}); read it with the release that wrote it, or give another folder"
            )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, its log folded in."""
        self._db.close()
        if self._copy is not None:
            self._copy.cleanup()

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

    def _each(self, query: str, *values: Any) -> Iterator[Any]:
        """Yield the rows that a query finds."""
        with self._explained():
            yield from self._db.execute(query, values)

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return list(self._each(query, *values))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():  # SQLite would write on to what has no name
            raise TrajanError(
                f"{self.path}: deleted while it was in use, with every game; play them again"
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
        """Make `plan` the current one and return its number.

        `bots` are (digest, name, makeup as JSON) each. The plan has chosen no blocks yet.
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

    def plans(self) -> dict[int, dict[str, Any]]:
        """Return the current plans by number: one, or after a merge those of all its folders."""
        rows = self._rows("SELECT number, plan FROM plans WHERE current ORDER BY number")
        return {number: self._plain(f"plan {number}", plan, dict) for number, plan in rows}

    def restored(self) -> dict[int, Plan]:
        """Return the current plans, as they can be scheduled and rated."""
        plans = {}
        for number, data in self.plans().items():
            try:
                plans[number] = restore_plan(data)
            except (KeyError, TypeError, ValueError) as error:  # of pydantic, too
                raise self.damaged(f"plan {number}", type(error).__name__) from None
        return plans

    def choose(self, plan: int, blocks: Iterable[tuple[tuple[int, ...], int]]) -> None:
        """Note that an adaptive plan has chosen further deal blocks: (table, deal) each."""
        with self._transaction() as db:
            count = db.execute("SELECT count(*) FROM chosen WHERE plan = ?", (plan,)).fetchone()[0]
            rows = (
                (plan, count + number, json.dumps(table), deal)
                for number, (table, deal) in enumerate(blocks)
            )
            db.executemany("INSERT INTO chosen VALUES (?, ?, ?, ?)", rows)

    def chosen(self, plan: int) -> list[tuple[tuple[int, ...], int]]:
        """Return the deal blocks that an adaptive plan has chosen, in order: (table, deal)."""
        rows = self._rows("SELECT bots, deal FROM chosen WHERE plan = ? ORDER BY number", plan)
        what = f"deals chosen by plan {plan}"
        return [(tuple(self._plain(what, bots, list)), deal) for bots, deal in rows]

    def makeups(self) -> dict[str, dict[str, Any]]:
        """Return the makeup of every bot by digest."""
        rows = self._rows("SELECT digest, makeup FROM bots")
        return {digest: self._plain(f"bot {digest}", makeup, dict) for digest, makeup in rows}

    def games_of(self, digest: str) -> int:
        """Return the number of games in which a bot sat at the table."""
        return int(self._rows("SELECT count(DISTINCT id) FROM seats WHERE bot = ?", digest)[0][0])

    def engines(self, game: str, bots: Collection[str]) -> dict[str, int]:
        """Return how many games between only these bots each engine has played."""
        query = (
            "SELECT engine, count(*) FROM games WHERE game = ? AND NOT EXISTS ("
            "SELECT 1 FROM seats WHERE seats.id = games.id "
            "AND bot NOT IN (SELECT value FROM json_each(?))) GROUP BY engine"
        )
        return dict(self._rows(query, game, json.dumps(list(bots))))

    def groups(
        self, where: Mapping[str, Any] | None = None, ids: Collection[str] | None = None
    ) -> list[tuple[str, str, str]]:
        """Return every (game, options, engine) among the games, chosen as in `results`."""
        condition, values = _condition(where, ids)
        return self._rows(
            "SELECT DISTINCT game, options, engine FROM games "
            f"WHERE {condition} ORDER BY game, options, engine",
            *values,
        )

    def drop(self, engine: str) -> int:
        """Delete all games that an engine has played; return their number."""
        with self._transaction() as db:
            for table in ("seats", "failures"):
                db.execute(
                    f"DELETE FROM {table} WHERE id IN (SELECT id FROM games WHERE engine = ?)",
                    (engine,),
                )
            return db.execute("DELETE FROM games WHERE engine = ?", (engine,)).rowcount

    def names(self) -> dict[str, str]:
        """Return the names of all bots by digest, as last used; two bots may share one."""
        return dict(self._rows("SELECT digest, name FROM bots ORDER BY name, digest"))

    def bots(self) -> dict[str, str]:
        """Return names by digest that tell all bots apart.

        A name that two bots have had is the one's in a current plan; others get their digest.
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

    def identities(self) -> set[str]:
        """Return the identities of all stored games but those that nobody is known to have lost.

        These are as good as not played: `add` replaces them.
        """
        rows = self._rows("SELECT id FROM games WHERE failed <> ?", UNKNOWN_FAILURE)
        return {row[0] for row in rows}

    def add(self, fixture: Fixture, outcome: Outcome, engine: str) -> bool:
        """Store a game that `engine` played, in one transaction; False if it was there already."""
        failure, retried = outcome.failure, outcome.retried
        failed = NO_FAILURE if failure is None else failure.seat
        row = vars(fixture) | {
            "engine": engine,
            "players": len(fixture.bots),
            "plies": outcome.plies,
            "seconds": outcome.total_seconds,
            "cpu": outcome.total_cpu,
            "failed": UNKNOWN_FAILURE if failed is None else failed,
            "record": zlib.compress(outcome.record.encode(), 6),
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
            for attempt, told in enumerate([*retried, failure] if failure else retried):
                where = {"id": fixture.id, "attempt": attempt, "counted": attempt == len(retried)}
                bot = None if told.seat is None else fixture.bots[told.seat]
                db.execute(
                    "INSERT INTO failures VALUES "
                    "(:id, :attempt, :counted, :kind, :seat, :bot, :ply, :message, :details)",
                    vars(told) | where | {"bot": bot},
                )
        return True

    def results(
        self,
        names: Mapping[str, str],
        where: Mapping[str, Any] | None = None,
        ids: Collection[str] | None = None,
    ) -> Results:
        """Return the games between the bots `names` (digest to name) as columns.

        `where` limits them by equal values of the keys of CHOICES, `ids` to some games. Games are
        in the order of block and rotation.
        """
        number = {digest: index for index, digest in enumerate(names)}
        condition, values = _condition(where, ids)
        rows = self._each(
            "SELECT id, block, players, failed, bot, rank, score, turns, seats.seconds, seats.cpu "
            f"FROM games JOIN seats USING (id) WHERE {condition} {IN_ORDER}",
            *values,
        )
        return _columns(rows, number, tuple(names.values()))

    def games(
        self, where: Mapping[str, Any] | None = None, ids: Collection[str] | None = None
    ) -> list[GameRow]:
        """Return the stored games, chosen as in `results`, ordered by block and rotation."""
        condition, values = _condition(where, ids)
        names = self.bots()
        found: dict[str, GameRow] = {}
        for *row, bot, score, rank in self._each(
            "SELECT id, game, options, players, block, deal, rotation, plies, failed, "
            f"bot, score, rank FROM games JOIN seats USING (id) WHERE {condition} {IN_ORDER}",
            *values,
        ):
            game = found.setdefault(row[0], GameRow(*row))
            game.bots.append(names.get(bot, bot))
            game.scores.append(score)
            game.ranks.append(rank)
        return list(found.values())

    def failures(self, ids: Collection[str] | None = None) -> list[FailureRow]:
        """Return all failures, or those in some games, ordered by game and attempt."""
        names = self.bots()
        condition, values = _condition(None, ids)
        rows = self._rows(
            f"SELECT * FROM failures WHERE {condition} ORDER BY id, attempt", *values
        )
        return [
            FailureRow(id_, attempt, bool(counted), kind, seat, names.get(bot, bot), *rest)
            for id_, attempt, counted, kind, seat, bot, *rest in rows
        ]

    def find(self, prefix: str) -> list[str]:
        """Return the identities that begin with `prefix`."""
        query = "SELECT id FROM games WHERE substr(id, 1, ?) = ? ORDER BY id"
        return [row[0] for row in self._rows(query, len(prefix), prefix)]

    def record(self, identity: str) -> str:
        """Return the record of a game as one line."""
        for record in self.records([identity]):
            return record
        raise TrajanError(f"{self.path}: there is no game {identity!r}")

    def records(self, ids: Collection[str] | None = None) -> Iterator[str]:
        """Yield the records of all games, or of some, as lines, ordered by identity."""
        condition, values = _condition(None, ids)
        query = f"SELECT id, record FROM games WHERE {condition} ORDER BY id"
        for identity, record in self._each(query, *values):
            try:
                yield zlib.decompress(record).decode()
            except (zlib.error, UnicodeDecodeError) as error:
                raise self.damaged(f"the record of game {identity}", error) from None

    def _plain(self, what: str, text: str, expected: type[Plain]) -> Plain:
        """Return the data in a column that holds JSON."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(what, error) from None
        if not isinstance(data, expected):
            raise self.damaged(what, f"no {expected.__name__}")
        return data

    def damaged(self, what: str, why: object) -> TrajanError:
        """Return the error of a row that does not hold what it should."""
        return TrajanError(
            f"{self.path}: {what} is damaged ({why}); restore the file from a copy, or play the "
            "plan in another folder"
        )

    def harness_share(self, ids: Collection[str] | None = None) -> float:
        """Return the share of the CPU time of games that no failure ended that no bot spent."""
        condition, values = _condition(None, ids)
        condition += f" AND failed = {NO_FAILURE}"
        ((games,),) = self._rows(f"SELECT total(cpu) FROM games WHERE {condition}", *values)
        query = f"SELECT total(seats.cpu) FROM games JOIN seats USING (id) WHERE {condition}"
        ((bots,),) = self._rows(query, *values)
        return round(1.0 - bots / games, 4) if games else 0.0

    def merge(self, other: str | os.PathLike[str]) -> int:
        """Add the games of another store that this one lacks; return their number."""
        with Store(other) as source:
            path = source.path
            plans = [(plan, source.chosen(number)) for number, plan in source.plans().items()]
        before = len(self.identities())
        with self._explained():
            self._db.execute("ATTACH DATABASE ? AS other", (str(path),))
        try:
            self._check_engines(path)
            with self._transaction() as db:
                db.execute("INSERT OR IGNORE INTO main.bots SELECT * FROM other.bots")
                # Whole games: of one that both have, each may have failed in other attempts.
                for table in ("failures", "seats", "games"):
                    db.execute(
                        f"INSERT INTO main.{table} SELECT * FROM other.{table} "
                        "WHERE id NOT IN (SELECT id FROM main.games)"
                    )
                for plan, chosen in plans:
                    _merge_plan(db, plan, chosen)
        finally:
            with self._explained():
                self._db.execute("DETACH DATABASE other")
        return len(self.identities()) - before

    def _check_engines(self, other: Path) -> None:
        """Raise TrajanError if a game of ours and one of the attached store differ in engine."""
        for row in self._rows(
            "SELECT ours.game, ours.engine, theirs.engine "
            "FROM (SELECT DISTINCT game, engine FROM main.games) AS ours "
            "JOIN (SELECT DISTINCT game, engine FROM other.games) AS theirs USING (game) "
            "WHERE ours.engine <> theirs.engine LIMIT 1"
        ):
            raise TrajanError(
                f"{other}: its games of {row[0]} were played by engine {row[2]}, those of "
                f"{self.path} by {row[1]}; ratings would mix them: keep the folders apart"
            )


def _merge_plan(
    db: sqlite3.Connection,
    plan: Mapping[str, Any],
    chosen: Sequence[tuple[tuple[int, ...], int]],
) -> None:
    """Add a current plan of another store, unless it is here already."""
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


# Columns by which games are chosen.
CHOICES = ("game", "engine", "options", "players", "deal")
IN_ORDER = "ORDER BY block, rotation, id, seat"


def _condition(
    where: Mapping[str, Any] | None, ids: Collection[str] | None
) -> tuple[str, list[Any]]:
    where = where or {}
    assert set(where) <= set(CHOICES), f"games are chosen by {CHOICES}, got {set(where)}"
    parts, values = [f"games.{key} = ?" for key in where], list(where.values())
    if ids is not None:
        parts.append("id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(ids)))
    return " AND ".join(parts) or "1", values


def _columns(
    rows: Iterable[tuple[Any, ...]], number: Mapping[str, int], names: tuple[str, ...]
) -> Results:
    """Build the columns; games with a bot that has no number are left out."""
    blocks: dict[str, int] = {}
    heads: list[tuple[int, int, int]] = []
    seats: list[list[list[float]]] = []
    for (_, block, players, failed), game in groupby(rows, itemgetter(0, 1, 2, 3)):
        table = [
            [number.get(bot, NO_BOT), rank or 0, math.nan if score is None else score, *rest]
            for _, _, _, _, bot, rank, score, *rest in game
        ]
        if all(row[0] != NO_BOT for row in table):
            heads.append((blocks.setdefault(block, len(blocks)), players, failed))
            seats.append(table + [[NO_BOT, 0, math.nan, 0, 0.0, 0.0]] * (SEATS - players))
    head = np.array(heads, dtype=np.int64).reshape(-1, 3)
    columns = np.array(seats, dtype=np.float64).reshape(-1, SEATS, 6)
    return Results(
        names,
        head[:, 0],
        head[:, 1],
        columns[:, :, 0].astype(np.int64),
        columns[:, :, 1].astype(np.int64),
        columns[:, :, 2],
        head[:, 2],
        columns[:, :, 3].astype(np.int64),
        columns[:, :, 4],
        columns[:, :, 5],
    )
