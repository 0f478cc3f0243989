"""Events, which describe as data what happens when a move is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajan_ai.core.game import Position


@dataclass(frozen=True)
class EventKind:
    """A kind of event.

    Attributes:
        name: the name of the kind.
        things: the names of what such events may concern, such as tiles, cards or places.
        is_minor: whether a log omits events of this kind that bring no VP, because the action
            already names what happens or because it matters little.
        is_closing: whether such an event belongs to the end of a part of the game, such as a
            quarter. A closing event without a player, such as ``end_quarter``, ends the part.
        may_hide: whether an observer may see or foresee such an event without learning its thing.
        serves: for each thing, the source of the VP to which such an event leads later; an empty
            string stands for all other things.
    """

    name: str
    things: Sequence[str] = ()
    is_minor: bool = False
    is_closing: bool = False
    may_hide: bool = False
    serves: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """Something that happened while a move was carried out, as an observer sees it.

    Attributes:
        name: the name of the kind of event.
        player: the player whom it concerns, or None if it concerns nobody in particular.
        vp: the VP that the player gains or, below 0, loses.
        thing: what it is about, such as a tile, card or place, or None if there is none or the
            observer does not learn it.
        count: a number of tiles, cards or other objects, or 0 if there is nothing to count.
        source: the source of its VP, even if these are 0, or None if it has no source of VP.
    """

    name: str
    player: int | None
    vp: int
    thing: str | None
    count: int
    source: str | None


def list_events(
    before: Position, action: str, after: Position, observer: int | None
) -> list[Event]:
    """Return the events of an action up to `after`, as `observer` sees them.

    `after` is the position at the next decision, or at an earlier forced move that `observer`
    cannot recognize as forced (see `Position.watched`). In the latter case, the events of that
    move and of everything after it are omitted.
    """
    events = before.events(action, observer)
    legal = after.legal()
    later = after.events(legal[0], observer) if len(legal) == 1 else []
    return events[: len(events) - len(later)]
