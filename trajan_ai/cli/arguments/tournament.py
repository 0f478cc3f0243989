"""Arguments of `trajan-ai tournament`."""

from __future__ import annotations

import argparse

from trajan_ai.tournaments.defaults import BUILTIN_PLANS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Plays every game of PLAN that is not in the results folder yet, then prints the rating "
        "table. Interrupted at any moment, the same command resumes."
    )
    parser.epilog = "exit status 1: a bot failed in some game; each is named"
    parser.add_argument(
        "file",
        metavar="PLAN",
        help=f"a file (docs/tournaments.md) or a built-in plan: {', '.join(BUILTIN_PLANS)}",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="worker processes (default: the plan's, or one per processor)",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the results (results/NAME of the plan)"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="fail if there is nothing to resume",
    )
    parser.add_argument(
        "--check", action="store_true", help="check the plan, print it resolved, play nothing"
    )
    parser.add_argument(
        "--plan", action="store_true", help="print how many games and how long, play nothing"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
