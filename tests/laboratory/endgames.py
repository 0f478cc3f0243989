"""How far the search is from the exact truth, where the truth can be had.

The last turns of games of `expert` with two players, cut down until they can be solved: what is
still to be drawn is fixed and seen, so that the rest is a game without chance or secrets, and
alpha-beta with a table of positions says what every move is worth, in VP of lead. Told is what
the move that a search chose lacks to the best one, by iterations, for searches that see the same
and aim at the lead as well: python tests/laboratory/endgames.py --game forum_trajanum
"""

import argparse

import numpy as np

from trajan_ai import games
from trajan_ai.bots import build, read_bot
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import Engine
from trajan_ai.mcts.knowledge import priors
from trajan_ai.mcts.settings import Payoff

AIM = {"payoff": Payoff(win=0, rank=0, margin=1, score=0), "early_stop": False, "cheat": True}
SEARCHES = {"own trees": {}, "one tree": {"algorithm": "so"}}
LIMIT = 10_000  # VP: more than any lead


class TooLarge(Exception):
    """More positions than are solved."""


class Solver:
    """The exact lead of player 0."""

    def __init__(self, most):
        self.left = most
        self.table = {}  # least and most that a position can be worth

    def lead(self, position, low=-LIMIT, high=LIMIT):
        """Return the lead if it lies between `low` and `high`, else a bound of it."""
        if position.player is None:
            return position.scores[0] - position.scores[1]
        key = position.to_bytes()
        least, most = self.table.get(key, (-LIMIT, LIMIT))
        low, high = max(low, least), min(high, most)
        if low >= high:
            return least if low == least else most
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        floor, ceiling, first = low, high, position.player == 0
        best = -LIMIT if first else LIMIT
        moves = position.legal_moves()
        shares = dict(zip(moves, priors(position, position.game.default_weights), strict=True))
        for move in sorted(moves, key=shares.__getitem__, reverse=True):  # likely ones cut most
            lead = self.lead(position.after_move(move), floor, ceiling)
            best = max(best, lead) if first else min(best, lead)
            floor, ceiling = (max(floor, best), ceiling) if first else (floor, min(ceiling, best))
            if floor >= ceiling:
                break
        self.table[key] = (best if best > low else least, best if best < high else most)
        return best

    def worth(self, position):
        """Return the exact lead of the player to decide after each of their moves."""
        sign = 1 if position.player == 0 else -1
        moves = position.legal_moves()
        return {move: sign * self.lead(position.after_move(move)) for move in moves}


def endgame(game, bot, number, most):
    """Play a game; return its earliest position that is solved and where moves differ, if any."""
    players = [build(bot, game) for _ in range(2)]
    position, seen, found = game.start(2, seed=number), [], None
    for seat, player in enumerate(players):
        player.start(seat, 2, number)
    while position.player is not None:
        seen.append(position)
        move = players[position.player].choose(position, number)
        for player in players:
            player.observe(position, move)
        position = position.after_move(move)
    solver = Solver(most)
    try:
        for position in reversed(seen):
            worth = solver.worth(position)
            if len(set(worth.values())) > 1:
                found = position, worth
    except TooLarge:
        pass
    return found


def main():
    """Solve, search, and print what is lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="trajan", choices=games.GAMES)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--most", type=int, default=300_000, help="positions solved per game")
    arguments = parser.parse_args()
    game = games.game(arguments.game)
    bot = read_bot("expert").model_copy(update={"seconds_per_turn": None, "iterations": 100})
    tried = [endgame(game, bot, number, arguments.most) for number in range(arguments.positions)]
    found = [one for one in tried if one is not None]
    left = np.mean([position.turn for position, _ in found])
    chance = [max(worth.values()) - np.mean(list(worth.values())) for _, worth in found]
    print(f"{len(found)} positions, turn {left:.1f}; random moves lose {np.mean(chance):.2f} VP")
    for name, changes in SEARCHES.items():
        engine = Engine(game, bot.model_copy(update=AIM | changes))
        for iterations in (10, 100, 1000, 10_000, 100_000):
            regrets = []
            for number, (position, worth) in enumerate(found):
                known = InformationSet.of_everything(position, position.player)
                chosen = engine.search(known, number, iterations=iterations).moves[0].move
                regrets.append(max(worth.values()) - worth[chosen])
            error = 1.96 * np.std(regrets) / len(regrets) ** 0.5
            best = np.mean(np.equal(regrets, 0))
            lost = f"{np.mean(regrets):.2f} ± {error:.2f} VP"
            print(f"{name:9} {iterations:7} iterations lose {lost}, best move in {best:.0%}")


if __name__ == "__main__":
    main()
