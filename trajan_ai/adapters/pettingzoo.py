"""Environments for PettingZoo. Requires the extra ``trajan-ai[pettingzoo]``.

`env` and `raw_env` create an environment whose agents act one after another (AEC). `parallel_env`
creates the same game as a parallel environment, in which only the action of the agent to move
counts.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.adapters.batch import advance, encode, shares
from trajan_ai.adapters.rendering import RENDERERS, render_modes
from trajan_ai.adapters.resets import check_options, check_start
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ImportError as error:
    raise ImportError(
        "trajan_ai.adapters.pettingzoo needs PettingZoo: pip install 'trajan-ai[pettingzoo]'"
    ) from error

Features = NDArray[np.uint8]
Observation = dict[str, NDArray[np.uint8] | NDArray[np.int8]] | Features

UINT8, INT8 = np.dtype(np.uint8), np.dtype(np.int8)
NO_GAME = "there is no game yet: call reset()"
IGNORED_OPTIONS = {"options": 1}  # PettingZoo's tests pass these to every environment


class AecEnv(AECEnv):  # type: ignore[misc]
    """One game with the agents ``player_0``, ``player_1`` and so on, in seating order.

    Parameters
    ----------
    game : str
    players : int
    render_mode : "human", "ansi", "rgb_array" or None
        How to show the board with all cards: printed, as text, or as an array of pixels (which
        requires the extra ``pictures``).
    max_cycles : int or None
        The number of turns, over all players, after which a game is truncated. The limit counts
        turns rather than decisions, because all players know the number of turns.
    flat : bool
        If True, an observation is only the array of features, for wrappers that require an array,
        and the mask is ``action_mask`` in the info of the agent to move.
    options
        Options of the rules. TrajanError is raised for an unknown option.

    An observation is a dictionary. ``observation`` contains the features that the agent knows
    (uint8, see `features`). ``action_mask`` (int8) is 1 for each legal action and 0 for all
    others; if another agent is to move, it is 0 everywhere. The info of the agent to move contains
    ``legal_moves``, a list of its legal actions, so ``last(observe=False)`` is enough to play.
    Rewards are given at the end of the game: an agent's share of the win, scaled so that a sole
    winner gets 1 and the rewards of all agents sum to 0. An illegal action raises TrajanError.
    `state` returns the features of all agents, for centralised critics.
    """

    position: Position  # position of the current game

    def __init__(
        self,
        game: str = "trajan",
        players: int = 2,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        flat: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = game_named(game)
        self.players = players
        self.options = options
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.flat = flat
        self._has_limit = max_cycles is not None or render_mode == "human"
        self.metadata = {
            "name": f"{game}_v0",
            "render_modes": render_modes(self.game, render_mode),
            "is_parallelizable": False,
        }
        if max_cycles is not None and max_cycles < 1:
            raise TrajanError(f"max_cycles must be at least 1, got {max_cycles!r}")
        self.game.rules.check(players, self.options)
        self.features = tuple(needed(self.game, HasFeatures).features(players))
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        highest = np.array([feature.highest for feature in self.features], np.uint8)
        self.state_space = _box(np.tile(highest, players))
        self.observation_spaces = {
            agent: self._observation_space(highest) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: Discrete(len(self.game.actions)) for agent in self.possible_agents
        }
        self.agents: list[str] = []
        self._has_ended = True
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._random: Any = None

    def _observation_space(self, highest: Features) -> Any:
        if self.flat:
            return _box(highest)
        mask = Box(0, 1, (len(self.game.actions),), np.int8)
        return Dict({"observation": _box(highest), "action_mask": mask})

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions: move numbers, which index ``game.actions``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game, or start from ``options["position"]``.

        `seed` determines this deal and all later ones. Raises TrajanError if there are other
        options, or if the position is of another game or number of players or its game is over.
        """
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        deal = derive_seed("pettingzoo", int(self._random.integers(1 << 32)))
        options = {} if options is None or options == IGNORED_OPTIONS else options
        check_options(options, "position")
        start: Any = options.get("position")
        if start is None:
            start = self.game.start(self.players, deal, **self.options)
        check_start("position", start, self.game, self.players)
        self.position = start
        self._first_turn = start.turn
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = agent = self.possible_agents[start.player]
        moves = start.legal_moves()
        self.infos[agent] = self._info(moves) if self.flat else {"legal_moves": moves}
        self._skip_agent_selection = None
        self._has_ended = False

    def _info(self, moves: list[int]) -> dict[str, Any]:
        """Return the info of the agent to move, including the mask."""
        mask = np.zeros(len(self.game.actions), np.int8)
        mask[moves] = 1
        return {"legal_moves": moves, "action_mask": mask}

    def observe(self, agent: str) -> Observation:
        """Return the features that an agent knows and, unless `flat` is true, its action mask."""
        try:
            features, mask = encode(self.position, self._seats[agent])
        except AttributeError:
            raise TrajanError(NO_GAME) from None
        if self.flat:
            return np.frombuffer(features, UINT8)
        return {
            "observation": np.frombuffer(features, UINT8),
            "action_mask": np.frombuffer(mask, INT8),
        }

    def state(self) -> Features:
        """Return the features of all agents, concatenated."""
        self._check_game()
        position = self.position
        parts = [position.features(seat) for seat in range(self.players)]
        return np.frombuffer(b"".join(parts), UINT8)

    def step(self, action: int | None) -> None:
        """Carry out the action of the agent to move, or None for an agent whose game has ended.

        Raises TrajanError if the action is not an integer or not legal.
        """
        if self._has_ended:
            self._check_game()
            if self.agents:
                self._was_dead_step(action)
                return
        try:
            move = action if type(action) is int else _check_integer(action)
            self.position, player, moves = advance(self.position, move)
        except (TypeError, OverflowError):
            raise TrajanError(
                f"{self.agent_selection} is to move: an action must be an integer from 0 to "
                f"{len(self.game.actions) - 1}, got {action!r:.60}"
            ) from None
        infos = self.infos
        if player is None:
            infos[self.agent_selection] = {}
            self._finish()
        else:
            agent = self.possible_agents[player]
            if agent is not self.agent_selection:
                infos[self.agent_selection] = {}
                self.agent_selection = agent
            infos[agent] = self._info(moves) if self.flat else {"legal_moves": moves}
        if self._has_limit:
            self._check_limit()

    def _check_limit(self) -> None:
        """Truncate the game if `max_cycles` is reached, and print the board in the mode
        "human"."""
        turns = self.position.turn - self._first_turn
        if self.max_cycles is not None and turns >= self.max_cycles and not self._has_ended:
            self.infos[self.agent_selection] = {}
            self.truncations = dict.fromkeys(self.agents, True)
            self._has_ended = True
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the observation, reward, termination, truncation and info of the agent to
        move."""
        if self._has_ended:
            self._check_game()
            result: tuple[Any, float, bool, bool, dict[str, Any]]
            result = super().last(observe)
            return result
        agent = self.agent_selection
        return self.observe(agent) if observe else None, 0.0, False, False, self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the agent to move until there is none; this is faster than PettingZoo's own
        method."""
        self._check_game()
        for _ in range(max_iter):
            if not self.agents:
                return
            yield self.agent_selection

    def _finish(self) -> None:
        """Give the rewards at the end of the game."""
        scores, ranks = self.position.scores, self.position.ranks
        assert ranks is not None
        self.rewards = dict(zip(self.agents, shares(self.position), strict=True))
        for agent, score, rank in zip(self.agents, scores, ranks, strict=True):
            self.infos[agent] = {"score": score, "rank": rank}
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._has_ended = True
        self.agent_selection = self.agents[0]

    def render(self) -> Any:
        """Show the board in the environment's render mode, with all cards shown."""
        self._check_game()
        return None if self.render_mode is None else RENDERERS[self.render_mode](self.position)

    def _check_game(self) -> None:
        """Raise TrajanError before the first `reset`."""
        if self._random is None:
            raise TrajanError(NO_GAME)

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""


def _box(highest: Features) -> Any:
    return Box(np.zeros_like(highest), highest, dtype=np.uint8)


def _check_integer(action: Any) -> int:
    """Return an action of an integer type as an int; raise TypeError if it has another type."""
    if isinstance(action, np.integer | np.ndarray):
        return action.__index__()
    raise TypeError


env = raw_env = AecEnv  # the names that PettingZoo uses


def parallel_env(game: str = "trajan", players: int = 2, **arguments: Any) -> ParallelEnv:
    """Return the game as a parallel environment; the arguments are those of `AecEnv`.

    Every agent passes an action in each step, and only the action of the agent to move counts. The
    info of every agent contains the name of the agent to move, ``active_agent``.
    """
    return turn_based_aec_to_parallel(AecEnv(game, players, **arguments))
