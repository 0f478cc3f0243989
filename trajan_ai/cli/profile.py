"""`trajan-ai profile`: where a search spends its time."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from trajan_ai.analysis import profile, suggest
from trajan_ai.core.errors import TrajanError


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "profile",
        help="where a search spends its time: phases, tree shape, memory, hottest functions",
        description="Searches an opening, a middle and a late position. See docs/performance.md.",
    )
    parser.add_argument("--game", default="trajan", metavar="G")
    parser.add_argument("--players", type=int, default=2, metavar="N")
    parser.add_argument("--bot", default=suggest.DEFAULT_BOT, metavar="FILE.yaml")
    parser.add_argument(
        "--time", type=float, default=profile.SECONDS, metavar="S", help="of each search"
    )
    parser.add_argument(
        "--functions", action="store_true", help="sample with py-spy; list the hottest functions"
    )
    parser.add_argument(
        "--flamegraph",
        metavar="OUT",
        help="sample with py-spy; write a flame graph (.svg) or a speedscope file (.json)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Profile and print."""
    if not (0 < arguments.time < math.inf):
        raise TrajanError(f"--time must be above 0 seconds, got {arguments.time}")
    out = Path(arguments.flamegraph) if arguments.flamegraph else None
    if out is not None and out.suffix not in (".svg", ".json"):
        raise TrajanError(f"--flamegraph must end in .svg or .json, got {arguments.flamegraph}")
    if out is not None or arguments.functions:
        profile.profiler()
    result = profile.run(arguments.game, arguments.players, arguments.bot, arguments.time)
    if out is not None or arguments.functions:
        result["functions"] = profile.sample(
            arguments.game, arguments.players, arguments.bot, arguments.time, out
        )
    if arguments.json:
        print(json.dumps(result))
        return 0
    print(profile.table(result))
    if "functions" in result:
        print("\nhottest functions")
        for name, share in result["functions"]:
            print(f"{share:>7.1%}  {name}")
    return 0
