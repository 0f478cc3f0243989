"""Kill processes of long commands at random times, and check the outcome.

    python tests/experiments/kills.py --rounds 12              # rounds of each kind of command
    python tests/experiments/kills.py --rounds 1 --only study,learn

In a round, the command starts in an empty folder, and one of its processes is killed (SIGKILL):
the command itself, a worker, a guard, a bot, or a worker or the scheduler of a dask cluster. The
command must then end in time (`WAIT`, `SLOWER`) without a traceback, and leave no process. If the
command is then repeated without a kill, its files must equal those of an undisturbed run. `serve`
must show the last move that it confirmed before the kill.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "helpers")]
from running import children, session, until  # noqa: E402

WAIT = 70.0  # seconds: a little more than a run on dask waits for workers
SLOWER = 5.0  # multiple of the duration of an undisturbed run, because the machine may be busy
LEFT = 10.0  # seconds from the end of a command until all its other processes must have ended
BOT = """
class Slow:
    def choose(self, observation, seed):
        return observation.legal()[0]
"""
VICTIMS = {
    "worker": "popen_loky",
    "guard": "guard import serve",
    "bot": "bot_process import live",
}
TOURNAMENT = (
    "game: trajan\nplayers: 2\ndeals: 8\nbots:\n"
    "  - {name: m, extends: ismcts, iterations: 20}\n"
    '  - {name: slow, kind: python, class: "slow:Slow"}\n'
)
STUDY = (
    "seeds: [1, 2]\ntables: [{game: trajan, players: [2]}]\nlayers:\n"
    "  - {name: bot, games: 16, judged: 0, bot: {name: m, extends: ismcts, iterations: 20}}\n"
)
LEARN = (
    "learn: prior\ngame: trajan\nplayers: [2]\ngames: 11\niterations: 4\nbetween: 2\nevery: 60\n"
)


class Failed(Exception):
    """Raised if a kill had an effect that it must not have."""


@dataclass
class Kind:
    """A command, its plan, the victims, and the outputs that a kill must not change."""

    command: str
    plan: str
    victims: tuple[str, ...]
    outputs: tuple[str, ...]
    dask: bool = False
    seconds: float = 0.0  # duration of an undisturbed run
    files: dict[str, bytes] = field(default_factory=dict)  # of an undisturbed run


RESULTS = ("results.json", "games.csv", "records.jsonl")
KINDS = {
    "tournament": Kind("tournament", TOURNAMENT, ("runner", *VICTIMS), RESULTS),
    "dask": Kind("tournament", TOURNAMENT, ("dask worker", "dask scheduler"), RESULTS, dask=True),
    "study": Kind("study", STUDY, ("runner", "worker"), ("data/**/*.parquet",)),
    "learn": Kind("learn", LEARN, ("runner",), ("*.npz", "*.yaml")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=12, help="rounds of each kind")
    parser.add_argument("--only", default="tournament,dask,study,learn,serve", help="the kinds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    draw, counts, failures = random.Random(arguments.seed), Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow.py").write_text(BOT)
        for kind in arguments.only.split(","):
            if kind != "serve":
                measure(kind, folder)
            for number in range(arguments.rounds):
                begin = time.monotonic()
                try:
                    victim = (
                        kill_server(folder / f"state-{number}", draw)
                        if kind == "serve"
                        else kill(kind, folder / f"{kind}-{number}", draw)
                    )
                    counts[f"{kind}: {victim}"] += 1
                except Failed as error:
                    failures += 1
                    print(f"{kind}, round {number}: FAILED: {error}", flush=True)
                print(f"{kind}, round {number}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{counts.total()} kills without a loss ({dict(counts)}), {failures} failures")
    sys.exit(failures > 0)


def measure(name: str, folder: Path) -> None:
    """Run a command undisturbed, and store its duration and its files."""
    kind, out = KINDS[name], folder / f"{name}-whole"
    begin = time.monotonic()
    run = start(kind, write_plan(kind, folder, None), out)
    finish(run, (0,), None)
    kind.seconds, kind.files = time.monotonic() - begin, read(kind, out)
    if not kind.files:
        raise SystemExit(f"{name}: wrote none of {kind.outputs}")


def kill(name: str, out: Path, draw: random.Random) -> str:
    """Kill one process of a run, run the command again, and return what was killed.

    Raises Failed if the outputs then differ from those of an undisturbed run.
    """
    kind = KINDS[name]
    victim = draw.choice(kind.victims)
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(start_cluster(out.parent)) if kind.dask else None
        run = start(kind, write_plan(kind, out.parent, cluster), out)
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(draw.random() * kind.seconds)
        pids = find_victims(victim, run, cluster)
        if pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(draw.choice(pids), signal.SIGKILL)
        else:
            victim += " (none)"
        # Status 2 means that the cluster or a worker was lost, and status 1 that games are
        # missing. In both cases, the command plays the missing games if it is run again.
        limit = WAIT + SLOWER * kind.seconds
        finish(run, (0, 1, 2, -signal.SIGKILL), limit)
    finish(start(kind, write_plan(kind, out.parent, None), out), (0,), limit)
    for path, content in (read(kind, out) | kind.files).items():
        if kind.files.get(path) != content or read(kind, out).get(path) != content:
            raise Failed(f"{victim} killed: {path} differs from that of an undisturbed run")
    return victim


def start(kind: Kind, plan: Path, out: Path) -> subprocess.Popen[str]:
    words = ["-m", "trajan_ai", kind.command, str(plan), "--out", str(out), "--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(run: subprocess.Popen[str], allowed: tuple[int, ...], limit: float | None) -> None:
    """Wait for a command; raise Failed if it takes too long, fails, or leaves processes behind."""
    try:
        _, errors = run.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        raise Failed(f"no end within {limit:g} s") from None
    if run.returncode not in allowed or "Traceback" in errors:
        raise Failed(f"exit status {run.returncode}: {errors[-2000:]}")
    check_nothing_is_left(run)


def check_nothing_is_left(run: subprocess.Popen[str]) -> None:
    if not until(lambda: not session(run.pid), LEFT):
        left = session(run.pid)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        raise Failed(f"{len(left)} processes are left")


def write_plan(kind: Kind, folder: Path, cluster: "DaskCluster | None") -> Path:
    """Write the plan, which is played on the cluster if there is one."""
    path = folder / f"{kind.command}.yaml"
    where = f"backend: dask\nscheduler: {cluster.address}\n" if cluster else ""
    path.write_text(kind.plan + where)
    return path


def read(kind: Kind, out: Path) -> dict[str, bytes]:
    paths = [path for pattern in kind.outputs for path in sorted(out.glob(pattern))]
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def find_victims(
    victim: str, run: subprocess.Popen[str], cluster: "DaskCluster | None"
) -> list[int]:
    """Return the ids of processes that may be killed, or none if the run has ended."""
    if run.poll() is not None:
        return []
    if cluster is not None:
        return [(cluster.scheduler if victim == "dask scheduler" else cluster.worker).pid]
    if victim == "runner":
        return [run.pid]
    return [pid for pid in children(run.pid) if VICTIMS[victim] in command_line(pid)]


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):  # the processes of a game end with the game
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


@dataclass
class DaskCluster:
    """A scheduler and one worker. A killed worker is not replaced."""

    address: str
    scheduler: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]


@contextlib.contextmanager
def start_cluster(folder: Path):
    """Yield a cluster, and end its processes."""
    contact = folder / f"scheduler-{time.monotonic_ns()}.json"

    def launch(module: str, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *words],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    file = ("--scheduler-file", str(contact))
    scheduler = launch("dask_scheduler", *file, "--host", "127.0.0.1", "--port", "0")
    worker = launch("dask_worker", *file, "--nthreads", "2", "--no-nanny")
    try:
        if not until(lambda: contact.exists() and contact.read_text().strip(), 60):
            raise Failed("the scheduler did not start")
        yield DaskCluster(json.loads(contact.read_text())["address"], scheduler, worker)
    finally:
        for process in (worker, scheduler):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def kill_server(state: Path, draw: random.Random) -> str:
    """Kill a server during a game, and check that the next one has the last confirmed move."""
    server, address = start_server(state)
    try:
        game = {"game": "trajan", "seats": [None, None], "seed": 3}
        id = ask(address, "/api/trees", game)["id"]
        page = confirmed = ask(address, f"/api/trees/{id}/at", {"node": 0})
        deadline, moves = time.monotonic() + 2 * draw.random(), 0
        while time.monotonic() < deadline and page["legal"]:
            action, _ = draw.choice(page["legal"])
            move = {"node": page["node"], "action": action, "gathered": page["gathered"]}
            page = ask(address, f"/api/trees/{id}/play", move)
            if not page["gathered"]:  # otherwise the set is incomplete, and nothing was played
                confirmed = page
                moves += 1
    finally:
        server.kill()
        server.communicate()
    check_nothing_is_left(server)
    server, address = start_server(state)
    try:
        page = ask(address, f"/api/trees/{id}/at", {"node": confirmed["node"]})
        if page["legal"] != confirmed["legal"]:
            raise Failed(f"the game after {moves} moves is another one")
    except OSError as error:
        raise Failed(f"the game after {moves} moves: {error}") from None
    finally:
        server.kill()
        server.communicate()
    return "server"


def start_server(state: Path) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "trajan_ai", "serve", "--port", "0", "--no-browser"],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    return server, server.stdout.readline().strip().rstrip("/")


def ask(address: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=WAIT) as answer:
        return dict(json.load(answer))


if __name__ == "__main__":
    main()
