"""The prior of moves, fitted to how searches spread their visits.

Softmax regression of visit shares on the rates of moves: the policies of Graf and Platzner,
Adaptive Playouts in Monte-Carlo Tree Search with Policy-Gradient Reinforcement Learning (2015),
with the target of Silver et al., Mastering the Game of Go without Human Knowledge (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.learn_plan import PriorPlan, is_noise, searching_bot
from trajan_ai.lab.learning.parts import Arrays, Run, joined, read_part
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.knowledge import priors

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

PART = 10  # games of a file
STEPS = 6  # of Gauss and Newton, since rates are not linear in their weights
LEAST_TEMPERATURE = 0.3  # VP
DIFFERENCE = 0.02  # VP: of a weight, for a derivative
SHARE, LEAST = 0.3, 0.5  # how far a weight goes in one step: a share of it, and at least in VP


@dataclass(frozen=True)
class Visits:
    """Decisions, and how a search spread its visits over their legal moves.

    ``shares`` (moves of all decisions) sum to 1 for each; ``sizes`` are their numbers of moves.
    """

    positions: Sequence[Position]
    sizes: Numbers
    shares: Array

    def normalized(self, logits: Array) -> Array:
        """Return the logarithm of the softmax of each decision's logits."""
        first = np.cumsum(self.sizes) - self.sizes
        logits = logits - np.repeat(np.maximum.reduceat(logits, first), self.sizes)
        totals = np.add.reduceat(np.exp(logits), first)
        result: Array = logits - np.repeat(np.log(totals), self.sizes)
        return result

    def logits(self, weights: Sequence[float]) -> Array:
        """Return the logarithms of the prior of every move."""
        found = [priors(position, weights) for position in self.positions]
        return np.log(np.concatenate(found))

    def surprise(self, logits: Array) -> float:
        """Return the mean cross entropy of the visits, in nats."""
        return -float(self.shares @ self.normalized(logits)) / len(self.positions)


def make_visits(plan: PriorPlan, game: Game, players: int, run: Run) -> list[Path]:
    """Return the files of all parts; one follows from plan, bot and its number alone."""

    def make(games: range) -> Arrays:
        return visits_of_games(plan, game, players, games)

    return run.made_of(plan.games, PART, f"visits-{players}", make, f"{players} players, games")


def visits_of_games(plan: PriorPlan, game: Game, players: int, games: Sequence[int]) -> Arrays:
    """Play games by searches; return of every few decisions the state and the visits.

    ``states`` (N, bytes), ``sizes`` (N) numbers of legal moves, ``shares`` (sum of sizes).
    """
    engine = ThreadedSearch(game, searching_bot(plan.bot))
    states: list[bytes] = []
    sizes: list[int] = []
    shares: list[float] = []
    for deal in games:
        seed = derive_seed("visits", plan.seed, players, deal)
        random = Random(seed)
        position = game.start(players, seed=seed)
        while position.player is not None:
            moves = position.legal_moves()
            if len(moves) == 1:
                position = position.after_move(moves[0])
                continue
            labelled = random.below(plan.every) == 0
            iterations = plan.iterations if labelled else plan.between
            result = engine.search(
                InformationSet(position),
                derive_seed("visits", seed, position.ply),
                iterations=iterations,
            )
            if labelled:
                visits = {found.move: found.visits for found in result.moves}
                states.append(position.to_bytes())
                sizes.append(len(moves))
                shares += [visits.get(move, 0) / sum(visits.values()) for move in moves]
            position = position.after_move(result.best.move)
    return {
        "states": np.frombuffer(b"".join(states), np.uint8).reshape(len(states), -1),
        "sizes": np.array(sizes, np.int64),
        "shares": np.array(shares, np.float64),
    }


def read_visits(game: Game, paths: Sequence[Path]) -> Visits:
    """Return the decisions of some parts."""
    rows = joined([read_part(path) for path in paths])
    positions = [game.from_bytes(state.tobytes()) for state in rows["states"]]
    return Visits(positions, rows["sizes"], rows["shares"])


def fit_prior(visits: Visits, start: dict[str, float], penalty: float) -> dict[str, float]:
    """Return the weights of moves, noise left out, under which the visits surprise least.

    `start` are all weights of the game, by name. `penalty` is in nats, on squares of what weights
    have gone, in units of their first step.
    """
    names = [name for name in start if name.startswith("moves.") and not is_noise(name)]
    least = np.array([_least(name) for name in names])
    origin = np.array([start[name] for name in names])
    scale = np.maximum(SHARE * np.abs(origin), LEAST)

    def logits(values: Array) -> Array:
        changed = start | dict(zip(names, map(float, values), strict=True))
        return visits.logits(list(changed.values()))

    weights = np.maximum(origin, least)
    for _ in range(STEPS):
        here = logits(weights)
        apart = np.eye(len(names)) * DIFFERENCE
        slopes = np.stack([logits(weights + step) - here for step in apart]) / DIFFERENCE
        furthest = np.maximum(SHARE * np.abs(weights), LEAST)
        weights = (
            weights
            + minimize(
                _cost,
                np.zeros(len(names)),
                (visits, here, slopes, (weights - origin) / scale, scale, penalty),
                jac=True,
                method="L-BFGS-B",
                bounds=list(zip(np.maximum(least - weights, -furthest), furthest, strict=True)),
            ).x
        )
    return dict(zip(names, map(float, weights), strict=True))


def _least(name: str) -> float:
    """Return the least value of a weight; what comes on top with the time left may be negative."""
    if name.endswith("temperature"):
        return LEAST_TEMPERATURE
    return -np.inf if name.endswith("_later") else 0.0


def _cost(  # noqa: PLR0917 (as minimize() calls it)
    step: Array,
    visits: Visits,
    here: Array,
    slopes: Array,
    gone: Array,
    scale: Array,
    penalty: float,
) -> tuple[float, Array]:
    """Return the cost of a step and its gradient, logits taken as linear.

    ``here`` (moves) are the logits before it and ``slopes`` (weights, moves) their derivatives;
    ``gone`` (weights) is how far the weights are from where they began, in units of ``scale``.
    """
    there = here + step @ slopes
    misses = np.exp(visits.normalized(there)) - visits.shares
    away = gone + step / scale
    gradient = slopes @ misses / len(visits.positions) + 2 * penalty * away / scale
    return visits.surprise(there) + penalty * float(away @ away), gradient
