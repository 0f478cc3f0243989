"""What processes that watch each other share: starting, waiting, and ending with one's parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

POLL = 0.25  # seconds between two looks at a process that does not answer
MOST_ROUNDS = 8  # generations of processes that were left behind
GOODBYE = 2.0  # seconds a process has to leave by itself
LINUX = sys.platform.startswith("linux")
PAUSES = LINUX  # where a stopped process still dies with its parent
SECRETS = "TRAJAN_SECRET"  # variables of the environment that begin so are no bot's to see
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)

# A child imports nothing before it is safe from the signals meant for its terminal.
_CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = {path}
from {module} import {function}
{function}(*map(int, sys.argv[1:]))
"""


class Tree(subprocess.Popen[bytes]):
    """A process that is killed with all that is below it, in whatever session or group."""

    def kill(self) -> None:
        """End them at once."""
        if self.poll() is None:
            end_tree(self.pid)


def start(
    entry: str, numbers: Sequence[int], descriptors: Sequence[int], *, session: bool = False
) -> Tree:
    """Start Python at the function ``module:function`` with `numbers` and the own process id.

    `descriptors` stay open in it; with `session` it begins a session of its own, so that signals
    to its group reach nobody else.
    """
    module, _, function = entry.partition(":")
    # Not by PYTHONPATH: a program started there may be of a Python with packages of its own.
    path = [path or "." for path in sys.path]
    code = _CHILD.format(path=path, module=module, function=function)
    return Tree(
        # -P: what lies in the current folder, such as sources not built, must not come first.
        [sys.executable, "-P", "-c", code, *map(str, (*numbers, os.getpid()))],
        pass_fds=descriptors,
        # Sets of strings have one order in all processes: it is no chance that a bot drew.
        env={"PYTHONHASHSEED": "0"} | environment(),
        stdin=subprocess.DEVNULL,
        start_new_session=session,
    )


def environment() -> dict[str, str]:
    """Return the environment that processes with bots may see."""
    return {name: value for name, value in os.environ.items() if not name.startswith(SECRETS)}


def signal_group(leader: int, number: int) -> None:
    """Send a signal to a process and all of its group, if they are still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def how_it_ended(status: int | None) -> str:
    """Put the exit status of a process in words; None: it had to be killed."""
    if status is None:
        return "its process stopped answering"
    if status < 0:
        names = {int(number): number.name for number in signal.Signals}
        return f"its process died of {names.get(-status, f'signal {-status}')}"
    return f"its process ended with exit status {status}"


def end_with(parent: int, *, tidy: bool = False) -> None:
    """End this process when `parent` is gone, even in the middle of a game; never returns.

    With `tidy` its children end first.
    """
    while os.getppid() == parent:
        time.sleep(POLL)
    if tidy:
        end_children()
    os._exit(0)


def die_with(parent: int, *, tidy: bool = False) -> None:
    """Have this process end when its parent does, on Linux even while it is stopped.

    With `tidy` it ends what it has adopted, too: then it is woken up, and not killed.
    """
    told = signal.SIGCONT if tidy else signal.SIGKILL
    if LINUX and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, told) == 0:
        if os.getppid() != parent:  # it was gone before we asked
            os._exit(0)
        if not tidy:
            return
    threading.Thread(target=end_with, args=(parent,), kwargs={"tidy": tidy}, daemon=True).start()


def adopt() -> None:
    """Become the parent of what descendants leave behind, so that `end_children` finds it."""
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_children(keep: Collection[int] = ()) -> None:
    """Kill the children of this process but `keep`, and those that come to it thereby."""
    for _ in range(MOST_ROUNDS):
        left = set(children(os.getpid())) - set(keep)
        if not left:
            return
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def end_tree(root: int) -> None:
    """Kill a process and all below it, wherever their sessions and groups are."""
    found = [root]
    for pid in found:  # which grows
        found += children(pid)
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """Return the processes that are children of a process, where the system tells."""
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, file.read_text().split())
    return found


class Patience:
    """Counts how long a call has been waited for, in looks that this process has made itself.

    Time in which this process did not run (stopped, or the machine suspended) is nobody's.
    `clock` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._call: object = None
        self._seconds = 0.0
        self._looked = clock()

    def waited(self, call: object) -> float:
        """Return the seconds since `call` was first looked at; asked for at every look."""
        now = self._clock()
        step, self._looked = min(now - self._looked, 2 * POLL), now
        self._seconds = self._seconds + step if call == self._call else 0.0
        self._call = call
        return self._seconds
