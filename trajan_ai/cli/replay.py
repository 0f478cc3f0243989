"""`trajan-ai replay`: replay and check records; show the board at a ply."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from trajan_ai import records
from trajan_ai.core.errors import TrajanError


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "replay",
        help="replay and check game records; show the board at a ply",
        description="Replays every record of FILE and prints one line for each.",
    )
    parser.add_argument("file", metavar="FILE.jsonl", help="game records, one a line")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="compare legal actions (x_legal) and running scores (x_scores) where recorded",
    )
    parser.add_argument("--ply", type=int, help="show the board after so many actions")
    parser.add_argument(
        "--game", type=int, metavar="N", help="take only the N-th record of the file, from 1"
    )
    parser.add_argument(
        "--player", type=int, help="with --ply: show only what this player may know"
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay the file; the status is 1 if a record does not verify."""
    failures = 0
    shown = 0
    for number, entry in enumerate(records.scan(arguments.file), start=1):
        if arguments.game not in (None, number):
            continue
        shown += 1
        place = f"{arguments.file}:{number}"
        if arguments.ply is not None:
            _show(entry, place, arguments)
            continue
        try:
            position = records.verify(entry) if arguments.verify else records.replay(entry)
        except TrajanError as error:
            failures += 1
            print(f"{place}: {error}", file=sys.stderr)
            continue
        verdict = "verified" if arguments.verify else "replayed"
        result = (
            f"scores {position.scores} ranks {position.ranks}"
            if position.player is None
            else f"unfinished, player {position.player} to decide"
        )
        print(f"{place}: {verdict}, {position.ply} decisions, {result}")
    if not shown:
        wanted = "no record" if arguments.game is None else f"no record number {arguments.game}"
        raise TrajanError(f"{arguments.file}: {wanted} in the file")
    return 1 if failures else 0


def _show(entry: records.Record, place: str, arguments: argparse.Namespace) -> None:
    try:
        position = records.replay(entry, arguments.ply)
    except TrajanError as error:
        raise TrajanError(f"{place}: {error}") from None
    if arguments.player is not None and not 0 <= arguments.player < position.players:
        raise TrajanError(f"--player must be 0 to {position.players - 1}, got {arguments.player}")
    print(position.game.rules.draw(position, arguments.player))
    if position.player is not None:
        print(f"\nplayer {position.player} to decide: {', '.join(position.legal())}")
