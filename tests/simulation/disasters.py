"""Tournaments under simulated disasters: what one seed brings, and what must hold all the same.

    python tests/simulation/disasters.py --seed 7            # tell what happens
    python tests/simulation/disasters.py --first 0 --faults 1000000

An episode plays one plan in run after run, each ended by whatever its faults bring, then once
without any; results are those of a run that nothing disturbed, and of no harness at all.
"""

import argparse
import functools
import gc
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

from faulty_disk import FaultyDisk
from world import BOTS, PATIENCE, Killed, World, expected

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import Document
from trajan_ai.tournaments import backends, game_task, guard, pool, runner, schedule, store
from trajan_ai.tournaments.plan_file import parse_plan
from trajan_ai.tournaments.store import FILE, Store

MEMORY = Path("/dev/shm")
MAX_RUNS = 5
MAX_LINES = 6000  # of the harness that a run lives through before it is struck at any line
TRACED = {module.__file__ for module in (backends, guard, pool, runner, schedule, store)}
NIM = "trajan_ai.games.reference:NIM"


@functools.cache
def plan_of(kind, number):
    """Return a plan of one kind between bots of different behaviour."""
    keys = {
        "plain": {"bots": BOTS[: 3 + number], "deals": 4 - number},
        "test": {
            "bots": ("calm", "even"),
            "deals": 30,
            "batch": 4,
            "test": {"bot": "calm", "against": "even", "elo1": 150.0, "on": "margin"},
        },
        "stop": {"bots": ("calm", "raiser", "even"), "deals": 8, "batch": 6,
                 "stop": {"half_width": 500.0}},
        "informative": {"bots": BOTS[:4], "deals": 3, "batch": 5, "pairing": "informative"},
    }[kind]  # fmt: skip
    bots = [
        {"name": name, "kind": "ismcts", "iterations": 2 + BOTS.index(name)}
        for name in keys["bots"]
    ]
    limits = {"patience": PATIENCE, "retries": 1}
    data = {"name": "disaster", "game": NIM, "seed": number, "limits": limits}
    return parse_plan(Document("disaster", data | keys | {"bots": bots}, {}))


class Recording(Store):
    """The store, and what it said that it keeps."""

    kept: set[str]

    def add(self, fixture, outcome, engine):
        added = super().add(fixture, outcome, engine)
        if added:
            self.kept.add(fixture.id)
        return added


class Trap:
    """Strikes at the n-th line from now on that the harness executes."""

    def __init__(self, lines, strike):
        self.left = lines
        self.strike = strike

    def __enter__(self):
        sys.settrace(self._call)

    def __exit__(self, *exception):
        sys.settrace(None)

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename in TRACED else None

    def _line(self, frame, event, argument):
        if event == "line":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                self.strike()
        return self._line


class Refusing:
    """The backend of a run that must not begin."""

    def stream(self, tasks):
        raise AssertionError("two runs write to one folder")
        yield

    def close(self): ...


def dump(folder, plan):
    """Return everything in the store that must not depend on how it came there."""
    with Store(folder) as found:
        failures = [vars(row) for row in found.failures() if row.counted]
        for row in failures:
            del row["attempt"]
        data = {
            "games": [vars(row) for row in found.games()],
            "records": list(found.records()),
            "failures": failures,
            "chosen": found.chosen(next(iter(found.plans()))) if plan.adaptive else None,
        }
    return json.dumps(data)


def scratch():
    """Return a new folder in memory, where there is such; a context manager."""
    return tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.exists() else None)


def played(plan, folder):
    """Play a plan to its end, undisturbed."""
    world = World(0)
    world.begin(calm=True)
    backend = world.backend("loky", 1, lambda: None)
    return runner.run(plan, folder, 1, backend=backend)


@functools.cache
def undisturbed(kind, number):
    """Return what a plan's store holds after a run that nothing disturbed, and why it ended."""
    plan = plan_of(kind, number)
    with scratch() as folder:
        state = played(plan, folder)
        tables = schedule.list_tables(plan)
        most = plan.settings.deals * (len(tables) if plan.adaptive else 1)  # of one table
        blocks = (
            schedule.make_block(plan, table, deal) for table in tables for deal in range(most)
        )
        by_id = {one.id: one for block in blocks for one in block.fixtures}
        with Store(folder) as found:
            failures = {row.id: row for row in found.failures() if row.counted}
            for game in found.games():
                failure = failures.get(game.id)
                told = (failure and failure.seat, failure and failure.kind)
                scores = None if failure else game.scores
                wanted = expected(runner.make_task(plan, by_id[game.id]))
                assert (*told, scores) == wanted, (game, failure, wanted)
        return dump(folder, plan), state.ended, set(by_id)


class Episode:
    """What happens under one seed, see the head of this file."""

    def __init__(self, seed, told=None):
        self.world = World(seed, told)
        random = self.world.random
        kind = random.choice(("plain",) * 12 + ("test", "stop", "informative"))
        self.kind, self.number = kind, random.randrange(4) if kind == "plain" else 0
        self.plan = plan_of(self.kind, self.number)
        self.whole, self.ended, self.possible = undisturbed(self.kind, self.number)
        self.kept = {}  # by folder, what the store said that it keeps
        self.readers = []

    def play(self):
        """Live through it; raises AssertionError, or whatever nobody has foreseen."""
        world = self.world
        world.tell(f"plan {self.kind} {self.number}")
        with (
            scratch() as folder,
            FaultyDisk(folder, world.disk) as self.disk,
            mock.patch.object(runner, "Store", Recording),
        ):
            here, there = Path(folder, "here"), Path(folder, "there")
            for _ in range(world.random.randint(1, MAX_RUNS)):
                self.disturbed(here)
            if world.random.random() < 0.2:
                for _ in range(world.random.randint(1, 2)):
                    self.disturbed(there)
                if (there / FILE).exists():
                    self.merged(here, there)
            self.calm(here)
        return world.faults

    def run(self, folder):
        """Run the plan as somebody would; return how that ended, None if it was killed."""
        world = self.world
        Recording.kept = self.kept.setdefault(folder, set())
        kind = world.random.choice(("loky", "loky", "dask"))
        jobs = world.random.randint(1, 4)
        backend = world.backend(kind, jobs, lambda: self.meanwhile(folder))
        world.tell(f"a run in {folder.name} on {kind}, {jobs} jobs")
        return runner.run(self.plan, folder, jobs, backend=backend)

    def struck(self, action):
        """Do something under faults; return its result, or the word for what ended it."""
        world = self.world
        world.begin()
        before = world.faults.copy()
        trap = Trap(0, None)
        if world.random.random() < 0.3:
            kill = world.random.random() < 0.7
            lines = int(MAX_LINES ** world.random.random())
            trap = Trap(lines, self.killed_here if kill else self.interrupted_here)
        try:
            with trap:
                result = action()
        except Killed:
            result = "killed"
        except KeyboardInterrupt:
            result = "interrupted"
        except TrajanError as error:
            result = str(error)
            assert "\n" not in result
            faults = world.faults - before
            told = [kind for kind in faults if "fail" in kind or "full" in kind or "lost" in kind]
            assert told or world.dead, f"an error without a cause: {result}"
            if "disk full" in faults and " full" in result:
                assert "make room" in result
        world.tell(f"ended: {getattr(result, 'ended', result)}")
        if self.disk.files > 2 * len(self.readers):
            self.end_process(result)
        result = None if world.dead else result
        world.begin(calm=True)
        for reader in self.readers:
            reader.close()
        self.readers.clear()
        assert self.disk.files == 0, "a connection was left open"
        return result

    def end_process(self, ended):
        """Close what is open when a process ends, as the system does."""
        gc.collect()
        if ended in ("killed", "interrupted") or self.world.dead:
            others = [reader._db for reader in self.readers]
            for thing in gc.get_objects():
                if isinstance(thing, sqlite3.Connection) and thing not in others:
                    thing.close()

    def killed_here(self):
        self.world.count("runner killed at any line")
        self.world.dead = True
        raise Killed

    def interrupted_here(self):
        self.world.count("Ctrl-C at any line")
        raise KeyboardInterrupt

    def disturbed(self, folder):
        """A run under faults: whatever it says is true, and what was stored stays."""
        before = len(self.kept.get(folder, ()))
        state = self.struck(lambda: self.run(folder))
        stored = self.check(folder)
        if not isinstance(state, runner.TournamentRun):
            return
        new = len(stored) - before
        if state.interrupted:
            assert state.ended == "interrupted"
            assert new - 1 <= state.played <= new
            return
        assert state.played == new
        assert state.missing == len(
            {*schedule.generate_planned_ids(self.plan, state.chosen)} - stored
        )
        assert state.missing == 0 or state.ended.startswith("incomplete, ")
        assert state.missing > 0 or state.ended == self.ended

    def merged(self, here, there):
        """Another folder's games are added, under faults, until it works."""
        for _ in range(3):
            before = self.kept.setdefault(here, set())
            added = self.struck(lambda: self.merge(here, there))
            stored = self.check(here)
            if isinstance(added, int):
                assert stored == before | self.kept[there]
            before |= stored

    def merge(self, here, there):
        with Store(here, create=True) as found:
            return found.merge(there)

    def meanwhile(self, folder):
        """What others do while a run goes on."""
        world = self.world
        if world.strikes("second runner"):
            try:
                runner.run(self.plan, folder, 1, backend=Refusing())
            except TrajanError:
                return
            raise AssertionError("two runs in one folder")
        if world.strikes("reader"):
            try:
                reader = Store(folder)
            except TrajanError:
                return
            self.readers.append(reader)
            assert self.kept[folder] <= reader.identities() <= self.possible

    def check(self, folder):
        """Whatever happened: no game is lost that the store kept, none is there that is not."""
        if not (folder / FILE).exists():
            assert not self.kept.get(folder)
            return set()
        with Store(folder) as found:
            stored = found.identities()
            if self.world.random.random() < 0.1:
                assert len([*found.games()]) == len(stored)
        # At any line, one may be killed between the store's commit and our note of it.
        assert self.kept.get(folder, set()) <= stored <= self.possible
        self.kept[folder] = stored
        return stored

    def calm(self, folder):
        """A run that nothing disturbs completes whatever was left."""
        self.world.begin(calm=True)
        self.world.tell("now nothing goes wrong")
        state = self.run(folder)
        assert (state.missing, state.ended) == (0, self.ended)
        assert dump(folder, self.plan) == self.whole, "not the results of an undisturbed run"


def simulate(seed, told=None):
    """Live through an episode; raises AssertionError with what repeats it."""
    with mock.patch.object(game_task, "get_engine_signature", return_value="0123456789ab"):
        try:
            return Episode(seed, told).play()
        except Exception as error:
            repeat = f"python tests/simulation/disasters.py --seed {seed}"
            raise AssertionError(f"seed {seed}: {error!r}; to repeat it: {repeat}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, help="one episode, told")
    parser.add_argument("--first", type=int, default=0, help="of many episodes")
    parser.add_argument("--faults", type=int, default=10_000, help="go on for so many")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        simulate(arguments.seed, print)
        return
    faults, seed, begin = Counter(), arguments.first, time.monotonic()
    while faults.total() < arguments.faults:
        faults += simulate(seed)
        seed += 1
    episodes, seconds = seed - arguments.first, time.monotonic() - begin
    print(f"{faults.total()} faults in {episodes} episodes, {seconds:.0f} s, nothing was wrong")
    for kind, count in faults.most_common():
        print(f"{count:9}  {kind}")


if __name__ == "__main__":
    main()
