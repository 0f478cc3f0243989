"""Arguments that several subcommands take."""

from __future__ import annotations

import argparse


def add_option_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--option NAME=VALUE``, which may be repeated: see `cli.common.parse_options`."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game's rules or of its deal, such as lap_length=12 or boards=B; "
        "may be repeated",
    )
