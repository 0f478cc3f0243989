"""The games in Gymnasium: needs the extra ``trajan-ai[gymnasium]``.

To import this module registers every installed game for ``gymnasium.make`` and ``make_vec``, such
as ``trajan_ai/Trajan-v0``. The learner has one seat; bots play the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.adapters.rendering import RENDERERS, render_modes
from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        "trajan_ai.adapters.gymnasium needs Gymnasium: pip install 'trajan-ai[gymnasium]'"
    ) from error

Info = dict[str, Any]
LOST = -1.0  # the lowest reward


class _Seated:
    """What both environments share: games in which bots play all seats but the learner's."""

    metadata: Info = {  # noqa: RUF012 - as Gymnasium has it
        "render_modes": list(RENDERERS),
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    games: VectorEnv
    over = True  # of one game: whether it is to be dealt first

    def _sit(self, game: str, count: int, render_mode: str | None, given: Info) -> None:
        """Make the games and the spaces; Gymnasium wants numbers, and one reward per game."""
        arguments: Info = {"players": 2, "opponents": "random"} | given
        self.games = VectorEnv(game, count=count, **arguments)
        if arguments["opponents"] is None or not self.games.features:
            raise TrajanError("opponents and observations must not be None: see adapters.vector")
        kind = self.games.observations.dtype
        highest = np.array([feature.highest for feature in self.games.features], kind)
        if kind == np.float32:
            highest[:] = 1
        self.single_observation_space = Box(np.zeros_like(highest), highest, dtype=kind.type)
        self.single_action_space = Discrete(len(self.games.game.actions))
        modes = render_modes(self.games.game, render_mode)
        self.metadata, self.render_mode = {**self.metadata, "render_modes": modes}, render_mode

    def reset(
        self, *, seed: int | None = None, options: Info | None = None
    ) -> tuple[NDArray[Any], Info]:
        """Deal, or begin at ``options["positions"]``; `seed` seeds this and later deals."""
        super().reset(seed=seed)  # type: ignore[misc]
        deal = int(self.np_random.integers(1 << 32))  # type: ignore[attr-defined]
        self.games.reset(deal, positions=(options or {}).get("positions"))
        self.over = False
        return self._now()

    def _now(self) -> tuple[NDArray[Any], Info]:
        raise NotImplementedError

    def _ended(self, index: int, seat: int) -> tuple[NDArray[Any], Info]:
        """Return what the learner at `seat` saw at the end of a game, and what came of it."""
        final = self.games.final(index)
        observation = self.games.observed(final, seat)
        assert final.ranks is not None
        return observation, {"score": final.scores[seat], "rank": final.ranks[seat]}


class TrajanEnv(_Seated, gymnasium.Env):  # type: ignore[misc]
    """One game; `step` carries out the learner's action and what the others do after it.

    Takes the name of a game, `render_mode` ("human", "ansi", "rgb_array": the table open for all
    to see) and the arguments of `VectorEnv` but `count`, options of the rules among them; by
    default one opponent plays at random.

    Observations are features of what the learner knows. `action_masks()`, as sb3-contrib asks for
    it, and ``info["action_mask"]`` say what is legal; any other action loses at once: reward -1,
    and ``info["illegal"]`` names it. The info of a game that ended has ``score`` and ``rank``.
    ``reset(options={"positions": [position]})`` begins at a position. Pickling keeps the game.
    """

    def __init__(self, game: str, *, render_mode: str | None = None, **given: Any) -> None:
        self._sit(game, 1, render_mode, given)
        self.observation_space = self.single_observation_space
        self.action_space = self.single_action_space

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, Info]:
        """Return observation, reward, whether the game is over, False, and info."""
        games = self.games
        if self.over:
            raise TrajanError("the game is over: call reset")
        if not (self.action_space.contains(action) and games.mask[0, action]):
            seen, info = self._now()
            self.over = True
            return seen, LOST, True, False, info | {"illegal": action, **self._masked()}
        seat = int(games.seat[0])
        games.step(np.array([action]))
        self.over = bool(games.done[0])
        seen, info = self._now()
        if self.over:
            seen, result = self._ended(0, seat)
            info |= result
        return seen, float(games.rewards[0, seat]), self.over, False, info

    def _now(self) -> tuple[NDArray[Any], Info]:
        if self.render_mode == "human":
            self.render()
        return self.games.observations[0].copy(), self._masked()

    def _masked(self) -> Info:
        return {"action_mask": self.action_masks()}

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for every legal action and 0 for the others; after the end all are 0."""
        mask: NDArray[np.int8] = self.games.mask[0].view(np.int8) * np.int8(not self.over)
        return mask

    def render(self) -> Any:
        """Show the table as `render_mode` says, all hands and stacks open."""
        if self.render_mode is None:
            return None
        ended = self.over and self.games.done[0]
        return RENDERERS[self.render_mode]((self.games.final if ended else self.games.position)(0))

    def close(self) -> None:
        """End the threads."""
        self.games.close()


class TrajanVectorEnv(_Seated, gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """`num_envs` games side by side, by the arrays of `VectorEnv`, which is ``games``.

    A game that ends is dealt anew in the same step (``AutoresetMode.SAME_STEP``): info then has
    ``final_obs`` and, in ``final_info``, ``score`` and ``rank``; always it has ``action_mask``.
    An action that is not legal raises TrajanError, and nothing is played. With ``copy=False``
    observations and masks are the arrays of ``games``, which the next step overwrites.
    ``reset(options={"positions": positions})`` begins at one position or at one for each game.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        copy: bool = True,
        **given: Any,
    ) -> None:
        self._sit(game, num_envs, render_mode, given)
        self.num_envs, self.copy = num_envs, copy
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._places, self._all = np.arange(num_envs), np.ones(num_envs, bool)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Carry out an action in every game, and what the others do after it."""
        games, seat = self.games, self.games.seat.copy()
        games.step(actions)
        rewards = games.rewards[self._places, seat].astype(np.float64)
        ended = games.done.astype(bool)
        seen, info = self._now()
        if ended.any():
            observations = np.full(self.num_envs, None, object)
            results = {name: np.zeros(self.num_envs, np.int64) for name in ("score", "rank")}
            for i in np.flatnonzero(ended).tolist():
                observations[i], result = self._ended(i, int(seat[i]))
                for name, value in result.items():
                    results[name][i] = value
            final = results | {f"_{name}": ended for name in results}
            info |= {"final_obs": observations, "final_info": final}
            info |= {"_final_obs": ended, "_final_info": ended}
        return seen, rewards, ended, np.zeros(self.num_envs, bool), info

    def _now(self) -> tuple[NDArray[Any], Info]:
        seen, mask = self.games.observations, self.games.mask.view(np.int8)
        if self.copy:
            seen, mask = seen.copy(), mask.copy()
        return seen, {"action_mask": mask, "_action_mask": self._all}

    def render(self) -> tuple[Any, ...] | None:
        """Show every table as `render_mode` says, all hands and stacks open."""
        if self.render_mode is None:
            return None
        render = RENDERERS[self.render_mode]
        return tuple(render(self.games.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.games.close()


def register(game: str) -> None:
    """Let Gymnasium make a game: the id has its name without underscores."""
    gymnasium.register(
        f"trajan_ai/{game.title().replace('_', '')}-v0",
        f"{__name__}:TrajanEnv",
        vector_entry_point=f"{__name__}:TrajanVectorEnv",
        kwargs={"game": game},
    )


for _name in GAMES:
    register(_name)
