"""How the engine of Trajan is compared with its slow reference."""

import plain_trajan
import slow_trajan
from random_games import values
from slow_game import player_pairs, unordered

from trajan_ai.games.trajan import GAME

REFERENCE, TWIN = slow_trajan.Game, plain_trajan
VALUES = values(GAME) | {"lap_length": [1, 3, 8, 11, 16, 21]}
LOOK_STRIDE = 5  # plies between comparisons of the whole board


def player_facts(player):
    return {
        "score": player.score,
        "hand": player.hand,
        "known_cards": player.known,
        "display": player.display,
        "trays": player.trays,
        "slots": player.slots,
        "arch": player.arch or "centre",
        "plus2": player.plus2,
        "supply": player.supply,
        "military_camp": player.military_camp,
        "worker_camp": player.worker_camp,
        "leader": player.leader or "camp",
        "legionnaires": player.legions,
        "workers": player.workers,
        "buildings": player.buildings,
        "forum_tiles": player.tiles,
        "demand_tiles": player.demand_tiles,
        "gold_bonus": player.bonus[slow_trajan.GOLD],
        "silver_bonus": player.bonus[slow_trajan.SILVER],
    }


def compare(position, game):
    """Return pairs of facts about the boards, or no pairs in the middle of a turn."""
    between = position.player is not None and "sow" in position.legal()[0]
    if not between or position.ply % LOOK_STRIDE:
        return {}
    view = GAME.rules.view(position, None)
    board = {
        "coloured_ships": game.coloured,
        "forum": game.forum,
        "provinces": game.provinces,
        "sites": game.sites,
        "bonus_offer": game.offer,
    }
    stacks = {
        "goods_deck": game.deck,
        "forum_supply": game.forum_supply,
        "extra_supply": game.extra_supply,
        "bonus_tiles": game.bonus_bag,
        "trajan_stacks": game.stacks,
    }
    return {
        **player_pairs(view, map(player_facts, game.player)),
        **{key: (unordered(view[key]), unordered(fact)) for key, fact in board.items()},
        **{key: (view["hidden"][key], fact) for key, fact in stacks.items()},
        "discard_piles": (view["discard_piles"], game.piles),
        "quarter": (view["quarter"], game.quarter),
        "round": (view["round"], game.round),
        "time": (view["time_marker"], game.time),
    }


def no_refill(self, number, pile):
    player, good = self.player[number], self.piles[pile].pop()
    player.hand[good] += 1
    player.known[good] += 1


def votes_stay(self):
    before = [dict(player.tiles) for player in self.player]
    slow_trajan.Game.new_quarter(self)
    for player, tiles in zip(self.player, before, strict=True):
        player.tiles.update({name: n for name, n in tiles.items() if name.startswith("votes")})


def silent_turn_up(self, pile):
    self.piles[pile].append(self.deck.pop(0))


FAULTS = {"take": no_refill, "new_quarter": votes_stay, "turn_up": silent_turn_up}
