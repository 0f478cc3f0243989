"""`trajan-ai annotate`: judge every decision of recorded games, luck and skill apart."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.analysis import accounts, advice, annotation_page, judging
from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.bots import Bot, read_bot
from trajan_ai.cli.common import StatusLine
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.core.whole import write_whole
from trajan_ai.games.drawing.text_layout import columns
from trajan_ai.records import following

Entry = records.Record | following.Table
SUMMARY = "summary"


def run(arguments: argparse.Namespace) -> int:
    """Annotate; the status is 1 if a record could not be."""
    bot = None if arguments.bot is None else read_bot(arguments.bot)
    advice.limited(bot or DEFAULT_BOT, arguments.iterations, arguments.time, None)  # checks them
    folder = Path(arguments.out)
    entries = list(_entries(arguments.files))
    folder.mkdir(parents=True, exist_ok=True)
    done: list[dict[str, Any]] = []
    failed: list[str] = []
    try:
        for number, (name, place, entry) in enumerate(entries, start=1):
            try:
                game = _game(name, entry, bot, arguments, f"game {number} of {len(entries)}")
            except TrajanError as error:
                failed += error.within(place).messages
                continue
            done.append(game | {"page": f"{name}.html"})
    except KeyboardInterrupt:
        _finish(arguments, done)
        print(
            f"{len(done)} of {_games(len(entries))} done; the same command goes on from here",
            file=sys.stderr,
        )
        raise
    _finish(arguments, done)
    for problem in failed:
        print(f"trajan-ai annotate: {problem}", file=sys.stderr)
    return 1 if failed else 0


def _entries(files: list[str]) -> Iterator[tuple[str, str, Entry]]:
    """Yield a name for the output, the place, and the game, of every record of the files."""
    names: set[str] = set()
    for file in files:
        entries = list(following.scan(file))
        if not entries:
            raise TrajanError(f"{file}: holds no game records")
        for number, (place, entry) in enumerate(entries, start=1):
            stem = Path(file).stem + (f"-{number}" if len(entries) > 1 else "")
            name, twice = stem, 1
            while name in names or name == SUMMARY:
                twice += 1
                name = f"{stem}_{twice}"
            names.add(name)
            yield name, place, entry


def _game(
    name: str, entry: Entry, bot: Bot | None, arguments: argparse.Namespace, which: str
) -> dict[str, Any]:
    folder, status = Path(arguments.out), StatusLine()
    how = {"iterations": arguments.iterations, "seconds": arguments.time, "seed": arguments.seed}
    played = entry.record() if isinstance(entry, following.Table) else entry
    found = _finished(folder, name, judging.task(played, bot, **how))
    if found is not None:
        return found

    def progress(made: int, total: int) -> None:
        status.show(f"{name}, {which}: decision {made} of {total}")

    annotation = judging.annotate(entry, bot, **how, progress=progress)
    data = accounts.to_dict(annotation)
    write_whole(folder / f"{name}.html", [annotation_page.page(annotation, data)])
    # Last: it says that the game is finished.
    write_whole(folder / f"{name}.json", [json.dumps(data)])
    status.show("")
    return data


def _finished(folder: Path, name: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an earlier run left of the same game, judged the same way, or None."""
    try:
        data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or any(data.get(key) != asked[key] for key in asked):
        return None
    return data if (folder / f"{name}.html").exists() else None


def _finish(arguments: argparse.Namespace, done: list[dict[str, Any]]) -> None:
    """Write and print the summary of the games that are annotated."""
    folder, rows = Path(arguments.out), accounts.summary(done)
    if done:
        write_whole(folder / f"{SUMMARY}.html", [annotation_page.summary_page(rows, done)])
        write_whole(folder / f"{SUMMARY}.json", [json.dumps({"players": rows}, indent=1)])
    if arguments.json:
        games = [
            {key: game[key] for key in ("page", "game", "names", "scores", "accounts")}
            for game in done
        ]
        print(json.dumps({"out": str(folder), "games": games, "players": rows}))
    elif done:
        print(accounts.table(rows, columns(sys.stdout, TEXT_WIDTH)))
        print(f"\n{_games(len(done))} in {folder}: open {folder / SUMMARY}.html")


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
