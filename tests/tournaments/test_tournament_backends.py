"""Tasks on their way: none is lost when a worker is, and none goes round for ever."""

import fcntl
from dataclasses import replace

import pytest
from plans import NIM, plan

from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.playing import Failure
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.backends import MAX_LOSSES, Feed, Loky
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.play import Task
from trajan_ai.tournaments.store import Store


def tasks(count):
    seats = (read_bot("random"), read_bot("random"))
    return [Task(f"t{k}", "trajan", {}, seats, 0, 1, 2, 1.0, 0) for k in range(count)]


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
        with refused, runner._only_one(tmp_path):
            pass
    with runner._only_one(tmp_path):
        with pytest.raises(TrajanError), runner._only_one(tmp_path):
            pass
        assert (tmp_path / runner.LOCK).exists()
    assert not (tmp_path / runner.LOCK).exists()


@pytest.mark.slow
def test_lost_games_are_not_stored_and_played_by_the_next_run(tmp_path, monkeypatch):
    """What workers' deaths took along is nobody's loss: told, and played again."""
    stream = Loky.stream

    def losing(self, tasks):
        nobody = Failure("lost", None, 0, "its worker was killed again and again")
        for number, outcome in enumerate(stream(self, tasks)):
            lost = replace(outcome, failure=nobody, scores=None, ranks=None)
            yield lost if number < 2 else outcome

    tournament = plan(tmp_path, bots=["random", "greedy"], deals=3, game=NIM)
    monkeypatch.setattr(Loky, "stream", losing)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.missing) == (4, 2)
    assert "incomplete, 2 games are missing" in state.ended
    assert "incomplete, 2 games" in write_outputs(tmp_path / "out", state).text
    monkeypatch.setattr(Loky, "stream", stream)
    again = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (again.played, again.found, again.missing) == (2, 4, 0)
    assert again.ended == "all games are played"


def test_a_fault_of_ours_outside_any_bot_ends_the_run_and_counts_for_none(tmp_path, monkeypatch):
    def broken(self, tasks):
        raise RuntimeError("ours")
        yield

    monkeypatch.setattr(Loky, "stream", broken)
    with pytest.raises(RuntimeError, match="ours"):
        runner.run(plan(tmp_path, deals=1), tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        assert not store.identities()
