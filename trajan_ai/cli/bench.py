"""`trajan-ai bench`: measure the speed of fixed work and print the benchmark signature."""

import argparse
import json

from trajan_ai.analysis.measurement import benchmark
from trajan_ai.cli.common import StatusLine
from trajan_ai.games.registry import BUILT_IN


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark and print a table or JSON."""
    status = StatusLine()
    result = benchmark.run(status.show, arguments.game or tuple(BUILT_IN))
    status.show("")
    print(json.dumps(result) if arguments.json else benchmark.format_table(result))
    return 0
