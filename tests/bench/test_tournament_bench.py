"""What the harness costs: rating many games, storing and scheduling them, playing around the bots.

Run with ``pytest tests/bench/test_tournament_bench.py --benchmark-only``.
"""

import itertools
import tracemalloc

import numpy as np
import pytest

from tournaments import guard, play, ratings, runner, schedule, summary
from tournaments.config import parse_plan
from tournaments.simulation import simulate
from tournaments.store import Store
from trajan_ai.core.yamlfile import Document

POOL = tuple(np.linspace(-300.0, 300.0, 10))
DEALS = {2: 1111, 3: 278, 4: 119}  # of each table: 100,000 games


def plan(**keys):
    bots = ["random", {"name": "one", "extends": "ismcts", "iterations": 1}]
    data = {"name": "bench", "game": "trajan", "deals": 10_000, "bots": bots}
    return parse_plan(Document("plan", data | keys, {}))


@pytest.fixture(scope="module")
def tasks():
    tournament = plan()
    fixtures = list(itertools.islice(schedule.fixtures(tournament), 400))
    return [(fixture, runner.task_of(tournament, fixture)) for fixture in fixtures]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rating_100_000_games(benchmark, players):
    results = simulate(POOL, players, DEALS[players], seed=1)
    assert abs(len(results) - 100_000) < 100
    benchmark.pedantic(lambda: ratings.rate(ratings.fit(results)), rounds=3)


@pytest.mark.parametrize("players", [2, 4])
def test_all_tables_of_100_000_games(benchmark, players):
    results = simulate(POOL, players, DEALS[players], seed=1)
    benchmark.pedantic(lambda: summary.summarize(results, summary.Rules()), rounds=2)


def test_memory_of_rating_100_000_games():
    """The bar is 500 MB; this is what the fit itself allocates at its peak."""
    results = simulate(POOL, 4, DEALS[4], seed=1)
    tracemalloc.start()
    ratings.fit(results)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6


def test_scheduling_a_game(benchmark):
    games = schedule.fixtures(plan(players=2))
    benchmark(lambda: next(games))


def test_storing_a_game(benchmark, tasks, tmp_path):
    tournament = plan()
    outcomes = [(fixture, play.play_game(task)) for fixture, task in tasks]
    with Store(tmp_path, create=True) as store:
        store.add_plan({}, [(bot.digest, bot.name, "{}") for bot in tournament.bots])
        every = iter(outcomes)

        def add():
            fixture, outcome = next(every)
            store.add(runner.entry_of(tournament, fixture), outcome)

        benchmark.pedantic(add, rounds=len(outcomes))


def test_playing_a_game_of_fast_bots(benchmark, tasks):
    every = itertools.cycle(task for _, task in tasks)
    benchmark(lambda: play.play_game(next(every)))


def test_playing_it_in_a_guarded_process(benchmark, tasks):
    every = itertools.cycle(task for _, task in tasks)
    guarded = guard.Guard()
    benchmark(lambda: guarded.play(next(every)))
    guarded.close()
