"""Export records as parts of the data set, and restore them as the same bytes."""

import hashlib
import json
import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from trajan_ai import records
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.json_parsing import loads
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset import dataset_files, plain_tables, tape
from trajan_ai.lab.dataset.batches import GameTape

GAMES_PER_PART = 2048
# The beginning of a record that this program wrote, with the game and the number of players.
BEGIN = re.compile(
    rb'\{"format":"trajan-ai/record","version":\d,"game":"(\w+)","players":([2-4]),'
)

Line = tuple[int, bytes]  # number of the line, from 1, and its content


class Export:
    """An export of the records in one source to a folder of the data set.

    Attributes:
        written: the number of games written.
        existing: the number of games in parts that an earlier run wrote.
    """

    def __init__(self, source: str, folder: Path) -> None:
        """Prepare an export; `source` identifies the records in messages and in file names."""
        self.source, self.folder = source, folder
        self.written = self.existing = 0
        self._problems: list[str] = []

    def take_problems(self) -> list[str]:
        """Return the problems found since the last call, as lines with file and line number."""
        problems, self._problems = self._problems, []
        return problems

    def run(self, lines: Iterable[bytes]) -> Iterator[None]:
        """Write the records of `lines` in parts, and yield after each part.

        `run` also yields once after a chunk of lines that contains no record.

        Existing parts are kept. A line that contains no record, or a record that cannot be
        replayed, is skipped and reported as a problem. Only one part is in memory at a time.
        """
        digest = hashlib.sha256(self.source.encode()).hexdigest()[:6]
        stem = f"{Path(self.source).stem}-{digest}"
        numbered = (
            (place, line)
            for place, line in enumerate(lines, start=1)
            if not records.is_blank(line)
        )
        chunks = iter(lambda: list(islice(numbered, GAMES_PER_PART)), [])
        for number, chunk in enumerate(chunks):
            groups: dict[tuple[str, int], list[Line]] = {}
            for place, line in chunk:
                try:
                    groups.setdefault(_table_of(line), []).append((place, line))
                except TrajanError as error:
                    self._add_problem(place, error)
            for (name, players), group in groups.items():
                path = dataset_files.part_path(
                    self.folder, name, "games", players, f"{stem}-{number:06}"
                )
                self._write_part(game_named(name), group, path.with_suffix(""))
                yield
            if not groups:
                yield

    def _add_problem(self, place: int, error: TrajanError) -> None:
        self._problems += error.within(f"{self.source}:{place}").messages

    def _write_part(self, game: Game, group: list[Line], name: Path) -> None:
        digest = hashlib.sha256(b"".join(line for _, line in group)).hexdigest()[:12]
        path = name.with_name(f"{name.name}-{digest}.parquet")
        if path.exists():
            self.existing += len(dataset_files.read_columns(path, ["place"])["place"])
            return
        has_facts = dataset_files.has_facts(game)
        names = dataset_files.TABLES if has_facts else plain_tables.PLAIN_TABLES
        for table in names:  # parts of an earlier run whose lines have changed
            for old in path.parents[2].glob(f"{table}/{path.parent.name}/{name.name}-*"):
                old.unlink()
        if has_facts:
            tables = dataset_files.tables_of(game, self._rows(game, group))
        else:
            tables = plain_tables.plain_tables(list(self._plain_games(group)))
        if tables:
            dataset_files.write_part(path, game, tables)

    def _rows(self, game: Game, group: list[Line]) -> Iterator[tuple[GameTape, dict[str, Any]]]:
        for place, line in group:
            try:
                entry = records.parse(line, "")
                game_tape, actions = _replay(game, entry)
                text, canonical = line.decode("utf-8-sig").rstrip("\n"), records.dumps(entry)
                # A record that this program would have written differently is stored as it is.
                is_canonical = entry["actions"] == actions and canonical == text
                stored = head_of(game, entry) if is_canonical else text
                columns = columns_of(game, entry, stored, canonical, place)
            except TrajanError as error:
                self._add_problem(place, error)
                continue
            self.written += 1
            yield game_tape, columns

    def _plain_games(self, group: list[Line]) -> Iterator[plain_tables.PlainGame]:
        for place, line in group:
            try:
                entry = records.parse(line, "")
                text, canonical = line.decode("utf-8-sig").rstrip("\n"), records.dumps(entry)
                yield plain_tables.PlainGame.of(entry, head_columns(entry, text, canonical, place))
            except TrajanError as error:
                self._add_problem(place, error)
                continue
            self.written += 1


def _table_of(line: bytes) -> tuple[str, int]:
    """Return a record's game and number of players; raise TrajanError for an unknown game."""
    begin = BEGIN.match(line)  # tried first, so that most lines are parsed only once
    if begin:
        name, players = begin[1].decode(), int(begin[2])
    else:
        entry = records.parse(line, "")
        name, players = entry["game"], entry["players"]
    return game_named(name).name, players


def _replay(game: Game, entry: records.Record) -> tuple[GameTape, list[list[Any]]]:
    """Return the tape of a record, and its actions as the game spells them.

    Raises TrajanError if the record's actions do not lead to its result.
    """
    start = records.start(entry | {"actions": []})
    try:
        moves = array("H", [game.move(action) for _, action in entry["actions"]])
        game_tape = tape.replay(start, moves)
    except TrajanError:
        records.replay(entry)  # raises an error with the place and the legal actions
        raise
    actions = _actions(game, game_tape)
    result = [game_tape[2], game_tape[3]] if game_tape[3] else [None, None]
    if [entry.get("scores"), entry.get("ranks")] != result or entry["actions"] != actions:
        records.replay(entry)
    return game_tape, actions


def _actions(game: Game, game_tape: GameTape) -> list[list[Any]]:
    decisions = np.frombuffer(game_tape[0], "<u2").reshape(-1, 2).tolist()
    return [[mover, game.actions[move]] for move, mover in decisions]


def columns_of(
    game: Game, entry: records.Record, stored: str, name: str, place: int
) -> dict[str, Any]:
    """Return those columns of the table `games` that do not follow from the moves.

    Args:
        game: the game.
        entry: the record.
        stored: the text from which `restore` rebuilds the record.
        name: the text whose hash is the id.
        place: the number of the record's line in its source, from 1.
    """
    return {
        **head_columns(entry, stored, name, place),
        "engine": play_signature(game),
    }


def head_columns(entry: records.Record, stored: str, name: str, place: int) -> dict[str, Any]:
    """Return those columns of `columns_of` that every game has."""
    return {
        "id": int(records.fingerprint(name), 16) >> 1,
        "place": place,
        "bots": json.dumps(_bot_names(entry.get("x_bots"))),
        "options": json.dumps(entry["options"]),
        "record": stored,
    }


def _bot_names(bots: Any) -> list[str | None]:
    """Return the bots' names in ``x_bots``, if any; other programs may use the key differently."""
    names = [bot.get("name") if isinstance(bot, dict) else None
             for bot in (bots if isinstance(bots, list) else [])]  # fmt: skip
    return [name if isinstance(name, str) else None for name in names]


def export_judged(path: Path, folder: Path) -> int:
    """Write the decisions of an annotated game as a separate part; return their number.

    `path` is a file that `trajan-ai annotate` wrote; for a summary of several games, nothing is
    written. Raises TrajanError for any other file.
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
        raise TrajanError(f"{path}: not a file that trajan-ai annotate wrote: {error}") from None
    write_judged(rows, target)
    return len(rows)


def write_judged(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows of judged decisions; column types do not depend on the rows."""
    table = dataset_files.arrow().Table.from_pylist(rows)
    luck = table["luck"].cast("double")
    dataset_files.write_table(
        table.set_column(table.column_names.index("luck"), "luck", luck), path
    )


def judged_row(number: int, one: dict[str, Any]) -> dict[str, Any]:
    """Return a judged decision as columns; `number` is the id of its game."""
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
    """Return a record as JSON, with null for every value that follows from other columns.

    The setup is also null if it follows from the seed of the deal.
    """
    blank = dict.fromkeys(key for key in ("actions", *records.RESULT) if key in entry)
    if _deal(game, entry) == entry["setup"]:
        blank["setup"] = None
    return records.dumps({**entry, **blank})


def _deal(game: Game, entry: records.Record) -> Any:
    """Return the setup that a record's seed deals, or None if the record has no valid seed."""
    seed = entry.get("x_deal_seed")
    if type(seed) is not int or not 0 <= seed < 2**64:
        return None
    options = game.rules.check(entry["players"], entry["options"])
    return game.rules.deal(entry["players"], seed, options)


def restore(folder: Path) -> Iterator[str]:
    """Yield all records in a folder of the data set as lines, with one part in memory at a time.

    Raises TrajanError if the folder contains no records, or if this engine cannot replay a record.
    """
    by_name: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/games/players=*/*.parquet")):
        by_name.setdefault(path.stem.rpartition("-")[0], []).append(path)
    if not by_name:
        raise TrajanError(f"{folder}: contains no exported games; name the folder of an export")
    for paths in by_name.values():
        lines = [one for path in paths for one in lines_of(path)]
        yield from (line for _, _, line in sorted(lines))


def lines_of(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the place, the id and the line of each record in a part of `games`."""
    columns = dataset_files.read_columns(path, ["place", "id", "record", "moves"])
    for place, number, record, moves in zip(*columns.values(), strict=True):
        yield place, number, _line(game_named(path.parts[-4]), record, moves)


def _line(game: Game, record: str, moves: Any) -> str:
    """Return the line of a record from its stored text and its moves."""
    entry = json.loads(record)
    if entry["actions"] is not None:
        return record
    entry["setup"] = entry["setup"] or _deal(game, entry)
    needed = {key: entry[key] for key in records.NEEDED} | {"actions": []}
    start = records.start(cast(records.Record, needed))
    game_tape = tape.replay(start, moves)
    filled = {"actions": _actions(game, game_tape), "scores": game_tape[2], "ranks": game_tape[3]}
    return records.dumps(entry | {key: filled[key] for key in filled if key in entry})
