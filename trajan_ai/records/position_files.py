"""Position files: what one player knows of a game, as YAML or JSON (docs/positions.md)."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core import yamlfile
from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.game import Position
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasFiles
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


def parse(data: Any, source: str = "position") -> Position:
    """Return a position that looks to its observer like the position file `data`.

    Args:
        data: the file as plain data.
        source: the name of the file in messages.

    Unknown parts are filled in canonically, so that a search returns the same result as for the
    true position. Raises TrajanError with every contradiction and its place.
    """
    return of_document(yamlfile.Document(source, data, {}))


def read(path: str | os.PathLike[str]) -> Position:
    """Return the position of a position file in YAML or JSON.

    Raises TrajanError with all problems, each with its line. `position_sources.read` also accepts
    records.
    """
    return of_document(yamlfile.read_yaml(path))


def of_document(document: yamlfile.Document) -> Position:
    """Return the position of a parsed file; raise TrajanError as `read` does."""
    try:
        return _parsed(document.data)
    except TrajanError as error:
        raise TrajanError(*(document.located(one) for one in error.problems)) from None


def _parsed(data: Any) -> Position:
    if not isinstance(data, dict):
        raise TrajanError(f"a position file must be a mapping, got {quoted(data)}")
    problems = []
    for key, value in (("format", FORMAT), ("version", VERSION)):
        if key not in data:
            problems.append(Problem(f"is missing; it must be {value!r}", (key,)))
        elif data[key] != value:
            problems.append(Problem(f"must be {value!r}, got {quoted(data[key])}", (key,)))
    if "game" not in data:
        problems.append(Problem("is missing; name a game, such as trajan", ("game",)))
    else:
        try:
            rules = game_named(str(data["game"])).rules
        except TrajanError as error:
            problems += [replace(problem, place=("game",)) for problem in error.problems]
    if problems:
        raise TrajanError(*problems)
    body = {key: value for key, value in data.items() if key not in ("format", "version", "game")}
    files = offered(rules, HasFiles)
    return rules.from_view(body) if files is None else files.from_file(body)


def write(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Write a position file, as JSON if `path` ends in .json and as YAML otherwise."""
    Path(path).write_text(dumps(data, as_json=str(path).endswith(".json")), encoding="utf-8")


def dumps(data: dict[str, Any], *, as_json: bool = False) -> str:
    """Return a position file as text."""
    if as_json:
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    return yaml.safe_dump(
        data, sort_keys=False, allow_unicode=True, width=98, default_flow_style=None
    )
