"""Arguments of `trajan-ai follow`."""

from __future__ import annotations

import argparse

from trajan_ai.cli.arguments.common import add_option_argument

DEFAULT_SAVE = "followed.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Follows a real game move by move from what one player knows, and advises that player "
        "(docs/follow.md). POSITION is the name of a game, for a new one; a position file; or a "
        "file that this command saved. Without it the last game is continued."
    )
    parser.add_argument(
        "position", nargs="?", metavar="POSITION", help="a game's name, a position, a saved game"
    )
    parser.add_argument("--players", type=int, default=2, metavar="N", help="in a new game, 2-4")
    parser.add_argument(
        "--observer", type=int, default=0, metavar="P", help="you, in a new game (default: 0)"
    )
    add_option_argument(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help=f"saved after every move (default: {DEFAULT_SAVE}, or the file that is continued)",
    )
    parser.add_argument(
        "--bot", metavar="FILE.yaml", help="the bot that suggests (default: as of suggest)"
    )
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations per suggestion")
