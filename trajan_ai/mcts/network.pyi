from array import array
from typing import Any

from trajan_ai.core.game import Game, Position

UNITS: int
NEURONS: int

class Network:
    game: Game
    card: dict[str, Any]
    digest: str
    def __new__(
        cls,
        game: Game,
        card: dict[str, Any],
        digest: str,
        parts: dict[int, dict[str, array[int]]],
    ) -> Network: ...
    @property
    def player_counts(self) -> tuple[int, ...]: ...
    def corrections(self, position: Position) -> list[float]: ...
