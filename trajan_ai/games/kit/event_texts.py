"""Sentences about events, from a game's table of texts."""

from collections.abc import Mapping

from trajan_ai.core.events import Event

HIDDEN = "hidden"  # in a key: the thing that the observer does not learn


def choose_text(texts: Mapping[str, str], event: Event) -> str:
    """Return the text for an event, the most specific one of the table.

    A key is the name of a kind, followed by a thing, a count or both for events that differ from
    the others of their kind, such as ``draw hidden``, ``get_workers 1`` or ``ship pairs 1``.
    """
    thing = event.thing or HIDDEN
    keys = (
        f"{event.name} {thing} {event.count}",
        f"{event.name} {thing}",
        f"{event.name} {event.count}",
        event.name,
    )
    return next(texts[key] for key in keys if key in texts)
