"""Where games are played: processes of this machine (joblib's loky) or a dask cluster.

Both take tasks lazily and give outcomes as they come, in any order. Neither loses a task: what was
in flight when a worker died is handed out again.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from trajan_ai.bots.game_loop import Failure
from trajan_ai.bots.processes import end_with
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments.game_task import Outcome, Task, failed_game
from trajan_ai.tournaments.guard import play_guarded

# How often a game may be in flight while a worker dies before it is given up: workers die by
# the machine's hand (memory, a reboot), the bots' processes are others.
MAX_LOSSES = 5
# Tasks a dask cluster holds for each of its threads: enough to bridge the way there and back.
TASKS_PER_THREAD = 3
CONNECT_TIMEOUT = "20s"


Item = TypeVar("Item")
Result = TypeVar("Result")
# Plays tasks in so many processes; raises TerminatedWorkerError when one was killed.
Workers = Callable[[Iterable[Task], int], Generator[Outcome]]


def processes(tasks: Iterable[Task], jobs: int) -> Generator[Outcome]:
    """Play tasks in `jobs` processes of joblib's."""
    where: dict[str, Any] = {"backend": "sequential"}
    if jobs > 1:
        where = {"backend": "loky", "initializer": _settle, "initargs": (os.getpid(),)}
    parallel = Parallel(
        n_jobs=jobs,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2*n_jobs",
        **where,
    )
    outcomes: Generator[Outcome] = parallel(delayed(play_guarded)(task) for task in tasks)
    return outcomes


class Loky:
    """The processes of this machine, or other `workers`."""

    def __init__(self, jobs: int, workers: Workers = processes) -> None:
        self.jobs = jobs
        self.workers = workers

    def stream(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task; starts anew when a worker process was killed."""
        feed = Feed(tasks)
        while True:
            outcomes = self.workers(feed, self.jobs)
            try:
                for outcome in outcomes:
                    feed.done(outcome.id)
                    yield outcome
                return
            except TerminatedWorkerError:
                yield from feed.recover()
            finally:
                with warnings.catch_warnings(action="ignore"):  # of games cut off, as they should
                    outcomes.close()


class Dask:
    """A dask cluster: a scheduler's address, or a local cluster of `jobs` workers.

    `library` is what stands for the package `distributed`.
    """

    def __init__(self, address: str | None, jobs: int, library: Any = None) -> None:
        self.address = address
        self.jobs = jobs
        self.library = library

    def stream(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task; dask itself hands out again what a worker lost."""
        where = {"what": "game", "killed": _given_up, "library": self.library}
        done = called_on_cluster(self.address, self.jobs, play_guarded, tasks, **where)
        return (outcome for _, outcome in done)


Backend = Loky | Dask


def called_on_cluster(
    address: str | None,
    jobs: int,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    what: str = "part",
    killed: Callable[[Item], Result] | None = None,
    library: Any = None,
) -> Iterator[tuple[Item, Result]]:
    """Yield every item with what `function` makes of it on a dask cluster, as they are done.

    Items are drawn as there is room. `killed` says what becomes of one at which too many workers
    died; without it that ends all, as the loss of the scheduler does.
    """
    distributed = library or _distributed()
    waiting, flying = iter(items), dict[Any, Item]()
    with _client(distributed, address, jobs) as client:
        running = distributed.as_completed()
        try:
            while True:
                room = TASKS_PER_THREAD * max(1, sum(client.nthreads().values())) - len(flying)
                for item in islice(waiting, max(0, room)):
                    # Not pure: a key of its own, so that dask never takes an old result for it.
                    future = client.submit(function, item, pure=False)
                    flying[future] = item
                    running.add(future)
                if not flying:
                    return
                future = next(running)
                item = flying.pop(future)
                try:
                    result = future.result()
                except distributed.KilledWorker as error:
                    if killed is None:
                        raise TrajanError(
                            f"workers of the cluster were killed again and again: {error}"
                        ) from None
                    result = killed(item)
                yield item, result
        except (OSError, CancelledError) as error:  # closed connections among them
            raise TrajanError(
                f"scheduler {address or 'of the local cluster'}: lost "
                f"({type(error).__name__}); every finished {what} is kept, start it and run the "
                "same command again"
            ) from None


class Feed:
    """Tasks on their way: remembers what was handed out until it is done."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._again: deque[Task] = deque()
        self._flying: dict[str, Task] = {}
        self._losses: dict[str, int] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> Task:
        with self._lock:
            task = self._again.popleft() if self._again else next(self._tasks)
            self._flying[task.id] = task
            return task

    def done(self, identity: str) -> None:
        """Forget a task that came back."""
        with self._lock:
            self._flying.pop(identity, None)

    def recover(self) -> Iterator[Outcome]:
        """Put back what was in flight; yield the outcome of a task that was lost too often."""
        with self._lock:
            lost = list(self._flying.values())
            self._flying.clear()
        for task in lost:
            self._losses[task.id] = self._losses.get(task.id, 0) + 1
            if self._losses[task.id] > MAX_LOSSES:
                yield _given_up(task)
            else:
                self._again.append(task)


def _given_up(task: Task) -> Outcome:
    message = "its worker process was killed again and again"
    return failed_game(task, [], Failure("lost", None, 0, message))


def _settle(runner: int) -> None:
    """Begin a worker's life: leave Ctrl-C to the runner, and end when the runner is gone.

    Told whose it is, a worker whose runner died before it could begin ends at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(runner,), daemon=True).start()


def _distributed() -> Any:
    """Import dask's package only where it is used: it is optional, and takes a second."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise TrajanError(
            f"backend dask: {error}; install it with pip install 'trajan-ai[dask]'"
        ) from None


@contextmanager
def _client(distributed: Any, address: str | None, jobs: int) -> Iterator[Any]:
    # They would log tracebacks of a scheduler that is lost, which the run says in a line.
    for part in ("distributed", "distributed.client"):  # dask sets the level of either
        logging.getLogger(part).setLevel(logging.CRITICAL)
    cluster = None
    if address is None:
        cluster = distributed.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None
        )
    try:
        client = distributed.Client(cluster or address, timeout=CONNECT_TIMEOUT)
    except OSError as error:
        raise TrajanError(
            f"scheduler {address}: no answer ({error}); start one with `dask scheduler`"
        ) from None
    try:
        yield client
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
