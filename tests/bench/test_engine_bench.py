"""What the engine process costs beside the searches it makes. Times are reported, not judged.

Run with ``pytest tests/bench/test_engine_bench.py --benchmark-only``.
"""

import itertools

import pytest

from trajan_ai import records, search
from trajan_ai.positions import position_file
from trajan_ai.server.client import EngineClient

RECORD = records.read("tests/golden/trajan_4p.jsonl")[0]
PLY = 200
ITERATIONS = 8000  # about 100 ms
BUDGET = {"iterations": ITERATIONS, "bot": "ismcts", "threads": 1}


@pytest.fixture(scope="module")
def client():
    with EngineClient() as client:
        yield client


@pytest.fixture(scope="module")
def position():
    return records.replay(RECORD, PLY)


@pytest.fixture(scope="module", params=["record", "view", "state"])
def way(request, client, position):
    if request.param == "view":
        return {"view": position_file(position, position.player)}
    record = {"record": RECORD, "ply": PLY}
    if request.param == "record":
        return record
    return {"state": client.ask("apply", position=record)["state"]}


def test_a_cached_answer(benchmark, client, way):
    """The bar is 1 ms."""
    client.ask("suggest", position=way, **BUDGET)
    benchmark(client.ask, "suggest", position=way, **BUDGET)


def test_a_search_by_the_package(benchmark, position):
    seeds = itertools.count()
    benchmark.group = "a search of 100 ms"
    benchmark(lambda: search(position, seed=next(seeds), **BUDGET))


def test_a_search_by_the_process(benchmark, client, position):
    """The bar is 2 % more than by the package."""
    seeds = itertools.count()
    view = {"view": position_file(position, position.player)}
    benchmark.group = "a search of 100 ms"
    benchmark(lambda: client.ask("suggest", position=view, seed=next(seeds), **BUDGET))


def test_stopping_a_search(benchmark, client, position):
    """The bar is 50 ms, beside twenty other searches."""
    view = {"view": position_file(position, position.player)}
    endless = {"position": view, "iterations": 2**31 - 1, "bot": "ismcts", "cache": False}
    others = [client.submit("suggest", **endless) for _ in range(20)]

    def one():
        return (client.submit("suggest", report_every=0.05, **endless),), {}

    def stop(pending):
        pending.stop()
        pending.result()

    benchmark.pedantic(stop, setup=one, rounds=20)
    for other in others:
        other.stop()
        other.result()
