"""Compare the speed of this engine's games with that of OpenSpiel's games, in one run on one core.

openspiel.py [SECONDS]    requires pip install open_spiel

For each game, the program prints two speeds in CPU time: that of random games in a Python loop,
and that of iterations of vanilla ISMCTS (MCTS in backgammon) from the opening, each with one
uniformly random playout. Because games differ in length, both speeds are in decisions per second,
and an iteration counts as one game of mean length.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import pyspiel

from trajan_ai.core.information import InformationSet
from trajan_ai.games import game
from trajan_ai.mcts import Settings, search

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
ITERATIONS = 500
THEIRS = "gin_rummy", "hearts", "backgammon"  # backgammon has no hidden information
OURS = "trajan", "forum_trajanum"


def play_theirs(rules: Any) -> int:
    """Play one random game of OpenSpiel. Return the number of decisions."""
    state, decisions = rules.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(actions, weights)[0])
        else:
            state.apply_action(random.choice(state.legal_actions()))
            decisions += 1
    return decisions


def play_ours(rules: Any) -> int:
    """Play one random game of this engine. Return the number of decisions."""
    position, decisions = rules.start(2, random.getrandbits(32)), 0
    while moves := position.legal_moves():
        position = position.after_move(random.choice(moves))
        decisions += 1
    return decisions


def search_theirs(rules: Any) -> int:
    """Search the opening of an OpenSpiel game. Return the number of iterations."""
    seed = random.getrandbits(31)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    if rules.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        bot = pyspiel.MCTSBot(rules, evaluator, 1.4, ITERATIONS, 1000, False, seed, False)
    else:
        bot = pyspiel.ISMCTSBot(seed, evaluator, 1.4, ITERATIONS)
    state = rules.new_initial_state()
    while state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(actions, weights)[0])
    bot.step(state)
    return ITERATIONS


def search_ours(rules: Any) -> int:
    """Search the opening of a game of this engine. Return the number of iterations."""
    opening = InformationSet(rules.start(2, random.getrandbits(32)))
    search(opening, Settings(iterations=ITERATIONS, early_stop=False), seed=1)
    return ITERATIONS


def measure(work: Callable[[Any], int], rules: Any) -> tuple[float, float]:
    """Return the counts that `work` returns as a total per CPU second and a mean per call."""
    calls = count = 0
    begin = time.process_time()
    while (seconds := time.process_time() - begin) < SECONDS:
        count += work(rules)
        calls += 1
    return count / seconds, count / calls


if __name__ == "__main__":
    print(
        f"{'game':16} {'decisions':>9} {'Python loop/s':>14}"
        f" {'iterations/s':>13} {'in search/s':>12}"
    )
    for load, play, look, names in (
        (pyspiel.load_game, play_theirs, search_theirs, THEIRS),
        (game, play_ours, search_ours, OURS),
    ):
        for name in names:
            rules = load(name)
            decisions, length = measure(play, rules)
            iterations, _ = measure(look, rules)
            print(
                f"{name:16} {length:9.0f} {decisions:14,.0f} {iterations:13,.0f}"
                f" {iterations * length:12,.0f}"
            )
