"""Arguments of `trajan-ai serve`."""

from __future__ import annotations

import argparse

PORT = 8117  # the year in which the emperor died, and an 8 for the web


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Opens the analysis page in a browser: play against bots, look at games, see the best "
        "moves (docs/page.md). It listens on this machine only. The first line printed is its "
        "address; Ctrl-C ends it, and every game is kept."
    )
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default: {PORT}; 0 takes a free one"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
