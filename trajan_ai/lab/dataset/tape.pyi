from collections.abc import Sequence

from trajan_ai.core.game import Position

_GameTape = tuple[bytearray, bytearray, list[int], list[int] | None, bytearray]

def play(
    start: Position, weights_by_player: Sequence[Sequence[float]], seed: int
) -> _GameTape: ...
def replay(start: Position, moves: Sequence[int]) -> _GameTape: ...
