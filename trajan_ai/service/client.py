"""Clients of the engine process, for threads and for asyncio; see docs/engine.md."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import get_decider
from trajan_ai.records.position_files import position_file

COMMAND = (sys.executable, "-P", "-m", "trajan_ai", "engine")
MAX_ANSWER = 1 << 26  # bytes
GOODBYE = 10.0  # seconds within which an engine may end by itself
SEARCHES = ("suggest", "ponder")  # requests that a client stops when it no longer waits for them

Result = Any  # result of an answer, as plain data
Interim = Callable[[Result], None]
AnswerHandler = Callable[[dict[str, Any]], None]


class EngineError(TrajanError):
    """The engine rejected a request, or ended before it answered the request.

    ``reason`` is the `error` of the answer, or ``ended``.
    """

    def __init__(self, reason: str, *problems: str) -> None:
        super().__init__(*problems)
        self.reason = reason


class Exchange:
    """Numbers requests and passes each answer to its handler, without any input or output."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self.handlers: dict[int, AnswerHandler] = {}
        self.has_ended = False

    def open(self, kind: str, fields: dict[str, Any], handle: AnswerHandler) -> tuple[int, bytes]:
        """Return the id and the line of a new request; `handle` is called with its answers."""
        if isinstance(fields.get("position"), Position):
            fields = {**fields, "position": _spec(fields["position"])}
        with self.lock:
            self.number += 1
            id = self.number
        line = json.dumps({"id": id, "kind": kind, **fields}).encode() + b"\n"
        with self.lock:
            if self.has_ended:
                raise _ended()
            self.handlers[id] = handle
        return id, line

    def receive(self, line: bytes) -> None:
        """Pass an answer to its handler; ignore the incomplete last line of a killed engine."""
        if not line.endswith(b"\n"):
            return
        answer = json.loads(line)
        with self.lock:
            is_interim = answer["status"] == "interim"
            take = self.handlers.get if is_interim else self.handlers.pop
            handle = take(answer["id"], None)
        if handle is not None:
            handle(answer)

    def end(self) -> None:
        """Answer all open requests with an error, because the engine has ended."""
        with self.lock:
            self.has_ended = True
            left = list(self.handlers.values())
            self.handlers.clear()
        for handle in left:
            handle({"status": "error", "error": "ended", "problems": ["the engine has ended"]})


def _spec(position: Position) -> dict[str, Any]:
    """Return what the player to move knows, as the `position` of a request."""
    return {"view": position_file(position, get_decider(position))}


def _ended() -> EngineError:
    return EngineError("ended", "the engine has ended")


def _result_of(answer: dict[str, Any]) -> Result:
    if answer["status"] == "error":
        raise EngineError(answer["error"], *answer["problems"])
    return answer["result"]


class Pending:
    """A request that has been sent, and its future answer."""

    def __init__(self, client: EngineClient, interim: Interim | None) -> None:
        self.client = client
        self.interim = interim
        self.id = 0
        self.future: Future[dict[str, Any]] = Future()

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the answer and return its result.

        Raises EngineError if the request was rejected or the engine has ended, TimeoutError after
        `timeout` seconds, and any exception that `interim` has raised.
        """
        return _result_of(self.future.result(timeout))

    def stop(self) -> None:
        """Stop the search; `result` then returns the result so far."""
        self.client.submit("stop", target=self.id)

    def receive(self, answer: dict[str, Any]) -> None:
        """Process an answer."""
        if self.future.done():
            return
        if answer["status"] != "interim":
            self.future.set_result(answer)
        elif self.interim is not None:
            try:
                self.interim(answer["result"])
            except Exception as error:  # `result` raises it
                self.future.set_exception(error)


class EngineClient:
    """An engine process for a program with threads, all of which may send requests.

    `options` are the command-line options of ``trajan-ai engine``. Leaving the ``with`` block ends
    the process.
    """

    def __init__(self, *options: str, command: tuple[str, ...] = COMMAND) -> None:
        self.exchange = Exchange()
        self.writing = threading.Lock()
        self.process = subprocess.Popen(
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self) -> EngineClient:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def submit(self, kind: str, interim: Interim | None = None, **fields: Any) -> Pending:
        """Send a request; `interim` is called, in another thread, with interim results."""
        pending = Pending(self, interim)
        pending.id, line = self.exchange.open(kind, fields, pending.receive)
        try:
            with self.writing:
                assert self.process.stdin is not None
                self.process.stdin.write(line)
                self.process.stdin.flush()
        except (OSError, ValueError):  # the engine has ended
            raise _ended() from None
        return pending

    def ask(self, kind: str, **fields: Any) -> Result:
        """Send a request, wait, and return the result; raises EngineError if it was rejected."""
        return self.submit(kind, **fields).result()

    def close(self) -> None:
        """Stop all searches and end the process; kill it if it does not answer."""
        try:
            with suppress(EngineError):
                self.submit("quit").result(GOODBYE)
        except TimeoutError:
            self.process.kill()
        with self.writing:
            assert self.process.stdin is not None
            self.process.stdin.close()
        try:
            self.process.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.exchange.receive(line)
        self.exchange.end()


class AsyncEngineClient:
    """An engine process for a program with asyncio: ``async with AsyncEngineClient() as engine``.

    `options` are the command-line options of ``trajan-ai engine``.
    """

    def __init__(self, *options: str, command: tuple[str, ...] = COMMAND) -> None:
        self.command = (*command, *options)
        self.exchange = Exchange()

    async def __aenter__(self) -> AsyncEngineClient:
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            limit=MAX_ANSWER,
        )
        self.reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def ask(self, kind: str, **fields: Any) -> Result:
        """Send a request, wait, and return the result; raises EngineError if it was rejected."""
        return [result async for result in self.reports(kind, **fields)][-1]

    async def reports(self, kind: str, **fields: Any) -> AsyncIterator[Result]:
        """Send a request and yield its interim results, then the final result.

        Closing the generator stops the search; a loop that may ``break`` needs
        `contextlib.aclosing`. Raises EngineError if the request was rejected.
        """
        answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        id, line = self.exchange.open(kind, fields, answers.put_nowait)
        is_over = False
        try:
            await self._send(line)
            while not is_over:
                answer = await answers.get()
                is_over = answer["status"] != "interim"
                yield _result_of(answer)
        finally:
            if not is_over and kind in SEARCHES:
                _, line = self.exchange.open("stop", {"target": id}, lambda answer: None)
                await self._send(line)

    async def close(self) -> None:
        """Stop all searches and end the process; kill it if it does not answer."""
        try:
            async with asyncio.timeout(GOODBYE):
                with suppress(EngineError):
                    await self.ask("quit")
                assert self.process.stdin is not None
                self.process.stdin.close()
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        await self.reader

    async def _send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            await self.process.stdin.drain()
        except (OSError, RuntimeError):
            raise _ended() from None

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self.exchange.receive(line)
        self.exchange.end()
