"""Learning the numbers of a game's knowledge: evolution of weights, ridge regression."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

POPULATION = 16
FIRST_STEP = 0.5  # in units of the given scale


def ridge(inputs: Array, targets: Array, penalty: float) -> Array:
    """Return the coefficients of a ridge regression on inputs of spread 1; the first is free."""
    spread = inputs.std(axis=0) + 1e-9
    spread[0] = 1.0
    scaled = inputs / spread
    penalties = penalty * np.eye(inputs.shape[1])
    penalties[0, 0] = 0.0
    solution: Array = np.linalg.solve(scaled.T @ scaled + penalties, scaled.T @ targets) / spread
    return solution


def evolve(
    fitness: Callable[[Array, Array, int], float],
    mean: Array,
    scale: Array,
    generations: int,
    seed: int = 0,
) -> Array:
    """Return non-negative weights evolved by separable CMA-ES from `mean`.

    ``fitness(candidate, mean, generation)`` is the greater, the better the candidate does against
    the mean; `scale` is about how far each weight may be off. Source: Ros and Hansen, A Simple
    Modification in CMA-ES Achieving Linear Time and Space Complexity (2008).
    """
    random = np.random.default_rng(seed)
    size = len(mean)
    kept = POPULATION // 2
    shares = math.log(kept + 0.5) - np.log(np.arange(1, kept + 1))
    shares /= shares.sum()
    mass = 1 / float((shares**2).sum())
    path_rate = (mass + 2) / (size + mass + 5)
    damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (size + 1)) - 1) + path_rate
    rank_rate = min(1.0, (2 * mass - 1) / ((size + 2) ** 2 + mass)) * (size + 2) / 3
    usual = math.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size * size))
    sigma, variance, path = FIRST_STEP, np.ones(size), np.zeros(size)
    for generation in range(generations):
        steps = random.standard_normal((POPULATION, size)) * np.sqrt(variance)
        tried = np.maximum(mean + sigma * scale * steps, 0.0)
        values = [fitness(candidate, mean, generation) for candidate in tried]
        best = np.argsort(values)[::-1][:kept]
        taken = (tried[best] - mean) / (sigma * scale)
        step = shares @ taken
        mean = mean + sigma * scale * step
        path = (1 - path_rate) * path + math.sqrt(
            path_rate * (2 - path_rate) * mass
        ) * step / np.sqrt(variance)
        variance = (1 - rank_rate) * variance + rank_rate * (shares @ taken**2)
        sigma *= math.exp(path_rate / damping * (float(np.linalg.norm(path)) / usual - 1))
    return mean
