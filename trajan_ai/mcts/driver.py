"""Run searches on one or more threads up to a limit, and report their results."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, TypedDict, Unpack

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts.clock import read_clock
from trajan_ai.mcts.ismcts import Searcher
from trajan_ai.mcts.result import MoveResult, Result, mean_and_error, sort_moves
from trajan_ai.mcts.settings import Settings

PROGRESS_STRIDE = 1000  # iterations between interim reports
SETTLE_STRIDE = 256  # iterations between checks whether the choice is settled
MAX_SECONDS = 0.05  # maximum number of seconds without a check for signals
MAX_LINE = 12  # maximum number of moves in an expected continuation
MIN_LINE_VISITS = 5  # minimum number of visits of a move in an expected continuation
OVERHEAD = 0.0004  # seconds before a deadline, reserved for reporting

Progress = Callable[[Result], None]


class Crew:
    """Threads that run a job in parallel on request.

    Threads communicate only through SimpleQueue, because an interrupt cannot cut its calls in
    half. In concurrent.futures, an interrupt can leave a lock acquired, or a job running that
    nothing refers to.
    """

    def __init__(self, size: int) -> None:
        self.done: SimpleQueue[Any] = SimpleQueue()
        self.inboxes: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(size)]
        for inbox in self.inboxes:
            threading.Thread(target=_work, args=(inbox, self.done), daemon=True).start()
        weakref.finalize(self, _dismiss, self.inboxes)

    def start(self, job: Callable[[], None]) -> None:
        """Start the job on every thread."""
        for inbox in self.inboxes:
            inbox.put(job)

    def wait(self) -> None:
        """Wait for every thread to finish the last job; raise the first exception of a thread."""
        for _ in self.inboxes:
            error = self.done.get()
            if error is not None:
                raise error

    def settle(self) -> None:
        """Wait until every thread has finished all its jobs; no job may be started afterwards."""
        end = object()
        for inbox in self.inboxes:
            inbox.put(lambda: end)
        ended = 0
        while ended < len(self.inboxes):
            ended += self.done.get() is end


def _work(inbox: SimpleQueue[Any], done: SimpleQueue[Any]) -> None:
    while (job := inbox.get()) is not None:
        try:
            answer = job()
        except BaseException as error:  # `Crew.wait` raises it
            answer = error
        done.put(answer)


def _dismiss(inboxes: list[SimpleQueue[Any]]) -> None:
    for inbox in inboxes:
        inbox.put(None)


class SearchOptions(TypedDict, total=False):
    """Options for the search of one decision; see `ThreadedSearch.search`."""

    iterations: int | None
    timed: bool
    keep: bool
    allowed: Sequence[int]
    with_sources: bool


class SearchTree:
    """The tree of one decision; its memory is reused from decision to decision.

    The work of the searcher may be split into any number of calls and threads. Results depend only
    on the seed and the number of iterations.
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self.searcher = Searcher(game, settings)
        self.place: InformationSet | None = None  # the position at the root of the tree
        self.is_reusable = False  # whether a search of that position can continue in the tree
        self.allowed: tuple[int, ...] = ()  # moves allowed at the root; empty if all are
        self.started = 0.0  # start of the search, on time.monotonic()

    def begin(
        self, information: InformationSet, seed: int, **options: Unpack[SearchOptions]
    ) -> None:
        """Begin a search; the arguments are those of `ThreadedSearch.search`."""
        self.started = time.monotonic()
        get_decider(information)  # raises TrajanError if the game is over
        keep = options.get("keep", False) and self.is_reusable and information == self.place
        self.allowed = tuple(options.get("allowed", ()))
        self.place = information
        self.is_reusable = not self.allowed  # a tree of only some moves is not reusable
        self.searcher.timed = options.get("timed", False)
        self.searcher.begin(
            information.canonical,
            information.observer,
            derive_seed("search", seed, 0),
            keep,
            self.allowed,
            options.get("with_sources", False),
            options.get("iterations"),
        )

    def follow(self, before: Position, after: Position, move: int) -> None:
        """Move the root of the tree along a move made after the last search, if the tree remains
        valid."""
        if self.place is None or not self.is_reusable or self._information(before) != self.place:
            return
        observer = None if self.settings.cheat else self.place.observer
        watched = [step for step in before.watched(move, observer) if step[0] is not before]
        ends = [*(at for at, _ in watched), after]
        for (at, number), end in zip([(before, move), *watched], ends, strict=True):
            self.is_reusable = self.searcher.follow(
                at, end, number, derive_seed("follow", at.turn)
            )
        self.place = self._information(after)

    def follow_actions(self, position: Position, actions: Sequence[str]) -> None:
        """Move the root along the actions since the last search, which was in `position`.

        If an action is not legal with the hidden components of `position`, the root stays before
        this action. The next search then starts from another position, and begins a new tree.
        """
        for action in actions:
            try:
                after = position.after(action)
            except TrajanError:
                return
            self.follow(position, after, self.game.move(action))
            position = after

    def _information(self, position: Position) -> InformationSet:
        assert self.place is not None
        return get_information(self.settings, position, self.place.observer)

    def report(self, *, settled: bool = False, final: bool = True) -> Result:
        """Return the result of the current search; no thread may be running it during this call.

        An interim report (`final` is false) omits the shape of the tree. A final report first
        finishes the iterations in flight, and makes at least one iteration even if there was no
        time for it.
        """
        information = self.place
        assert information is not None
        assert information.player is not None
        if final:
            if not self.searcher.iterations:
                self.searcher.run(1)
            self.searcher.finish()
        stats = self.searcher.root_moves()
        tried = {stat["move"] for stat in stats}
        ranking = sort_moves(stats)
        untried = [
            move
            for move in information.canonical.legal_moves()
            if move not in tried and (not self.allowed or move in self.allowed)
        ]
        visits = sum(stat["visits"] for stat in stats)
        depths, branching = self.searcher.shape() if final else ((), {})
        moves = [self._move(stat, visits) for stat in ranking]
        moves += [MoveResult(action=self.game.actions[move], move=move) for move in untried]
        return Result(
            game=self.game.name,
            player=information.player,
            iterations=self.searcher.iterations,
            seconds=time.monotonic() - self.started,
            threads=self.settings.threads,
            nodes=self.searcher.nodes,
            memory_bytes=self.searcher.memory_bytes,
            tree_full=self.searcher.full,
            settled=settled,
            moves=tuple(moves),
            depths=tuple(depths),
            branching=branching,
            phases=self.searcher.phases() if final else {},
        )

    def _move(self, stat: dict[str, Any], visits: int) -> MoveResult:
        count = stat["count"]
        margin = mean_and_error(stat["margin"], stat["margin_squares"], count) if count else None
        actions = self.game.actions
        line = self.searcher.line(stat["move"], MAX_LINE, MIN_LINE_VISITS)
        return MoveResult(
            action=actions[stat["move"]],
            move=stat["move"],
            visits=stat["visits"],
            share=stat["visits"] / max(visits, 1),
            payoff=stat["payoff"] / count if count else None,
            win=stat["win"] / count if count else None,
            scores=tuple(score / count for score in stat["scores"]) if count else None,
            margin=margin[0] if margin else None,
            margin_error=margin[1] if margin else None,
            sources=_means(stat["sources"], stat["source_visits"]),
            line=tuple((player, actions[move]) for player, move in line),
        )


class ThreadedSearch(SearchTree):
    """The tree of one player, and threads that search it."""

    def __init__(self, game: Game, settings: Settings) -> None:
        super().__init__(game, settings)
        self.progress_stride = PROGRESS_STRIDE
        self.helpers = Crew(settings.threads - 1)
        self.searcher.by_cpu_time = settings.clock == "cpu"

    def search(
        self,
        information: InformationSet,
        seed: int,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
        **options: Unpack[SearchOptions],
    ) -> Result:
        """Search a decision up to a given number of iterations or seconds, and return the result.

        Parameters
        ----------
        information : InformationSet
            Knowledge of the player to move.
        seed : int
            With the same number of iterations and the same seed, the results are identical.
        seconds : float or None
        progress : callable or None
            Receives an interim `Result` about every `progress_stride` iterations.
        iterations : int or None
        keep : bool
            Continue in the tree that `follow` has moved here, if there is one.
        allowed : sequence of int
            Move numbers allowed at the root; empty if all are allowed.
        with_sources : bool
            Record the sources of VP in some iterations.
        timed : bool
            Measure the time of each phase.

        Raises TrajanError if there is no limit or if the game is over, and KeyboardInterrupt on
        Ctrl-C.
        """
        started, iterations = read_clock(self.settings), options.get("iterations")
        if seconds is None and iterations is None:
            raise TrajanError("a search needs a limit: iterations or seconds")
        deadline = 0.0 if seconds is None else started + max(seconds - OVERHEAD, 0.0)
        self.begin(information, seed, **options)
        try:
            self.searcher.open()
            self.helpers.start(self.searcher.help)
            settled = self._run(started, deadline, iterations, progress)
            self.searcher.close()
            self.helpers.wait()
        except BaseException:
            self.searcher.close()
            interrupted, self.helpers = self.helpers, Crew(self.settings.threads - 1)
            interrupted.settle()
            raise
        return self.report(settled=settled)

    def _run(
        self, started: float, deadline: float, iterations: int | None, progress: Progress | None
    ) -> bool:
        """Search in strides until a limit is reached; return whether the search stopped early."""
        since_progress = 0
        while True:
            stride = SETTLE_STRIDE
            if iterations is not None:
                stride = min(stride, iterations - self.searcher.iterations)
            if stride == 0:
                return False
            self._stride(stride, deadline)
            if deadline and read_clock(self.settings) >= deadline:
                return False
            if self.settings.early_stop and self._settled(started, deadline, iterations):
                return True
            since_progress += stride
            if progress is not None and since_progress >= self.progress_stride:
                since_progress = 0
                progress(self.report(final=False))

    def _stride(self, count: int, deadline: float) -> None:
        """Make `count` iterations, with regular pauses in which signals can be handled."""
        while count > 0:
            pause = read_clock(self.settings) + MAX_SECONDS
            until = min(pause, deadline) if deadline else pause
            count -= self.searcher.run(count, until)
            if deadline and read_clock(self.settings) >= deadline:
                return

    def _settled(self, started: float, deadline: float, iterations: int | None) -> bool:
        """Return whether the remaining iterations cannot change the most visited move."""
        done = self.searcher.iterations
        visits = sorted((stat["visits"] for stat in self.searcher.root_moves()), reverse=True)
        if len(visits) < 2:
            return False
        remaining = float("inf") if iterations is None else float(iterations - done)
        if deadline:
            now = read_clock(self.settings)
            remaining = min(remaining, (deadline - now) * done / max(now - started, 1e-9))
        return bool(visits[0] - visits[1] > remaining)


def get_information(settings: Settings, position: Position, observer: int) -> InformationSet:
    """Return the information that a search with these settings uses, which is everything with
    `cheat`."""
    if settings.cheat:
        return InformationSet.of_everything(position, observer)
    return InformationSet(position, observer)


def _means(sums: Sequence[Sequence[float]], count: int) -> tuple[tuple[float, ...], ...] | None:
    """Return the means for each player and source, or None if no iterations were recorded."""
    return tuple(tuple(one / count for one in row) for row in sums) if count else None


def search(
    information: InformationSet,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    timed: bool = False,
) -> Result:
    """Search one decision and return the moves, best first.

    Parameters
    ----------
    information : InformationSet
        Knowledge of the player to move.
    settings : Settings or None
        None stands for the defaults.
    seed : int
    iterations : int or None
    seconds : float or None
        Limits. Without any limit, those of `settings` apply.
    progress : callable or None
        Receives an interim `Result` now and then.
    timed : bool
        Measure the time of each phase.

    Raises TrajanError if there is no limit or if the game is over.
    """
    settings = settings or Settings()
    if iterations is None and seconds is None:
        iterations = settings.iterations
        seconds = settings.seconds_per_decision
    engine = ThreadedSearch(information.game, settings)
    return engine.search(
        information, seed, seconds=seconds, iterations=iterations, progress=progress, timed=timed
    )
