"""`trajan-ai profile`: profile a search."""

import argparse
import json
import math
from pathlib import Path

from trajan_ai.analysis.measurement import profiling
from trajan_ai.cli.common import read_source
from trajan_ai.core.errors import TrajanError


def run(arguments: argparse.Namespace) -> int:
    """Profile and print the result."""
    if not (0 < arguments.time < math.inf):
        raise TrajanError(f"--time must be above 0 seconds, got {arguments.time}")
    out = Path(arguments.flamegraph) if arguments.flamegraph else None
    if out is not None and out.suffix not in (".svg", ".json"):
        raise TrajanError(f"--flamegraph must end in .svg or .json, got {arguments.flamegraph}")
    if out is not None or arguments.functions:
        profiling.find_profiler()
    if arguments.position is None:
        positions = profiling.pick_positions(arguments.game, arguments.players)
    else:
        source = read_source(arguments.position, arguments)
        source.information_set()  # raises TrajanError if the game is over
        positions = [("position", source.position)]
    result = profiling.run(positions, arguments.bot, arguments.time)
    if out is not None or arguments.functions:
        result |= profiling.sample(positions, result["bot"], arguments.time, out)
    print(json.dumps(result) if arguments.json else profiling.format_table(result))
    return 0
