"""Roll out moves: after each of them, a bot plays to the end of the game, on the same redeals.

In a redeal, everything that the player to decide does not know is dealt again. All moves are
played on the same redeals, although little of the luck cancels out in the differences between the
moves (docs/lab/truth.md). The bot plays for all sides.

A game depends only on the position, the move, the bot and the seed of its redeal. Results are
therefore equal for any number of threads, and more redeals continue the same sequence.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, variance
from typing import Literal, NamedTuple

from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.analysis.outcomes import margin_of, share_of_win
from trajan_ai.bots.players import SearchPlayer
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts import Settings

Figure = Literal["win", "margin"] | int  # "win" or "margin"; a number means the VP of that player

MIN_REDEALS = 2  # with fewer redeals there is no standard error
MIN_CERTAIN = 16  # redeals before the best move can be certain
CERTAIN = 3.0  # standard errors by which the best move must be ahead of every other one

# A few redeals may agree by chance, so the usual variance of a move's results gets the weight of
# this number of additional redeals. The usual variance of a difference is PAIRED times as large.
PRIOR_REDEALS = 3.0
PAIRED = 1.8  # docs/lab/truth.md

# If all redeals agree, another redeal may still differ by about a VP or half a win.
UNSEEN_VP = 1.0
UNSEEN_WIN = 0.5


class GameEnd(NamedTuple):
    """The end of a rolled-out game: all players' VP and ranks, and the number of decisions."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    decisions: int


@dataclass(frozen=True)
class RolloutResults:
    """The results of all games of the completed redeals.

    Attributes:
        player: the player to decide.
        moves: the move numbers.
        ends: the ends of the games, by redeal and then by index of the move.
    """

    player: int
    moves: tuple[int, ...]
    ends: tuple[tuple[GameEnd, ...], ...]

    @property
    def decisions(self) -> int:
        """The number of decisions in all games."""
        return sum(end.decisions for row in self.ends for end in row)

    def best(self) -> int:
        """Return the index of the move with the largest mean margin."""
        order = [(-sum(self._values(i, "margin")), move) for i, move in enumerate(self.moves)]
        return order.index(min(order))

    def estimate(self, index: int, figure: Figure) -> Estimate:
        """Return the mean of a move's figure, and its standard error."""
        values = self._values(index, figure)
        if self._ends_game(index):
            return _estimate(values)
        unseen = UNSEEN_WIN if figure == "win" else UNSEEN_VP
        return _estimate(values, self._variance(figure), unseen)

    def gain(self, index: int, other: int) -> Estimate:
        """Return the mean paired difference between the margins of two moves, with its error."""
        pairs = zip(self._values(index, "margin"), self._values(other, "margin"), strict=True)
        differences = [one - two for one, two in pairs]
        if self._ends_game(index) and self._ends_game(other):
            return _estimate(differences)
        return _estimate(differences, PAIRED * self._variance("margin"), UNSEEN_VP)

    def is_certain(self) -> bool:
        """Return whether the best move is certain."""
        if len(self.ends) < MIN_CERTAIN:
            return False
        best = self.best()
        gains = [self.gain(best, i) for i in range(len(self.moves)) if i != best]
        return all(gain.mean >= CERTAIN * gain.error for gain in gains)

    def _ends_game(self, index: int) -> bool:
        return not any(row[index].decisions for row in self.ends)

    def _variance(self, figure: Figure) -> float:
        """Return the variance of a figure between redeals, averaged over the moves."""
        return fmean(variance(self._values(i, figure)) for i in range(len(self.moves)))

    def _values(self, index: int, figure: Figure) -> list[float]:
        ends = [row[index] for row in self.ends]
        if figure == "win":
            return [share_of_win(end.ranks, self.player) for end in ends]
        if figure == "margin":
            return [margin_of(end.scores, self.player) for end in ends]
        return [end.scores[figure] for end in ends]


def _estimate(
    values: Sequence[float], expected: float | None = None, unseen: float = 0.0
) -> Estimate:
    """Return the mean of a figure over redeals, and its standard error.

    Args:
        values: the figure by redeal.
        expected: the usual variance, or None to use only the variance of `values`.
        unseen: by how much one more redeal may differ from the mean if all others agree.
    """
    count = len(values)
    mean = sum(values) / count
    squares = sum((value - mean) ** 2 for value in values)
    prior = 0.0 if expected is None else PRIOR_REDEALS
    spread = (squares + prior * (expected or 0.0)) / (count - 1 + prior)
    return Estimate(mean, sqrt((spread + unseen**2 / (count + 1)) / count))


class _Game:
    """A game in progress."""

    def __init__(
        self, number: int, position: Position, players: Sequence[SearchPlayer], seed: int
    ) -> None:
        self.number, self.position, self.players, self.seed = number, position, players, seed
        self.decisions = 0
        for seat, player in enumerate(players):
            player.start(seat, len(players), derive_seed("start", seed, seat))

    def decide(self) -> None:
        """Make one decision."""
        position = self.position
        assert position.player is not None
        seed = derive_seed("choose", self.seed, position.ply)
        move = self.players[position.player].choose(position, seed)
        for player in self.players:
            player.observe(position, move)
        self.position = position.after_move(move)
        self.decisions += 1

    def end(self) -> GameEnd:
        """Return the result of the game, which must be over."""
        assert self.position.ranks is not None
        return GameEnd(tuple(self.position.scores), tuple(self.position.ranks), self.decisions)


class Rollout:
    """Rollouts of the moves of one decision, in progress. Any number of threads can share them.

    The games are numbered, redeal by redeal, and begin in this order.
    """

    def __init__(
        self,
        information: InformationSet,
        settings: Settings,
        moves: Sequence[int],
        seed_of: Callable[[int], int],
        *,
        redeals: int | None,
        seconds: float | None = None,
        until_certain: bool = True,
    ) -> None:
        """Prepare rollouts.

        Args:
            information: what the player to decide knows.
            settings: the settings of the bot that plays on, including a number of iterations.
            moves: the move numbers.
            seed_of: a function that returns the seed of a redeal.
            redeals: the number of redeals, or None without a limit.
            seconds: the time limit, or None without one.
            until_certain: whether to stop when the best move is certain.
        """
        self.information, self.settings, self.moves = information, settings, tuple(moves)
        self.seed_of, self.limit, self.until_certain = seed_of, redeals, until_certain
        self.redeals = 0  # number of completed redeals, counted up to the first incomplete one
        self.is_certain = False
        self.seconds = 0.0  # seconds of play until the last completed game ended
        self.seconds_left = inf if seconds is None else seconds
        self._started, self._deadline = 0.0, inf
        self._is_stopped = True
        # Protects all attributes below and, during play, changes to `redeals`, `is_certain` and
        # `seconds`.
        self._lock = threading.Lock()
        self._next = 0  # number of the next game to begin
        self._lost: list[int] = []  # numbers of games that began, but that an exception ended
        self._waiting: list[_Game] = []  # games that no thread is playing
        self._idle_players: list[list[SearchPlayer]] = []
        self._ends: dict[int, GameEnd] = {}

    def begin(self) -> None:
        """Begin or continue; the time limit starts now. No thread may be playing."""
        now = time.monotonic()
        self._started, self._deadline = now - self.seconds, now + self.seconds_left
        present = {game.number for game in self._waiting} | self._ends.keys()
        self._lost = [number for number in range(self._next) if number not in present]
        self._is_stopped = False

    def run(self, until: float = inf) -> None:
        """Play until `time.monotonic()` reaches `until`, or until no game is left to play."""
        until = min(until, self._deadline)
        while (game := self._take(until)) is not None:
            while game.position.player is not None:
                if self._is_stopped or time.monotonic() >= until:
                    break
                game.decide()
            self._put_back(game)

    def stop(self) -> None:
        """Make every `run` return soon."""
        self._is_stopped = True

    def extend(self, redeals: int | None, seconds: float | None) -> None:
        """Set a new total number of redeals, and a new time limit that the next `begin` starts."""
        self.limit = redeals
        self.seconds_left = inf if seconds is None else seconds
        self._deadline = inf  # the old deadline no longer applies

    def has_work(self) -> bool:
        """Return whether there is a game to play that no thread is playing."""
        with self._lock:
            return self._has_work(time.monotonic())

    def is_complete(self) -> bool:
        """Return whether the rollouts have reached a limit, or the best move is certain."""
        has_all = self.limit is not None and self.redeals >= self.limit
        return has_all or self.is_certain or time.monotonic() >= self._deadline

    def results(self) -> RolloutResults:
        """Return the results of the completed redeals."""
        with self._lock:
            return self._results()

    def _results(self) -> RolloutResults:
        width = len(self.moves)
        numbers = (range(n * width, (n + 1) * width) for n in range(self.redeals))
        ends = tuple(tuple(map(self._ends.__getitem__, row)) for row in numbers)
        return RolloutResults(self.information.observer, self.moves, ends)

    def _has_work(self, now: float) -> bool:
        if self.is_certain or now >= self._deadline:
            return False
        is_new = self.limit is None or self._next < self.limit * len(self.moves)
        return bool(is_new or self._waiting or self._lost)

    def _take(self, until: float) -> _Game | None:
        """Return the game to play next, or None if there is none or play must end.

        Play must end after `stop`, or when the time limit is reached.
        """
        with self._lock:
            now = time.monotonic()
            if self._is_stopped or now >= until or not self._has_work(now):
                return None
            if self._waiting:
                game = min(self._waiting, key=lambda game: game.number)
                self._waiting.remove(game)
                return game
            if self._lost:
                number = self._lost.pop(0)
            else:
                number = self._next
                self._next += 1
            players = self._idle_players.pop() if self._idle_players else None
        redeal, index = divmod(number, len(self.moves))
        seed = self.seed_of(redeal)
        position = self.information.determinized(seed).after_move(self.moves[index])
        if players is None:
            seats = range(position.players)
            players = [SearchPlayer(self.settings, position.game) for _ in seats]
        return _Game(number, position, players, seed)

    def _put_back(self, game: _Game) -> None:
        """Record a game that is over, or let another thread continue it."""
        with self._lock:
            if game.position.player is not None:
                self._waiting.append(game)
                return
            self._idle_players.append([*game.players])
            self._ends[game.number] = game.end()
            self.seconds = time.monotonic() - self._started
            width = len(self.moves)
            while not self.is_certain and all(
                number in self._ends
                for number in range(self.redeals * width, (self.redeals + 1) * width)
            ):
                self.redeals += 1
                self.is_certain = self.until_certain and self._results().is_certain()
