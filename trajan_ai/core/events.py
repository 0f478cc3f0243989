"""What happens when a move is made, as data."""

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
        name: its name.
        things: the names of the things that its events may concern.
        is_minor: whether a log omits its events without VP, because the action before them already
            names them or because little depends on them.
        is_closing: whether it belongs to the end of a part of the game, such as a quarter. A
            closing event without a player, such as ``end_quarter``, ends the part.
        may_hide: whether an observer may see or foresee its events without their thing.
        serves: the source of VP to which its events lead later, by thing; an empty string
            stands for all other things.
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
        name: the name of its kind.
        player: the player whom it concerns, or None if it concerns nobody in particular.
        vp: the VP that the player gains or, below 0, loses.
        thing: the tile, card or place that it is about, or None if there is none or the
            observer does not learn it.
        count: how many, or 0 if there is nothing to count.
        source: the source of its VP, which may be 0, or None for an event that brings none.
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

    `after` is the next decision, or a forced move before it that `observer` cannot recognize as
    forced (see `Position.watched`). In that case, what follows from that move is omitted.
    """
    events = before.events(action, observer)
    legal = after.legal()
    later = after.events(legal[0], observer) if len(legal) == 1 else []
    return events[: len(events) - len(later)]
