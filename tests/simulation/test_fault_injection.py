"""Fault injection changes no result of a tournament, and it detects mutants of the harness."""

import _sqlite3
import ctypes
import itertools
import re
from collections import Counter, deque
from contextlib import contextmanager

import fault_injection
import pytest
from simulated_run import CHANCES

from trajan_ai.tournaments import guard, runner
from trajan_ai.tournaments.store import Store

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(_sqlite3.__file__), "sqlite3_vfs_find"),
    reason="the SQLite of this Python cannot be accessed",
)
FAULTS = 2500
MAX_EPISODES = 150  # episodes within which a mutant must be detected


@pytest.mark.slow
def test_thousands_of_faults_change_no_result():
    faults = Counter()
    for seed in itertools.count():
        faults += fault_injection.simulate(seed)
        if faults.total() >= FAULTS:
            break
    assert set(faults) <= {*CHANCES, "runner killed at any line", "Ctrl-C at any line"}
    assert len(faults) > 20


def ignore_suspension(patch):
    """Charge the bot being called also for time in which no process ran."""

    def waited(self, call):
        now = self._clock()
        self._seconds = self._seconds + now - self._checked if call == self._call else 0.0
        self._call, self._checked = call, now
        return self._seconds

    patch.setattr(guard.Patience, "waited", waited)


def store_rows_separately(patch):
    """Store every row separately, instead of storing a game and its seats in one transaction."""

    @contextmanager
    def transaction(self):
        with self._explained():
            yield self._db

    patch.setattr(Store, "_transaction", transaction)


def remove_lock(patch):
    @contextmanager
    def everybody(folder):
        yield

    patch.setattr(runner, "lock_folder", everybody)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutate",
    [ignore_suspension, store_rows_separately, remove_lock],
    ids=lambda mutate: mutate.__name__,
)
def test_a_mutant_is_detected(monkeypatch, mutate):
    for kind, number in [("plain", n) for n in range(4)] + [("test", 0), ("stop", 0)]:
        fault_injection.run_undisturbed(kind, number)  # cached before the mutation
    mutate(monkeypatch)
    with pytest.raises(AssertionError, match=r"fault_injection.py --seed \d+"):
        deque(map(fault_injection.simulate, range(MAX_EPISODES)), maxlen=0)


def test_the_same_seed_gives_the_same_faults():
    traces = [[], []]
    for lines in traces:
        fault_injection.simulate(6, lines.append)
    one, other = (re.sub(r"/\S*/tmp\w+/", "", "\n".join(lines)) for lines in traces)
    assert one == other
    assert len(traces[0]) > 10
