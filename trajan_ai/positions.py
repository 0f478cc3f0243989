"""Position files: what a player at a real table knows, as YAML or JSON. See docs/positions.md."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core import yamlfile
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.games import game as game_named

FORMAT = "trajan-ai/position"
VERSION = 1


def position_file(position: Position, player: int) -> dict[str, Any]:
    """Return the position file of what `player` knows in `position`, as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": position.game.name,
        **position.view(player),
    }


def parse(data: Any, place: str = "position") -> Position:
    """Return a position that looks to its player like the position file `data`.

    What the player does not know is filled in canonically, so searching it gives what searching
    the true position would. Raises TrajanError with every contradiction and its place.
    """
    if not isinstance(data, dict):
        raise TrajanError(f"{place}: a position file is a mapping, got {type(data).__name__}")
    body = dict(data)
    problems = []
    for key, value in (("format", FORMAT), ("version", VERSION)):
        if key not in body:
            problems.append(f"{place}: key {key!r} is missing; it is {value!r}")
        elif body.pop(key) != value:
            problems.append(f"{place}: {key} is {value!r}, got {data[key]!r}")
    if "game" not in body:
        problems.append(f"{place}: key 'game' is missing")
    if problems:
        raise TrajanError(*problems)
    try:
        return game_named(str(body.pop("game"))).rules.from_view(body)
    except TrajanError as error:
        raise TrajanError(*(f"{place}: {problem}" for problem in error.problems)) from None


def read(path: str | os.PathLike[str]) -> Position:
    """Return the position of a file in YAML or JSON; raises TrajanError with all problems."""
    document = yamlfile.read_yaml(path)
    return parse(document.data, document.name)


def write(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Write a position file: JSON if `path` ends so, else YAML."""
    Path(path).write_text(dumps(data, as_json=str(path).endswith(".json")), encoding="utf-8")


def dumps(data: dict[str, Any], *, as_json: bool = False) -> str:
    """Return a position file as text."""
    if as_json:
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=98)
