"""Tasks in a backend: no task is lost when a worker dies, and no task is repeated forever."""

import fcntl
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from plans import NIM, plan

from trajan_ai.bots import read_bot
from trajan_ai.core import run_lock
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import backends, runner
from trajan_ai.tournaments.backends import MAX_LOSSES, Cluster, Feed, Loky
from trajan_ai.tournaments.game_task import Task
from trajan_ai.tournaments.store import Store


def tasks(count):
    seats = (read_bot("random"), read_bot("random"))
    shared = {"game": "trajan", "options": {}, "seats": seats, "deal": 0, "deal_seed": 1}
    return [Task(id=f"t{k}", seed=2, patience=1.0, retries=0, **shared) for k in range(count)]


def test_a_task_that_kills_many_workers_is_abandoned():
    feed = Feed(tasks(1))
    for _ in range(MAX_LOSSES):
        assert next(feed).id == "t0"
        assert list(feed.recover()) == []
    assert next(feed).id == "t0"
    (outcome,) = feed.recover()
    assert outcome.failure.kind == "lost"
    assert outcome.failure.seat is None
    assert next(feed, None) is None


class FakeLibrary:
    """A substitute for the package `distributed` that computes each item when its result is
    read."""

    KilledWorker = RuntimeError

    def __init__(self, threads=1):
        self.threads, self.ready, self.log = threads, [], []

    def LocalCluster(self, **options):
        self.log.append("local cluster")
        return SimpleNamespace(close=lambda: self.log.append("local cluster closed"))

    def Client(self, where, timeout):
        self.log.append("client")
        return self

    def close(self):
        self.log.append("client closed")

    def as_completed(self):
        return self

    def nthreads(self, callback_timeout):
        return {"worker": self.threads} if self.threads else {}

    def submit(self, function, item, pure):
        return SimpleNamespace(result=lambda: function(item))

    def add(self, future):
        self.ready.append(future)

    def has_ready(self):
        return bool(self.threads)

    def __next__(self):
        return self.ready.pop()


class Future(SimpleNamespace):
    __hash__ = object.__hash__


def test_a_local_cluster_is_created_once_for_all_rounds(monkeypatch):
    library = FakeLibrary()
    monkeypatch.setattr(library, "submit", lambda function, item, pure: Future(
        result=lambda: function(item)))  # fmt: skip
    with Cluster(None, 2, library) as cluster:
        for _ in range(3):
            assert sorted(cluster.map(abs, range(-9, 0))) == [(n, -n) for n in range(-9, 0)]
        assert library.log == ["local cluster", "client"]
    assert library.log == ["local cluster", "client", "client closed", "local cluster closed"]


def test_an_unused_cluster_is_not_created():
    library = FakeLibrary()
    with Cluster(None, 2, library):
        pass
    assert library.log == []


def test_a_cluster_without_workers_is_an_error_after_a_while(monkeypatch):
    library = FakeLibrary(threads=0)
    monkeypatch.setattr(library, "submit", lambda function, item, pure: Future())
    for name, seconds in (("POLL_SECONDS", 0), ("CHECK_SECONDS", 0), ("WORKERS_TIMEOUT", 0.1)):
        monkeypatch.setattr(backends, name, seconds)
    message = r"scheduler tcp://x:1: has had no worker for 0.1 s; every finished game is kept"
    with Cluster("tcp://x:1", 1, library) as cluster, pytest.raises(TrajanError, match=message):
        list(cluster.map(abs, [1], what="game"))
    assert library.log == ["client", "client closed"]


def test_workers_may_end_before_a_result_is_fetched(monkeypatch):
    """A dead worker's result must be computed again, and dask waits for this without a limit."""
    for name, seconds in (("POLL_SECONDS", 0.01), ("CHECK_SECONDS", 0), ("WORKERS_TIMEOUT", 0.1)):
        monkeypatch.setattr(backends, name, seconds)
    library, never = FakeLibrary(), threading.Event()
    monkeypatch.setattr(library, "submit", lambda function, item, pure: Future(
        result=lambda: function(item)))  # fmt: skip

    def lose(item):
        library.threads = 0
        never.wait()

    message = r"has had no worker for 0.1 s; every finished game is kept"
    with Cluster("tcp://x:1", 1, library) as cluster, pytest.raises(TrajanError, match=message):
        list(cluster.map(lose, [1], what="game"))
    never.set()


def test_an_adaptive_plan_closes_its_backend_once(tmp_path):
    class Counting(Loky):
        rounds = closed = 0

        def stream(self, tasks):
            Counting.rounds += 1
            return super().stream(tasks)

        def close(self):
            Counting.closed += 1

    keys = {"bots": ["random", "greedy"], "game": NIM, "deals": 3, "batch": 1}
    tournament = plan(tmp_path, stop={"half_width": 0.1}, **keys)
    run = runner.run(tournament, tmp_path / "out", jobs=1, backend=Counting(1))
    assert (Counting.rounds, Counting.closed) == (3, 1)
    assert [deal for _, deal in run.schedule.chosen] == [0, 1, 2]
    assert (run.played, run.reused, run.ended) == (6, 0, "all games are played")
    again = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (again.played, again.reused, again.schedule.chosen) == (0, 6, run.schedule.chosen)


@pytest.mark.parametrize(("width", "is_reached"), [(5.0, True), (5.01, False)])
def test_a_run_stops_when_the_widest_interval_is_narrow_enough(
    tmp_path, monkeypatch, width, is_reached
):
    rating = SimpleNamespace(low=np.array([-1.0, -9.0]), high=np.array([1.0, 2 * width - 9.0]))
    monkeypatch.setattr(runner, "read_results", lambda *arguments: None)
    monkeypatch.setattr(runner.ratings, "rated", lambda *arguments: rating)
    tournament, bar = plan(tmp_path, stop={"half_width": 5}), SimpleNamespace()
    bar.set_postfix_str = lambda text: None
    reason = runner._find_stop_reason(SimpleNamespace(plan=tournament), None, bar)
    assert reason == ("every interval is within +-5 Elo" if is_reached else None)


def test_tasks_are_drawn_lazily():
    drawn = []

    def endless():
        for task in tasks(1) * 1000:
            drawn.append(task)
            yield task

    feed = Feed(endless())
    next(feed)
    assert len(drawn) == 1


def test_a_lock_on_a_deleted_file_does_not_count(tmp_path, monkeypatch):
    """A run that opens the file before its deletion locks a file that no other run finds."""
    lock = fcntl.flock

    def late(file, how):
        (tmp_path / run_lock.LOCK).unlink(missing_ok=True)
        lock(file, how)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", late)
        refused = pytest.raises(TrajanError, match="another run is writing here")
        with refused, run_lock.lock_folder(tmp_path):
            pass
    with run_lock.lock_folder(tmp_path):
        with pytest.raises(TrajanError), run_lock.lock_folder(tmp_path):
            pass
        assert (tmp_path / run_lock.LOCK).exists()
    assert not (tmp_path / run_lock.LOCK).exists()


def test_an_internal_error_ends_the_run_and_blames_no_bot(tmp_path, monkeypatch):
    def fail(self, tasks):
        raise RuntimeError("ours")
        yield

    monkeypatch.setattr(Loky, "stream", fail)
    with pytest.raises(RuntimeError, match="ours"):
        runner.run(plan(tmp_path, deals=1), tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        assert not store.identities()
