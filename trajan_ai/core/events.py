"""What happens when a move is made, as data."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class EventKind:
    """A kind of event: its name, and the names of the things that its events may concern."""

    name: str
    things: Sequence[str] = ()


@dataclass(frozen=True)
class Event:
    """Something that happened while a move was carried out, as an observer sees it.

    Attributes:
        name: the name of its kind.
        player: the player whom it concerns, None if it concerns nobody in particular.
        vp: the VP that the player gains or, below 0, loses.
        thing: the tile, card or place that it is about, None if there is none or the observer
            does not learn it.
        count: how many, 0 if there is nothing to count.
        source: the source of its VP, which may be 0; None for an event that brings none.
    """

    name: str
    player: int | None
    vp: int
    thing: str | None
    count: int
    source: str | None
