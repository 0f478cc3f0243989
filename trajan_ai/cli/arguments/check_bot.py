"""Arguments of `trajan-ai check-bot`."""

from __future__ import annotations

import argparse

from trajan_ai.tournaments.defaults import PATIENCE, TRIAL_SEATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Plays games with a bot against random ones, guarded as in a tournament, at every seat "
        "in turn, and says what is wrong with it and how fast it is."
    )
    parser.epilog = "exit status 1: the bot failed in some game; 2: its file is wrong"
    parser.add_argument("bot", metavar="BOT", help="a bot's YAML file or a built-in name")
    parser.add_argument(
        "--game",
        action="append",
        metavar="G",
        help="a game, may be given several times (default: every built-in one)",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=len(TRIAL_SEATS),
        metavar="N",
        help=f"how many of each game ({len(TRIAL_SEATS)}: each seat at 2, 3 and 4 players)",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE,
        metavar="S",
        help="seconds a call may take beyond the bot's own time (%(default)g)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
