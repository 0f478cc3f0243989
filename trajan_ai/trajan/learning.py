"""How weights.yaml came about: evolution of the policy, regression of the evaluation.

``python -m trajan_ai.trajan.learning moves`` and ``.. evaluation`` print a section of that file.
Both are reproducible: everything follows from the seeds of games.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from trajan_ai.core.learning import TABLES, Array, SelfPlay, evolve, ridge
from trajan_ai.trajan.engine import features, play_by_policy
from trajan_ai.trajan.game import GAME
from trajan_ai.trajan.views import fields_of
from trajan_ai.trajan.weights import WEIGHTS

SELF_PLAY = SelfPlay(GAME, play_by_policy)
NOISES = (1.0, 3.0)  # VP; of the policy that plays games for the regression
SAMPLE_EVERY = 23  # decisions; positions nearer to each other tell much the same
RIDGE = 30.0
POLICY_NOISE = 1.5  # VP, while the policy is tuned
FIXED = ("noise", "temperature", "effect_points", "drop_fit", "drop_target")
STEP = 0.3  # first step of a weight, as a share of it, and at least:
LEAST_STEP = 0.4


# ---- Evaluation: ridge regression on self-play ------------------------------------------------


def samples(games: int, players: int, noise: float) -> Iterator[tuple[list[float], float]]:
    """Yield (features, VP still to come) of each player in positions of self-play."""
    weights = tuple((WEIGHTS | {"moves.noise": noise}).values())
    for scores, state in SELF_PLAY.samples(weights, players, games, str(noise), SAMPLE_EVERY):
        left, rows = features(state)
        for final, row, seat in zip(scores, rows, fields_of(state)["seats"], strict=False):
            yield [*row, *(left * x for x in row)], final - seat["score"]


def fit_evaluation(games: int) -> dict[str, tuple[float, float]]:
    """Return (now, left) of every feature, from `games` games at each table and noise."""
    found = [
        sample
        for players in TABLES
        for noise in NOISES
        for sample in samples(games, players, noise)
    ]
    inputs, targets = (np.array(column) for column in zip(*found, strict=True))
    coefficients = ridge(inputs, targets, RIDGE)
    names = [name.split(".")[1] for name in WEIGHTS if name.endswith(".now")]
    half = len(names)
    return {
        name: (float(coefficients[i]), float(coefficients[half + i]))
        for i, name in enumerate(names)
    }


# ---- Policy: evolution ------------------------------------------------------------------------


def with_moves(names: Sequence[str], values: Array) -> tuple[float, ...]:
    """Return all weights with those of `names` changed, at the noise of tuning."""
    changed = {f"moves.{name}": float(value) for name, value in zip(names, values, strict=True)}
    return tuple((WEIGHTS | {"moves.noise": POLICY_NOISE} | changed).values())


def tune_moves(generations: int, games: int, seed: int = 0) -> dict[str, float]:
    """Return weights of moves evolved against their own mean, a generation on the same deals."""
    names = [
        name.removeprefix("moves.")
        for name in WEIGHTS
        if name.startswith("moves.") and name.removeprefix("moves.") not in FIXED
    ]
    mean = np.array([WEIGHTS[f"moves.{name}"] for name in names])
    scale = np.maximum(np.abs(mean) * STEP, LEAST_STEP)

    def gain(candidate: Array, others: Array, generation: int) -> float:
        seats = with_moves(names, candidate), with_moves(names, others)
        return SELF_PLAY.lead(*seats, games, generation)

    best = evolve(gain, mean, scale, generations, seed)
    return dict(zip(names, map(float, best), strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a section of weights.yaml."""
    parser = argparse.ArgumentParser(prog="python -m trajan_ai.trajan.learning")
    parser.add_argument("section", choices=["moves", "evaluation"])
    parser.add_argument("--games", type=int, default=400, help="games at each table")
    parser.add_argument("--generations", type=int, default=150, help="of the evolution")
    given = parser.parse_args(arguments)
    print(f"{given.section}:")
    if given.section == "moves":
        for name, weight in tune_moves(given.generations, given.games).items():
            print(f"  {name}: {weight:.2f}")
    else:
        for name, (now, left) in fit_evaluation(given.games).items():
            print(f"  {name}: [{now:.2f}, {left:.2f}]")


if __name__ == "__main__":
    main()
