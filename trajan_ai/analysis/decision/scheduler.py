"""Run many searches on the cores at once, in slices that are shared fairly between clients."""

import heapq
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trajan_ai.analysis.decision.analysis_run import AnalysisRun, SearchRequest
from trajan_ai.analysis.decision.rollout import Rollout
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.driver import OVERHEAD, SearchTree

SLICE = 0.01  # seconds that a search runs while others wait
# seconds that a search runs if no other waits; longer, because a switch costs about 0.2 ms, mostly
# because caches are cold
LONG_SLICE = 0.05
UNLIMITED = 2**62  # iterations of a slice that has only a time limit

Answer = Callable[[str, Result | Exception | None], None]
Step = Literal["begin", "run", "report", "finish"]


@dataclass(frozen=True)
class Job:
    """One search, or all searches and rollouts of an analysis, for a client.

    Attributes:
        information: what the player to decide knows.
        settings: the settings of the search.
        work: the search, or the analysis that requests searches.
        answer: a function that the scheduler's threads call with a status and a result. It must
            not block. The status is ``interim`` any number of times, with an interim result (None
            after a search or a redeal of an analysis). Then it is, once, ``done`` or ``stopped``
            with the last result (None if the search never began), or ``error`` with the exception.
        client: the name of the client.
        priority: of a client's searches, those with a higher priority run first.
        report_every: seconds between interim results of searches among all moves, and the minimum
            number of seconds between those of rollouts.
        plant: a function that returns the tree to search in; by default a new one.
    """

    information: InformationSet
    settings: Settings
    work: SearchRequest | AnalysisRun
    answer: Answer
    client: str = ""
    priority: int = 0
    report_every: float | None = None
    plant: Callable[[], SearchTree] | None = None


class ScheduledSearch:
    """A job in progress. It has one part per thread: part 0 runs the search, and other parts help.

    The scheduler's lock protects the job, except for its tree. A part belongs to the thread that
    runs it. A thread that begins, reports or finishes the job owns all parts in the meantime. If
    the job consists of rollouts, all parts do the same work.
    """

    def __init__(self, job: Job, arrival: int) -> None:
        self.job = job
        self.arrival = arrival
        self.used = 0.0  # seconds on all cores
        self.request: SearchRequest | None = None  # the current search
        self.tree: SearchTree | None = None
        self.rollout: Rollout | None = None  # instead of a tree
        self.reported = 0  # redeals in the last interim result of rollouts
        self.last_report = 0.0  # time of the last interim result of rollouts
        self.reporting = threading.Lock()  # held by the part that reports redeals
        self.deadline: float | None = None
        self.next_report: float | None = None
        self.idle: list[int] = []  # parts with work left that are not running
        self.running = 0  # threads that work on the job
        self.stopped = False
        self.failure: Exception | None = None

    def step(self, now: float) -> Step | None:
        """Return the next step for a free thread, or None if there is none."""
        if self.tree is None and self.rollout is None:
            return None if self.running else "begin"
        if self.stopped or self._is_late(now):
            return None if self.running else "finish"
        if self.next_report is not None and now >= self.next_report:
            return None if self.running else "report"
        return "run" if self.idle else None

    def is_over(self, now: float) -> bool:
        """Return whether nothing remains except to answer."""
        return not self.running and (self.stopped or not self.idle or self._is_late(now))

    def begin(self) -> None:
        """Plant the tree of the next search, or begin rollouts; the time limit starts now."""
        job, work = self.job, self.job.work
        self.deadline = self.next_report = None
        if isinstance(work, AnalysisRun):
            self.request = work.next_search()
            if self.request is None:
                self._begin_rollout(work)
                return
        else:
            self.request = work
        request = self.request
        tree = SearchTree(job.information.game, job.settings) if job.plant is None else job.plant()
        tree.begin(
            job.information,
            request.seed,
            iterations=request.iterations,
            keep=job.plant is not None,
            allowed=request.allowed,
            with_sources=isinstance(work, AnalysisRun) and work.with_sources,
        )
        tree.searcher.open()
        if request.seconds is not None:
            self.deadline = tree.started + max(request.seconds - OVERHEAD, 0.0)
        if job.report_every is not None and request.behind is None:
            self.next_report = tree.started + job.report_every
        self.idle = list(range(job.settings.threads))
        self.tree = tree

    def _begin_rollout(self, run: AnalysisRun) -> None:
        rollout = run.next_rollout()
        assert rollout is not None
        rollout.begin()
        self.idle = list(range(run.threads))
        self.rollout = rollout

    def take_part(self) -> int:
        """Return an idle part to run, part 0 first, because other parts only help it."""
        part = min(self.idle)
        self.idle.remove(part)
        return part

    def run(self, part: int, seconds: float) -> None:
        """Run a slice of one part, at most until the next report or the deadline."""
        if self.rollout is not None:
            self.rollout.run(time.monotonic() + seconds)
            self._report_redeals(self.rollout)
            return
        assert self.tree is not None
        ends = [time.monotonic() + seconds, self.next_report, self.deadline]
        until = min(end for end in ends if end is not None)
        if part == 0:
            self.tree.searcher.run(self._left(), until)
        else:
            self.tree.searcher.help(until)

    def put_back(self, part: int) -> None:
        """Record that a part is no longer running."""
        if self._left():
            self.idle.append(part)
        else:
            self.idle.clear()

    def report(self) -> None:
        """Answer with an interim result; reports that were missed are skipped."""
        assert self.tree is not None
        assert self.next_report is not None
        assert self.job.report_every is not None
        self.job.answer("interim", self.tree.report(final=False))
        self.next_report = max(self.next_report, time.monotonic()) + self.job.report_every

    def _report_redeals(self, rollout: Rollout) -> None:
        """Answer with an interim result if there are new redeals; other parts keep playing."""
        every = self.job.report_every
        if every is None or not self.reporting.acquire(blocking=False):
            return
        try:
            now = time.monotonic()
            if rollout.redeals > self.reported and now >= self.last_report + every:
                self.reported, self.last_report = rollout.redeals, now
                self.job.answer("interim", None)
        finally:
            self.reporting.release()

    def finish(self) -> bool:
        """Release the tree, give the last answer and return True.

        If an analysis continues, give an interim answer, if requested, and return False instead.
        """
        outcome: Result | Exception | None = self.failure
        is_cut, goes_on = self.stopped and self._is_unfinished(), False
        if outcome is None and self.tree is not None:
            try:
                outcome = self.tree.report()
                goes_on = self._continue(outcome, is_cut)
            except Exception as error:
                outcome = error
        elif outcome is None and isinstance(self.job.work, AnalysisRun):
            outcome = self.job.work.first  # the results of rollouts are in the analysis
        self.tree = self.rollout = None
        if goes_on:
            if self.job.report_every is not None:
                self.job.answer("interim", None)
            return False
        status = "stopped" if is_cut else "done"
        self.job.answer("error" if isinstance(outcome, Exception) else status, outcome)
        return True

    def _continue(self, result: Result, is_cut: bool) -> bool:
        """Add a result to an analysis; return whether it requests another search."""
        run, request = self.job.work, self.request
        if not isinstance(run, AnalysisRun):
            return False
        assert request is not None
        if not is_cut or run.first is None:  # a stopped analysis uses only its first search
            run.add_result(request, result)
        return not is_cut and (run.next_search() is not None or run.next_rollout() is not None)

    def _is_late(self, now: float) -> bool:
        return self.deadline is not None and now >= self.deadline

    def _left(self) -> int:
        if self.rollout is not None:
            return UNLIMITED if self.rollout.has_work() else 0
        assert self.tree is not None
        assert self.request is not None
        if self.request.iterations is None:
            return UNLIMITED
        return self.request.iterations - self.tree.searcher.iterations

    def _is_unfinished(self) -> bool:
        has_begun = self.tree is not None or self.rollout is not None
        return not has_begun or (bool(self.idle) and not self._is_late(time.monotonic()))


@dataclass
class Client:
    """A client: the time it has used, its active searches, and a heap of its waiting searches."""

    used: float = 0.0
    active: list[ScheduledSearch] = field(default_factory=list)
    waiting: list[tuple[int, int, ScheduledSearch]] = field(default_factory=list)

    def entry(self, search: ScheduledSearch) -> tuple[int, int, ScheduledSearch]:
        """Return the heap entry of a search: by priority, then by arrival."""
        return -search.job.priority, search.arrival, search


class Slice(NamedTuple):
    """The next piece of work for a thread."""

    search: ScheduledSearch
    step: Step
    part: int
    seconds: float


class Full(Exception):
    """The queue of waiting searches is full."""


class Scheduler:
    """Threads that run searches in slices of 10 ms, or of 50 ms if no other search waits.

    The next slice goes to the client that has used the least time. Of its searches, the one with
    the highest priority runs, and among equal priorities the one that has used the least time. A
    new client counts as having used as much time as the client that has used the least, so it gets
    its share at once, but no more.

    Args:
        threads: the number of threads. With 0, the caller runs the slices by calling `work`.
        positions: the maximum number of active searches, each of which needs memory. The last half
            of these places is reserved for clients without an active search.
        queue: the maximum number of waiting searches.
    """

    def __init__(self, threads: int, positions: int, queue: int) -> None:
        self.positions = positions
        self.queue = queue
        self.clients: dict[str, Client] = {}
        self.arrivals = 0
        self.active = 0
        self.waiting = 0
        self.unanswered = 0
        self.closed = False
        self.when_idle: Callable[[], None] | None = None
        self.changed = threading.Condition()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def add(self, job: Job, *, admitted: bool = False) -> ScheduledSearch:
        """Add a job; raise Full if the queue is full and the job's request was not `admitted`.

        Other threads call its `answer`, possibly before this method returns.
        """
        with self.changed:
            if self.waiting >= self.queue and not admitted:
                raise Full
            search = ScheduledSearch(job, self.arrivals)
            self.arrivals += 1
            client = self.clients.setdefault(job.client, Client())
            heapq.heappush(client.waiting, client.entry(search))
            self.waiting += 1
            self.unanswered += 1
            self._admit()
            self.changed.notify()
        return search

    def stop(self, searches: Iterable[ScheduledSearch]) -> None:
        """Ask searches to stop; those that are not done yet are soon answered as ``stopped``."""
        never_begun = []
        with self.changed:
            for search in searches:
                search.stopped = True
                tree = search.tree  # read once: another thread may release it
                if tree is not None:
                    tree.searcher.stop()
                elif self._withdraw(search):
                    never_begun.append(search)
            self.changed.notify_all()
        for search in never_begun:
            search.finish()
            self._note_answered()

    def call_when_idle(self, call: Callable[[], None]) -> None:
        """Call a function once, as soon as no search is left, which may be immediately.

        After this call, only calls of `answer` may add jobs.
        """
        with self.changed:
            self.when_idle = call
        self._call_if_idle()

    def _note_answered(self) -> None:
        with self.changed:
            self.unanswered -= 1
        self._call_if_idle()

    def work(self) -> bool:
        """Run one slice in the caller's thread; return False if there is no work."""
        with self.changed:
            piece = self._choose()
        if piece is not None:
            self._do(piece)
        return piece is not None

    def close(self) -> None:
        """End the threads after their current slices. Unfinished jobs are not answered."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()
        for thread in self.threads:
            thread.join()

    def _withdraw(self, search: ScheduledSearch) -> bool:
        """Remove a search from the queue; return False if the queue does not contain it."""
        client = self.clients.get(search.job.client)
        if client is None or client.entry(search) not in client.waiting:
            return False
        client.waiting.remove(client.entry(search))
        heapq.heapify(client.waiting)
        self.waiting -= 1
        self._forget_idle(search.job.client)
        return True

    def _forget_idle(self, name: str) -> None:
        client = self.clients[name]
        if not client.active and not client.waiting:
            del self.clients[name]

    def _call_if_idle(self) -> None:
        with self.changed:
            call = self.when_idle if self.unanswered == 0 else None
            if call is not None:
                self.when_idle = None
        if call is not None:
            call()

    def _admit(self) -> None:
        """Activate waiting searches while there is room.

        The client with the fewest active searches goes first.
        """
        while self.waiting and self.active < self.positions:
            room_for_all = self.active < (self.positions + 1) // 2
            ready = [
                client
                for client in self.clients.values()
                if client.waiting and (room_for_all or not client.active)
            ]
            if not ready:
                return
            client = min(ready, key=lambda client: (len(client.active), client.waiting[0][1]))
            search = heapq.heappop(client.waiting)[2]
            if client.active:
                search.used = min(other.used for other in client.active)
            else:
                busy = [other.used for other in self.clients.values() if other.active]
                client.used = max(client.used, min(busy, default=0.0))
            client.active.append(search)
            self.waiting -= 1
            self.active += 1

    def _work(self) -> None:
        while (piece := self._take()) is not None:
            self._do(piece)

    def _do(self, piece: Slice) -> None:
        started = time.monotonic()
        search, step, part, seconds = piece
        try:
            if step == "begin":
                search.begin()
            elif step == "run":
                search.run(part, seconds)
            elif step == "report":
                search.report()
        except Exception as error:
            search.failure = error
        self._give_back(piece, time.monotonic() - started)

    def _take(self) -> Slice | None:
        """Wait for the next slice and return it, or None when the scheduler is closed."""
        with self.changed:
            while not self.closed:
                if (piece := self._choose()) is not None:
                    return piece
                self.changed.wait()
            return None

    def _choose(self) -> Slice | None:
        """Return the next slice, or None if there is no work; the caller has the lock."""
        piece = None if self.closed else self._fairest(time.monotonic())
        if piece is not None:
            self._charge(piece.search, SLICE)
            piece.search.running += 1
            if piece.step == "run":
                self.changed.notify(len(piece.search.idle))  # other threads may help
        return piece

    def _fairest(self, now: float) -> Slice | None:
        """Choose fairly among the possible steps; finishing goes first."""
        pieces = [
            (client.used, search, step)
            for client in self.clients.values()
            for search in client.active
            if (step := search.step(now)) is not None
        ]
        if not pieces:
            return None

        def merit(piece: tuple[float, ScheduledSearch, Step]) -> tuple[float, ...]:
            used, search, step = piece
            return step != "finish", used, -search.job.priority, search.used, search.arrival

        _, search, step = min(pieces, key=merit)
        part = search.take_part() if step == "run" else 0
        return Slice(search, step, part, LONG_SLICE if len(pieces) == 1 else SLICE)

    def _charge(self, search: ScheduledSearch, seconds: float) -> None:
        search.used += seconds
        self.clients[search.job.client].used += seconds

    def _give_back(self, piece: Slice, seconds: float) -> None:
        """Record the work of a thread; finish a search that has no work left.

        An analysis keeps its place among the active searches for its next search.
        """
        search = piece.search
        with self.changed:
            self._charge(search, seconds - SLICE)  # a slice was charged in advance
            search.running -= 1
            search.stopped = search.stopped or search.failure is not None
            if piece.step == "run":
                search.put_back(piece.part)
            is_over = search.is_over(time.monotonic())
            if is_over:
                search.running = 1  # so that no other thread continues it
        if is_over and search.finish():
            self._remove(search)
        elif is_over:
            with self.changed:
                search.running = 0
                self.changed.notify()

    def _remove(self, search: ScheduledSearch) -> None:
        with self.changed:
            client = self.clients[search.job.client]
            client.active.remove(search)
            self.active -= 1
            self._forget_idle(search.job.client)
            self._admit()
            self.changed.notify_all()
        self._note_answered()
