"""`trajan-ai mcp`: let language-model agents play, over the Model Context Protocol."""

import argparse
from pathlib import Path

from trajan_ai.bots import BUILTIN_NAMES, read_bot
from trajan_ai.cli.engine import read_bots
from trajan_ai.core.errors import TrajanError
from trajan_ai.service.agents import AgentTools


def run(arguments: argparse.Namespace) -> int:
    """Serve one client on standard input and output until it closes the input."""
    try:
        from trajan_ai.service.mcp_server import serve  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if str(error.name).startswith("trajan_ai"):
            raise
        raise TrajanError(
            f"the server needs the package {error.name}; install it with pip install "
            "'trajan-ai[mcp]'"
        ) from None
    bots = {name: read_bot(name) for name in BUILTIN_NAMES} | read_bots(arguments.bot)
    out = None if arguments.out is None else Path(arguments.out)
    if out is not None:
        out.open("a").close()  # a file that cannot be written is reported before any game
    serve(AgentTools(bots, out))
    return 0
