"""Endgames that are small enough to be solved exactly, and their solutions."""

import random

import forum_trajanum_boards
import numpy as np
import pyspiel
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack
from trajan_boards import at_action, empty_deck, last_quarter

from trajan_ai.adapters import openspiel  # noqa: F401  registers the games
from trajan_ai.adapters.batch import rollout
from trajan_ai.core.information import InformationSet
from trajan_ai.games import game as game_named
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.fields import mosaic_cells
from trajan_ai.games.forum_trajanum.notation import BOARD_CELLS, BUILDINGS
from trajan_ai.games.forum_trajanum.views import components_of
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.records import position_files

ROLLOUTS = 200  # random games that estimate the lead


def small_game(name, path, deals, seed=0, **sizes):
    """Return an OpenSpiel game for two players that starts at a random position near the end.

    The position is written to the file `path`. After random moves, neither player leads on
    average.
    """
    view = {"trajan": _trajan, "forum_trajanum": _forum_trajanum}[name](
        random.Random(seed), **sizes
    )
    rules = game_named(name).rules
    start = rules.from_view(view)
    ends = [rollout(start, number).scores for number in range(ROLLOUTS)]
    lead = round(np.mean([first - second for first, second in ends]))
    view["players"][lead > 0]["score"] = view["players"][lead > 0].get("score", 0) + abs(lead)
    position_files.write(path, position_files.position_file(rules.from_view(view), 0))
    parameters = {"position": str(path), "deals": deals, "utility": "score"}
    return pyspiel.load_game(f"python_{name}", parameters)


def _trajan(chance, sows=2):
    """Return the view of a player who is at the seaport, before the last turns of a game.

    Each tray contains two markers of one colour, the forum contains one tile, and each hand two
    cards. All ships show their coloured sides, and all discs are on the start space of the senate.
    Of the cards in both hands and the hidden card in a pile, three show one good and two another.
    The deck and the Trajan stacks are empty.
    """
    view = last_quarter()
    bonus = chance.sample(view["players"][1]["gold_bonus"], 8)
    one, two = chance.sample(COMPONENTS.goods, 2)
    for seat, player in enumerate(view["players"]):
        colours = chance.sample(COMPONENTS.colours, 6)
        player["trays"] = {
            tray: 2 * [it] for tray, it in zip(COMPONENTS.trays, colours, strict=True)
        }
        player |= {
            "leader": "noricum",
            "gold_bonus": bonus[seat::2],
            "hand": {one: 1 + seat, two: 1},
        }
    empty_deck(view)
    del view["players"][1]["hand"]
    view["players"][1]["hand_size"] = 2
    return at_action(view, "seaport", chance.randrange(2)) | {
        "observer": 0,
        "time_marker": COMPONENTS.data["players"][2]["lap_length"] + 1 - 2 * sows,
        "forum": {chance.choice(COMPONENTS.symbols): 1},
        "forum_supply": 0,
        "trajan_tops": {},
        "trajan_stacks": dict.fromkeys(COMPONENTS.stacks, 0),
        "discard_piles": {"left": ["unknown", "wheat"], "right": ["oil"]},
        "goods_deck": 0,
    }


def _forum_trajanum(chance, hidden=1):
    """Return a view in the last round of a game.

    Two cells of the mosaic are free, and each player has one envoy on the ship. In each Colonia,
    two corner tiles lie face up, `hidden` tiles lie face down, and all other cells are built on.
    The unseen tiles are those that lie face down and the one on the other player's ship. Both
    street cards belong to the same row.
    """
    fields = rules.fields(forum_trajanum_boards.before_a_tie().to_bytes())
    components = components_of(fields)
    row = chance.choice("16")
    symbol = components.symbols[components.streets["A"].index(int(row) - 1)]
    corners = {it: at for it, at in forum_trajanum_boards.OPEN.items() if at[1] == row}
    names = sorted({it for it in components.tiles if "-" not in it and "builder" not in it})
    plain = sorted((BOARD_CELLS[cell] for cell in components.plain), key=lambda at: at[1] != row)
    words = [sum(fields["colour"][word::2]) | fields["eagles"][word] for word in (0, 1)]
    mosaic = mosaic_cells(words)
    envoys = chance.sample(mosaic, len(mosaic) - 2)
    boards = []
    for seat in (0, 1):
        *tiles, ship = chance.sample(names, 3 + hidden)
        board = {
            "cranes": forum_trajanum_boards.cranes(**dict.fromkeys(corners, "covered")),
            "face_up": dict(zip(corners.values(), tiles, strict=False)),
            "face_down": plain[:hidden],
            "buildings": {cell: chance.choice(BUILDINGS) for cell in plain[hidden:]},
            "citizens": {"1": 1},
            "slider": chance.randrange(7),
            "ship": 1,
            "forum": envoys[seat::2],
            "unseen": dict.fromkeys([*tiles[2:], ship][: hidden + seat], 1),
        }
        boards.append(board | ({} if seat else {"ship_tile": ship}))
    return forum_trajanum_boards.view(
        *boards,
        trajan_cards=[25, 29, chance.randrange(33, 37)],
        stage="take",
        round=12,
        street_cards=sorted(forum_trajanum_boards.EVERY_ROUND, key=symbol.__eq__),
        to_decide={"player": 1},
    )


def uniform(information):
    moves = len(information.legal_moves())
    return [1 / moves] * moves


class TooLarge(Exception):
    """Raised if a game has more histories than the limit."""


class SequenceForm:
    """The sequence form of an OpenSpiel game of two players.

    See Koller, Megiddo and von Stengel, Fast Algorithms for Finding Randomized Strategies in Game
    Trees (1994). A player's plan is an array with the probability of each sequence of that player.
    For each pair of sequences, `lead` contains the lead of player 0 in VP, multiplied by the
    probability of the deal.
    """

    def __init__(self, game, most=10**6):
        self.left, self.size, self.ends = most, [1, 1], []
        # For each information set, identified by past and knowledge, the sequence that leads to
        # the set and the sequences of its moves. Sets that occur later in a game have later
        # positions.
        self.sets = ({}, {})
        for deal, chance in game.outcomes:
            self._grow(game.deal(deal), (0, 0), chance)
            if (most - self.left) * len(game.outcomes) > most * (deal + 1):
                raise TooLarge  # before all deals are counted, because they have similar sizes
        firsts, seconds, leads = zip(*self.ends, strict=True)
        self.lead = coo_array((leads, (firsts, seconds)), shape=self.size).tocsr()

    def _grow(self, now, sequences, chance):
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        player = now.position.player
        if player is None:
            scores = now.position.scores
            self.ends.append((*sequences, chance * (scores[0] - scores[1])))
            return
        sets, moves = self.sets[player], now.position.legal_moves()
        key = now.pasts[player], InformationSet(now.position)
        if key not in sets:
            sets[key] = sequences[player], range(self.size[player], self.size[player] + len(moves))
            self.size[player] += len(moves)
        before, after = sets[key]
        assert before == sequences[player], "players have perfect recall"
        for move, sequence in zip(moves, after, strict=True):
            both = (sequences[0], sequence) if player else (sequence, sequences[1])
            self._grow(now.after(move), both, chance)

    def plan(self, player, policy):
        """Return the plan of a policy, which is a function that returns move probabilities.

        The function is called only for information sets that the policy reaches.
        """
        plan = np.eye(1, self.size[player])[0]
        for (_, information), (before, after) in self.sets[player].items():
            if plan[before]:
                plan[after] = plan[before] * np.array(policy(information))
        return plan

    def best(self, player, plan):
        """Return the lead in VP of the best response to `plan`, a plan of the other player."""
        worth = -(self.lead.T @ plan) if player else self.lead @ plan
        for before, after in reversed(self.sets[player].values()):
            worth[before] += worth[after].max()
        return worth[0]

    def exploitability(self, plans):
        """Return the mean VP that two plans lose against best responses."""
        return (self.best(0, plans[1]) + self.best(1, plans[0])) / 2

    def _flow(self, player):
        """Return the matrix that maps every plan of a player to the vector (1, 0, 0, ..)."""
        sets = list(self.sets[player].values())
        rows = [row for row, (_, after) in enumerate(sets, 1) for _ in after]
        rows = [0, *rows, *range(1, len(sets) + 1)]
        columns = [*range(self.size[player]), *(before for before, _ in sets)]
        signs = np.repeat([1.0, -1.0], [self.size[player], len(sets)])
        return coo_array((signs, (rows, columns)))

    def equilibrium(self):
        """Return the lead in VP of player 0 in equilibrium, and the plans of both players."""
        own, other = self._flow(0), self._flow(1)
        rows, columns = own.shape[0], other.shape[0]
        # The variables are the plan of player 0 and the dual values of player 1's information
        # sets.
        worth = np.zeros(self.size[0] + columns)
        worth[self.size[0]] = -1
        solution = linprog(
            worth,
            hstack([-self.lead.T, other.T]),
            np.zeros(self.size[1]),
            hstack([own, coo_array((rows, columns))]),
            np.eye(1, rows)[0],
            [(0, None)] * self.size[0] + [(None, None)] * columns,
        )
        return -solution.fun, (solution.x[: self.size[0]], -solution.ineqlin.marginals)
