"""A real dask scheduler and real workers, one of them killed in mid-run: the same games, once."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest
from plans import (
    children,
    environment,
    outputs,
    plan,
    plan_file,
    scripted,
    start,
    stored,
    wait_for_games,
)

from trajan_ai.cli import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs

pytestmark = pytest.mark.needs("distributed")

KEYS = {"bots": [scripted("Slow"), "random"], "deals": 8}
GAMES = 16


def launch(module, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Cluster(NamedTuple):
    address: str
    workers: list
    scheduler: subprocess.Popen


@pytest.fixture
def cluster(tmp_path):
    """Yield a scheduler and its two workers."""
    contact = tmp_path / "scheduler.json"
    scheduler = launch(
        "dask_scheduler", "--scheduler-file", str(contact), "--no-dashboard",
        "--host", "127.0.0.1", "--port", "0",
    )  # fmt: skip
    workers = [
        launch(
            "dask_worker", "--scheduler-file", str(contact), "--nthreads", "1", "--no-dashboard",
            "--local-directory", str(tmp_path / f"worker{number}"),
        )
        for number in range(2)
    ]  # fmt: skip
    deadline = time.monotonic() + 30
    while not contact.exists() or not contact.read_text().strip():
        assert time.monotonic() < deadline, "no scheduler"
        time.sleep(0.05)
    yield Cluster(json.loads(contact.read_text())["address"], workers, scheduler)
    for process in [*workers, scheduler]:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_games(tmp_path, cluster):
    address, workers, _ = cluster
    local = plan(tmp_path / "local", **KEYS)
    write_outputs(tmp_path / "a", runner.run(local, tmp_path / "a", jobs=2))

    path = plan_file(tmp_path / "dask", **KEYS, backend="dask", scheduler=address)
    run = start(path, tmp_path / "b")
    wait_for_games(run, tmp_path / "b", 3)
    assert children(workers[0].pid)  # the nanny's worker
    os.killpg(workers[0].pid, signal.SIGKILL)
    text, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    assert f"{GAMES} games of 8 deals ({GAMES} played now, 0 found)" in text
    assert outputs(tmp_path / "b") == outputs(tmp_path / "a")


@pytest.mark.slow
def test_a_scheduler_that_dies_is_one_line_and_the_games_are_kept(tmp_path, cluster):
    address, _, scheduler = cluster
    path = plan_file(tmp_path, **KEYS | {"deals": 300}, backend="dask", scheduler=address)
    run = start(path, tmp_path / "out")
    wait_for_games(run, tmp_path / "out", 2)
    os.killpg(scheduler.pid, signal.SIGKILL)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 2, errors
    assert f"scheduler {address}: lost" in errors
    assert "every finished game is kept" in errors
    assert "trajan-ai tournament: " in errors
    assert len(stored(tmp_path / "out")) >= 2


def test_a_scheduler_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("trajan_ai.tournaments.backends.CONNECT_TIMEOUT", "0.5s")
    tournament = plan(tmp_path, backend="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(TrajanError, match=r"no answer .*start one with `dask scheduler`"):
        runner.run(tournament, tmp_path / "out", jobs=1)


@pytest.mark.slow
def test_what_is_made_for_learning_on_a_cluster_is_what_threads_make(tmp_path, cluster):
    address, workers, _ = cluster
    keys = {"learn": "prior", "game": "trajan", "players": [2], "games": 11}
    keys |= {"iterations": 12, "between": 2, "every": 30}
    for name, where in (("a", {}), ("b", {"backend": "dask", "scheduler": address})):
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps(keys | where))
        if where:  # a worker is lost, and the run goes on with the other
            os.killpg(workers[0].pid, signal.SIGKILL)
        assert main(["learn", str(path), "--out", str(tmp_path / name), "--jobs", "2"]) == 0
    made = [sorted((tmp_path / name).glob("visits-*.npz")) for name in "ab"]
    assert [path.name for path in made[0]] == [path.name for path in made[1]]
    assert len(made[0]) == 2
    for one, other in zip(*made, strict=True):
        with np.load(one) as here, np.load(other) as there:
            assert here.files == there.files
            assert all((here[key] == there[key]).all() for key in here.files)
    assert (tmp_path / "a" / "weights.yaml").read_text() == (
        tmp_path / "b" / "weights.yaml"
    ).read_text()
