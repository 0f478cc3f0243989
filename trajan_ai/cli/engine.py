"""`trajan-ai engine`: answer requests, as JSON lines on standard input and output."""

import argparse
import sys

from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.bots import BUILTIN_NAMES, Bot, read_bot
from trajan_ai.cli.arguments import ENGINE
from trajan_ai.core.errors import TrajanError
from trajan_ai.service.options import EngineOptions
from trajan_ai.service.process import serve

MIN_VALUES = {"threads": 1, "positions": 1, "queue": 1, "memory": 1, "cache": 0}


def run(arguments: argparse.Namespace) -> int:
    """Serve until the input ends, `quit` or a signal arrives, or the output is closed."""
    problems = [
        f"--{name} must be at least {least}, got {getattr(arguments, name):g}"
        for name, least in MIN_VALUES.items()
        if not getattr(arguments, name) >= least
    ]
    if problems:
        raise TrajanError(*problems)
    bots = read_bots(arguments.bot)
    for bot in bots.values():
        searching_bot(bot)  # raises for a bot that does not search
    limits = {name: getattr(arguments, name) for name in MIN_VALUES}
    options = EngineOptions(**limits, bots=bots, default_bot=next(iter(bots), ENGINE.default_bot))
    return serve(options, sys.stdin.fileno(), sys.stdout.fileno())


def read_bots(sources: list[str]) -> dict[str, Bot]:
    """Return the bots given by ``--bot``, by name; raise TrajanError if two share a name."""
    bots: dict[str, Bot] = {}
    for source in sources:
        bot = read_bot(source)
        if bot.name in bots or (bot.name in BUILTIN_NAMES and source not in BUILTIN_NAMES):
            raise TrajanError(f"--bot {source}: there is already a bot called {bot.name!r}")
        bots[bot.name] = bot
    return bots
