"""A batched environment for learning: thousands of games stepped at once in C, without the GIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trajan_ai.adapters import batch
from trajan_ai.adapters.batch import Batch
from trajan_ai.bots import Bot, Player, build, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Feature, HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

POOL = 256  # deals drawn in Python for a game that cannot deal in C
CHUNK = 64  # games that a thread takes at least, so that no two write to one cache line
MARGIN_SCALE = 20.0  # VP ahead at which the reward by margin is 0.71
REWARDS = {"win": batch.REWARD_WIN, "margin": batch.REWARD_MARGIN}
SAVED = ("rewards", "scores", "player", "seat", "done")  # arrays besides the games
IN_C = {"random": batch.OPPONENT_RANDOM, "policy": batch.OPPONENT_POLICY}


class VectorEnv:
    """`count` games played side by side; a game that ends is dealt anew at once.

    Parameters
    ----------
    game : str or Game
    players : int
    count : int
        Games at once.
    seed : int
        The same arguments and actions give the same games, whatever `threads` is.
    opponents : str, Bot or None
        None: the caller plays every seat. Else one seat of each game, which goes round from game
        to game, and the opponents the others: "random" and "policy" (the game's playout policy)
        in C, any other bot, by name, file or description, in Python.
    observations : "uint8", "float32" or None
        Features as they are, or each divided by its highest value; None leaves them out: then
        there are no columns.
    reward : "win" or "margin"
        What the end of a game pays: the share of the win, from -1 (none) to 1 (all of it), which
        sums to 0 over the players; or the VP ahead of the best other, m, as
        ``m / sqrt(m**2 + margin_scale**2)``.
    threads : int
        Threads that step games.
    pool : int
        For a game that cannot deal in C: how many deals are drawn in Python.
    options
        Of the rules.

    Attributes
    ----------
    observations : (count, features) array
        What the player to decide knows; ``features`` names the columns.
    mask : (count, actions) array of uint8
        1 where an action is legal; ``game.actions`` names the columns.
    player : (count,) array of int32
        The player to decide.
    rewards : (count, players) array of float32
        Of the game that ended in this step, else 0.
    done : (count,) array of uint8
        Whether a game ended in this step. Everything but `rewards` and `scores` is then that of
        the next game.
    scores : (count, players) array of int32
        Final VP of the last game that ended.
    seat : (count,) array of int32
        The caller's seat where opponents play the others.

    These arrays are the same memory all the time. Raises TrajanError on arguments that do not fit.
    """

    def __init__(
        self,
        game: str | Game,
        players: int,
        count: int,
        seed: int = 0,
        *,
        opponents: str | Bot | None = None,
        observations: Literal["uint8", "float32"] | None = "uint8",
        reward: Literal["win", "margin"] = "win",
        margin_scale: float = MARGIN_SCALE,
        threads: int = 1,
        pool: int = POOL,
        **options: Any,
    ) -> None:
        self.game = game_named(game) if isinstance(game, str) else game
        self._made = {
            "game": self.game,
            "players": players,
            "count": count,
            "seed": seed,
            "opponents": opponents,
            "observations": observations,
            "reward": reward,
            "margin_scale": margin_scale,
            "threads": threads,
            "pool": pool,
            **options,
        }
        self.players, self.count = players, count
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
        openings = self._openings(seed, pool, options)
        kind = np.dtype(observations or np.uint8)
        self.observations: NDArray[Any] = np.zeros((count, len(self.features)), kind)
        self.mask = np.zeros((count, len(self.game.actions)), np.uint8)
        self.rewards = np.zeros((count, players), np.float32)
        self.scores = np.zeros((count, players), np.int32)
        self.player = np.zeros(count, np.int32)
        self.seat = np.zeros(count, np.int32)
        self.done = np.zeros(count, np.uint8)
        in_c = self._opponents(opponents)
        self._batch = self._make_batch(openings, in_c, REWARDS[reward], margin_scale)
        self._seed = seed
        self._sampled = np.zeros(count, np.int32)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        size = max(CHUNK, -(-count // threads // CHUNK) * CHUNK)
        self._ranges = [(at, min(at + size, count)) for at in range(0, count, size)]
        self.reset()

    def _openings(self, seed: int, pool: int, options: dict[str, Any]) -> list[Position]:
        """Return one deal for a game that deals in C, else `pool` of them."""
        deals = 1 if self.game.deals_in_c else pool
        return [
            self.game.start(self.players, derive_seed("opening", seed, number), **options)
            for number in range(deals)
        ]

    def _opponents(self, opponents: str | Bot | None) -> int:
        """Build the opponents that play in Python; return which play in C."""
        self._others: list[list[Player]] = []
        self._seated = opponents is not None
        if opponents is None:
            return batch.OPPONENT_NONE
        if isinstance(opponents, str) and opponents in IN_C:
            if opponents == "policy" and "policy" not in self.game.has_knowledge:
                raise TrajanError(f"{self.game.name}: this game has no policy for opponents")
            return IN_C[opponents]
        bot = read_bot(opponents) if isinstance(opponents, str) else opponents
        self._others = [
            [build(bot, self.game) for _ in range(self.players)] for _ in range(self.count)
        ]
        return batch.OPPONENT_NONE

    def _make_batch(
        self, openings: list[Position], in_c: int, reward: int, margin_scale: float
    ) -> Batch:
        told = self.observations if self.features else None
        floats = self.observations.dtype == np.float32
        self._scales = 1 / np.array([feature.highest for feature in self.features], np.float32)
        return Batch(
            openings,
            self.count,
            self.players,
            bytes_=None if floats else told,
            floats=told if floats else None,
            scales=self._scales if floats else None,
            mask=self.mask,
            rewards=self.rewards,
            scores=self.scores,
            player=self.player,
            seat=self.seat,
            done=self.done,
            opponents=in_c,
            seated=self._seated,
            reward=reward,
            margin_scale=margin_scale,
        )

    # ---- Playing ------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, *, positions: Sequence[Position] | None = None
    ) -> None:
        """Deal every game anew, from the seed given last: the same games again.

        With `positions`, one or `count` of them, games go on from there; opponents in Python have
        not seen what led to them. Raises TrajanError on one that is over or of another game.
        """
        starts = () if positions is None else self._starts(positions)
        self._seed = self._seed if seed is None else seed
        for i in range(self.count):
            self._batch.seed(
                i, derive_seed("games", self._seed, i), derive_seed("samples", self._seed, i)
            )
        self._decisions = np.zeros(self.count, np.int64)
        self._run(self._batch.reset)
        for i, position in enumerate(starts):
            self._batch.put(i, position)
        if self._others:
            for i in range(self.count):
                self._start_others(i)
            self._let_others_play(np.zeros(self.count, bool))
        self.done[:] = 0
        self.rewards[:] = 0
        self.scores[:] = 0
        self._run(self._batch.show)

    def step(self, actions: ArrayLike) -> None:
        """Carry out one action, a move number, in every game.

        Raises TrajanError, and does nothing, if `actions` are not `count` integers or one of them
        is not legal.
        """
        moves = self._checked(actions)
        if not self._others:
            self._run(lambda first, last: self._batch.step(moves, first, last, True))
            return
        for i in range(self.count):
            self._tell(i, self._batch.position(i), int(moves[i]))
        self._run(lambda first, last: self._batch.step(moves, first, last, False))
        self._let_others_play(self.done.astype(bool))
        self._run(self._batch.show)

    def sample(self) -> NDArray[np.int32]:
        """Return a random legal action for every game, always in the same memory."""
        self._batch.sample(self._sampled)
        return self._sampled

    def position(self, index: int) -> Position:
        """Return a copy of the position of one game, the true one with all hidden cards."""
        self._check_index(index)
        return self._batch.position(index)

    def observed(self, position: Position, player: int) -> NDArray[Any]:
        """Return what `observations` would hold of what a player knows of a position."""
        seen = np.frombuffer(position.features(player), np.uint8)
        return seen if self.observations.dtype == np.uint8 else seen * self._scales

    def final(self, index: int) -> Position:
        """Return the end of the last game that ended at `index`; there must be one."""
        self._check_index(index)
        position = self._batch.final(index)
        if position.player is not None:
            raise TrajanError(f"no game has ended at index {index} yet")
        return position

    def save(self) -> dict[str, Any]:
        """Return where all games stand, to be given to `restore`; it can be pickled.

        Raises TrajanError where opponents play in Python: what they remember cannot be saved.
        """
        if self._others:
            raise TrajanError("opponents in Python cannot be saved, only None, 'random', 'policy'")
        arrays = {name: getattr(self, name).copy() for name in SAVED}
        return {"made": self._made, "seed": self._seed, "games": self._batch.save(), **arrays}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what `save` returned, perhaps of another object made by the same arguments.

        Raises TrajanError if the arguments were others; `threads` may differ.
        """
        differing = sorted(
            name
            for name in {*saved["made"], *self._made} - {"threads"}
            if saved["made"].get(name) != self._made.get(name)
        )
        if differing:
            raise TrajanError(f"these games were saved with another {', '.join(differing)}")
        self._seed = saved["seed"]
        self._batch.load(saved["games"])
        for name in SAVED:
            getattr(self, name)[...] = saved[name]
        self._run(self._batch.show)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.save(),)

    def _check_index(self, index: int) -> None:
        if not 0 <= index < self.count:
            raise TrajanError(f"index must be 0 to {self.count - 1}, got {index}")

    def _starts(self, positions: Sequence[Position]) -> list[Position]:
        if len(positions) not in (1, self.count):
            raise TrajanError(f"positions must be 1 or {self.count}, got {len(positions)}")
        for i, position in enumerate(positions):
            fits = position.game is self.game and position.players == self.players
            if not fits or position.player is None:
                raise TrajanError(
                    f"positions[{i}] must be of {self.game.name} with {self.players} players and "
                    f"not be over, got {position!r}"
                )
        return [positions[i % len(positions)] for i in range(self.count)]

    def _checked(self, actions: ArrayLike) -> NDArray[np.int32]:
        given = np.asarray(actions)
        if given.shape != (self.count,) or given.dtype.kind not in "iu":
            raise TrajanError(
                f"actions must be {self.count} integers, got an array of {given.dtype} "
                f"shaped {given.shape}"
            )
        moves = np.ascontiguousarray(given, np.int32)
        wrong = self._batch.wrong(moves)
        if given.dtype.itemsize > moves.dtype.itemsize and not np.array_equal(moves, given):
            wrong = int(np.flatnonzero(moves != given)[0])
        if wrong >= 0:
            legal = ", ".join(self._batch.position(wrong).legal())
            number = int(given[wrong])
            known = 0 <= number < len(self.game.actions)
            name = f"{self.game.actions[number]!r} ({number})" if known else str(number)
            raise TrajanError(f"actions[{wrong}]: {name} is not legal; legal: {legal}")
        return moves

    def _run(self, work: Callable[[int, int], None]) -> None:
        """Do something to all games, in threads if there are any."""
        if self._pool is None:
            work(0, self.count)
        else:
            for done in [self._pool.submit(work, *range_) for range_ in self._ranges]:
                done.result()

    # ---- Opponents in Python ------------------------------------------------------------------

    def _start_others(self, i: int) -> None:
        for seat, player in enumerate(self._others[i]):
            player.start(seat, self.players, derive_seed("bot", self._seed, i, seat))

    def _tell(self, i: int, position: Position, move: int) -> None:
        for seat, player in enumerate(self._others[i]):
            if seat != self.seat[i]:
                player.observe(position, move)

    def _let_others_play(self, ended: NDArray[np.bool_]) -> None:
        """Let opponents choose until the caller decides; `ended`: games dealt in this step."""
        for i in range(self.count):
            if ended[i]:
                self._start_others(i)
            while self.player[i] != self.seat[i]:
                self._other_plays(i)

    def _other_plays(self, i: int) -> None:
        position = self._batch.position(i)
        self._decisions[i] += 1
        seed = derive_seed("choice", self._seed, i, int(self._decisions[i]))
        move = int(self._others[i][int(self.player[i])].choose(position, seed))
        before = self.done[i]
        self.done[i] = 0
        self._tell(i, position, move)
        self._batch.play(i, move)
        if self.done[i]:
            self._start_others(i)
        self.done[i] |= before

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __repr__(self) -> str:
        return f"<{self.count} games of {self.game.name} with {self.players} players>"


def _restored(saved: dict[str, Any]) -> VectorEnv:
    env = VectorEnv(**saved["made"])
    env.restore(saved)
    return env


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise TrajanError(f"{name} must be an integer from 1, got {value!r}")


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        words = " or ".join(map(repr, allowed))
        raise TrajanError(f"{name} must be {words}, got {value!r}")
