"""Arguments of `trajan-ai engine`."""

from __future__ import annotations

import argparse

from trajan_ai.server.options import Options

DEFAULTS = Options()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Reads requests from standard input and writes answers to standard output, one JSON "
        "object per line, many at a time; see docs/engine.md."
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=DEFAULTS.threads,
        metavar="N",
        help="cores to search on (default: all, here %(default)s)",
    )
    parser.add_argument(
        "--positions",
        type=int,
        default=DEFAULTS.positions,
        metavar="N",
        help="positions searched at a time (default: %(default)s)",
    )
    parser.add_argument(
        "--queue",
        type=int,
        default=DEFAULTS.queue,
        metavar="N",
        help="requests that may wait for that (default: %(default)s)",
    )
    parser.add_argument(
        "--memory",
        type=float,
        default=DEFAULTS.memory,
        metavar="MIB",
        help="for the trees of all positions, in equal shares (default: %(default)g)",
    )
    parser.add_argument(
        "--cache",
        type=int,
        default=DEFAULTS.cache,
        metavar="N",
        help="answers kept for the same request again (default: %(default)s)",
    )
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="FILE.yaml",
        help="a bot that requests may name, besides the built-in ones; the first one is that of "
        f"requests that name none (default: {DEFAULTS.default_bot}); may be given several times",
    )
