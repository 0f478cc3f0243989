"""Arguments of `trajan-ai new-game`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Writes a package that plays at once: a small card game with secrets under the name of "
        "yours. It compiles and keeps every promise; change it step by step, and ask the kit."
    )
    parser.add_argument("name", metavar="NAME", help="small letters, digits and _, as my_game")
    parser.add_argument("--out", metavar="DIR", help="the folder to write (default: NAME)")
