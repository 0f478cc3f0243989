"""The engine as a process: lines of standard input and output, signals, and how it all ends."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from queue import Empty, SimpleQueue

from trajan_ai.engine.options import Options
from trajan_ai.engine.outbox import Outbox
from trajan_ai.engine.protocol import MOST_LINE_BYTES
from trajan_ai.engine.service import Engine

READ_BYTES = 1 << 16
STACK_BYTES = 1 << 24  # of a thread: some C libraries give too little for deeply nested JSON
PATIENCE = 1.0  # seconds that a slow reader has after a signal

DONE = 0
INTERRUPTED = 130


class Event(Enum):
    """What can happen to the process, besides requests."""

    END_OF_INPUT = "no more requests, those before are to be answered"
    QUIT = "a request to end"
    TERMINATED = "SIGTERM"
    INTERRUPTED = "SIGINT"
    ANSWERED = "nothing is under way"
    WRITTEN = "all answers are written"
    BROKEN = "nobody reads our answers"


def serve(options: Options, source: int, sink: int) -> int:
    """Answer the lines of file descriptor `source` on `sink`; return the exit status."""
    threading.stack_size(STACK_BYTES)
    events: SimpleQueue[Event] = SimpleQueue()
    for number, event in (
        (signal.SIGINT, Event.INTERRUPTED),
        (signal.SIGTERM, Event.TERMINATED),
    ):
        signal.signal(number, lambda *_, event=event: events.put(event))
    outbox = Outbox(sink, lambda: events.put(Event.BROKEN))
    engine = Engine(options, outbox.put)
    ending = threading.Event()
    for work in (
        lambda: events.put(_read(source, engine, outbox, ending)),
        lambda: _watch(sink, lambda: events.put(Event.BROKEN)),
    ):
        threading.Thread(target=work, daemon=True).start()
    status = _run(events, engine, outbox, ending)
    engine.close()
    return status


def _run(
    events: SimpleQueue[Event], engine: Engine, outbox: Outbox, ending: threading.Event
) -> int:
    """Wait for the end and bring it about; return the exit status."""
    status, patience, finishing = DONE, None, False
    while True:
        try:
            event = events.get(timeout=patience)
        except Empty:
            return status
        match event:
            case Event.BROKEN | Event.WRITTEN:
                return status
            case Event.ANSWERED:
                outbox.tell_when_written(lambda: events.put(Event.WRITTEN))
            case Event.INTERRUPTED | Event.TERMINATED:
                status = INTERRUPTED if event is Event.INTERRUPTED else DONE
                if patience is not None:
                    return status
                patience = PATIENCE
                ending.set()
                engine.stop_all()
        if event is not Event.ANSWERED and not finishing:
            finishing = True
            engine.finish(lambda: events.put(Event.ANSWERED))


def _read(source: int, engine: Engine, outbox: Outbox, ending: threading.Event) -> Event:
    """Handle lines until there are no more, or the end has come."""
    for number, line in enumerate(lines(source), start=1):
        outbox.wait_for_room()
        if ending.is_set() or not engine.handle(line, number):
            return Event.QUIT
    return Event.END_OF_INPUT


def lines(source: int) -> Iterator[bytes]:
    """Yield the lines of a file descriptor; of one that is too long, a bit more than allowed."""
    held = bytearray()
    while data := os.read(source, READ_BYTES):
        first, *others = data.split(b"\n")
        if len(held) <= MOST_LINE_BYTES:
            held += first
        for other in others:
            yield bytes(held)
            held = bytearray(other)
    if held:
        yield bytes(held)


def _watch(sink: int, broken: Callable[[], None]) -> None:
    """Notice that the reader is gone though nothing is being written."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sink, 0)  # errors and hang-ups are always reported
        poll.poll()
        broken()
