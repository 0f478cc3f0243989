"""Supervision of processes: starting them, waiting for them, and ending them with their parent."""

import contextlib
import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

POLL = 0.25  # seconds between two checks of a process that does not answer
MAX_OUTPUT = 2000  # the last bytes of a bot's output, which are stored besides a traceback
MAX_ROUNDS = 8  # generations of orphaned processes
GOODBYE = 2.0  # seconds within which a process may exit by itself
LINUX = sys.platform.startswith("linux")
PAUSES = LINUX  # elsewhere, a stopped process does not die with its parent
SECRETS = "TRAJAN_SECRET"  # prefix of environment variables that bots must not see
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)

# A child process ignores Ctrl-C from its terminal even before it imports anything.
_CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = {path}
from {module} import {function}
{function}(*map(int, sys.argv[1:]))
"""


class Tree(subprocess.Popen[bytes]):
    """A process that is killed with all its descendants, in any session or group."""

    def kill(self) -> None:
        """Kill the process and its descendants."""
        if self.poll() is None:
            end_tree(self.pid)


def start(
    entry: str, numbers: Sequence[int], descriptors: Sequence[int], *, session: bool = False
) -> Tree:
    """Start a Python process that calls ``module:function`` with `numbers` and its parent's id.

    `descriptors` stay open in the new process. With `session`, this process leads a new session,
    so that signals to its group reach no other process.
    """
    module, _, function = entry.partition(":")
    # The path is not passed in PYTHONPATH, which programs that use another Python would inherit.
    path = [path or "." for path in sys.path]
    code = _CHILD.format(path=path, module=module, function=function)
    return Tree(
        # -P: files in the current folder, such as sources that are not built, must not come first.
        [sys.executable, "-P", "-c", code, *map(str, (*numbers, os.getpid()))],
        pass_fds=descriptors,
        # With a fixed hash seed, sets of strings have the same order in all processes, so that
        # bots repeat their play.
        env={"PYTHONHASHSEED": "0"} | make_environment(),
        stdin=subprocess.DEVNULL,
        start_new_session=session,
    )


def run_command(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a command in a folder and return its output.

    The command and everything that it starts end with this process, even if this process is
    killed. Raises OSError if there is no such program, and subprocess.CalledProcessError with the
    output if the command fails.
    """
    program, *arguments = map(str, command)
    if shutil.which(program) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    # This file, run as a script, supervises the command. It imports only the standard library,
    # so that the script needs no other module of the package.
    supervised = [sys.executable, "-P", __file__, str(os.getpid()), program, *arguments]
    with Tree(
        supervised,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            output, errors = process.communicate()
        except BaseException:
            process.kill()
            raise
    texts = output.decode(errors="replace"), errors.decode(errors="replace")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, *texts)
    return texts[0]


def make_environment() -> dict[str, str]:
    """Return the environment of this process without secrets, for the processes of bots."""
    return {name: value for name, value in os.environ.items() if not name.startswith(SECRETS)}


def signal_group(leader: int, number: int) -> None:
    """Send a signal to a process group, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def describe_exit(status: int | None) -> str:
    """Describe the exit status of a process, which is None if the process had to be killed."""
    if status is None:
        return "its process stopped answering"
    if status < 0:
        names = {int(number): number.name for number in signal.Signals}
        return f"its process died of {names.get(-status, f'signal {-status}')}"
    return f"its process ended with exit status {status}"


def end_with(parent: int, *, tidy: bool = False) -> None:
    """Wait until `parent` is gone, then end this process. Never returns.

    With `tidy`, kill the children of this process first.
    """
    while os.getppid() == parent:
        time.sleep(POLL)
    if tidy:
        end_children()
    os._exit(0)


def die_with(parent: int, *, tidy: bool = False) -> None:
    """Make this process end when its parent ends; on Linux, even if this process is suspended.

    With `tidy`, this process also kills the processes that it has adopted; for this purpose, the
    end of the parent wakes this process up instead of killing it.
    """
    number = signal.SIGCONT if tidy else signal.SIGKILL
    if LINUX and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number) == 0:
        if os.getppid() != parent:  # the parent ended before the call
            os._exit(0)
        if not tidy:
            return
    threading.Thread(target=end_with, args=(parent,), kwargs={"tidy": tidy}, daemon=True).start()


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that `end_children` finds them."""
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_children(keep: Collection[int] = ()) -> None:
    """Kill the children of this process except `keep`, and the orphans that it then adopts."""
    for _ in range(MAX_ROUNDS):
        left = set(list_children(os.getpid())) - set(keep)
        if not left:
            return
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def end_tree(root: int) -> None:
    """Kill a process and all its descendants, in any session or group."""
    tree = [root]
    for pid in tree:  # the list grows
        tree += list_children(pid)
    for pid in tree:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def list_children(pid: int) -> list[int]:
    """Return the children of a process on Linux, or an empty list elsewhere."""
    pids: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += map(int, file.read_text().split())
    return pids


class Patience:
    """Measures how long a call has taken, excluding time in which this process did not run.

    Each check adds at most twice the interval between checks, so that no bot is charged for the
    time in which this process or the machine was suspended. `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._call: object = None
        self._seconds = 0.0
        self._checked = clock()

    def waited(self, call: object) -> float:
        """Return the seconds since the first check of `call`. Call this method at every check."""
        now = self._clock()
        step, self._checked = min(now - self._checked, 2 * POLL), now
        self._seconds = self._seconds + step if call == self._call else 0.0
        self._call = call
        return self._seconds


def _supervise(parent: int, command: Sequence[str]) -> NoReturn:
    """Run a command and exit with its status, or when `parent` ends; leave no process behind."""
    die_with(parent, tidy=True)
    adopt_orphans()
    status = subprocess.call(command)
    end_children()
    sys.exit(min(status, 255) if status >= 0 else 128 - status)


if __name__ == "__main__":
    _supervise(int(sys.argv[1]), sys.argv[2:])
