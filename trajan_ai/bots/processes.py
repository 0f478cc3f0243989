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
from collections.abc import Callable, Sequence

POLL = 0.25  # seconds between two looks at a process that does not answer
GOODBYE = 2.0  # seconds a process has to leave by itself
_PR_SET_PDEATHSIG = 1  # of prctl(2)
PAUSES = sys.platform.startswith("linux")  # where a stopped process still dies with its parent

# A child imports nothing before it is safe from the signals meant for its terminal.
_CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from {module} import {function}
{function}(*map(int, sys.argv[1:]))
"""


def start(
    entry: str, numbers: Sequence[int], descriptors: Sequence[int], *, session: bool = False
) -> subprocess.Popen[bytes]:
    """Start Python at the function ``module:function`` with `numbers` and the own process id.

    `descriptors` stay open in it; with `session` it begins a session of its own, so that signals
    to its group reach nobody else.
    """
    module, _, function = entry.partition(":")
    code = _CHILD.format(module=module, function=function)
    return subprocess.Popen(
        # -P: what lies in the current folder, such as sources not built, must not come first.
        [sys.executable, "-P", "-c", code, *map(str, (*numbers, os.getpid()))],
        pass_fds=descriptors,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
        stdin=subprocess.DEVNULL,
        start_new_session=session,
    )


def signal_group(leader: int, number: int) -> None:
    """Send a signal to a process and all of its group, if they are still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def how_it_ended(status: int | None) -> str:
    """Put the exit status of a process in words; None: it had to be killed."""
    if status is None:
        return "its process stopped answering"
    if status < 0:
        return f"its process died of {signal.Signals(-status).name}"
    return f"its process ended with exit status {status}"


def end_with(parent: int) -> None:
    """End this process when `parent` is gone, even in the middle of a game; never returns."""
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(0)


def die_with(parent: int) -> bool:
    """Have this process end when its parent does; return whether the kernel sees to it.

    Then it dies with its parent even while it is stopped.
    """
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    if not sys.platform.startswith("linux"):
        return False
    result: int = ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return result == 0


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
