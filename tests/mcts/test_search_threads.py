"""Several threads on one tree: results depend only on the number of iterations in flight."""

import threading
import time

import pytest
from plain_ismcts import plain_search
from searching import EVEN, data, run_search, visits
from searching import NIM_POSITION as POSITION

import trajan_ai
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts import Settings, ThreadedSearch
from trajan_ai.mcts.driver import Crew
from trajan_ai.mcts.ismcts import Searcher

WAYS = {
    "plain": {},
    "puct": {"selection": "puct"},
    "mo": {"algorithm": "mo"},
    "own": {"algorithm": "own"},
    "full tree": {"tree_megabytes": 0.001},
    "cut": {"playout_rounds": 1},
    "stops early": {"early_stop": True},
}
EXPERT = {"selection": "puct", "prior": "game", "playout": "policy", "exploration": 0.5}


def starts():
    yield from (game.start(2, 3) for game in (NIM, KUHN, PENNIES, *trajan_ai.GAMES.values()))
    yield FORK.start(3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("position", list(starts()), ids=lambda position: position.game.name)
def test_results_do_not_depend_on_the_number_of_threads(position, way):
    for in_flight in (1, 3, 16):
        settings = WAYS[way] | {"in_flight": in_flight}
        one, *others = (
            data(run_search(position, 300, seed=5, threads=threads, **settings))
            for threads in (1, 2, 4)
        )
        assert others == [one] * 2


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(trajan_ai.GAMES))
def test_results_with_knowledge_do_not_depend_on_the_number_of_threads(name):
    position = trajan_ai.game(name).start(4, 3)
    one, three = (run_search(position, 1000, threads=t, in_flight=8, **EXPERT) for t in (1, 3))
    assert data(one) == data(three)


@pytest.mark.parametrize("selection", ["ucb1", "puct"])
@pytest.mark.parametrize("in_flight", [2, 7, 16])
def test_visits_with_iterations_in_flight_equal_those_of_the_reference_search(
    selection, in_flight
):
    how = {"selection": selection, "in_flight": in_flight}
    result = run_search(POSITION, 700, seed=5, threads=2, **how)
    assert visits(result) == plain_search(POSITION, 700, 5, **how)


def test_iterations_in_flight_change_the_result_and_one_is_the_sequential_search():
    def of(**settings):
        return data(run_search(POSITION, 900, seed=2, **settings))

    assert of(in_flight=1) == of() == of(in_flight=1, threads=3)
    assert of(in_flight=8) != of()


@pytest.mark.parametrize(("iterations", "in_flight"), [(100, 8), (900, 9), (1700, 17), (5000, 32)])
def test_with_a_limit_of_iterations_several_threads_have_a_hundredth_of_it_in_flight(
    iterations, in_flight
):
    expected = data(run_search(POSITION, iterations, seed=2, in_flight=in_flight))
    for threads in (2, 8):
        result = data(run_search(POSITION, iterations, seed=2, threads=threads))
        assert {**result, "memory_bytes": 0} == {**expected, "memory_bytes": 0}


def test_without_a_limit_of_iterations_threads_have_two_each_in_flight_and_at_least_eight():
    flights = {threads: Settings(threads=threads).flights(None) for threads in (1, 2, 4, 5, 16)}
    assert flights == {1: 1, 2: 8, 4: 8, 5: 10, 16: 32}
    assert Settings(threads=16, in_flight=3).flights(None) == 3


@pytest.mark.parametrize("iterations", [1, 2, 15, 16, 17, 255, 256, 257, 1000])
def test_the_number_of_iterations_is_exact(iterations):
    result = run_search(POSITION, iterations, threads=2, in_flight=16)
    assert result.iterations == iterations
    assert sum(move.visits for move in result.moves) == iterations
    assert sum(result.depths) == iterations


def test_a_search_that_runs_out_of_time_finishes_iterations_in_flight():
    engine = ThreadedSearch(NIM, Settings(threads=2, in_flight=16, **EVEN))
    for seed in range(5):
        result = engine.search(InformationSet(NIM.start(2, seed)), seed, seconds=0.02)
        assert sum(move.visits for move in result.moves) == result.iterations
        assert sum(result.depths) == result.iterations


@pytest.fixture
def searcher():
    searcher = Searcher(NIM, Settings(in_flight=4, **EVEN))
    searcher.begin(POSITION, 0, 1)
    searcher.open()
    return searcher


@pytest.mark.parametrize("end", [Searcher.close, Searcher.stop])
def test_helpers_run_playouts_until_the_search_closes(searcher, end):
    helper = threading.Thread(target=searcher.help)
    helper.start()
    assert searcher.run(5000) == 5000
    assert helper.is_alive()
    end(searcher)
    helper.join(10)
    assert not helper.is_alive()


def test_a_helper_with_a_deadline_leaves_when_there_is_nothing_to_do(searcher):
    started = time.thread_time()
    searcher.help(time.monotonic() + 60)
    assert time.thread_time() - started < 1


def test_an_exception_in_a_thread_is_raised_by_those_who_wait_for_it():
    crew = Crew(2)
    crew.start(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        crew.wait()
    crew.settle()
