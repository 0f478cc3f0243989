"""Playing a study: chunks of games, each written as parts of the data set when it is done."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from trajan_ai import playing, records
from trajan_ai.core.seeds import derive_seed
from trajan_ai.dataset import exporting, tables, tape
from trajan_ai.dataset.batches import Taped
from trajan_ai.games import game as game_named
from trajan_ai.study.plan import Chunk, Study
from trajan_ai.tournaments import backends

POLICY = {"name": "policy"}


def part_of(chunk: Chunk, table: str, folder: Path) -> Path:
    """Return the file in which a chunk's rows of a table are."""
    where = chunk.table
    return tables.part_path(where.folder(folder), where.game, table, where.players, chunk.name)


def play(study: Study, folder: Path, jobs: int, tell: Callable[[int, int], None]) -> None:
    """Play the chunks that are not there yet."""
    chunks = list(study.chunks())
    missing = [chunk for chunk in chunks if not part_of(chunk, "games", folder).exists()]
    done = len(chunks) - len(missing)
    work = partial(play_chunk, folder=folder.resolve())
    results: Iterator[Any]
    if study.file.backend == "dask":
        results = backends.called_on_cluster(study.file.scheduler, jobs, work, missing)
    elif jobs == 1:
        results = map(work, missing)
    else:
        results = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
            delayed(work)(chunk) for chunk in missing
        )
    for _ in results:
        done += 1
        tell(done, len(chunks))


def play_chunk(chunk: Chunk, folder: Path) -> None:
    """Play a chunk and write its parts; every deal is played twice, with other draws."""
    table, words = chunk.table, exporting.Words()
    game = game_named(table.game)
    bots = [table.bot] * table.players
    weights = [game.default_weights or ()] * table.players

    def played() -> Iterator[tuple[Taped, dict[str, Any]]]:
        for k in range(chunk.games):
            name = (chunk.seed, table.layer, *table.key, chunk.number)
            deal_seed = derive_seed("study deal", *name, k // 2)
            seed = derive_seed("study game", *name, k)
            if table.bot is None:
                start = game.start(table.players, deal_seed, **table.options)
                taped = tape.play(start, weights, seed)
                told = [POLICY] * table.players
            else:
                one = playing.play_game(game, bots, (deal_seed, seed), table.options)
                if one.failed is not None:
                    raise one.failed
                start = one.start
                moves = array("H", [game.move(action) for _, action in one.actions])
                taped = tape.replay(start, moves)
                told = [table.bot.portable()] * table.players
            # Without its moves, which the arrays hold: they are not read twice.
            entry = records.record(
                start, [], x_bots=told, x_deal=chunk.number * chunk.games + k // 2,
                x_deal_seed=deal_seed, x_seed=seed,
            )  # fmt: skip
            identity = exporting.identity(json.dumps([*name, k]))
            yield taped, exporting.head_of(entry, words) | {
                "id": identity, "place": k + 1, "line": None,
            }  # fmt: skip

    found = tables.tables_of(game, table.players, played())
    metadata = {tables.WORDS: words.by_key}
    tables.write_part(table.folder(folder), game, table.players, chunk.name, found, metadata)
