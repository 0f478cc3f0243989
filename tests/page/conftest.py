"""Servers of the page in this process: with its app, or of static files alone."""

import contextlib
import socket
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from trajan_ai.page.app import Page
from trajan_ai.page.server import Server
from trajan_ai.page.work import Threads


class Served:
    """A running server; `url` is its address, `page` its application."""

    def __init__(self, folder):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.page = Page(folder, Threads(2))
        self.server = Server(self.page, self.port)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def client(self):
        return httpx.Client(base_url=self.url, timeout=60)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


class Files(SimpleHTTPRequestHandler):
    """A server of static files."""

    def log_message(self, *_):
        pass


class Site:
    """A site of `trajan-ai site` on a separate port; `url` is its address."""

    def __init__(self, folder):
        self.folder = folder
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def site():
    """The site in build/site."""
    folder = Path(__file__).parents[2] / "build" / "site"
    if not (folder / "sw.js").exists():
        pytest.skip(f"needs a site: trajan-ai site --out {folder}")
    site = Site(folder)
    yield site
    site.stop()


@pytest.fixture
def serve():
    """A function that serves a folder; a second call is a restart."""
    with contextlib.ExitStack() as stack:

        def start(folder):
            served = Served(folder)
            stack.callback(served.stop)
            return served

        yield start


@pytest.fixture
def served(serve, tmp_path):
    return serve(tmp_path)


@pytest.fixture
def client(served):
    with served.client() as client:
        yield client
