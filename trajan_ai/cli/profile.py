"""`trajan-ai profile`: profile a search."""

import argparse
import json
from pathlib import Path

from trajan_ai.analysis.measurement import profiling
from trajan_ai.cli.common import read_source
from trajan_ai.core.errors import TrajanError


def run(arguments: argparse.Namespace) -> int:
    """Profile a search and print the result."""
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
    result = profiling.run(
        positions,
        arguments.bot,
        seconds=arguments.time,
        iterations=arguments.iterations,
        analysis=arguments.analysis,
    )
    earlier = None
    if arguments.against:
        earlier = profiling.read_earlier(arguments.against, result)
    if out is not None or arguments.functions:
        seconds = sum(stage["seconds"] for stage in result["stages"]) / len(result["stages"])
        result |= profiling.sample(
            positions, result["bot"], seconds, analysis=arguments.analysis, out=out
        )
    print(json.dumps(result) if arguments.json else profiling.format_table(result, earlier))
    return 0
