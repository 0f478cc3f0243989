"""Locks that keep two runs from writing to the same files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from trajan_ai.core.errors import TrajanError

LOCK = "running"  # name of the lock file in the folder of a run


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the folder, or raise TrajanError if another run has locked it.

    The lock is also released if the process dies.
    """
    with _lock(folder / LOCK, f"{folder}: another run is writing here", "choose another --out"):
        yield


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Lock the file, or raise TrajanError if another run has locked it.

    The lock is also released if the process dies.
    """
    with _lock(Path(f"{path}.lock"), f"{path}: another run is writing it", "choose another file"):
        yield


@contextmanager
def _lock(path: Path, problem: str, remedy: str) -> Iterator[None]:
    try:
        lock = FileLock(path, timeout=0).acquire()
    except Timeout:
        raise TrajanError(f"{problem}; wait until it ends, or {remedy}") from None
    with lock:
        yield
        path.unlink(missing_ok=True)  # before the lock is released
