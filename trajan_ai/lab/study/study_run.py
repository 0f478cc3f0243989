"""Playing a study: chunks of games, each written as parts of the data set when it is done."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.judging import Judging, plain
from trajan_ai.bots import game_loop
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset import dataset_files, exporting, tape
from trajan_ai.lab.dataset.batches import GameTape
from trajan_ai.lab.study.study_plan import AGAIN, Chunk, Study
from trajan_ai.tournaments import backends

POLICY = {"name": "policy"}


def part_of(chunk: Chunk, folder: Path, table: str) -> Path:
    """Return the file in which a chunk's rows of a table are."""
    where = chunk.table
    return dataset_files.part_path(
        where.folder(folder), where.game, table, where.players, chunk.name
    )


def games_of(chunk: Chunk, folder: Path, table: str) -> int:
    """Return of how many games a chunk's rows of a table are there: a plan may ask for more."""
    path = part_of(chunk, folder, table)
    return len(set(dataset_files.read_columns(path, ["id"])["id"])) if path.exists() else 0


def play(study: Study, folder: Path, jobs: int, tell: Callable[[int, int], None]) -> None:
    """Play and judge the chunks that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    chunks = list(study.chunks())
    missing = [
        chunk
        for chunk in chunks
        if games_of(chunk, folder, "games") < chunk.games
        or games_of(chunk, folder, "decisions") < chunk.judged
    ]
    done = len(chunks) - len(missing)
    work = partial(do_chunk, folder=folder.resolve())
    with backends.Cluster(study.file.scheduler, jobs) as cluster:
        results: Iterator[Any]
        if study.file.backend == "dask":
            results = cluster.map(work, missing)
        else:
            results = backends.run_in_processes(work, missing, jobs)
        for _ in results:
            done += 1
            tell(done, len(chunks))


def do_chunk(chunk: Chunk, folder: Path) -> None:
    """Play a chunk, and judge what is to be judged of it, unless all of that is there."""
    if games_of(chunk, folder, "games") < chunk.games:
        play_chunk(chunk, folder)
    if games_of(chunk, folder, "decisions") < chunk.judged:
        rows = []
        games = exporting.lines_of(part_of(chunk, folder, "games"))
        for _, number, line in islice(games, 0, chunk.judged * AGAIN, AGAIN):
            judging = Judging(json.loads(line))
            judged = (plain(judging.judge_quickly(ply)) for ply in judging.plies)
            rows += [exporting.judged_row(number, one) for one in judged]
        exporting.write_judged(rows, part_of(chunk, folder, "decisions"))


def play_chunk(chunk: Chunk, folder: Path) -> None:
    """Play a chunk and write its parts; every deal is played twice, with other draws."""
    table = chunk.table
    game = game_named(table.game)
    bots = [table.bot] * table.players
    weights = [game.default_weights or ()] * table.players
    told = [POLICY if table.bot is None else table.bot.portable()] * table.players

    def played() -> Iterator[tuple[GameTape, dict[str, Any]]]:
        for k in range(chunk.games):
            name = (chunk.seed, table.layer, *table.key, chunk.number)
            seeds = derive_seed("study deal", *name, k // AGAIN), derive_seed("study", *name, k)
            if table.bot is None:
                start = game.start(table.players, seeds[0], **table.options)
                taped = tape.play(start, weights, seeds[1])
            else:
                one = game_loop.play_game(game, bots, seeds, table.options)
                if one.failed is not None:
                    raise one.failed
                start = one.start
                moves = array("H", [game.move(action) for _, action in one.actions])
                taped = tape.replay(start, moves)
            extra = {"x_bots": told, "x_deal_seed": seeds[0], "x_seed": seeds[1]}
            entry = records.record(start, []) | {"scores": [], "ranks": []} | extra
            kept = exporting.head_of(game, entry)
            yield taped, exporting.columns_of(game, entry, kept, repr((name, k)), k + 1)

    found = dataset_files.tables_of(game, played())
    dataset_files.write_part(part_of(chunk, folder, "games"), game, found)
