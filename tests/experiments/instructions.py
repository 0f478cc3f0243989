"""Count the instructions of an iteration with valgrind, and measure its CPU time.

instructions.py [--iterations N] [--players 2 ..]    requires valgrind

In both games, the bots `expert` and `ismcts` search the opening on one thread with N and 2 N
iterations. The differences in instructions and in CPU time, divided by N, are the costs of one
iteration.
"""

import argparse
import re
import subprocess
import sys
import time
from itertools import product

from trajan_ai.bots import read_bot
from trajan_ai.core.information import InformationSet
from trajan_ai.games import GAMES
from trajan_ai.mcts.driver import ThreadedSearch

BOTS = ("expert", "ismcts")


def search(name, players, bot, iterations):
    """Return the CPU time in seconds of a search of the opening."""
    options = {"markers": "random"} if name == "trajan" else {}
    information = InformationSet(GAMES[name].start(players, seed=1, **options))
    limits = {"seconds_per_turn": None, "iterations": iterations}
    settings = read_bot(bot).with_settings(threads=1, early_stop=False, **limits)
    engine = ThreadedSearch(information.game, settings)
    begin = time.process_time()
    engine.search(information, 1, iterations=iterations)
    return time.process_time() - begin


def count_instructions(*task):
    """Return the number of instructions of a process that searches."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable,
               __file__, "--task", *map(str, task)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    assert collected, done.stderr
    return int(collected[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--players", type=int, nargs="+", default=[2])
    parser.add_argument("--task", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        name, players, bot, iterations = arguments.task
        search(name, int(players), bot, int(iterations))
        return
    print(f"{'game':16} players bot     instructions  microseconds")
    number = arguments.iterations
    for name, players, bot in product(GAMES, arguments.players, BOTS):
        counted = [count_instructions(name, players, bot, n) for n in (number, 2 * number)]
        spent = [
            min(search(name, players, bot, n) for _ in range(5)) for n in (number, 2 * number)
        ]
        per_iteration = [(long - short) / number for short, long in (counted, spent)]
        print(
            f"{name:16} {players:7} {bot:7} {per_iteration[0]:12,.0f} "
            f"{1e6 * per_iteration[1]:13.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
