"""Serve the page on a socket of this machine until the process is interrupted."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from trajan_ai.page.app import Page

SHUTDOWN_SECONDS = 2  # for unfinished answers


class Server(uvicorn.Server):
    """A server that stops searches before it waits for unfinished answers.

    `when_ready` is called once the server accepts connections.
    """

    def __init__(
        self, page: Page, port: int, when_ready: Callable[[], object] = lambda: None
    ) -> None:
        self.page = page
        self.when_ready = when_ready
        super().__init__(
            uvicorn.Config(
                page.app(port),
                log_level="warning",
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                ws="none",
                server_header=False,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, then call `when_ready`."""
        await super().startup(sockets)
        if self.started:
            self.when_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the searches, then the server, and cut the remaining connections.

        uvicorn leaves connections open if they are still busy after SHUTDOWN_SECONDS, or if it
        accepts them while it stops.
        """
        self.page.searches.stop()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # lets the event loop close the connections
