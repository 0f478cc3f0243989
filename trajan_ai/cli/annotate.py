"""`trajan-ai annotate`: judge every decision of recorded games; separate luck from skill."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.analysis import accounts, advice, annotation_page, judging
from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.judging import Judge, Judging
from trajan_ai.bots import Bot, read_bot
from trajan_ai.cli.common import StatusLine
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.core.whole import write_whole
from trajan_ai.core.yamlfile import Document
from trajan_ai.games import game as game_named
from trajan_ai.games.drawing.text_layout import columns
from trajan_ai.records import position_sources
from trajan_ai.records.following import FollowedGame

Game = records.Record | FollowedGame
SUMMARY = "summary"


def run(arguments: argparse.Namespace) -> int:
    """Annotate games; the status is 1 if a record could not be annotated."""
    advice.check_limits(arguments.iterations, arguments.time)
    bot = read_bot(arguments.bot or DEFAULT_BOT)
    advice.settings_of(bot)  # raises for a bot that does not search
    judge_of = cache(partial(_prepare_judge, arguments, None if arguments.bot is None else bot))
    folder = Path(arguments.out)
    entries = list(_entries(arguments.files))
    folder.mkdir(parents=True, exist_ok=True)
    done: list[dict[str, Any]] = []
    failed: list[str] = []
    try:
        for number, (name, place, entry) in enumerate(entries, start=1):
            try:
                judge = judge_of(judging.game_of(entry).name)
                game = _annotate(name, entry, judge, folder, f"game {number} of {len(entries)}")
            except TrajanError as error:
                failed += error.within(place).messages
                continue
            done.append(game | {"page": f"{name}.html"})
    except KeyboardInterrupt:
        _finish(arguments, done)
        print(
            f"{len(done)} of {_games(len(entries))} done; the same command continues",
            file=sys.stderr,
        )
        raise
    _finish(arguments, done)
    for problem in failed:
        print(f"trajan-ai annotate: {problem}", file=sys.stderr)
    return 1 if failed else 0


def _entries(files: list[str]) -> Iterator[tuple[str, str, Game]]:
    """Yield the name of the output, the place and the game of every record of the files."""
    names: set[str] = set()
    for file in files:
        entries = list(_games_of(file))
        if not entries:
            raise TrajanError(f"{file}: contains no game records")
        for number, (place, entry) in enumerate(entries, start=1):
            stem = Path(file).stem + (f"-{number}" if len(entries) > 1 else "")
            name, twice = stem, 1
            while name in names or name == SUMMARY:
                twice += 1
                name = f"{stem}_{twice}"
            names.add(name)
            yield name, place, entry


def _games_of(file: str) -> Iterator[tuple[str, Game]]:
    for place, entry in position_sources.scan(file):
        if isinstance(entry, TrajanError):
            raise entry.within(place)
        if isinstance(entry, Document):
            raise TrajanError(f"{file}: not a file of game records")
        yield place, entry


def _prepare_judge(arguments: argparse.Namespace, bot: Bot | None, game: str) -> Judge:
    """Return the judge of the run for a game."""
    return judging.prepare_judge(
        game_named(game),
        bot,
        iterations=arguments.iterations,
        seconds=arguments.time,
        seed=arguments.seed,
    )


def _annotate(name: str, entry: Game, judge: Judge, folder: Path, which: str) -> dict[str, Any]:
    status = StatusLine()
    record = entry.record() if isinstance(entry, FollowedGame) else entry
    earlier = _read_earlier(folder, name, judge.describe_task(record))
    if earlier is not None:
        return earlier

    def progress(done: int, total: int) -> None:
        status.show(f"{name}, {which}: decision {done} of {total}")

    annotation = Judging(entry, judge).annotate(progress)
    data = accounts.to_dict(annotation)
    write_whole(folder / f"{name}.html", [annotation_page.render(annotation, data)])
    # Last, because this file marks the game as complete.
    write_whole(folder / f"{name}.json", [json.dumps(data)])
    status.show("")
    return data


def _read_earlier(folder: Path, name: str, task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the data of an earlier run with the same task, or None."""
    try:
        data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or any(data.get(key) != task[key] for key in task):
        return None
    return data if (folder / f"{name}.html").exists() else None


def _finish(arguments: argparse.Namespace, done: list[dict[str, Any]]) -> None:
    """Write and print the summary of the annotated games."""
    folder, rows = Path(arguments.out), accounts.summarize(done)
    if done:
        write_whole(folder / f"{SUMMARY}.html", [annotation_page.render_summary(rows, done)])
        write_whole(folder / f"{SUMMARY}.json", [json.dumps({"players": rows}, indent=1)])
    if arguments.json:
        games = [
            {key: game[key] for key in ("page", "game", "names", "scores", "accounts")}
            for game in done
        ]
        print(json.dumps({"out": str(folder), "games": games, "players": rows}))
    elif done:
        print(accounts.format_table(rows, columns(sys.stdout, TEXT_WIDTH)))
        print(f"\n{_games(len(done))} in {folder}: open {folder / SUMMARY}.html")


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
