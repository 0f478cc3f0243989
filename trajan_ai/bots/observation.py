"""What a fair bot is told: all that its player may know, and nothing of the true position."""

from __future__ import annotations

from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet


class Observation(InformationSet):
    """What one player, the `observer`, knows at a decision of a game.

    It holds a position drawn by a fixed seed from those that the observer cannot tell from the
    true one. So two true positions that look alike give equal observations, byte for byte, and a
    bot that searches its memory finds one possible deal, not the true one.

    moves    what the observer saw since it last chose: (player, action) of every decision. Where
             a move is partly hidden, the action is the first of those that look alike.
    seconds  what is left for this turn, None without a limit
    """

    __slots__ = ("_cheats", "moves", "seconds")

    def __init__(
        self,
        position: Position,
        observer: int,
        *,
        noticed: int = 0,
        moves: tuple[tuple[int, str], ...] = (),
        seconds: float | None = None,
        cheats: bool = False,
    ) -> None:
        super().__init__(position, observer)
        seen, ply = (position, position.ply) if cheats else (self.canonical, noticed)
        self.canonical = position.game.from_bytes(seen.to_bytes(), None, ply)
        self._cheats = cheats
        self.moves = moves
        self.seconds = seconds

    @property
    def ply(self) -> int:
        """Number of decisions that the observer has noticed; one may be made unseen."""
        return self.canonical.ply

    @property
    def position(self) -> Position:
        """The true position, for a bot that says ``cheat: true``; TrajanError for others."""
        if not self._cheats:
            raise TrajanError(
                "a fair bot does not see the true position: use determinized(seed) or view(), or "
                "say `cheat: true` in the bot's YAML file, and tables mark it"
            )
        return self.canonical

    def _key(self) -> tuple[Any, ...]:
        return *super()._key(), self.ply, self.moves, self.seconds, self._cheats

    def __repr__(self) -> str:
        return f"<{self.game.name} as player {self.observer} sees it, ply {self.ply}>"
