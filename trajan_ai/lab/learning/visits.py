"""Fit the prior of moves to the visits of searches.

The fit is a softmax regression of visit fractions on move scores. The policies are those of Graf
and Platzner, Adaptive Playouts in Monte-Carlo Tree Search with Policy-Gradient Reinforcement
Learning (2015), and the target is that of Silver et al., Mastering the Game of Go without Human
Knowledge (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.learn_plan import PriorPlan
from trajan_ai.lab.learning.parts import Arrays, LearningRun, join_parts, read_part
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.knowledge import priors

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

PART = 10  # games in a file
STEPS = 6  # Gauss-Newton steps; several, because move scores are not linear in their weights
MIN_TEMPERATURE = 0.3  # minimum temperature of the prior, in VP
DIFFERENCE = 0.02  # change in a weight for a numerical derivative, in VP
# The largest change in a weight in one step: FRACTION of the weight, but at least MIN_CHANGE VP.
FRACTION, MIN_CHANGE = 0.3, 0.5


@dataclass(frozen=True)
class Visits:
    """The visits of searches at N decisions.

    Attributes:
        positions: the decisions (N).
        sizes: their numbers of legal moves (N).
        shares: the fraction of visits of each move, one decision after another; the fractions
            of a decision sum to 1.
    """

    positions: Sequence[Position]
    sizes: Numbers
    shares: Array

    def normalized(self, logits: Array) -> Array:
        """Return the log-softmax of each decision's logits."""
        first = np.cumsum(self.sizes) - self.sizes
        logits = logits - np.repeat(np.maximum.reduceat(logits, first), self.sizes)
        totals = np.add.reduceat(np.exp(logits), first)
        result: Array = logits - np.repeat(np.log(totals), self.sizes)
        return result

    def logits(self, weights: Sequence[float]) -> Array:
        """Return the logarithm of every move's prior."""
        parts = [priors(position, weights) for position in self.positions]
        return np.log(np.concatenate(parts))

    def cross_entropy(self, logits: Array) -> float:
        """Return the mean cross entropy of visits and prior, in nats per decision."""
        return -float(self.shares @ self.normalized(logits)) / len(self.positions)


def make_visits(plan: PriorPlan, game: Game, players: int, run: LearningRun) -> list[Path]:
    """Return the files of all parts; a part depends only on plan, bot and the part's number."""

    def make(games: range) -> Arrays:
        return visits_of_games(plan, game, players, games)

    return run.make_spans(plan.games, PART, f"visits-{players}", make, f"{players} players, games")


def visits_of_games(plan: PriorPlan, game: Game, players: int, games: Sequence[int]) -> Arrays:
    """Play games by searching every decision, and return some decisions with their visits.

    The arrays are ``states`` (N, bytes), ``sizes`` (N), which are the numbers of legal moves, and
    ``shares`` (sum of sizes), which are the fractions of visits.
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
            labelled = random.below(plan.every) == 0
            iterations = plan.iterations if labelled else plan.between
            result = engine.search(
                InformationSet(position),
                derive_seed("visits", seed, position.ply),
                iterations=iterations,
            )
            if labelled:
                visits = {value.move: value.visits for value in result.moves}
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
    """Return the decisions in several parts."""
    rows = join_parts([read_part(path) for path in paths])
    positions = [game.from_bytes(state.tobytes()) for state in rows["states"]]
    return Visits(positions, rows["sizes"], rows["shares"])


def fit_prior(
    visits: Visits, start: dict[str, float], names: Sequence[str], penalty: float
) -> dict[str, float]:
    """Return the weights `names` that minimise the cross entropy of the visits.

    Args:
        visits: the decisions to fit.
        start: all weights of the game, by name.
        names: the weights to fit.
        penalty: nats per squared change in a weight, where the unit of a change is the largest
            one that the first step allows.
    """
    lowest = np.array([_min_weight(name) for name in names])
    origin = np.array([start[name] for name in names])
    scale = np.maximum(FRACTION * np.abs(origin), MIN_CHANGE)

    def logits(values: Array) -> Array:
        changed = start | dict(zip(names, map(float, values), strict=True))
        return visits.logits(list(changed.values()))

    weights = np.maximum(origin, lowest)
    for _ in range(STEPS):
        here = logits(weights)
        changes = np.eye(len(names)) * DIFFERENCE
        slopes = np.stack([logits(weights + step) - here for step in changes]) / DIFFERENCE
        largest = np.maximum(FRACTION * np.abs(weights), MIN_CHANGE)
        weights = (
            weights
            + minimize(
                _cost,
                np.zeros(len(names)),
                (visits, here, slopes, (weights - origin) / scale, scale, penalty),
                jac=True,
                method="L-BFGS-B",
                bounds=list(zip(np.maximum(lowest - weights, -largest), largest, strict=True)),
            ).x
        )
    return dict(zip(names, map(float, weights), strict=True))


def _min_weight(name: str) -> float:
    """Return the smallest allowed value of a weight.

    A weight that is multiplied by the time left may be negative.
    """
    if name.endswith("temperature"):
        return MIN_TEMPERATURE
    return -np.inf if name.endswith("_later") else 0.0


def _cost(  # noqa: PLR0917 (as minimize() calls it)
    step: Array,
    visits: Visits,
    here: Array,
    slopes: Array,
    moved: Array,
    scale: Array,
    penalty: float,
) -> tuple[float, Array]:
    """Return the cost of a step and its gradient, assuming that logits are linear in the step.

    Args:
        step: the change in each weight.
        visits: the decisions to fit.
        here: the logits before the step (moves).
        slopes: the derivatives of the logits (weights, moves).
        moved: the distance of each weight from its first value, in units of `scale`.
        scale: the unit of each weight.
        penalty: see `fit_prior`.
    """
    there = here + step @ slopes
    errors = np.exp(visits.normalized(there)) - visits.shares
    away = moved + step / scale
    gradient = slopes @ errors / len(visits.positions) + 2 * penalty * away / scale
    return visits.cross_entropy(there) + penalty * float(away @ away), gradient
