"""What the engine of Trajan and its slow reference must agree on, and in which games."""

import plain_trajan
import slow_trajan
from random_games import values

from trajan_ai.trajan import GAME

REFERENCE = slow_trajan.Game
VALUES = values(GAME) | {"lap_length": [1, 3, 8, 11, 16, 21]}
LOOK_STRIDE = 5  # decisions between looks at the whole board


def names(counter):
    """A counter without the zeros."""
    return {name: count for name, count in counter.items() if count}


def player_facts(player):
    return {
        "score": player.score,
        "hand": names(player.hand),
        "known_cards": names(player.known),
        "display": names(player.display),
        "trays": {tray: sorted(markers) for tray, markers in player.trays.items()},
        "slots": player.slots,
        "arch": player.arch or "centre",
        "plus2": sorted(player.plus2),
        "supply": player.supply,
        "military_camp": player.military_camp,
        "worker_camp": player.worker_camp,
        "leader": player.leader or "camp",
        "legionnaires": sorted(player.legions),
        "workers": sorted(player.workers),
        "buildings": sorted(player.buildings),
        "forum_tiles": names(player.tiles),
        "demand_tiles": names(player.demand_tiles),
        "gold_bonus": sorted(player.bonus[slow_trajan.GOLD]),
        "silver_bonus": sorted(player.bonus[slow_trajan.SILVER]),
    }


def expected_facts(game):
    """The reference's board in the words of a view."""
    return {
        "players": [player_facts(player) for player in game.player],
        "coloured_ships": sorted(game.coloured),
        "forum": names(game.forum),
        "provinces": {name: tile for name, tile in game.provinces.items() if tile},
        "sites": {name: tile for name, tile in game.sites.items() if tile},
        "bonus_offer": sorted(game.offer),
        "discard_piles": game.piles,
        "goods_deck": game.deck,
        "forum_supply": game.forum_supply,
        "extra_supply": game.extra_supply,
        "bonus_tiles": game.bonus_bag,
        "trajan_stacks": game.stacks,
        "time": (game.quarter, game.round, game.time),
    }


def sorted_lists(facts, keys):
    return {key: sorted(value) if key in keys else value for key, value in facts.items()}


def facts(view):
    """The same of the engine's full view."""
    keys = set(player_facts(slow_trajan.Player()))
    lists = {"plus2", "legionnaires", "workers", "buildings", "gold_bonus", "silver_bonus"}
    players = []
    for one in view["players"]:
        shown = sorted_lists({key: one[key] for key in keys}, lists)
        shown["trays"] = {tray: sorted(markers) for tray, markers in one["trays"].items()}
        players.append(shown)
    hidden = view["hidden"]
    return {
        "players": players,
        "coloured_ships": sorted(view["coloured_ships"]),
        **{key: view[key] for key in ("forum", "provinces", "sites", "discard_piles")},
        "bonus_offer": sorted(view["bonus_offer"]),
        **{
            key: hidden[key]
            for key in ("goods_deck", "forum_supply", "extra_supply", "bonus_tiles")
        },
        "trajan_stacks": hidden["trajan_stacks"],
        "time": (view["quarter"], view["round"], view["time_marker"]),
    }


def shown(position, game):
    """The boards between turns: a turn's middle is the engine's own."""
    between = position.player is not None and "sow" in position.legal()[0]
    if not between or position.ply % LOOK_STRIDE:
        return {}
    one, other = facts(GAME.rules.view(position, None)), expected_facts(game)
    return {key: (one[key], other[key]) for key in other}


def rates(game, view, legal, weights):
    """What the legal moves are worth to a plain twin."""
    return list(map(plain_trajan.Rates(game, view["to_decide"], weights).rate, legal))


def evaluation(game, view, weights):
    """The plain twin's evaluation; None before and between turns."""
    asked = view["to_decide"]
    between = not game.senate or asked["decision"] in ("payment", "bonus")
    return None if between else plain_trajan.evaluation(game, asked, weights)


def no_refill(self, player, pile):
    """An emptied pile is not refilled with the deck's top card."""
    good = self.piles[pile].pop()
    player.hand[good] += 1
    player.known[good] += 1


def votes_stay(self):
    """Vote tiles of the players do not leave."""
    kept = [dict(player.tiles) for player in self.player]
    slow_trajan.Game.new_quarter(self)
    for player, tiles in zip(self.player, kept, strict=True):
        player.tiles.update({name: n for name, n in tiles.items() if name.startswith("votes")})


FAULTS = {"take": no_refill, "new_quarter": votes_stay}
