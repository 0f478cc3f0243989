"""A game played by hand or by a script, in which moves can be taken back and time is measured."""

import time
from typing import Any

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.games import game as game_named


class Table:
    """A game with its history.

    Attributes:
        positions: every position so far.
        actions: the moves so far, as (player, action).
        seconds: the thinking time of each player, without the current decision.

    >>> table = Table("trajan", 2, seed=1)
    >>> table.push("marker blue").player
    1
    >>> table.pop()
    'marker blue'
    """

    def __init__(
        self, game: str | Game | Position, players: int = 2, seed: int = 0, **options: Any
    ) -> None:
        """Deal a game, or begin at a position, and start the clock of the player to move.

        Args:
            game: the name of a game, a game, or a position to begin at.
            players: the number of players of a new game.
            seed: the seed of the deal.
            options: options of the rules and of the deal.
        """
        if isinstance(game, str):
            game = game_named(game)
        start = game if isinstance(game, Position) else game.start(players, seed, **options)
        self.positions = [start]
        self.actions: list[tuple[int, str]] = []
        self.seconds = [0.0] * start.players
        self._since = time.monotonic()

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    def push(self, action: str | int) -> Position:
        """Play a move, given as a typed action or a move number, and return the next position.

        Raises TrajanError, and changes nothing, if the move is not legal.
        """
        before = self.position
        move = before.game.move(action) if isinstance(action, str) else action
        after = before.after_move(move)
        assert before.player is not None
        now = time.monotonic()
        self.seconds[before.player] += now - self._since
        self._since = now
        self.positions.append(after)
        self.actions.append((before.player, before.game.actions[move]))
        return after

    def pop(self) -> str:
        """Take back the last move and return it; raise TrajanError if there is none.

        The thinking time for that move still counts.
        """
        if not self.actions:
            raise TrajanError("there is no move to take back")
        self.positions.pop()
        self._since = time.monotonic()
        return self.actions.pop()[1]

    def record(self) -> records.Record:
        """Return the record of the game; raise TrajanError if it began at a position."""
        if self.positions[0].origin is None:
            raise TrajanError(
                "a game that started from a position has no setup, so no record can be written"
            )
        return records.record(self.positions[0], self.actions, self.position)

    def __str__(self) -> str:
        return str(self.position)
