"""Parse the command line, run a subcommand, and convert errors to an exit status."""

import argparse
import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module

from trajan_ai.cli import completion
from trajan_ai.cli.arguments import COMMANDS, GROUPS, Parser, summary_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.exit_status import BAD_INPUT, DONE, INTERNAL, INTERRUPTED
from trajan_ai.core.version import __version__

PROGRAM = "trajan-ai"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    root = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [-h] [--version] COMMAND ...",
        description=_list_commands(),
        epilog="exit status: 0 done; 1 done, but a part failed; 2 wrong usage or bad input;\n"
        "3 internal error; 130 interrupted",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = root.add_subparsers(
        prog=PROGRAM, dest="command", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    for name, describe in COMMANDS.items():
        describe(commands.add_parser(name, help=summary_of(describe)))
    return root


def _list_commands() -> str:
    """Return the commands by group, as the help shows them."""
    indent = max(map(len, COMMANDS)) + 4
    columns = shutil.get_terminal_size().columns - 2  # as argparse does
    lines = [
        "Engine for Trajan and Forum Trajanum: best moves, games and tournaments of bots.",
        f"`{PROGRAM} COMMAND --help` describes a command.",
    ]
    for title, group in GROUPS.items():
        lines += ["", f"{title}:"]
        for describe in group:
            name = describe.__name__.replace("_", "-")
            line = f"  {name:{indent - 2}}{summary_of(describe)}"
            lines += textwrap.wrap(line, columns, subsequent_indent=" " * indent)
    return "\n".join(lines)


def main(
    argv: Sequence[str] | None = None, before_work: Callable[[], object] = lambda: None
) -> int:
    """Run the command line `argv` and return its exit status.

    `before_work` is called when everything is imported, just before the subcommand runs.
    """
    status, command = DONE, ""
    try:
        if completion.is_requested():
            completion.complete(parser())
        arguments, unknown = parser().parse_known_args(argv)
        if unknown:
            prog = f"{PROGRAM} {arguments.command}"
            Parser(prog=prog).error(f"unrecognized arguments: {' '.join(unknown)}")
        command = f" {arguments.command}"
        work = import_module(f"{__package__}.{arguments.command.replace('-', '_')}")
        before_work()
        status = work.run(arguments)
        sys.stdout.flush()
    except TrajanError as error:
        for problem in error.problems:
            print(f"trajan-ai{command}: {problem}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output closed it early (`| head`), which is not an error. Without this
        # line, the interpreter would print a message when it flushes the output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a folder that cannot be written, a full disk
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"trajan-ai{command}: {place}{error.strerror or error}", file=sys.stderr)
        return BAD_INPUT
    except Exception as error:  # a bug; its status differs from that of failing bots
        if _is_from_interrupt(error):
            return INTERRUPTED
        traceback.print_exc()
        print(f"trajan-ai{command}: internal error, see above", file=sys.stderr)
        return INTERNAL
    return status


def _is_from_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C caused an error, because imports may convert KeyboardInterrupt."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
