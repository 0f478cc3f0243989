"""A run of learning: a folder with what is made for it, in parts, each made once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]
Make = Callable[[int], Arrays]
# Makes parts somewhere: yields their numbers with what they hold, as they are done.
Where = Callable[[Make, Sequence[int]], Iterator[tuple[int, Arrays]]]


def on_threads(jobs: int) -> Where:
    """Make parts in threads of this process."""

    def made(make: Make, parts: Sequence[int]) -> Iterator[tuple[int, Arrays]]:
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(make, part): part for part in parts}
            try:
                for future in as_completed(futures):
                    yield futures.pop(future), future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return made


@dataclass(frozen=True)
class Run:
    """Where a run of learning leaves and makes its parts, and who hears of it.

    ``tell(line)`` hears of results, ``progress(what, done, of)`` of every part that is done.
    """

    folder: Path
    where: Where
    tell: Callable[[str], None]
    progress: Callable[[str, int, int], None]

    def made(self, names: Sequence[str], make: Make, what: str) -> list[Path]:
        """Return the files of parts; the n-th, if it is missing, is made by ``make(n)``.

        A file is there as a whole or not at all.
        """
        paths = [self.folder / f"{name}.npz" for name in names]
        missing = [part for part, path in enumerate(paths) if not path.exists()]
        made = self.where(make, missing)
        for done, (part, arrays) in enumerate(made, len(paths) - len(missing) + 1):
            half = paths[part].with_suffix(".part.npz")
            np.savez(half, allow_pickle=False, **arrays)
            os.replace(half, paths[part])
            self.progress(what, done, len(paths))
        return paths

    def made_of(
        self, total: int, size: int, name: str, make: Callable[[range], Arrays], what: str
    ) -> list[Path]:
        """Return the files of `total` things, `size` in each; `make` gets their numbers."""
        spans = [range(first, min(first + size, total)) for first in range(0, total, size)]
        names = [f"{name}-{part:04}" for part in range(len(spans))]
        return self.made(names, lambda part: make(spans[part]), what)


def read_part(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a part by name."""
    with np.load(path) as file:
        return dict(file)


def joined(parts: Sequence[Arrays]) -> Arrays:
    """Return the arrays of several parts, one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
