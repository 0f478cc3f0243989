"""A position file as it is being written: what is wrong with it, and on which line."""

from __future__ import annotations

from typing import Any

from trajan_ai import positions
from trajan_ai.core.errors import TrajanError
from trajan_ai.files.yamlfile import parse_yaml
from trajan_ai.page.shown import drawn

NAME = "text"


def check(text: str) -> dict[str, Any]:
    """Return the problems of a position file's text, or its board and who decides.

    ``problems`` is a list of ``{"line": 12, "text": ..}``; the line is None for the whole file.
    """
    try:
        document = parse_yaml(text, NAME)
        position = positions.of_document(document)
    except TrajanError as error:
        told = [{"line": one.line, "text": one.message} for one in error.problems]
        return {"problems": told}
    observer = document.data.get("observer")
    view = position.game.rules.view(position, observer)
    return {
        "problems": [],
        "player": position.player,
        "players": [f"player {player}" for player in range(position.players)],
        "legal": len(position.legal()),
        **drawn(position, view, observer),
    }
