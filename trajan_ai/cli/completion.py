"""`trajan-ai completion`: what a shell needs to complete commands, options and names."""

from __future__ import annotations

import argparse
import os
from types import ModuleType

from trajan_ai.core.errors import TrajanError

ASKED = "_ARGCOMPLETE"  # set by a shell that asks what could follow


def run(arguments: argparse.Namespace) -> int:
    """Print the shell's code."""
    print(_argcomplete().shellcode(["trajan-ai"], shell=arguments.shell))
    return 0


def asked() -> bool:
    """Whether a shell asks what could follow a line."""
    return ASKED in os.environ


def answer(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, and end."""
    _argcomplete().autocomplete(parser)


def _argcomplete() -> ModuleType:
    try:
        import argcomplete  # noqa: PLC0415  (an extra, and needed by nothing else)
    except ImportError:
        raise TrajanError(
            "completion needs argcomplete: pip install 'trajan-ai[completion]'"
        ) from None
    return argcomplete
