"""Arguments of `trajan-ai board`."""

from __future__ import annotations

import argparse

from trajan_ai.core.rules import PICTURE_WIDTH

OPEN = "open"
SUGGESTIONS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Draws a position as one player sees it, hidden things face down: as text on standard "
        "output, or into a file. The last move of a record is marked, and with --suggest the "
        "best moves."
    )
    parser.add_argument(
        "position", metavar="POSITION", help="a position file (YAML, JSON), or records (.jsonl)"
    )
    parser.add_argument(
        "--record", type=int, default=1, metavar="N", help="which record of the file, from 1"
    )
    parser.add_argument(
        "--ply", type=int, metavar="N", help="after N actions of the record (default: all)"
    )
    parser.add_argument(
        "--view",
        metavar="P",
        help=f"what player P knows, or {OPEN} for everything (default: the player to decide; "
        f"{OPEN} when the game is over)",
    )
    parser.add_argument("--out", metavar="F", help="write to F.svg or F.png")
    parser.add_argument(
        "--width",
        type=int,
        default=PICTURE_WIDTH,
        metavar="PIXELS",
        help=f"of the drawing (default: {PICTURE_WIDTH}); below 1000 it has two columns, below "
        "800 one",
    )
    parser.add_argument(
        "--suggest",
        type=float,
        metavar="S",
        help=f"search for S seconds and mark the {SUGGESTIONS} best moves",
    )
