"""The output of the engine: one thread writes, so that no search waits for a slow reader."""

import os
import threading
from collections.abc import Callable

MAX_UNWRITTEN = 1 << 26  # bytes; with more, the engine reads no further requests


class Outbox:
    """A queue of lines for a file descriptor.

    If the reader has closed its end, `on_broken` is called once, and the remaining lines are
    dropped.
    """

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.on_broken = on_broken
        self.lines: dict[object, bytes] = {}
        self.unwritten = 0  # bytes
        self.numbers = 0
        self.when_written: Callable[[], None] | None = None
        self.changed = threading.Condition()
        threading.Thread(target=self._write, daemon=True).start()

    def put(self, line: str, replaces: object = None) -> None:
        """Add a line without blocking.

        If `replaces` is not None, the line replaces any unwritten line with the same `replaces`.
        """
        data = line.encode("ascii") + b"\n"
        with self.changed:
            key = self.numbers if replaces is None else ("replaces", replaces)
            self.numbers += 1
            self.unwritten += len(data) - len(self.lines.get(key, b""))
            self.lines[key] = data
            self.changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait while at least `MAX_UNWRITTEN` bytes are unwritten."""
        with self.changed:
            self.changed.wait_for(lambda: self.unwritten < MAX_UNWRITTEN)

    def call_when_written(self, call: Callable[[], None]) -> None:
        """Call a function once, as soon as all lines are written."""
        with self.changed:
            self.when_written = call
            self.changed.notify_all()

    def _write(self) -> None:
        try:
            while True:
                _write_all(self.descriptor, self._take())
        except OSError:
            self.on_broken()

    def _take(self) -> bytes:
        """Wait for lines and return all of them; call it after writing the lines taken before."""
        with self.changed:
            self.unwritten = sum(map(len, self.lines.values()))
            self.changed.notify_all()
            while not self.lines:
                if self.when_written is not None:
                    self.when_written()
                    self.when_written = None
                self.changed.wait()
            data = b"".join(self.lines.values())
            self.lines.clear()
            return data


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
