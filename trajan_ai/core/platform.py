"""What the machine and its system offer."""

import os
import signal

from trajan_ai.core.errors import TrajanError

# Whether processes can be grouped, stopped and limited: what guards others from a bot's program.
GUARDS = all(hasattr(os, name) for name in ("killpg", "setsid")) and hasattr(signal, "SIGSTOP")


def need_guards(what: str) -> None:
    """Raise TrajanError where `what` cannot be had, because processes cannot be guarded."""
    if not GUARDS:
        raise TrajanError(
            f"{what} cannot run on this system, which has no process groups, no stopped processes "
            "and no limits of memory; Linux and macOS have them, and so has WSL on Windows"
        )


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
