"""Games for OpenSpiel. Requires the extra ``trajan-ai[openspiel]``.

Importing this module registers every installed game as ``python_NAME``; `register` adds others.
The parameters of a game are ``players``, ``utility``, ``position``, ``deals`` and the options of
its rules. A game begins with a chance node that chooses one of ``deals`` equally likely deals. If
the rules can list all deals, the node has exactly these deals, and there is no parameter
``deals``. If ``position`` is the path of a position file, the game starts from that position, with
the players and options of the file, and the chance node samples everything that at least one
player does not know.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
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
SWEEPS = 8  # samples per player; after these, the hidden cards of the file no longer matter
MAX_DECISIONS = 20_000  # decisions in a game, far more than in any real game
MAX_VP = 10_000
UTILITIES = ("win", "score")  # share of the win, or VP above the mean of all players
SCALARS = (bool, int, str)
NOTHING = object()  # stands for a missing part of a view


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _digest_knowledge(position: Position, player: int) -> str:
    """Return a digest of what a player knows in a position, regardless of the player's past."""
    return _digest(InformationSet(position, player).canonical.to_bytes())


@dataclass(frozen=True)
class GameState:
    """A position (None before the deal), and a digest of each player's past.

    The past of a player consists of the moves that they noticed and of their knowledge at each
    of their decisions. States are immutable, so a copy is the same object.
    """

    position: Position | None
    pasts: tuple[str, ...]

    def __deepcopy__(self, memo: Any) -> GameState:
        return self

    def after(self, move: int) -> GameState:
        """Return the state after a move; raise TrajanError if the move is not legal."""
        position = self.dealt_position()
        after = position.after_move(move)  # comes first, because it checks the move
        pasts = list(self.pasts)
        for player in range(position.players):
            for at, number in position.heard(move, player):
                knowledge = _digest_knowledge(at, player) if at.player == player else ""
                visible = at.observed(number, player)
                past = f"{pasts[player]} {at.player} {visible} {knowledge}"
                pasts[player] = _digest(past.encode())
        return GameState(after, tuple(pasts))

    def determinized(self, player: int, seed: int) -> GameState:
        """Return a state that looks the same to `player`; all players get this player's past."""
        drawn = self.dealt_position().determinized(player, seed)
        return GameState(drawn, (self.pasts[player],) * drawn.players)

    def dealt_position(self) -> Position:
        """Return the position; raise TrajanError before the deal."""
        if self.position is None:
            raise TrajanError("this is the chance node before the deal: apply a deal first")
        return self.position


def _parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of a game with default values of types that OpenSpiel supports.

    A default of 0 stands for an integer that depends on the number of players and cannot be 0. A
    default of "" stands for any other default that depends on the number of players, and for a
    default that is neither a word nor an integer; values of such a parameter are given as YAML
    text.
    """
    defaults = {"players": game.player_counts[0], "utility": UTILITIES[0], "position": ""}
    if offered(game.rules, HasDeals) is None:
        defaults["deals"] = DEALS
    for option in all_options(game.rules):
        values = [option.default(players) for players in game.player_counts]
        if type(values[0]) in SCALARS and values.count(values[0]) == len(values):
            defaults[option.name] = values[0]
        else:
            is_number = type(values[0]) is int and not option.accepts(0, game.player_counts[0])
            defaults[option.name] = 0 if is_number else ""
    return defaults


def _options(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the parameters set, converted to the types of the rules."""
    defaults = _parameters(game)
    names = [option.name for option in all_options(game.rules)]
    options = {name: parameters[name] for name in names if parameters[name] != defaults[name]}
    return options | option_values({n: v for n, v in options.items() if defaults[n] == ""})


def _redeal(start: Position, deals: int) -> Counter[Position]:
    """Return sampled positions, each with the number of deals that lead to it.

    Each position is drawn from what all players know in common in `start`. This is done by Gibbs
    sampling (Geman and Geman 1984): for one player after another, everything that this player does
    not know is sampled again.
    """
    positions: Counter[Position] = Counter()
    for deal in range(deals):
        drawn = start
        for step in range(SWEEPS * start.players):
            drawn = drawn.determinized(step % start.players, derive_seed("redeal", deal, step))
        positions[drawn] += 1
    return positions


def _game_type(game: Game) -> Any:
    has_features = offered(game.rules, HasFeatures) is not None
    kinds = pyspiel.GameType.Information
    is_hidden = game.hidden_information or game.hidden_moves
    return pyspiel.GameType(
        short_name=f"python_{game.name}",
        long_name=f"{game.name.replace('_', ' ').title()} (trajan_ai)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.IMPERFECT_INFORMATION if is_hidden else kinds.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.player_counts[-1],
        min_num_players=game.player_counts[0],
        provides_information_state_string=True,
        # An information state must include the past (perfect recall), which features omit.
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=has_features,
        parameter_specification=_parameters(game),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game for OpenSpiel. Raises TrajanError if a parameter is wrong."""

    def __init__(self, game: Game, params: Mapping[str, Any] | None = None) -> None:
        parameters = {**_parameters(game), **(params or {})}
        self.game, self.players = game, parameters["players"]
        self.utility = parameters["utility"]
        self.options = _options(game, parameters)
        options = game.rules.check(self.players, self.options)
        if self.utility not in UTILITIES:
            words = " or ".join(UTILITIES)
            raise TrajanError(f"utility must be {words}, got {self.utility!r:.60}")
        listing = offered(game.rules, HasDeals)
        self.setups = None if listing is None else listing.deals(self.players, options)
        deals = parameters.get("deals", len(self.setups or ()))
        if deals < 1:
            raise TrajanError(f"deals must be at least 1, got {deals}")
        chances = [1 / deals] * deals
        self.starts: list[Position] = []
        if parameters["position"]:
            positions = _redeal(self._read_start(parameters["position"]), deals)
            self.starts, chances = list(positions), [n / deals for n in positions.values()]
        most = 1.0 if self.utility == "win" else float(MAX_VP)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=len(chances),
            num_players=self.players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(_game_type(game), info, dict(params or {}))
        self.before_deal = GameState(None, ("nothing",) * self.players)
        self.outcomes = list(enumerate(chances))
        self._cached_deal = lru_cache(DEALS)(self._deal)

    def _read_start(self, path: str) -> Position:
        """Return the position in a file, and adopt its number of players."""
        start = position_files.read(path)
        if start.game is not self.game:
            name = start.game.name
            raise TrajanError(f"{path}: a position of {name}, not {self.game.name}")
        if self.options or self.players not in (self.game.player_counts[0], start.players):
            raise TrajanError(
                f"{path}: players and options are those of the file; do not give them"
            )
        self.players = start.players
        return start

    def deal(self, number: int) -> GameState:
        """Return the state after a deal; raise TrajanError if there is no such deal."""
        if not 0 <= number < len(self.outcomes):
            raise TrajanError(f"a deal must be 0 to {len(self.outcomes) - 1}, got {number}")
        return self._cached_deal(number)

    def _deal(self, number: int) -> GameState:
        if self.starts:
            position = self.starts[number]
        elif self.setups is not None:
            position = self.game.restore(self.players, self.setups[number], **self.options)
        else:
            seed = derive_seed("open_spiel", number)
            position = self.game.start(self.players, seed, **self.options)
        return replace(self.before_deal, position=position)

    def utilities(self, end: Position) -> list[float]:
        """Return the utility of each player at the end of a game; they sum to 0."""
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

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Any = None
    ) -> SpielObserver | PartObserver:
        """Return an observer of one player's knowledge, or of the public or private part of that
        knowledge.

        With perfect recall, the knowledge of a player includes the past. Raises ValueError if
        there are parameters or if any other kind of observer is requested.
        """
        if params:
            raise ValueError(f"observers take no parameters, got {params}")
        if iig_obs_type is None:
            return SpielObserver(self, False)
        is_public, private = iig_obs_type.public_info, iig_obs_type.private_info
        is_single = private == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if is_public and is_single:
            return SpielObserver(self, iig_obs_type.perfect_recall)
        is_part = is_single or (is_public and private == pyspiel.PrivateInfoType.NONE)
        if iig_obs_type.perfect_recall or not is_part:
            raise ValueError(
                "an observer must be of public information, of one player's private information, "
                "or of both, and only an observer of both can recall the past"
            )
        return PartObserver(is_public)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state for OpenSpiel, whose data are all in ``now``."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.now: GameState = game.before_deal

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's constant for a chance node or the end of the
        game."""
        if self.now.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        player = self.now.position.player
        return int(pyspiel.PlayerId.TERMINAL) if player is None else player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.now.position is not None and self.now.position.player is None

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.now.dealt_position().legal_moves())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the deals with their probabilities."""
        outcomes: list[tuple[int, float]] = self.get_game().outcomes
        return outcomes

    def _apply_action(self, action: int) -> None:
        if self.now.position is None:
            self.now = self.get_game().deal(action)
        else:
            self.now = self.now.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        actions: tuple[str, ...] = self.get_game().game.actions
        if not 0 <= action < len(actions):
            raise TrajanError(f"an action must be 0 to {len(actions) - 1}, got {action}")
        return actions[action]

    def returns(self) -> list[float]:
        """Return the utility of every player, which is 0 before the end of the game."""
        if not self.is_terminal():
            return [0.0] * self.num_players()
        utilities: list[float] = self.get_game().utilities(self.now.position)
        return utilities

    def to_struct(self) -> SpielStruct:
        """Return the view of the whole state as a struct, which is empty before the deal."""
        return self._struct(None)

    def to_observation_struct(self, player: int | None = None) -> SpielStruct:
        """Return the view of a player (by default the player to move) as a struct."""
        return self._struct(self.current_player() if player is None else player)

    def to_json(self) -> str:
        """Return the struct of the state as JSON."""
        return self.to_struct().to_json()

    def _struct(self, player: int | None) -> SpielStruct:
        position = self.now.position
        return SpielStruct({} if position is None else position.game.rules.view(position, player))

    def resample_from_infostate(self, player: int, sampler: Any) -> SpielState:
        """Draw a state uniformly from those that a player cannot distinguish from this one.

        Raises TrajanError before the deal, and if there is no such player.
        """
        state: SpielState = self.clone()
        state.now = self.now.determinized(player, int(sampler() * 2**53))
        return state

    def __str__(self) -> str:
        position = self.now.position
        if position is None:
            return "before the deal"
        return f"{position!r} {_digest(position.to_bytes())}"


class SpielStruct:
    """Plain data with the same methods as OpenSpiel's structs, which cannot be created in
    Python."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the data."""
        return self.data

    def to_json(self) -> str:
        """Return the data as JSON."""
        return json.dumps(self.data)


class SpielObserver:
    """The knowledge of one player, as a tensor of features from 0 to 1 and as a string.

    With perfect recall, there is no tensor, and the string is a digest of the player's knowledge
    and past; it is the same for all states that the player cannot distinguish. Without perfect
    recall, the string is the board as the player sees it.
    """

    def __init__(self, game: SpielGame, recalls: bool) -> None:
        self.recalls = recalls
        rules = None if self.recalls else offered(game.game.rules, HasFeatures)
        features = () if rules is None else rules.features(game.players)
        self.scales = 1 / np.array([feature.highest for feature in features], np.float32)
        self.tensor = np.zeros(len(features), np.float32)
        self.dict = {"features": self.tensor} if len(features) else {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the player's features to `tensor`, or zeros before the deal."""
        position = state.now.position
        if position is None:
            self.tensor.fill(0)
        elif len(self.tensor):
            features = np.frombuffer(position.features(player), np.uint8)
            np.multiply(features, self.scales, out=self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the player's knowledge as text."""
        position = state.now.position
        if position is None:
            return f"player {player} knows nothing before the deal"
        if not self.recalls:
            return position.game.rules.draw(position, player)
        knowledge = _digest_knowledge(position, player)
        return f"player {player} saw {state.now.pasts[player]}, knows {knowledge}"


class PartObserver:
    """The public part or one player's private part of a view, as text.

    Public is what all players know, even if they cannot know that the other players know it.
    Therefore, while choices are hidden, public information can differ between states that a player
    cannot distinguish. There is no tensor, because features are not divided into public and
    private ones.
    """

    tensor = None

    def __init__(self, is_public: bool) -> None:
        self.is_public = is_public
        self.dict: dict[str, Any] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Do nothing."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Return one line for each key of this part of the view."""
        position = state.now.position
        if position is None:
            return "before the deal"
        views = [position.view(seat) for seat in range(position.players)]
        data = _common(views)
        if not self.is_public:
            data = _without(views[player], data)
        if data is NOTHING:
            return ""
        return "\n".join(f"{key}: {json.dumps(value)}" for key, value in data.items())


def _common(views: Sequence[Any]) -> Any:
    """Return the part that all views share, with None for the entries of lists that differ."""
    first = views[0]
    if all(view == first for view in views):
        return first
    if all(isinstance(view, dict) for view in views):
        keys = [key for key in first if all(key in view for view in views)]
        return _drop_nothing({key: _common([view[key] for view in views]) for key in keys})
    if all(isinstance(view, list) and len(view) == len(first) for view in views):
        parts = [_common(entries) for entries in zip(*views, strict=True)]
        return [None if part is NOTHING else part for part in parts]
    return NOTHING


def _without(view: Any, common: Any) -> Any:
    """Return the part of a view that is not in `common`, with None for list entries that are."""
    if view == common:
        return NOTHING
    if isinstance(view, dict) and isinstance(common, dict):
        return _drop_nothing({key: _without(view[key], common.get(key, NOTHING)) for key in view})
    if isinstance(view, list) and isinstance(common, list):
        parts = [_without(*entries) for entries in zip(view, common, strict=True)]
        return [None if part is NOTHING else part for part in parts]
    return view


def _drop_nothing(parts: dict[Any, Any]) -> dict[Any, Any]:
    return {key: part for key, part in parts.items() if part is not NOTHING}


class Rollouts:
    """An evaluator for OpenSpiel's Python searches, which plays its random games in C.

    It replaces ``RandomRolloutEvaluator``.
    """

    def __init__(self, rollouts: int = 1, seed: int = 0) -> None:
        self.rollouts = rollouts
        self._random = Random(seed)

    def evaluate(self, state: SpielState) -> Any:
        """Return the mean utility of each player over random games."""
        position = state.now.dealt_position()
        ends = [rollout(position, self._random.below(1 << 30)) for _ in range(self.rollouts)]
        return np.mean([state.get_game().utilities(end) for end in ends], axis=0)

    def prior(self, state: SpielState) -> list[tuple[int, float]]:
        """Return the legal actions, all with the same probability."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def register(game: Game) -> None:
    """Register a game with OpenSpiel as ``python_NAME``."""

    def init(self: SpielGame, params: Mapping[str, Any] | None = None) -> None:
        SpielGame.__init__(self, game, params)

    pyspiel.register_game(_game_type(game), type(game.name, (SpielGame,), {"__init__": init}))


for _name in GAMES:
    register(GAMES[_name])
