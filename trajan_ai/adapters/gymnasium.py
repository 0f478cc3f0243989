"""Environments for Gymnasium. Requires the extra ``trajan-ai[gymnasium]``.

Importing this module registers every installed game, such as ``trajan_ai/Trajan-v0``, for
``gymnasium.make`` and ``make_vec``. The learner has one seat, and bots play in the other seats.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.adapters.rendering import RENDERERS, render_modes
from trajan_ai.adapters.resets import check_options
from trajan_ai.adapters.vector import Observations, VectorEnv
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
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
LOSS = -1.0  # the lowest reward


class _SeatEnvs:
    """The part that both environments share: the spaces, and games with bots in the other
    seats."""

    metadata: Info = {  # noqa: RUF012 - Gymnasium defines it in the same way
        "render_modes": list(RENDERERS),
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    games: VectorEnv
    is_over = True  # the environment needs a reset first

    def _set_up(self, game: str, count: int, render_mode: str | None, arguments: Info) -> None:
        """Create the games and the spaces."""
        defaults: Info = {"players": 2, "opponents": "random", "observations": "uint8"}
        arguments = defaults | arguments
        if arguments["opponents"] is None:
            raise TrajanError("opponents must be 'random', 'policy', or bots, got None")
        if arguments["observations"] is None:
            raise TrajanError("observations must be 'uint8' or 'float32', got None")
        self.games = VectorEnv(game, count=count, **arguments)
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
    ) -> tuple[Observations, Info]:
        """Deal, or start from ``options["positions"]``; return observations and info.

        `seed`, a single integer, determines this deal and all later ones. Raises TrajanError if
        there are other options or if `seed` is a list.
        """
        if seed is not None and not isinstance(seed, int | np.integer):
            raise TrajanError(f"seed must be a single integer for all games, got {seed!r:.60}")
        options = options or {}
        check_options(options, "positions")
        super().reset(seed=seed)  # type: ignore[misc]
        deal = int(self.np_random.integers(1 << 32))  # type: ignore[attr-defined]
        self.games.reset(deal, positions=options.get("positions"))
        self.is_over = False
        return self._observe()

    def _observe(self) -> tuple[Observations, Info]:
        raise NotImplementedError

    def _observe_end(self, index: int, seat: int) -> tuple[Observations, Info]:
        """Return the learner's last observation and result at the end of a game."""
        final = self.games.final(index)
        assert final.ranks is not None
        result = {"seat": seat, "score": final.scores[seat], "rank": final.ranks[seat]}
        return self.games.observe(final, seat), result


class SeatEnv(_SeatEnvs, gymnasium.Env):  # type: ignore[misc]
    """One game. `step` carries out the learner's action and the opponents' replies.

    Parameters
    ----------
    game : str
    render_mode : "human", "ansi", "rgb_array" or None
        How to show the board with all cards: printed, as text, or as an array of pixels.
    arguments
        The arguments of `VectorEnv` except `count`, and options of the rules. By default one
        opponent plays at random.

    Observations are the features that the learner knows. ``info["action_mask"]`` and
    `action_masks()`, which sb3-contrib calls, contain the legal actions. An illegal action loses
    the game at once, with the reward -1 and the action in ``info["illegal"]``. ``info["seat"]`` is
    the learner's seat, and at the end of every game ``info`` also contains ``score`` and ``rank``.
    A pickled or copied environment keeps its game.
    """

    def __init__(self, game: str, *, render_mode: str | None = None, **arguments: Any) -> None:
        self._set_up(game, 1, render_mode, arguments)
        self.observation_space = self.single_observation_space
        self.action_space = self.single_action_space

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, Info]:
        """Carry out an action; return the observation, the reward, whether the game is over,
        False, and info.

        Raises TrajanError if `action` is not an integer, or after the end of the game.
        """
        games = self.games
        if self.is_over:
            raise TrajanError("the game is over: call reset")
        number, seat = _check_integer(action), int(games.seat[0])
        if not (self.action_space.contains(number) and games.mask[0, number]):
            self.is_over = True
            observation, info = self._observe()
            result = {"score": games.position(0).scores[seat], "rank": games.players}
            return observation, LOSS, True, False, info | result | {"illegal": number}
        games.step(np.array([number]))
        self.is_over = bool(games.done[0])
        observation, info = self._observe()
        if self.is_over:
            observation, result = self._observe_end(0, seat)
            info |= result
        return observation, float(games.rewards[0, seat]), self.is_over, False, info

    def _observe(self) -> tuple[Observations, Info]:
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": self.action_masks(), "seat": int(self.games.seat[0])}
        return self.games.observations[0].copy(), info

    def action_masks(self) -> NDArray[np.int8]:
        """Return an array with 1 for every legal action and 0 for all others, or only 0 after the
        end."""
        mask: NDArray[np.int8] = self.games.mask[0].view(np.int8) * np.int8(not self.is_over)
        return mask

    def render(self) -> Any:
        """Show the board in the environment's render mode, with all cards shown."""
        if self.render_mode is None:
            return None
        return RENDERERS[self.render_mode](self._visible_position())

    def _visible_position(self) -> Position:
        has_ended = self.is_over and self.games.done[0]
        return self.games.final(0) if has_ended else self.games.position(0)

    def close(self) -> None:
        """End the threads."""
        self.games.close()


class SeatVectorEnv(_SeatEnvs, gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """`num_envs` games at once: Gymnasium's vector interface for the `VectorEnv` in ``games``.

    Parameters
    ----------
    game : str
    num_envs : int
    render_mode : "human", "ansi", "rgb_array" or None
        As for `SeatEnv`.
    copy : bool
        If False, observations and masks are the arrays of ``games`` themselves, which the next
        step overwrites.
    arguments
        The arguments of `VectorEnv` except `count`, and options of the rules.

    ``info`` always contains ``action_mask`` and ``seat``. A game that ends is dealt again in the
    same step (``AutoresetMode.SAME_STEP``). After such a step, ``info`` also contains
    ``final_obs`` and ``final_info`` with ``score``, ``rank`` and ``seat``. An illegal action
    raises TrajanError before any game is changed.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        copy: bool = True,
        **arguments: Any,
    ) -> None:
        self._set_up(game, num_envs, render_mode, arguments)
        self.num_envs, self.copy = num_envs, copy
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._indices, self._all = np.arange(num_envs), np.ones(num_envs, bool)

    def step(
        self, actions: Any
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Carry out one action in every game, followed by the opponents' replies.

        Returns the observations, the rewards, whether each game ended, False for each game, and
        info.
        """
        games, seat = self.games, self.games.seat.copy()
        games.step(actions)
        rewards = games.rewards[self._indices, seat].astype(np.float64)
        ended = games.done.astype(bool)
        observations, info = self._observe()
        if ended.any():
            info |= self._list_ends(ended, seat)
        return observations, rewards, ended, np.zeros(self.num_envs, bool), info

    def _list_ends(self, ended: NDArray[np.bool_], seat: NDArray[np.int32]) -> Info:
        """Return the last observations and the results of the games that ended."""
        observations = np.full(self.num_envs, None, object)
        results: Info = {
            name: np.zeros(self.num_envs, np.int64) for name in ("seat", "score", "rank")
        }
        for i in np.flatnonzero(ended).tolist():
            observations[i], result = self._observe_end(i, int(seat[i]))
            for name, value in result.items():
                results[name][i] = value
        final = results | {f"_{name}": ended for name in results}
        ends = {"final_obs": observations, "final_info": final}
        return ends | {f"_{name}": ended for name in ends}

    def _observe(self) -> tuple[Observations, Info]:
        observations, mask = self.games.observations, self.games.mask.view(np.int8)
        if self.copy:
            observations, mask = observations.copy(), mask.copy()
        info = {"action_mask": mask, "seat": self.games.seat.copy()}
        return observations, info | {f"_{name}": self._all for name in info}

    def render(self) -> tuple[Any, ...] | None:
        """Show every board in the environment's render mode, with all cards shown."""
        if self.render_mode is None:
            return None
        render = RENDERERS[self.render_mode]
        return tuple(render(self.games.position(i)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.games.close()


def _check_integer(action: Any) -> int:
    """Return an action as an int; raise TrajanError if it is not an integer."""
    is_scalar = isinstance(action, int | np.integer) or np.shape(action) == ()
    if not is_scalar or isinstance(action, bool) or np.asarray(action).dtype.kind not in "iu":
        raise TrajanError(f"an action must be an integer, got {action!r:.60}")
    return int(action)


def register(game: str) -> None:
    """Register a game with Gymnasium; its id contains the game's name without underscores."""
    gymnasium.register(
        f"trajan_ai/{game.title().replace('_', '')}-v0",
        f"{__name__}:SeatEnv",
        vector_entry_point=f"{__name__}:SeatVectorEnv",
        kwargs={"game": game},
    )


for _name in GAMES:
    register(_name)
