"""Games that each break one promise of the contract.

The tests build these games, which are never installed. `GAMES` maps the name of a fault to its
game, which is also an attribute of this module, so that other processes can import it.
"""

import random

from hoard.engine import ACTIONS
from hoard.game import GAME, NAME, HoardRules

from trajan_ai.core.game import Game, Random
from trajan_ai.core.rules import Option
from wrong_games.faults import CAPSULES


class Rules(HoardRules):
    """The rules of Hoard, applied to the broken game `game`."""

    def from_view(self, view):
        """Return a position of this game."""
        return self.game.from_bytes(super().from_view(view).to_bytes())


class ShowsHands(Rules):
    def view(self, position, player):
        view = super().view(position, player)
        everything = super().view(position, None)
        return view | {"hands": [one["hand"] for one in everything["players"]]}

    def from_view(self, view):
        return super().from_view({key: view[key] for key in view if key != "hands"})


class DrawsHands(Rules):
    def draw(self, position, player=None):
        return super().draw(position, None)


class ForgetsChoice(Rules):
    """The view hides a player's choice from that player."""

    def view(self, position, player):
        view = super().view(position, player)
        for piles in view["players"]:
            if player is not None and view["to_decide"] and "kept" in piles:
                piles["kept_size"] = len(piles.pop("kept"))
        return view


class ShowsTuples(Rules):
    def view(self, position, player):
        view = super().view(position, player)
        return view | {"deck_size": (view["deck_size"],)}

    def from_view(self, view):
        return super().from_view(view | {"deck_size": view["deck_size"][0]})


class DealsByChance(Rules):
    def deal(self, players, seed, options):
        return {"deck": random.sample(super().deal(players, seed, options)["deck"], 30)}


class DealsByHash(Rules):
    """The order of the deck depends on the hash seed of the process."""

    def deal(self, players, seed, options):
        deck = super().deal(players, seed, options)["deck"]
        return {"deck": Random(hash(f"hoard {seed}")).shuffled(deck)}


class TakesAnySetup(Rules):
    def encode(self, players, options, setup):
        return super().encode(players, options, {"deck": setup["deck"]})


class RefusesItsDefault(Rules):
    options = (
        Option("bonus", "1 to 9", lambda value, players: value in range(1, 10), lambda players: 0),
    )

    def check(self, players, options):
        return super().check(players, options) if options else {"bonus": 0}


class LosesOptions(Rules):
    """A record contains another bonus than the game."""

    def check(self, players, options):
        checked = super().check(players, {})
        return checked | ({"bonus": 20} if options.get("bonus", 5) != 5 else {})


# The class of rules for each fault.
WRONG_RULES = {
    "view_shows_hands": ShowsHands,
    "picture_shows_hands": DrawsHands,
    "view_forgets": ForgetsChoice,
    "view_not_plain": ShowsTuples,
    "deals_by_chance": DealsByChance,
    "deals_by_hash": DealsByHash,
    "takes_any_setup": TakesAnySetup,
    "refuses_its_default": RefusesItsDefault,
    "loses_options": LosesOptions,
}
WRONG_REFERENCE = "wrong_reference"
WITH_TERMS = ("terms_of_nothing",)  # games with an evaluation weight for each number of players


def _make(fault):
    rules = WRONG_RULES.get(fault, Rules)()
    table = CAPSULES.get(fault, CAPSULES["right"])
    attribute = "no_such_game" if fault == WRONG_REFERENCE else fault
    start = (NAME, f"wrong_games:{attribute}", table, ACTIONS, rules)
    sources = {"vp_sources": GAME.vp_sources}
    try:
        game = Game(*start, (), None, **sources)
    except ValueError:  # because this table has knowledge
        names = ("two", "three", "four") if fault in WITH_TERMS else ("preference",)
        game = Game(*start, names, (0.5,) * len(names), **sources)
    rules.game = game
    return game


GAMES = {fault: _make(fault) for fault in (*CAPSULES, *WRONG_RULES, WRONG_REFERENCE)}
globals().update(GAMES)
