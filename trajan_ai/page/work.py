"""Execute the page's searches and other work, in threads or in slices of the event loop.

A browser offers no threads, so there the event loop does the work in slices and answers requests
between the slices. Both classes have the same interface: `scheduler` runs the searches, `wake`
must be called after a search has been added, `call` is for short work, and `submit` is for work in
the background.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, TypeVar

from trajan_ai.analysis.decision.scheduler import Scheduler
from trajan_ai.core.platform import usable_cores

Answer = TypeVar("Answer")

MAX_SEARCHES = 32  # maximum number of searches that run at the same time
MAX_WAITING = 96


class Threads:
    """Work done by threads."""

    def __init__(self, threads: int | None = None) -> None:
        threads = threads or usable_cores()
        self.scheduler = Scheduler(threads, MAX_SEARCHES, MAX_WAITING)
        self.pool = ThreadPoolExecutor(threads)

    def wake(self) -> None:
        """Do nothing: the scheduler wakes its threads itself."""

    async def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call a function in a thread and return its result."""
        return await asyncio.to_thread(function, *arguments)

    def submit(self, job: Callable[..., object], *arguments: Any) -> None:
        """Run a job in the pool."""
        self.pool.submit(job, *arguments)

    def close(self) -> None:
        """Stop the threads."""
        self.scheduler.close()
        self.pool.shutdown(wait=False, cancel_futures=True)


class Slices:
    """Work done by the event loop."""

    def __init__(self) -> None:
        self.scheduler = Scheduler(0, MAX_SEARCHES, MAX_WAITING)
        self.jobs: deque[Callable[[], object]] = deque()
        self.working: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Start working unless work is already under way."""
        if self.working is None or self.working.done():
            self.working = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Alternate between slices of searches and jobs until none of either is left."""
        while self.scheduler.work() or self.jobs:
            await asyncio.sleep(0)
            # The event loop calls each job, so an exception is reported and ends only this job.
            if self.jobs:
                asyncio.get_running_loop().call_soon(self.jobs.popleft())
                await asyncio.sleep(0)

    async def call(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call a function and return its result."""
        return function(*arguments)

    def submit(self, job: Callable[..., object], *arguments: Any) -> None:
        """Add a job to the queue."""
        self.jobs.append(partial(job, *arguments))
        self.wake()

    def close(self) -> None:
        """Drop all searches and jobs."""
        self.scheduler.close()
        self.jobs.clear()


Work: TypeAlias = Threads | Slices
