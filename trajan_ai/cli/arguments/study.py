"""Arguments of `trajan-ai study`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Plays what a plan asks, writes the games as tables, and computes and draws the report of "
        "the study (docs/study.md). Interrupted at any moment, the same command goes on."
    )
    parser.add_argument("file", metavar="PLAN", help="a file (configs/studies)")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes (default: one per processor)"
    )
    parser.add_argument(
        "--out", metavar="DIR", help="folder of the study (results/NAME of the plan)"
    )
    parser.add_argument(
        "--share", type=float, default=1.0, metavar="X", help="play this share of its games"
    )
    parser.add_argument("--report", action="store_true", help="play nothing, report what is there")
