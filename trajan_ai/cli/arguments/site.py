"""Arguments of `trajan-ai site`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Writes the analysis page as static files: any web server, or none but a host for files, "
        "serves them, and the engine runs in the browser (docs/site.md). Needs a checkout of the "
        "sources, npm and apt-get; what was built once is kept in build/wasm."
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder to write")
    parser.add_argument(
        "--parts", metavar="DIR", help="a folder that wasm.py made, in place of building one"
    )
