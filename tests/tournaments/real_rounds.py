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

from plans import children, lives, outputs, plan_file, scripted, session, start, until

SIZE = 6 << 20  # bytes of the file system
LEFT = (20_000, 800_000)  # bytes left on it when it is about to fill
LATEST = 5.0  # seconds until a disaster
KEYS = {"bots": [scripted(), "random", "greedy"], "deals": 3}
KINDS = ("kill runner", "kill process", "kill process", "stop process", "Ctrl-C", "full disk")
SIGNALS = {"Ctrl-C": signal.SIGINT, "stop process": signal.SIGSTOP}


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


def run(folder, limit=None):
    """Start a run that may write `limit` bytes to a file, or as many as it wants."""
    run = start(plan_file(folder, **KEYS), folder / "disk" / "out", "--jobs", "2")
    if limit is not None:
        resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (limit, limit))
    return run


def ended(run):
    """Return the exit status and all that was printed."""
    text = "".join(run.communicate(timeout=180))
    return run.returncode, text


def disturbed(folder, kind, draw):
    """Run while one process is struck; return what was done."""
    one = run(folder)
    with contextlib.suppress(subprocess.TimeoutExpired):
        one.wait(draw.random() * LATEST)
    below = [one.pid, *children(one.pid)] if one.poll() is None else []
    runner = kind in ("kill runner", "Ctrl-C")
    with contextlib.suppress(ProcessLookupError, IndexError):  # it may have ended by now
        pid = one.pid if runner else draw.choice(sorted(below))
        os.kill(pid, SIGNALS.get(kind, signal.SIGKILL))
        if kind == "stop process":
            time.sleep(draw.random() * 2)
            os.kill(pid, signal.SIGCONT)
    status, text = ended(one)
    allowed = {0} if kind == "stop process" else {0, -9, 130}
    if kind == "Ctrl-C":  # Python dies of it while it starts and after all is done
        allowed.add(-signal.SIGINT)
    assert status in allowed, f"{kind}: {status}\n{text}"
    # joblib's own tracker of resources, if it was the one that was killed, says so at length.
    quiet = "Traceback" not in text or "resource_tracker" in text
    assert kind == "Ctrl-C" or quiet, text
    left = until(lambda: not session(one.pid) and not any(map(lives, below)))
    assert left, "processes were left behind"
    return kind


def filled(folder, mounted, draw):
    """Run into a full disk: told in one line; afterwards there is room again."""
    left = draw.randint(*LEFT)
    ballast = folder / "disk" / "ballast"
    if mounted:
        free = os.statvfs(ballast.parent)
        ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - left)))
    status, text = ended(run(folder, None if mounted else left))
    ballast.unlink(missing_ok=True)
    assert status in (0, 2), f"{status}\n{text}"
    assert "Traceback" not in text, text
    return "full disk met" if status == 2 else "full disk"


def played(folder, seed=None):
    """Return what a run leaves, after what one seed brings."""
    (folder / "disk").mkdir()
    draw, done = Random(seed), Counter()
    with small_disk(folder / "disk") as mounted:
        for _ in range(draw.randint(1, 3) if seed is not None else 0):
            kind = draw.choice(KINDS)
            full = kind == "full disk"
            done[filled(folder, mounted, draw) if full else disturbed(folder, kind, draw)] += 1
        status, text = ended(run(folder))
        assert status == 0, text
        return outputs(folder / "disk" / "out"), done


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    arguments = parser.parse_args()
    done, failed, whole = Counter(), 0, None
    for seed in (None, *range(arguments.first, arguments.first + arguments.rounds)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found, here = played(Path(folder), seed)
                whole = whole or found
                assert found == whole, "not the outputs of an undisturbed run"
                done += here
            except Exception as error:
                failed += 1
                print(f"round {seed}: {error!s}", flush=True)
                print(f"  to repeat it: {sys.argv[0]} --rounds 1 --first {seed}", flush=True)
    print(f"{arguments.rounds} rounds, {failed} failed: {dict(done)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
