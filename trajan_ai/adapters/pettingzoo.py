"""The games as PettingZoo environments (AEC): needs the extra ``trajan-ai[pettingzoo]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.adapters.batch import advance, shares, told
from trajan_ai.adapters.rendering import RENDERERS, render_modes
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError(
        "trajan_ai.adapters.pettingzoo needs PettingZoo: pip install 'trajan-ai[pettingzoo]'"
    ) from error

Observation = dict[str, NDArray[Any]]

UINT8, INT8 = np.dtype(np.uint8), np.dtype(np.int8)


class TrajanEnv(AECEnv):  # type: ignore[misc]
    """One game, agents ``player_0``, ``player_1`` .. deciding one after another.

    Parameters
    ----------
    game : str
    players : int
    render_mode : "human", "ansi", "rgb_array" or None
        The table open for all to see: as text on the terminal, as text, or as a picture (which
        needs the extra ``pictures``).
    max_cycles : int or None
        Decisions, over all players, after which a game is truncated.
    options
        Of the rules. Raises TrajanError on one that the game does not have.

    An observation is a dictionary: ``observation``, what the agent may know (uint8, see
    `features`), and ``action_mask`` (int8), which is all 0 where another agent decides. The info
    of the agent to decide has ``legal_moves``, a list of its actions: with ``last(observe=False)``
    nothing else is made. The reward comes at the end: the share of the win, from -1 to 1, which
    sums to 0 over the agents. An action that is not legal raises TrajanError.
    """

    def __init__(
        self,
        game: str = "trajan",
        players: int = 2,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = game_named(game)
        self.players = players
        self.options = options
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self._watched = max_cycles is not None or render_mode == "human"
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
        self.observation_spaces = {agent: self._space() for agent in self.possible_agents}
        self.action_spaces = {
            agent: Discrete(len(self.game.actions)) for agent in self.possible_agents
        }
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self._random: Any = None

    def _space(self) -> Any:
        highest = np.array([feature.highest for feature in self.features], np.uint8)
        return Dict(
            {
                "observation": Box(np.zeros_like(highest), highest, dtype=np.uint8),
                "action_mask": Box(0, 1, (len(self.game.actions),), np.int8),
            }
        )

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions: move numbers, ``game.actions`` names them."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; `seed` seeds this and the following deals."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        deal = derive_seed("pettingzoo", int(self._random.integers(1 << 32)))
        self.position: Position = self.game.start(self.players, deal, **self.options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = agent = self.possible_agents[self.position.player or 0]
        self.infos[agent] = {"legal_moves": self.position.legal_moves()}
        self._skip_agent_selection = None
        self._ended = False

    def observe(self, agent: str) -> Observation:
        """Return what an agent may know, and which actions it may take now."""
        features, mask = told(self.position, self._seats[agent])
        return {
            "observation": np.frombuffer(features, UINT8),
            "action_mask": np.frombuffer(mask, INT8),
        }

    def step(self, action: int | None) -> None:
        """Carry out the action of the agent that is to decide; None for one that is done."""
        if self._ended:
            self._was_dead_step(action)
            return
        try:
            self.position, player, moves = advance(self.position, action)
        except TypeError:
            raise TrajanError(
                f"{self.agent_selection} is to decide: an action must be a move number, "
                f"got {action!r:.60}"
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
            infos[agent] = {"legal_moves": moves}
        if self._watched:
            self._look()

    def _look(self) -> None:
        """Truncate the game where its cycles are over, and show it where it is looked at."""
        if self.position.ply == self.max_cycles and not self._ended:
            self.infos[self.agent_selection] = {}
            self.truncations = dict.fromkeys(self.agents, True)
            self._ended = True
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what PettingZoo's does; while nobody is paid, without looking it up."""
        if self._ended:
            result: tuple[Any, float, bool, bool, dict[str, Any]]
            result = super().last(observe)
            return result
        agent = self.agent_selection
        return self.observe(agent) if observe else None, 0.0, False, False, self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the agent to step until there is none, as PettingZoo's does, in less time."""
        for _ in range(max_iter):
            if not self.agents:
                return
            yield self.agent_selection

    def _finish(self) -> None:
        """Pay the shares of the win."""
        scores, ranks = self.position.scores, self.position.ranks
        assert ranks is not None
        self.rewards = dict(zip(self.agents, shares(self.position), strict=True))
        for agent, score, rank in zip(self.agents, scores, ranks, strict=True):
            self.infos[agent] = {"score": score, "rank": rank}
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._ended = True
        self.agent_selection = self.agents[0]

    def render(self) -> Any:
        """Show the table as `render_mode` says, all hands and stacks open."""
        return None if self.render_mode is None else RENDERERS[self.render_mode](self.position)

    def close(self) -> None:
        """Nothing is open."""


env = TrajanEnv  # as PettingZoo calls it
