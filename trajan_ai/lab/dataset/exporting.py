"""Records to parts of the data set, and back to the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai import records
from trajan_ai.analysis.signature import play_signature
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.plain import loads
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset import dataset_files, tape
from trajan_ai.lab.dataset.batches import Taped

GAMES_A_PART = 2048
# How the records of this program begin: with game and number of players.
BEGIN = re.compile(
    rb'\{"format":"trajan-ai/record","version":\d,"game":"(\w+)","players":([2-4]),'
)


@dataclass
class Exported:
    """What an export did: games written, games found in parts of an earlier run, what failed."""

    source: str
    written: int = 0
    found: int = 0
    problems: list[str] = field(default_factory=list)


Line = tuple[int, bytes]  # its number from 1, and what it holds


def export(lines: Iterable[bytes], source: str, folder: Path) -> Iterator[Exported]:
    """Write the records of `lines` to `folder`, in parts; those that are there already stay.

    `source` names the lines in messages and, shortened, in the files. A line that is no record, or
    does not replay, is told among the problems and left out. Yields what was done after each part.
    """
    done = Exported(source)
    stem = f"{Path(source).stem}-{hashlib.sha256(source.encode()).hexdigest()[:6]}"
    placed = ((place, line) for place, line in enumerate(lines, start=1) if line.strip())
    for number, chunk in enumerate(iter(lambda: list(islice(placed, GAMES_A_PART)), [])):
        groups: dict[tuple[str, int], list[Line]] = {}
        for place, line in chunk:
            try:
                groups.setdefault(_table_of(line), []).append((place, line))
            except TrajanError as error:
                done.problems += error.within(f"{source}:{place}").messages
        for (name, players), group in groups.items():
            path = dataset_files.part_path(folder, name, "games", players, f"{stem}-{number:06}")
            _export_part(game_named(name), group, path.with_suffix(""), done)
            yield done


def _table_of(line: bytes) -> tuple[str, int]:
    """Return game and players of a record; raises TrajanError if there are no tables for it."""
    begin = BEGIN.match(line)  # so that most lines are read only once
    if begin:
        name, players = begin[1].decode(), int(begin[2])
    else:
        entry = _record_of(line)
        name, players = entry["game"], entry["players"]
    dataset_files.facts_of(game_named(name))
    return name, players


def _record_of(line: bytes) -> records.Record:
    data = records.parse_object(line)
    entry = data if isinstance(data, TrajanError) else records.checked(data)
    if isinstance(entry, TrajanError):
        raise entry
    return entry


def _export_part(game: Game, group: list[Line], name: Path, done: Exported) -> None:
    digest = hashlib.sha256(b"".join(line for _, line in group)).hexdigest()[:12]
    path = name.with_name(f"{name.name}-{digest}.parquet")
    if path.exists():
        done.found += len(dataset_files.read_columns(path, ["place"])["place"])
        return
    for table in dataset_files.TABLES:  # of lines that were others
        for old in path.parents[2].glob(f"{table}/{path.parent.name}/{name.name}-*"):
            old.unlink()

    def played() -> Iterator[tuple[Taped, dict[str, Any]]]:
        for place, line in group:
            try:
                entry = _record_of(line)
                taped, actions = _replayed(game, entry)
            except TrajanError as error:
                done.problems += error.within(f"{done.source}:{place}").messages
                continue
            done.written += 1
            text, canonical = line.decode().rstrip("\n"), records.dumps(entry)
            # Written otherwise than this program writes, a record is kept as it is.
            plain = entry["actions"] == actions and canonical == text
            kept = head_of(game, entry) if plain else text
            yield taped, columns_of(game, entry, kept, canonical, place)

    found = dataset_files.tables_of(game, played())
    if found:
        dataset_files.write_part(path, game, found)


def _replayed(game: Game, entry: records.Record) -> tuple[Taped, list[list[Any]]]:
    """Return the arrays of a record and its actions as they are called here.

    Raises TrajanError if it does not replay to its result.
    """
    start = records.start(entry | {"actions": []})
    try:
        moves = array("H", [game.move(action) for _, action in entry["actions"]])
        taped = tape.replay(start, moves)
    except TrajanError:
        records.replay(entry)  # says where, and what was legal
        raise
    actions = _actions(game, taped)
    result = [taped[2], taped[3]] if taped[3] else [None, None]
    if [entry.get("scores"), entry.get("ranks")] != result or entry["actions"] != actions:
        records.replay(entry)
    return taped, actions


def _actions(game: Game, taped: Taped) -> list[list[Any]]:
    decisions = np.frombuffer(taped[0], "<u2").reshape(-1, 2).tolist()
    return [[mover, game.actions[move]] for move, mover in decisions]


def columns_of(
    game: Game, entry: records.Record, kept: str, name: str, place: int
) -> dict[str, Any]:
    """Return the columns of `games` that no play tells; `name` is what the id is a hash of."""
    return {
        "id": int(records.fingerprint(name), 16) >> 1,
        "place": place,
        "bots": json.dumps([bot.get("name") for bot in entry.get("x_bots", [])]),
        "options": json.dumps(entry["options"]),
        "engine": play_signature(game),
        "record": kept,
    }


def export_judged(path: Path, folder: Path) -> int:
    """Write the decisions of an annotated game as a part of its own; return their number.

    `path` is a file that `trajan-ai annotate` wrote; its summary of games has none. Raises
    TrajanError if it is another.
    """
    try:
        judged = loads(path.read_bytes())
        if isinstance(judged, dict) and judged.keys() == {"players"}:
            return 0
        number = int(judged["record"], 16)
        rows = [judged_row(number >> 1, one) for one in judged["decisions"]]
        name = game_named(judged["game"]).name
        target = dataset_files.part_path(
            folder, name, "decisions", int(judged["players"]), f"{number:016x}"
        )
    except (OSError, ValueError, RecursionError, LookupError, TypeError) as error:
        raise TrajanError(f"{path}: no game that trajan-ai annotate wrote: {error}") from None
    write_judged(rows, target)
    return len(rows)


def write_judged(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows of judged decisions, with the same types where nothing was revealed."""
    table = dataset_files.arrow().Table.from_pylist(rows)
    luck = table["luck"].cast("double")
    dataset_files.write_table(
        table.set_column(table.column_names.index("luck"), "luck", luck), path
    )


def judged_row(number: int, one: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a decision of the game with an id."""
    loss, luck = one["loss"], one["luck"]
    return {
        "id": number,
        **{name: one[name] for name in ("ply", "turn")},
        "seat": one["player"],
        **{name: one[name] for name in ("kind", "action", "best", "grade")},
        "value_before": one["expected"]["margin"],
        "value_after": one["made"]["margin"],
        "loss": loss["margin"],
        "loss_error": loss["margin_error"],
        "loss_win": loss["win"],
        "luck": luck and luck[one["player"]]["mean"],
    }


def head_of(game: Game, entry: records.Record) -> str:
    """Return a record as JSON, with null for what other columns or its seed of the deal tell."""
    blank = dict.fromkeys(key for key in ("actions", *records.RESULT) if key in entry)
    if type(entry.get("x_deal_seed")) is int and _dealt(game, entry) == entry["setup"]:
        blank["setup"] = None
    return records.dumps(entry | blank)


def _dealt(game: Game, entry: records.Record) -> Any:
    options = game.rules.check(entry["players"], entry["options"])
    return game.rules.deal(entry["players"], entry["x_deal_seed"], options)


def restore(folder: Path) -> Iterator[str]:
    """Yield the lines of all records of a folder of data, part by part as they were exported.

    Raises TrajanError if there are none, or where this engine no longer plays them so.
    """
    by_name: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/games/players=*/*.parquet")):
        by_name.setdefault(path.stem.rpartition("-")[0], []).append(path)
    if not by_name:
        raise TrajanError(f"{folder}: holds no exported games; name the folder of --to")
    for paths in by_name.values():
        found = [one for path in paths for one in lines_of(path)]
        yield from (line for _, _, line in sorted(found))


def lines_of(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the records of a part of `games`: place, id, and line."""
    columns = dataset_files.read_columns(path, ["place", "id", "record", "moves"])
    for place, number, record, moves in zip(*columns.values(), strict=True):
        yield place, number, _line(game_named(path.parts[-4]), record, moves)


def _line(game: Game, record: str, moves: Any) -> str:
    """Return the line of a record from what is kept of it and its moves."""
    entry = json.loads(record)
    if entry["actions"] is not None:
        return record
    entry["setup"] = entry["setup"] or _dealt(game, entry)
    start = records.start({key: entry[key] for key in records.NEEDED} | {"actions": []})
    taped = tape.replay(start, moves)
    filled = {"actions": _actions(game, taped), "scores": taped[2], "ranks": taped[3]}
    return records.dumps(entry | {key: filled[key] for key in filled if key in entry})
