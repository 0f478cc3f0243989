"""Play many games on the engine and on its slow reference at once.

``python tests/reference/many.py trajan 0 1000``: seeds 0 to 999, with 2 to 4 players, all options,
and random, greedy and searching players in turn. It ends at the first difference, with the record
that leads there.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "helpers"))

import test_forum_reference
import test_trajan_reference
from differential import at_random, by_bot, some_options

TESTS = {"trajan": test_trajan_reference, "forum_trajanum": test_forum_reference}


def main():
    """Compare, and say how much was compared."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=TESTS)
    parser.add_argument("first", type=int, help="seed of the first game")
    parser.add_argument("games", type=int)
    arguments = parser.parse_args()
    tests = TESTS[arguments.game]
    decisions = 0
    for seed in range(arguments.first, arguments.first + arguments.games):
        players = 2 + seed % 3
        options = some_options(tests.VALUES, seed)
        name = ("random", "expert", "greedy", "expert")[seed // 3 % 4]
        choose = at_random(seed) if name == "random" else by_bot(tests.GAME, name, players, seed)
        decisions += tests.play(players, seed, choose, **options)
    print(f"{arguments.game}: {arguments.games} games, {decisions} decisions, no difference")


if __name__ == "__main__":
    main()
