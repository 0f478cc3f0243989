from collections.abc import Sequence

from trajan_ai.core.game import Position

_Arrays = tuple[bytes, bytes, bytes, bytes, bytes, list[int], list[int] | None]

def play(start: Position, weights_by_player: Sequence[Sequence[float]], seed: int) -> _Arrays: ...
def replay(start: Position, moves: Sequence[int]) -> _Arrays: ...
