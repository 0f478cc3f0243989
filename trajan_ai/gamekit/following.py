"""Following a game of which one player's knowledge is given: what moves show to that player.

What a move shows is plain data, `Reveals`: for each key a list of names. Keys name where the
things come from: the hidden stacks of a record's setup, or a player's tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from trajan_ai.core.errors import NotSupported, TrajanError
from trajan_ai.core.names import Names

if TYPE_CHECKING:
    from trajan_ai.core.game import Position
    from trajan_ai.core.rules import Rules

Reveals = dict[str, list[str]]


@dataclass(frozen=True)
class Ask:
    """What must be stated of a move: `count` names of `names`, under `key` of its reveals.

    `text` says in words what they are, such as ``the cards you draw``. `count` is None where any
    number is right.
    """

    key: str
    count: int | None
    text: str
    names: Sequence[str]


class Unstated(TrajanError):
    """A move shows something that was not stated: `asks` says what."""

    def __init__(self, action: str | None, asks: Sequence[Ask]) -> None:
        self.asks = tuple(asks)
        super().__init__(
            *(f"{action or 'the hidden move'}: state {ask.key}, {ask.text}" for ask in asks)
        )


@runtime_checkable
class HasFollowing(Protocol):
    """Optional entries of a game's rules: what moves show to a player."""

    def possible(self, position: Position, observer: int) -> list[str]:
        """Return the actions that are legal in a world that looks alike to `observer`.

        Empty when the game is over, and where they see nothing of what is chosen.
        """
        ...

    def carried_out(
        self, position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
    ) -> tuple[Position, Reveals]:
        """Return a position after `action` and what it showed `observer`.

        Of the worlds that look like `position` to `observer`, one is taken in which the move is
        legal and shows `reveals`, which may be in part; what it does not hold is arbitrary in the
        result. `action` is None where the observer sees nothing of what is chosen: then the run
        of choices of the player to decide is over. Raises TrajanError if there is no such world.
        """
        ...

    def asks(
        self, position: Position, after: Position, observer: int, shown: Reveals
    ) -> list[Ask]:
        """Return in words what `shown`, a part of what a move showed, consists of."""
        ...

    def witnessed(
        self, position: Position, action: str, after: Position, observer: int
    ) -> Reveals:
        """Return what the move showed `observer` in a game of which everything is known."""
        ...


def with_following(game: str, rules: Rules) -> HasFollowing:
    """Return the rules of a game that can be followed; raise NotSupported if it cannot."""
    if not isinstance(rules, HasFollowing):
        raise NotSupported(f"{game}: this game cannot be followed, it does not say what is shown")
    return rules


def read_reveals(reveals: Mapping[str, object], known: Mapping[str, Sequence[str]]) -> Reveals:
    """Return reveals as they stand in `known`, the names of each key; raise on all others."""
    problems: list[str] = []
    result: Reveals = {}
    keys = Names(known)
    for given, value in reveals.items():
        key = keys.find(str(given))
        if key is None:
            problems.append(f"there is no {given!r} to state{keys.hint(str(given))}")
            continue
        listed = [value] if isinstance(value, str | int) else value
        if not isinstance(listed, Sequence):
            problems.append(f"{key}: must be a list of names, got {value!r}")
            continue
        names = Names(known[key])
        result[key] = []
        for one in map(str, listed):
            name = names.find(one)
            if name is None:
                problems.append(f"{key}: there is no {one!r}{names.hint(one)}")
            else:
                result[key].append(name)
    if problems:
        raise TrajanError(*problems)
    return result
