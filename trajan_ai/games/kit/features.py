"""Features of a game that are alike except for the thing that they count."""

from collections.abc import Iterable

from trajan_ai.core.rules import Feature


def each(name: str, things: Iterable[object], highest: int) -> list[Feature]:
    """Return a feature for each of the things, named ``NAME.THING``."""
    return [Feature(f"{name}.{thing}", highest) for thing in things]
