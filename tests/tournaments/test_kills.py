"""Processes killed for real, and Ctrl-C: nothing finished is lost, nothing is played twice."""

import os
import shutil
import signal
import time

import pytest
from plans import (
    NIM,
    children,
    finish,
    outputs,
    plan_file,
    scripted,
    session,
    start,
    stored,
    wait_for_games,
)

from trajan_ai.tournaments.store import Store

KEYS = {"game": NIM, "bots": [scripted("Slow"), scripted("First"), "random"], "deals": 3}
GAMES = 3 * 3 * 2


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The outputs of an undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    done = finish(plan_file(folder, **KEYS), folder / "out", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return outputs(folder / "out")


def gone(pids, timeout=15):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if not any(os.path.exists(f"/proc/{pid}") and not _zombie(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _zombie(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_runner_goes_on_where_it_was(tmp_path, whole, how):
    path, out = plan_file(tmp_path, **KEYS), tmp_path / "out"
    run = start(path, out, "--jobs", "2", hold=tmp_path / "hold")
    wait_for_games(run, out, 3)
    below = children(run.pid)
    assert len(below) >= 4  # two workers, each with its guarded child
    os.kill(run.pid, how)
    run.communicate(timeout=60)
    before = stored(out)
    assert 3 <= len(before) < GAMES
    if how == signal.SIGINT:
        assert run.returncode == 130
    assert gone(below), "processes were left behind"
    again = finish(path, out, "--jobs", "2", "--resume")
    assert again.returncode == 0, again.stderr
    assert f"({GAMES - len(before)} played now, {len(before)} found)" in again.stdout
    assert outputs(out) == whole


LATER = [pytest.param(seconds, marks=pytest.mark.long) for seconds in (0.8, 1.6, 2.5)]


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 1.2, 2.0, *LATER])
def test_a_runner_killed_while_it_starts_leaves_nobody_behind(tmp_path, seconds):
    run = start(plan_file(tmp_path, **KEYS | {"deals": 300}), tmp_path / "out", "--jobs", "2")
    time.sleep(seconds)
    run.kill()
    run.communicate()
    deadline = time.monotonic() + 20
    while session(run.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    left = session(run.pid)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


@pytest.mark.slow
def test_a_run_that_was_suspended_charges_no_bot(tmp_path):
    """Stopped for longer than `patience` while it waits for a bot, then continued."""
    keys = {"game": NIM, "bots": [scripted("Slow"), "random"], "deals": 4}
    path = plan_file(tmp_path, **keys, limits={"patience": 3.0})
    hold = tmp_path / "hold"
    run = start(path, tmp_path / "out", "--jobs", "1", hold=hold)
    wait_for_games(run, tmp_path / "out", 4)
    while len(list(hold.iterdir())) <= 4:  # then the fifth game is held
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGSTOP)
    time.sleep(4.0)
    shutil.rmtree(hold)
    os.killpg(run.pid, signal.SIGCONT)
    text, errors = run.communicate(timeout=120)
    assert run.returncode == 0, text + errors


@pytest.mark.slow
def test_ctrl_c_prints_the_table_so_far_and_the_way_back(tmp_path):
    path, out = plan_file(tmp_path, **KEYS), tmp_path / "out"
    run = start(path, out, "--jobs", "2", hold=tmp_path / "hold")
    wait_for_games(run, out, 6)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    text, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "95 % interval" in text
    assert f"--out {out} --resume" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_killed_worker_costs_only_its_game_in_flight(tmp_path, whole):
    path, out = plan_file(tmp_path, **KEYS), tmp_path / "out"
    hold = tmp_path / "hold"
    run = start(path, out, "--jobs", "2", hold=hold)
    wait_for_games(run, out, 3)
    workers = [pid for pid in children(run.pid) if "popen_loky" in _command_line(pid)]
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    shutil.rmtree(hold)
    text, errors = run.communicate(timeout=60)
    assert run.returncode == 0, errors
    assert f"({GAMES} played now, 0 found)" in text
    assert outputs(out) == whole
    with Store(out) as store:
        assert not store.failures()


def _command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except OSError:  # processes of a game end with it
        return ""


@pytest.mark.slow
def test_two_runs_do_not_share_a_folder(tmp_path):
    path, out = plan_file(tmp_path, **KEYS | {"deals": 300}), tmp_path / "out"
    run = start(path, out, "--jobs", "1", hold=tmp_path / "hold")
    wait_for_games(run, out, 1)
    second = finish(path, out, "--jobs", "1")
    run.kill()
    run.communicate()
    assert second.returncode == 2
    assert "another run is writing here" in second.stderr
    assert second.stderr.count("\n") <= 2


def test_resume_of_nothing_is_an_error(tmp_path):
    done = finish(plan_file(tmp_path), tmp_path / "nowhere", "--resume")
    assert done.returncode == 2
    assert "nothing to resume" in done.stderr


@pytest.mark.slow
def test_failing_bots_give_exit_status_1(tmp_path):
    path = plan_file(tmp_path, bots=[scripted("Raising"), "random"], deals=1)
    done = finish(path, tmp_path / "out", "--jobs", "1")
    assert done.returncode == 1
    assert "2 games were lost to failing bots" in done.stderr
