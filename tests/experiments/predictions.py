"""Compare predictions of analyses with the results of games.

``python tests/experiments/predictions.py --games 200 --out FOLDER`` plays games of `expert` with
300 iterations per decision against itself, at every table. In each fifth of a game, it analyses
one decision, chosen by the seed, at the grade quick, and in the first fifth also at the grade
verified. Both analyses receive the move that was played, so that they predict the result of this
move. For the lead and the VP of the player to move, the program prints the mean difference between
result and prediction, with standard errors over games. Games whose results are in FOLDER are not
repeated.
"""

import argparse
import json
import random
from collections import defaultdict
from itertools import chain, product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.outcomes import margin_of
from trajan_ai.bots import read_bot
from trajan_ai.core.information import InformationSet
from trajan_ai.games import GAMES

FIFTHS = 5
FIGURES = ("lead", "VP")
FIRST_SEED = 10**6  # far from the seeds of the games from which calibrations were learned


def compare(name, players, seed):
    """Play a game; return rows (grade, fifth, lead error, VP error) of the chosen decisions."""
    bot = read_bot("expert").with_settings(seconds_per_turn=None, iterations=300)
    record = trajan_ai.play(name, [bot] * players, seed=seed)
    *positions, final = records.positions(record)
    draw, rows = random.Random(seed), []
    for fifth in range(FIFTHS):
        first, last = (len(positions) * bound // FIFTHS for bound in (fifth, fifth + 1))
        ply = draw.randrange(first, last)
        position = positions[ply]
        player, move = position.player, position.game.move(record["actions"][ply][1])
        for grade in ("quick", "verified")[: 2 if fifth == 0 else 1]:
            analysis = advice.analyse(
                InformationSet(position), grade=grade, seed=seed, named=[move], threads=1
            )
            played = next(one for one in analysis.moves if one.move == move)
            lead = margin_of(final.scores, player) - played.margin.mean
            vp = final.scores[player] - played.scores[player]
            rows.append((grade, fifth + 1, lead, vp))
    return rows


def judge(name, players, seed, path):
    """Return the rows of a game, from the game's file if it exists."""
    if not path.exists():
        path.write_text(json.dumps(compare(name, players, seed)))
    return json.loads(path.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, players in product(GAMES, (2, 3, 4)):
        seeds = range(FIRST_SEED, FIRST_SEED + arguments.games)
        games = Parallel(arguments.jobs)(
            delayed(judge)(name, players, seed, arguments.out / f"{name}-{players}-{seed}.json")
            for seed in seeds
        )
        cells = defaultdict(list)
        for grade, fifth, *errors in chain(*games):
            cells[grade, fifth].append(errors)
        for (grade, fifth), errors in sorted(cells.items()):
            means = np.mean(errors, axis=0)
            deviations = np.std(errors, axis=0, ddof=1) / np.sqrt(len(errors))
            figures = ", ".join(
                f"{figure} {mean:+.2f} ± {error:.2f}"
                for figure, mean, error in zip(FIGURES, means, deviations, strict=True)
            )
            print(f"{name}, {players} players, {grade}, fifth {fifth}: {figures}", flush=True)


if __name__ == "__main__":
    main()
