"""Information sets, a type that represents what one player knows of a position."""

from __future__ import annotations

from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position

# Any fixed number would do: with the same seed, positions that look alike to a player have
# identical determinizations.
CANONICAL_SEED = 0


def get_decider(position: Position | InformationSet, source: str = "") -> int:
    """Return the player to move.

    Raises TrajanError if the game is over; the message names `source`, by default the game.
    """
    if position.player is None:
        raise TrajanError(
            f"{source or position.game.name}: the game is over, so there is nothing to decide"
        )
    return position.player


class InformationSet:
    """The positions that look alike to the `observer`.

    One of these positions, `canonical`, represents all of them. It is sampled with a fixed seed,
    and it is the same, byte for byte, for each of these positions. Therefore code that takes
    an information set cannot depend on anything that the observer does not know, and information
    sets can be compared and hashed. Code that deals or enforces the rules takes a `Position`; code
    that gives advice takes an information set.
    """

    __slots__ = ("canonical", "observer")

    def __init__(self, position: Position, observer: int | None = None) -> None:
        """Create the information set of `observer`, by default the player to move.

        Raises TrajanError if there is no such player, or if the game is over and no observer is
        given.
        """
        seat = get_decider(position) if observer is None else observer
        drawn = position.determinized(seat, CANONICAL_SEED)
        self.canonical = position.game.from_bytes(drawn.to_bytes())
        self.observer = seat

    @classmethod
    def of_everything(cls, position: Position, observer: int) -> InformationSet:
        """Return what an observer would know with all cards open, for bots that cheat."""
        result = InformationSet.__new__(InformationSet)
        result.canonical = position.game.from_bytes(position.to_bytes())
        result.observer = observer
        return result

    @property
    def game(self) -> Game:
        """The game."""
        return self.canonical.game

    @property
    def players(self) -> int:
        """The number of players."""
        return self.canonical.players

    @property
    def player(self) -> int | None:
        """The player to move, or None when the game is over."""
        return self.canonical.player

    @property
    def turn(self) -> int:
        """The number of the current turn, from 0."""
        return self.canonical.turn

    @property
    def scores(self) -> list[int]:
        """The VP of each player so far."""
        return self.canonical.scores

    def legal_moves(self) -> list[int]:
        """Return the numbers of the legal moves, or [] if another player is to move."""
        return self.canonical.legal_moves() if self.player == self.observer else []

    def legal(self) -> list[str]:
        """Return the legal action strings, or [] if another player is to move."""
        return self.canonical.legal() if self.player == self.observer else []

    def view(self) -> dict[str, Any]:
        """Return what the observer knows as plain data: the body of a position file."""
        return self.canonical.view(self.observer)

    def features(self) -> bytes:
        """Return what the observer knows as features for learning: see `Position.features`."""
        return self.canonical.features(self.observer)

    def determinized(self, seed: int) -> Position:
        """Return a position sampled uniformly from the information set."""
        return self.canonical.determinized(self.observer, seed)

    def _key(self) -> tuple[Any, ...]:
        return self.game, self.observer, self.canonical.to_bytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InformationSet):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<{self.game.name} as player {self.observer} knows it, turn {self.turn}>"
