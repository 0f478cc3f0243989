"""How weights.yaml came about: evolution of the policy, regression of the evaluation.

``python -m trajan_ai.forum_trajanum.learning moves`` and ``.. features`` print a section of that
file. Both are reproducible: everything follows from the seeds of games.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from trajan_ai.core.learning import TABLES, Array, SelfPlay, evolve, ridge
from trajan_ai.forum_trajanum import ops
from trajan_ai.forum_trajanum.game import GAME
from trajan_ai.forum_trajanum.knowledge import features, play_by_policy
from trajan_ai.forum_trajanum.weights import WEIGHTS

SELF_PLAY = SelfPlay(GAME, play_by_policy)
NOISES = (1.0, 2.5)  # VP; of the policy that plays games for the regression
SAMPLE_EVERY = 17  # decisions; positions nearer to each other tell much the same
RIDGE = 5.0
POLICY_NOISE = 1.0  # VP, while the policy is tuned
FIXED = ("noise", "temperature", "worker_green", "worker_red", "worker_yellow")
STEP = 0.3  # first step of a weight, as a share of it, and at least:
LEAST_STEP = 0.3
MOVES = [name.split(".")[1] for name in WEIGHTS if name.startswith("moves.")]
FEATURES = [name.split(".")[1] for name in WEIGHTS if name.startswith("features.")]
TUNED = [name for name in MOVES if name not in FIXED]


def samples(games: int, players: int, noise: float) -> Iterator[tuple[list[float], float]]:
    """Yield (features, VP still to come) of each player in positions of self-play."""
    weights = tuple((WEIGHTS | {"moves.noise": noise}).values())
    for scores, state in SELF_PLAY.samples(weights, players, games, str(noise), SAMPLE_EVERY):
        fields = ops.fields(state)
        for player in range(players):
            left = scores[player] - fields["player"][player]["score"]
            yield features(state, player), left


def fit_features(games: int) -> dict[str, float]:
    """Return the weight of every feature, from `games` games at each table and noise."""
    found = [
        sample
        for players in TABLES
        for noise in NOISES
        for sample in samples(games, players, noise)
    ]
    inputs, targets = np.array([x for x, _ in found]), np.array([y for _, y in found])
    return dict(zip(FEATURES, map(float, ridge(inputs, targets, RIDGE)), strict=True))


def named(values: Array) -> dict[str, float]:
    """Return weights of moves by name; all colours of workers weigh the same."""
    found = dict(zip(TUNED, map(float, values), strict=True))
    workers = ("worker_green", "worker_red", "worker_yellow")
    return found | dict.fromkeys(workers, found["worker_blue"])


def all_weights(values: Array) -> tuple[float, ...]:
    """Return all weights with those tuned changed, at the noise of tuning."""
    changed = {f"moves.{name}": value for name, value in named(values).items()}
    return tuple((WEIGHTS | {"moves.noise": POLICY_NOISE} | changed).values())


def tune_moves(generations: int, games: int) -> dict[str, float]:
    """Return weights of moves evolved against their own mean."""
    mean = np.array([WEIGHTS[f"moves.{name}"] for name in TUNED])
    scale = np.maximum(np.abs(mean) * STEP, LEAST_STEP)

    def gain(candidate: Array, others: Array, generation: int) -> float:
        return SELF_PLAY.lead(all_weights(candidate), all_weights(others), games, generation)

    return named(evolve(gain, mean, scale, generations))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a section of weights.yaml."""
    parser = argparse.ArgumentParser(prog="python -m trajan_ai.forum_trajanum.learning")
    parser.add_argument("section", choices=["moves", "features"])
    parser.add_argument("--games", type=int, default=400, help="games at each table")
    parser.add_argument("--generations", type=int, default=150, help="of the evolution")
    given = parser.parse_args(arguments)
    if given.section == "moves":
        found, order = tune_moves(given.generations, given.games), MOVES
    else:
        found, order = fit_features(given.games), FEATURES
    print(f"{given.section}:")
    for name in order:
        weight = found.get(name, WEIGHTS[f"{given.section}.{name}"])
        print(f"  {name}: {weight:.2f}")


if __name__ == "__main__":
    main()
