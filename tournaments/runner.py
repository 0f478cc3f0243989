"""Running a plan: plays what the store lacks, and decides by the results when to stop."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from tqdm import tqdm

from tournaments import pairing, ratings, schedule, sprt
from tournaments.backends import Backend, Dask, Loky
from tournaments.config import Plan
from tournaments.play import Outcome, Task
from tournaments.schedule import Block, Fixture
from tournaments.store import Entry, Store
from trajan_ai.core.errors import TrajanError

LOCK = "running"


@dataclass
class Run:
    """A run of a plan: what it played and why it ended."""

    plan: Plan
    folder: Path
    played: int = 0
    found: int = 0
    failures: int = 0
    seconds: float = 0.0
    ended: str = "all games are played"
    interrupted: bool = False
    test: sprt.State | None = None
    blocks: list[str] = field(default_factory=list)  # of an adaptive plan, in order


def backend_of(plan: Plan, jobs: int) -> Backend:
    """Return the backend that the plan names."""
    if plan.settings.backend == "dask":
        return Dask(plan.settings.scheduler, jobs)
    return Loky(jobs)


def run(
    plan: Plan, folder: str | os.PathLike[str], jobs: int, progress: TextIO | None = None
) -> Run:
    """Play what the store in `folder` lacks of the plan; everything finished is kept.

    Ctrl-C ends the run early: the returned `Run` says so. `progress` is a terminal or None.
    """
    state = Run(plan, Path(folder))
    begin = time.monotonic()
    with Store(folder, create=True) as store, _only_one(state.folder):
        bots = [
            (bot.digest, bot.name, json.dumps(bot.resolved(), sort_keys=True)) for bot in plan.bots
        ]
        store.add_plan(plan.resolved(), bots)
        total = sum(schedule.count_games(plan).values())
        bar = tqdm(total=total, unit="game", file=progress, disable=progress is None, smoothing=0)
        with bar:
            player = _Player(state, store, backend_of(plan, jobs), bar)
            try:
                _follow(plan, state, store, player)
            except KeyboardInterrupt:
                state.interrupted = True
                state.ended = "interrupted"
    state.seconds = time.monotonic() - begin
    return state


class _Player:
    """Plays fixtures that the store lacks and stores what comes back."""

    def __init__(self, state: Run, store: Store, backend: Backend, bar: Any) -> None:
        self.state = state
        self.store = store
        self.backend = backend
        self.bar = bar
        self.known = store.identities()

    def play(self, fixtures: Iterable[Fixture]) -> None:
        plan = self.state.plan
        flying: dict[str, Fixture] = {}
        for outcome in self.backend.stream(self._tasks(plan, fixtures, flying)):
            fixture = flying.pop(outcome.id, None)
            if fixture is not None:
                self._keep(plan, fixture, outcome)

    def _tasks(
        self, plan: Plan, fixtures: Iterable[Fixture], flying: dict[str, Fixture]
    ) -> Iterator[Task]:
        for fixture in fixtures:
            if fixture.id in self.known:
                self.state.found += 1
                self.bar.update()
                continue
            flying[fixture.id] = fixture
            yield task_of(plan, fixture)

    def _keep(self, plan: Plan, fixture: Fixture, outcome: Outcome) -> None:
        self.store.add(entry_of(plan, fixture), outcome)
        self.known.add(fixture.id)
        self.state.played += 1
        self.state.failures += outcome.failure is not None
        self.bar.update()
        if self.state.failures:
            self.bar.set_postfix_str(f"{self.state.failures} failed", refresh=False)


def _follow(plan: Plan, state: Run, store: Store, player: _Player) -> None:
    if not plan.adaptive:
        player.play(schedule.fixtures(plan))
        return
    limit = plan.settings.deals * len(schedule.tables(plan))
    chooser = _rounds(plan, state, store)
    while len(state.blocks) < limit:
        blocks = list(islice(next(chooser), limit - len(state.blocks)))
        if not blocks:
            return
        player.play(fixture for block in blocks for fixture in block.fixtures)
        state.blocks += [block.id for block in blocks]
        if reason := _enough(plan, state, store, player.bar):
            state.ended = reason
            return


def _rounds(plan: Plan, state: Run, store: Store) -> Iterator[list[Block]]:
    """Yield the blocks of round after round, each chosen when the one before is complete."""
    batch = plan.settings.batch
    if plan.settings.pairing == "all":
        every = schedule.blocks(plan)
        while True:
            yield list(islice(every, batch))
    tables = schedule.tables(plan)
    dealt = dict.fromkeys(tables, 0)
    while True:
        chosen = pairing.choose(
            results_so_far(plan, state, store),
            tables,
            list(dealt.values()),
            batch,
            focus=[plan.number(name) for name in plan.focus],
            rotations=plan.settings.rotations,
        )
        blocks = []
        for index in chosen:
            blocks.append(schedule.block(plan, tables[index], dealt[tables[index]]))
            dealt[tables[index]] += 1
        yield blocks


def results_so_far(plan: Plan, state: Run, store: Store) -> ratings.Results:
    """Return the games of the blocks that an adaptive plan has chosen so far."""
    return store.results(
        dict(zip(plan.digests, (bot.name for bot in plan.bots), strict=True)),
        blocks=state.blocks,
    )


def _enough(plan: Plan, state: Run, store: Store, bar: Any) -> str | None:
    """Return why to stop, or None to go on."""
    settings = plan.settings
    results = results_so_far(plan, state, store)
    if test := settings.test:
        _, scores = ratings.block_scores(results, plan.number(test.bot), plan.number(test.against))
        state.test = now = sprt.state(scores, test.elo0, test.elo1, test.alpha, test.beta)
        bar.set_postfix_str(f"LLR {now.llr:+.2f} ({now.lower:+.2f} .. {now.upper:+.2f})")
        if now.verdict:
            return f"the sequential test accepts {now.verdict}"
    if settings.stop:
        rating = rate_results(plan, results)
        widest = float(np.max((rating.high - rating.low) / 2))
        bar.set_postfix_str(f"widest interval +-{widest:.0f} Elo")
        if widest <= settings.stop.half_width:
            return f"every interval is within +-{settings.stop.half_width:g} Elo"
    return None


def rate_results(plan: Plan, results: ratings.Results) -> ratings.Ratings:
    """Rate the bots of a plan as it asks."""
    rating = plan.settings.rating
    fitted = ratings.fit(
        results,
        resamples=rating.resamples,
        seed=plan.settings.seed,
        prior_elo=rating.prior,
        seat_effect=rating.seat_effect,
    )
    anchor = None if rating.anchor is None else plan.number(rating.anchor)
    return ratings.rate(fitted, anchor=anchor, anchor_elo=rating.elo)


def task_of(plan: Plan, fixture: Fixture) -> Task:
    """Return what a worker needs to play a fixture."""
    return Task(
        fixture.id,
        plan.settings.game,
        plan.options,
        tuple(plan.bots[bot] for bot in fixture.seats),
        fixture.deal,
        fixture.deal_seed,
        fixture.seed,
        plan.settings.limits.patience,
        plan.settings.limits.retries,
    )


def entry_of(plan: Plan, fixture: Fixture) -> Entry:
    """Return what the store keeps of a fixture."""
    return Entry(
        fixture.id,
        plan.settings.game,
        plan.options_text,
        fixture.block,
        fixture.deal,
        fixture.rotation,
        tuple(plan.digests[bot] for bot in fixture.seats),
    )


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; raise TrajanError if another run has it. A dead run holds none."""
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TrajanError(
                f"{folder}: another run is writing here; wait for it or give another --out"
            ) from None
        yield
    (folder / LOCK).unlink(missing_ok=True)


def terminal() -> TextIO | None:
    """Return standard error if it is a terminal: where progress may be shown."""
    return sys.stderr if sys.stderr.isatty() else None
