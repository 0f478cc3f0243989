"""Read, write, replay and verify game records: files with a game per line, as a JSON object.

A record is plain data, a dict of the type `Record`. It contains the whole shuffle, so that
``setup`` and ``actions`` are enough to replay a game. docs/records.md describes the format.
"""

import codecs
import difflib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.core.game import PLAYER_COUNTS, Position
from trajan_ai.core.json_parsing import loads
from trajan_ai.core.rules import changed_options, counts_in_words
from trajan_ai.games import game as game_named


class Record(TypedDict):
    """A record as plain data; docs/records.md describes its keys.

    A record may have further keys, which begin with ``x_`` and are defined by its writer.
    """

    format: str
    version: int
    game: str
    players: int
    options: dict[str, Any]
    setup: dict[str, Any]
    actions: list[list[Any]]
    scores: NotRequired[list[int]]
    ranks: NotRequired[list[int]]
    x_legal: NotRequired[Any]
    x_scores: NotRequired[Any]
    x_id: NotRequired[Any]
    x_bots: NotRequired[Any]
    x_deal: NotRequired[Any]
    x_deal_seed: NotRequired[Any]
    x_seed: NotRequired[Any]
    x_failure: NotRequired[Any]
    x_start_ply: NotRequired[Any]


Keys = Mapping[str, Any]  # a record of any kind, checked or not

FORMAT = "trajan-ai/record"
VERSION = 2  # version of new records
BOM = "\ufeff"  # some editors write it at the start of a file

# The versions that can be read, each with the default values of options that have changed since.
# Records omit options that have their default value.
DEFAULTS_THEN: dict[int, dict[str, dict[str, Any]]] = {
    1: {"forum_trajanum": {"worker_swap": "payment"}},
    2: {},
}
NEEDED = ("format", "version", "game", "players", "options", "setup", "actions")
RESULT = ("scores", "ranks")
LEGAL, SCORES = "x_legal", "x_scores"  # extra keys that `verify` compares; one entry per action
# The extra keys that have a meaning in this project. Any other x_ key is defined by its writer.
KNOWN_EXTRAS = tuple(key for key in Record.__annotations__ if key.startswith("x_"))


def record(
    start: Position,
    actions: Sequence[tuple[int, str]],
    final: Position | None = None,
    **extra: Any,
) -> Record:
    """Return the record of a game.

    Args:
        start: the position that ``Game.start`` returned.
        actions: every decision, as (player, action).
        final: the position after the last decision, which is required for the scores and ranks of
            a finished game.
        extra: additional keys, which begin with ``x_``.

    Raises TrajanError if `start` is any other position, or if an extra key does not begin with
    ``x_``.
    """
    if start.origin is None or start.ply != 0:
        raise TrajanError("a record must begin with the position that Game.start returned")
    wrong = [key for key in extra if not key.startswith("x_")]
    if wrong:
        raise TrajanError(f"extra keys of a record must begin with x_, got {', '.join(wrong)}")
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
        assert final.ranks is not None
        result["scores"], result["ranks"] = final.scores, final.ranks
    return cast(Record, result | extra)


def dumps(entry: Keys) -> str:
    """Return a record as a line of a file, without the newline."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def fingerprint(line: str) -> str:
    """Return 16 hex digits that identify the record in a line."""
    return hashlib.blake2b(line.encode(), digest_size=8).hexdigest()


def write(path: str | os.PathLike[str], entries: Iterable[Keys], *, append: bool = False) -> int:
    """Write records to a file, one per line, and return their number."""
    count = 0
    with Path(path).open("a" if append else "w", encoding="utf-8") as file:
        for entry in entries:
            file.write(dumps(entry) + "\n")
            count += 1
    return count


def read(path: str | os.PathLike[str]) -> list[Record]:
    """Return the records in a file, or raise TrajanError with line and reason at the first error.

    This checks the form of each record. `replay` checks the moves.
    """
    return list(scan(path))


def scan(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield the records in a file one by one; raise TrajanError as `read` does."""
    for place, entry in scan_all(path):
        if isinstance(entry, TrajanError):
            raise entry.within(place)
        yield entry


def scan_all(path: str | os.PathLike[str]) -> Iterator[tuple[str, Record | TrajanError]]:
    """Yield the place, ``file:line``, and the record of each line that is not blank.

    For a line without a valid record, yield an error instead of the record.
    """
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not is_blank(line):
                    data = parse_object(line)
                    entry = data if isinstance(data, TrajanError) else checked(data)
                    yield f"{path}:{number}", entry
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}; name a file of game records") from None


def is_blank(line: bytes) -> bool:
    """Return whether a line contains nothing but white space and a byte-order mark."""
    return not line.removeprefix(codecs.BOM_UTF8).strip()


def parse(line: str | bytes, place: str = "record") -> Record:
    """Return the record in a line of a file; messages begin with `place` unless it is empty."""
    data = parse_object(line)
    entry = data if isinstance(data, TrajanError) else checked(data)
    if isinstance(entry, TrajanError):
        raise entry.within(place)
    return entry


def checked(entry: Any) -> Record | TrajanError:
    """Return plain data as a record, or an error that lists all problems if its form is wrong."""
    problems = _shape_problems(entry)
    return TrajanError(*problems) if problems else cast(Record, dict(entry))


def parse_object(line: str | bytes, what: str = "record", read: Callable[..., Any] = loads) -> Any:
    """Return the parsed JSON of a line, or an error whose message calls the object `what`."""
    try:
        text = line.removeprefix(BOM) if isinstance(line, str) else line.decode("utf-8-sig")
        return read(text, object_pairs_hook=_unique_keys, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        return TrajanError(f"not UTF-8 text ({error.reason} at byte {error.start})")
    except json.JSONDecodeError as error:
        return TrajanError(
            f"not a complete JSON object ({error.msg} at column {error.colno}); "
            f"a {what} is one object on one line"
        )
    except RecursionError:
        return TrajanError(f"nested too deeply for a {what}")
    except ValueError as error:  # raised by the hooks, and for integers with too many digits
        return TrajanError(str(error))


def start(entry: Record) -> Position:
    """Return the position of a record before its first action."""
    _check_shape(entry)
    game = game_named(entry["game"])
    names = {option.name for option in game.rules.options}
    unknown = set(entry["options"]) - names
    if unknown:
        raise TrajanError(f"options: unknown {', '.join(sorted(unknown))}")
    then = DEFAULTS_THEN[entry["version"]].get(game.name, {})
    options = {name: value for name, value in then.items() if name in names} | entry["options"]
    return game.restore(entry["players"], entry["setup"], **options)


def positions(entry: Record) -> Iterator[Position]:
    """Yield the position before each recorded action, and the position after the last action.

    Raises TrajanError if an action is not legal or belongs to another player.
    """
    position = start(entry)
    for number, (player, action) in enumerate(entry["actions"]):
        yield position
        if position.player is None:
            raise TrajanError(f"action {number}: {action!r} comes after the end of the game")
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


def replay_all(entry: Record) -> list[Position]:
    """Return the position before each action of a record, and the position after the last action.

    Raises TrajanError if an action or the recorded result is wrong.
    """
    line = list(positions(entry))
    _check_result(entry, line[-1])
    return line


def player_names(entry: Record) -> tuple[str, ...]:
    """Return the names of the players: those of the bots in ``x_bots``, or else ``player 0`` etc.

    ``x_bots`` may contain anything, so entries that are not bots are ignored. Control characters
    are escaped.
    """
    players, bots = entry["players"], entry.get("x_bots")
    names: list[Any] = [None] * players
    if isinstance(bots, list) and len(bots) == players:
        names = [bot.get("name") if isinstance(bot, dict) else None for bot in bots]
    return tuple(
        printable(name) if isinstance(name, str) and name else default_name(player)
        for player, name in enumerate(names)
    )


def default_name(player: int) -> str:
    """Return the name for a player who has no other name."""
    return f"player {player}"


def replay(entry: Record, ply: int | None = None) -> Position:
    """Return the position of a record after `ply` actions, by default after all actions.

    After all actions, the recorded scores and ranks are compared with the replayed ones. Raises
    TrajanError if there is no such ply, if the result differs, or if an action is not legal; in
    the last case, the message contains the number of the action, the player and the legal actions.
    """
    _check_shape(entry)
    if ply is not None and not 0 <= ply <= len(entry["actions"]):
        raise TrajanError(f"ply must be 0 to {len(entry['actions'])}, got {ply}")
    position = None
    for position in positions(entry):
        if position.ply == ply:
            return position
    assert position is not None
    _check_result(entry, position)
    return position


@dataclass(frozen=True)
class Verdict:
    """The result of verifying a record.

    Attributes:
        position: the position after the last action.
        compared: "legal moves" and "scores" if the record contains them, and "result" (the final
            scores and ranks) if the game is over.
        warnings: sentences about extra keys that look misspelt and were therefore ignored.
    """

    position: Position
    compared: tuple[str, ...]
    warnings: tuple[str, ...]


def verify(entry: Record) -> Verdict:
    """Replay a record, and compare its ``x_legal``, ``x_scores`` and result, if present.

    Raises TrajanError at the first difference; the message contains the number of the action and
    both the recorded and the replayed values.
    """
    actions, legal, scores = entry["actions"], entry.get("x_legal"), entry.get("x_scores")
    for name, entries in ((LEGAL, legal), (SCORES, scores)):
        if entries is not None and len(entries) != len(actions):
            raise TrajanError(
                f"{name}: there are {len(entries)} entries for {len(actions)} actions"
            )
    for position in positions(entry):
        ply = position.ply
        if ply == len(actions):
            break
        if legal is not None and legal[ply] != legal_digest(position):
            raise TrajanError(
                f"action {ply}: the legal actions of player {position.player} are not the "
                f"recorded ones (number and hash {legal[ply]}); "
                f"the replayed ones are {legal_digest(position)}, {_legal_list(position)}"
            )
        if scores is not None and scores[ply] != position.scores:
            raise TrajanError(
                f"action {ply}: the record has the scores {scores[ply]}, but its moves lead to "
                f"{position.scores}"
            )
    _check_result(entry, position)
    names = {LEGAL: "legal moves", SCORES: "scores"}
    compared = tuple(name for key, name in names.items() if key in entry)
    if position.player is None:
        compared += ("result",)
    return Verdict(position, compared, tuple(_misspelt(entry)))


def checkable(entry: Record) -> Record:
    """Return a copy of a record with ``x_legal`` and ``x_scores``, which `verify` compares."""
    decisions = list(positions(entry))[: len(entry["actions"])]
    result = entry.copy()
    result["x_legal"] = [legal_digest(position) for position in decisions]
    result["x_scores"] = [position.scores for position in decisions]
    return result


def legal_digest(position: Position) -> list[int | str]:
    """Return an entry of ``x_legal``: [number of legal actions, first 8 hex digits of their
    SHA-256]."""
    legal = sorted(position.legal())
    return [len(legal), hashlib.sha256("\n".join(legal).encode()).hexdigest()[:8]]


def _check_result(entry: Record, position: Position) -> None:
    if position.player is not None:
        if "scores" in entry:
            raise TrajanError(
                f"after action {len(entry['actions'])}: the record has scores, but player "
                f"{position.player} still has to decide; legal: {_legal_list(position)}"
            )
        return
    if "scores" not in entry:
        raise TrajanError("the game is over, but the record has no scores and ranks")
    for name, recorded, replayed in (
        ("scores", entry["scores"], position.scores),
        ("ranks", entry["ranks"], position.ranks),
    ):
        if recorded != replayed:
            raise TrajanError(
                f"{name}: the record has {recorded}, but its moves lead to {replayed}"
            )


def _legal_list(position: Position) -> str:
    return ", ".join(sorted(position.legal())) or "none, because the game is over"


def _misspelt(entry: Record) -> Iterator[str]:
    for key in entry:
        near = difflib.get_close_matches(key, KNOWN_EXTRAS, n=1, cutoff=0.7)
        if key.startswith("x_") and key not in KNOWN_EXTRAS and near:
            yield f"the key {key!r} is ignored; did you mean {near[0]!r}?"


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"duplicate key {repeated!r:.60}")
    return result


def _check_shape(entry: Any) -> None:
    problems = _shape_problems(entry)
    if problems:
        raise TrajanError(*problems)


def key_problems(entry: Keys, needed: Sequence[str]) -> list[str]:
    """Return the problems in the keys of a record, which must have the keys `needed`."""
    problems = [f"key {key!r} is missing" for key in needed if key not in entry]
    problems += [
        f"unknown key {key!r}; additional keys must begin with x_"
        for key in entry
        if key not in needed and key not in RESULT and not str(key).startswith("x_")
    ]
    if ("scores" in entry) != ("ranks" in entry):
        problems.append(
            "a finished game must have scores and ranks, and an unfinished game neither"
        )
    return problems


def _shape_problems(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return [f"a record must be a JSON object, got {type(entry).__name__}"]
    problems = key_problems(entry, NEEDED)
    if problems:
        return problems
    if entry["format"] != FORMAT:
        problems.append(f"format must be {FORMAT!r}, got {entry['format']!r:.40}")
    if type(entry["version"]) is not int or entry["version"] not in DEFAULTS_THEN:
        versions = " or ".join(map(str, DEFAULTS_THEN))
        problems.append(f"version must be {versions}, got {entry['version']!r:.40}")
    for key, kind, name in (
        ("game", str, "a name"),
        ("options", dict, "an object"),
        ("setup", dict, "an object"),
        ("actions", list, "a list"),
    ):
        if not isinstance(entry[key], kind):
            problems.append(f"{key} must be {name}, got {entry[key]!r:.40}")
    if type(entry["players"]) is not int or entry["players"] not in PLAYER_COUNTS:
        problems.append(f"players must be {counts_in_words()}, got {entry['players']!r:.40}")
    elif isinstance(entry["actions"], list):
        problems += _action_problems(entry["actions"])
    for key in RESULT:
        if key in entry and not _is_list_of_int(entry[key]):
            problems.append(f"{key} must be a list of integers, got {entry[key]!r:.40}")
    return problems + _check_problems(entry)


def _check_problems(entry: Keys) -> list[str]:
    """Return the problems in the form of the entries that `verify` compares."""
    problems = []
    for key, is_valid, form in (
        (LEGAL, _is_number_and_text, "[number of legal actions, 8 hex digits]"),
        (SCORES, _is_list_of_int, "a list of integers"),
    ):
        if key not in entry:
            continue
        if not isinstance(entry[key], list):
            problems.append(
                f"{key} must be a list with an entry per action, got {entry[key]!r:.40}"
            )
            continue
        wrong = [number for number, item in enumerate(entry[key]) if not is_valid(item)]
        if wrong:
            problems.append(
                f"{key}: entry {wrong[0]} must be {form}, got {entry[key][wrong[0]]!r:.40}"
            )
    return problems


def _action_problems(actions: list[Any]) -> list[str]:
    return [
        f"action {number}: an action must be [player, string], got {action!r:.40}"
        for number, action in enumerate(actions)
        if not _is_number_and_text(action)
    ]


def _is_list_of_int(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)


def _is_number_and_text(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and type(value[0]) is int
        and isinstance(value[1], str)
    )
