"""Parse the command line, run one subcommand, turn what went wrong into an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from trajan_ai.cli import bench, play, position, profile, replay, results, suggest, tournament
from trajan_ai.core.errors import TrajanError
from trajan_ai.version import __version__

DONE = 0
FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130

COMMANDS = (tournament, results, suggest, profile, bench, play, replay, position)


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and the complaint."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    root = Parser(
        prog="trajan-ai",
        description="Engine for Trajan and Forum Trajanum: tournaments of bots, best moves, "
        "profiles of the search, game records.",
        epilog="exit status: 0 done, 1 done but something in it failed, 2 wrong usage or bad "
        "input, 130 interrupted",
    )
    root.add_argument("--version", action="version", version=f"trajan-ai {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` and return its exit status."""
    arguments = parser().parse_args(argv)
    status = DONE
    try:
        status = arguments.func(arguments)
        sys.stdout.flush()
    except TrajanError as error:
        for problem in error.problems:
            print(f"trajan-ai {arguments.command}: {problem}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output closed early (`| head`): not an error; keep the interpreter
        # from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
