"""`trajan-ai export`: convert game records to tables, and back."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from trajan_ai.cli.common import StatusLine
from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.lab.dataset import dataset_files, exporting
from trajan_ai.tournaments.store import Store

MAX_ERRORS = 10  # printed for each source


def run(arguments: argparse.Namespace) -> int:
    """Export; the status is 1 if a game was skipped."""
    sources, target = [Path(source) for source in arguments.sources], Path(arguments.to)
    dataset_files.arrow()
    if arguments.restore:
        return _restore(sources, target)
    status, failed = StatusLine(), False
    for source in sources:
        problems = 0
        if source.suffix == ".json":
            print(f"{source}: {exporting.export_judged(source, target)} decisions written")
            continue
        export = exporting.Export(str(source), target)
        for _ in export.run(_lines(source)):
            status.show(_count(export))
            problems = _print_errors(export.take_problems(), problems)
        status.show("")
        if problems > MAX_ERRORS:
            print(
                f"{source}: and {problems - MAX_ERRORS:,} more lines that were skipped",
                file=sys.stderr,
            )
        failed = failed or problems > 0
        print(f"{source}: {_count(export)}")
    return int(failed)


def _count(export: exporting.Export) -> str:
    games = "game" if export.written == 1 else "games"
    return f"{export.written} {games} written, {export.existing} existing"


def _print_errors(lines: list[str], before: int) -> int:
    """Print lines to standard error; return their number plus `before`, the number of earlier
    ones.

    Lines after the first `MAX_ERRORS` are not printed.
    """
    for line in lines[: max(0, MAX_ERRORS - before)]:
        print(printable(line), file=sys.stderr)
    return before + len(lines)


def _restore(sources: Iterable[Path], target: Path) -> int:
    for source in sources:
        if target.exists() and source.exists() and target.samefile(source):
            raise TrajanError(f"--to must not be one of the files to read, got {target}")
    count = 0
    with target.open("w", encoding="utf-8") as file:
        for source in sources:
            for line in exporting.restore(source):
                file.write(line + "\n")
                count += 1
    print(f"{target}: {count} games restored")
    return 0


def _lines(source: Path) -> Iterator[bytes]:
    """Yield the lines of a file of records, or the games in a tournament's folder."""
    if source.is_dir():
        with Store(source) as store:
            for line in store.records():
                yield line.encode() + b"\n"
        return
    try:
        with source.open("rb") as file:
            yield from file
    except OSError as error:
        remedy = "name a file of game records or the folder of a tournament"
        raise TrajanError(f"{source}: {error.strerror}; {remedy}") from None
