"""Fault injection: tournaments with simulated faults, which must not change any result.

    python tests/simulation/fault_injection.py --seed 7            # print one episode
    python tests/simulation/fault_injection.py --first 0 --faults 1000000

An episode plays one plan in several runs with faults, and finally in a run without faults. The
results must equal those of the same plan played without faults, and those of its games played
without a harness.
"""

import argparse
import functools
import gc
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

from faulty_disk import FaultyDisk
from simulated_run import BOTS, PATIENCE, Killed, SimulatedRun, expect_result

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import Document
from trajan_ai.tournaments import backends, game_task, guard, pool, runner, schedule, store
from trajan_ai.tournaments.plan_file import parse_plan
from trajan_ai.tournaments.store import FILE, Store

MEMORY = Path("/dev/shm")
MAX_RUNS = 5
MAX_LINES = 6000  # lines of the harness that may run before a fault at a random line
TRACED = {module.__file__ for module in (backends, guard, pool, runner, schedule, store)}
NIM = "trajan_ai.games.reference:NIM"


@functools.cache
def make_plan(kind, number):
    """Return a plan of the given kind, with bots that behave differently."""
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
    data = {"name": "faults", "game": NIM, "seed": number, "limits": limits}
    return parse_plan(Document("faults", data | keys | {"bots": bots}, {}))


class Recording(Store):
    """A store that collects the games that it has reported as stored."""

    reported: set[str]

    def add(self, fixture, outcome, engine):
        added = super().add(fixture, outcome, engine)
        if added:
            self.reported.add(fixture.id)
        return added


class Trap:
    """A context in which `strike` is called at the n-th line that the harness executes."""

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
    def stream(self, tasks):
        raise AssertionError("two runs write to one folder")
        yield

    def close(self): ...


def dump(folder, plan):
    """Return all data of the store that must not depend on faults."""
    with Store(folder) as store:
        failures = [vars(row) for row in store.failures() if row.counted]
        for row in failures:
            del row["attempt"]
        data = {
            "games": [vars(row) for row in store.games()],
            "records": list(store.records()),
            "failures": failures,
            "chosen": store.chosen(next(iter(store.plans()))) if plan.adaptive else None,
        }
    return json.dumps(data)


def scratch():
    return tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.exists() else None)


def play_calmly(plan, folder):
    simulated = SimulatedRun(0)
    simulated.begin(calm=True)
    backend = simulated.backend("loky", 1, lambda: None)
    return runner.run(plan, folder, 1, backend=backend)


@functools.cache
def run_undisturbed(kind, number):
    """Return the contents after a run without faults, why the run ended, and the possible ids."""
    plan = make_plan(kind, number)
    with scratch() as folder:
        state = play_calmly(plan, folder)
        every = schedule.Schedule(plan)
        # the maximum number of deals of one table
        most = plan.settings.deals * (len(every.tables) if plan.adaptive else 1)
        blocks = (every.block(table, deal) for table in every.tables for deal in range(most))
        by_id = {one.id: one for block in blocks for one in block.fixtures}
        with Store(folder) as store:
            failures = {row.id: row for row in store.failures() if row.counted}
            for game in store.games():
                failure = failures.get(game.id)
                outcome = (failure and failure.seat, failure and failure.kind)
                scores = None if failure else game.scores
                planned = expect_result(runner.make_task(plan, by_id[game.id]))
                assert (*outcome, scores) == planned, (game, failure, planned)
        return dump(folder, plan), state.ended, set(by_id)


class Episode:
    """The runs that belong to one seed, as described at the beginning of this file."""

    def __init__(self, seed, trace=None):
        self.simulated = SimulatedRun(seed, trace)
        random = self.simulated.random
        kind = random.choice(("plain",) * 12 + ("test", "stop", "informative"))
        self.kind, self.number = kind, random.randrange(4) if kind == "plain" else 0
        self.plan = make_plan(self.kind, self.number)
        self.whole, self.ended, self.possible = run_undisturbed(self.kind, self.number)
        self.reported = {}  # the games that the store reported as stored, by folder
        self.readers = []

    def play(self):
        """Play the episode and return its faults.

        Raise AssertionError, or any unexpected error of the harness.
        """
        simulated = self.simulated
        simulated.trace(f"plan {self.kind} {self.number}")
        with (
            scratch() as folder,
            FaultyDisk(folder, simulated.disk) as self.disk,
            mock.patch.object(runner, "Store", Recording),
        ):
            here, there = Path(folder, "here"), Path(folder, "there")
            for _ in range(simulated.random.randint(1, MAX_RUNS)):
                self.disturb(here)
            if simulated.random.random() < 0.2:
                for _ in range(simulated.random.randint(1, 2)):
                    self.disturb(there)
                if (there / FILE).exists():
                    self.merge_with_faults(here, there)
            self.complete(here)
        return simulated.faults

    def run(self, folder):
        simulated = self.simulated
        Recording.reported = self.reported.setdefault(folder, set())
        kind = simulated.random.choice(("loky", "loky", "dask"))
        jobs = simulated.random.randint(1, 4)
        backend = simulated.backend(kind, jobs, lambda: self.meanwhile(folder))
        simulated.trace(f"a run in {folder.name} on {kind}, {jobs} jobs")
        return runner.run(self.plan, folder, jobs, backend=backend)

    def run_with_faults(self, action):
        """Run an action with faults; return its result, or None if the runner was killed.

        If Ctrl-C or a TrajanError ended the action, return a text that names the reason.
        """
        simulated = self.simulated
        simulated.begin()
        before = simulated.faults.copy()
        trap = Trap(0, None)
        if simulated.random.random() < 0.3:
            kill = simulated.random.random() < 0.7
            lines = int(MAX_LINES ** simulated.random.random())
            trap = Trap(lines, self.kill_here if kill else self.interrupt_here)
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
            faults = simulated.faults - before
            causes = [kind for kind in faults if re.search("fail|full|lost", kind)]
            assert causes or simulated.dead, f"an error without a cause: {result}"
            if "disk full" in faults and " full" in result:
                assert "make room" in result
        simulated.trace(f"ended: {getattr(result, 'ended', result)}")
        if self.disk.files > 2 * len(self.readers):
            self.end_process(result)
        result = None if simulated.dead else result
        simulated.begin(calm=True)
        for reader in self.readers:
            reader.close()
        self.readers.clear()
        assert self.disk.files == 0, "a connection was left open"
        return result

    def end_process(self, ended):
        """Close open connections, as the operating system does when a process ends."""
        gc.collect()
        if ended in ("killed", "interrupted") or self.simulated.dead:
            others = [reader._db for reader in self.readers]
            for thing in gc.get_objects():
                if isinstance(thing, sqlite3.Connection) and thing not in others:
                    thing.close()

    def kill_here(self):
        self.simulated.count("runner killed at any line")
        self.simulated.dead = True
        raise Killed

    def interrupt_here(self):
        self.simulated.count("Ctrl-C at any line")
        raise KeyboardInterrupt

    def disturb(self, folder):
        """Check that a run with faults reports its result correctly and loses no stored game."""
        before = len(self.reported.get(folder, ()))
        state = self.run_with_faults(lambda: self.run(folder))
        stored = self.check(folder)
        if not isinstance(state, runner.TournamentRun):
            return
        new = len(stored) - before
        if state.interrupted:
            assert state.ended == "interrupted"
            assert new - 1 <= state.played <= new
            return
        assert state.played == new
        assert state.missing == len({*state.schedule.ids()} - stored)
        assert state.missing == 0 or state.ended.startswith("incomplete, ")
        assert state.missing > 0 or state.ended == self.ended

    def merge_with_faults(self, here, there):
        """Merge another folder three times with faults, and check the stored games each time."""
        for _ in range(3):
            before = self.reported.setdefault(here, set())
            added = self.run_with_faults(lambda: self.merge(here, there))
            stored = self.check(here)
            if isinstance(added, int):
                assert stored == before | self.reported[there]
            before |= stored

    def merge(self, here, there):
        with Store(here, create=True) as store:
            return store.merge(there)

    def meanwhile(self, folder):
        """Let a second runner or a reader access the folder during a run."""
        simulated = self.simulated
        if simulated.strikes("second runner"):
            try:
                runner.run(self.plan, folder, 1, backend=Refusing())
            except TrajanError:
                return
            raise AssertionError("two runs in one folder")
        if simulated.strikes("reader"):
            try:
                reader = Store(folder)
            except TrajanError:
                return
            self.readers.append(reader)
            assert self.reported[folder] <= reader.identities() <= self.possible

    def check(self, folder):
        """Check that no reported game is lost, and that no impossible game is stored."""
        if not (folder / FILE).exists():
            assert not self.reported.get(folder)
            return set()
        with Store(folder) as store:
            stored = store.identities()
            if self.simulated.random.random() < 0.1:
                assert len([*store.games()]) == len(stored)
        # A process may be killed after the store has committed a game but before it reports this,
        # so the store may contain more games than were reported.
        assert self.reported.get(folder, set()) <= stored <= self.possible
        self.reported[folder] = stored
        return stored

    def complete(self, folder):
        """Check that a run without faults completes the plan."""
        self.simulated.begin(calm=True)
        self.simulated.trace("now nothing goes wrong")
        state = self.run(folder)
        assert (state.missing, state.ended) == (0, self.ended)
        assert dump(folder, self.plan) == self.whole, "other results than without faults"


def simulate(seed, trace=None):
    """Play an episode and return its faults; errors contain the command that repeats it."""
    with mock.patch.object(game_task, "get_engine_signature", return_value="0123456789ab"):
        try:
            return Episode(seed, trace).play()
        except Exception as error:
            repeat = f"python tests/simulation/fault_injection.py --seed {seed}"
            raise AssertionError(f"seed {seed}: {error!r}; to repeat it: {repeat}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, help="play one episode and print its faults")
    parser.add_argument("--first", type=int, default=0, help="first seed of several episodes")
    parser.add_argument("--faults", type=int, default=10_000, help="minimum number of faults")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        simulate(arguments.seed, print)
        return
    faults, seed, begin = Counter(), arguments.first, time.monotonic()
    while faults.total() < arguments.faults:
        faults += simulate(seed)
        seed += 1
    episodes, seconds = seed - arguments.first, time.monotonic() - begin
    print(f"{faults.total()} faults in {episodes} episodes, {seconds:.0f} s, no result changed")
    for kind, count in faults.most_common():
        print(f"{count:9}  {kind}")


if __name__ == "__main__":
    main()
