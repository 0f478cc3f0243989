from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Position

GAME_OVER: int

def label_turn_starts(
    openings: list[Position],
    roaming: Sequence[float],
    judging: Sequence[float],
    seed: int,
    turns: tuple[int, int],
    playouts: int,
    terms: npt.NDArray[np.float32],
    gains: npt.NDArray[np.float32],
) -> None: ...
def label_views(
    openings: list[Position],
    roaming: Sequence[float],
    judging: Sequence[float],
    seed: int,
    turns: tuple[int, int],
    playouts: int,
    features: npt.NDArray[np.uint8],
    evaluations: npt.NDArray[np.float32],
    finals: npt.NDArray[np.float32],
) -> None: ...
def play_to_leaves(
    position: Position,
    move: int,
    weights: Sequence[float],
    seed: int,
    turns: int,
    features: npt.NDArray[np.uint8],
    evaluations: npt.NDArray[np.float32],
    seats: npt.NDArray[np.uint8],
) -> None: ...
