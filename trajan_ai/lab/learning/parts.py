"""A learning run: a folder of data in parts, each of which is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai.core.atomic_file import draft_of

Arrays = Mapping[str, npt.NDArray[Any]]
Make = Callable[[int], Arrays]
# Makes parts in threads or on a cluster; yields their numbers and arrays as they are completed.
Backend = Callable[[Make, Sequence[int]], Iterator[tuple[int, Arrays]]]


def make_in_threads(jobs: int) -> Backend:
    """Return a backend of `jobs` threads in this process."""

    def make_parts(make: Make, parts: Sequence[int]) -> Iterator[tuple[int, Arrays]]:
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(make, part): part for part in parts}
            try:
                for future in as_completed(futures):
                    yield futures.pop(future), future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return make_parts


@dataclass(frozen=True)
class LearningRun:
    """A learning run.

    Attributes:
        folder: the folder that contains the parts and the results.
        backend: a function that computes the parts.
        report: a function that is called with each line of results.
        progress: a function that is called as ``progress(what, done, of)`` after each part.
    """

    folder: Path
    backend: Backend
    report: Callable[[str], None]
    progress: Callable[[str, int, int], None]

    def make_parts(self, names: Sequence[str], make: Make, what: str) -> list[Path]:
        """Return the files of parts; ``make(n)`` makes the n-th part if its file is missing.

        Files are complete or do not exist. `what` names the parts in progress lines.
        """
        paths = [self.folder / f"{name}.npz" for name in names]
        missing = [part for part, path in enumerate(paths) if not path.exists()]
        parts = self.backend(make, missing)
        for done, (part, arrays) in enumerate(parts, len(paths) - len(missing) + 1):
            named: dict[str, Any] = {**arrays}  # the annotations of savez in numpy 2 require Any
            with draft_of(paths[part]) as draft, draft.open("wb") as file:
                np.savez(file, **named)
            self.progress(what, done, len(paths))
        return paths

    def make_spans(
        self, total: int, size: int, name: str, make: Callable[[range], Arrays], what: str
    ) -> list[Path]:
        """Return the files of `total` items, `size` per file; `make` takes a range of items."""
        spans = [range(first, min(first + size, total)) for first in range(0, total, size)]
        names = [f"{name}-{part:04}" for part in range(len(spans))]
        return self.make_parts(names, lambda part: make(spans[part]), what)


def read_part(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the named arrays of a part."""
    with np.load(path) as file:
        return dict(file)


def join_parts(parts: Sequence[Arrays]) -> Arrays:
    """Concatenate the arrays of several parts that have the same name."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
