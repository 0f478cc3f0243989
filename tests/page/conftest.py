"""A server of the page in this process, on a port and a folder of its own."""

import contextlib
import socket
import threading
import time

import httpx
import pytest

from trajan_ai.page.app import Page
from trajan_ai.page.server import Server
from trajan_ai.page.work import Threads


class Served:
    """A running server; `url` is its address, `page` what answers."""

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


@pytest.fixture
def serve():
    """A function that serves a folder; call it again for a restart."""
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
