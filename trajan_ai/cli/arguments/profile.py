"""Arguments of `trajan-ai profile`."""

from __future__ import annotations

import argparse

from trajan_ai.analysis.defaults import DEFAULT_BOT, PLAIN_BOT, PROFILE_SECONDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Searches an opening, a middle and a late position. See docs/performance.md."
    )
    parser.add_argument("--game", default="trajan", metavar="G")
    parser.add_argument("--players", type=int, default=2, metavar="N")
    parser.add_argument(
        "--bot",
        metavar="FILE.yaml",
        help=f"how to search (default: {DEFAULT_BOT}, or {PLAIN_BOT} for a game "
        "without knowledge)",
    )
    parser.add_argument(
        "--time", type=float, default=PROFILE_SECONDS, metavar="S", help="of each search"
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
