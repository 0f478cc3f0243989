"""Play one of our bots against OpenSpiel's IS-MCTS in two-player Trajan.

The bots play every deal in both seatings:

    python docs/examples/against_openspiel.py BOT ITERATIONS [DEALS]

BOT is the name of a built-in bot, or a bot file that sets a budget. ITERATIONS is the number of
iterations of IS-MCTS, whose random playouts run in C.
Requires `pip install 'trajan-ai[openspiel]'`.
"""

import sys
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts

from trajan_ai import build, game, read_bot
from trajan_ai.adapters.openspiel import Rollouts
from trajan_ai.core.seeds import derive_seed

EXPLORATION = 2.0  # UCT's exploration constant for utilities from -1 to 1


def theirs(spiel, iterations, seed):
    """Return a bot that searches with OpenSpiel's IS-MCTS and plays the most visited action."""
    return ismcts.ISMCTSBot(
        spiel,
        Rollouts(1, seed),
        EXPLORATION,
        iterations,
        random_state=np.random.RandomState(seed),
        final_policy_type=ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
    )


def play(spiel, bot, iterations, deal, seat):
    """Play a game.

    Return our VP and theirs, whether we won, and the CPU seconds and number of decisions of each
    side.
    """
    ours, other = build(bot, game("trajan")), theirs(spiel, iterations, 2 * deal + seat)
    ours.start(seat, 2, derive_seed("openspiel", deal))
    state = spiel.new_initial_state()
    state.apply_action(deal)
    used = np.zeros((2, 2))
    while not state.is_terminal():
        position, started = state.now.position, time.process_time()
        if position.player == seat:
            move = ours.choose(position, derive_seed("openspiel", deal, seat, position.ply))
        else:
            move = int(other.step(state))
        used[int(position.player != seat)] += time.process_time() - started, 1
        ours.observe(position, move)
        state.apply_action(move)
    scores = state.now.position.scores
    return (scores[seat], scores[1 - seat]), state.returns()[seat] > 0, used


def main(name, iterations, deals=10):
    """Play the deals and print the results."""
    spiel, bot = pyspiel.load_game("python_trajan"), read_bot(name)
    games = [play(spiel, bot, iterations, deal, seat) for deal in range(deals) for seat in (0, 1)]
    margins = np.array([own - other for (own, other), _, _ in games]).reshape(deals, 2).mean(1)
    error = 1.96 * margins.std(ddof=1) / np.sqrt(deals) if deals > 1 else np.nan
    used = np.sum([used for _, _, used in games], axis=0)
    print(f"{bot.name}: won {sum(won for _, won, _ in games)} of {len(games)} games")
    print("mean VP {:.1f} : {:.1f}".format(*np.mean([scores for scores, _, _ in games], axis=0)))
    print(f"margin {margins.mean():+.1f} ± {error:.1f} VP, by deals")
    print("CPU ms per decision {:.1f} : {:.1f}".format(*(1000 * used[:, 0] / used[:, 1])))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
