from collections.abc import Mapping, Sequence
from typing import Any

ops: object

def initial_state(
    players: int,
    lap_length: int,
    options: int,
    stacks: Mapping[str, Any],
    markers: Sequence[Sequence[int]] | None,
) -> bytes: ...
def derived(data: bytes) -> bytes: ...
def redrawn(data: bytes, observer: int, seed: int, tries: int) -> bytes | None: ...
def features(data: bytes) -> tuple[float, list[list[float]]]: ...
