"""Runs a search in chunks, on one or several threads, under stoppers, and reports."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, TypedDict, Unpack

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts.ismcts import Searcher
from trajan_ai.mcts.result import MoveResult, Result, mean_and_error, ordered
from trajan_ai.mcts.settings import Settings

CHUNK = 1000  # iterations between looks at signals and progress
CHUNK_SECONDS = 0.05  # and no longer than this, however slow the game
SETTLE_STRIDE = 256  # iterations between looks at whether the choice is settled
LINE_LENGTH = 12  # moves of an expected continuation
LINE_VISITS = 5  # visits that make a continuation expected
OVERHEAD = 0.0004  # seconds kept back from a deadline for reporting

Progress = Callable[[Result], None]


class Crew:
    """Threads that do a job side by side when told to.

    Messages go through SimpleQueue alone, whose calls an interrupt cannot cut in half. Within the
    locks of concurrent.futures one can leave a lock held, or a job running that nobody knows of.
    """

    def __init__(self, size: int) -> None:
        self.done: SimpleQueue[Any] = SimpleQueue()
        self.inboxes: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(size)]
        for inbox in self.inboxes:
            threading.Thread(target=_work, args=(inbox, self.done), daemon=True).start()
        weakref.finalize(self, _dismiss, self.inboxes)

    def start(self, job: Callable[[], None]) -> None:
        """Let every thread do the job."""
        for inbox in self.inboxes:
            inbox.put(job)

    def wait(self) -> None:
        """Wait until every thread has done the job started last; raise what one of them raised."""
        for _ in self.inboxes:
            error = self.done.get()
            if error is not None:
                raise error

    def settle(self) -> None:
        """Wait until every thread has done all it was told; the crew runs nothing more."""
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
        except BaseException as error:  # raised where the job was given
            answer = error
        done.put(answer)


def _dismiss(inboxes: list[SimpleQueue[Any]]) -> None:
    for inbox in inboxes:
        inbox.put(None)


class How(TypedDict, total=False):
    """How a decision is searched: see `ThreadedSearch.search`."""

    iterations: int | None
    timed: bool
    keep: bool
    allowed: Sequence[int]
    books: bool


class SearchTree:
    """The tree of one decision; its memory is kept from decision to decision.

    Whoever runs the searcher may slice its work as they like, and let other threads help: results
    depend on the seed and the number of iterations alone.
    """

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self.searcher = Searcher(game, settings)
        self.place: InformationSet | None = None  # what the tree is about
        self.kept = False  # whether it can be searched on from there
        self.allowed: tuple[int, ...] = ()  # moves at the root; none: all
        self.started = 0.0  # on time.monotonic()

    def begin(self, known: InformationSet, seed: int, **how: Unpack[How]) -> None:
        """Begin a search; the arguments are those of `ThreadedSearch.search`."""
        self.started = time.monotonic()
        if known.player is None:
            raise TrajanError(f"{self.game.name}: the game is over, there is nothing to search")
        keep = how.get("keep", False) and self.kept and known == self.place
        self.allowed = tuple(how.get("allowed", ()))
        self.place, self.kept = known, not self.allowed  # a tree of some moves is not searched on
        self.searcher.timed = how.get("timed", False)
        self.searcher.begin(
            known.canonical,
            known.observer,
            derive_seed("search", seed, 0),
            keep,
            self.allowed,
            how.get("books", False),
        )
        if (iterations := how.get("iterations")) is not None:
            self.searcher.limit = iterations

    def follow(self, before: Position, after: Position, move: int) -> None:
        """Lead the tree along by a move made after the last search, where that is sound."""
        if self.place is None or not self.kept or self._known(before) != self.place:
            return
        observer = None if self.settings.cheat else self.place.observer
        watched = [step for step in before.watched(move, observer) if step[0] is not before]
        ends = [*(at for at, _ in watched), after]
        for (at, made), end in zip([(before, move), *watched], ends, strict=True):
            self.kept = self.searcher.follow(at, end, made, derive_seed("follow", at.turn))
        self.place = self._known(after)

    def _known(self, position: Position) -> InformationSet:
        assert self.place is not None
        return known_by(self.settings, position, self.place.observer)

    def report(self, *, settled: bool = False, final: bool = True) -> Result:
        """Return what the search begun last has found; no thread may be running it.

        An interim report, with `final` false, leaves out the shape of the tree; a final one
        first makes one iteration if time was too short for any, since a result that says nothing
        is no answer, and brings those in flight to their end.
        """
        known = self.place
        assert known is not None
        assert known.player is not None
        if final:
            if not self.searcher.iterations:
                self.searcher.run(1)
            self.searcher.finish()
        stats = self.searcher.root_moves()
        tried = {stat["move"] for stat in stats}
        ranking = ordered(stats, self.settings.final_move)
        untried = [
            move
            for move in known.canonical.legal_moves()
            if move not in tried and (not self.allowed or move in self.allowed)
        ]
        visits = sum(stat["visits"] for stat in stats)
        depths, branching = self.searcher.shape() if final else ((), {})
        moves = [self._move(stat, visits) for stat in ranking]
        moves += [_untried(self.game.actions[move], move) for move in untried]
        return Result(
            game=self.game.name,
            player=known.player,
            iterations=self.searcher.iterations,
            seconds=time.monotonic() - self.started,
            threads=self.settings.threads,
            nodes=self.searcher.nodes,
            memory_bytes=self.searcher.tree_bytes,
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
        line = self.searcher.line(stat["move"], LINE_LENGTH, LINE_VISITS)
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
            sources=_means(stat["sources"], stat["booked"]),
            line=tuple((player, actions[move]) for player, move in line),
        )


class ThreadedSearch(SearchTree):
    """The tree of one player and the threads that search it."""

    def __init__(self, game: Game, settings: Settings, chunk: int = CHUNK) -> None:
        super().__init__(game, settings)
        self.chunk = chunk
        self.helpers = Crew(settings.threads - 1)

    def search(
        self,
        known: InformationSet,
        seed: int,
        *,
        seconds: float | None = None,
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Result:
        """Search one decision until the iterations are made or the seconds are over.

        `progress` gets an interim result about every chunk. With `keep`, a tree that `follow` has
        led here is searched on. With `allowed` only these moves are made at the root. With
        `books` some iterations note what brings VP, and `timed` measures its phases. Ctrl-C raises
        KeyboardInterrupt.
        """
        started, iterations = time.monotonic(), how.get("iterations")
        if seconds is None and iterations is None:
            raise TrajanError("a search needs a limit: iterations or seconds")
        deadline = 0.0 if seconds is None else started + max(seconds - OVERHEAD, 0.0)
        self.begin(known, seed, **how)
        try:
            self.searcher.open()
            self.helpers.start(self.searcher.help)
            settled = self._run(deadline, iterations, progress)
            self.searcher.close()
            self.helpers.wait()
        except BaseException:
            self.searcher.close()
            interrupted, self.helpers = self.helpers, Crew(self.settings.threads - 1)
            interrupted.settle()
            raise
        return self.report(settled=settled)

    def _run(self, deadline: float, iterations: int | None, progress: Progress | None) -> bool:
        """Search in strides until a limit is reached; return whether it stopped early."""
        since_progress = 0
        while True:
            stride = SETTLE_STRIDE
            if iterations is not None:
                stride = min(stride, iterations - self.searcher.iterations)
            if stride == 0:
                return False
            self._stride(stride, deadline)
            if deadline and time.monotonic() >= deadline:
                return False
            if self.settings.early_stop and self._settled(deadline, iterations):
                return True
            since_progress += stride
            if progress is not None and since_progress >= self.chunk:
                since_progress = 0
                progress(self.report(final=False))

    def _stride(self, count: int, deadline: float) -> None:
        """Make `count` iterations in chunks that let signals through."""
        while count > 0:
            pause = time.monotonic() + CHUNK_SECONDS
            until = min(pause, deadline) if deadline else pause
            count -= self.searcher.run(min(count, self.chunk), until)
            if deadline and time.monotonic() >= deadline:
                return

    def _settled(self, deadline: float, iterations: int | None) -> bool:
        """Whether the most visited move stays so whatever the remaining iterations do."""
        done = self.searcher.iterations
        visits = sorted((stat["visits"] for stat in self.searcher.root_moves()), reverse=True)
        if len(visits) < 2 or self.settings.final_move != "visits":
            return False
        remaining = float("inf") if iterations is None else float(iterations - done)
        if deadline:
            now = time.monotonic()
            remaining = min(remaining, (deadline - now) * done / max(now - self.started, 1e-9))
        return bool(visits[0] - visits[1] > remaining)


def known_by(settings: Settings, position: Position, observer: int) -> InformationSet:
    """Return what a search by these settings uses of a position: all of it where they cheat."""
    if settings.cheat:
        return InformationSet.of_everything(position, observer)
    return InformationSet(position, observer)


def _untried(action: str, move: int) -> MoveResult:
    nothing = (None,) * 6
    return MoveResult(action, move, 0, 0.0, *nothing, ())


def _means(sums: Sequence[Sequence[float]], count: int) -> tuple[tuple[float, ...], ...] | None:
    """Return sums by player and source as means, None where nothing was booked."""
    return tuple(tuple(one / count for one in row) for row in sums) if count else None


def search(
    known: InformationSet,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    timed: bool = False,
) -> Result:
    """Search what a player knows once and return the moves, best first.

    Limits given here replace those of the settings; seconds are for this one decision.
    """
    settings = settings or Settings()
    if iterations is None and seconds is None:
        iterations = settings.iterations
        seconds = settings.seconds_per_decision
    engine = ThreadedSearch(known.game, settings)
    return engine.search(
        known, seed, seconds=seconds, iterations=iterations, progress=progress, timed=timed
    )
