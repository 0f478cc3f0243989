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
from trajan_ai.records.position_files import position_file

COMMAND = (sys.executable, "-P", "-m", "trajan_ai", "engine")
LONGEST_ANSWER = 1 << 26  # bytes

Result = Any  # what an answer holds: plain data
Interim = Callable[[Result], None]
Answer = Callable[[dict[str, Any]], None]


class EngineError(TrajanError):
    """The engine refused a request, or ended before it had answered.

    ``reason`` is the `error` of the answer, or ``ended``.
    """

    def __init__(self, reason: str, *problems: str) -> None:
        super().__init__(*problems)
        self.reason = reason


class Exchange:
    """Numbers requests and hands answers to whoever waits for them; does no input or output."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self.waiting: dict[int, Answer] = {}
        self.ended = False

    def open(self, kind: str, fields: dict[str, Any], answer: Answer) -> tuple[int, bytes]:
        """Return id and line of a new request whose answers `answer` will get."""
        if isinstance(fields.get("position"), Position):
            fields = {**fields, "position": _spec(fields["position"])}
        with self.lock:
            self.number += 1
            id = self.number
        line = json.dumps({"id": id, "kind": kind, **fields}).encode() + b"\n"
        with self.lock:
            if self.ended:
                raise _ended()
            self.waiting[id] = answer
        return id, line

    def hear(self, line: bytes) -> None:
        """Hand on an answer; half a line is all that is left of an engine that was killed."""
        if not line.endswith(b"\n"):
            return
        answer = json.loads(line)
        with self.lock:
            interim = answer["status"] == "interim"
            call = (self.waiting.get if interim else self.waiting.pop)(answer["id"], None)
        if call is not None:
            call(answer)

    def end(self) -> None:
        """Tell everyone who waits that nothing more will come."""
        with self.lock:
            self.ended = True
            left = list(self.waiting.values())
            self.waiting.clear()
        for call in left:
            call({"status": "error", "error": "ended", "problems": ["the engine has ended"]})


def _spec(position: Position) -> dict[str, Any]:
    """Return what the player to decide knows, as the `position` of a request."""
    if position.player is None:
        raise TrajanError(f"{position.game.name}: the game is over, there is nothing to decide")
    return {"view": position_file(position, position.player)}


def _ended() -> EngineError:
    return EngineError("ended", "the engine has ended")


def _result_of(answer: dict[str, Any]) -> Result:
    if answer["status"] == "error":
        raise EngineError(answer["error"], *answer["problems"])
    return answer["result"]


class Pending:
    """A request that was sent."""

    def __init__(self, client: EngineClient, interim: Interim | None) -> None:
        self.client = client
        self.interim = interim
        self.id = 0
        self.future: Future[dict[str, Any]] = Future()

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the answer and return its result.

        Raises EngineError if the request was refused, TimeoutError after `timeout` seconds, and
        what `interim` raised.
        """
        return _result_of(self.future.result(timeout))

    def stop(self) -> None:
        """Ask the engine to end the search; `result` then returns what it has found."""
        self.client.submit("stop", target=self.id)

    def hear(self, answer: dict[str, Any]) -> None:
        """Take an answer."""
        if self.future.done():
            return
        if answer["status"] != "interim":
            self.future.set_result(answer)
        elif self.interim is not None:
            try:
                self.interim(answer["result"])
            except Exception as error:  # raised where the result is waited for
                self.future.set_exception(error)


class EngineClient:
    """An engine process for a program with threads; any of them may ask.

    `options` are those of ``trajan-ai engine``. Leaving the ``with`` block ends the process.
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
        pending.id, line = self.exchange.open(kind, fields, pending.hear)
        try:
            with self.writing:
                assert self.process.stdin is not None
                self.process.stdin.write(line)
                self.process.stdin.flush()
        except (OSError, ValueError):  # its end is on the way to everyone who waits
            raise _ended() from None
        return pending

    def ask(self, kind: str, **fields: Any) -> Result:
        """Send a request, wait, and return the result."""
        return self.submit(kind, **fields).result()

    def close(self) -> None:
        """Stop what is under way and end the process."""
        with suppress(EngineError):
            self.ask("quit")
        with self.writing:
            assert self.process.stdin is not None
            self.process.stdin.close()
        self.reader.join()
        self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.exchange.hear(line)
        self.exchange.end()


class AsyncEngineClient:
    """An engine process for a program with asyncio: ``async with AsyncEngineClient() as engine``.

    `options` are those of ``trajan-ai engine``.
    """

    def __init__(self, *options: str, command: tuple[str, ...] = COMMAND) -> None:
        self.command = (*command, *options)
        self.exchange = Exchange()

    async def __aenter__(self) -> AsyncEngineClient:
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            limit=LONGEST_ANSWER,
        )
        self.reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def ask(self, kind: str, **fields: Any) -> Result:
        """Send a request, wait, and return the result; raises EngineError if it was refused."""
        return [result async for result in self.reports(kind, **fields)][-1]

    async def reports(self, kind: str, **fields: Any) -> AsyncIterator[Result]:
        """Send a request and yield its interim results, then the last one.

        A search whose results are no longer waited for is stopped (after a ``break``, once the
        generator is closed: see contextlib.aclosing).
        """
        answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        id, line = self.exchange.open(kind, fields, answers.put_nowait)
        over = False
        try:
            await self._send(line)
            while not over:
                answer = await answers.get()
                over = answer["status"] != "interim"
                yield _result_of(answer)
        finally:
            if not over and kind == "suggest":
                _, line = self.exchange.open("stop", {"target": id}, lambda answer: None)
                await self._send(line)

    async def close(self) -> None:
        """Stop what is under way and end the process."""
        with suppress(EngineError):
            await self.ask("quit")
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.reader
        await self.process.wait()

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
            self.exchange.hear(line)
        self.exchange.end()
