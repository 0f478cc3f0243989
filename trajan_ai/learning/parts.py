"""What is made for learning, in numbered parts: files, each made once, here or elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
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


def make_parts(
    paths: Sequence[Path], make: Make, *, where: Where, tell: Callable[[int, int], None]
) -> None:
    """Write the files that are not there yet, the n-th with the arrays that ``make(n)`` returns.

    A file is there as a whole or not at all. ``tell(done, parts)`` is called after every part.
    """
    missing = [part for part, path in enumerate(paths) if not path.exists()]
    made = where(make, missing)
    for done, (part, arrays) in enumerate(made, len(paths) - len(missing) + 1):
        half = paths[part].with_suffix(".part.npz")
        np.savez(half, allow_pickle=False, **arrays)
        os.replace(half, paths[part])
        tell(done, len(paths))
