from array import array
from typing import Any

from trajan_ai.core.game import Game, Position

SHAPE: tuple[int, int]

class Network:
    game: Game
    card: dict[str, Any]
    def __new__(
        cls, game: Game, card: dict[str, Any], parts: dict[int, dict[str, array[int]]]
    ) -> Network: ...
    @property
    def player_counts(self) -> tuple[int, ...]: ...
    def residuals(self, position: Position) -> list[float]: ...
