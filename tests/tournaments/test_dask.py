"""Real dask workers, one of which is killed in mid-run, play the same games exactly once."""

import json
import os
import signal
import subprocess
import sys

import pytest
from plans import SLOW, environment, outputs, plan, plan_file, start, stored, wait_for_games
from running import children, session, until

from trajan_ai.cli import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import backends, runner
from trajan_ai.tournaments.backends import Cluster
from trajan_ai.tournaments.game_task import get_engine_signature
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.plan_file import read_plan

pytestmark = pytest.mark.needs("distributed")

KEYS = {"bots": [SLOW, "random"], "deals": 4}
GAMES = 8


# A program that a dask worker runs when it starts, so that its engine appears to be another one.
OTHER_ENGINE = """
from trajan_ai.tournaments import backends
backends.get_engine_signature = lambda game: "0123456789ab"
"""


def launch(module, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture
def cluster(tmp_path):
    """Yield the address of a scheduler, its process, and the processes of its two workers."""
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
    assert until(lambda: contact.exists() and contact.read_text().strip(), 30), "no scheduler"
    yield json.loads(contact.read_text())["address"], scheduler, workers
    for process in [*workers, scheduler]:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.slow
def test_a_cluster_gives_the_same_results_and_its_loss_is_one_line(tmp_path, cluster):
    """The games and the weights are the same although a worker dies, and no finished game is lost
    when the scheduler is gone."""
    address, scheduler, workers = cluster
    local = plan(tmp_path / "local", **KEYS)
    write_outputs(runner.run(local, tmp_path / "a", jobs=1))
    path = plan_file(tmp_path / "dask", **KEYS, backend="dask", scheduler=address)
    run = start(path, tmp_path / "b")
    wait_for_games(run, tmp_path / "b", 1)
    assert children(workers[0].pid)  # the worker below the nanny process
    os.killpg(workers[0].pid, signal.SIGKILL)
    text, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    assert f"{GAMES} games of 4 deals ({GAMES} played now, 0 reused)" in text
    assert outputs(tmp_path / "b") == outputs(tmp_path / "a")
    learned(tmp_path, address)

    path = plan_file(tmp_path, **KEYS | {"deals": 300}, backend="dask", scheduler=address)
    run = start(path, tmp_path / "out")
    wait_for_games(run, tmp_path / "out", 2)
    os.killpg(scheduler.pid, signal.SIGKILL)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 2, errors
    assert f"scheduler {address}: the connection was lost" in errors
    assert "every finished game is kept" in errors
    assert "trajan-ai tournament: " in errors
    assert "Traceback" not in errors
    assert len(stored(tmp_path / "out")) >= 2


def start_worker(address, folder, preload):
    (folder / "preload.py").write_text(preload)
    return launch(
        "dask_worker", address, "--nthreads", "2", "--no-dashboard",
        "--preload", str(folder / "preload.py"), "--local-directory", str(folder / "worker"),
    )  # fmt: skip


@pytest.mark.slow
def test_a_worker_with_another_engine_ends_the_run_and_stores_nothing(tmp_path, cluster):
    address, _, workers = cluster
    for process in workers:
        os.killpg(process.pid, signal.SIGKILL)
    workers.append(start_worker(address, tmp_path, OTHER_ENGINE))
    path = plan_file(tmp_path, **KEYS, backend="dask", scheduler=address)
    run = start(path, tmp_path / "out")
    text, errors = run.communicate(timeout=120)
    assert run.returncode == 2, errors
    mine = get_engine_signature("trajan")
    (line,) = [line for line in errors.splitlines() if "worker tcp://" in line]
    assert f"the play signature 0123456789ab for trajan, but that of the runner is {mine}" in line
    assert "Traceback" not in errors
    assert not text
    assert not stored(tmp_path / "out")


@pytest.mark.slow
def test_workers_that_die_with_a_finished_result_are_one_line(monkeypatch, cluster):
    """Without this error, dask would wait for the result forever."""
    address, _, workers = cluster

    class Killing(Cluster):
        def _fetch(self, future, what):
            monkeypatch.setattr(backends, "WORKERS_TIMEOUT", 3.0)
            for process in workers:
                os.killpg(process.pid, signal.SIGKILL)
            return super()._fetch(future, what)

    message = r"has had no worker for 3 s; every finished part is kept"
    with Killing(address, 1) as killing, pytest.raises(TrajanError, match=message):
        list(killing.map(abs, range(-9, 0)))


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_one_line(monkeypatch, cluster):
    address, scheduler, _ = cluster
    monkeypatch.setattr(backends, "CONNECT_TIMEOUT", "3s")
    with Cluster(address, 1) as connected:
        results = connected.map(abs, range(-9, 0))
        next(results)
        monkeypatch.setattr(backends, "WORKERS_TIMEOUT", 3.0)
        os.killpg(scheduler.pid, signal.SIGSTOP)
        with pytest.raises(TrajanError, match=f"scheduler {address}: the connection was lost"):
            list(results)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("games", range(12))
def test_a_run_whose_scheduler_was_killed_is_resumed_here(tmp_path, cluster, games):
    address, scheduler, _ = cluster
    here, out = plan_file(tmp_path / "here", **KEYS), tmp_path / "out"
    write_outputs(runner.run(read_plan(here), tmp_path / "a", jobs=1))
    path = plan_file(tmp_path / "dask", **KEYS, backend="dask", scheduler=address)
    run = start(path, out)
    # If most games were stored already, the run might end before the kill, so in this case the
    # scheduler is killed at once.
    if games < GAMES - 1:
        wait_for_games(run, out, games)
    os.killpg(scheduler.pid, signal.SIGKILL)
    _, errors = run.communicate(timeout=300)
    assert run.returncode == 2, errors
    assert "Traceback" not in errors
    assert main(["tournament", str(here), "--out", str(out), "--jobs", "1"]) == 0
    assert outputs(out) == outputs(tmp_path / "a")


@pytest.mark.slow
def test_a_killed_run_leaves_no_local_cluster(tmp_path):
    path = plan_file(tmp_path, **KEYS | {"deals": 300}, backend="dask", jobs=2)
    out = tmp_path / "out"
    run = start(path, out)
    wait_for_games(run, out, 2)
    assert len(children(run.pid)) >= 4  # two workers, each with its guarded child
    run.kill()
    run.communicate()
    ended = until(lambda: not session(run.pid))
    for pid in session(run.pid):
        os.kill(pid, signal.SIGKILL)
    assert ended


def learned(tmp_path, address):
    """Check that learning on a cluster produces the same files as learning without a cluster."""
    keys = {"learn": "prior", "game": "trajan", "players": [2], "games": 11}
    keys |= {"iterations": 4, "between": 2, "every": 60}
    for name, where in (("x", {}), ("y", {"backend": "dask", "scheduler": address})):
        path = tmp_path / f"{name}.yaml"
        path.write_text(json.dumps(keys | where))
        assert main(["learn", str(path), "--out", str(tmp_path / name), "--jobs", "2"]) == 0
    outs = [(tmp_path / name).iterdir() for name in "xy"]
    files = [
        {p.name: p.read_bytes() for p in out if p.suffix in (".npz", ".yaml")} for out in outs
    ]
    assert len(files[0]) == 3
    assert files[0] == files[1]


def test_a_missing_scheduler_is_a_one_line_error(tmp_path, monkeypatch):
    monkeypatch.setattr("trajan_ai.tournaments.backends.CONNECT_TIMEOUT", "0.5s")
    tournament = plan(tmp_path, backend="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(TrajanError, match=r"no answer .*start one with `dask scheduler`"):
        runner.run(tournament, tmp_path / "out", jobs=1)
