"""Searches that share the cores: many under way, cut into slices, fair between clients."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trajan_ai.analysis.decision import Analysing, Ask
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.driver import OVERHEAD, SearchTree

SLICE = 0.01  # seconds a search runs before another one that waits may have its turn
LONG_SLICE = 0.05  # the same where none waits: a change costs about 0.2 ms, mostly cold caches
UNLIMITED = 2**62  # iterations of a slice that only time ends

Answer = Callable[[str, Result | Exception | None], None]
Step = Literal["begin", "run", "report", "finish"]


@dataclass(frozen=True)
class Job:
    """What to search, for whom, and who hears of it: one search, or those of an analysis.

    `answer` is called from the scheduler's threads with a status and what goes with it: any
    number of times `interim` and a result so far (None where an analysis has just taken one);
    then once `done` or `stopped` and the last result (None if the search never began), or `error`
    and the exception. It may not block.
    """

    known: InformationSet
    settings: Settings
    asked: Ask | Analysing
    answer: Answer
    client: str = ""
    priority: int = 0
    report_every: float | None = None  # of searches among all moves
    plant: Callable[[], SearchTree] | None = None  # gives a tree to search on in


class Search:
    """A job under way. It has as many parts as it asks for threads: part 0 runs the search, the
    others help while part 0 is running.

    The scheduler's lock guards it, except the tree: a part belongs to the thread that runs it,
    and all of them to the one that begins, reports or finishes.
    """

    def __init__(self, job: Job, arrival: int) -> None:
        self.job = job
        self.arrival = arrival
        self.used = 0.0  # seconds on all cores
        self.ask: Ask | None = None  # the search that is made
        self.tree: SearchTree | None = None
        self.deadline: float | None = None
        self.next_report: float | None = None
        self.idle: list[int] = []  # parts that have work left and are not running
        self.running = 0  # threads at work on it
        self.stopped = False
        self.failure: Exception | None = None

    def step(self, now: float) -> Step | None:
        """Return what a free thread could do for it."""
        if self.tree is None:
            return None if self.running else "begin"
        if self.stopped or self._late(now):
            return None if self.running else "finish"
        if self.next_report is not None and now >= self.next_report:
            return None if self.running else "report"
        return "run" if self.idle else None

    def over(self, now: float) -> bool:
        """Whether nothing is left but to answer."""
        return not self.running and (self.stopped or not self.idle or self._late(now))

    def begin(self) -> None:
        """Plant the tree of the next search; from now on its seconds count."""
        job, asked = self.job, self.job.asked
        ask = self.ask = asked.ask() if isinstance(asked, Analysing) else asked
        assert ask is not None
        tree = SearchTree(job.known.game, job.settings) if job.plant is None else job.plant()
        tree.begin(
            job.known,
            ask.seed,
            iterations=ask.iterations,
            keep=job.plant is not None,
            allowed=ask.allowed,
            books=isinstance(asked, Analysing) and asked.books,
        )
        tree.searcher.open()
        self.deadline = self.next_report = None
        if ask.seconds is not None:
            self.deadline = tree.started + max(ask.seconds - OVERHEAD, 0.0)
        if job.report_every is not None and ask.behind is None:
            self.next_report = tree.started + job.report_every
        self.idle = list(range(job.settings.threads))
        self.tree = tree

    def take_part(self) -> int:
        """Return an idle part to run, part 0 first: without it there is nothing to help with."""
        part = min(self.idle)
        self.idle.remove(part)
        return part

    def run(self, part: int, seconds: float) -> None:
        """Run a slice of one part, not beyond the next report or the end."""
        assert self.tree is not None
        ends = [time.monotonic() + seconds, self.next_report, self.deadline]
        until = min(end for end in ends if end is not None)
        if part == 0:
            self.tree.searcher.run(self._left(), until)
        else:
            self.tree.searcher.help(until)

    def put_back(self, part: int) -> None:
        """Note that a part is no longer running."""
        if self._left():
            self.idle.append(part)
        else:
            self.idle.clear()

    def report(self) -> None:
        """Answer with an interim result; reports that are missed are not made up for."""
        assert self.tree is not None
        assert self.next_report is not None
        assert self.job.report_every is not None
        self.job.answer("interim", self.tree.report(final=False))
        self.next_report = max(self.next_report, time.monotonic()) + self.job.report_every

    def finish(self) -> bool:
        """Let go of the tree; False if an analysis goes on, else answer for the last time."""
        outcome: Result | Exception | None = self.failure
        cut, goes_on = self.stopped and self._unfinished(), False
        if outcome is None and self.tree is not None:
            try:
                outcome = self.tree.report()
                goes_on = self._taken(outcome, cut)
            except Exception as error:
                outcome = error
        self.tree = None
        if goes_on:
            if self.job.report_every is not None:
                self.job.answer("interim", None)
            return False
        status = "stopped" if cut else "done"
        self.job.answer("error" if isinstance(outcome, Exception) else status, outcome)
        return True

    def _taken(self, result: Result, cut: bool) -> bool:
        """Give an analysis its result; return whether it wants another one."""
        analysing, ask = self.job.asked, self.ask
        if not isinstance(analysing, Analysing):
            return False
        assert ask is not None
        if not cut or not analysing.searches:  # of what is stopped, the first search is all
            analysing.take(ask, result)
        return not cut and analysing.ask() is not None

    def _late(self, now: float) -> bool:
        return self.deadline is not None and now >= self.deadline

    def _left(self) -> int:
        assert self.tree is not None
        assert self.ask is not None
        if self.ask.iterations is None:
            return UNLIMITED
        return self.ask.iterations - self.tree.searcher.iterations

    def _unfinished(self) -> bool:
        return self.tree is None or (bool(self.idle) and not self._late(time.monotonic()))


@dataclass
class Client:
    """Who asks: the time it has used, its searches under way, and a heap of those that wait."""

    used: float = 0.0
    active: list[Search] = field(default_factory=list)
    waiting: list[tuple[int, int, Search]] = field(default_factory=list)

    def entry(self, search: Search) -> tuple[int, int, Search]:
        """Return what stands in the heap for a search: by priority, then by arrival."""
        return -search.job.priority, search.arrival, search


class Turn(NamedTuple):
    """What a thread is to do next."""

    search: Search
    step: Step
    part: int
    seconds: float


class Full(Exception):
    """As many searches wait as may."""


class Scheduler:
    """Threads that work on searches in slices of 10 ms, or of 50 ms where none waits.

    With no threads, whoever has it does the work, slice by slice.

    The next slice goes to the client that has used the least time; among its searches to one of
    the highest priority, and among those to the one that has used the least. Who comes new starts
    level with whoever has used the least: with a fair share at once, and no claim to more.

    `positions` searches are under way at most, for their memory; the last half of these places
    are for clients that have none under way. `queue` more may wait.
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

    def add(self, job: Job, *, admitted: bool = False) -> Search:
        """Take a job; raises Full, unless it is of a request that was `admitted`.

        Its answers come from other threads, perhaps at once.
        """
        with self.changed:
            if self.waiting >= self.queue and not admitted:
                raise Full
            search = Search(job, self.arrivals)
            self.arrivals += 1
            client = self.clients.setdefault(job.client, Client())
            heapq.heappush(client.waiting, client.entry(search))
            self.waiting += 1
            self.unanswered += 1
            self._admit()
            self.changed.notify()
        return search

    def stop(self, searches: Iterable[Search]) -> None:
        """End searches soon; each is answered as stopped unless it is just done."""
        never_begun = []
        with self.changed:
            for search in searches:
                search.stopped = True
                tree = search.tree  # read once: whoever finishes it lets go of it
                if tree is not None:
                    tree.searcher.stop()
                elif self._withdraw(search):
                    never_begun.append(search)
            self.changed.notify_all()
        for search in never_begun:
            search.finish()
            self._note_answered()

    def tell_when_idle(self, call: Callable[[], None]) -> None:
        """Call once when no search is left, perhaps at once; only answers may add jobs then."""
        with self.changed:
            self.when_idle = call
        self._tell_if_idle()

    def _note_answered(self) -> None:
        with self.changed:
            self.unanswered -= 1
        self._tell_if_idle()

    def work(self) -> bool:
        """Do in the caller's thread what comes next, for a slice; False if there is nothing."""
        with self.changed:
            turn = self._chosen()
        if turn is not None:
            self._do(turn)
        return turn is not None

    def close(self) -> None:
        """End the threads after their running slices; nothing more is answered."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()
        for thread in self.threads:
            thread.join()

    def _withdraw(self, search: Search) -> bool:
        """Take a search out of the queue; False if it is not there."""
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

    def _tell_if_idle(self) -> None:
        with self.changed:
            call = self.when_idle if self.unanswered == 0 else None
            if call is not None:
                self.when_idle = None
        if call is not None:
            call()

    def _admit(self) -> None:
        """Let waiting searches begin while there is room, of whoever has fewest under way."""
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
        while (turn := self._take()) is not None:
            self._do(turn)

    def _do(self, turn: Turn) -> None:
        started = time.monotonic()
        search, step, part, seconds = turn
        try:
            if step == "begin":
                search.begin()
            elif step == "run":
                search.run(part, seconds)
            elif step == "report":
                search.report()
        except Exception as error:
            search.failure = error
        self._give_back(turn, time.monotonic() - started)

    def _take(self) -> Turn | None:
        """Wait for work and return it; None when closed."""
        with self.changed:
            while not self.closed:
                if (turn := self._chosen()) is not None:
                    return turn
                self.changed.wait()
            return None

    def _chosen(self) -> Turn | None:
        """Take what comes next, None if there is nothing to do now; the lock is held."""
        turn = None if self.closed else self._next(time.monotonic())
        if turn is not None:
            self._charge(turn.search, SLICE)
            turn.search.running += 1
            if turn.step == "run":
                self.changed.notify(len(turn.search.idle))  # for those who may help
        return turn

    def _next(self, now: float) -> Turn | None:
        """Choose fairly among what could be done; finishing goes first."""
        turns = [
            (client.used, search, step)
            for client in self.clients.values()
            for search in client.active
            if (step := search.step(now)) is not None
        ]
        if not turns:
            return None

        def merit(turn: tuple[float, Search, Step]) -> tuple[float, ...]:
            used, search, step = turn
            return step != "finish", used, -search.job.priority, search.used, search.arrival

        _, search, step = min(turns, key=merit)
        part = search.take_part() if step == "run" else 0
        return Turn(search, step, part, LONG_SLICE if len(turns) == 1 else SLICE)

    def _charge(self, search: Search, seconds: float) -> None:
        search.used += seconds
        self.clients[search.job.client].used += seconds

    def _give_back(self, turn: Turn, seconds: float) -> None:
        """Note what a thread has done; finish a search that has nothing left to do.

        That of an analysis keeps its place for the next one.
        """
        search = turn.search
        with self.changed:
            self._charge(search, seconds - SLICE)  # a slice was charged in advance
            search.running -= 1
            search.stopped = search.stopped or search.failure is not None
            if turn.step == "run":
                search.put_back(turn.part)
            over = search.over(time.monotonic())
            if over:
                search.running = 1  # nobody else may take it up
        if over and search.finish():
            self._remove(search)
        elif over:
            with self.changed:
                search.running = 0
                self.changed.notify()

    def _remove(self, search: Search) -> None:
        with self.changed:
            client = self.clients[search.job.client]
            client.active.remove(search)
            self.active -= 1
            self._forget_idle(search.job.client)
            self._admit()
            self.changed.notify_all()
        self._note_answered()
