"""Optional entries of the rules of a game that are needed to follow a game played elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from trajan_ai.core.events import Event
    from trajan_ai.core.game import Position

Reveals = dict[str, list[str]]  # what a move shows: for each key a list of names


@runtime_checkable
class HasSets(Protocol):
    """Sets of pieces, such as cards, that people lay in any order; see `trajan_ai.games.kit.sets`.

    In the game, a set is a series of consecutive actions with the same first word, which is one of
    `set_words`.
    """

    set_words: Collection[str]

    def continue_set(
        self, before: Position, action: str, after: Position
    ) -> tuple[list[str], bool]:
        """Return the forced actions after `action`, and whether its set continues in `after`."""

    def put_in_hand(self, position: Position, observer: int, things: Sequence[str]) -> Position:
        """Return a position in which the player to move can lay `things`.

        The result looks like `position` to `observer`. Raises TrajanError if there is no such
        position.
        """

    def lay_in_view(self, view: Mapping[str, Any], things: Sequence[str]) -> dict[str, Any]:
        """Return the view of a decision after its player has laid `things` but done nothing else.

        The order of `things` does not matter, and the view does not contain any consequences yet.
        """


@dataclass(frozen=True)
class Question:
    """A question about a move: which `count` of `names` did the move show?

    The answer is stored under `key` in the reveals of the move. `text` describes the names, such
    as ``the cards you draw``. `count` is None if any number is allowed. `labels` are the names
    that people use. `left` contains, for each name, the number of copies that may be left; it is
    empty if the number of copies does not limit the answers. Questions with the same `supply`
    share these copies; a question without a supply has separate copies.
    """

    key: str
    count: int | None
    text: str
    names: Sequence[str]
    labels: Sequence[str] = ()
    left: Sequence[int] = ()
    supply: str = ""


@dataclass(frozen=True)
class OpenThings:
    """Pieces of one kind that lie open when a game begins, one at each of `places`.

    `choices` maps each name that may be given to the piece that it stands for. `stock` contains
    the number of copies of each piece. Kinds with the same `supply` share these copies. If there
    is a `usual` name, a random setup has this name at all places or at none.
    """

    key: str
    text: str
    places: Sequence[str]
    choices: Mapping[str, str]
    stock: Mapping[str, int]
    supply: str
    usual: str | None = None


@runtime_checkable
class HasOpening(Protocol):
    """The facts about a real table that are needed to follow a game from its beginning."""

    def list_open(self, players: int) -> list[OpenThings]:
        """Return the pieces that lie open before the first decision."""

    def lay_open(
        self, view: Mapping[str, Any], names: Mapping[str, Sequence[Any]]
    ) -> dict[str, Any]:
        """Return the view of an opening with pieces of these `names`, whose keys are as in
        `list_open`."""


class MoveOutcome(NamedTuple):
    """The position after a move of a followed game, and what the observer saw of the move."""

    after: Position
    reveals: Reveals
    events: list[Event]


@runtime_checkable
class HasFollowing(Protocol):
    """The part of every move that one player sees."""

    def list_possible(self, position: Position, observer: int) -> list[str]:
        """Return the actions that are legal in at least one position that looks the same to
        `observer`.

        The list is empty if the game is over or if `observer` sees nothing of the choices.
        """

    def carry_out(
        self, position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
    ) -> MoveOutcome:
        """Return a position after `action`, and everything that `action` showed to `observer`.

        The position follows from one of the positions that look alike to `observer`: one in which
        the action is legal and shows `reveals`. `reveals` may be incomplete, and everything that
        it omits is arbitrary in the result. `action` is None if `observer` sees nothing of the
        choices; in this case, the player to move completes a series of choices. Raises TrajanError
        if no position fits.
        """

    def list_questions(
        self, position: Position, after: Position, observer: int, reveals: Reveals
    ) -> list[Question]:
        """Return a question for each key of `reveals`, which is part of what a move showed."""

    def list_reveals(
        self, position: Position, action: str, after: Position, observer: int
    ) -> Reveals:
        """Return what a move showed to `observer` if no part of the position is unknown."""
