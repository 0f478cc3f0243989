"""`trajan-ai suggest`: rank the moves of the player to decide."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from trajan_ai import positions, records
from trajan_ai.analysis import suggest
from trajan_ai.cli.common import position_of_record
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.search import Result

REFRESH_SECONDS = 0.5


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "suggest",
        help="rank the moves of the player to decide",
        description="Searches a position and ranks its moves. win: expected share of the win "
        "with its standard error; VP: expected final score of the player to decide; margin: that "
        "minus the best opponent's; led: how often the move was best across blocks of "
        "determinizations.",
    )
    parser.add_argument(
        "position", metavar="POSITION", help="a position file (YAML, JSON), or records (.jsonl)"
    )
    parser.add_argument("--record", type=int, default=1, metavar="N", help="record of the file")
    parser.add_argument("--ply", type=int, help="after so many actions of the record")
    parser.add_argument(
        "--bot", default=suggest.DEFAULT_BOT, metavar="FILE.yaml", help="how to search"
    )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, metavar="S", help="seconds for this decision")
    limit.add_argument("--iterations", type=int, metavar="N", help="iterations, over all threads")
    parser.add_argument("--threads", type=int, metavar="N")
    parser.add_argument("--top", type=int, metavar="K", help="show only the K best moves")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Search and print; after Ctrl-C what was found so far."""
    if arguments.top is not None and arguments.top < 1:
        raise TrajanError(f"--top must be at least 1, got {arguments.top}")
    display = _Display(arguments.top)
    try:
        result = suggest.search(
            _position(arguments),
            arguments.bot,
            iterations=arguments.iterations,
            seconds=arguments.time,
            threads=arguments.threads,
            seed=arguments.seed,
            progress=display.update,
        )
    except KeyboardInterrupt:
        if display.latest is not None:
            _print(display, display.latest, arguments)
        raise
    _print(display, result, arguments)
    return 0


def _print(display: _Display, result: Result, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps(suggest.to_json(result, arguments.top)))
    else:
        display.clear()
        print(suggest.table(result, arguments.top))


def _position(arguments: argparse.Namespace) -> Position:
    if Path(arguments.position).suffix in (".yaml", ".yml", ".json"):
        if arguments.ply is not None:
            raise TrajanError("--ply goes with a file of records, not with a position file")
        return positions.read(arguments.position)
    entries = records.read(arguments.position)
    return position_of_record(entries, arguments.position, arguments.record, arguments.ply)


class _Display:
    """The latest result, on a terminal's standard error as a table rewritten in place."""

    def __init__(self, top: int | None) -> None:
        self.top = top
        self.latest: Result | None = None
        self.next = 0.0
        self.shown = 0  # lines

    def update(self, result: Result) -> None:
        """Take an interim result."""
        self.latest = result
        now = time.monotonic()
        if not sys.stderr.isatty() or now < self.next:
            return
        self.next = now + REFRESH_SECONDS
        text = suggest.table(result, self.top or 10)
        self.clear()
        print(text, file=sys.stderr, flush=True)
        self.shown = text.count("\n") + 1

    def clear(self) -> None:
        """Take the interim table away."""
        if self.shown:
            print(f"\x1b[{self.shown}A\x1b[J", end="", file=sys.stderr, flush=True)
            self.shown = 0
