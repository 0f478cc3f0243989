"""Measure how spread, agreement and regret of searches of `expert` depend on the iterations.

``python tests/experiments/convergence.py trajan 2`` searches the first decision after the setup in
some games, and a random later decision in these and other games, each with several seeds.
For 1,024, 2,048, .. iterations, it prints the mean lead of the best move, the mean of this lead
after the calibration, the standard deviation of the lead between seeds, how often two seeds choose
the same move, and the regret. The regret is the difference between the leads of the best and the
chosen move, both averaged over the longest searches. It does not include errors that all searches
have in common.
"""

import argparse
from itertools import combinations

import numpy as np

from trajan_ai import games
from trajan_ai.analysis.decision.calibration import calibration_of, stage_of
from trajan_ai.bots import read_bot
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

# Each search is evaluated after this number of iterations, and then after each doubling.
MIN_ITERATIONS = 1024
GAME_ITERATIONS = 100  # iterations per decision of the games


def decisions(game, players, seed):
    """Return the information set at each decision in a game of `expert`, after the setup."""
    player = ThreadedSearch(game, read_bot("expert").model_copy(update={"seconds_per_turn": None}))
    position, decisions = game.start(players, seed), []
    while position.player is not None:
        legal = position.legal_moves()
        information = InformationSet(position)
        if len(legal) > 1 and position.turn >= players:
            decisions.append(information)
        move = player.search(information, position.ply, iterations=GAME_ITERATIONS).moves[0].move
        position = position.after_move(move)
    return decisions


def search_by_doublings(engine, information, seed, doublings):
    """Return, before and after each doubling, the most visited move, its calibrated lead, and the
    lead of every move."""
    results = {}
    calibration, stage = calibration_of(engine.game), stage_of(information.determinized(seed))

    def note(result):
        best = result.moves[0]
        results[result.iterations] = (
            best.move,
            calibration.outlook(stage, best).margin,
            {m.move: m.margin for m in result.moves},
        )

    last = MIN_ITERATIONS << doublings
    note(engine.search(information, seed, iterations=last, progress=note))
    return [results[MIN_ITERATIONS << doubling] for doubling in range(doublings + 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("players", type=int)
    parser.add_argument("--algorithm", default="own")
    parser.add_argument("--openings", type=int, default=50)
    parser.add_argument("--middles", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--doublings", type=int, default=6)
    options = parser.parse_args()
    game = games.game(options.game)
    changes = {"seconds_per_turn": None, "early_stop": False, "algorithm": options.algorithm}
    engine = ThreadedSearch(game, read_bot("expert").model_copy(update=changes))
    engine.progress_stride = MIN_ITERATIONS
    for kind, count in (("opening", options.openings), ("middle", options.middles)):
        rows = []
        for number in range(count):
            choices = decisions(game, options.players, number)
            which = 0 if kind == "opening" else Random(number).below(len(choices))
            information = choices[which]
            runs = [
                search_by_doublings(engine, information, s, options.doublings)
                for s in range(options.seeds)
            ]
            truth = {m: np.mean([run[-1][2][m] for run in runs]) for m in runs[0][-1][2]}
            for doubling, outcomes in enumerate(zip(*runs, strict=True)):
                moves = [move for move, _, _ in outcomes]
                leads = [by_move[move] for move, _, by_move in outcomes]
                calibrated = np.mean([lead for _, lead, _ in outcomes])
                agree = np.mean([one == other for one, other in combinations(moves, 2)])
                regret = max(truth.values()) - np.mean([truth[move] for move in moves])
                spread = np.var(leads, ddof=1)
                rows.append((doubling, np.mean(leads), calibrated, spread, agree, regret))
        for doubling in range(options.doublings + 1):
            _, lead, calibrated, spread, agree, regret = np.mean(
                [row for row in rows if row[0] == doubling], axis=0
            )
            print(
                f"{options.game} {options.players} {options.algorithm} {kind:7} "
                f"{MIN_ITERATIONS << doubling:6}: lead {lead:+.2f}, calibrated {calibrated:+.2f}, "
                f"spread {spread**0.5:.2f}, same move {agree:.2f}, regret {regret:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
