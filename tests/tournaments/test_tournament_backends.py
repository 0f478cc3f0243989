"""Tasks on their way: none is lost when a worker is, and none goes round for ever."""

import fcntl

import pytest
from plans import plan

from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.backends import MAX_LOSSES, Feed, Loky
from trajan_ai.tournaments.game_task import Task
from trajan_ai.tournaments.store import Store


def tasks(count):
    seats = (read_bot("random"), read_bot("random"))
    shared = {"game": "trajan", "options": {}, "seats": seats, "deal": 0, "deal_seed": 1}
    return [Task(id=f"t{k}", seed=2, patience=1.0, retries=0, **shared) for k in range(count)]


def test_a_task_that_always_takes_its_worker_along_is_given_up():
    feed = Feed(tasks(1))
    for _ in range(MAX_LOSSES):
        assert next(feed).id == "t0"
        assert list(feed.recover()) == []
    assert next(feed).id == "t0"
    (outcome,) = feed.recover()
    assert outcome.failure.kind == "lost"
    assert outcome.failure.seat is None
    assert next(feed, None) is None


def test_tasks_are_drawn_only_when_wanted():
    drawn = []

    def endless():
        for task in tasks(1) * 1000:
            drawn.append(task)
            yield task

    feed = Feed(endless())
    next(feed)
    assert len(drawn) == 1


def test_a_lock_that_its_last_holder_took_away_meanwhile_holds_nobody_off(tmp_path, monkeypatch):
    """Opened before that and locked after it, it is a file that no third run would find."""
    lock = fcntl.flock

    def late(file, how):
        (tmp_path / runner.LOCK).unlink()
        lock(file, how)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", late)
        refused = pytest.raises(TrajanError, match="another run is writing here")
        with refused, runner._lock(tmp_path):
            pass
    with runner._lock(tmp_path):
        with pytest.raises(TrajanError), runner._lock(tmp_path):
            pass
        assert (tmp_path / runner.LOCK).exists()
    assert not (tmp_path / runner.LOCK).exists()


def test_a_fault_of_ours_outside_any_bot_ends_the_run_and_counts_for_none(tmp_path, monkeypatch):
    def fail(self, tasks):
        raise RuntimeError("ours")
        yield

    monkeypatch.setattr(Loky, "stream", fail)
    with pytest.raises(RuntimeError, match="ours"):
        runner.run(plan(tmp_path, deals=1), tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        assert not store.identities()
