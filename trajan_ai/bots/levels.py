"""Levels: bots that make mistakes like people, so that they score a known number of VP on average.

A level searches briefly in a fraction of its turns. In the other turns it follows the game's
policy, distorted by ``errors`` from 0 to 1. Errors reduce the weights of what people overlook (the
next turn of a tray, future demands, sets), down to 0 if ``errors`` is 1, and make the policy
noisier. ``trajan-ai learn`` measures the score that each combination of errors and searches gives,
and writes the levels to a file of the game.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict

from trajan_ai.bots.players import Player, StatelessPlayer
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasLevels
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.mcts.knowledge import policy_choice

FULL = "full"  # the row of a bot that searches in every turn
CARELESS = 3.0  # the policy's noise is multiplied by 1 + CARELESS * errors
FRACTION_STEPS = 1 << 20  # resolution of the random number that is compared with `thinks`

Pair = Annotated[tuple[float, float], Strict(False)]  # a mean and its standard error


class Level(Description):
    """How a level plays with a given number of players, and its results, with standard errors.

    errors  from 0 to 1
    thinks  fraction of turns in which the level searches
    vp      its score against bots of the same level
    beats   win rate, over pairs of seats, against the level below; None for the lowest level
    lost    VP that its mistakes cost per decision
    """

    errors: float
    thinks: float
    vp: Pair
    beats: Pair | None
    lost: Pair


class Levels(Description):
    """The levels of a game for each number of players, in ascending order of VP; `FULL` is last.

    overlooked  names of the weights that errors reduce
    bot         built-in bot that searches, with `iterations` per decision
    card        how the levels were measured
    """

    overlooked: Annotated[tuple[str, ...], Strict(False)] = ()
    bot: str = ""
    iterations: int = 0
    tables: dict[int, dict[int | str, Level]] = Field(alias="players")
    card: dict[str, Any] = Field(default_factory=dict)

    def weights(self, game: Game, errors: float) -> tuple[float, ...]:
        """Return the policy weights of a level with these errors."""

        def distort(name: str, weight: float) -> float:
            if name in self.overlooked:
                return weight * max(0.0, 1.0 - errors)
            return weight * (1.0 + CARELESS * errors) if name.endswith("noise") else weight

        assert game.default_weights is not None
        named = zip(game.weight_names, game.default_weights, strict=True)
        return tuple(distort(name, weight) for name, weight in named)

    def level(self, game: Game, players: int, vp: int) -> Level:
        """Return the level of `vp` VP for this number of players, or raise TrajanError."""
        rows = self.tables.get(players, {})
        if vp not in rows:
            available = ", ".join(str(one) for one in rows if one != FULL)
            raise TrajanError(
                f"{game.name}: there is no level of {vp} VP for {players} players; "
                f"the levels are: {available or 'none'}"
            )
        return rows[vp]


NONE = Levels(players={})


def get_levels(game: Game) -> Levels:
    """Return the levels of a game, or `NONE`."""
    rules = offered(game.rules, HasLevels)
    return NONE if rules is None else read_levels(rules.levels)


@cache
def read_levels(path: Path) -> Levels:
    """Return the levels of a file; raises TrajanError, which lists all problems in it."""
    return validate(Levels, read_yaml(path))


class LevelPlayer(StatelessPlayer):
    """Plays like a level; `thinker` chooses the moves in turns in which the level searches."""

    def __init__(self, game: Game, levels: Levels, vp: int, thinker: Player) -> None:
        self.game, self.levels, self.vp, self.thinker = game, levels, vp, thinker

    def start(self, seat: int, players: int, seed: int) -> None:
        """Look up the level for this number of players; raises TrajanError if there is none."""
        level = self.levels.level(self.game, players, self.vp)
        self.sit(seat, players, seed, level.errors, level.thinks)

    def sit(self, seat: int, players: int, seed: int, errors: float, thinks: float) -> None:
        """Begin a game with these errors, and search in the fraction `thinks` of the turns."""
        self.weights, self.thinks = self.levels.weights(self.game, errors), thinks
        self.seat, self.seed = seat, seed
        self.thinker.start(seat, players, seed)

    def choose(self, position: Position, seed: int) -> int:
        """Return the move of a search, or the best move by the distorted policy."""
        random = Random(derive_seed("thinks", self.seed, position.turn))
        if random.below(FRACTION_STEPS) < self.thinks * FRACTION_STEPS:
            return int(self.thinker.choose(position, seed))
        canonical = InformationSet(position, self.seat).canonical
        return canonical.legal_moves()[policy_choice(canonical, self.weights, seed)]
