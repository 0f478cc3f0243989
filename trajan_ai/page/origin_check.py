"""Reject requests that do not come from the page itself, and bodies that are too large.

Any web page in the user's browser can send requests to a local server. Therefore `Host` must name
this machine (against DNS rebinding); `Origin` and `Sec-Fetch-Site` must be those of this page if
the browser sends them; and bodies must be JSON, which other sites cannot send without a preflight
request.
"""

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 4 << 20  # largest body of a request, enough for some two hundred records
MAX_DISCARDED_BYTES = 1 << 30  # maximum number of bytes read from a body that is too large
TOO_LARGE = f"the body of a request must have at most {MAX_BYTES:,} bytes"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class OriginCheck:
    """Passes the page's own requests on, and rejects all others."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # the page uses no web sockets
        rejection = self._rejection(scope["method"], Headers(scope=scope))
        if rejection is not None:
            if rejection.status_code == 413:
                await _discard(receive)
            await rejection(scope, receive, send)
            return
        await self.app(scope, _limited(receive), _with_headers(send))

    def _rejection(self, method: str, headers: Headers) -> PlainTextResponse | None:
        """Return the answer that rejects a request, or None for one of the page's own requests."""
        if headers.getlist("host") != [headers.get("host")] or headers["host"] not in self.hosts:
            return PlainTextResponse(
                f"this page is available only at {' or '.join(sorted(self.hosts))}", 421
            )
        foreign = any(
            origin != f"http://{headers['host']}" for origin in headers.getlist("origin")
        )
        if foreign or headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return PlainTextResponse("requests from other pages are rejected", 403)
        if method == "POST" and not _is_json(headers.getlist("content-type")):
            return PlainTextResponse("the content type must be application/json", 415)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > MAX_BYTES:
            return PlainTextResponse(TOO_LARGE, 413)
        return None


def _is_json(types: Iterable[str]) -> bool:
    return [type.partition(";")[0].strip().lower() for type in types] == ["application/json"]


async def _discard(receive: Receive) -> None:
    """Read the rest of a body that is too large.

    If the server stopped reading while the client is still sending, the connection would be reset
    and the answer lost.
    """
    size, more = 0, True
    while more and size < MAX_DISCARDED_BYTES:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)


def _limited(receive: Receive) -> Receive:
    """Return `receive` with an error for too large a body, even if a header states less."""
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BYTES:
            if message.get("more_body", False):
                await _discard(receive)
            raise HTTPException(413, TOO_LARGE)
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending
