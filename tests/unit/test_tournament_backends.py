"""Tasks on their way: none is lost when a worker is, and none goes round for ever."""

from tournaments.backends import MAX_LOSSES, Feed
from tournaments.play import Task
from trajan_ai.bots import read_bot


def tasks(count):
    seats = (read_bot("random"), read_bot("random"))
    return [Task(f"t{k}", "trajan", {}, seats, 0, 1, 2, 1.0, 0) for k in range(count)]


def test_what_was_in_flight_goes_out_again_before_the_rest():
    feed = Feed(tasks(5))
    first = [next(feed) for _ in range(3)]
    feed.done(first[1].id)
    assert list(feed.recover()) == []
    assert [task.id for task in feed] == ["t0", "t2", "t3", "t4"]


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
