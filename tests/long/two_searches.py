"""How well anything can foresee the visits of a search: ``python tests/long/two_searches.py``.

A search spreads its visits by the luck of its own playouts, too. So the least surprise that a
prior can reach is not the entropy of the visits but about what another search of the position is
surprised by. Told, in nats, is the mean cross entropy of one search's visits with those of another
(2 % spread evenly), with the prior, and with themselves; and how often the first moves are alike.
"""

import argparse

import numpy as np
from sibling_regret import turn_start

from trajan_ai import games
from trajan_ai.bots import read_bot
from trajan_ai.learning.knowledge import priors
from trajan_ai.mcts.driver import Engine

SPREAD = 0.02


def main():
    """Search every position twice, and once for longer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="trajan")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--positions", type=int, default=600)
    parser.add_argument("--iterations", type=int, default=800)
    parser.add_argument("--longer", type=int, default=8000)
    arguments = parser.parse_args()
    game = games.game(arguments.game)
    bot = read_bot("expert").model_copy(update={"early_stop": False})
    engine, weights = Engine(game, bot), bot.weights_for(game)
    positions = [turn_start(game, arguments.players, n) for n in range(arguments.positions)]

    def shares(iterations, seed):
        """Return of every position the share of the visits that each legal move got."""
        found = []
        for number, position in enumerate(positions):
            result = engine.search(position, seed + number, iterations=iterations)
            visits = {move.move: move.visits for move in result.moves}
            counts = np.array([visits.get(move, 0) for move in position.legal_moves()])
            found.append(counts / counts.sum())
        return found

    one, other = shares(arguments.iterations, 10**6), shares(arguments.iterations, 2 * 10**6)
    longer = shares(arguments.longer, 3 * 10**6)
    prior = [np.array(priors(position, weights)) for position in positions]

    def surprise(found, foreseen):
        spread = [(1 - SPREAD) * f + SPREAD / len(f) for f in foreseen]
        return np.mean([-(s @ np.log(f)) for s, f in zip(found, spread, strict=True)])

    for name, foreseen in (
        ("itself", one),
        ("another", other),
        ("longer", longer),
        ("prior", prior),
    ):
        same = np.mean([a.argmax() == b.argmax() for a, b in zip(one, foreseen, strict=True)])
        print(f"{name:8s} surprise {surprise(one, foreseen):.3f}, same first move {same:.2f}")


if __name__ == "__main__":
    main()
