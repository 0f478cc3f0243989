"""Play many games on the engine and on its slow reference at the same time.

``python tests/reference/many.py trajan 0 1000`` plays the seeds 0 to 999 with 2 to 4 players and
all options. In rotation, random players, curious players and `expert` play three games each, and
knowledge is compared in one of every N games (five by default). The run ends at the first
difference and reports the record that leads to it.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "helpers"))

from differential import TABLES, at_random, curious, play, searched


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=TABLES)
    parser.add_argument("first", type=int, help="seed of the first game")
    parser.add_argument("games", type=int)
    parser.add_argument("--knowledge", type=int, default=5, metavar="N")
    arguments = parser.parse_args()
    decisions = 0
    for seed in range(arguments.first, arguments.first + arguments.games):
        chooser = (at_random, curious, searched)[seed // 3 % 3]
        knowledge = seed % arguments.knowledge == 0
        decisions += play(arguments.game, 2 + seed % 3, seed, chooser, knowledge=knowledge)
    print(f"{arguments.game}: {arguments.games} games, {decisions} decisions, no difference")


if __name__ == "__main__":
    main()
