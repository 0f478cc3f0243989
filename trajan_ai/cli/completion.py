"""`trajan-ai completion`: print a script with which a shell completes commands and options."""

import argparse
import os
from types import ModuleType

from trajan_ai.core.errors import TrajanError

VARIABLE = "_ARGCOMPLETE"  # a shell that requests completions sets this variable


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(_argcomplete().shellcode(["trajan-ai"], shell=arguments.shell))
    return 0


def is_requested() -> bool:
    """Return whether a shell requests completions."""
    return VARIABLE in os.environ


def complete(parser: argparse.ArgumentParser) -> None:
    """Print the completions and exit."""
    _argcomplete().autocomplete(parser)


def _argcomplete() -> ModuleType:
    try:
        import argcomplete  # noqa: PLC0415  (an extra, and needed by nothing else)
    except ImportError:
        raise TrajanError(
            "completion needs argcomplete; install it with pip install 'trajan-ai[completion]'"
        ) from None
    return argcomplete
