"""Evolution of the weights of moves, by games of the policy against its own mean."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed
from trajan_ai.learning.knowledge import play_by_policy
from trajan_ai.learning.plan import MovesPlan, is_noise, is_temperature, shipped_weights

Array = npt.NDArray[np.float64]
Weights = Sequence[float]

OTHERS_SHARE = 0.5  # a VP of the others weighs half as much as an own one
NEVER = 10**6  # decisions
KEPT_STARTS = 50_000
POPULATION = 16
FIRST_STEP = 0.5  # in units of the given scale


class SelfPlay:
    """Games of a playout policy; the n-th deal is the same for everybody and every time."""

    def __init__(self, game: Game, tables: Sequence[int]) -> None:
        self.game = game
        self.tables = tables
        self.start = functools.lru_cache(maxsize=KEPT_STARTS)(self._start)

    def _start(self, players: int, deal: int) -> Position:
        return self.game.start(players, seed=derive_seed("learning", deal))

    def lead(self, own: Weights, others: Weights, games: int, generation: int) -> float:
        """Return mean VP, less half of the others' mean, at every table, from each seat in turn.

        A generation's games are on deals of its own.
        """
        total = 0.0
        for players in self.tables:
            for game in range(games):
                seat = game % players
                seats = [own if other == seat else others for other in range(players)]
                deal = generation * games + game
                scores, _ = play_by_policy(self.start(players, deal), seats, deal, NEVER)
                rest = (sum(scores) - scores[seat]) / (players - 1)
                total += scores[seat] - OTHERS_SHARE * rest
        return total / (games * len(self.tables))


class Evolution:
    """Separable CMA-ES of weights that are not negative, a generation at a time.

    Source: Ros and Hansen, A Simple Modification in CMA-ES Achieving Linear Time and Space
    Complexity (2008). `scale` is about how far each weight may be off at first. What generation n
    tries follows from the seed, from n and from what the generations before it found.
    """

    def __init__(self, mean: Array, scale: Array, seed: int) -> None:
        size = len(mean)
        self.scale, self.seed = scale, seed
        self.generation = 0
        self.mean = mean
        self.sigma, self.variance, self.path = FIRST_STEP, np.ones(size), np.zeros(size)
        self.kept = POPULATION // 2
        shares = math.log(self.kept + 0.5) - np.log(np.arange(1, self.kept + 1))
        self.shares = shares / shares.sum()
        mass = 1 / float((self.shares**2).sum())
        self.path_rate = (mass + 2) / (size + mass + 5)
        self.damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (size + 1)) - 1) + self.path_rate
        rate = (2 * mass - 1) / ((size + 2) ** 2 + mass)
        self.rank_rate = min(1.0, rate) * (size + 2) / 3
        self.gain = math.sqrt(self.path_rate * (2 - self.path_rate) * mass)
        self.usual = math.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size * size))

    def advance(self, fitness: Callable[[Array, Array, int], float]) -> None:
        """Try a generation: ``fitness(candidate, mean, generation)``, the greater the better."""
        random = np.random.default_rng([self.seed, self.generation])
        mean = self.mean
        steps = random.standard_normal((POPULATION, len(mean))) * np.sqrt(self.variance)
        tried = np.maximum(mean + self.sigma * self.scale * steps, 0.0)
        values = [fitness(candidate, mean, self.generation) for candidate in tried]
        best = np.argsort(values)[::-1][: self.kept]
        taken = (tried[best] - mean) / (self.sigma * self.scale)
        step = self.shares @ taken
        self.mean = mean + self.sigma * self.scale * step
        self.path = (1 - self.path_rate) * self.path + self.gain * step / np.sqrt(self.variance)
        self.variance = (1 - self.rank_rate) * self.variance + self.rank_rate * (
            self.shares @ taken**2
        )
        length = float(np.linalg.norm(self.path)) / self.usual
        self.sigma *= math.exp(self.path_rate / self.damping * (length - 1))
        self.generation += 1

    def write(self, path: Path) -> None:
        """Keep how it stands; the file is there as a whole or as it was before."""
        half = path.with_suffix(".part.npz")
        np.savez(
            half,
            mean=self.mean,
            variance=self.variance,
            path=self.path,
            sigma=self.sigma,
            generation=self.generation,
        )
        os.replace(half, path)

    def read(self, path: Path) -> None:
        """Go on as a file of `write` says."""
        with np.load(path) as file:
            self.mean, self.variance, self.path = file["mean"], file["variance"], file["path"]
            self.sigma, self.generation = float(file["sigma"]), int(file["generation"])


def evolve_moves(
    plan: MovesPlan, game: Game, folder: Path, tell: Callable[[int, int], None]
) -> dict[str, float]:
    """Return the evolved weights by name; a generation of every candidate on the same deals."""
    weights = shipped_weights(game)
    following = {follower for names in plan.tied.values() for follower in names}
    kept = {f"moves.{name}" for name in (*plan.fixed, *following)}
    noise = dict.fromkeys(filter(is_noise, weights), plan.noise)
    kept |= {name for name in weights if name in noise or is_temperature(name)}
    names = [n for n in weights if n.startswith("moves.") and n not in kept]
    mean = np.array([weights[name] for name in names])
    scale = np.maximum(np.abs(mean) * plan.step, plan.least_step)
    play = SelfPlay(game, plan.players)

    def named(values: Array) -> dict[str, float]:
        changed = dict(zip(names, map(float, values), strict=True))
        return changed | {
            f"moves.{follower}": changed[f"moves.{leader}"]
            for leader, followers in plan.tied.items()
            for follower in followers
        }

    def full(values: Array) -> tuple[float, ...]:
        return tuple((weights | noise | named(values)).values())

    def lead(candidate: Array, others: Array, generation: int) -> float:
        return play.lead(full(candidate), full(others), plan.games, generation)

    evolution, path = Evolution(mean, scale, plan.seed), folder / "evolution.npz"
    if path.exists():
        evolution.read(path)
    while evolution.generation < plan.generations:
        evolution.advance(lead)
        evolution.write(path)
        tell(evolution.generation, plan.generations)
    return named(evolution.mean)
