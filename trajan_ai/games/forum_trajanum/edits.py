"""Edits of a position file by clicks: the keys that belong to the places of the drawing."""

from collections.abc import Mapping
from typing import Any

from trajan_ai.core.errors import KeyPath

PLACES = {
    "score": ("players[{0}].score",),
    "time": ("round", "turn"),
    "ship": ("players[{0}].ship", "players[{0}].ship_tile"),
    "cell": (
        "players[{0}].buildings/{1}",
        "players[{0}].cranes/{1}",
        "players[{0}].face_up/{1}",
        "players[{0}].face_down/{1}",
    ),
    "citizens": ("players[{0}].citizens", "players[{0}].inactive"),
    "resource": ("players[{0}].resources",),
    "slider": ("players[{0}].slider",),
    "mosaic": ("players[*].forum/{0}",),
    "reserve": ("players[{0}].reserve",),
    "kept": ("players[{0}].kept", "players[{0}].passed"),
    "passed": ("players[{0}].passed", "players[{0}].kept"),
}


def list_dependent_edits(view: Mapping[str, Any], path: KeyPath) -> dict[KeyPath, Any]:
    """Return nothing: no key depends on another one."""
    return {}
