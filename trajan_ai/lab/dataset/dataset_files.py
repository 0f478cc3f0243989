"""The tables of the data set: batches of games as Arrow tables, and parts of them as files.

A folder of data has a folder for each game, in it one for each table, in it one for each number of
players, in it the parts: ``trajan/games/players=2/NAME.parquet``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.lab.dataset.batches import (
    Array,
    Batch,
    Columns,
    Taped,
    seat_table,
    stage_table,
    turn_table,
    vp_names,
)

TABLES = ("games", "turns", "stages", "seats")
MOST_AT_ONCE = 4 * 2**20  # bytes of states that a batch holds, about
SPLIT = {"moves.list.element": "BYTE_STREAM_SPLIT"}  # the high bytes are few


def brought(module: str) -> Any:
    """Return a module that the extra `data` brings; raises TrajanError where it is not there."""
    try:
        return import_module(module)
    except ImportError as error:
        raise TrajanError(f"{error}; install it with pip install 'trajan-ai[data]'") from None


def arrow() -> Any:
    """Return the module pyarrow, that of Parquet files loaded too."""
    brought("pyarrow.parquet")
    return brought("pyarrow")


def facts_of(game: Game) -> Any:
    """Return the module that tells what is told of the game; raises TrajanError without one."""
    if game.name not in ("trajan", "forum_trajanum"):
        raise TrajanError(f"{game.name}: the data set has no tables for this game")
    return import_module(f"trajan_ai.lab.dataset.of_{game.name}")


def tables_of(game: Game, played: Iterable[tuple[Taped, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the Arrow tables of games: their arrays, and the columns of `games` no play tells.

    Draws the games as it goes, so that only a few megabytes of states are in memory.
    """
    found: dict[str, list[Any]] = {table: [] for table in TABLES}
    held: list[tuple[Taped, Mapping[str, Any]]] = []
    room = MOST_AT_ONCE
    for one in played:
        held.append(one)
        room -= len(one[0][1])
        if room < 0:
            _add(found, game, held)
            held, room = [], MOST_AT_ONCE
    if held:
        _add(found, game, held)
    return {table: arrow().concat_tables(parts) for table, parts in found.items() if parts}


def _add(
    found: dict[str, list[Any]],
    game: Game,
    played: Sequence[tuple[Taped, Mapping[str, Any]]],
) -> None:
    pa, facts = arrow(), facts_of(game)
    batch = Batch.of(game, facts.rules, [taped for taped, _ in played])
    heads = {key: [head[key] for _, head in played] for key in played[0][1]}
    ids, stage_of = np.array(heads["id"], np.int64), facts.stage_of(batch)
    found["games"].append(pa.table(_games(pa, batch, heads)))
    told = {
        "turns": turn_table(batch, ids, facts.turns),
        "stages": stage_table(batch, ids, stage_of, facts.STAGES, facts.stages),
        "seats": seat_table(batch, ids, facts.seats(batch)),
    }
    for table, columns in told.items():
        words = [name for name, values in columns.items() if values.dtype == object]
        typed = {name: pa.array(columns[name], pa.string()) for name in words}  # all may be null
        found[table].append(pa.table(columns | typed))


def _games(pa: Any, batch: Batch, heads: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the columns of `games`: lists by seat, the moves as a list of numbers."""
    kinds = {"id": pa.int64(), "place": pa.int32()}
    columns = {key: pa.array(v, kinds.get(key, pa.string())) for key, v in heads.items()}
    games, players = batch.scores.shape

    def by_seat(values: Array) -> Any:
        offsets = np.arange(0, values.size + 1, players, dtype=np.int32)
        return pa.ListArray.from_arrays(offsets, values.ravel())

    vp = np.zeros((games, players, batch.vp.shape[2]), np.int16)
    np.add.at(vp, batch.of_row, batch.vp)
    ends = np.concatenate([[0], np.cumsum(batch.lengths)]).astype(np.int32)
    return columns | {
        "moves": pa.ListArray.from_arrays(ends, batch.moves),
        "scores": by_seat(batch.scores),
        "ranks": by_seat(batch.ranks),
        "turns": by_seat(batch.turns_by_seat),
        **{name: by_seat(vp[..., k]) for k, name in enumerate(vp_names(batch.game))},
    }


def part_path(folder: Path, game: str, table: str, players: int, name: str) -> Path:
    """Return the file of a part."""
    return folder / game / table / f"players={players}" / f"{name}.parquet"


def write_part(games: Path, game: Game, tables: Mapping[str, Any]) -> None:
    """Write the tables of a part, `games` last: a part is there when its file of `games` is."""
    for table in reversed(TABLES):
        path = games.parents[2] / table / games.parent.name / games.name
        write_table(tables[table], path, games=table == "games")
    moves = games.parents[2] / "moves.parquet"
    if not moves.exists():
        actions = {"move": np.arange(len(game.actions), dtype=np.uint16), "action": game.actions}
        write_table(arrow().table(actions), moves)


def write_table(table: Any, path: Path, *, games: bool = False) -> None:
    """Write an Arrow table, whole or not at all; that of `games` is packed more tightly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words = [field.name for field in table.schema if str(field.type) == "string"]
    import_module("pyarrow.parquet").write_table(
        table,
        path.with_suffix(".draft"),
        compression="zstd",
        compression_level=9 if games else 3,
        use_dictionary=[name for name in words if name != "record"],
        column_encoding=SPLIT if games else None,
    )
    path.with_suffix(".draft").replace(path)


def read_columns(path: Path, names: Sequence[str] = ()) -> Columns:
    """Return columns of a part, all unless some are named, as arrays."""
    table = import_module("pyarrow.parquet").read_table(path, columns=list(names) or None)
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
