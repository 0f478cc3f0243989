"""`trajan-ai serve`: the analysis page, on this machine only."""

import argparse
import socket
import webbrowser

from trajan_ai.cli.common import page_needs
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.local_address import HOST

with page_needs():
    from trajan_ai.page.app import Page
    from trajan_ai.page.folder import state_folder
    from trajan_ai.page.server import Server


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted; print the address once the server accepts connections."""
    if not 0 <= arguments.port <= 65535:
        raise TrajanError(f"--port must be 0 to 65535, got {arguments.port}")
    page = Page(state_folder())
    with _bind(arguments.port) as listener:
        port = listener.getsockname()[1]
        address = f"http://{HOST}:{port}/"

        def announce() -> None:
            print(address, flush=True)
            if not arguments.no_browser:
                webbrowser.open(address)

        Server(page, port, announce).run(sockets=[listener])
    return 0


def _bind(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise TrajanError(
            f"--port {port}: {error.strerror}; the page may already be open at "
            f"http://{HOST}:{port}/. Choose another port, or 0 for any free one"
        ) from None
    return listener
