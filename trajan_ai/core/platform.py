"""Properties of the machine and its operating system."""

import os
import signal

from trajan_ai.core.errors import TrajanError

# Whether processes can be grouped, stopped and limited, to protect others from a bot's program.
HAS_GUARDS = all(hasattr(os, name) for name in ("killpg", "setsid")) and hasattr(signal, "SIGSTOP")


def need_guards(what: str) -> None:
    """Raise TrajanError if `what` cannot run because processes cannot be guarded."""
    if not HAS_GUARDS:
        raise TrajanError(
            f"{what} cannot run on this system, which has no process groups, no stopped processes "
            "and no memory limits; Linux, macOS and WSL on Windows have them"
        )


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
