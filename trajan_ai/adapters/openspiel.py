"""The games in OpenSpiel: needs the extra ``trajan-ai[openspiel]``.

To import this module registers every installed game as ``python_NAME``; `register` does it for
others. Parameters are ``players``, ``utility``, the options of the rules, and ``deals``: a game
begins with a chance node that chooses one of so many deals, all equally likely, or one of all
that there are where the game lists them. With ``position``, the path of a position file, a game
begins there: players and options are those of the file, and the chance node deals anew what any
player does not know.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from trajan_ai.adapters.batch import rollout, shares
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasDeals, HasFeatures, all_options, offered
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import option_values
from trajan_ai.games import GAMES
from trajan_ai.records import position_files

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "trajan_ai.adapters.openspiel needs OpenSpiel: pip install 'trajan-ai[openspiel]'"
    ) from error

DEALS = 1000
SWEEPS = 8  # over the players, until nothing is left of what a position file happens to tell
MOST_DECISIONS = 20_000  # of a game, far above any
MOST_VP = 10_000
UTILITIES = ("win", "score")  # the share of the win, or VP above the mean of all
SCALARS = (bool, int, str)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _known(position: Position, player: int) -> str:
    """Return a digest of what a player knows of a position, their past left out."""
    return _digest(InformationSet(position, player).canonical.to_bytes())


@dataclass(frozen=True)
class Now:
    """Where a game stands: its position (None before the deal), and a digest by player of the
    moves that they heard of and of what they knew at their own. Never changed, so a copy is the
    same object."""

    position: Position | None
    noticed: tuple[str, ...]

    def __deepcopy__(self, memo: Any) -> Now:
        return self

    def after(self, move: int) -> Now:
        """Return what a legal move leads to."""
        position = self.position
        assert position is not None
        noticed = list(self.noticed)
        for player in range(position.players):
            for at, made in position.heard(move, player):
                known = _known(at, player) if at.player == player else ""
                heard = f"{noticed[player]} {at.player} {at.observed(made, player)} {known}"
                noticed[player] = _digest(heard.encode())
        return Now(position.after_move(move), tuple(noticed))

    def determinized(self, player: int, seed: int) -> Now:
        """Return one of those that `player` cannot tell from this; others know no more of the
        past than `player`."""
        position = self.position
        assert position is not None
        drawn = position.determinized(player, seed)
        return Now(drawn, (self.noticed[player],) * position.players)


def _parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of a game with their defaults, of the types that OpenSpiel knows.

    Where the default of an option depends on the players, 0 stands for it; where it is no word or
    number, the empty text, and values are texts as in a YAML file.
    """
    defaults = {"players": game.player_counts[0], "utility": UTILITIES[0], "position": ""}
    if offered(game.rules, HasDeals) is None:
        defaults["deals"] = DEALS
    for option in all_options(game.rules):
        values = [option.default(players) for players in game.player_counts]
        if type(values[0]) in SCALARS and values.count(values[0]) == len(values):
            defaults[option.name] = values[0]
        else:
            numbers = type(values[0]) is int and not option.accepts(0, game.player_counts[0])
            defaults[option.name] = 0 if numbers else ""
    return defaults


def _options(game: Game, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that parameters set, with the types that the rules want."""
    defaults = _parameters(game)
    named = [option.name for option in all_options(game.rules)]
    options = {name: chosen[name] for name in named if chosen[name] != defaults[name]}
    return options | option_values({n: v for n, v in options.items() if defaults[n] == ""})


def _dealt_anew(begun: Position, deals: int) -> Counter[Position]:
    """Return positions, with how many of the deals are each, drawn from what all players know
    of one: in turn for every player what they do not (Gibbs sampling; Geman and Geman 1984)."""
    found: Counter[Position] = Counter()
    for deal in range(deals):
        drawn = begun
        for step in range(SWEEPS * begun.players):
            drawn = drawn.determinized(step % begun.players, derive_seed("redeal", deal, step))
        found[drawn] += 1
    return found


def _game_type(game: Game) -> Any:
    tensors = offered(game.rules, HasFeatures) is not None
    kinds = pyspiel.GameType.Information
    hidden = game.hidden_information or game.hidden_moves
    return pyspiel.GameType(
        short_name=f"python_{game.name}",
        long_name=f"{game.name.replace('_', ' ').title()} (trajan_ai)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.IMPERFECT_INFORMATION if hidden else kinds.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.player_counts[-1],
        min_num_players=game.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=tensors,
        provides_observation_string=True,
        provides_observation_tensor=tensors,
        parameter_specification=_parameters(game),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel wants it."""

    def __init__(self, game: Game, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**_parameters(game), **(params or {})}
        self.game, self.players, self.utility = game, chosen["players"], chosen["utility"]
        self.options = _options(game, chosen)
        checked = game.rules.check(self.players, self.options)
        if self.utility not in UTILITIES:
            words = " or ".join(UTILITIES)
            raise TrajanError(f"utility must be {words}, got {self.utility!r:.60}")
        listing = offered(game.rules, HasDeals)
        self.setups = None if listing is None else listing.deals(self.players, checked)
        deals = chosen.get("deals", len(self.setups or ()))
        if deals < 1:
            raise TrajanError(f"deals must be at least 1, got {deals}")
        likely = [1 / deals] * deals
        self.starts: list[Position] = []
        if chosen["position"]:
            begun = position_files.read(chosen["position"])
            if begun.game is not game:
                name = begun.game.name
                raise TrajanError(f"{chosen['position']}: a position of {name}, not {game.name}")
            if self.options or self.players not in (game.player_counts[0], begun.players):
                raise TrajanError(f"{chosen['position']}: the file says players and options")
            self.players = begun.players
            drawn = _dealt_anew(begun, deals)
            self.starts, likely = list(drawn), [count / deals for count in drawn.values()]
        most = 1.0 if self.utility == "win" else float(MOST_VP)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=len(likely),
            num_players=self.players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=MOST_DECISIONS,
        )
        super().__init__(_game_type(game), info, dict(params or {}))
        self.before = Now(None, ("nothing",) * self.players)
        self.outcomes = list(enumerate(likely))
        self.dealt = lru_cache(DEALS)(self._dealt)

    def _dealt(self, deal: int) -> Now:
        if self.starts:
            position = self.starts[deal]
        elif self.setups is not None:
            position = self.game.restore(self.players, self.setups[deal], **self.options)
        else:
            seed = derive_seed("open_spiel", deal)
            position = self.game.start(self.players, seed, **self.options)
        return replace(self.before, position=position)

    def utilities(self, end: Position) -> list[float]:
        """Return what the end of a game is worth to each player; they sum to 0."""
        if self.utility == "win":
            return shares(end)
        mean = sum(end.scores) / len(end.scores)
        return [score - mean for score in end.scores]

    def new_initial_state(self, *args: Any) -> SpielState:
        """Return the state before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1: the deal."""
        return 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """Return what tells a player what they may know, with their past if it recalls all."""
        if params:
            raise ValueError(f"observers take no parameters, got {params}")
        return SpielObserver(self, iig_obs_type)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state: `now` is all of it."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.now = game.before

    def current_player(self) -> int:
        """Return the player to decide, chance, or the end."""
        if self.now.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        player = self.now.position.player
        return int(pyspiel.PlayerId.TERMINAL) if player is None else player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.now.position is not None and self.now.position.player is None

    def _legal_actions(self, player: int) -> list[int]:
        assert self.now.position is not None
        return sorted(self.now.position.legal_moves())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals."""
        outcomes: list[tuple[int, float]] = self.get_game().outcomes
        return outcomes

    def _apply_action(self, action: int) -> None:
        if self.now.position is None:
            self.now = self.get_game().dealt(action)
        else:
            self.now = self.now.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        name: str = self.get_game().game.actions[action]
        return name

    def returns(self) -> list[float]:
        """Return what the game is worth to every player; 0 before the end."""
        if not self.is_terminal():
            return [0.0] * self.num_players()
        worth: list[float] = self.get_game().utilities(self.now.position)
        return worth

    def resample_from_infostate(self, player: int, sampler: Any) -> SpielState:
        """Return a state drawn uniformly from those that look alike to a player."""
        state: SpielState = self.clone()
        state.now = self.now.determinized(player, int(sampler() * 2**53))
        return state

    def __str__(self) -> str:
        position = self.now.position
        if position is None:
            return "before the deal"
        return f"{position!r} {_digest(position.to_bytes())}"


class SpielObserver:
    """What a player may know: features from 0 to 1, and strings.

    With perfect recall the string is a digest, equal for states that look alike to the player,
    their past included; without, the board as they see it.
    """

    def __init__(self, game: SpielGame, kind: Any) -> None:
        single = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind is not None and not (kind.public_info and kind.private_info == single):
            raise ValueError("observers tell all that one player may know, and nothing else")
        featured = offered(game.game.rules, HasFeatures)
        features = () if featured is None else featured.features(game.players)
        self.scales = 1 / np.array([feature.highest for feature in features], np.float32)
        self.tensor = np.zeros(len(features), np.float32)
        self.dict = {"features": self.tensor}
        self.recalls = kind is not None and kind.perfect_recall

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player knows to `tensor`; nothing before the deal."""
        if state.now.position is None:
            self.tensor.fill(0)
        elif len(self.tensor):
            told = np.frombuffer(state.now.position.features(player), np.uint8)
            np.multiply(told, self.scales, out=self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what the player knows as text."""
        position = state.now.position
        if position is None:
            return f"player {player} before the deal"
        if not self.recalls:
            return position.game.rules.draw(position, player)
        known = _known(position, player)
        return f"player {player} saw {state.now.noticed[player]}, knows {known}"


class Rollouts:
    """An evaluator for OpenSpiel's searches in Python whose random games are played in C.

    Use it in place of ``RandomRolloutEvaluator``: it plays alike, about a hundred times faster.
    """

    def __init__(self, rollouts: int = 1, seed: int = 0) -> None:
        self.rollouts = rollouts
        self._random = Random(seed)

    def evaluate(self, state: SpielState) -> Any:
        """Return the mean utility of random games, by player."""
        position = state.now.position
        assert position is not None
        ends = [rollout(position, self._random.below(1 << 30)) for _ in range(self.rollouts)]
        return np.mean([state.get_game().utilities(end) for end in ends], axis=0)

    def prior(self, state: SpielState) -> list[tuple[int, float]]:
        """Return equal probabilities for the legal actions."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def register(game: Game) -> None:
    """Let OpenSpiel load a game as ``python_NAME``."""

    def made(self: SpielGame, params: Mapping[str, Any] | None = None) -> None:
        SpielGame.__init__(self, game, params)

    pyspiel.register_game(_game_type(game), type(game.name, (SpielGame,), {"__init__": made}))


for _name in GAMES:
    register(GAMES[_name])
