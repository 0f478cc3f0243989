"""`trajan-ai bench`: fixed seeds, fixed work, speed and a signature of play."""

from __future__ import annotations

import argparse
import json
from typing import Any

from trajan_ai.analysis import bench
from trajan_ai.cli.common import StatusLine


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "bench",
        help="speed of playouts and search, and a signature that changes only if play changes",
        description="Runs fixed work from fixed seeds for each game and number of players.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark and print its table or its JSON."""
    status = StatusLine()
    result = bench.run(status.show)
    status.show("")
    if arguments.json:
        print(json.dumps(result))
    else:
        print(bench.table(result))
    return 0
