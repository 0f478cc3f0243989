"""The costs of a tournament besides its bots: rating, storing, scheduling and playing games.

Run with ``pytest tests/bench/test_tournament_bench.py --benchmark-only``.
"""

import dataclasses
import itertools
import time
import tracemalloc

import numpy as np
import pytest

from trajan_ai.core.yamlfile import Document
from trajan_ai.lab.simulation import play_tables, simulate
from trajan_ai.tournaments import game_task, guard, pairing, ratings, runner, summary
from trajan_ai.tournaments.plan_file import parse_plan
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store

POOL = tuple(np.linspace(-300.0, 300.0, 10))
DEALS = {2: 1111, 3: 278, 4: 119}  # deals of each table, for 100,000 games in total


def plan(**keys):
    bots = ["random", {"name": "one", "extends": "ismcts", "iterations": 1}]
    data = {"name": "bench", "game": "trajan", "deals": 10_000, "bots": bots}
    return parse_plan(Document("plan", data | keys, {}))


@pytest.fixture(scope="module")
def tasks():
    tournament = plan()
    fixtures = list(itertools.islice(Schedule(tournament).fixtures(), 400))
    return [(fixture, runner.make_task(tournament, fixture)) for fixture in fixtures]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rating_100_000_games(benchmark, players):
    results = simulate(POOL, players, DEALS[players], seed=1)
    assert abs(len(results) - 100_000) < 100
    benchmark.pedantic(lambda: ratings.rate(ratings.fit(results)), rounds=3)


@pytest.mark.parametrize("players", [2, 4])
def test_all_tables_of_100_000_games(benchmark, players):
    results = simulate(POOL, players, DEALS[players], seed=1)
    benchmark.pedantic(lambda: summary.summarize(results, ratings.RatingOptions()), rounds=2)


@pytest.mark.slow
def test_memory_of_rating_100_000_games():
    """The process may use 500 MB; this test limits the peak of what the fit alone allocates."""
    results = simulate(POOL, 4, DEALS[4], seed=1)
    tracemalloc.start()
    ratings.fit(results)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6


def test_a_pick_of_informative_pairing_between_100_bots(benchmark):
    """The limits are 0.2 s per pick, and 100 MB for the whole batch.

    The time is a mean over the batch, because its picks share one rating of the games so far.
    """
    tables = list(itertools.combinations(range(100), 2))
    results = simulate(tuple(np.linspace(-300.0, 300.0, 100)), 2, 1, seed=1)
    batch = 16

    def choose():
        return pairing.choose(results, tables, [1] * len(tables), batch)

    benchmark.pedantic(choose, rounds=3)
    if benchmark.enabled:
        assert benchmark.stats.stats.median / batch < 0.2
    tracemalloc.start()
    choose()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_all_tables_of_1_000_bots(benchmark):
    """Computing all tables of 100,000 games may take 20 s."""
    bots, games = 1000, 100_000
    tables = np.sort(np.random.default_rng(1).integers(0, bots, (games // 2, 2)), axis=1)
    tables = tables[tables[:, 0] < tables[:, 1]]
    results = play_tables(tables, tuple(np.linspace(-400.0, 400.0, bots)), seed=1)
    benchmark.pedantic(lambda: summary.summarize(results, ratings.RatingOptions()), rounds=1)
    if benchmark.enabled:
        assert benchmark.stats.stats.median < 20


def test_scheduling_a_game(benchmark):
    games = Schedule(plan(players=2)).fixtures()
    benchmark(lambda: next(games))


def test_storing_a_game(benchmark, tasks, tmp_path):
    tournament = plan()
    outcomes = [(fixture, game_task.play_game(task)) for fixture, task in tasks]
    with Store(tmp_path, create=True) as store:
        store.set_plan(
            {}, [(d, n, "{}") for d, n in zip(tournament.digests, tournament.names, strict=True)]
        )
        every = iter(outcomes)

        def add():
            fixture, outcome = next(every)
            store.add(fixture, outcome, "engine")

        benchmark.pedantic(add, rounds=len(outcomes))


def test_playing_a_game_of_fast_bots(benchmark, tasks):
    every = itertools.cycle(task for _, task in tasks)
    benchmark(lambda: game_task.play_game(next(every)))


def test_a_new_process_for_every_game_of_a_bot(benchmark, tmp_path):
    """A new process for each game may take 1 % of the time of games with 20 ms per turn."""
    code = "class Mine:\n    def choose(self, observation, seed):\n        return "
    (tmp_path / "mine.py").write_text(f"{code}observation.legal()[0]\n")
    mine = {"name": "mine", "kind": "python", "class": "mine:Mine", "folder": str(tmp_path)}
    tournament = plan(bots=[mine, "random"])
    task = runner.make_task(tournament, next(Schedule(tournament).fixtures()))
    guarded, times = guard.ProcessGuard(), {True: [], False: []}

    def both():
        for keep, measured in times.items():
            for number in range(4):
                begin = time.perf_counter()
                outcome = guarded.play(dataclasses.replace(task, keep=keep))
                if number:  # the first game follows one of the other kind
                    measured.append(time.perf_counter() - begin)
        return sum(outcome.times.turns)

    turns = benchmark.pedantic(both, rounds=10, warmup_rounds=1)
    guarded.close()
    share = (np.median(times[False]) - np.median(times[True])) / (0.02 * turns)
    benchmark.extra_info["share"] = share
    print(f"share: {share:.2%}")
    if benchmark.enabled:
        assert share < 0.01


def test_playing_a_game_in_a_guarded_process(benchmark, tasks):
    every = itertools.cycle(task for _, task in tasks)
    guarded = guard.ProcessGuard()
    benchmark(lambda: guarded.play(next(every)))
    guarded.close()
