"""`trajan-ai annotate`: judge every decision of recorded games; separate luck from skill."""

import argparse
import json
import sys
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from trajan_ai.analysis.annotation import accounts, annotation_page, judging
from trajan_ai.analysis.annotation.judging import Judge, Judging
from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.calibration import calibration_of
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots import Bot, read_bot
from trajan_ai.bots.code_identity import hash_data
from trajan_ai.cli.common import StatusLine
from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.core.rules_files import hash_option_files
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.core.version import __version__
from trajan_ai.games.drawing.text_layout import columns
from trajan_ai.records import position_sources
from trajan_ai.records.following import AnyRecord, FollowedGame, RecordedGame

SUMMARY = "summary"


def run(arguments: argparse.Namespace) -> int:
    """Annotate games; the status is 1 if a record could not be annotated."""
    advice.check_limits(arguments.iterations, arguments.time)
    bot = read_bot(arguments.bot or DEFAULT_BOT)
    advice.searching_bot(bot)  # raises for a bot that does not search
    judge_of = cache(partial(_prepare_judge, arguments, None if arguments.bot is None else bot))
    for file in arguments.files:
        if not Path(file).exists():
            raise TrajanError(f"{file}: there is no such file")
    entries = _list_entries(arguments.files)
    first = next(entries)  # raises if the first file has no records, before anything is written
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    with lock_folder(folder), closing(RunSummary(folder, arguments.json)) as summary:
        try:
            for name, place, entry in chain([first], entries):
                try:
                    if isinstance(entry, TrajanError):
                        raise entry
                    judge = judge_of(judging.game_of(entry))
                    summary.add(name, _annotate(name, entry, judge, folder))
                except TrajanError as error:
                    failures += 1
                    for problem in error.within(place).messages:
                        print(f"trajan-ai annotate: {problem}", file=sys.stderr)
        except KeyboardInterrupt:
            summary.write()
            again = "run the same command again to continue"
            print(f"{summary.count()} done; {again}", file=sys.stderr)
            raise
        summary.write()
    return 1 if failures else 0


def _list_entries(files: list[str]) -> Iterator[tuple[str, str, RecordedGame | TrajanError]]:
    """Yield the name of the output, the place and the game for every record in the files.

    For a line that cannot be read, the error replaces the game. Raises TrajanError for a file
    without records.
    """
    names = {SUMMARY}
    for file in files:
        entries = position_sources.scan_games(file)
        begin = list(islice(entries, 2))
        is_single = len(begin) == 1
        for number, (place, entry) in enumerate(chain(begin, entries), start=1):
            stem = Path(file).stem + ("" if is_single else f"-{number}")
            name, copy = stem, 1
            while name in names:
                copy += 1
                name = f"{stem}_{copy}"
            if len(files) > 1:  # the outputs of one file have different names anyway
                names.add(name)
            yield name, place, entry


def _prepare_judge(arguments: argparse.Namespace, bot: Bot | None, game: Game) -> Judge:
    return judging.prepare_judge(
        game,
        bot,
        iterations=arguments.iterations,
        seconds=arguments.time,
        seed=arguments.seed,
    )


def _annotate(name: str, entry: RecordedGame, judge: Judge, folder: Path) -> dict[str, Any]:
    status = StatusLine()
    record = entry.record() if isinstance(entry, FollowedGame) else entry
    task = judge.describe_task(record) | {"identity": _identify(judge, record)}
    earlier = _read_earlier(folder, name, task)
    if earlier is not None:
        return earlier

    def progress(done: int, total: int) -> None:
        status.show(f"{name}: decision {done} of {total}")

    annotation = Judging(entry, judge).annotate(progress)
    data = accounts.to_dict(annotation) | task
    write_atomically(folder / f"{name}.html", [annotation_page.render(annotation, data)])
    # This file is written last, because it marks the game as complete.
    write_atomically(folder / f"{name}.json", [json.dumps(data)])
    status.show("")
    return data


def _identify(judge: Judge, record: AnyRecord) -> str:
    """Return a hash of everything that determines an annotation besides the record and limits.

    The hash covers the bot, weights, calibration, engine, and the files that the record names.
    """
    game, bot = judge.advisor.game, judge.advisor.settings
    parts: Mapping[str, Any] = {**record}
    files = hash_option_files(game.rules, parts.get("setup") or parts["start"])
    made_by = [__version__, play_signature(game), bot.makeup(game), files]
    # The weights are rounded to single precision, as in the playouts that measure luck.
    weights = list(array("f", game.default_weights or (0.0,)))
    data = json.dumps([made_by, weights, repr(calibration_of(game))], sort_keys=True)
    return hash_data(data.encode())


def _read_earlier(folder: Path, name: str, task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the data of an earlier run with the same task, or None."""
    try:
        data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or any(data.get(key) != task[key] for key in task):
        return None
    return data if (folder / f"{name}.html").exists() else None


class RunSummary:
    """The summary of the annotated games of a run. The games are not kept in memory."""

    def __init__(self, folder: Path, as_json: bool) -> None:
        self.folder = folder
        self.as_json = as_json
        self.totals = accounts.SeatTotals()
        self._games = 0
        # A JSON object per game.
        self._lines = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115

    def close(self) -> None:
        """Discard the games."""
        self._lines.close()

    def add(self, name: str, game: dict[str, Any]) -> None:
        """Add a game, as `accounts.to_dict` returns it."""
        self.totals.add(game)
        keys = ("game", "names", "scores", *(("accounts",) if self.as_json else ()))
        entry = {"page": f"{name}.html"} | {key: game[key] for key in keys}
        self._lines.write(f"{json.dumps(entry)}\n")
        self._games += 1

    def count(self) -> str:
        """Return the number of games as text."""
        return "1 game" if self._games == 1 else f"{self._games} games"

    def write(self) -> None:
        """Write the summary to the folder and print it."""
        rows = self.totals.summarize()
        if self._games:
            page = annotation_page.render_summary(rows, map(json.loads, self._list_lines()))
            write_atomically(self.folder / f"{SUMMARY}.html", page)
            data = json.dumps({"players": rows}, indent=1)
            write_atomically(self.folder / f"{SUMMARY}.json", [data])
        if self.as_json:
            print(f'{{"out": {json.dumps(str(self.folder))}, "games": [', end="")
            for number, line in enumerate(self._list_lines()):
                print(f", {line}" if number else line, end="")
            print(f'], "players": {json.dumps(rows)}}}')
        elif self._games:
            print(accounts.format_table(rows, columns(sys.stdout, TEXT_WIDTH)))
            print(f"\n{self.count()} in {self.folder}: open {self.folder / SUMMARY}.html")

    def _list_lines(self) -> Iterator[str]:
        self._lines.seek(0)
        return (line.rstrip("\n") for line in self._lines)
