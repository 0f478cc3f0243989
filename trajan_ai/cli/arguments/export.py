"""Arguments of `trajan-ai export`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Writes game records as tables, Parquet files that other programs query (docs/data.md). "
        "Interrupted at any moment, the same command goes on."
    )
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="FILE",
        help="files of game records, or folders of tournaments; with --restore folders of data",
    )
    parser.add_argument(
        "--to", required=True, metavar="DIR", help="the folder of the data; with --restore a file"
    )
    parser.add_argument(
        "--restore", action="store_true", help="write exported games as records again"
    )
