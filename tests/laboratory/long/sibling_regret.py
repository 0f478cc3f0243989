"""What telling the trays of one decision apart costs.

Positions are starts of turns in games of the playout policy. The truth about a tray is the mean
lead after playouts to the end, many for each; its regret is what it lacks to the best one. Told is
the mean regret, in VP of lead, of the tray that a predictor likes best:

* ``evaluation``: the evaluation at the end of the turn, which the policy plays on to (8 times);
* ``8 playouts``: as many playouts to the end for each tray;
* ``cut playouts``: those of `expert`, cut and then evaluated, as many as the time of those buys.

All are flat Monte Carlo by the search itself, so they see what a search sees. Parts are quarters
of the turns that games have and, in Trajan, the action that the best tray leads to.
"""

import argparse
import time
from collections import defaultdict

import numpy as np

from trajan_ai import games
from trajan_ai.bots import read_bot
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import Engine
from trajan_ai.mcts.knowledge import policy_choice

PLAYOUTS = 8
FLAT = {"selection": "uniform", "prior": "uniform", "tree_depth": 1, "early_stop": False}
WHOLE = {"playout_rounds": None, "cutoff": "score"}
PREDICTORS = {
    "evaluation": {"playout_rounds": None, "playout_turns": 1, "cutoff": "evaluate"},
    "8 playouts": WHOLE,
    "cut playouts": {},
}


def turn_start(game, players, number):
    """Return the start of a turn of a game by the policy, all turns equally likely."""
    random = Random(number)
    weights = read_bot("expert").weights_for(game)
    starts = []
    position = game.start(players, seed=number)
    while position.player is not None:
        moves = position.legal_moves()
        if (not starts or starts[-1].turn != position.turn) and position.turn >= players:
            starts.append(position)
        position = position.after_move(
            moves[policy_choice(position, weights, random.below(2**30))]
        )
    return starts[random.below(len(starts))]


class Flat:
    """Flat Monte Carlo with some of the settings of `expert`."""

    def __init__(self, game, changes):
        self.engine = Engine(game, read_bot("expert").model_copy(update=FLAT | changes))
        self.seconds = 0.0

    def leads(self, position, seed, each):
        """Return the mean lead after every move, `each` iterations for each."""
        begin = time.process_time()
        moves = len(position.legal_moves())
        result = self.engine.search(InformationSet(position), seed, iterations=each * moves)
        self.seconds += time.process_time() - begin
        return {move.move: move.margin for move in result.moves}


def parts_of(position, best, last):
    """Return what a position is told under."""
    names = ["all", f"quarter {4 * position.turn // last + 1}"]
    after = position.after_move(best)
    if after.player is not None:
        action = position.game.rules.view(after, None)["to_decide"].get("action")
        names += [action] if action else []
    return names


def told(values):
    """Tell a mean and half its 95 % interval."""
    return f"{np.mean(values):.2f} ± {1.96 * np.std(values) / len(values) ** 0.5:.2f}"


def main():
    """Measure, and print the table by quarter of the game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="trajan")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--truth", type=int, default=1024, help="playouts for each tray")
    arguments = parser.parse_args()
    game = games.game(arguments.game)
    truth = Flat(game, WHOLE)
    flats = {name: Flat(game, changes) for name, changes in PREDICTORS.items()}
    positions = [turn_start(game, arguments.players, n) for n in range(arguments.positions)]
    last = max(position.turn for position in positions) + 1
    each = dict.fromkeys(flats, PLAYOUTS)
    for number, position in enumerate(positions[:50]):  # what a playout of each costs
        for flat in flats.values():
            flat.leads(position, number, 100)
    each["cut playouts"] = round(
        PLAYOUTS * flats["8 playouts"].seconds / flats["cut playouts"].seconds
    )
    print(f"{arguments.positions} positions, playouts for each move: {each}")
    regrets = defaultdict(lambda: defaultdict(list))
    for number, position in enumerate(positions):
        true = truth.leads(position, 10**6 + number, arguments.truth)
        best = max(true, key=true.get)
        for name, flat in flats.items():
            found = flat.leads(position, 2 * 10**6 + number, each[name])
            for part in parts_of(position, best, last):
                regrets[part][name].append(true[best] - true[max(found, key=found.get)])
    for part, by_name in sorted(regrets.items()):
        less = np.subtract(by_name["8 playouts"], by_name["cut playouts"])
        cells = ", ".join(f"{name} {told(values)}" for name, values in by_name.items())
        print(f"{part:12s} {len(less):4d}: {cells}, less {told(less)}")


if __name__ == "__main__":
    main()
