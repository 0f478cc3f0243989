"""What is made for learning, in numbered parts: files that several threads make, each once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]


def make_parts(
    paths: Sequence[Path],
    make: Callable[[int], Arrays],
    *,
    jobs: int,
    tell: Callable[[int, int], None],
) -> None:
    """Write the files that are not there yet, the n-th with the arrays that ``make(n)`` returns.

    A file is there as a whole or not at all. ``tell(done, parts)`` is called after every part.
    """

    def write(part: int) -> None:
        half = paths[part].with_suffix(".part.npz")
        np.savez(half, allow_pickle=False, **make(part))
        os.replace(half, paths[part])

    missing = [part for part, path in enumerate(paths) if not path.exists()]
    with ThreadPoolExecutor(jobs) as pool:
        for done, _ in enumerate(pool.map(write, missing), len(paths) - len(missing) + 1):
            tell(done, len(paths))
