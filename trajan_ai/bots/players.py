"""The players built from descriptions of bots. A player decides for one seat."""

from typing import Any, Protocol

from trajan_ai.core.game import Game, Position, Random
from trajan_ai.mcts.clock import TimeBudget, read_clock
from trajan_ai.mcts.driver import ThreadedSearch, get_information
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.mcts.result import Result
from trajan_ai.mcts.settings import Settings


class Player(Protocol):
    """Decides for one seat, in one game at a time. Each method states when it is called."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game at `seat`, from 0 to `players` - 1. Called once before each game."""

    def choose(self, position: Position, seed: int) -> Any:
        """Return a legal move number of `position`. Called whenever this seat is to move.

        `seed` determines every random choice. `position` is the true position, which only built-in
        players receive; tests check that these players use only what their seat knows.
        """

    def observe(self, position: Position, move: int) -> None:
        """Receive a move made in `position`. Called after every decision of every seat."""


class StatelessPlayer:
    """Base class of players that remember nothing from one decision to the next."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Remember the seat."""
        self.seat = seat

    def observe(self, position: Position, move: int) -> None:
        """Do nothing."""


class RandomPlayer(StatelessPlayer):
    """Plays uniformly at random."""

    def choose(self, position: Position, seed: int) -> int:
        """Return a legal move; all are equally likely."""
        moves = position.legal_moves()
        return moves[Random(seed).below(len(moves))]


class GreedyPlayer(StatelessPlayer):
    """Plans each of its turns for the most VP at the end of the turn."""

    def choose(self, position: Position, seed: int) -> int:
        """Return the first move of the best plan."""
        return greedy_move(position, self.seat, seed)


class SearchPlayer:
    """Plays the best move of a search; ``result`` is the result of the last search."""

    def __init__(self, settings: Settings, game: Game) -> None:
        self.settings = settings
        self.engine = ThreadedSearch(game, settings)
        self.clock = TimeBudget(settings)
        self.result: Result | None = None

    def start(self, seat: int, players: int, seed: int) -> None:
        """Set the clock."""
        self.seat = seat
        self.result = None
        self.clock.start()

    def choose(self, position: Position, seed: int) -> int:
        """Search within the limits of the settings and return the best move."""
        started = read_clock(self.settings)
        seconds = self.clock.seconds(position, seed)
        if seconds is not None:
            seconds -= read_clock(self.settings) - started
        self.result = self.engine.search(
            get_information(self.settings, position, self.seat),
            seed,
            seconds=seconds,
            iterations=self.settings.iterations,
            keep=self.settings.reuse_tree,
        )
        self.clock.spend(read_clock(self.settings) - started)
        return self.result.best.move

    def observe(self, position: Position, move: int) -> None:
        """Keep the part of the search tree below the move."""
        if self.settings.reuse_tree and self.result is not None:
            self.engine.follow(position, position.after_move(move), move)
