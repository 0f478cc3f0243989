"""Run the engine as a process: standard input and output, signals, and the end of the process."""

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from queue import Empty, SimpleQueue

from trajan_ai.core.exit_status import DONE, INTERRUPTED
from trajan_ai.service.engine_service import EngineService
from trajan_ai.service.options import EngineOptions
from trajan_ai.service.outbox import Outbox
from trajan_ai.service.protocol import MAX_LINE_BYTES

READ_BYTES = 1 << 16
# Stack size of a thread, because deeply nested JSON needs more than some C libraries provide.
STACK_BYTES = 1 << 24
SHUTDOWN_SECONDS = 1.0  # time for a slow reader to read the output after a signal


class Trigger(Enum):
    """Events, other than requests, that the main thread of the process handles."""

    END_OF_INPUT = "no more requests follow"
    QUIT = "a `quit` request"
    TERMINATED = "SIGTERM"
    INTERRUPTED = "SIGINT"
    ANSWERED = "no search is running or waiting"
    WRITTEN = "all answers are written"
    BROKEN = "the output was closed"


def serve(options: EngineOptions, source: int, sink: int) -> int:
    """Answer the lines from file descriptor `source` on `sink`, and return the exit status."""
    threading.stack_size(STACK_BYTES)
    events: SimpleQueue[Trigger] = SimpleQueue()
    for number, event in (
        (signal.SIGINT, Trigger.INTERRUPTED),
        (signal.SIGTERM, Trigger.TERMINATED),
    ):
        signal.signal(number, lambda *_, event=event: events.put(event))
    outbox = Outbox(sink, lambda: events.put(Trigger.BROKEN))
    engine = EngineService(options, outbox.put)
    ending = threading.Event()
    for work in (
        lambda: events.put(_read(source, engine, outbox, ending)),
        lambda: _watch(sink, lambda: events.put(Trigger.BROKEN)),
    ):
        threading.Thread(target=work, daemon=True).start()
    status = _run(events, engine, outbox, ending)
    engine.close()
    return status


def _run(
    events: SimpleQueue[Trigger], engine: EngineService, outbox: Outbox, ending: threading.Event
) -> int:
    """Wait until the process has to end, and return the exit status."""
    status, timeout, is_finishing = DONE, None, False
    while True:
        try:
            event = events.get(timeout=timeout)
        except Empty:
            return status
        match event:
            case Trigger.BROKEN | Trigger.WRITTEN:
                return status
            case Trigger.ANSWERED:
                outbox.call_when_written(lambda: events.put(Trigger.WRITTEN))
            case Trigger.INTERRUPTED | Trigger.TERMINATED:
                status = INTERRUPTED if event is Trigger.INTERRUPTED else DONE
                if timeout is not None:
                    return status
                timeout = SHUTDOWN_SECONDS
                ending.set()
                engine.stop_all()
        if event is not Trigger.ANSWERED and not is_finishing:
            is_finishing = True
            engine.finish(lambda: events.put(Trigger.ANSWERED))


def _read(source: int, engine: EngineService, outbox: Outbox, ending: threading.Event) -> Trigger:
    """Handle lines until the input ends or the process has to end; return the reason."""
    for number, line in enumerate(read_lines(source), start=1):
        outbox.wait_for_room()
        if ending.is_set() or not engine.handle(line, number):
            return Trigger.QUIT
    return Trigger.END_OF_INPUT


def read_lines(source: int) -> Iterator[bytes]:
    """Yield the lines from a file descriptor; lines that are too long are cut off."""
    buffer = bytearray()
    while data := os.read(source, READ_BYTES):
        first, *others = data.split(b"\n")
        if len(buffer) <= MAX_LINE_BYTES:
            buffer += first
        for other in others:
            yield bytes(buffer)
            buffer = bytearray(other)
    if buffer:
        yield bytes(buffer)


def _watch(sink: int, on_broken: Callable[[], None]) -> None:
    """Call a function when the reader closes its end, even if nothing is being written."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sink, 0)  # reports errors and hang-ups
        poll.poll()
        on_broken()
