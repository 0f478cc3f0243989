"""Runs searchers in chunks on one or several threads, under stoppers, and reports."""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from queue import SimpleQueue
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed
from trajan_ai.search.ismcts import Searcher
from trajan_ai.search.result import MoveResult, Result, mean_and_error, merged, ordered
from trajan_ai.search.settings import Settings

CHUNK = 1000  # iterations between looks at signals and progress
CHUNK_SECONDS = 0.05  # and no longer than this, however slow the game
SETTLE_STRIDE = 256  # iterations between looks at whether the choice is settled
JOIN_STRIDE = 1024  # the same a thread, where threads wait for each other: 256 cost 8 % of them
LINE_LENGTH = 12  # moves of an expected continuation
LINE_VISITS = 5  # visits that make a continuation expected
OVERHEAD = 0.0004  # seconds kept back from a deadline for merging and reporting

Progress = Callable[[Result], None]


class Crew:
    """Threads that do one job each when told to.

    Messages go through SimpleQueue alone, whose calls an interrupt cannot cut in half. Within the
    locks of concurrent.futures one can leave a lock held, or a job running that nobody knows of.
    """

    def __init__(self, size: int) -> None:
        self.done: SimpleQueue[Any] = SimpleQueue()
        self.inboxes: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(size)]
        for inbox in self.inboxes:
            threading.Thread(target=_work, args=(inbox, self.done), daemon=True).start()
        weakref.finalize(self, _dismiss, self.inboxes)

    def run(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Do the jobs, each on its thread; raise what one of them raised."""
        for inbox, job in zip(self.inboxes, jobs, strict=True):
            inbox.put(job)
        for _ in jobs:
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


class Engine:
    """The searchers of one player: one a thread, memory kept from decision to decision."""

    def __init__(self, game: Game, settings: Settings, chunk: int = CHUNK) -> None:
        self.game = game
        self.settings = settings
        self.chunk = chunk
        self.searchers = [Searcher(game, settings) for _ in range(settings.threads)]
        self.place: Position | None = None  # what the trees are about
        self.crew = Crew(settings.threads) if settings.threads > 1 else None

    def search(
        self,
        position: Position,
        seed: int,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        observer: int | None = None,
        progress: Progress | None = None,
        timed: bool = False,
        keep: bool = False,
    ) -> Result:
        """Search one decision until the iterations are made or the seconds are over.

        `observer` is the player whose knowledge is used, by default the one to decide.
        `progress` gets an interim result about every chunk. With `keep`, trees that `follow` has
        led here are searched on. Ctrl-C raises KeyboardInterrupt.
        """
        started = time.monotonic()
        if seconds is None and iterations is None:
            raise TrajanError("a search needs a limit: iterations or seconds")
        if position.player is None:
            raise TrajanError(f"{self.game.name}: the game is over, there is nothing to search")
        deadline = 0.0 if seconds is None else started + max(seconds - OVERHEAD, 0.0)
        keep = keep and position == self.place
        self.place = position
        for number, searcher in enumerate(self.searchers):
            who = position.player if observer is None else observer
            searcher.timed = timed
            searcher.begin(position, who, derive_seed("search", seed, number), keep)
        settled = self._run(started, deadline, iterations, position, progress)
        return self._report(position, started, settled, final=True)

    def follow(self, before: Position, after: Position, move: int) -> None:
        """Lead every tree along by a move made after the last search, where that is sound."""
        if before != self.place:
            return
        seed = derive_seed("follow", before.ply)
        left = [searcher.follow(before, after, move, seed) for searcher in self.searchers]
        self.place = after if any(left) else None

    def _run(
        self,
        started: float,
        deadline: float,
        iterations: int | None,
        position: Position,
        progress: Progress | None,
    ) -> bool:
        """Run rounds of a stride of iterations a thread; return whether it stopped early."""
        threads = len(self.searchers)
        stride = SETTLE_STRIDE if threads == 1 else JOIN_STRIDE
        quotas = [
            None if iterations is None else iterations // threads + (number < iterations % threads)
            for number in range(threads)
        ]
        since_progress = 0
        while True:
            wanted = [
                stride if quota is None else min(stride, quota - searcher.iterations)
                for quota, searcher in zip(quotas, self.searchers, strict=True)
            ]
            if not any(wanted):
                return False
            self._round(wanted, deadline)
            if deadline and time.monotonic() >= deadline:
                return False
            if self.settings.early_stop and self._settled(started, deadline, iterations):
                return True
            since_progress += sum(wanted)
            if progress is not None and since_progress >= self.chunk:
                since_progress = 0
                progress(self._report(position, started, settled=False, final=False))

    def _round(self, wanted: list[int], deadline: float) -> None:
        if self.crew is None:
            self._share(self.searchers[0], wanted[0], deadline)
            return
        try:
            self.crew.run(
                [
                    partial(self._share, searcher, count, deadline)
                    for searcher, count in zip(self.searchers, wanted, strict=True)
                ]
            )
        except BaseException:
            for searcher in self.searchers:
                searcher.stop()
            interrupted, self.crew = self.crew, Crew(self.settings.threads)
            interrupted.settle()
            raise

    def _share(self, searcher: Searcher, count: int, deadline: float) -> None:
        """Make `count` iterations in chunks that let signals through."""
        while count > 0:
            pause = time.monotonic() + CHUNK_SECONDS
            until = min(pause, deadline) if deadline else pause
            done = searcher.run(min(count, self.chunk), until)
            count -= done
            if searcher.stopped or (deadline and time.monotonic() >= deadline):
                return

    def _settled(self, started: float, deadline: float, iterations: int | None) -> bool:
        """Whether the most visited move stays so whatever the remaining iterations do."""
        stats = merged([searcher.root_moves() for searcher in self.searchers])
        done = sum(searcher.iterations for searcher in self.searchers)
        visits = sorted((stat["visits"] for stat in stats), reverse=True)
        if len(visits) < 2 or self.settings.final_move != "visits":
            return False
        remaining = float("inf") if iterations is None else float(iterations - done)
        if deadline:
            now = time.monotonic()
            remaining = min(remaining, (deadline - now) * done / max(now - started, 1e-9))
        return bool(visits[0] - visits[1] > remaining)

    def _report(self, position: Position, started: float, settled: bool, final: bool) -> Result:
        stats = merged([searcher.root_moves() for searcher in self.searchers])
        known = {stat["move"] for stat in stats}
        ranking = ordered(stats, self.settings.final_move, self.settings.lcb_width)
        untried = [move for move in position.legal_moves() if move not in known]
        visits = sum(stat["visits"] for stat in stats)
        votes = sum(stat["led"] for stat in stats)
        moves = [self._move(stat, visits, votes) for stat in ranking]
        moves += [_untried(self.game.actions[move], move) for move in untried]
        assert position.player is not None
        return Result(
            game=self.game.name,
            player=position.player,
            iterations=sum(searcher.iterations for searcher in self.searchers),
            seconds=time.monotonic() - started,
            threads=len(self.searchers),
            nodes=sum(searcher.nodes for searcher in self.searchers),
            memory_bytes=sum(searcher.tree_bytes for searcher in self.searchers),
            settled=settled,
            moves=tuple(moves),
            **(self._shape() if final else {}),
        )

    def _shape(self) -> dict[str, Any]:
        """Return depths, branching and phases, summed over the threads."""
        shapes = [searcher.shape() for searcher in self.searchers]
        branching: Counter[int] = Counter()
        for _, widths in shapes:
            branching.update(widths)
        phases: Counter[str] = Counter()
        for searcher in self.searchers:
            phases.update(searcher.phases())
        depths = zip_longest(*(depths for depths, _ in shapes), fillvalue=0)
        return {
            "depths": tuple(map(sum, depths)),
            "branching": dict(sorted(branching.items())),
            "phases": dict(phases),
        }

    def _move(self, stat: dict[str, Any], visits: int, votes: int) -> MoveResult:
        count = stat["count"]
        payoff = mean_and_error(stat["payoff"], stat["payoff_squares"], count) if count else None
        win = mean_and_error(stat["win"], stat["win_squares"], count) if count else None
        actions = self.game.actions
        fullest = max(
            (searcher.line(stat["move"], LINE_LENGTH, LINE_VISITS) for searcher in self.searchers),
            key=len,
        )
        return MoveResult(
            action=actions[stat["move"]],
            move=stat["move"],
            visits=stat["visits"],
            share=stat["visits"] / max(visits, 1),
            payoff=payoff[0] if payoff else None,
            payoff_error=payoff[1] if payoff else None,
            win=win[0] if win else None,
            win_error=win[1] if win else None,
            score=stat["score"] / count if count else None,
            margin=stat["margin"] / count if count else None,
            ranks=tuple(rank / count for rank in stat["ranks"]) if count else None,
            led=stat["led"] / max(votes, 1),
            line=tuple((player, actions[move]) for player, move in fullest),
        )


def _untried(action: str, move: int) -> MoveResult:
    nothing = (None, None, None, None, None, None, None)
    return MoveResult(action, move, 0, 0.0, *nothing, 0.0, ())


def search(
    position: Position,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    iterations: int | None = None,
    seconds: float | None = None,
    player: int | None = None,
    progress: Progress | None = None,
    timed: bool = False,
) -> Result:
    """Search `position` and return its moves, best first.

    Limits given here replace those of the settings; seconds are for this one decision. With
    `player` the search knows what that player knows, by default the one to decide.
    """
    settings = settings or Settings()
    if iterations is None and seconds is None:
        iterations = settings.iterations
        seconds = settings.seconds_per_decision
    engine = Engine(position.game, settings)
    return engine.search(
        position,
        seed,
        seconds=seconds,
        iterations=iterations,
        observer=player,
        progress=progress,
        timed=timed,
    )
