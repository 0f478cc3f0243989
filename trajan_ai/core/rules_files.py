"""Optional entries of the rules of a game: files that belong to the game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from trajan_ai.core.game import Position


@runtime_checkable
class HasFiles(Protocol):
    """Position files with additional checks."""

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return the position of a view, as `from_view` does.

        Unlike `from_view`, this also raises TrajanError if no sequence of moves can lead to
        `view`.
        """


@runtime_checkable
class HasOptionFiles(Protocol):
    """Options whose values name files with content that affects games."""

    def hash_files(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Return, for each option that names a file, a hash of the content of the file.

        Files of the package are omitted, because they change only with the version of the engine.
        """


def hash_option_files(rules: object, options: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of the content of each file that options name; see `HasOptionFiles`."""
    return rules.hash_files(options) if isinstance(rules, HasOptionFiles) else {}


@runtime_checkable
class HasCalibration(Protocol):
    """Corrections for figures that searches report; see
    `trajan_ai.analysis.decision.calibration`."""

    calibration: Path
    """A file that ``trajan-ai learn`` wrote."""


@runtime_checkable
class HasNetwork(Protocol):
    """A network that corrects the evaluation; see `trajan_ai.mcts.network_file`."""

    network: Path

    def network_applies(self, position: Position) -> bool:
        """Return whether the network was trained with the options of a position."""


@runtime_checkable
class HasLevels(Protocol):
    """Bots that make mistakes like those of people, and puzzles for people."""

    levels: Path
    puzzles: Path
    """Files that ``trajan-ai learn`` wrote."""
