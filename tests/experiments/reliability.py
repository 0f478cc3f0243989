"""Count how many mean errors of both games' calibrations are close to 0.

    python tests/experiments/reliability.py [--draw]

Prints the number of mean errors, how many are within one and two standard errors of 0, and those
that are not within two. With --draw, also draws docs/images/reliability.png.
"""

import sys
from math import sqrt
from pathlib import Path

import matplotlib.pyplot as plt
import yaml

from trajan_ai.games import GAMES

ROOT = Path(__file__).resolve().parents[2]
FIGURES = {"VP": 1, "lead, VP": 1, "win, %": 100}  # with scales, in the order of the cards


def main():
    cards = {
        name: yaml.safe_load(game.rules.calibration.read_text(encoding="utf-8"))["card"]["tested"]
        for name, game in GAMES.items()
    }
    count_errors(cards)
    if "--draw" in sys.argv[1:]:
        draw(cards)


def count_errors(cards):
    """Print how many mean errors, in units of their standard errors, are close to 0."""
    sizes = {}
    for name, tables in cards.items():
        for players, test in tables.items():
            columns = list(test["stages"].values())
            for label, means, errors in zip(FIGURES, columns[::2], columns[1::2], strict=True):
                for fifth, (mean, error) in enumerate(zip(means, errors, strict=True), start=1):
                    place = f"{name}, {players} players, {label}, fifth {fifth}: {mean} ± {error}"
                    sizes[place] = abs(mean) / error
    within = [sum(size <= limit for size in sizes.values()) for limit in (1, 2)]
    print(
        f"{len(sizes)} mean errors; within one standard error of 0: {within[0]}, two: {within[1]}"
    )
    print(*(place for place, size in sizes.items() if size > 2), sep="\n")


def draw(cards):
    """Draw the picture of docs/calibration.md."""
    figure, axes = plt.subplots(2, 4, figsize=(13, 6), layout="constrained")
    for row, (name, tables) in zip(axes, cards.items(), strict=True):
        chances, *stages = row
        chances.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for players, test in tables.items():
            count, predicted, won = test["classes"].values()
            errors = [
                1.96 * sqrt(max(share * (1 - share), 0.25 / number) / number)
                for number, share in zip(count, won, strict=True)
            ]
            chances.errorbar(
                predicted,
                won,
                errors,
                marker="o",
                markersize=3,
                linewidth=1,
                label=f"{players} players",
            )
            columns = list(test["stages"].values())
            pairs = zip(columns[::2], columns[1::2], strict=True)
            for axis, (label, scale), (means, spreads) in zip(
                stages, FIGURES.items(), pairs, strict=True
            ):
                axis.errorbar(
                    [part + 0.08 * (players - 3) for part in range(1, 6)],
                    [scale * mean for mean in means],
                    [1.96 * scale * spread for spread in spreads],
                    marker="o",
                    markersize=3,
                    linestyle="none",
                )
                axis.axhline(0, color="0.7", linewidth=1)
                axis.set_xlabel("fifth of the game")
                axis.set_title(f"result minus prediction: {label}", fontsize=9)
        chances.set_title(f"{name}: chance to win", fontsize=9)
        chances.set_xlabel("predicted")
        chances.set_ylabel("won")
        chances.legend(fontsize=7)
    figure.savefig(ROOT / "docs" / "images" / "reliability.png", dpi=90)


if __name__ == "__main__":
    main()
