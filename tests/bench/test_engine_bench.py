"""The cost of the engine process beyond that of its searches; only ratios of times are tested.

Run with ``pytest tests/bench/test_engine_bench.py --benchmark-only``.
"""

import os
import time
from collections import Counter
from pathlib import Path

import pytest
from fastest import fastest

from trajan_ai import records, search
from trajan_ai.records.position_files import position_file
from trajan_ai.service.client import EngineClient

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
    """A cached answer should take at most 1 ms."""
    client.ask("suggest", position=way, **BUDGET)
    benchmark(client.ask, "suggest", position=way, **BUDGET)


def test_a_search_by_the_process_costs_little_beside_one_by_the_package(
    benchmark, client, position
):
    """The fastest of many requests takes at most 2 % longer than the fastest of many searches."""
    view = {"view": position_file(position, position.player)}
    package, process = fastest(
        benchmark,
        (dict, lambda _: search(position, seed=1, **BUDGET)),
        (dict, lambda _: client.ask("suggest", position=view, seed=1, cache=False, **BUDGET)),
        clock=time.perf_counter,
    )
    assert not benchmark.enabled or process <= 1.02 * package


def test_ten_thousand_requests_of_twenty_clients_with_pondering(benchmark):
    """Every request is answered once, and memory does not grow."""
    positions = [{"record": RECORD, "ply": ply} for ply in range(60, 100)]
    kinds = ("ponder", "suggest", "legal", "suggest")
    bytes_used, answered = [], Counter()

    def round_(client, requests):
        for number in range(requests):
            kind = kinds[number % len(kinds)]
            name, position = f"client {number % 20}", positions[number % len(positions)]
            fields = {"legal": {}, "ponder": {"tree": name}}.get(kind, {"iterations": 50})
            if number % 4 == 1:
                fields["tree"] = name
            if kind != "legal":
                fields |= {"client": name, "bot": "ismcts"}
            pending = client.submit(kind, position=position, **fields)
            pending.future.add_done_callback(lambda _, number=number: answered.update([number]))
        client.ask("stop_all")
        client.ask("version")
        while len(answered) < requests:
            time.sleep(0.01)
        assert set(answered.values()) == {1}
        answered.clear()
        status = Path(f"/proc/{client.process.pid}/statm").read_text().split()
        bytes_used.append(int(status[1]) * os.sysconf("SC_PAGE_SIZE"))

    with EngineClient("--positions", "40", "--memory", "40") as client:
        round_(client, 1000)
        benchmark.pedantic(round_, args=(client, 1000), rounds=10)
    assert max(bytes_used[-3:]) < 1.15 * max(bytes_used[1:5]), bytes_used
