"""Play a study: each completed chunk of games becomes a part of the data set."""

import json
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from trajan_ai import records
from trajan_ai.analysis.annotation.judging import Judging, plain
from trajan_ai.bots import game_loop
from trajan_ai.bots.bot_process import BotProcesses
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset import dataset_files, exporting, tape
from trajan_ai.lab.dataset.batches import GameTape
from trajan_ai.lab.study.study_plan import GAMES_PER_DEAL, Chunk, Study
from trajan_ai.tournaments import backends

POLICY = {"name": "policy"}


def part_of(chunk: Chunk, folder: Path, table: str) -> Path:
    """Return the file that contains a chunk's rows of a table."""
    condition = chunk.condition
    return dataset_files.part_path(
        condition.folder(folder), condition.game, table, condition.players, chunk.name
    )


def count_games(chunk: Chunk, folder: Path, table: str) -> int:
    """Return the number of games in a chunk's table; it is too small if the plan has grown."""
    path = part_of(chunk, folder, table)
    return len(set(dataset_files.read_columns(path, ["id"])["id"])) if path.exists() else 0


def play(study: Study, folder: Path, jobs: int, report: Callable[[int, int], None]) -> None:
    """Complete all chunks that lack games or analyses.

    Calls ``report(done, of)`` at the beginning and after each chunk. Raises TrajanError if
    another run is writing to the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        _play(study, folder, jobs, report)


def _play(study: Study, folder: Path, jobs: int, report: Callable[[int, int], None]) -> None:
    chunks = list(study.chunks())
    missing = [
        chunk
        for chunk in chunks
        if count_games(chunk, folder, "games") < chunk.games
        or count_games(chunk, folder, "decisions") < chunk.judged
    ]
    done = len(chunks) - len(missing)
    report(done, len(chunks))
    work = partial(complete_chunk, folder=folder.resolve())
    with backends.Cluster(study.file.scheduler, jobs) as cluster:
        results: Iterator[Any]
        if study.file.backend == "dask":
            results = cluster.map(work, missing)
        else:
            results = backends.run_in_processes(work, missing, jobs)
        for _ in results:
            done += 1
            report(done, len(chunks))


def complete_chunk(chunk: Chunk, folder: Path) -> None:
    """Play a chunk if games are missing, and analyse its decisions if analyses are missing."""
    if count_games(chunk, folder, "games") < chunk.games:
        play_chunk(chunk, folder)
    if count_games(chunk, folder, "decisions") < chunk.judged:
        rows = []
        games = exporting.lines_of(part_of(chunk, folder, "games"))
        for _, number, line in islice(games, 0, chunk.judged * GAMES_PER_DEAL, GAMES_PER_DEAL):
            judging = Judging(json.loads(line))
            judged = (plain(judging.judge_quickly(ply)) for ply in judging.plies)
            rows += [exporting.judged_row(number, one) for one in judged]
        exporting.write_judged(rows, part_of(chunk, folder, "decisions"))


def play_chunk(chunk: Chunk, folder: Path) -> None:
    """Play a chunk and write its parts; each deal is played twice, with different seeds."""
    condition = chunk.condition
    game, players = game_named(condition.game), condition.players
    bots = [condition.bot] * players
    weights = [game.default_weights or ()] * players
    descriptions = [POLICY if condition.bot is None else condition.bot.portable()] * players

    def play_games(processes: BotProcesses) -> Iterator[tuple[GameTape, dict[str, Any]]]:
        for k in range(chunk.games):
            name = (chunk.seed, condition.layer, *condition.key, chunk.number)
            seeds = (
                derive_seed("study deal", *name, k // GAMES_PER_DEAL),
                derive_seed("study", *name, k),
            )
            if condition.bot is None:
                start = game.start(players, seeds[0], **condition.options)
                game_tape = tape.play(start, weights, seeds[1])
            else:
                processes.begin()
                one = game_loop.play_game(
                    game, bots, seeds, condition.options, mind=processes.mind
                )
                processes.end()
                if one.failed is not None:
                    raise TrajanError(f"layer {condition.layer}: a bot failed: {one.failed}")
                start = one.start
                moves = array("H", [game.move(action) for _, action in one.actions])
                game_tape = tape.replay(start, moves)
            extra = {"x_bots": descriptions, "x_deal_seed": seeds[0], "x_seed": seeds[1]}
            entry = records.record(start, [])
            entry["scores"], entry["ranks"] = [], []
            entry = cast(records.Record, {**entry, **extra})
            stored = exporting.head_of(game, entry)
            yield game_tape, exporting.columns_of(game, entry, stored, repr((name, k)), k + 1)

    with closing(BotProcesses()) as processes:
        tables = dataset_files.tables_of(game, play_games(processes))
    dataset_files.write_part(part_of(chunk, folder, "games"), game, tables)
