"""`trajan-ai bench`: fixed seeds, fixed work, speed and a signature of play."""

from __future__ import annotations

import argparse
import json

from trajan_ai.analysis import benchmark
from trajan_ai.cli.common import StatusLine
from trajan_ai.games.registry import BUILT_IN


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark and print its table or its JSON."""
    status = StatusLine()
    result = benchmark.run(status.show, arguments.game or tuple(BUILT_IN))
    status.show("")
    print(json.dumps(result) if arguments.json else benchmark.format_table(result))
    return 0
