"""Arguments of `trajan-ai results`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.usage = (
        "trajan-ai results DIR [filters] [--games | --failures] [--json | --csv]\n"
        "       trajan-ai results compare DIR DIR [filters] [--json]\n"
        "       trajan-ai results game ID [DIR]\n"
        "       trajan-ai results merge DIR DIR.. --out DIR\n"
        "       trajan-ai results drop ENGINE DIR"
    )
    parser.description = (
        "DIR: the rating table of a results folder: of the games that its plan asks "
        "for, or of some of them. compare: two folders, bot by bot and deal by deal. game: the "
        "record of one game and the command that replays it; ID may be shortened. merge: all "
        "games of several folders in one, each once. drop: delete the games of the engine with "
        "this play signature."
    )
    parser.add_argument(
        "words", metavar="DIR", nargs="+", help="a folder, or one of the forms above"
    )
    parser.add_argument(
        "--bot", action="append", default=[], help="only games with this bot; repeat for several"
    )
    parser.add_argument("--players", type=int, help="only games with so many players")
    parser.add_argument("--deal", type=int, help="only games of this deal")
    parser.add_argument("--game", metavar="NAME", help="only games of trajan or forum_trajanum")
    parser.add_argument("--engine", help="only games of the engine with this play signature")
    parser.add_argument(
        "--all", action="store_true", help="all stored games, not only those of the last plan"
    )
    parser.add_argument("--games", action="store_true", help="list the games, not the ratings")
    parser.add_argument("--failures", action="store_true", help="list the failures of bots")
    parser.add_argument("--out", metavar="DIR", help="with merge: the folder to add to")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print CSV")
