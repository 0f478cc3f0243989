"""The scheduler's choice of the next search. The tests act as the scheduler's threads, with
simulated times."""

import threading
from collections import Counter
from queue import Queue

import pytest
from engine_requests import Desk

from trajan_ai.analysis.decision.analysis_run import SearchRequest
from trajan_ai.analysis.decision.scheduler import SLICE, Job, Scheduler
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import NIM
from trajan_ai.mcts import Settings

INFORMATION = InformationSet(NIM.restore(2, {"heaps": [7, 7, 7, 6]}))
LONG = 2**30


def job(client="", iterations=LONG, threads=1, answer=lambda *_: None, **fields):
    settings = Settings(threads=threads, tree_megabytes=1)
    return Job(
        INFORMATION, settings, SearchRequest(0, iterations=iterations), answer, client, **fields
    )


def idle_scheduler(positions=100, queue=100):
    """Return a scheduler without threads; the tests do the work of the threads."""
    return Scheduler(threads=0, positions=positions, queue=queue)


def play(scheduler, turns, seconds=SLICE):
    """Take turns of the scheduler that last `seconds`; return the client and step of each turn."""
    turns_done = []
    for _ in range(turns):
        turn = scheduler._take()
        if turn.step == "begin":
            turn.search.begin()
        scheduler._give_back(turn, seconds)
        turns_done.append((turn.search.job.client, turn.step))
    return turns_done


def test_a_search_that_was_late_before_it_could_run_has_a_result():
    answers = Queue()
    scheduler = idle_scheduler()
    ask = SearchRequest(0, seconds=1e-9)
    scheduler.add(Job(INFORMATION, Settings(), ask, lambda *answer: answers.put(answer), ""))
    assert [step for _, step in play(scheduler, 1)] == ["begin"]
    status, result = answers.get_nowait()
    assert (status, result.iterations) == ("done", 1)


def test_clients_get_equal_time_however_much_they_ask_for():
    scheduler = idle_scheduler(positions=1000, queue=1000)
    for number in range(20):
        for _ in range(number + 1):
            scheduler.add(job(str(number)))
    turns = Counter(client for client, _ in play(scheduler, 800))
    assert set(turns.values()) == {40}


def test_searches_of_a_client_get_equal_time():
    scheduler = idle_scheduler()
    searches = [scheduler.add(job()) for _ in range(7)]
    play(scheduler, 70)
    assert {round(search.used / SLICE) for search in searches} == {10}


def test_time_counts_and_not_turns():
    scheduler = idle_scheduler()
    for client in "ab":
        scheduler.add(job(client))
    for _ in range(300):
        turn = scheduler._take()
        if turn.step == "begin":
            turn.search.begin()
        scheduler._give_back(turn, SLICE if turn.search.job.client == "a" else SLICE / 5)
    used = {client: state.used for client, state in scheduler.clients.items()}
    assert used["a"] == pytest.approx(used["b"], abs=SLICE)


@pytest.mark.parametrize(("client", "wait", "share"), [("", 21, 1 / 21), ("new", 2, 1 / 2)])
def test_a_newcomer_waits_a_round_at_most_and_is_not_repaid_for_being_away(client, wait, share):
    scheduler = idle_scheduler()
    for _ in range(20):
        scheduler.add(job())
    play(scheduler, 205)  # five searches run one more time than the other searches
    newcomer = scheduler.add(job(client))
    level = newcomer.used
    play(scheduler, wait)
    assert newcomer.used > level
    play(scheduler, 420 - wait)
    assert newcomer.used - level == pytest.approx(420 * share * SLICE, abs=2 * SLICE)


def test_higher_priority_goes_first_within_a_client_alone():
    scheduler = idle_scheduler()
    low, high = scheduler.add(job("a")), scheduler.add(job("a", priority=1))
    other = scheduler.add(job("b", priority=-1))
    play(scheduler, 40)
    assert low.used == 0
    assert high.used == pytest.approx(other.used, abs=SLICE)


def test_half_of_the_places_are_for_clients_without_a_search_under_way():
    scheduler = idle_scheduler(positions=4)
    for client in ["a"] * 5 + ["b", "c", "c"]:
        scheduler.add(job(client))
    assert {name: len(state.active) for name, state in scheduler.clients.items()} == {
        "a": 2,
        "b": 1,
        "c": 1,
    }
    assert (scheduler.active, scheduler.waiting) == (4, 4)


def test_places_are_filled_by_priority_then_by_arrival():
    scheduler = idle_scheduler(positions=1)
    running = scheduler.add(job())
    waiting = [scheduler.add(job(priority=priority)) for priority in (0, 2, 0, 2)]
    order = []
    for _ in range(4):
        scheduler.stop([running])
        play(scheduler, 2 if running.tree is None else 1)
        (running,) = scheduler.clients[""].active
        order.append(waiting.index(running))
    assert order == [1, 3, 0, 2]


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_cancelled_search_leaves_its_place_to_the_next(turns):
    """Waiting and running searches are stopped, both before and after they have a tree."""
    scheduler, idle = idle_scheduler(positions=1, queue=1), []
    for _ in range(3):
        running, waiting = scheduler.add(job()), scheduler.add(job())
        scheduler.stop([waiting])
        after = scheduler.add(job())
        play(scheduler, turns)
        scheduler.stop([running])
        play(scheduler, 1)
        assert scheduler.clients[""].active == [after]
        scheduler.stop([after])
        play(scheduler, 1)
    scheduler.call_when_idle(lambda: idle.append(True))
    scheduler.stop([scheduler.add(job())])
    play(scheduler, 1)
    assert idle == [True]  # called once


def test_a_stopped_search_is_finished_before_others_go_on():
    scheduler = idle_scheduler()
    scheduler.add(job("first"))
    second = scheduler.add(job("second"))
    assert play(scheduler, 4)[2:] == [("first", "run"), ("second", "run")]
    scheduler.stop([second])
    assert play(scheduler, 2) == [("second", "finish"), ("first", "run")]


def test_a_report_waits_until_no_part_is_running():
    answers = []
    scheduler = idle_scheduler()
    search = scheduler.add(
        job(threads=2, answer=lambda status, _: answers.append(status), report_every=1e-9)
    )
    play(scheduler, 1)
    search.next_report = float("inf")
    parts = [scheduler._take(), scheduler._take()]
    assert [turn.part for turn in parts] == [0, 1]
    search.next_report = 0.0
    scheduler._give_back(parts[0], SLICE)
    assert scheduler._fairest(1.0) is None
    scheduler._give_back(parts[1], SLICE)
    turn = scheduler._take()
    assert turn.step == "report"
    assert scheduler._fairest(1.0) is None
    search.report()
    assert answers == ["interim"]


def test_clients_are_forgotten_when_they_have_nothing_under_way():
    answers = Queue()
    scheduler = Scheduler(threads=1, positions=1, queue=10)
    for number in range(3):
        scheduler.add(job(str(number), iterations=10, answer=lambda *answer: answers.put(answer)))
    assert [answers.get(timeout=60)[0] for _ in range(3)] == ["done"] * 3
    idle = threading.Event()
    scheduler.call_when_idle(idle.set)
    assert idle.wait(60)
    assert not scheduler.clients
    scheduler.close()


def test_a_search_that_fails_is_answered_as_an_error(monkeypatch):
    answers = Queue()
    scheduler = Scheduler(threads=2, positions=2, queue=2)
    broken = job(threads=2, answer=lambda *answer: answers.put(answer))
    broken.__dict__["settings"] = None
    scheduler.add(broken)
    status, error = answers.get(timeout=60)
    assert (status, type(error)) == ("error", AttributeError)
    scheduler.add(job(iterations=10, answer=lambda *answer: answers.put(answer)))
    assert answers.get(timeout=60)[0] == "done"
    scheduler.close()


def test_the_answer_is_the_same_whatever_else_is_under_way():
    start = {"start": {"game": "trajan", "players": 3, "seed": 5}}
    budget = {"position": start, "iterations": 300, "seed": 9, "threads": 2, "bot": "ismcts"}
    budget["cache"] = False
    with Desk(threads=1) as alone:
        expected = alone.ask(id=0, kind="suggest", **budget)["result"]["moves"]
    busy = Desk(threads=3)
    for number in range(20):
        busy.send(
            id=number,
            kind="suggest",
            client=str(number),
            **budget | ({} if number % 4 == 0 else {"seed": number, "report_every": 0.05}),
        )
    moves = {}
    while len(moves) < 20:
        answer = busy.receive_last()
        assert answer["status"] == "done"
        moves[answer["id"]] = answer["result"]["moves"]
    assert all(moves[number] == expected for number in range(0, 20, 4))
    assert moves[1] != expected
    busy.engine.close()


def test_a_limit_of_time_ends_a_search_of_several_threads():
    start = {"start": {"game": "trajan", "players": 2}}
    request = {"position": start, "seconds": 0.03, "threads": 2, "bot": "ismcts"}
    with Desk(threads=2) as desk:
        answer = desk.ask(id=1, kind="suggest", **request)
    assert answer["status"] == "done"
    assert answer["result"]["seconds"] >= 0.029
    assert answer["result"]["iterations"] > 0
