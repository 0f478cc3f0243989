"""An array of games for learning, which advances thousands of games in C, without the GIL."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trajan_ai.adapters import batch
from trajan_ai.adapters.batch import Batch
from trajan_ai.adapters.python_opponents import Chooser, Opponent, Opponents, read_opponent
from trajan_ai.adapters.resets import check_start
from trajan_ai.bots import Bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Feature, HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

POOL = 256  # deals drawn in Python for a game that cannot deal in C
MIN_CHUNK = 64  # lowest number of games per thread; two threads then never share a cache line
MARGIN_SCALE = 20.0  # lead in VP at which the reward "margin" is 0.71
REWARDS = {"win": batch.REWARD_WIN, "margin": batch.REWARD_MARGIN}
SAVED_ARRAYS = ("rewards", "scores", "player", "seat", "done")
Observations: TypeAlias = NDArray[np.uint8] | NDArray[np.float32]
IN_C = {"random": batch.OPPONENT_RANDOM, "policy": batch.OPPONENT_POLICY}


class VectorEnv:
    """`count` games at once. A game that ends is dealt again in the same step.

    Parameters
    ----------
    game : str or Game
    players : int
    count : int
        Number of games.
    seed : int
        Seed of the deals, of the opponents and of `sample`. The same arguments and actions give
        the same games, regardless of `threads`.
    opponents : str, Bot, object with ``choose``, a list of these, or None
        If None, the caller plays at every seat. Otherwise the caller has one seat in each game,
        which rotates from game to game, and the opponents have the other seats. "random" and
        "policy" (the game's playout policy) play in C. All other bots, whether given by name, by
        file or as an object, play in Python, and so does a `Chooser`. A list contains one bot for
        each seat; the bot at the caller's seat does not play.
    observations : "uint8", "float32" or None
        "uint8": the features themselves. "float32": each feature divided by its highest value.
        None: no features, so that `observations` has no columns.
    reward : "win" or "margin"
        Reward at the end of a game. "win": a player's share of the win, scaled so that a sole
        winner gets 1 and the rewards of all players sum to 0. "margin":
        ``m / sqrt(m**2 + margin_scale**2)`` for a lead of m VP over the best other player.
    margin_scale : float
        Lead in VP at which the reward "margin" is 0.71.
    threads : int
        Number of threads that advance the games.
    pool : int
        Number of deals drawn in Python, for a game that cannot deal in C.
    options
        Options of the rules.

    Attributes
    ----------
    observations : array of uint8 or float32
        One row per game: the features that the player to move knows. ``features`` describes the
        columns.
    mask : array of uint8
        One row per game: 1 for each legal action, else 0. ``game.actions`` contains the action of
        each column.
    player : array of int32
        The player to move in each game.
    rewards : array of float32
        One row per game, one column per player: the rewards if the game ended in this step, else
        0.
    done : array of uint8
        1 if the game ended in this step, else 0. After the end of a game, all arrays except
        `rewards` and `scores` describe the next game.
    scores : array of int32
        One row per game, one column per player: the final VP of the last game that ended.
    seat : array of int32
        The caller's seat in each game, if there are `opponents`.

    Every step overwrites these arrays in place.

    Raises
    ------
    TrajanError
        If an argument or option is wrong, or if the game has no features.
    """

    def __init__(
        self,
        game: str | Game,
        players: int,
        count: int,
        seed: int = 0,
        *,
        opponents: Opponent | Sequence[Opponent] | None = None,
        observations: Literal["uint8", "float32"] | None = "uint8",
        reward: Literal["win", "margin"] = "win",
        margin_scale: float = MARGIN_SCALE,
        threads: int = 1,
        pool: int = POOL,
        **options: Any,
    ) -> None:
        self._arguments: dict[str, Any] = {
            "game": game_named(game) if isinstance(game, str) else game,
            "players": players,
            "count": count,
            "seed": seed,
            "opponents": _read_opponents(opponents, players),
            "observations": observations,
            "reward": reward,
            "margin_scale": margin_scale,
            "threads": threads,
            "pool": pool,
            **options,
        }
        self._set_up(**self._arguments)
        self.reset()

    def _set_up(
        self,
        *,
        game: Game,
        players: int,
        count: int,
        seed: int,
        opponents: str | list[Bot | Chooser] | None,
        observations: str | None,
        reward: str,
        margin_scale: float,
        threads: int,
        pool: int,
        **options: Any,
    ) -> None:
        """Check the arguments, and create everything except the first deals."""
        self.game, self.players, self.count = game, players, count
        _check_number("count", count)
        _check_number("threads", threads)
        _check_number("pool", pool)
        _check_choice("observations", observations, (None, "uint8", "float32"))
        _check_choice("reward", reward, tuple(REWARDS))
        if not margin_scale > 0:
            raise TrajanError(f"margin_scale must be above 0, got {margin_scale!r}")
        self.features: tuple[Feature, ...] = ()
        if observations is not None:
            self.features = tuple(needed(self.game, HasFeatures).features(players))
        openings = self._draw_openings(seed, pool, options)
        kind = np.dtype(observations or np.uint8)
        self.observations: Observations = np.zeros((count, len(self.features)), kind)
        self.mask: NDArray[np.uint8] = np.zeros((count, len(self.game.actions)), np.uint8)
        self.rewards: NDArray[np.float32] = np.zeros((count, players), np.float32)
        self.scores: NDArray[np.int32] = np.zeros((count, players), np.int32)
        self.player: NDArray[np.int32] = np.zeros(count, np.int32)
        self.seat: NDArray[np.int32] = np.zeros(count, np.int32)
        self.done: NDArray[np.uint8] = np.zeros(count, np.uint8)
        in_c = batch.OPPONENT_NONE
        self._opponents: Opponents | None = None
        if isinstance(opponents, str):
            in_c = self._find_opponent_in_c(opponents)
        elif opponents is not None:
            self._opponents = Opponents(opponents, game, self.seat)
        highest = np.array([feature.highest for feature in self.features], np.float32)
        self._scales = 1 / highest
        is_float = kind == np.float32
        columns = self.observations if self.features else None
        self._batch = Batch(
            openings,
            count,
            players,
            bytes_=None if is_float else columns,
            floats=columns if is_float else None,
            scales=self._scales if is_float and self.features else None,
            mask=self.mask,
            rewards=self.rewards,
            scores=self.scores,
            player=self.player,
            seat=self.seat,
            done=self.done,
            opponents=in_c,
            seated=opponents is not None,
            reward=REWARDS[reward],
            margin_scale=margin_scale,
        )
        self._seed = seed
        self._sample = np.zeros(count, np.int32)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        size = max(MIN_CHUNK, -(-count // threads // MIN_CHUNK) * MIN_CHUNK)
        self._ranges = [(at, min(at + size, count)) for at in range(0, count, size)]

    def _draw_openings(self, seed: int, pool: int, options: dict[str, Any]) -> list[Position]:
        """Return one deal if the game deals in C, otherwise `pool` deals."""
        deals = 1 if self.game.deals_in_c else pool
        return [
            self.game.start(self.players, derive_seed("opening", seed, number), **options)
            for number in range(deals)
        ]

    def _find_opponent_in_c(self, name: str) -> int:
        if name == "policy" and "policy" not in self.game.has_knowledge:
            raise TrajanError(f"{self.game.name}: this game has no policy for opponents")
        return IN_C[name]

    # ---- Playing ------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, *, positions: Sequence[Position] | None = None
    ) -> None:
        """Deal every game. Without `seed`, the last seed is used, which deals the same games
        again.

        If `positions` are given, either one or `count`, the games start from them. Bots in Python
        have not seen the moves that led to these positions. Raises TrajanError if the game is over
        in a position, or if a position is of another game or number of players.
        """
        starts = () if positions is None else self._check_positions(positions)
        self._seed = self._seed if seed is None else seed
        for i in range(self.count):
            self._batch.seed(
                i, derive_seed("games", self._seed, i), derive_seed("samples", self._seed, i)
            )
        self._run(self._batch.reset)
        for i, position in enumerate(starts):
            self._batch.put(i, position)
        if self._opponents is not None:
            openings = [self._batch.position(i) for i in range(self.count)]
            self._opponents.reset(self._seed, openings)
            for i in range(self.count):
                self._play_opponents(i)
        self.done[:] = 0
        self.rewards[:] = 0
        self.scores[:] = 0
        self._run(self._batch.show)

    def step(self, actions: ArrayLike) -> None:
        """Carry out one action in every game.

        `actions` must contain `count` integers, the move numbers. Otherwise, or if an action is
        not legal, TrajanError is raised before any game is changed.
        """
        moves = self._check_actions(actions)
        if self._opponents is None:
            self._run(lambda first, last: self._batch.step(first, last, True))
            return
        for i in range(self.count):
            self._opponents.observe(i, self._batch.position(i), int(moves[i]))
        self._run(lambda first, last: self._batch.step(first, last, False))
        for i in range(self.count):
            if self.done[i]:
                self._opponents.start(i, self._batch.position(i))
            self._play_opponents(i)
        self._run(self._batch.show)

    def _play_opponents(self, i: int) -> None:
        """Let the opponents of a game move until the caller is to move."""
        assert self._opponents is not None
        ended = int(self.done[i])
        while self.player[i] != self.seat[i]:
            position = self._batch.position(i)
            move = self._opponents.choose(i, position)
            self._opponents.observe(i, position, move, chosen=True)
            self.done[i] = 0
            self._batch.play(i, move)
            if self.done[i]:
                ended = 1
                self._opponents.start(i, self._batch.position(i))
        self.done[i] = ended

    def sample(self) -> NDArray[np.int32]:
        """Return an array of random legal actions, one for every game. The next call overwrites
        it."""
        self._batch.sample(self._sample)
        return self._sample

    def position(self, index: int) -> Position:
        """Return a copy of the position of one game, including hidden cards."""
        self._check_index(index)
        return self._batch.position(index)

    def observe(self, position: Position, player: int) -> Observations:
        """Return what `player` knows of a position as features, in the form of a row of
        `observations`."""
        row = np.frombuffer(position.features(player), np.uint8)
        if self.observations.dtype == np.uint8:
            return row
        return np.multiply(row, self._scales, dtype=np.float32)

    def final(self, index: int) -> Position:
        """Return the final position of the last game that ended at `index`.

        Raises TrajanError if no game has ended at this index.
        """
        self._check_index(index)
        position = self._batch.final(index)
        if position.player is not None:
            raise TrajanError(f"no game has ended at index {index} yet")
        return position

    def save(self) -> dict[str, Any]:
        """Return the state of all games for `restore`; it can be pickled."""
        opponents = None if self._opponents is None else self._opponents.save()
        return {
            "made": self._arguments,
            "seed": self._seed,
            "games": self._batch.save(),
            "opponents": opponents,
            **{name: getattr(self, name).copy() for name in SAVED_ARRAYS},
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from a state that `save` of this or another object returned.

        Bots in Python first repeat their choices in the running games, which takes as long as they
        took the first time. Raises TrajanError if any argument except `threads` differs from those
        of the saved games.
        """
        differing = sorted(
            name
            for name in {*saved["made"], *self._arguments} - {"threads"}
            if not _agree(name, saved["made"].get(name), self._arguments.get(name))
        )
        if differing:
            raise TrajanError(f"the games were saved with other values of {', '.join(differing)}")
        self._seed = saved["seed"]
        self._batch.load(saved["games"])
        for name in SAVED_ARRAYS:
            getattr(self, name)[...] = saved[name]
        if self._opponents is not None:
            self._opponents.restore(saved["opponents"])
        self._run(self._batch.show)

    def __reduce__(self) -> tuple[Any, ...]:
        return _copy, (self.save(),)

    def _check_index(self, index: int) -> None:
        if not 0 <= index < self.count:
            raise TrajanError(f"index must be 0 to {self.count - 1}, got {index}")

    def _check_positions(self, positions: Sequence[Position]) -> list[Position]:
        if len(positions) not in (1, self.count):
            raise TrajanError(f"there must be 1 or {self.count} positions, got {len(positions)}")
        for i, position in enumerate(positions):
            check_start(f"positions[{i}]", position, self.game, self.players)
        return [positions[i % len(positions)] for i in range(self.count)]

    def _check_actions(self, actions: ArrayLike) -> NDArray[np.int32]:
        numbers = np.asarray(actions)
        if numbers.shape != (self.count,) or numbers.dtype.kind not in "iu":
            raise TrajanError(
                f"actions must be {self.count} integers, got an array of {numbers.dtype} "
                f"shaped {numbers.shape}"
            )
        moves = np.ascontiguousarray(numbers, np.int32)
        wrong = self._batch.choose(moves)
        # The conversion to 32 bits turns a number that does not fit into another move.
        if moves is not numbers and not np.array_equal(moves, numbers):
            wrong = int(np.flatnonzero(moves != numbers)[0])
        if wrong >= 0:
            legal = ", ".join(self._batch.position(wrong).legal())
            number = int(numbers[wrong])
            exists = 0 <= number < len(self.game.actions)
            name = f"{self.game.actions[number]!r} ({number})" if exists else str(number)
            raise TrajanError(f"actions[{wrong}]: {name} is not legal; legal: {legal}")
        return moves

    def _run(self, work: Callable[[int, int], None]) -> None:
        """Call `work` for all games, in the threads of the pool if there is one."""
        if self._pool is None:
            work(0, self.count)
        else:
            for job in [self._pool.submit(work, *range_) for range_ in self._ranges]:
                job.result()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __repr__(self) -> str:
        return f"<{self.count} games of {self.game.name} with {self.players} players>"


def _copy(saved: dict[str, Any]) -> VectorEnv:
    env = VectorEnv.__new__(VectorEnv)
    env._arguments = saved["made"]
    env._set_up(**saved["made"])
    env.restore(saved)
    return env


def _read_opponents(
    opponents: Opponent | Sequence[Opponent] | None, players: int
) -> str | list[Bot | Chooser] | None:
    """Return one bot for every seat, or `opponents` unchanged if it is None or plays in C."""
    if opponents is None or (isinstance(opponents, str) and opponents in IN_C):
        return opponents
    if not isinstance(opponents, list | tuple):
        return [read_opponent(cast(Opponent, opponents))] * players
    if len(opponents) != players:
        raise TrajanError(
            f"opponents must be one bot or a list of {players} bots, got {len(opponents)}"
        )
    if "policy" in opponents:
        raise TrajanError(
            "the opponent 'policy' must play at all other seats; pass 'policy' instead of a list"
        )
    return [read_opponent(one) for one in opponents]


def _agree(name: str, one: Any, other: Any) -> bool:
    """Return whether two values of the argument `name` agree, so that saved games can be restored.

    An opponent whose class defines no equality agrees with every opponent of the same class.
    """
    if name == "opponents" and isinstance(one, list) and isinstance(other, list):
        return [_key_of(bot) for bot in one] == [_key_of(bot) for bot in other]
    return bool(one == other)


def _key_of(bot: Bot | Chooser) -> Any:
    return bot if isinstance(bot, Bot) or "__eq__" in vars(type(bot)) else type(bot)


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise TrajanError(f"{name} must be an integer from 1, got {value!r}")


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        words = " or ".join(map(repr, allowed))
        raise TrajanError(f"{name} must be {words}, got {value!r}")
