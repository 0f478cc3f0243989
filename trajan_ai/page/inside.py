"""The page without a server: its app, asked by the worker of a browser that runs this interpreter.

`static/api.js` and the scripts in `worker/` have the other side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from trajan_ai.page.app import Page
from trajan_ai.page.work import Slices

HOST, PORT = "localhost", 0

Tell = Callable[[int, str, str, str, bool], object]


class Inside:
    """The page's app in an event loop that does all the work itself.

    `folder` is where studies lie, `tree_megabytes` what a search may take for its tree.
    """

    def __init__(self, folder: str, tree_megabytes: float) -> None:
        self.page = Page(Path(folder), Slices(), tree_megabytes=tree_megabytes)
        self.app = self.page.app(PORT)
        self.asking: dict[int, asyncio.Event] = {}

    async def answer(self, number: int, method: str, address: str, body: str, tell: Tell) -> None:
        """Answer a request that its asker calls by a number.

        `tell` is called with status, content type, disposition, a piece of the body, and whether
        more will come.
        """
        path, _, query = address.partition("?")
        gone = self.asking[number] = asyncio.Event()
        parts = [body.encode()]
        head: tuple[int, str, str] = 500, "", ""

        async def receive() -> MutableMapping[str, Any]:
            if parts:
                return {"type": "http.request", "body": parts.pop()}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal head
            if message["type"] == "http.response.start":
                headers = {name: value.decode() for name, value in message["headers"]}
                kind, file = headers.get(b"content-type"), headers.get(b"content-disposition")
                head = message["status"], kind or "", file or ""
            else:
                more = message.get("more_body", False)
                tell(*head, message.get("body", b"").decode(), more)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (b"host", f"{HOST}:{PORT}".encode()),
                (b"content-type", b"application/json"),
            ],
            "server": (HOST, PORT),
        }
        try:
            await self.app(scope, receive, send)
        finally:
            del self.asking[number]

    def leave(self, number: int) -> None:
        """Note that nobody hears the answer to a request any more."""
        if number in self.asking:
            self.asking[number].set()

    def forget(self, study: str) -> None:
        """Note that the file of a study was changed from outside."""
        self.page.folder.forget(study)
