"""If real processes are killed or interrupted, no finished game is lost or played twice."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from calls import ROOT
from plans import (
    NIM,
    SLOW,
    outputs,
    plan,
    plan_file,
    program,
    scripted,
    start,
    stored,
    wait_for_games,
)
from running import children, lives, session, until

from trajan_ai.bots.processes import run_command
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.plan_file import read_plan
from trajan_ai.tournaments.store import Store

pytestmark = pytest.mark.slow

KEYS = {"game": NIM, "bots": [SLOW, "random"], "deals": 9}
GAMES = 18


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    write_outputs(runner.run(plan(folder, **KEYS), folder, 1))
    return outputs(folder)


STUDY = """
seeds: [1, 2]
tables: [{game: trajan, players: [2]}]
layers: [{name: slow, games: 4000, bot: {name: slow, extends: ismcts, iterations: 100000}}]
"""


@pytest.mark.needs("pyarrow")
def test_a_killed_study_leaves_no_process(tmp_path):
    (tmp_path / "plan.yaml").write_text(STUDY)
    words = ("study", str(tmp_path / "plan.yaml"), "--jobs", "2", "--out", str(tmp_path / "out"))
    run = subprocess.Popen([sys.executable, "-m", "trajan_ai", *words], start_new_session=True)
    try:
        assert until(lambda: sum(map(is_worker, children(run.pid))) == 2, 60)
    finally:
        run.kill()
        run.wait()
    ended = until(lambda: not session(run.pid))
    for pid in session(run.pid):
        os.kill(pid, signal.SIGKILL)
    assert ended


@pytest.mark.needs("pyarrow")
def test_a_study_whose_worker_is_killed_ends_with_one_line(tmp_path):
    (tmp_path / "plan.yaml").write_text(STUDY)
    words = ("study", str(tmp_path / "plan.yaml"), "--jobs", "2", "--out", str(tmp_path / "out"))
    command = [sys.executable, "-m", "trajan_ai", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    run = subprocess.Popen(command, start_new_session=True, **pipes)
    try:
        assert until(lambda: sum(map(is_worker, children(run.pid))) == 2, 60)
        os.kill(next(pid for pid in children(run.pid) if is_worker(pid)), signal.SIGKILL)
        _, errors = run.communicate(timeout=60)
        assert run.returncode == 2, errors
        assert "a worker process was killed" in errors
        assert "Traceback" not in errors
        assert until(lambda: not session(run.pid)), "processes were left behind"
    finally:
        for pid in session(run.pid):
            os.kill(pid, signal.SIGKILL)


COMMAND = """
import sys
from trajan_ai.bots.processes import run_command
sleep = "import time; time.sleep(600)"
start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleep!r}])"
run_command([sys.executable, "-c", start])
"""


BOT = """
import sys
from types import SimpleNamespace
from trajan_ai.bots.bot_process import BotProcess
code = SimpleNamespace(texts={"mine.py": "import slow_package"}, digests={"mine.py": "0"})
process = BotProcess(SimpleNamespace(name="mine", code=code), "nim", 0)
print(process.pid, flush=True)
sys.stdin.read()
"""


def test_a_bot_that_is_still_importing_ends_with_its_runner(tmp_path):
    flag = tmp_path / "flag"
    package = f"import pathlib, time\npathlib.Path({str(flag)!r}).touch()\ntime.sleep(600)\n"
    (tmp_path / "slow_package.py").write_text(package)
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [sys.executable, "-c", BOT], env=os.environ | {"PYTHONPATH": path}, **pipes
    ) as run:
        pid = int(run.stdout.readline())
        assert until(flag.exists)
        run.kill()
    ended = until(lambda: not lives(pid), 5)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    assert ended


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_command_ends_with_its_caller(how):
    """`profile` and `site` run other programs like this, and these may start more processes."""
    run = subprocess.Popen(
        [sys.executable, "-c", COMMAND], start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        assert until(lambda: len(children(run.pid)) == 3)
    finally:
        run.send_signal(how)
        run.wait()
    ended = until(lambda: not session(run.pid))
    for pid in session(run.pid):
        os.kill(pid, signal.SIGKILL)
    assert ended


@pytest.mark.parametrize(
    "how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_a_signal_ends_the_workers_without_tools_of_the_system(tmp_path, how):
    """A minimal Debian lacks pgrep; without psutil, joblib then raises an error and waits."""
    path, out = tmp_path / "plan.yaml", tmp_path / "out"
    path.write_text("{game: trajan, players: 2, deals: 9999, bots: [random, greedy]}")
    words = ("tournament", str(path), "--out", str(out), "--jobs", "2")
    run = subprocess.Popen(
        [sys.executable, "-m", "trajan_ai", *words],
        env=os.environ | {"PATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for_games(run, out, 1)
        run.send_signal(how)
        _, errors = run.communicate(timeout=60)
    finally:
        for pid in session(run.pid):
            os.kill(pid, signal.SIGKILL)
    assert run.returncode == 130
    assert "interrupted after" in errors
    assert "Error" not in errors
    assert "Warning" not in errors


def test_a_command_returns_its_output_or_raises(tmp_path):
    code = "import os, sys; print(os.getcwd(), os.environ['X']); sys.exit(sys.argv[1] or 0)"
    settings = {"folder": tmp_path, "environment": {"X": "7"}}
    assert run_command([sys.executable, "-c", code, ""], **settings) == f"{tmp_path} 7\n"
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_command([sys.executable, "-c", code, "went wrong"], **settings)
    assert (caught.value.returncode, caught.value.stderr) == (1, "went wrong\n")
    with pytest.raises(FileNotFoundError):
        run_command(["no-such-program"])


@pytest.mark.parametrize(
    "how",
    [signal.SIGKILL, signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)],
)
def test_a_stopped_run_can_be_resumed(tmp_path, whole, capsys, how):
    path, out = plan_file(tmp_path, **KEYS), tmp_path / "out"
    run = start(path, out, "--jobs", "2", hold=tmp_path / "hold")
    wait_for_games(run, out, 3)
    with pytest.raises(TrajanError, match="another run is writing here"):
        runner.run(read_plan(path), out, 1)
    below = children(run.pid)
    assert len(below) >= 4  # two workers, each with its guarded child
    if how != signal.SIGKILL:
        os.killpg(run.pid, how)  # to the whole group, as terminals and service managers do
    else:
        run.kill()
    text, errors = run.communicate(timeout=60)
    before = stored(out)
    assert 3 <= len(before) < GAMES
    if how != signal.SIGKILL:
        assert run.returncode == 130
        assert "95 % interval" in text
        assert f"--out {out} --resume" in errors
        assert "Traceback" not in errors
    assert until(lambda: not any(map(lives, below))), "processes were left behind"
    assert main(["tournament", str(path), "--out", str(out), "--jobs", "1", "--resume"]) == 0
    assert f"({GAMES - len(before)} played now, {len(before)} reused)" in capsys.readouterr().out
    assert outputs(out) == whole


LATER = [pytest.param(seconds, marks=pytest.mark.long) for seconds in (0.8, 2.0)]


@pytest.mark.parametrize("seconds", [0.3, 1.2, *LATER])
def test_a_runner_killed_during_start_leaves_no_process(tmp_path, seconds):
    run = start(plan_file(tmp_path, **KEYS | {"deals": 300}), tmp_path / "out", "--jobs", "2")
    time.sleep(seconds)
    run.kill()
    run.communicate()
    ended = until(lambda: not session(run.pid))
    for pid in session(run.pid):
        os.kill(pid, signal.SIGKILL)
    assert ended


@pytest.mark.long
def test_a_run_that_was_suspended_charges_no_bot(tmp_path):
    """While the run waits for a bot, it is stopped for longer than `patience`, then continued."""
    path = plan_file(tmp_path, **KEYS, limits={"patience": 2.0})
    hold = tmp_path / "hold"
    run = start(path, tmp_path / "out", "--jobs", "1", hold=hold)
    wait_for_games(run, tmp_path / "out", 4)
    assert until(lambda: len(list(hold.iterdir())) > 4)  # then the fifth game is held
    os.killpg(run.pid, signal.SIGSTOP)
    time.sleep(3.0)
    shutil.rmtree(hold)
    os.killpg(run.pid, signal.SIGCONT)
    text, errors = run.communicate(timeout=120)
    assert run.returncode == 0, text + errors


def test_a_killed_worker_costs_only_its_game_in_flight(tmp_path, whole):
    path, out = plan_file(tmp_path, **KEYS), tmp_path / "out"
    hold = tmp_path / "hold"
    run = start(path, out, "--jobs", "2", hold=hold)
    wait_for_games(run, out, 3)
    os.kill(next(pid for pid in children(run.pid) if is_worker(pid)), signal.SIGKILL)
    shutil.rmtree(hold)
    text, errors = run.communicate(timeout=60)
    assert run.returncode == 0, errors
    assert f"({GAMES} played now, 0 reused)" in text
    assert outputs(out) == whole
    with Store(out) as store:
        assert not store.failures()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_killed_processes_change_no_result(tmp_path, whole, seed):
    """The runner or one of its descendants, drawn at random, is killed, interrupted, or stopped
    for a while."""
    path, out, draw = plan_file(tmp_path, **KEYS), tmp_path / "out", Random(seed)
    run = start(path, out, "--jobs", "2")
    how = draw.choice((signal.SIGKILL, signal.SIGINT, signal.SIGSTOP))
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(1 + 3 * draw.random())
    with contextlib.suppress(ProcessLookupError):  # the process may have ended by now
        pid = run.pid if how == signal.SIGINT else draw.choice([run.pid, *children(run.pid)])
        os.kill(pid, how)
        time.sleep(draw.random() if how == signal.SIGSTOP else 0)
        os.kill(pid, signal.SIGCONT)
    text = "".join(run.communicate(timeout=120))
    # Ctrl-C kills Python by a signal while it starts, and after its work is done.
    assert run.returncode in (0, 130, -signal.SIGINT, -signal.SIGKILL), text
    assert until(lambda: not session(run.pid)), "processes were left behind"
    assert main(["tournament", str(path), "--out", str(out), "--jobs", "1"]) == 0
    assert outputs(out) == whole


WITH_PROGRAM = {"game": NIM, "bots": [SLOW, program("quiet"), "random"], "deals": 3}
VICTIMS = {"guard": "guard import serve", "bot": "bot_process import live", "program": "quiet"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the outputs of the plan with a program if nothing disturbs the run."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_outputs(runner.run(plan(folder, **WITH_PROGRAM), folder, 1))
    return outputs(folder)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(28))
def test_killed_guards_and_bots_change_no_result(tmp_path, undisturbed, seed):
    """During a run, two processes between a worker and its game are killed by various signals."""
    path, out, draw = plan_file(tmp_path, **WITH_PROGRAM), tmp_path / "out", Random(seed)
    hold = tmp_path / "hold"
    run = start(path, out, "--jobs", "2", hold=hold)
    wait_for_games(run, out, 3)
    for what in draw.choices([*VICTIMS], k=2):
        time.sleep(draw.random() / 2)
        victims = [pid for pid in children(run.pid) if VICTIMS[what] in command_line(pid)]
        with contextlib.suppress(ProcessLookupError, IndexError):  # the game may have ended
            os.kill(
                draw.choice(victims),
                draw.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)),
            )
    shutil.rmtree(hold)
    text, errors = run.communicate(timeout=300)
    if "are missing (their processes were lost" in text + errors:  # killed before Python started
        assert main(["tournament", str(path), "--out", str(out), "--jobs", "1"]) == 0
    else:
        assert run.returncode == 0, text + errors
    assert outputs(out) == undisturbed
    with Store(out) as store:
        assert not any(failure.counted for failure in store.failures())
    assert until(lambda: not session(run.pid)), "processes were left behind"


def is_worker(pid):
    return "popen_loky" in command_line(pid)


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:  # a process of a game ends with the game
        return ""


def test_failing_bots_give_exit_status_1(tmp_path, capsys):
    path = plan_file(tmp_path, bots=[scripted("raise"), scripted()], game=NIM, deals=1)
    assert main(["tournament", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 1
    assert "2 games were lost to failing bots" in capsys.readouterr().err
