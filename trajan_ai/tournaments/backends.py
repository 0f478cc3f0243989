"""Backends that play games: processes on this machine (joblib's loky) or a dask cluster.

Both backends draw tasks lazily and yield outcomes in any order. Neither loses a task: if a worker
dies, its tasks are assigned again. Other commands also use `run_in_processes` and `Cluster`, so
that all workers are supervised in the same way.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, wait
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from trajan_ai.bots.game_loop import Failure
from trajan_ai.bots.processes import end_with
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments.game_task import (
    Outcome,
    Task,
    get_engine_signature,
    make_failed_outcome,
)
from trajan_ai.tournaments.guard import play_guarded

# How many workers may die during a game before the game is given up. Bots run in other processes,
# so workers die only because of the machine, for example when memory runs out or the machine
# reboots.
MAX_LOSSES = 5
TASKS_PER_THREAD = 3  # tasks on a cluster per thread, so that threads are busy during transfers
CONNECT_TIMEOUT = "20s"
WORKERS_TIMEOUT = 60.0  # seconds that a cluster may be without any worker, or without an answer
CHECK_SECONDS = 1.0  # between two checks that a cluster has workers
POLL_SECONDS = 0.02  # between two checks for results of a cluster

Item = TypeVar("Item")
Result = TypeVar("Result")
# Plays tasks in a given number of processes; raises WorkerKilled if one of them is killed.
Workers = Callable[[Iterable[Task], int], Generator[Outcome]]


class WorkerKilled(TrajanError):
    """A worker process was killed, so the results of its items are missing."""


class Backend(Protocol):
    """Plays tasks somewhere, in as many rounds as needed, until it is closed."""

    def stream(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task, in any order."""

    def close(self) -> None:
        """Release the workers."""


def run_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Generator[Result]:
    """Yield the results of `function` for all items, computed in `jobs` processes, in any order.

    These processes end when the calling process ends, for any reason. With one job, the calling
    process itself does the work. Raises WorkerKilled if a process was killed.
    """
    options: dict[str, Any] = {"backend": "sequential"}
    if jobs > 1:
        options = {"backend": "loky", "initializer": _set_up_worker, "initargs": (os.getpid(),)}
    parallel = Parallel(
        n_jobs=jobs,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2*n_jobs",
        **options,
    )
    try:
        yield from parallel(delayed(function)(item) for item in items)
    except TerminatedWorkerError:
        raise WorkerKilled(
            "a worker process was killed, perhaps because memory ran out; finished work is kept; "
            "run the same command again"
        ) from None


WORKERS: Workers = partial(run_in_processes, play_guarded)


class Loky:
    """Backend of processes on this machine; tests replace `workers`."""

    def __init__(self, jobs: int, workers: Workers = WORKERS) -> None:
        self.jobs = jobs
        self.workers = workers

    def stream(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task; restart the workers if one of them was killed."""
        feed = Feed(tasks)
        while True:
            outcomes = self.workers(feed, self.jobs)
            try:
                for outcome in outcomes:
                    feed.done(outcome.id)
                    yield outcome
                return
            except WorkerKilled:
                yield from feed.recover()
            finally:
                with warnings.catch_warnings(action="ignore"):  # about games that are cut off
                    outcomes.close()

    def close(self) -> None:
        """Do nothing: joblib ends idle processes."""


class Dask:
    """Backend of a dask cluster; dask hands out the tasks of lost workers again.

    Raises TrajanError if the engine of a worker differs from that of the tasks.
    """

    def __init__(self, address: str | None, jobs: int, library: Any = None) -> None:
        self.cluster = Cluster(address, jobs, library)

    def stream(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield the outcome of every task."""
        results = self.cluster.map(play_on_worker, tasks, what="game", on_killed=_give_up)
        return (outcome for _, outcome in results)

    def close(self) -> None:
        """Close the connection, and the local cluster if there is one."""
        self.cluster.close()


class Cluster:
    """A connection to the dask scheduler at `address`, or to a local cluster of `jobs` workers.

    Without `address`, the cluster is local. The connection is opened at the first use and stays
    open until `close`. `library` replaces the package `distributed` in tests.
    """

    def __init__(self, address: str | None, jobs: int, library: Any = None) -> None:
        self.address = address
        self.jobs = jobs
        self._library = library
        self._local: Any = None
        self._client: Any = None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        what: str = "part",
        on_killed: Callable[[Item], Result] | None = None,
    ) -> Iterator[tuple[Item, Result]]:
        """Yield every item with its result, in any order.

        Items are drawn whenever workers have room. `on_killed` returns the result of an item that
        killed several workers. Raises TrajanError if the scheduler is lost, if there is no worker
        for `WORKERS_TIMEOUT` seconds, and, without `on_killed`, if an item kills several workers.
        """
        client, library = self._connect(), self._library
        waiting, pending = iter(items), dict[Any, Item]()
        completed = library.as_completed()
        try:
            while True:
                room = TASKS_PER_THREAD * max(1, self._count_threads()) - len(pending)
                for item in islice(waiting, max(0, room)):
                    # The task is marked as not pure, because dask must not reuse an old result.
                    future = client.submit(function, item, pure=False)
                    pending[future] = item
                    completed.add(future)
                if not pending:
                    return
                self._wait(lambda seconds: _has_ready(completed, seconds), what)
                future = next(completed)
                item = pending.pop(future)
                try:
                    result = self._fetch(future, what)
                except library.KilledWorker as error:
                    if on_killed is None:
                        raise TrajanError(
                            f"workers of the cluster were killed repeatedly: {error}"
                        ) from None
                    result = on_killed(item)
                yield item, result
        except (OSError, CancelledError) as error:  # including closed connections
            self.close()
            raise TrajanError(
                f"{self._name}: the connection was lost ({type(error).__name__}); every finished "
                f"{what} is kept; start the scheduler and run the same command again"
            ) from None

    def close(self) -> None:
        """Close the connection and the local cluster. Another `map` opens them again."""
        client, local = self._client, self._local
        self._client = self._local = None
        if client is not None:
            client.close()
        if local is not None:
            local.close()

    @property
    def _name(self) -> str:
        return f"scheduler {self.address or 'of the local cluster'}"

    def _connect(self) -> Any:
        if self._client is not None:
            return self._client
        library = self._library = self._library or _import_distributed()
        # If the scheduler is lost, these loggers would log tracebacks, although `map` reports the
        # loss in one line.
        for part in ("distributed", "distributed.client"):  # dask sets their levels
            logging.getLogger(part).setLevel(logging.CRITICAL)
        if self.address is None:
            self._local = library.LocalCluster(
                n_workers=self.jobs, threads_per_worker=1, processes=True, dashboard_address=None
            )
        try:
            self._client = library.Client(self._local or self.address, timeout=CONNECT_TIMEOUT)
        except (OSError, ValueError) as error:  # ValueError for an unknown scheme
            self.close()
            raise TrajanError(
                f"scheduler {self.address}: no answer ({error}); start one with `dask scheduler`"
            ) from None
        return self._client

    def _fetch(self, future: Any, what: str) -> Any:
        """Return the result of a finished task.

        If the worker that holds the result dies, dask repeats the task, and a result may never
        arrive.
        """
        answer: Future[Any] = Future()

        def fetch() -> None:
            try:
                answer.set_result(future.result())
            except BaseException as error:
                answer.set_exception(error)

        # With a timeout, dask would end and restart transfers that are merely slow.
        threading.Thread(target=fetch, daemon=True).start()
        self._wait(lambda seconds: bool(wait([answer], seconds).done), what)
        return answer.result()

    def _count_threads(self) -> int:
        """Return the number of threads of all workers; raise OSError if the scheduler hangs."""
        return sum(self._client.nthreads(callback_timeout=WORKERS_TIMEOUT).values())

    def _wait(self, poll: Callable[[float], bool], what: str) -> None:
        """Wait until ``poll(seconds)`` returns True; each call of `poll` waits at most `seconds`.

        Raises TrajanError if there is no worker for too long.
        """
        last_seen = checked = time.monotonic()
        while not poll(POLL_SECONDS):
            now = time.monotonic()
            if now - checked < CHECK_SECONDS:
                continue
            checked = now
            if self._count_threads():
                last_seen = now
            elif now - last_seen > WORKERS_TIMEOUT:
                raise TrajanError(
                    f"{self._name}: has had no worker for {WORKERS_TIMEOUT:g} s; every finished "
                    f"{what} is kept; start workers of this version with `dask worker` and run "
                    "the same command again"
                )


def _has_ready(completed: Any, seconds: float) -> bool:
    """Return True if a task is finished; otherwise, sleep for `seconds` and return False."""
    if completed.has_ready():
        return True
    time.sleep(seconds)
    return False


class Feed:
    """Hands out tasks, and remembers them until they are done."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._again: deque[Task] = deque()
        self._pending: dict[str, Task] = {}
        self._losses: dict[str, int] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> Task:
        with self._lock:
            task = self._again.popleft() if self._again else next(self._tasks)
            self._pending[task.id] = task
            return task

    def done(self, identity: str) -> None:
        """Forget a task whose outcome has arrived."""
        with self._lock:
            self._pending.pop(identity, None)

    def recover(self) -> Iterator[Outcome]:
        """Hand out pending tasks again; yield the outcomes of tasks that were lost too often."""
        with self._lock:
            lost = list(self._pending.values())
            self._pending.clear()
        for task in lost:
            self._losses[task.id] = self._losses.get(task.id, 0) + 1
            if self._losses[task.id] > MAX_LOSSES:
                yield _give_up(task)
            else:
                self._again.append(task)


def _give_up(task: Task) -> Outcome:
    message = "its worker process was killed repeatedly"
    return make_failed_outcome(task, [], Failure("lost", None, 0, message))


_signing = threading.Lock()  # so that the threads of a worker compute each signature only once


def play_on_worker(task: Task) -> Outcome:
    """Play a game on a worker of a cluster.

    Raises TrajanError if the engine of the worker differs from that of the task, because the
    runner stores the game under the signature of the runner's engine.
    """
    with _signing:
        signature = get_engine_signature(task.game)  # computed once per process, in about 0.5 s
    if task.engine not in ("", signature):
        raise TrajanError(
            f"worker {_import_distributed().get_worker().address}: its engine has the play "
            f"signature {signature} for {task.game}, but that of the runner is {task.engine}, and "
            "games of different engines must not be rated together; install the same version on "
            "both machines and run the same command again; every finished game is kept"
        )
    return play_guarded(task)


def _set_up_worker(parent: int) -> None:
    """Make a worker ignore Ctrl-C, which the parent handles, and end when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def _import_distributed() -> Any:
    """Import dask's package, which is optional and takes a second to import."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise TrajanError(
            f"backend dask: {error}; install it with pip install 'trajan-ai[dask]'"
        ) from None
