"""Measure how far the search is from equilibrium play in small endgames.

These endgames of two-player games (`tests/helpers/small_games.py`) are so small that a linear
program can solve the whole game tree in OpenSpiel, with hidden cards, tiles and choices. The
measure is the exploitability of searches that maximize the lead: the VP lost to a best response,
averaged over both seats. At each information set, a search plays either the most visited move or
each move in proportion to its visits.

    python tests/experiments/endgames.py PICTURE
"""

import argparse
import sys
import tempfile
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from trajan_ai import games
from trajan_ai.bots import read_bot
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.knowledge import priors
from trajan_ai.mcts.settings import Payoff

sys.path.insert(0, str(Path(__file__).parent.parent / "helpers"))
from small_games import SequenceForm, TooLarge, small_game, uniform

DEALS = 2000
MAX_HISTORIES = 200_000
EXPERT = read_bot("expert").model_copy(update={"seconds_per_turn": None, "iterations": 100})
AIM = {"payoff": Payoff(margin=1), "early_stop": False}
ITERATIONS = (10, 100, 1000, 10_000)
SEARCHES = {
    "own trees": ({}, True, ITERATIONS),
    "one tree": ({"algorithm": "so"}, True, ITERATIONS),
    "own trees, by visits": ({}, False, ITERATIONS[:2]),
}


def make_sequence_form(name, number):
    """Return the sequence form of an endgame, or None if it is too large."""
    with tempfile.TemporaryDirectory() as folder:
        game = small_game(name, f"{folder}/end.yaml", DEALS, number)
    try:
        return SequenceForm(game, MAX_HISTORIES)
    except TooLarge:
        return None


def shares_of(engine, seed, iterations, chooses):
    """Return a policy: the fractions of visits or, if `chooses`, 1 for the most visited move."""

    @cache
    def shares(information):
        moves = engine.search(information, seed, iterations=iterations).moves
        visits = {move.move: float(move is moves[0]) if chooses else move.share for move in moves}
        return [visits[move] for move in information.legal_moves()]

    return shares


def measure(game, count):
    """Print and return the exploitability of searches: iterations, mean, half of the interval."""
    losses = {}
    number = done = 0
    while done < count:
        tree, number = make_sequence_form(game.name, number), number + 1
        if tree is None:
            continue
        done += 1
        value, plans = tree.equilibrium()
        exact = tree.exploitability(plans)
        print(
            f"{game.name} {number - 1}: {MAX_HISTORIES - tree.left} histories, "
            f"{sum(map(len, tree.sets))} information sets, value {value:.3f} ± {exact:.0e} VP",
            flush=True,
        )
        policies = {
            ("random moves", 0): uniform,
            ("prior", 0): lambda information: priors(information.canonical, game.default_weights),
        }
        for name, (changes, chooses, budgets) in SEARCHES.items():
            engine = ThreadedSearch(game, EXPERT.model_copy(update=AIM | changes))
            for budget in budgets:
                policies[name, budget] = shares_of(engine, number, budget, chooses)
        for key, policy in policies.items():
            both = [tree.plan(seat, policy) for seat in (0, 1)]
            losses.setdefault(key, []).append(tree.exploitability(both))
    print(f"{done} of {number} ends")
    points = {}
    for (name, budget), each in losses.items():
        mean, half = np.mean(each), 1.96 * np.std(each) / len(each) ** 0.5
        none = np.mean(np.array(each) < 1e-6)
        print(f"{name} {budget} {mean:.2f} ± {half:.2f} VP, not exploitable in {none:.0%}")
        points.setdefault(name, []).append((budget, mean, half))
    return points


def draw(by_game, path):
    figure, axes = plt.subplots(1, len(by_game), figsize=(8, 3), sharey=True, layout="constrained")
    for axis, (title, points) in zip(axes, by_game.items(), strict=True):
        for shift, name in enumerate(SEARCHES):
            iterations, means, halves = (
                np.array(column) for column in zip(*points[name], strict=True)
            )
            axis.errorbar(iterations * 1.08**shift, means, halves, marker="o", label=name)
        for name, style in (("random moves", ":"), ("prior", "--")):
            axis.axhline(points[name][0][1], color="grey", linestyle=style, label=name)
        axis.set(xscale="log", title=title, xlabel="iterations", ylim=0)
    axes[0].set_ylabel("exploitability, VP")
    axes[0].legend(fontsize="small")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", help="file to write")
    parser.add_argument("--ends", type=int, default=8, help="last parts per game")
    arguments = parser.parse_args()
    draw(
        {
            name.replace("_", " ").title(): measure(games.game(name), arguments.ends)
            for name in games.GAMES
        },
        arguments.picture,
    )


if __name__ == "__main__":
    main()
