"""Arguments of `trajan-ai position`."""

from __future__ import annotations

import argparse

from trajan_ai.cli.arguments.common import add_option_argument


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Writes what one player knows as a position file (docs/positions.md). SOURCE is a file "
        "of records, for the position at --ply, or the name of a game, for an opening to change "
        "by hand. A position file as SOURCE is checked and shown."
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="FILE.jsonl, FILE.yaml, or a game's name for a template"
    )
    parser.add_argument(
        "--record", type=int, default=1, metavar="N", help="which record of the file, from 1"
    )
    parser.add_argument(
        "--ply", type=int, metavar="N", help="after N actions of the record (default: all)"
    )
    parser.add_argument(
        "--player",
        type=int,
        metavar="P",
        help="whose knowledge (default: of the player to decide)",
    )
    parser.add_argument(
        "--players", type=int, default=2, metavar="N", help="players of the opening: 2 to 4"
    )
    add_option_argument(parser)
    parser.add_argument(
        "--out", metavar="FILE", help="write to a file (.json: JSON), not to standard output"
    )
