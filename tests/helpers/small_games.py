"""Ends of games cut down to what can be solved, and their exact solution."""

import random
from collections import Counter

import numpy as np
import pyspiel
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

from trajan_ai import positions, records
from trajan_ai.adapters import openspiel  # noqa: F401  makes the games known to pyspiel
from trajan_ai.adapters.batch import rollout
from trajan_ai.core.information import InformationSet
from trajan_ai.forum_trajanum import types
from trajan_ai.forum_trajanum.notation import BOARD_CELLS, BUILDINGS, CORNERS
from trajan_ai.forum_trajanum.views import components_of, mosaic_cells
from trajan_ai.trajan.components import COMPONENTS

ACTION_TILES = ("extra-", "wild-action", "wild-goods")
ROLLOUTS = 200  # that tell who leads


def small_game(entry, path, deals, seed=0, **sizes):
    """Return the end of a recorded game of two players, cut down, as OpenSpiel has it.

    `path` is of the position file to write; `sizes` go to what cuts the game down. None if the
    record has no decision where that begins.
    """
    cut = {"trajan": _trajan, "forum_trajanum": _forum_trajanum}[entry["game"]]
    for position in records.positions(entry):
        view = None if position.player is None else cut(position, random.Random(seed), **sizes)
        if view is not None:
            start = _levelled(position.game.rules, view)
            positions.write(path, positions.position_file(start, 0))
            parameters = {"position": str(path), "deals": deals, "utility": "score"}
            return pyspiel.load_game(f"python_{entry['game']}", parameters)
    return None


def _trajan(position, chance, turns=3):
    """Return the view of the last turns, of a position before a turn of the last round.

    What is left: two markers of a colour in each tray, a forum tile, ships, senate, provinces,
    two cards in each hand. Unseen are these and one under a pile: three of a good and two of
    another. The deck is empty.
    """
    view = position.game.rules.view(position, None)
    if (view["quarter"], view["round"], view["to_decide"]["decision"]) != (4, 4, "sow"):
        return None
    del view["hidden"]
    plain = [tile for tile in view["forum"] if not tile.startswith(ACTION_TILES)]
    seen = view["demands"]
    rare = min(COMPONENTS.symbols, key=lambda symbol: seen.get(symbol, 0))
    gone = {
        symbol: 5 - seen.get(symbol, 0) - 3 * (symbol == rare) for symbol in COMPONENTS.symbols
    }
    goods = dict.fromkeys(COMPONENTS.goods, 5)
    for player in view["players"]:
        for good, count in player["display"].items():
            goods[good] -= count
    one, two = chance.sample([good for good in goods if goods[good] > 2], 2)
    goods[one] -= 3
    goods[two] -= 2
    rest = list(Counter(goods).elements())
    chance.shuffle(rest)
    view |= {
        "observer": 0,
        "time_marker": COMPONENTS.data["players"][2]["lap_length"] + 1 - 2 * turns,
        "forum": {chance.choice(plain): 1} if plain else {},
        "trajan_tops": {},
        "trajan_stacks": dict.fromkeys(COMPONENTS.stacks, 0),
        "forum_supply": 0,
        "extra_supply": {},
        "demands_gone": gone,
        "goods_deck": 0,
        "discard_piles": {"left": ["unknown", *rest[1::2]], "right": rest[::2]},
        "to_decide": {"player": position.player},
    }
    for player in view["players"]:
        colours = chance.sample(COMPONENTS.colours, len(COMPONENTS.colours))
        tiles = player["forum_tiles"].items()
        player |= {
            "known_cards": {},
            "hand_size": 2,
            "trays": {
                tray: 2 * [one] for tray, one in zip(COMPONENTS.trays, colours, strict=True)
            },
            "forum_tiles": {name: n for name, n in tiles if not name.startswith(ACTION_TILES)},
            "plus2": [],
            "supply": player["supply"] + player["military_camp"] + player["worker_camp"],
            "military_camp": 0,
            "worker_camp": 0,
        }
        del player["hand"]
    view["players"][0]["hand"] = {one: 1, two: 1}
    return view


def _forum_trajanum(position, chance, hidden=1):
    """Return the view of the last round, of a position at its first decision.

    What is left: two open corner tiles and `hidden` others in each Colonia, whose other cells are
    built on, two cells in the mosaic and an envoy. Unseen are the `hidden` tiles and the one on
    the other's ship. Both street cards are of one row.
    """
    view = position.game.rules.view(position, None)
    if (view["round"], view["stage"]) != (12, "take"):
        return None
    fields = types.fields(position.to_bytes())
    components = components_of(fields)
    row = chance.choice("16")
    symbol = components.symbols[components.streets["A"].index(int(row) - 1)]
    view["street_cards"].sort(key=symbol.__eq__)
    view |= {"observer": 0, "boards": ["A", "A"], "to_decide": {"player": position.player}}
    names = sorted(
        {tile for tile in components.tiles if "-" not in tile and "builder" not in tile}
    )
    plain = [BOARD_CELLS[cell] for cell in components.plain]
    corners = [corner for corner in CORNERS if corner[1] == row]
    for seat, player in enumerate(view["players"]):
        *open_tiles, ship = tiles = chance.sample(names, 3 + hidden)
        down = [cell for cell in plain if cell[1] == row][:hidden]
        built = {cell: name for cell, name in player["buildings"].items() if cell not in down}
        for cell in plain:
            if cell not in down:
                built.setdefault(cell, chance.choice(BUILDINGS))
        player |= {
            "face_up": dict(zip(corners, open_tiles, strict=False)),
            "face_down": down,
            "cranes": {
                corner: f"{crane.split()[0]} {'covered' if corner in corners else 'used'}"
                for corner, crane in player["cranes"].items()
            },
            "buildings": built,
            "doubles": [],
            "reserve": [],
            "citizens": {"1": 1, "3": 1},
            "inactive": [],
            "resources": {},
            "ship": 1,
            "unseen": dict.fromkeys(tiles[2 : 2 + hidden + seat], 1),
            "ship_tile": ship,
        }
    del view["players"][1]["ship_tile"]
    taken = {cell for player in view["players"] for cell in player["forum"]}
    words = (sum(fields["colour"][word::2]) | fields["eagles"][word] for word in (0, 1))
    left = [cell for cell in mosaic_cells(*words) if cell not in taken]
    for number, cell in enumerate(chance.sample(left, max(len(left) - 2, 0))):
        view["players"][number % 2]["forum"].append(cell)
    return view


def _levelled(rules, view):
    """Return the position of a view, with as many VP as make an even game of random moves."""
    start = rules.from_view(view)
    ends = [rollout(start, seed).scores for seed in range(ROLLOUTS)]
    lead = round(np.mean([first - second for first, second in ends]))
    view["players"][lead > 0]["score"] += abs(lead)
    return rules.from_view(view)


class TooLarge(Exception):
    """More histories than are listed."""


class SequenceForm:
    """A game of ours in OpenSpiel as sequences of the moves of each of two players.

    Koller, Megiddo and von Stengel, Fast Algorithms for Finding Randomized Strategies in Game
    Trees (1994). A plan of a player is an array: how likely it makes each of their sequences.
    `known` has the information sets of each player as `policy` of `plan` gets them, `lead` what
    player 0 is ahead, in VP, by sequences of both, times the chance of the deal.
    """

    def __init__(self, game, most=10**6):
        self.left = most
        self.number = ({}, {})  # of an information set, which follow those before them
        self.known = ([], [])
        self.before = ([], [])  # the sequence that leads to an information set
        self.after = ([], [])  # the sequence that each of its moves makes
        self.size = [1, 1]
        self.ends = []
        for deal, chance in game.outcomes:
            self._grow(game.dealt(deal), (0, 0), chance)
            if (most - self.left) * len(game.outcomes) > most * (deal + 1):
                raise TooLarge  # it will be, for deals are alike
        firsts, seconds, leads = zip(*self.ends, strict=True)
        self.lead = coo_array((leads, (firsts, seconds)), shape=self.size).tocsr()

    def _grow(self, now, made, chance):
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        player = now.position.player
        if player is None:
            scores = now.position.scores
            self.ends.append((*made, chance * (scores[0] - scores[1])))
            return
        known, moves = InformationSet(now.position), now.position.legal_moves()
        key = now.noticed[player], known
        if key not in self.number[player]:
            self.number[player][key] = len(self.known[player])
            self.known[player].append(known)
            self.before[player].append(made[player])
            size = self.size[player]
            self.size[player] += len(moves)
            self.after[player].append(range(size, size + len(moves)))
        number = self.number[player][key]
        assert self.before[player][number] == made[player], "players recall all they did and knew"
        for move, sequence in zip(moves, self.after[player][number], strict=True):
            both = (sequence, made[1]) if player == 0 else (made[0], sequence)
            self._grow(now.after(move), both, chance)

    def plan(self, player, policy):
        """Return the plan of a policy: shares of the legal moves of an information set. It is
        asked only for those that it lets happen."""
        plan = np.zeros(self.size[player])
        plan[0] = 1
        for known, before, after in zip(
            self.known[player], self.before[player], self.after[player], strict=True
        ):
            if plan[before]:
                plan[after.start : after.stop] = plan[before] * np.array(policy(known))
        return plan

    def best(self, player, plan):
        """Return the lead of a player, in VP, who answers the other's plan best."""
        worth = self.lead @ plan if player == 0 else -(self.lead.T @ plan)
        for before, after in zip(
            reversed(self.before[player]), reversed(self.after[player]), strict=True
        ):
            worth[before] += worth[after.start : after.stop].max()
        return worth[0]

    def exploitability(self, plans):
        """Return what the two plans lose to best answers in the mean, in VP."""
        return (self.best(0, plans[1]) + self.best(1, plans[0])) / 2

    def _flow(self, player):
        """Return the matrix that is 1, 0, 0 .. times any plan of a player."""
        before, after = self.before[player], self.after[player]
        sets = np.arange(1, len(before) + 1)
        rows = np.concatenate([[0], np.repeat(sets, list(map(len, after))), sets])
        columns = np.concatenate([np.arange(self.size[player]), before])
        signs = np.where(np.arange(len(rows)) < self.size[player], 1.0, -1.0)
        return coo_array((signs, (rows, columns)))

    def equilibrium(self):
        """Return the lead of player 0 under best play of both, in VP, and such plans."""
        own, other = self._flow(0), self._flow(1)
        rows, columns = own.shape[0], other.shape[0]
        worth = np.zeros(self.size[0] + columns)  # a plan, and what the other's sets leave of it
        worth[self.size[0]] = -1
        found = linprog(
            worth,
            hstack([-self.lead.T, other.T]),
            np.zeros(self.size[1]),
            hstack([own, coo_array((rows, columns))]),
            np.eye(1, rows)[0],
            [(0, None)] * self.size[0] + [(None, None)] * columns,
        )
        return -found.fun, (found.x[: self.size[0]], -found.ineqlin.marginals)
