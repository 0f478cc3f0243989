"""Properties of the machine and its operating system."""

import os
import platform
import signal
from pathlib import Path

from trajan_ai.core.errors import TrajanError

# Whether the system can group, suspend and limit processes, as a protection from bot programs.
HAS_GUARDS = all(hasattr(os, name) for name in ("killpg", "setsid")) and hasattr(signal, "SIGSTOP")


def need_guards(what: str) -> None:
    """Raise TrajanError if the system cannot guard processes, so that `what` cannot run."""
    if not HAS_GUARDS:
        raise TrajanError(
            f"{what} cannot run on this system, which cannot group and suspend processes or limit "
            "their memory; use Linux, macOS, or WSL on Windows"
        )


def describe_machine() -> str:
    """Return the operating system, the processor and the number of cores in words."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):  # not on Linux
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = value.strip()
            break
    cores = usable_cores()
    return f"{platform.system()}, {name}, {cores} {'core' if cores == 1 else 'cores'}"


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
