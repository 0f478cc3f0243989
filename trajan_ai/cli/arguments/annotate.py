"""Arguments of `trajan-ai annotate`."""

from __future__ import annotations

import argparse

from trajan_ai.analysis.defaults import ANNOTATION_ITERATIONS, DEFAULT_BOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Judges every decision of finished games and writes, per game, NAME.html (board, graph, "
        "mistakes with the better turn, luck and skill apart) and NAME.json, and a summary of all "
        "of them. Games already annotated with the same settings are skipped."
    )
    parser.add_argument("files", nargs="+", metavar="FILES", help="game records (.jsonl)")
    parser.add_argument("--bot", metavar="FILE.yaml", help=f"who judges (default: {DEFAULT_BOT})")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, metavar="S", help="seconds per decision")
    limit.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help=f"iterations per decision ({ANNOTATION_ITERATIONS})",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the searches")
    parser.add_argument("--out", default="annotated", metavar="DIR", help="folder (annotated)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
