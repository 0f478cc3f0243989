"""How weights.yaml came about: evolution of the policy, regression of the evaluation.

``python -m trajan_ai.forum_trajanum.learning moves`` and ``.. features`` print a section of that
file. Both are reproducible: everything follows from the seeds of games.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator, Sequence

import numpy as np

from trajan_ai.core.learning import Array, evolve, ridge
from trajan_ai.core.seeds import derive_seed
from trajan_ai.forum_trajanum import ops
from trajan_ai.forum_trajanum.game import GAME
from trajan_ai.forum_trajanum.knowledge import features, play_by_policy
from trajan_ai.forum_trajanum.weights import WEIGHTS

TABLES = (2, 3, 4)  # players: every game is played at each
NOISES = (1.0, 2.5)  # VP; of the policy that plays games for the regression
SAMPLE_EVERY = 17  # decisions; positions nearer to each other tell much the same
NEVER = 10**6  # decisions
RIDGE = 5.0
POLICY_NOISE = 1.0  # VP, while the policy is tuned
OTHERS_SHARE = 0.5  # a VP of the others weighs half as much as an own one
FIXED = ("noise", "temperature", "worker_green", "worker_red", "worker_yellow")
STEP = 0.3  # first step of a weight, as a share of it, and at least:
LEAST_STEP = 0.3
MOVES = [name.split(".")[1] for name in WEIGHTS if name.startswith("moves.")]
FEATURES = [name.split(".")[1] for name in WEIGHTS if name.startswith("features.")]
TUNED = [name for name in MOVES if name not in FIXED]


@functools.lru_cache(maxsize=50_000)
def start(players: int, deal: int) -> bytes:
    """Return the first decision of a deal."""
    return GAME.start(players, seed=derive_seed("learning", deal)).to_bytes()


def samples(games: int, players: int, noise: float) -> Iterator[tuple[list[float], float]]:
    """Yield (features, VP still to come) of each player in positions of self-play."""
    weights = tuple((WEIGHTS | {"moves.noise": noise}).values())
    for game in range(games):
        seed = derive_seed("samples", game, str(noise))
        scores, states = play_by_policy(
            start(players, game), [weights] * players, seed, SAMPLE_EVERY
        )
        for state in states:
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


def fitness(candidate: Array, mean: Array, generation: int, games: int) -> float:
    """Return mean VP, less half of the others' mean, at every table, from each seat in turn."""
    own_weights, other_weights = all_weights(candidate), all_weights(mean)
    total = 0.0
    for players in TABLES:
        for game in range(games):
            own = game % players
            seats = [own_weights if seat == own else other_weights for seat in range(players)]
            deal = generation * games + game
            scores, _ = play_by_policy(start(players, deal), seats, deal, NEVER)
            rest = (sum(scores) - scores[own]) / (players - 1)
            total += scores[own] - OTHERS_SHARE * rest
    return total / (games * len(TABLES))


def tune_moves(generations: int, games: int) -> dict[str, float]:
    """Return weights of moves evolved against their own mean."""
    mean = np.array([WEIGHTS[f"moves.{name}"] for name in TUNED])
    scale = np.maximum(np.abs(mean) * STEP, LEAST_STEP)
    return named(evolve(functools.partial(fitness, games=games), mean, scale, generations))


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
