"""Arguments of `trajan-ai learn`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Makes positions, labels them, fits weights of a game's knowledge, and plays them "
        "against the previous ones. Interrupted at any moment, the same command resumes."
    )
    parser.add_argument("file", metavar="PLAN", help="a file (docs/learn.md)")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="threads and processes (default: one per processor)"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the run (results/NAME of the plan)"
    )
    parser.add_argument(
        "--ship",
        metavar="FILE",
        help="write what was learned to this weights.yaml of the game, after the tests",
    )
    parser.add_argument(
        "--check", action="store_true", help="check the plan, learn and play nothing"
    )
