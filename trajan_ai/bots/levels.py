"""Levels: bots that err as people do, so that they make a known number of VP in the mean.

A level thinks about a share of its turns, by a short search; the others it plays by eye, as the
game's policy does. There its ``errors`` are those of people: what they overlook (the next turn of
a tray, demands to come, sets) counts less and less, until at 1 it counts nothing, and what is
left is weighed carelessly. How many errors and thoughts make so many VP was found by games: a
file of the game, written by ``trajan-ai learn``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict

from trajan_ai.bots.players import Forgetful, Player
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasLevels, offered
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.mcts.knowledge import policy_choice

FULL = "full"  # the row of who thinks about every turn
CARELESS = 3.0  # how much wider the policy's noise is with errors of 1
SHARES = 1 << 20  # parts in which the share of turns is drawn

Pair = Annotated[tuple[float, float], Strict(False)]  # a mean and its standard error


class Level(Description):
    """How a level plays at a table, and what it was found to do there, with standard errors.

    ``errors`` from 0, ``thinks`` the share of turns it searches. ``vp`` it makes against its like;
    ``beats`` is the share of pairs of seats that it wins against the level below (None: there is
    none), ``lost`` the VP that its mistakes cost per decision.
    """

    errors: float
    thinks: float
    vp: Pair
    beats: Pair | None
    lost: Pair


class Levels(Description):
    """The levels of a game: by number of players, then by VP, the lowest first, `FULL` last.

    ``overlooked`` are the weights that errors make less of; ``bot`` thinks, with ``iterations``;
    ``card`` says how they were found.
    """

    overlooked: Annotated[tuple[str, ...], Strict(False)] = ()
    bot: str = ""
    iterations: int = 0
    tables: dict[int, dict[int | str, Level]] = Field(alias="players")
    card: dict[str, Any] = Field(default_factory=dict)

    def weights(self, game: Game, errors: float) -> tuple[float, ...]:
        """Return the weights by which a level with so many errors plays by eye."""

        def erring(name: str, weight: float) -> float:
            if name in self.overlooked:
                return weight * max(0.0, 1.0 - errors)
            return weight * (1.0 + CARELESS * errors) if name.endswith("noise") else weight

        assert game.default_weights is not None
        named = zip(game.weight_names, game.default_weights, strict=True)
        return tuple(erring(name, weight) for name, weight in named)

    def level(self, game: Game, players: int, vp: int) -> Level:
        """Return the level of so many VP at a table; raises TrajanError if it has no such."""
        rows = self.tables.get(players, {})
        if vp not in rows:
            known = ", ".join(str(one) for one in rows if one != FULL)
            raise TrajanError(
                f"{game.name}: there is no level of {vp} VP with {players} players; "
                f"levels are {known or 'none'}"
            )
        return rows[vp]


NONE = Levels(players={})


def levels_of(game: Game) -> Levels:
    """Return the levels of a game, `NONE` where it has none."""
    rules = offered(game.rules, HasLevels)
    return NONE if rules is None else read_levels(rules.levels)


@cache
def read_levels(path: Path) -> Levels:
    """Return the levels of a file; raises TrajanError with all that is wrong with it."""
    return validate(Levels, read_yaml(path))


class LevelPlayer(Forgetful):
    """Plays as a level does; `thinker` searches the turns that it thinks about."""

    def __init__(self, game: Game, levels: Levels, vp: int, thinker: Player) -> None:
        self.game, self.levels, self.vp, self.thinker = game, levels, vp, thinker

    def start(self, seat: int, players: int, seed: int) -> None:
        """Look up how the level plays at this table; raises TrajanError if it has no such."""
        level = self.levels.level(self.game, players, self.vp)
        self.sit(seat, players, seed, level.errors, level.thinks)

    def sit(self, seat: int, players: int, seed: int, errors: float, thinks: float) -> None:
        """Begin a game with so many errors, thinking about such a share of the turns."""
        self.weights, self.thinks = self.levels.weights(self.game, errors), thinks
        self.seat, self.seed = seat, seed
        self.thinker.start(seat, players, seed)

    def choose(self, position: Position, seed: int) -> int:
        """Return the move of a search, or the one that looks best."""
        drawn = Random(derive_seed("thinks", self.seed, position.turn)).below(SHARES)
        if drawn < self.thinks * SHARES:
            return int(self.thinker.choose(position, seed))
        known = InformationSet(position, self.seat).canonical
        return known.legal_moves()[policy_choice(known, self.weights, seed)]
