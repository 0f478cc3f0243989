"""Serving the page on a socket of this machine, until it is told to end."""

from __future__ import annotations

import socket

import uvicorn

from trajan_ai.page.app import Page

GOODBYE_SECONDS = 2  # for answers under way when it ends


class Server(uvicorn.Server):
    """A server that ends searches before it waits for answers under way."""

    def __init__(self, page: Page, port: int) -> None:
        self.page = page
        super().__init__(
            uvicorn.Config(
                page.app(port),
                log_level="warning",
                timeout_graceful_shutdown=GOODBYE_SECONDS,
                ws="none",
                server_header=False,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End searches, then everything else."""
        self.page.searches.stop()
        await super().shutdown(sockets)
