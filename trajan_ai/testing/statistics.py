"""Whether two samples of states come from one mixture: chi-square over bytes and their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position

States = NDArray[np.uint8]

SMALLEST_P = 1e-8  # of a comparison; some thousands are made in a run, with fixed seeds
FEWEST = 10  # of a value in both samples together; rarer ones are thrown together
GROUPS = 6  # of values of a byte, in a table of two neighbours
# All pairs of bytes are compared by their correlation. So many are looked at that only standard
# errors far out count, and only bytes of which no value is nearly certain.
LARGEST_Z = 8.0
MOST_CERTAIN = 0.9
FEW_STATES = 20  # as often as that a state must be expected where whole states are compared


@dataclass(frozen=True)
class Comparison:
    """A chi-square test: what was compared, its value, its degrees of freedom."""

    what: str
    chi_square: float
    freedom: int

    @property
    def figures(self) -> str:
        """Value and degrees of freedom in words."""
        return f"chi-square {self.chi_square:.0f} at {self.freedom} degrees of freedom"

    @property
    def p_value(self) -> float:
        """Chance of a value as large."""
        return float(chdtrc(self.freedom, self.chi_square)) if self.freedom else 1.0


def compare_samples(one: Sequence[bytes], other: Sequence[bytes]) -> Comparison | None:
    """Return the comparison that is least likely by chance, None if all are likely enough.

    Two samples of one size; if they are paired, chance is overestimated, so
    less is found but nothing in error.
    """
    rows = (np.frombuffer(b"".join(states), np.uint8) for states in (one, other))
    both = np.concatenate([states.reshape(len(one), -1) for states in rows])
    worst = min(_comparisons(both), key=lambda each: each.p_value, default=None)
    return worst if worst is not None and worst.p_value < SMALLEST_P else None


def _comparisons(both: States) -> Iterator[Comparison]:
    varying = [int(column) for column in np.flatnonzero(np.any(both != both[0], axis=0))]
    half = len(both) // 2
    grouped = {}
    for column in varying:
        codes = np.ascontiguousarray(both[:, column])
        yield _compare(f"byte {column}", codes, half)
        below = np.cumsum(np.bincount(codes, minlength=256)) - np.bincount(codes, minlength=256)
        grouped[column] = (below * GROUPS // len(codes))[codes]
    for a, b in pairwise(varying):
        yield _compare(f"bytes {a} and {b}", grouped[a] * GROUPS + grouped[b], half)
    yield from _correlations(both[:, varying], varying, half)
    whole = Counter(row.tobytes() for row in both)
    if 1 < len(whole) <= half / FEW_STATES:
        number = {state: i for i, state in enumerate(whole)}
        codes = np.array([number[row.tobytes()] for row in both])
        yield _compare("whole states", codes, half)


def _correlations(both: States, names: list[int], half: int) -> Iterator[Comparison]:
    """Compare the rank correlations of all pairs of columns by Fisher's z."""
    if not names:
        return
    counts = np.stack([np.bincount(column, minlength=256) for column in both.T])
    open_ones = np.flatnonzero(counts.max(axis=1) <= MOST_CERTAIN * len(both))
    if len(open_ones) < 2:
        return
    middle = np.cumsum(counts, axis=1) - counts / 2
    ranks = np.stack([middle[i][both[:, i]] for i in open_ones])
    with np.errstate(invalid="ignore", divide="ignore"):
        z = [
            np.arctanh(np.clip(np.corrcoef(part), -0.999, 0.999))
            for part in (ranks[:, :half], ranks[:, half:])
        ]
    apart = np.abs(np.nan_to_num(z[0] - z[1])) * sqrt((half - 3) / 2)
    i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
    if apart[i, j] > LARGEST_Z:
        what = f"the correlations of bytes {names[open_ones[i]]} and {names[open_ones[j]]}"
        yield Comparison(what, float(apart[i, j] ** 2), 1)


def _compare(what: str, codes: NDArray[Any], half: int) -> Comparison:
    """Compare how often each code stands in the first half and in the rest."""
    size = int(codes.max()) + 1
    first = np.bincount(codes[:half], minlength=size).astype(float)
    second = np.bincount(codes[half:], minlength=size).astype(float)
    rare = first + second < FEWEST
    first = np.append(first[~rare], first[rare].sum())
    second = np.append(second[~rare], second[rare].sum())
    total = first + second
    there = total > 0
    value = float((((first - second) ** 2)[there] / total[there]).sum())
    return Comparison(what, value, int(there.sum()) - 1)


def check_uniform(
    position: Position, observer: int, expected: Sequence[bytes] | None = None, draws: int = 1000
) -> None:
    """Check by chi-square that all states that look alike to `observer` are drawn equally often.

    For a position with few of them, each as likely as any other: one hidden card, one move made
    in secret. `expected` may list the state bytes of all; otherwise those found must include the
    true one. `draws` are made for each. Raises AssertionError, or TrajanError if there are more
    than can be counted.
    """
    most = 1000
    found = Counter(position.determinized(observer, seed).to_bytes() for seed in range(most))
    states = list(found) if expected is None else list(expected)
    if len(states) > most // 10:
        raise TrajanError(f"{len(states)} look-alike states are too many to count")
    count = draws * len(states)
    found = Counter(position.determinized(observer, seed).to_bytes() for seed in range(count))
    assert set(found) <= set(states), "a state that does not look alike was drawn"
    assert position.to_bytes() in found, "the true state is never drawn"
    value = sum((found[state] - draws) ** 2 / draws for state in states)
    result = Comparison("states", value, len(states) - 1)
    assert result.p_value > SMALLEST_P, f"{result.figures}: {sorted(found.values())}"
