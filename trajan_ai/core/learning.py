"""Learning the numbers of a game's knowledge: self-play, evolution, ridge regression."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Game
from trajan_ai.core.seeds import derive_seed

Array = npt.NDArray[np.float64]
Weights = Sequence[float]

# Play on from a state, with weights by seat, a seed, and the decisions from one sample to the
# next; gives the final scores and the states sampled.
PlayByPolicy = Callable[[bytes, Sequence[Weights], int, int], tuple[list[int], list[bytes]]]

TABLES = (2, 3, 4)  # players: every game is played at each
OTHERS_SHARE = 0.5  # a VP of the others weighs half as much as an own one
NEVER = 10**6  # decisions
KEPT_STARTS = 50_000
POPULATION = 16
FIRST_STEP = 0.5  # in units of the given scale


class SelfPlay:
    """Games of a playout policy; the n-th deal is the same for everybody and every time."""

    def __init__(self, game: Game, play: PlayByPolicy) -> None:
        self.game = game
        self.play = play
        self.start = functools.lru_cache(maxsize=KEPT_STARTS)(self._start)

    def _start(self, players: int, deal: int) -> bytes:
        return self.game.start(players, seed=derive_seed("learning", deal)).to_bytes()

    def samples(
        self, weights: Weights, players: int, games: int, name: str, every: int
    ) -> Iterator[tuple[list[int], bytes]]:
        """Yield (final scores, a state on the way) from games of equals; `name` seeds them."""
        for game in range(games):
            seed = derive_seed("samples", game, name)
            scores, states = self.play(self.start(players, game), [weights] * players, seed, every)
            yield from ((scores, state) for state in states)

    def lead(self, own: Weights, others: Weights, games: int, generation: int) -> float:
        """Return mean VP, less half of the others' mean, at every table, from each seat in turn.

        A generation's games are on deals of its own.
        """
        total = 0.0
        for players in TABLES:
            for game in range(games):
                seat = game % players
                seats = [own if other == seat else others for other in range(players)]
                deal = generation * games + game
                scores, _ = self.play(self.start(players, deal), seats, deal, NEVER)
                rest = (sum(scores) - scores[seat]) / (players - 1)
                total += scores[seat] - OTHERS_SHARE * rest
        return total / (games * len(TABLES))


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
