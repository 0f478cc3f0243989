"""Arguments of `trajan-ai replay`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Replays every record of a file, compares its result, and prints one line for each."
    )
    parser.add_argument("file", metavar="FILE.jsonl", help="game records, one per line")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="also compare legal actions (x_legal) and running scores (x_scores), if recorded",
    )
    parser.add_argument("--ply", type=int, metavar="N", help="show the board after N actions")
    parser.add_argument(
        "--game", type=int, metavar="N", help="take only the N-th record of the file, from 1"
    )
    parser.add_argument(
        "--player", type=int, metavar="P", help="with --ply: show only what this player may know"
    )
