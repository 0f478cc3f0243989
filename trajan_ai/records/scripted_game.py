"""A game that is being played by hand or by a script: moves made and taken back, time counted."""

from __future__ import annotations

import time
from typing import Any

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.games import game as game_named


class Table:
    """A game and how it got where it is.

    ``positions`` are all so far, ``actions`` what was played, as (player, action); ``seconds`` is
    the time that each player has thought, the running decision left out.

    >>> table = Table("trajan", 2, seed=1)
    >>> table.push("marker blue").player
    1
    >>> table.pop()
    'marker blue'
    """

    def __init__(
        self, game: str | Game | Position, players: int = 2, seed: int = 0, **options: Any
    ) -> None:
        """Deal a game, or begin at a position; the clock of who decides begins to run."""
        if isinstance(game, str):
            game = game_named(game)
        start = game if isinstance(game, Position) else game.start(players, seed, **options)
        self.positions = [start]
        self.actions: list[tuple[int, str]] = []
        self.seconds = [0.0] * start.players
        self._since = time.monotonic()

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.positions[-1]

    def push(self, action: str | int) -> Position:
        """Make a move, by its name as people type it or by its number; return what follows.

        Raises TrajanError, and changes nothing, if it is not legal.
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
        """Take the last move back and return it; raises TrajanError if there is none.

        The time that it took is not given back.
        """
        if not self.actions:
            raise TrajanError("no move was made that could be taken back")
        self.positions.pop()
        self._since = time.monotonic()
        return self.actions.pop()[1]

    def record(self) -> records.Record:
        """Return the record of the game; raises TrajanError if it began at a position."""
        if self.positions[0].origin is None:
            raise TrajanError("a game that began at a position has no setup to record")
        return records.record(self.positions[0], self.actions, self.position)

    def __str__(self) -> str:
        return str(self.position)
