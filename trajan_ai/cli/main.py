"""Parse the command line, run one subcommand, turn what went wrong into an exit status."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from trajan_ai.cli import completion
from trajan_ai.core.errors import TrajanError
from trajan_ai.version import __version__

DONE = 0
FAILED = 1
BAD_INPUT = 2
INTERNAL = 3
INTERRUPTED = 130

# Every subcommand and its line in the help. The module of its name in this package has its work,
# ``run(arguments) -> int``, and the one in `cli.arguments` its ``add_arguments(parser)``.
COMMANDS = {
    "tournament": "play a tournament of bots and rate them",
    "results": "read, filter, compare and merge results of tournaments",
    "tune": "tune settings of a bot by games, and test what came of it",
    "learn": "learn the weights of a game's knowledge and test them",
    "suggest": "rank the moves of the player to decide",
    "annotate": "judge every decision of recorded games: mistakes, luck and skill apart",
    "profile": "where a search spends its time: phases, tree shape, memory, hottest functions",
    "bench": "speed of playouts and search, and a signature that changes only if play changes",
    "play": "let bots play games and write records",
    "export": "write game records as tables for other programs, and back",
    "study": "play the games of a study, and report what wins in them",
    "replay": "replay and check game records; show the board at a ply",
    "check-bot": "what is wrong with a bot, and how fast it is",
    "board": "draw a position: as text, SVG or PNG",
    "position": "write a position file: from a record, or a template to fill in; or check one",
    "serve": "open the analysis page: play against bots, look at games, see the best moves",
    "site": "write the analysis page as static files that run in any browser",
    "follow": "follow a real game: its moves and what they showed, suggestions, undo",
    "new-game": "write the package of a game of your own, to be changed",
    "engine": "answer requests of other programs, as JSON lines",
    "completion": "print what makes a shell complete these commands",
}


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and the complaint."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


class CommandParser(Parser):
    """The parser of a subcommand, whose arguments are loaded when it is chosen."""

    def __init__(self, *, module: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.module: str | None = module

    def load(self) -> None:
        """Let the module add its arguments, once."""
        if self.module is not None:
            module, self.module = import_module(self.module), None
            module.add_arguments(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Let the module add its arguments, then parse."""
        self.load()
        return super().parse_known_args(args, namespace)


def parser(loaded: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command line, with the arguments of the command `loaded`."""
    root = Parser(
        prog="trajan-ai",
        description="Engine for Trajan and Forum Trajanum: tournaments of bots, best moves, "
        "profiles of the search, game records.",
        epilog="exit status: 0 done, 1 done but something in it failed, 2 wrong usage or bad "
        "input, 3 internal error, 130 interrupted",
    )
    root.add_argument("--version", action="version", version=f"trajan-ai {__version__}")
    commands = root.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for name, summary in COMMANDS.items():
        command: CommandParser = commands.add_parser(
            name, help=summary, module=f"{__package__}.arguments.{_module(name)}"
        )
        if name == loaded:
            command.load()
    return root


def _module(command: str) -> str:
    """Return the name of a subcommand's modules."""
    return command.replace("-", "_")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` and return its exit status."""
    status, command = DONE, ""
    try:
        if completion.asked():
            completion.answer(parser(completion.command()))
        arguments = parser().parse_args(argv)
        command = f" {arguments.command}"
        work = import_module(f"{__package__}.{_module(arguments.command)}")
        status = work.run(arguments)
        sys.stdout.flush()
    except TrajanError as error:
        for problem in error.problems:
            print(f"trajan-ai{command}: {problem}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output closed early (`| head`): not an error; keep the interpreter
        # from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception:  # a fault of ours: told apart from failing bots by its status
        traceback.print_exc()
        print(f"trajan-ai{command}: internal error, see above", file=sys.stderr)
        return INTERNAL
    return status
