"""``python -m trajan_ai.testing GAME``: check a game from the command line."""

import argparse
import faulthandler
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from trajan_ai.bots.game_loop import find_game
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.exit_status import BAD_INPUT
from trajan_ai.testing.courses import Course, Deal
from trajan_ai.testing.kit import Kit, make_kit, run_checks
from trajan_ai.testing.registry import CHECKS

EPILOG = (
    "exit status: 0 if every promise is kept, 1 if a promise is broken or unchecked, "
    "2 for wrong usage"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the game on the command line, print the report, and return the exit status."""
    options = _parser().parse_args(arguments)
    if options.list:
        for check in CHECKS.values():
            print(f"{check.name}\n    {check.promise}")
        return 0
    try:
        report = run_checks(_kit(options), options.check)
    except TrajanError as error:
        print(f"trajan_ai.testing: {error}", file=sys.stderr)
        return BAD_INPUT
    print(report)
    return 0 if report.ok else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trajan_ai.testing",
        description="Check everything that a game must guarantee.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "game", nargs="?", help="name of a game, or module:ATTRIBUTE of a Game object"
    )
    parser.add_argument("--check", action="append", metavar="NAME", help="only this check")
    parser.add_argument("--list", action="store_true", help="print each check and its promise")
    parser.add_argument(
        "--players", type=int, metavar="N", help="check only this number of players"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="check only the deal with this seed")
    parser.add_argument("--options", metavar="JSON", help="the options of that deal")
    parser.add_argument(
        "--scale", type=float, default=1, metavar="X", help="play X times as many games"
    )
    return parser


def _kit(options: argparse.Namespace) -> Kit:
    if not options.game:
        raise TrajanError(
            "no game is given; give the name of a game, or module:ATTRIBUTE of a Game object"
        )
    game = find_game(options.game)
    players = None if options.players is None else [options.players]
    if options.seed is None and options.options is None:
        return make_kit(game, players=players, scale=options.scale)
    if players is None:
        raise TrajanError("--seed and --options require --players")
    if options.scale != 1:
        raise TrajanError("--scale cannot be combined with --seed or --options")
    values = game.rules.check(players[0], _json(options.options))
    kit = make_kit(game, players=players)
    kit.courses[players[0]] = [Course.play(Deal(game, players[0], values, options.seed or 0))]
    return kit


def _json(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise TrajanError(f"--options must be a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise TrajanError(f"--options must be a JSON object, got {text}")
    return value


if __name__ == "__main__":
    faulthandler.enable()  # prints where a game crashes the process
    sys.path.insert(0, os.getcwd())
    sys.exit(main())
