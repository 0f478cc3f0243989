from typing import Any

from numpy.typing import NDArray

from trajan_ai.core.game import Game, Position

OPPONENT_NONE: int
OPPONENT_RANDOM: int
OPPONENT_POLICY: int
REWARD_WIN: int
REWARD_MARGIN: int

class Batch:
    game: Game
    count: int
    def __new__(
        cls,
        openings: list[Position],
        count: int,
        players: int,
        *,
        bytes_: NDArray[Any] | None,
        floats: NDArray[Any] | None,
        scales: NDArray[Any] | None,
        mask: NDArray[Any],
        rewards: NDArray[Any],
        scores: NDArray[Any],
        player: NDArray[Any],
        seat: NDArray[Any],
        done: NDArray[Any],
        opponents: int,
        seated: bool,
        reward: int,
        margin_scale: float,
    ) -> Batch: ...
    def seed(self, i: int, seed: int, sampler: int) -> None: ...
    def reset(self, first: int, last: int) -> None: ...
    def show(self, first: int, last: int) -> None: ...
    def wrong(self, actions: NDArray[Any]) -> int: ...
    def step(self, actions: NDArray[Any], first: int, last: int, show: bool) -> None: ...
    def play(self, i: int, move: int) -> None: ...
    def sample(self, actions: NDArray[Any]) -> None: ...
    def position(self, i: int) -> Position: ...
    def final(self, i: int) -> Position: ...
    def put(self, i: int, position: Position) -> None: ...
    def save(self) -> bytes: ...
    def load(self, saved: bytes) -> None: ...

def told(position: Position, player: int) -> tuple[bytearray, bytearray]: ...
def rollout(position: Position, seed: int) -> Position: ...
