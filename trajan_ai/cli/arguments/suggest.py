"""Arguments of `trajan-ai suggest`."""

from __future__ import annotations

import argparse

from trajan_ai.analysis.defaults import (
    DEFAULT_BOT,
    GRADES,
    PLAIN_BOT,
    QUICK_ITERATIONS,
    VERIFIED_ITERATIONS,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Analyses a decision: the best turn, and what the moves are worth. Columns: win, the "
        "expected share of the win; VP, the expected final score of the player to decide; "
        "margin, that minus the best opponent's; each with its standard error."
    )
    parser.add_argument(
        "position", metavar="POSITION", help="a position file (YAML, JSON), or records (.jsonl)"
    )
    parser.add_argument(
        "--record", type=int, default=1, metavar="N", help="which record of the file, from 1"
    )
    parser.add_argument(
        "--ply", type=int, metavar="N", help="the position after N actions of the record"
    )
    parser.add_argument(
        "--bot",
        metavar="FILE.yaml",
        help=f"a bot file or built-in bot (default: {DEFAULT_BOT}, or {PLAIN_BOT} "
        "for a game without knowledge)",
    )
    parser.add_argument(
        "--grade",
        choices=GRADES,
        help=f"verified: searches behind each of the best moves ({VERIFIED_ITERATIONS:,} "
        f"iterations, some 5 s); quick: rough, after a moment ({QUICK_ITERATIONS:,}); "
        "by default verified, if the limit allows it",
    )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, metavar="S", help="seconds for this decision")
    limit.add_argument("--iterations", type=int, metavar="N", help="iterations, over all threads")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the search")
    parser.add_argument("--top", type=int, metavar="K", help="show only the K best moves")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the search")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show what each move changes in the expected VP by source, of every player",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
