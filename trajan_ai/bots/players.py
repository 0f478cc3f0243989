"""The players built from descriptions of bots: whoever decides for one seat."""

from __future__ import annotations

import time
from typing import Any, Protocol

from trajan_ai.core.game import Game, Position, Random
from trajan_ai.mcts.clock import TimeBudget
from trajan_ai.mcts.driver import ThreadedSearch, known_by
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.mcts.result import Result
from trajan_ai.mcts.settings import Settings


class Player(Protocol):
    """Whoever decides for one seat. One game at a time; calls come in the order below."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game at `seat` of 0 to `players` - 1. Called once before each game."""
        ...

    def choose(self, position: Position, seed: int) -> Any:
        """Return a legal move number of `position`, in which this seat is to decide.

        All chance in the choice comes from `seed`. `position` is complete: only players of ours
        get it, which are proved to look at no more than their seat knows.
        """
        ...

    def observe(self, position: Position, move: int) -> None:
        """Hear that `move` was made in `position`; called after every decision of every seat."""
        ...


class Forgetful:
    """What players share that look at every position anew."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Remember the seat."""
        self.seat = seat

    def observe(self, position: Position, move: int) -> None:
        """Nothing to learn."""


class RandomPlayer(Forgetful):
    """Plays uniformly at random."""

    def choose(self, position: Position, seed: int) -> int:
        """Return any legal move, all equally likely."""
        moves = position.legal_moves()
        return moves[Random(seed).below(len(moves))]


class GreedyPlayer(Forgetful):
    """Plans each own turn for the most VP at its end."""

    def choose(self, position: Position, seed: int) -> int:
        """Return the first move of the best plan."""
        return greedy_move(position, self.seat, seed)


class SearchPlayer:
    """Plays the best move of a search; ``result`` is the last one."""

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
        """Search within the limits of the settings and return the move found."""
        started = time.monotonic()
        seconds = self.clock.seconds(position, seed)
        if seconds is not None:
            seconds -= time.monotonic() - started
        self.result = self.engine.search(
            known_by(self.settings, position, self.seat),
            seed,
            seconds=seconds,
            iterations=self.settings.iterations,
            keep=self.settings.reuse_tree,
        )
        self.clock.spend(time.monotonic() - started)
        return self.result.best.move

    def observe(self, position: Position, move: int) -> None:
        """Keep the part of the tree below the move."""
        if self.settings.reuse_tree and self.result is not None:
            self.engine.follow(position, position.after_move(move), move)


class OpeningPlayer:
    """Plays at random in the turns below `turns`, then lets another player choose."""

    def __init__(self, turns: int, player: Player) -> None:
        self.turns = turns
        self.random = RandomPlayer()
        self.player = player

    def start(self, seat: int, players: int, seed: int) -> None:
        """Start the player behind."""
        self.player.start(seat, players, seed)

    def choose(self, position: Position, seed: int) -> Any:
        """Choose at random in the opening, then let the player choose."""
        chooser: Player = self.random if position.turn < self.turns else self.player
        return chooser.choose(position, seed)

    def observe(self, position: Position, move: int) -> None:
        """Tell the player."""
        self.player.observe(position, move)
