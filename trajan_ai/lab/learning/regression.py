"""Fit an evaluation that is linear in its weights by ridge regression."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from trajan_ai.lab.learning.labels import Floats

Array = npt.NDArray[np.float64]


def leads(values: Array) -> Array:
    """Return each player's value (axis 1) minus the mean of all players."""
    result: Array = values - values.mean(axis=1, keepdims=True)
    return result


class RidgeRegression:
    """Sums of a least-squares problem, which are accumulated part by part.

    Rows are the players' leads and, scaled by `own_share`, their own values, because in an
    evaluation it matters more who is ahead than how high the common level is.
    """

    def __init__(self, terms: int, own_share: float) -> None:
        self.own_share = own_share
        self.squares: Array = np.zeros((terms, terms))
        self.products: Array = np.zeros(terms)
        self.rows = 0

    def add(self, terms: Floats, gains: Floats) -> None:
        """Add positions: terms (N, players, terms) and future VP (N, players)."""
        inputs, targets = terms.astype(np.float64), gains.astype(np.float64)
        for share, x, y in (
            (1.0, leads(inputs), leads(targets)),
            (self.own_share, inputs, targets),
        ):
            flat = x.reshape(-1, x.shape[2]) * share
            self.squares += flat.T @ flat
            self.products += flat.T @ (y.reshape(-1) * share)
            self.rows += len(flat)

    def solve(self, penalty: float) -> Array:
        """Return the weights; `penalty` applies to inputs scaled to a mean square of 1."""
        scale = np.sqrt(np.diag(self.squares) / max(self.rows, 1)) + 1e-9
        matrix = self.squares / np.outer(scale, scale) + penalty * np.eye(len(scale))
        solution: Array = np.linalg.solve(matrix, self.products / scale) / scale
        return solution


def lead_error(parts: Iterable[tuple[Floats, Floats]], weights: Array) -> float:
    """Return the root mean square error of leads in VP, including the noise of the labels."""
    total, count = 0.0, 0
    for terms, gains in parts:
        errors = leads(terms.astype(np.float64) @ weights - gains)
        total += float((errors**2).sum())
        count += errors.size
    return float(np.sqrt(total / max(count, 1)))
