"""The options of the engine process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.core.platform import usable_cores

if TYPE_CHECKING:
    from trajan_ai.bots import Bot


@dataclass(frozen=True)
class EngineOptions:
    """The options of the command line.

    Attributes:
        threads: the number of threads that all searches share.
        positions: how many searches run at the same time, and how many trees are kept.
        queue: how many further searches may wait.
        memory: MiB for all search trees together.
        cache: the number of answers that are cached.
        bots: the bots that requests may name, besides the built-in ones.
        default_bot: the name of the bot for requests that do not name one.
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
