"""Sentences about events, from a game's table of texts."""

from collections.abc import Mapping

from trajan_ai.core.events import Event

HIDDEN = "hidden"  # in a key: stands for a thing that the observer does not learn


def choose_text(texts: Mapping[str, str], event: Event) -> str:
    """Return the most specific text of the table for an event.

    A key is the name of a kind of event. If some events of a kind need another text, their keys
    add a thing, a count or both, as in ``draw hidden``, ``get_workers 1`` or ``ship pairs 1``.
    """
    thing = event.thing or HIDDEN
    keys = (
        f"{event.name} {thing} {event.count}",
        f"{event.name} {thing}",
        f"{event.name} {event.count}",
        event.name,
    )
    return next(texts[key] for key in keys if key in texts)
