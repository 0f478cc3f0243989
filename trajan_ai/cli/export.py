"""`trajan-ai export`: game records as tables, and back; logged plays without names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from trajan_ai.cli.common import StatusLine
from trajan_ai.core.errors import TrajanError
from trajan_ai.lab.dataset import dataset_files, exporting, plays
from trajan_ai.tournaments.store import Store


def run(arguments: argparse.Namespace) -> int:
    """Export; the status is 1 if a game could not be."""
    target = Path(arguments.to)
    if arguments.plays:
        return _plays(arguments.sources, target)
    dataset_files.arrow()
    if arguments.restore:
        count = 0
        with target.open("w", encoding="utf-8") as file:
            for source in arguments.sources:
                for line in exporting.restore(Path(source)):
                    file.write(line + "\n")
                    count += 1
        print(f"{target}: {count} games restored")
        return 0
    status, failed = StatusLine(), False
    for source in arguments.sources:
        if source.endswith(".json"):
            print(f"{source}: {exporting.export_judged(Path(source), target)} decisions written")
            continue
        done = exporting.Exported(source)
        for done in exporting.export(_lines(Path(source)), source, target):
            status.show(f"{done.written} games written, {done.found} found")
        status.show("")
        print(f"{source}: {done.written} games written, {done.found} found")
        for problem in done.problems:
            print(problem, file=sys.stderr)
        failed = failed or bool(done.problems)
    return int(failed)


def _plays(sources: list[str], target: Path) -> int:
    found, status = {}, 0
    for source in sources:
        found[source], problems = plays.read(Path(source))
        print(f"{source}: {len(found[source])} plays")
        for problem in problems:
            print(problem, file=sys.stderr)
            status = 1
    plays.write(found, target)
    return status


def _lines(source: Path) -> Iterator[bytes]:
    """Yield the lines of a file of records, or the games of a tournament's folder."""
    if source.is_dir():
        with Store(source) as store:
            for line in store.records():
                yield line.encode() + b"\n"
        return
    try:
        with source.open("rb") as file:
            yield from file
    except OSError as error:
        raise TrajanError(f"{source}: {error.strerror}; name a file of game records") from None
