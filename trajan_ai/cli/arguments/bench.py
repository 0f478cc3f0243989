"""Arguments of `trajan-ai bench`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = "Runs fixed work from fixed seeds for each game and number of players."
    parser.add_argument(
        "--game",
        action="append",
        metavar="G",
        help="a game, may be given several times (default: every built-in one)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
