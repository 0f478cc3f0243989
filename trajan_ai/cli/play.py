"""`trajan-ai play`: play games between bots and write records."""

import argparse
import sys
import time
from contextlib import closing

from trajan_ai import records
from trajan_ai.bots import Bot, game_loop, read_bot
from trajan_ai.bots.bot_process import BotProcesses
from trajan_ai.cli.common import parse_options, print_note
from trajan_ai.core.errors import TrajanError


def run(arguments: argparse.Namespace) -> int:
    """Play the games; the status is 1 if a bot failed in a game."""
    if arguments.games < 1:
        raise TrajanError(f"--games must be at least 1, got {arguments.games}")
    if arguments.check and not arguments.out:
        raise TrajanError("--check requires --out FILE.jsonl")
    bots = [read_bot(name.strip()) for name in arguments.bots.split(",")]
    game = game_loop.find_game(arguments.game)
    options = game.rules.check(len(bots), parse_options(arguments.option))
    game_loop.check_bots(game, bots)
    if arguments.out:
        records.write(arguments.out, (), append=True)  # raises if the file cannot be written
    print_note(game.start(len(bots), 0, **options))
    failures = 0
    with closing(BotProcesses()) as processes:
        for number in range(arguments.games):
            shift = number % len(bots)
            seats = bots[shift:] + bots[:shift]
            seeds = game_loop.derive_game_seeds(arguments.seed, number)
            begin = time.perf_counter()
            processes.begin()
            played = game_loop.play_game(game, seats, seeds, options, mind=processes.mind)
            processes.end()
            seconds = time.perf_counter() - begin
            if arguments.out:
                entry = game_loop.build_record(
                    played, seats, x_deal_seed=seeds[0], x_seed=seeds[1]
                )
                if arguments.check:
                    entry = records.checkable(entry)
                records.write(arguments.out, [entry], append=True)
            names = ", ".join(bot.name for bot in seats)
            if played.failed is not None:
                failures += 1
                failure = _describe(played.failed.failure, seats)
                print(f"game {number}: {names}: {failure}", file=sys.stderr)
            else:
                print(
                    f"game {number}: {names}: scores {played.final.scores} "
                    f"ranks {played.final.ranks}, {len(played.actions)} decisions, {seconds:.2f} s"
                )
    return 1 if failures else 0


def _describe(failure: game_loop.Failure, seats: list[Bot]) -> str:
    who = "a bot" if failure.seat is None else f"{seats[failure.seat].name} (seat {failure.seat})"
    return f"{who} failed at ply {failure.ply}: {failure.kind}: {failure.message}"
