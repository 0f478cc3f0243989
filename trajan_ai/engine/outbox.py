"""Lines on their way out: written by one thread, so that no search waits for a slow reader."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

MOST_UNWRITTEN = 1 << 26  # bytes that may wait before the engine reads no further requests


class Outbox:
    """Lines waiting to be written to a file descriptor, in order.

    `broken` is called, once, if the reader has closed the other end: the rest is dropped.
    """

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.broken = broken
        self.lines: dict[object, bytes] = {}
        self.unwritten = 0  # bytes
        self.numbers = 0
        self.when_written: Callable[[], None] | None = None
        self.changed = threading.Condition()
        threading.Thread(target=self._write, daemon=True).start()

    def put(self, line: str, replaces: object = None) -> None:
        """Send a line. With `replaces`, it takes the place of an unwritten one put with the same.

        Never blocks.
        """
        data = line.encode("ascii") + b"\n"
        with self.changed:
            key = self.numbers if replaces is None else ("replaces", replaces)
            self.numbers += 1
            self.unwritten += len(data) - len(self.lines.get(key, b""))
            self.lines[key] = data
            self.changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait while the reader has far too much still to read."""
        with self.changed:
            self.changed.wait_for(lambda: self.unwritten < MOST_UNWRITTEN)

    def tell_when_written(self, call: Callable[[], None]) -> None:
        """Call once when all lines are written, perhaps at once."""
        with self.changed:
            self.when_written = call
            self.changed.notify_all()

    def _write(self) -> None:
        try:
            while True:
                _write_all(self.descriptor, self._take())
        except OSError:
            self.broken()

    def _take(self) -> bytes:
        """Wait for lines and take them all; what was taken before is written."""
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
