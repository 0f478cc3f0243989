"""How searches of `expert` settle: spread, drift and regret by iterations.

``python tests/experiments/convergence.py trajan 2`` searches the first decision after the setup of
some games, and one decision drawn from the rest of each of some others, with several seeds. For
1,024, 2,048, .. iterations it tells of the best move's lead the mean and the standard deviation
between seeds, how often two seeds agree on the move, and the lead that the move found lacks to the
best one by the mean of the longest searches (so what all of them misjudge shows in none).
"""

import argparse
from itertools import combinations

import numpy as np

from trajan_ai import games
from trajan_ai.bots import read_bot
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

FEWEST = 1024  # iterations
PLAYED = 100  # iterations per decision of the games the positions are from


def decisions(game, players, seed):
    """Return the decisions of a game of `expert` that are to choose from, after its setup."""
    player = ThreadedSearch(game, read_bot("expert").model_copy(update={"seconds_per_turn": None}))
    position, met = game.start(players, seed), []
    while position.player is not None:
        legal = position.legal_moves()
        known = InformationSet(position)
        if len(legal) > 1 and position.turn >= players:
            met.append(known)
        move = player.search(known, position.ply, iterations=PLAYED).moves[0].move
        position = position.after_move(move)
    return met


def searched(engine, known, seed, doublings):
    """Return the lead of every move, and the most visited one, after each doubling."""
    found = {}

    def note(result):
        found[result.iterations] = (result.moves[0].move, {m.move: m.margin for m in result.moves})

    last = FEWEST << doublings
    note(engine.search(known, seed, iterations=last, progress=note))
    return [found[FEWEST << doubling] for doubling in range(doublings + 1)]


def main():
    """Search, and print a line for each number of iterations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("players", type=int)
    parser.add_argument("--algorithm", default="own")
    parser.add_argument("--openings", type=int, default=50)
    parser.add_argument("--middles", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--doublings", type=int, default=6)
    given = parser.parse_args()
    game = games.game(given.game)
    changes = {"seconds_per_turn": None, "early_stop": False, "algorithm": given.algorithm}
    engine = ThreadedSearch(game, read_bot("expert").model_copy(update=changes), chunk=FEWEST)
    for kind, count in (("opening", given.openings), ("middle", given.middles)):
        rows = []
        for number in range(count):
            met = decisions(game, given.players, number)
            known = met[0 if kind == "opening" else Random(number).below(len(met))]
            runs = [searched(engine, known, s, given.doublings) for s in range(given.seeds)]
            truth = {m: np.mean([run[-1][1][m] for run in runs]) for m in runs[0][-1][1]}
            for doubling, found in enumerate(zip(*runs, strict=True)):
                moves = [move for move, _ in found]
                leads = [by_move[move] for move, by_move in found]
                agree = np.mean([one == other for one, other in combinations(moves, 2)])
                regret = max(truth.values()) - np.mean([truth[move] for move in moves])
                rows.append((doubling, np.mean(leads), np.var(leads, ddof=1), agree, regret))
        for doubling in range(given.doublings + 1):
            _, lead, spread, agree, regret = np.mean([r for r in rows if r[0] == doubling], axis=0)
            print(
                f"{given.game} {given.players} {given.algorithm} {kind:7} "
                f"{FEWEST << doubling:6}: lead {lead:+.2f}, spread {spread**0.5:.2f}, "
                f"same move {agree:.2f}, regret {regret:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
