"""Arguments of `trajan-ai play`."""

from __future__ import annotations

import argparse

from trajan_ai.cli.arguments.common import add_option_argument


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Plays games between bots, the first bot in seat 0, and prints a line for "
        "each. Seats rotate by one from game to game unless --fixed-seats is given."
    )
    parser.add_argument("game", metavar="GAME", help="trajan or forum_trajanum")
    parser.add_argument(
        "--bots", required=True, metavar="A,B,..", help="2 to 4 bot files or built-in names"
    )
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games (1)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of deals and bots")
    add_option_argument(parser)
    parser.add_argument("--fixed-seats", action="store_true", help="do not rotate the seats")
    parser.add_argument("--out", metavar="FILE.jsonl", help="append the records to this file")
    parser.add_argument(
        "--check",
        action="store_true",
        help="also write the legal moves and scores at every decision, for replay --verify",
    )
