"""Compare SPSA and CMA-ES on simulated bots: python tests/experiments/tuners.py [SEEDS]

The program requires the package cmaes. The strength of a bot is a quadratic function of its
settings, which are measured in steps, and every other setting interacts with the next one. Both
tuners play the same number of blocks, whose results have the same noise as those of real blocks.
The program prints the mean lead (-1 to 1) of the best bot over the tuned bot, with the standard
error of this mean. CMA-ES compares each candidate with the mean of its generation. Each row shows
CMA-ES with the best of several initial deviations and numbers of blocks per candidate.
"""

import itertools
import math
import sys

import numpy as np
from cmaes import CMA

from trajan_ai.lab.tuning import AVERAGED, gains

NOISE = 0.3  # standard deviation of the result of a block, as in Trajan with 60 iterations
START, LIMIT = 3.0, 10.0  # distances of the start and of the bounds from the best value, in steps
DEALS, RATE = 4, 0.3  # the defaults of a plan


class Bots:
    """A simulated family of bots; in the best bot, all settings are 0."""

    def __init__(self, count, curve, random):
        turn = np.eye(count)
        for i in range(0, count - 1, 2):  # two settings that interact
            turn[i, i + 1] = 0.7
        self.matrix, self.random = curve * turn.T @ turn, random

    def loss(self, settings):
        return float(settings @ self.matrix @ settings)

    def play(self, one, other, blocks):
        lead = math.tanh(self.loss(other) - self.loss(one))
        return lead + self.random.normal(0, NOISE / math.sqrt(blocks))


def spsa(bots, start, blocks, random):
    iterations = blocks // DEALS
    at, path = start.copy(), []
    for number in range(iterations):
        gain, reach = gains(number, iterations, RATE)
        signs = random.choice([-1.0, 1.0], len(start))
        result = bots.play(at + reach * signs, at - reach * signs, DEALS)
        at = np.clip(at + gain / reach * result * signs, -LIMIT, LIMIT)
        path.append(at)
    return np.mean(path[-math.ceil(AVERAGED * iterations) :], axis=0)


def cma_es(bots, start, blocks, random, way):
    sigma, each, adapts = way
    bounds = np.array([[-LIMIT, LIMIT]] * len(start))
    seed = int(random.integers(2**31))
    search = CMA(mean=start, sigma=sigma, bounds=bounds, seed=seed, lr_adapt=adapts)
    generations = max(1, blocks // (each * search.population_size))
    path = []
    for _ in range(generations):
        mean = search.mean.copy()
        trials = [search.ask() for _ in range(search.population_size)]
        search.tell([(one, -bots.play(one, mean, each)) for one in trials])
        path.append(search.mean.copy())
    return np.mean(path[-math.ceil(AVERAGED * generations) :], axis=0)


def measure(tuner, case, seeds, *way):
    count, curve, blocks = case
    losses = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        bots = Bots(count, curve, random)
        start = START * random.choice([-1.0, 1.0], count)
        losses.append(math.tanh(bots.loss(tuner(bots, start, blocks, random, *way))))
    return np.mean(losses), np.std(losses) / math.sqrt(seeds)


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("settings curve blocks  SPSA  CMA-ES (first deviation, blocks, adapted rate)")
    for case in itertools.product((2, 5, 10), (0.003, 0.01, 0.03), (800,)):
        count, curve, blocks = case
        own = measure(spsa, case, seeds)
        ways = itertools.product((1.0, 2.0), (2, 8), (False, True))
        other = min((*measure(cma_es, case, seeds, way), way) for way in ways)
        print(
            f"{count:8} {curve:5} {blocks:6}  {own[0]:.3f}±{own[1]:.3f}"
            f"  {other[0]:.3f}±{other[1]:.3f} {other[2]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
