"""`trajan-ai profile`: profile a search."""

import argparse
import json
import math
from pathlib import Path

from trajan_ai.analysis import profiling
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
    result = profiling.run(arguments.game, arguments.players, arguments.bot, arguments.time)
    if out is not None or arguments.functions:
        result["functions"] = profiling.sample(
            arguments.game, arguments.players, result["bot"], arguments.time, out
        )
    print(json.dumps(result) if arguments.json else profiling.format_table(result))
    return 0
