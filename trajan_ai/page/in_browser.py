"""The page without a server: a worker in the browser calls its application.

`static/api.js` and the scripts in `worker/` pass requests to the application.
"""

import asyncio
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from trajan_ai.page.app import Page
from trajan_ai.page.work import Slices

HOST, PORT = "localhost", 0

Respond = Callable[[int, str, str, str, bool], object]


class BrowserPage:
    """The page's application in an event loop that does all the work itself.

    `folder` contains the saved games. `tree_megabytes` limits the size of a search tree.
    """

    def __init__(self, folder: str, tree_megabytes: float) -> None:
        self.page = Page(Path(folder), Slices(), tree_megabytes=tree_megabytes)
        self.app = self.page.app(PORT)
        self._aborts: dict[int, asyncio.Event] = {}

    async def answer(
        self, number: int, method: str, address: str, body: str, respond: Respond
    ) -> None:
        """Answer a request; its `number`, which the caller chooses, is for `abort`.

        `respond` is called with the status, the content type, the content disposition, a part of
        the body, and whether more parts follow.
        """
        path, _, query = address.partition("?")
        abort = self._aborts[number] = asyncio.Event()
        parts = [body.encode()]
        head: tuple[int, str, str] = 500, "", ""

        async def receive() -> MutableMapping[str, Any]:
            if parts:
                return {"type": "http.request", "body": parts.pop()}
            await abort.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal head
            if message["type"] == "http.response.start":
                headers = {name: value.decode() for name, value in message["headers"]}
                kind, file = headers.get(b"content-type"), headers.get(b"content-disposition")
                head = message["status"], kind or "", file or ""
            else:
                more = message.get("more_body", False)
                respond(*head, message.get("body", b"").decode(), more)

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
            del self._aborts[number]

    def abort(self, number: int) -> None:
        """Abort a request, as `AbortController.abort` does."""
        if number in self._aborts:
            self._aborts[number].set()

    def forget(self, id: str) -> None:
        """Drop a game from memory, because its file was changed from outside."""
        self.page.folder.forget(id)
