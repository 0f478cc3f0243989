from array import array

from trajan_ai.core.game import Game, Position

def default_weights(game: Game) -> array[float]: ...
def playouts(
    position: Position,
    observer: int,
    line: list[int],
    count: int,
    seed: int,
    weights: array[float],
) -> array[float]: ...
def sources_of(position: Position, move: int) -> tuple[Position, list[list[int]]]: ...
def reveals(position: Position, move: int, observer: int, seed: int) -> bool: ...
