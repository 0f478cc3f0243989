"""A tournament survives whatever one seed brings, and the simulation notices when it does not."""

import _sqlite3
import ctypes
import itertools
import re
from collections import Counter, deque
from contextlib import contextmanager

import disasters
import pytest
from world import CHANCES

from trajan_ai.tournaments import guard, runner
from trajan_ai.tournaments.store import Store

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(_sqlite3.__file__), "sqlite3_vfs_find"),
    reason="this Python hides its SQLite",
)
FAULTS = 2500
MAX_EPISODES = 150  # until a planted fault must have been found


@pytest.mark.slow
def test_thousands_of_faults_change_no_result():
    faults = Counter()
    for seed in itertools.count():
        faults += disasters.simulate(seed)
        if faults.total() >= FAULTS:
            break
    assert set(faults) <= {*CHANCES, "runner killed at any line", "Ctrl-C at any line"}
    assert len(faults) > 20


def impatient(patch):
    """Time in which nobody ran is charged to the bot on call."""

    def waited(self, call):
        now = self._clock()
        self._seconds = self._seconds + now - self._checked if call == self._call else 0.0
        self._call, self._checked = call, now
        return self._seconds

    patch.setattr(guard.Patience, "waited", waited)


def half(patch):
    """Every row is stored by itself, not a game and its seats at once."""

    @contextmanager
    def transaction(self):
        with self._explained():
            yield self._db

    patch.setattr(Store, "_transaction", transaction)


def unlocked(patch):
    """Two runs may write to one folder."""

    @contextmanager
    def everybody(folder):
        yield

    patch.setattr(runner, "_lock", everybody)


@pytest.mark.slow
@pytest.mark.parametrize(
    "plant",
    [impatient, half, unlocked],
    ids=lambda plant: plant.__name__,
)
def test_a_planted_fault_is_found(monkeypatch, plant):
    for kind, number in [("plain", n) for n in range(4)] + [("test", 0), ("stop", 0)]:
        disasters.undisturbed(kind, number)  # before it is planted
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=r"disasters.py --seed \d+"):
        deque(map(disasters.simulate, range(MAX_EPISODES)), maxlen=0)


def test_the_same_seed_brings_the_same():
    told = [[], []]
    for lines in told:
        disasters.simulate(6, lines.append)
    one, other = (re.sub(r"/\S*/tmp\w+/", "", "\n".join(lines)) for lines in told)
    assert one == other
    assert len(told[0]) > 10
