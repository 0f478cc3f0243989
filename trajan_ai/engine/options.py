"""What the engine process can be told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.core.platform import usable_cores

if TYPE_CHECKING:
    from trajan_ai.bots import Bot


@dataclass(frozen=True)
class Options:
    """What the command line sets.

    ``memory`` is in MiB, for the trees of all searches under way. ``bots`` are those that
    requests can name besides the built-in ones, ``default_bot`` is the one they need not name.
    """

    threads: int = field(default_factory=usable_cores)
    positions: int = 64
    queue: int = 10_000
    memory: float = 4096.0
    cache: int = 1000
    bots: dict[str, Bot] = field(default_factory=dict)
    default_bot: str = DEFAULT_BOT

    @property
    def tree_megabytes(self) -> float:
        """MiB for the tree of one search."""
        return self.memory / self.positions
