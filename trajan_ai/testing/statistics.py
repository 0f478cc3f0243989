"""Compare the distributions of two samples of states by chi-square tests of bytes."""

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

MIN_P = 1e-8  # smallest accepted p of a test; a run makes thousands of tests, with fixed seeds
MIN_COUNT = 10  # minimum count of a value in the samples together; rarer values are pooled
GROUPS = 6  # groups of values of a byte, in a table of two neighbours
# Because there are very many pairs of bytes, correlations count only if they differ by many
# standard errors, and only for bytes without a nearly certain value.
MAX_Z = 8.0
MAX_CERTAINTY = 0.9
MIN_EXPECTED = 20  # minimum mean count of states at which whole states are tested


@dataclass(frozen=True)
class ChiSquareTest:
    """The subject, the value and the degrees of freedom of a chi-square test."""

    what: str
    chi_square: float
    freedom: int

    @property
    def figures(self) -> str:
        """The value and the degrees of freedom in words."""
        return f"chi-square {self.chi_square:.0f} at {self.freedom} degrees of freedom"

    @property
    def p_value(self) -> float:
        """The probability of a value at least as large."""
        return float(chdtrc(self.freedom, self.chi_square)) if self.freedom else 1.0


def compare_samples(one: Sequence[bytes], other: Sequence[bytes]) -> ChiSquareTest | None:
    """Return the test with the lowest p-value, or None if this p-value is not below `MIN_P`.

    The samples have the same size. If they are paired, the tests are conservative.
    """
    rows = (np.frombuffer(b"".join(states), np.uint8) for states in (one, other))
    both = np.concatenate([states.reshape(len(one), -1) for states in rows])
    worst = min(_comparisons(both), key=lambda each: each.p_value, default=None)
    return worst if worst is not None and worst.p_value < MIN_P else None


def _comparisons(both: States) -> Iterator[ChiSquareTest]:
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
    if 1 < len(whole) <= half / MIN_EXPECTED:
        number = {state: i for i, state in enumerate(whole)}
        codes = np.array([number[row.tobytes()] for row in both])
        yield _compare("whole states", codes, half)


def _correlations(both: States, names: list[int], half: int) -> Iterator[ChiSquareTest]:
    """Compare the rank correlations of all pairs of columns by Fisher's z."""
    if not names:
        return
    counts = np.stack([np.bincount(column, minlength=256) for column in both.T])
    open_ones = np.flatnonzero(counts.max(axis=1) <= MAX_CERTAINTY * len(both))
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
    if apart[i, j] > MAX_Z:
        what = f"the correlations of bytes {names[open_ones[i]]} and {names[open_ones[j]]}"
        yield ChiSquareTest(what, float(apart[i, j] ** 2), 1)


def _compare(what: str, codes: NDArray[Any], half: int) -> ChiSquareTest:
    """Compare the counts of each code in the first half and in the rest."""
    size = int(codes.max()) + 1
    first = np.bincount(codes[:half], minlength=size).astype(float)
    second = np.bincount(codes[half:], minlength=size).astype(float)
    rare = first + second < MIN_COUNT
    first = np.append(first[~rare], first[rare].sum())
    second = np.append(second[~rare], second[rare].sum())
    total = first + second
    occurs = total > 0
    value = float((((first - second) ** 2)[occurs] / total[occurs]).sum())
    return ChiSquareTest(what, value, int(occurs.sum()) - 1)


def check_uniform(
    position: Position, observer: int, expected: Sequence[bytes] | None = None, draws: int = 1000
) -> None:
    """Check by chi-square that all states that look alike to `observer` are drawn equally often.

    Use it for positions with few, equally likely states, such as one hidden card or one secret
    move.

    Args:
        position: the position.
        observer: the player whose determinizations are drawn.
        expected: the bytes of all states; by default those of the states that are drawn, which
            must include the true one.
        draws: the number of draws per state.

    Raises AssertionError if the states are not drawn equally often, and TrajanError if there are
    too many states.
    """
    sample = 1000
    counts = Counter(position.determinized(observer, seed).to_bytes() for seed in range(sample))
    states = list(counts) if expected is None else list(expected)
    if len(states) > sample // 10:
        raise TrajanError(
            f"there are at least {len(states)} states that player {observer} cannot distinguish, "
            f"but this check allows at most {sample // 10}"
        )
    count = draws * len(states)
    counts = Counter(position.determinized(observer, seed).to_bytes() for seed in range(count))
    assert set(counts) <= set(states), "a drawn state is not among the expected states"
    assert position.to_bytes() in counts, "the true state is never drawn"
    value = sum((counts[state] - draws) ** 2 / draws for state in states)
    result = ChiSquareTest("states", value, len(states) - 1)
    assert result.p_value > MIN_P, f"{result.figures}: {sorted(counts.values())}"
