"""Serving the report of a tournament on this machine while its games are played."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.local_address import HOST

REFRESH_SECONDS = 10  # between two requests of a browser that shows the report
MIN_AGE = 5.0  # seconds before a report is made again, because that takes time from the games
WAITING = "<!doctype html><title>tournament</title><p>No game is finished yet."


@contextmanager
def serve(render: Callable[[], str | None], notify: Callable[[str], None]) -> Iterator[None]:
    """Serve the report that `render` returns, and pass the address to `notify`.

    `render` returns None before the first game. The server stops when the context ends.
    """
    try:
        server = _Server((HOST, 0), _Handler)
    except OSError as error:
        raise TrajanError(f"--live: {error.strerror}") from None
    server.cache = _Cache(render)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        notify(f"live report: http://{HOST}:{server.server_port}/")
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Cache:
    """The latest report, which is renewed if it is too old when it is requested."""

    def __init__(self, render: Callable[[], str | None]) -> None:
        self._render = render
        self._lock = threading.Lock()
        self._made = -MIN_AGE
        self._page = WAITING

    def get(self) -> str:
        """Return the report."""
        with self._lock:
            if time.monotonic() - self._made >= MIN_AGE:
                self._page = self._render() or WAITING
                self._made = time.monotonic()
            return self._page


class _Server(ThreadingHTTPServer):
    """The server of one report."""

    daemon_threads = True
    cache: _Cache


class _Handler(BaseHTTPRequestHandler):
    """Answers with the report."""

    server: _Server

    def do_GET(self) -> None:
        """Send the report, but only if the request's Host header is a local address."""
        port = self.server.server_port
        if self.headers["Host"] not in (f"{HOST}:{port}", f"localhost:{port}"):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        if self.path != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            page = self.server.cache.get()
        except TrajanError as error:
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, explain=str(error))
            return
        body = page.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Refresh", str(REFRESH_SECONDS))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""
