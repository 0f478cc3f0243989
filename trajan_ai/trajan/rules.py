"""The Python half of Trajan: what `Rules` asks of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trajan_ai.core.rules import Option, Options, Setup, check_options
from trajan_ai.trajan import setup as setups

if TYPE_CHECKING:
    from trajan_ai.core.game import Position


class TrajanRules:
    """Options, setups, views and drawing of Trajan; see `trajan_ai.core.rules.Rules`."""

    options: Sequence[Option] = setups.OPTIONS

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        return check_options(setups.NAME, self.options, players, options)

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Draw the `setup` object of a record; the same arguments give the same setup."""
        return setups.deal(players, seed, options)

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Check a setup completely, raise TrajanError with all problems, return the state."""
        return setups.encode(players, options, setup)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, or with None everything."""
        raise NotImplementedError

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`."""
        raise NotImplementedError

    def draw(self, position: Position, player: int | None = None) -> str:
        """Return the board as text."""
        raise NotImplementedError
