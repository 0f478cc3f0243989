"""Game records: one game, one JSON object; a file holds one object a line.

A record is plain data (a dict). It holds the whole shuffle, so a game replays from ``setup`` and
``actions`` alone. See docs/records.md for the format.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import changed_options
from trajan_ai.games import game as game_named

Record = dict[str, Any]

FORMAT = "trajan-ai/record"
VERSION = 1
NEEDED = ("format", "version", "game", "players", "options", "setup", "actions")
RESULT = ("scores", "ranks")


def record(
    start: Position,
    actions: Sequence[tuple[int, str]],
    final: Position | None = None,
    **extra: Any,
) -> Record:
    """Return the record of a game that began at `start`.

    `start` is what ``Game.start`` returned; `actions` every decision made, as (player, action);
    `final` the position after the last, needed for scores and ranks; `extra` keys ``x_...``.
    """
    if start.origin is None or start.ply != 0:
        raise TrajanError("a record begins at the position that Game.start returned")
    wrong = [key for key in extra if not key.startswith("x_")]
    if wrong:
        raise TrajanError(f"extra keys of a record begin with x_, got {', '.join(wrong)}")
    players, options, setup = start.origin
    result: Record = {
        "format": FORMAT,
        "version": VERSION,
        "game": start.game.name,
        "players": players,
        "options": changed_options(start.game.rules.options, players, options),
        "setup": setup,
        "actions": [[player, action] for player, action in actions],
    }
    if final is not None and final.player is None:
        result |= {"scores": final.scores, "ranks": final.ranks}
    return result | extra


def dumps(entry: Record) -> str:
    """Return the one line that stands for `entry` in a file, without its newline."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def write(path: str | os.PathLike[str], entries: Iterable[Record], *, append: bool = False) -> int:
    """Write records to `path`, one a line, and return their number."""
    count = 0
    with Path(path).open("a" if append else "w", encoding="utf-8") as file:
        for entry in entries:
            file.write(dumps(entry) + "\n")
            count += 1
    return count


def read(path: str | os.PathLike[str]) -> list[Record]:
    """Return the records of a file; raises TrajanError with line and reason on the first bad one.

    Checks the shape of each record, not its play: that is :func:`replay`'s work.
    """
    return list(scan(path))


def scan(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records of a file one by one, as :func:`read` does."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield parse(line, f"{path}:{number}")
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}; name a file of game records") from None
    except UnicodeDecodeError as error:
        raise TrajanError(f"{path}: not a text file in UTF-8 ({error.reason})") from None


def parse(line: str, place: str = "record") -> Record:
    """Return the record that one line of a file holds; `place` leads the error messages."""
    try:
        entry = json.loads(line, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise TrajanError(
            f"{place}: not a whole JSON object ({error.msg} at column {error.colno}); "
            "a record is one object on one line"
        ) from None
    except _DuplicateKey as error:
        raise TrajanError(f"{place}: the key {error.args[0]!r} stands twice") from None
    problems = _shape_problems(entry)
    if problems:
        raise TrajanError(*(f"{place}: {problem}" for problem in problems))
    return dict(entry)


def start(entry: Record) -> Position:
    """Return the first decision of a record."""
    problems = _shape_problems(entry)
    if problems:
        raise TrajanError(*problems)
    game = game_named(entry["game"])
    unknown = set(entry["options"]) - {option.name for option in game.rules.options}
    if unknown:
        raise TrajanError(f"options: unknown {', '.join(sorted(unknown))}")
    return game.restore(entry["players"], entry["setup"], **entry["options"])


def positions(entry: Record) -> Iterator[Position]:
    """Yield the position before each recorded action, and the one after the last.

    Raises TrajanError at an action that is not legal or not that player's.
    """
    position = start(entry)
    for number, (player, action) in enumerate(entry["actions"]):
        yield position
        if position.player is None:
            raise TrajanError(f"action {number}: {action!r} after the end of the game")
        if player != position.player:
            raise TrajanError(
                f"action {number}: player {player} acts, but player {position.player} decides; "
                f"legal: {_legal_list(position)}"
            )
        try:
            position = position.after(action)
        except TrajanError:
            raise TrajanError(
                f"action {number}: {action!r} of player {player} is not legal; "
                f"legal: {_legal_list(position)}"
            ) from None
    yield position


def replay(entry: Record, ply: int | None = None) -> Position:
    """Return the position of a record after `ply` actions, or after all of them.

    After all, the recorded scores and ranks are checked against the replayed ones. Raises
    TrajanError with action number, player and what was legal.
    """
    if ply is not None and not 0 <= ply <= len(entry["actions"]):
        raise TrajanError(f"ply must be 0 to {len(entry['actions'])}, got {ply}")
    position = None
    for position in positions(entry):
        if position.ply == ply:
            return position
    assert position is not None
    _check_result(entry, position)
    return position


def verify(entry: Record) -> Position:
    """Replay a record and check also its ``x_legal`` and ``x_scores``, where it has them."""
    legal, scores = entry.get("x_legal"), entry.get("x_scores")
    for name, kept in (("x_legal", legal), ("x_scores", scores)):
        if kept is not None and len(kept) != len(entry["actions"]):
            raise TrajanError(f"{name}: {len(kept)} entries for {len(entry['actions'])} actions")
    for position in positions(entry):
        if position.ply == len(entry["actions"]):
            break
        if legal is not None and legal[position.ply] != legal_digest(position):
            raise TrajanError(
                f"action {position.ply}: the legal actions of player {position.player} are not "
                f"the recorded ones (number and hash {legal[position.ply]}); "
                f"replayed: {legal_digest(position)}, {_legal_list(position)}"
            )
        if scores is not None and scores[position.ply] != position.scores:
            raise TrajanError(
                f"action {position.ply}: scores {scores[position.ply]} recorded, "
                f"{position.scores} replayed"
            )
    _check_result(entry, position)
    return position


def legal_digest(position: Position) -> list[int | str]:
    """Return [number of legal actions, first 8 hex digits of their SHA-256]: ``x_legal``."""
    legal = sorted(position.legal())
    return [len(legal), hashlib.sha256("\n".join(legal).encode()).hexdigest()[:8]]


def _check_result(entry: Record, position: Position) -> None:
    if position.player is not None:
        if "scores" in entry:
            raise TrajanError(
                f"after action {len(entry['actions'])}: the record has scores, but player "
                f"{position.player} is still to decide; legal: {_legal_list(position)}"
            )
        return
    if "scores" not in entry:
        raise TrajanError("the game is over, but the record has no scores and ranks")
    for name, replayed in (("scores", position.scores), ("ranks", position.ranks)):
        if entry[name] != replayed:
            raise TrajanError(f"{name}: {entry[name]} recorded, {replayed} replayed")


def _legal_list(position: Position) -> str:
    return ", ".join(sorted(position.legal())) or "nothing, the game is over"


class _DuplicateKey(Exception):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKey(next(name for name in names if names.count(name) > 1))
    return result


def _shape_problems(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return [f"a record is a JSON object, got {type(entry).__name__}"]
    problems = [f"key {key!r} is missing" for key in NEEDED if key not in entry]
    problems += [
        f"unknown key {key!r}; keys of your own begin with x_"
        for key in entry
        if key not in NEEDED and key not in RESULT and not key.startswith("x_")
    ]
    if ("scores" in entry) != ("ranks" in entry):
        problems.append("a finished record has scores and ranks, an unfinished one neither")
    if problems:
        return problems
    if entry["format"] != FORMAT:
        problems.append(f"format is {FORMAT!r}, got {entry['format']!r}")
    if entry["version"] != VERSION or isinstance(entry["version"], bool):
        problems.append(f"version is {VERSION}, got {entry['version']!r}")
    for key, kind, name in (
        ("game", str, "a name"),
        ("options", dict, "an object"),
        ("setup", dict, "an object"),
        ("actions", list, "a list"),
    ):
        if not isinstance(entry[key], kind):
            problems.append(f"{key} is {name}, got {entry[key]!r:.40}")
    if type(entry["players"]) is not int or entry["players"] not in (2, 3, 4):
        problems.append(f"players is 2, 3 or 4, got {entry['players']!r}")
    elif isinstance(entry["actions"], list):
        problems += _action_problems(entry["actions"])
    for key in RESULT:
        if key in entry and not _is_list_of_int(entry[key]):
            problems.append(f"{key} is a list of integers, got {entry[key]!r:.40}")
    return problems


def _action_problems(actions: list[Any]) -> list[str]:
    return [
        f"action {number}: an action is [player, string], got {action!r:.40}"
        for number, action in enumerate(actions)
        if not (
            isinstance(action, list)
            and len(action) == 2
            and type(action[0]) is int
            and isinstance(action[1], str)
        )
    ]


def _is_list_of_int(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)
