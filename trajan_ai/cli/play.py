"""`trajan-ai play`: let bots play games and write their records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tournaments.play import Task, check_game, play_game
from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.seeds import derive_seed


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "play",
        help="let bots play games and write records",
        description="Plays games between bots, the first bot in seat 0, and prints a line for "
        "each. Seats rotate by one from game to game unless --fixed-seats is given.",
    )
    parser.add_argument("game", metavar="GAME", help="trajan or forum_trajanum")
    parser.add_argument(
        "--bots", required=True, metavar="A,B,..", help="2 to 4 bot files or built-in names"
    )
    parser.add_argument("--games", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of deals and bots")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game's rules, such as lap_length=12; may be repeated",
    )
    parser.add_argument("--fixed-seats", action="store_true", help="do not rotate the seats")
    parser.add_argument("--out", metavar="FILE.jsonl", help="append the records to this file")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Play; the status is 1 if a bot failed in a game."""
    if arguments.games < 1:
        raise TrajanError(f"--games must be at least 1, got {arguments.games}")
    bots = [read_bot(name.strip()) for name in arguments.bots.split(",")]
    options = dict(_option(text) for text in arguments.option)
    options = check_game(arguments.game, len(bots), options, bots)
    out = None
    if arguments.out:
        try:
            out = Path(arguments.out).open("a", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise TrajanError(f"{arguments.out}: {error.strerror}; name a file") from None
    failures = 0
    for number in range(arguments.games):
        shift = 0 if arguments.fixed_seats else number % len(bots)
        seats = tuple(bots[shift:] + bots[:shift])
        outcome = play_game(
            Task(
                id=f"play-{arguments.seed}-{number}",
                game=arguments.game,
                options=options,
                seats=seats,
                deal=number,
                deal_seed=derive_seed("play", "deal", arguments.seed, number),
                seed=derive_seed("play", "bots", arguments.seed, number),
                patience=0.0,
                retries=0,
            )
        )
        if out is not None:
            out.write(outcome.record + "\n")
            out.flush()
        names = ", ".join(bot.name for bot in seats)
        if outcome.failure is not None:
            failures += 1
            print(f"game {number}: {names}: {_complaint(outcome.failure, seats)}", file=sys.stderr)
        else:
            print(
                f"game {number}: {names}: scores {outcome.scores} ranks {outcome.ranks}, "
                f"{outcome.plies} decisions, {outcome.total_seconds:.2f} s"
            )
    return 1 if failures else 0


def _complaint(failure: Any, seats: tuple[Any, ...]) -> str:
    who = "a bot" if failure.seat is None else f"{seats[failure.seat].name} (seat {failure.seat})"
    return f"{who} failed at ply {failure.ply}: {failure.kind}: {failure.message}"


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise TrajanError(f"--option is NAME=VALUE, got {text!r}")
    words = {"true": True, "false": False}
    if value in words:
        return name, words[value]
    if value.startswith("[") and value.endswith("]"):
        inner = value[1:-1].strip()
        return name, [_number(item.strip()) for item in inner.split(",")] if inner else []
    return name, _number(value)


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text
