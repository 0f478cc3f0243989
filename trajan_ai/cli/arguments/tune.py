"""Arguments of `trajan-ai tune`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Tunes the settings that PLAN names by games between slightly different bots (SPSA), "
        "then tests the tuned bot against the original. Interrupted at any moment, the same "
        "command resumes."
    )
    parser.epilog = "exit status 1: games were lost to failing bots or are missing"
    parser.add_argument("file", metavar="PLAN", help="a file, see docs/tune.md")
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="worker processes (default: the plan's, or one per processor)",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of games and results (results/NAME of the plan)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
