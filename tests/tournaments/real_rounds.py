"""Real processes killed at random, on a real file system of a few MB that fills up.

    python tests/tournaments/real_rounds.py --rounds 100 [--first SEED]

As root each round mounts a small tmpfs; otherwise files may not grow beyond a limit. A round runs
a plan some times with a disaster each (kill -9 or SIGSTOP of a process drawn from the runner and
all below it, Ctrl-C, a full disk) and then once without: the outputs are byte for byte those of
an undisturbed run, no process is left behind, and no error is more than a line.
"""

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from plans import children, command, environment, outputs, plan_file, scripted, session

SIZE = 6 << 20  # bytes of the file system
LEFT = (20_000, 800_000)  # bytes left on it when it is about to fill
LATEST = 5.0  # seconds until a disaster
KEYS = {"bots": [scripted("First"), "random", "greedy"], "deals": 3}
KINDS = ("kill runner", "kill process", "kill process", "stop process", "Ctrl-C", "full disk")


@contextlib.contextmanager
def small_disk(folder):
    """Yield whether `folder` has become a small file system of its own."""
    options = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and not subprocess.run(options, check=False).returncode
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Round:
    """What happens under one seed."""

    def __init__(self, seed, folder, whole):
        self.random = Random(seed)
        self.folder = folder
        self.whole = whole
        self.done = Counter()

    def play(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.plan, self.out = plan_file(self.folder, **KEYS), disk / "out"
        with small_disk(disk) as self.mounted:
            for _ in range(self.random.randint(1, 3)):
                self.disturbed(disk, self.random.choice(KINDS))
            status, text = self.end(self.start(), 0)
            assert status == 0, text
            assert outputs(self.out) == self.whole, "not the outputs of an undisturbed run"

    def start(self, limit=None):
        run = subprocess.Popen(
            command(self.plan, self.out, "--jobs", "2"),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        if limit is not None:
            resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (limit, limit))
        return run

    def disturbed(self, disk, kind):
        self.done[kind] += 1
        if kind == "full disk":
            self.filled(disk)
            return
        run = self.start()
        below = set()
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(self.random.random() * LATEST)
        if run.poll() is None:
            below = {run.pid, *children(run.pid)}
            pid = run.pid if kind in ("kill runner", "Ctrl-C") else self.drawn(below)
            self.strike(pid, kind)
        status, text = self.end(run, 60)
        allowed = {0} if kind == "stop process" else {0, -9, 130}
        if kind == "Ctrl-C":  # Python dies of it while it starts and after all is done
            allowed.add(-signal.SIGINT)
        assert status in allowed, f"{kind}: {status}\n{text}"
        # joblib's own tracker of resources, if it was the one that was killed, says so at length.
        quiet = "Traceback" not in text or "resource_tracker" in text
        assert kind == "Ctrl-C" or quiet, text
        self.nobody_left(run, below)

    def drawn(self, below):
        return self.random.choice(sorted(below))

    def strike(self, pid, kind):
        """Do it; a process may have ended by now."""
        number = {"Ctrl-C": signal.SIGINT, "stop process": signal.SIGSTOP}.get(
            kind, signal.SIGKILL
        )
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
            if kind == "stop process":
                time.sleep(self.random.random() * 2)
                os.kill(pid, signal.SIGCONT)

    def filled(self, disk):
        """Run into a full disk: told in one line; afterwards there is room again."""
        left = self.random.randint(*LEFT)
        ballast = disk / "ballast"
        if self.mounted:
            free = os.statvfs(disk)
            ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - left)))
        status, text = self.end(self.start(None if self.mounted else left), 0)
        ballast.unlink(missing_ok=True)
        assert status in (0, 2), f"{status}\n{text}"
        assert "Traceback" not in text, text
        self.done["full disk met"] += status == 2

    def end(self, run, wait):
        """Return the exit status and all that was printed."""
        try:
            text, _ = run.communicate(timeout=120 + wait)
        except subprocess.TimeoutExpired:
            run.kill()
            raise
        return run.returncode, text

    def nobody_left(self, run, below):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            left = {*session(run.pid), *(pid for pid in below if alive(pid))}
            if not left:
                return
            time.sleep(0.1)
        raise AssertionError(f"processes were left behind: {left}")


def alive(pid):
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    arguments = parser.parse_args()
    done, failed = Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        still = Round(0, Path(folder), None)
        still.plan, still.out = plan_file(folder, **KEYS), Path(folder, "whole")
        status, text = still.end(still.start(), 0)
        assert status == 0, text
        whole = outputs(still.out)
    for seed in range(arguments.first, arguments.first + arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            one = Round(seed, Path(folder), whole)
            try:
                one.play()
            except Exception as error:
                failed += 1
                print(f"round {seed} ({dict(one.done)}): {error!s}", flush=True)
                print(f"  to repeat it: {sys.argv[0]} --rounds 1 --first {seed}", flush=True)
            done += one.done
    print(f"{arguments.rounds} rounds, {failed} failed: {dict(done)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
