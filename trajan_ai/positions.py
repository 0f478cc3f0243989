"""Position files: what a player at a real table knows, as YAML or JSON. See docs/positions.md."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import HasFiles
from trajan_ai.files import yamlfile
from trajan_ai.games import game as game_named

FORMAT = "trajan-ai/position"
VERSION = 1

_KEY = re.compile(r"[^.\[\]]+")  # of a place such as players[0].trays.I
_UNKNOWN = re.compile(r"^: unknown key '([^']+)'")


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
        rules = game_named(str(body.pop("game"))).rules
        read_view = rules.from_file if isinstance(rules, HasFiles) else rules.from_view
        return read_view(body)
    except TrajanError as error:
        raise TrajanError(*(f"{place}: {problem}" for problem in error.problems)) from None


def read(path: str | os.PathLike[str]) -> Position:
    """Return the position of a file in YAML or JSON.

    Raises TrajanError with all problems, each with its line.
    """
    return of_document(yamlfile.read_yaml(path))


def of_document(document: yamlfile.Document) -> Position:
    """Return the position of a file that was read; raises TrajanError as `read` does."""
    try:
        return parse(document.data, document.name)
    except TrajanError as error:
        raise TrajanError(*(_with_line(document, problem) for problem in error.problems)) from None


def observer_of(path: str | os.PathLike[str]) -> int:
    """Return whose knowledge a position file holds; the first player's if everybody's."""
    observer = yamlfile.read_yaml(path).data.get("observer")
    return observer if isinstance(observer, int) else 0


def _with_line(document: yamlfile.Document, problem: str) -> str:
    """Return a problem, such as ``file: players[0].score: ..``, with the line of its place."""
    name, _, rest = problem.partition(": ")
    where, colon, _ = rest.partition(": ")
    keys: yamlfile.KeyPath = ()
    for part in _KEY.findall(where):
        number = int(part) if part.isdigit() else part
        path = next((p for p in ((*keys, part), (*keys, number)) if p in document.lines), None)
        if path is None:
            break
        keys = path
    unknown = _UNKNOWN.match(rest[len(where) :])
    if unknown and (*keys, unknown[1]) in document.lines:
        keys = (*keys, unknown[1])
    if not colon or not keys:
        return problem
    return f"{name}:{document.lines[keys]}: {rest}"


def write(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Write a position file: JSON if `path` ends so, else YAML."""
    Path(path).write_text(dumps(data, as_json=str(path).endswith(".json")), encoding="utf-8")


def dumps(data: dict[str, Any], *, as_json: bool = False) -> str:
    """Return a position file as text."""
    if as_json:
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    return yaml.safe_dump(
        data, sort_keys=False, allow_unicode=True, width=98, default_flow_style=None
    )
