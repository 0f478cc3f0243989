"""Print and draw the gain of each doubling of the expert's iterations.

``python tests/experiments/doublings.py PICTURE RESULTS..`` reads the results of
`expert-doubling-2p` or similar plans. Errors are computed from the results of whole deals.
"""

import json
import subprocess
import sys
from collections import defaultdict

import matplotlib.pyplot as plt
import numpy as np

from trajan_ai.tournaments.ratings import convert_share_to_elo


def doublings(folders):
    """Return win rates and leads of whole deals by (game, smaller number of iterations)."""
    deals = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        command = [sys.executable, "-m", "trajan_ai", "results", folder, "--games", "--json"]
        output = subprocess.run(command, check=True, capture_output=True).stdout
        blocks = defaultdict(list)
        for game in json.loads(output)["games"]:
            if game["failed"] >= 0:
                continue
            iterations = [int(bot.rpartition("-")[2]) for bot in game["bots"]]
            more = iterations.index(max(iterations))
            won = 0.5 * (1 + np.sign(game["ranks"][1 - more] - game["ranks"][more]))
            lead = game["scores"][more] - game["scores"][1 - more]
            blocks[game["game"], min(iterations), game["block"]].append((won, lead))
        for (game, fewer, _), results in blocks.items():
            deals[game][fewer].append(np.mean(results, axis=0))
    return deals


def main():
    picture, *folders = sys.argv[1:]
    figure, axis = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for shift, (game, by_iterations) in enumerate(doublings(folders).items()):
        points = []
        for fewer in sorted(by_iterations):
            deals = np.array(by_iterations[fewer])
            mean, half = deals.mean(axis=0), 1.96 * deals.std(axis=0) / len(deals) ** 0.5
            low, at, high = map(convert_share_to_elo, mean[0] + half[0] * np.array([-1, 0, 1]))
            print(
                f"{game} {fewer} to {2 * fewer}: {at:+.0f} Elo ({low:+.0f} .. {high:+.0f}), "
                f"{mean[1]:+.1f} ± {half[1]:.1f} VP, {len(deals)} deals"
            )
            points.append((fewer * 1.05**shift, at, at - low, high - at))
        x, y, below, above = np.transpose(points)
        label = game.replace("_", " ").title()
        axis.errorbar(x, y, (below, above), marker="o", linestyle="", label=label)
    axis.set(xscale="log", xlabel="iterations that are doubled", ylabel="Elo")
    axis.axhline(0, color="grey", linewidth=0.8)
    axis.set_xticks(sorted(by_iterations), [f"{fewer:,}" for fewer in sorted(by_iterations)])
    axis.minorticks_off()
    axis.legend()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main()
