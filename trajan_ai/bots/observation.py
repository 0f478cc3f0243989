"""The observation that a fair bot receives: its player's knowledge, not the true position."""

from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet


class Observation(InformationSet):
    """The knowledge of one player, the `observer`, at a decision of a game.

    It contains a position that is drawn, with a fixed seed, from those that the observer cannot
    distinguish from the true one. Positions that look alike to the observer therefore give
    observations that are identical byte for byte, and a bot that searches the memory of its
    process finds one possible deal, which need not be the true one.

    moves      (player, action) of every decision noticed since the observer's last decision. If a
               move is partly hidden, the action is the first one that looks the same to the
               observer.
    seconds    time left for this turn; None without a limit
    overdrawn  seconds by which this turn has already exceeded its limit
    """

    __slots__ = ("_cheats", "moves", "overdrawn", "seconds")

    def __init__(
        self,
        position: Position,
        observer: int,
        *,
        noticed: int = 0,
        moves: tuple[tuple[int, str], ...] = (),
        seconds: float | None = None,
        overdrawn: float = 0.0,
        cheats: bool = False,
    ) -> None:
        super().__init__(position, observer)
        source, ply = (position, position.ply) if cheats else (self.canonical, noticed)
        self.canonical = position.game.from_bytes(source.to_bytes(), None, ply)
        self._cheats = cheats
        self.moves = moves
        self.seconds = seconds
        self.overdrawn = overdrawn

    @property
    def ply(self) -> int:
        """Number of decisions that the observer has noticed; others may be hidden."""
        return self.canonical.ply

    @property
    def position(self) -> Position:
        """The true position, for a bot with ``cheat: true``. Raises TrajanError for others."""
        if not self._cheats:
            raise TrajanError(
                "a fair bot does not see the true position: use determinized(seed) or view(), or "
                "set `cheat: true` in the bot's YAML file, which rating tables will report"
            )
        return self.canonical

    def _key(self) -> tuple[Any, ...]:
        return *super()._key(), self.ply, self.moves, self.seconds, self._cheats

    def __repr__(self) -> str:
        return f"<{self.game.name} as player {self.observer} sees it, ply {self.ply}>"
