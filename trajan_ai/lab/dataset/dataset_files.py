"""Make the Arrow tables of the data set, and read and write their files.

A part of a table is a file ``GAME/TABLE/players=N/NAME.parquet`` in the folder of the data set.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.core.atomic_file import draft_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.lab.dataset.batches import (
    Array,
    Columns,
    GameBatch,
    GameTape,
    seat_table,
    stage_table,
    turn_table,
    vp_names,
)

TABLES = ("games", "turns", "stages", "seats")
MAX_BATCH_BYTES = 4 * 2**20  # bytes of states in a batch; only its last game may exceed this
SPLIT = {"moves.list.element": "BYTE_STREAM_SPLIT"}  # the high bytes have few values


def import_extra(module: str) -> Any:
    """Return a module that the extra `data` installs; raise TrajanError if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise TrajanError(f"{error}; install it with pip install 'trajan-ai[data]'") from None


def arrow() -> Any:
    """Return the module pyarrow, with its module for Parquet files loaded."""
    import_extra("pyarrow.parquet")
    return import_extra("pyarrow")


def has_facts(game: Game) -> bool:
    """Return whether the data set has columns for a game besides those that every game has."""
    return game.name in ("trajan", "forum_trajanum")


def facts_of(game: Game) -> Any:
    """Return the module that computes a game's columns; raise TrajanError if there is none."""
    if not has_facts(game):
        raise TrajanError(
            f"{game.name}: for this game, the data set has only the tables games, seats and moves"
        )
    return import_module(f"trajan_ai.lab.dataset.of_{game.name}")


def tables_of(game: Game, games: Iterable[tuple[GameTape, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the Arrow tables by name, or no tables if there are no games.

    Each tape comes with those columns of the table `games` that do not follow from it. Games are
    consumed in batches, so only a few megabytes of states are in memory at a time.
    """
    parts: dict[str, list[Any]] = {table: [] for table in TABLES}
    batch: list[tuple[GameTape, Mapping[str, Any]]] = []
    room = MAX_BATCH_BYTES
    for one in games:
        batch.append(one)
        room -= len(one[0][1])
        if room < 0:
            _add(parts, game, batch)
            batch, room = [], MAX_BATCH_BYTES
    if batch:
        _add(parts, game, batch)
    return {table: arrow().concat_tables(one) for table, one in parts.items() if one}


def _add(
    parts: dict[str, list[Any]],
    game: Game,
    games: Sequence[tuple[GameTape, Mapping[str, Any]]],
) -> None:
    pa, facts = arrow(), facts_of(game)
    batch = GameBatch.of(game, facts.rules, [one for one, _ in games])
    heads = {key: [head[key] for _, head in games] for key in games[0][1]}
    ids, stage_of = np.array(heads["id"], np.int64), facts.stage_of(batch)
    parts["games"].append(pa.table(_games(pa, batch, heads)))
    tables = {
        "turns": turn_table(batch, ids, facts.turns),
        "stages": stage_table(batch, ids, stage_of, facts.STAGES, facts.stages),
        "seats": seat_table(batch, ids, facts.seats(batch)),
    }
    for table, columns in tables.items():
        words = [name for name, values in columns.items() if values.dtype == object]
        # the type is given because all values may be null
        typed = {name: pa.array(columns[name], pa.string()) for name in words}
        parts[table].append(pa.table(columns | typed))


def _games(pa: Any, batch: GameBatch, heads: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the columns of the table `games`; moves and results are lists of numbers."""
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
    """Return the path of a part."""
    return folder / game / table / f"players={players}" / f"{name}.parquet"


def write_part(games: Path, game: Game, tables: dict[str, Any]) -> None:
    """Write the tables of a part and, if it is missing, the file that lists the game's moves.

    `games` is the path for the table ``games``, which must be the first of `tables`. This table is
    written after all others, so that its file marks a complete part.
    """
    for table in reversed(tables):
        path = games.parents[2] / table / games.parent.name / games.name
        write_table(tables[table], path, games=table == "games")
    moves = games.parents[2] / "moves.parquet"
    if not moves.exists():
        actions = {"move": np.arange(len(game.actions), dtype=np.uint16), "action": game.actions}
        write_table(arrow().table(actions), moves)


def write_table(table: Any, path: Path, *, games: bool = False) -> None:
    """Write an Arrow table to a file atomically; with `games`, compress it more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words = [field.name for field in table.schema if str(field.type) == "string"]
    with draft_of(path) as draft:
        import_module("pyarrow.parquet").write_table(
            table,
            draft,
            compression="zstd",
            compression_level=9 if games else 3,
            use_dictionary=[name for name in words if name != "record"],
            column_encoding=SPLIT if games else None,
        )


def read_columns(path: Path, names: Sequence[str] = ()) -> Columns:
    """Return the named columns of a part (by default, all columns) as arrays."""
    table = import_module("pyarrow.parquet").read_table(path, columns=list(names) or None)
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
