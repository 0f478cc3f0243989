"""Optional entries of the rules of a game: the board as a drawing that people can click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from trajan_ai.core.errors import KeyPath

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

PICTURE_WIDTH = 1200  # pixels


@runtime_checkable
class HasPicture(Protocol):
    """The board as an SVG drawing."""

    def picture(
        self,
        view: Mapping[str, Any],
        *,
        last: tuple[int, str] | None = None,
        suggested: Sequence[str] = (),
        legal: Sequence[str] = (),
        width: int = PICTURE_WIDTH,
    ) -> str:
        """Return a drawing of the board in three columns, in two below 1,000 pixels, in one below
        800.

        Args:
            view: the view to draw.
            last: the last move as (player, action), to mark it.
            suggested: actions of the player to move, best first, to mark them.
            legal: legal actions, to make their places clickable.
            width: the width in pixels.
        """


@runtime_checkable
class HasPlaces(Protocol):
    """The places of actions on the drawing."""

    def places(self, view: Mapping[str, Any], action: str, player: int) -> list[str]:
        """Return the places of a legal action of `player`, beginning with the one to click."""

    def traces(self, view: Mapping[str, Any], actions: Sequence[str], player: int) -> list[str]:
        """Return the places that show the effects of the last actions of `player` in one turn.

        `view` is the view after the actions. The actions may contain the details that
        `HasInstructions.detail` adds.
        """


@dataclass(frozen=True)
class Preview:
    """The effects of a move, besides its events; they are shown to players who point at the move.

    Attributes:
        actions: the action, and actions with which the same player may continue.
        places: the places that change, in order.
        facts: sentences about the effects of the move.
        price: the symbols of what the move costs.
        brief: the effect of the move in one line, for choices among many moves.
    """

    actions: tuple[str, ...]
    places: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    brief: str = ""


@runtime_checkable
class HasPreviews(Protocol):
    """The effects of moves, besides the events that they cause."""

    def preview(self, position: Position, action: str) -> Preview:
        """Return the preview of a legal action.

        The preview contains only what the player to move knows.
        """


@runtime_checkable
class HasEdits(Protocol):
    """The keys of a position file that belong to the places of the drawing.

    The values that are allowed for a key are found by means of `from_view`, provided that it reads
    the view with `trajan_ai.games.kit.reader.Reader`.
    """

    # Keys by the kind of a place, which is the first word of the name of the place. `{0}` and
    # `{1}` stand for the next words of the name, and `*` stands for every player. A name after a
    # slash selects one item.
    edit_places: Mapping[str, Sequence[str]]


@runtime_checkable
class HasDependentEdits(Protocol):
    """Keys of a position file that must change together with another key."""

    def list_dependent_edits(
        self, view: Mapping[str, Any], path: KeyPath
    ) -> Mapping[KeyPath, Any]:
        """Return the values that other keys must have after the value at `path` was changed."""


@runtime_checkable
class HasPieces(Protocol):
    """Symbols of pieces: tiles, cards, figures and actions."""

    tips: Path
    """A file with a tip for each panel, piece or place, by its name or the first word of its
    name."""

    def sprite(self) -> str:
        """Return an SVG element with all symbols, whose ids begin with the name of the game."""

    def pieces(self, text: str) -> list[str]:
        """Return the symbols of the pieces that are named in an action, or in a name from a
        file."""


@runtime_checkable
class HasOverview(Protocol):
    """The rules on one screen."""

    tips: Path
    """See `HasPieces`."""

    overview: Path
    """A file with sections of names. For each name, it contains a topic of `tips`, and symbols."""
