"""Records to parts of the data set, and back to the same bytes."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.signature import play_signature
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.dataset import tables, tape
from trajan_ai.dataset.batches import Taped
from trajan_ai.games import game as game_named

GAMES_A_PART = 4096
# Keys of a record that have columns of their own, in the order in which records hold them.
EXTRAS = {
    "x_bots": "bots",
    "x_id": "name",
    "x_deal": "deal",
    "x_deal_seed": "deal_seed",
    "x_seed": "seed",
}
WHOLE = {"x_deal": 2**31, "x_deal_seed": 2**64, "x_seed": 2**64}  # kept as numbers below these


@cache
def signature(name: str) -> str:
    """Return the play signature of the engine for a game."""
    return play_signature(game_named(name))


# ---- setups --------------------------------------------------------------------------------------


@dataclass
class Words:
    """What stands in setups: for each key the words met there, by their numbers."""

    by_key: dict[str, list[Any]] = field(default_factory=dict)
    _numbers: dict[str, dict[str, int]] = field(default_factory=dict)

    def packed(self, setup: Any) -> tuple[str, str]:
        """Return the shape of a setup as JSON, and its words: a character for each."""
        found: list[str] = []
        return _dumps(self._shape(setup, "", found)), "".join(found)

    def _shape(self, data: Any, key: str, found: list[str]) -> Any:
        if isinstance(data, dict):
            return {name: self._shape(part, name, found) for name, part in data.items()}
        if isinstance(data, list) and any(isinstance(part, dict | list) for part in data):
            return [self._shape(part, key, found) for part in data]
        if isinstance(data, list):
            found += [self._character(key, word) for word in data]
            return len(data)
        found.append(self._character(key, data))
        return None

    def _character(self, key: str, word: Any) -> str:
        numbers = self._numbers.setdefault(key, {})
        text = word if isinstance(word, str) else _dumps(word) + "\0"  # 1 is not "1"
        if text not in numbers:
            numbers[text] = len(numbers)
            self.by_key.setdefault(key, []).append(word)
        return chr(numbers[text])


def unpacked(shape: Any, characters: Iterator[str], words: Any, key: str = "") -> Any:
    """Return the setup of a shape and its characters: what `Words.packed` was given."""
    if isinstance(shape, dict):
        return {name: unpacked(part, characters, words, name) for name, part in shape.items()}
    if isinstance(shape, list):
        return [unpacked(part, characters, words, key) for part in shape]
    if shape is None:
        return words[key][ord(next(characters))]
    return [words[key][ord(next(characters))] for _ in range(shape)]


def _dumps(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


# ---- there ---------------------------------------------------------------------------------------


@dataclass
class Exported:
    """What an export did: games written, games found in parts of an earlier run, what failed."""

    written: int = 0
    found: int = 0
    problems: list[str] = field(default_factory=list)


Row = tuple[int, bytes, records.Record]  # number of the line from 1, the line, its record


def export(
    lines: Iterable[bytes], source: str, folder: Path, tell: Callable[[Exported], None]
) -> Exported:
    """Write the records of `lines` to `folder`, in parts; those that are there already stay.

    `source` names the lines in messages and, shortened, in the files. A line that is no record, or
    does not replay, is told among the problems and left out.
    """
    done = Exported()
    stem = f"{Path(source).stem}-{hashlib.sha256(source.encode()).hexdigest()[:6]}"
    placed = enumerate(lines, start=1)
    for number, chunk in enumerate(iter(lambda: list(islice(placed, GAMES_A_PART)), [])):
        groups: dict[tuple[str, int], list[Row]] = {}
        for place, line in chunk:
            if not line.strip():
                continue
            try:
                entry = records.parse(line, f"{source}:{place}")
                game = game_named(entry["game"])
                tables.facts_of(game)
            except TrajanError as error:
                done.problems += error.within(f"{source}:{place}").messages[:1]
                continue
            groups.setdefault((game.name, entry["players"]), []).append((place, line, entry))
        for (name, players), rows in groups.items():
            _export_part(game_named(name), players, rows, (source, f"{stem}-{number:06}"), folder,
                         done)  # fmt: skip
            tell(done)
    return done


def _export_part(
    game: Game,
    players: int,
    rows: list[Row],
    names: tuple[str, str],
    folder: Path,
    done: Exported,
) -> None:
    digest = hashlib.sha256(b"".join(line for _, line, _ in rows)).hexdigest()[:12]
    path = tables.part_path(folder, game.name, "games", players, f"{names[1]}-{digest}")
    if path.exists():
        done.found += len(tables.read_columns(path, ["place"])["place"])
        return
    for table in tables.TABLES:  # of lines that were others
        for old in path.parent.parent.parent.glob(f"{table}/players={players}/{names[1]}-*"):
            old.unlink()
    words, before = Words(), len(done.problems)

    def played() -> Iterator[tuple[Taped, dict[str, Any]]]:
        for place, line, entry in rows:
            try:
                arrays, head = exported(game, entry, words)
            except TrajanError as error:
                done.problems += error.within(f"{names[0]}:{place}").messages
                continue
            text = line.decode().rstrip("\n")
            result = {"scores": arrays[5], "ranks": arrays[6]}
            same = _restored(game, players, head | result, entry["setup"], entry["actions"])
            extra = {"id": identity(text), "place": place, "line": None if same == text else text}
            yield arrays, head | extra

    found = tables.tables_of(game, players, played())
    if found:
        tables.write_part(folder, game, players, path.stem, found, {tables.WORDS: words.by_key})
    done.written += len(rows) - (len(done.problems) - before)


def identity(text: str) -> int:
    """Return the number of a game: 63 bits of the SHA-256 of its record."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1


def exported(game: Game, entry: records.Record, words: Words) -> tuple[Taped, dict[str, Any]]:
    """Return the arrays of a record and its own columns; raises TrajanError if it does not replay."""
    start = records.start(entry)
    try:
        moves = array("H", [game.move(action) for _, action in entry["actions"]])
        arrays = tape.replay(start, moves)
    except TrajanError:
        records.replay(entry)  # says where, and what was legal
        raise
    result = [entry.get("scores"), entry.get("ranks")]
    if list(arrays[1]) != [player for player, _ in entry["actions"]] or result != (
        [None, None] if arrays[6] is None else [arrays[5], arrays[6]]
    ):
        records.replay(entry)
    return arrays, head_of(entry, words)


def head_of(entry: records.Record, words: Words) -> dict[str, Any]:
    """Return the columns of `games` that are in a record beside its play."""
    shape, setup = words.packed(entry["setup"])
    head: dict[str, Any] = dict.fromkeys(EXTRAS.values())
    extras = {}
    for key, value in entry.items():
        if key == "x_bots":
            head["bots"] = _dumps(value)
        elif (key == "x_id" and isinstance(value, str)) or (
            key in WHOLE and type(value) is int and 0 <= value < WHOLE[key]
        ):
            head[EXTRAS[key]] = value
        elif key.startswith("x_"):
            extras[key] = value
    return head | {
        "version": entry["version"],
        "options": _dumps(entry["options"]),
        "engine": signature(entry["game"]),
        "shape": shape,
        "setup": setup,
        "extras": _dumps(extras) if extras else None,
    }


# ---- and back ------------------------------------------------------------------------------------


def _restored(
    game: Game, players: int, row: dict[str, Any], setup: Any, actions: Sequence[Any]
) -> str:
    """Return the line of a record from its columns."""
    entry: records.Record = {
        "format": records.FORMAT,
        "version": row["version"],
        "game": game.name,
        "players": players,
        "options": json.loads(row["options"]),
        "setup": setup,
        "actions": actions,
    }
    if row["ranks"] is not None and any(row["ranks"]):
        entry |= {"scores": row["scores"], "ranks": row["ranks"]}
    for key, column in EXTRAS.items():
        if row[column] is not None:
            entry[key] = json.loads(row[column]) if key == "x_bots" else row[column]
    return records.dumps(entry | json.loads(row["extras"] or "{}"))


def restore(folder: Path) -> Iterator[str]:
    """Yield the lines of all records of a folder of data, part by part as they were exported.

    Raises TrajanError if there are none, or where this engine no longer plays them so.
    """
    parquet = import_module(f"{tables.arrow().__name__}.parquet")
    by_name: dict[str, list[Path]] = {}
    for path in folder.glob("*/games/players=*/*.parquet"):
        by_name.setdefault(path.stem.rpartition("-")[0], []).append(path)
    if not by_name:
        raise TrajanError(f"{folder}: holds no exported games; name the folder of --to")
    for name in sorted(by_name):
        found = []
        for path in sorted(by_name[name]):
            game = game_named(path.parts[-4])
            players = int(path.parent.name.partition("=")[2])
            table = parquet.ParquetFile(path).read()
            words = json.loads((table.schema.metadata or {}).get(tables.WORDS, b"{}"))
            for row in table.to_pylist():
                found.append((row["place"], _line(game, players, row, words)))
        yield from (line for _, line in sorted(found))


def _line(game: Game, players: int, row: dict[str, Any], words: Any) -> str:
    if row["line"] is not None:
        return str(row["line"])
    setup = unpacked(json.loads(row["shape"]), iter(row["setup"]), words)
    head = {"format": records.FORMAT, "version": row["version"], "game": game.name}
    head |= {"players": players, "options": json.loads(row["options"])}
    arrays = tape.replay(records.start(head | {"setup": setup, "actions": []}), row["moves"])
    made = zip(arrays[1], row["moves"], strict=True)
    actions = [[mover, game.actions[move]] for mover, move in made]
    return _restored(game, players, row, setup, actions)
