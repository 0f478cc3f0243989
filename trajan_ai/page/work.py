"""Who drives the page's searches and whatever else takes time: threads, or the event loop.

In a browser nothing can be started beside the event loop. There it works in slices, one after the
other, and answers between them. Either way `scheduler` has the searches, and `wake` is called
after one was added; `call` is for what takes a moment, `submit` for jobs that can wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, TypeVar

from trajan_ai.analysis.scheduler import Scheduler
from trajan_ai.core.platform import usable_cores

Answer = TypeVar("Answer")

MOST_SEARCHES = 32  # under way at a time
MOST_WAITING = 96


class Threads:
    """Work done by threads."""

    def __init__(self, threads: int | None = None) -> None:
        threads = threads or usable_cores()
        self.scheduler = Scheduler(threads, MOST_SEARCHES, MOST_WAITING)
        self.pool = ThreadPoolExecutor(threads)

    def wake(self) -> None:
        """Nothing: the scheduler wakes its threads."""

    async def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call in a thread."""
        return await asyncio.to_thread(function, *arguments)

    def submit(self, job: Callable[..., object], *arguments: Any) -> None:
        """Leave a job to the pool."""
        self.pool.submit(job, *arguments)

    def close(self) -> None:
        """End the threads."""
        self.scheduler.close()
        self.pool.shutdown(wait=False, cancel_futures=True)


class Slices:
    """Work done by the event loop that asks for it."""

    def __init__(self) -> None:
        self.scheduler = Scheduler(0, MOST_SEARCHES, MOST_WAITING)
        self.jobs: deque[Callable[[], object]] = deque()
        self.working: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Begin to work, if nothing is under way."""
        if self.working is None or self.working.done():
            self.working = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Take turns between a slice of a search and a job, until neither is left."""
        while self.scheduler.work() or self.jobs:
            await asyncio.sleep(0)
            if self.jobs:  # what one raises is reported by the loop, as of a thread's
                asyncio.get_running_loop().call_soon(self.jobs.popleft())
                await asyncio.sleep(0)

    async def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call at once."""
        return function(*arguments)

    def submit(self, job: Callable[..., object], *arguments: Any) -> None:
        """Note a job."""
        self.jobs.append(partial(job, *arguments))
        self.wake()

    def close(self) -> None:
        """Forget what is left."""
        self.scheduler.close()
        self.jobs.clear()


Work: TypeAlias = Threads | Slices
