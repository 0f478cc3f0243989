"""Parse the command line, run one subcommand, turn what went wrong into an exit status."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from trajan_ai.cli import completion
from trajan_ai.cli.arguments import BAD_INPUT, COMMANDS, Parser
from trajan_ai.core.errors import Renamed, TrajanError
from trajan_ai.core.version import __version__

DONE = 0
INTERNAL = 3
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    root = Parser(
        prog="trajan-ai",
        description="Engine for Trajan and Forum Trajanum: tournaments of bots, best moves, "
        "profiles of the search, game records.",
        epilog="exit status: 0 done, 1 done but something in it failed, 2 wrong usage or bad "
        "input, 3 internal error, 130 interrupted",
    )
    root.add_argument("--version", action="version", version=f"trajan-ai {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, describe in COMMANDS.items():
        told = describe.__doc__ or ""
        describe(commands.add_parser(name, help=told[:1].lower() + told[1:].rstrip(".")))
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` and return its exit status."""
    status, command = DONE, ""
    try:
        if completion.asked():
            completion.answer(parser())
        arguments = parser().parse_args(argv)
        command = f" {arguments.command}"
        work = import_module(f"{__package__}.{arguments.command.replace('-', '_')}")
        with warnings.catch_warnings():
            warnings.simplefilter("default", Renamed)
            warnings.showwarning = partial(_show, warnings.showwarning)
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
    except OSError as error:  # a folder that cannot be written, a full disk
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"trajan-ai{command}: {place}{error.strerror or error}", file=sys.stderr)
        return BAD_INPUT
    except Exception:  # a fault of ours: told apart from failing bots by its status
        traceback.print_exc()
        print(f"trajan-ai{command}: internal error, see above", file=sys.stderr)
        return INTERNAL
    return status


def _show(others: Callable[..., None], text: Any, kind: type[Warning], *where: Any) -> None:
    """Tell of an old name in one line, of other warnings as Python does."""
    if issubclass(kind, Renamed):
        print(f"trajan-ai: {text}", file=sys.stderr)
    else:
        others(text, kind, *where)
