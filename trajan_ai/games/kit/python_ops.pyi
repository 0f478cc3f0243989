from collections.abc import Mapping
from ctypes import Structure
from typing import Any

GAMES: dict[int, PythonOps]

class PythonOps:
    capsule: object
    def __new__(
        cls,
        rules: Any,
        reference: str,
        actions: int,
        room: int,
        facts: int,
        hides_moves: bool,
        feature_counts: Mapping[int, int],
        has_events: bool,
        vp_sources: int,
    ) -> PythonOps: ...
    def pack(self, players: int, state: Structure) -> bytes: ...
    def unpack(self, memory: bytes) -> Structure: ...
