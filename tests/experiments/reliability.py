"""Draw docs/images/reliability.png from the cards of both games' calibrations."""

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
