"""Running a plan: plays what the store lacks, and decides by the results when to stop."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from filelock import FileLock, Timeout
from tqdm import tqdm

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.platform import need_guards
from trajan_ai.tournaments import game_task, pairing, pool, ratings, schedule
from trajan_ai.tournaments.backends import Backend, Dask, Loky
from trajan_ai.tournaments.game_task import Outcome, Task
from trajan_ai.tournaments.plan_file import Plan
from trajan_ai.tournaments.schedule import Block, Bots, Fixture
from trajan_ai.tournaments.store import Store

LOCK = "running"


@dataclass
class Run:
    """A run of a plan: what it played and why it ended."""

    plan: Plan
    folder: Path
    played: int = 0
    found: int = 0
    failures: int = 0
    ended: str = ""
    missing: int = 0  # planned games that are not stored, unless the run was interrupted
    interrupted: bool = False
    test: pool.TestState | None = None
    chosen: list[tuple[Bots, int]] = field(default_factory=list)  # blocks of an adaptive plan
    engine: str = ""  # play signature
    number: int = 0  # of the plan in the store


def backend_of(plan: Plan, jobs: int) -> Backend:
    """Return the backend that the plan names."""
    if plan.settings.backend == "dask":
        return Dask(plan.settings.scheduler, jobs)
    return Loky(jobs)


def run(
    plan: Plan,
    folder: str | os.PathLike[str],
    jobs: int,
    progress: TextIO | None = None,
    notify: Callable[[str], None] = lambda line: None,
    *,
    backend: Backend | None = None,
) -> Run:
    """Play what the store in `folder` lacks of the plan; everything finished is kept.

    Ctrl-C ends the run early: the returned `Run` says so. `progress` is a terminal or None;
    `notify` hears what a person should know before it begins; `backend` plays in place of the
    plan's. Raises TrajanError if the folder holds games of these bots by another engine.
    """
    need_guards("a tournament")
    state = Run(plan, Path(folder), engine=game_task.engine_signature(plan.settings.game))
    with Store(folder, create=True) as store, _only_one(state.folder):
        _check_engine(state, store)
        makeups = [game_task.makeup(plan.settings.game, bot) for bot in plan.bots]
        for line in _changed_bots(plan, makeups, store):
            notify(line)
        texts = [json.dumps(makeup, sort_keys=True) for makeup in makeups]
        bots = list(zip(plan.digests, plan.names, texts, strict=True))
        state.number = store.set_plan(plan.stored(), bots)
        total = sum(schedule.count_games(plan).values())
        bar = tqdm(total=total, unit="game", file=progress, disable=progress is None, smoothing=0)
        with bar:
            player = _Player(state, store, backend or backend_of(plan, jobs), bar)
            try:
                _follow(plan, state, store, player)
                _count(plan, state, store)
            except KeyboardInterrupt:
                state.interrupted = True
                state.ended = "interrupted"
    return state


def _count(plan: Plan, state: Run, store: Store) -> None:
    """Say how the run ended: complete is what the store holds, not what nobody complained of."""
    planned = schedule.planned(plan, state.chosen)
    state.missing = len(planned - store.identities())
    if state.missing:
        state.ended = (
            f"incomplete, {state.missing} games are missing (no process could be kept for them, "
            "by no bot's known fault); the same command plays them"
        )
    elif not state.ended:
        state.ended = "all games are played"


def _check_engine(state: Run, store: Store) -> None:
    """Raise TrajanError if games between the plan's bots were played by another engine."""
    plan, folder = state.plan, state.folder
    others = store.engines(plan.settings.game, plan.digests)
    others.pop(state.engine, None)
    for engine, games in others.items():
        anew = shlex.join(["--out", f"{folder}-{state.engine[:6]}"])
        drop = shlex.join(["trajan-ai", "results", "drop", engine, str(folder)])
        look = shlex.join(["trajan-ai", "results", str(folder), "--engine", engine])
        raise TrajanError(
            f"{folder}: holds {games} games between these bots that another engine played (play "
            f"signature {engine}, this one has {state.engine}); rating both as one would mislead: "
            f"play in another folder ({anew}), or delete the old games ({drop}), or go on with "
            f"the release that played them; their table: {look}"
        )


def _changed_bots(plan: Plan, makeups: Sequence[dict[str, Any]], store: Store) -> Iterator[str]:
    """Yield a line for every bot that has another makeup than one of its name in the store."""
    stored, names = store.makeups(), store.names()
    for name, digest, makeup in zip(plan.names, plan.digests, makeups, strict=True):
        for other, other_name in names.items():
            if other_name != name or other == digest or digest in stored:
                continue
            games = store.games_of(other)
            if games:
                yield (
                    f"{name}: another bot than the one that played {games} games here before "
                    f"({difference(stored[other], makeup)}): it plays its games anew; the old "
                    f"ones stay in the folder as {name}@{other} and count for it no more"
                )


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Say in words what differs between two makeups of a bot."""
    parts = []
    for key in sorted(set(old) | set(new)):
        before, after = old.get(key, "default"), new.get(key, "default")
        if before == after:
            continue
        if key == "code" and isinstance(before, dict) and isinstance(after, dict):
            files = sorted(f for f in before | after if before.get(f) != after.get(f))
            parts.append(f"the code of {', '.join(files)} differs")
        elif key == "weights":
            parts.append("weights of its knowledge differ")
        else:
            parts.append(f"{key} was {before}, is {after}")
    return "; ".join(parts)


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
            nobody = outcome.failure is not None and outcome.failure.seat is None
            if fixture is not None and not nobody:
                self._keep(fixture, outcome)

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

    def _keep(self, fixture: Fixture, outcome: Outcome) -> None:
        self.store.add(fixture, outcome, self.state.engine)
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
    while len(state.chosen) < limit:
        blocks = list(islice(next(chooser), limit - len(state.chosen)))
        if not blocks:
            return
        chosen = [(block.table, block.deal) for block in blocks]
        store.choose(state.number, chosen)
        state.chosen += chosen
        fixtures = [fixture for block in blocks for fixture in block.fixtures]
        player.play(fixtures)
        if not player.known.issuperset(fixture.id for fixture in fixtures):
            return  # a decision on what is left of a round would not repeat
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
            focus=plan.focus,
            rotations=plan.settings.rotations,
        )
        blocks = []
        for index in chosen:
            blocks.append(schedule.block(plan, tables[index], dealt[tables[index]]))
            dealt[tables[index]] += 1
        yield blocks


def results_so_far(plan: Plan, state: Run, store: Store) -> ratings.Results:
    """Return the games of the blocks that an adaptive plan has chosen so far."""
    names = dict(zip(plan.digests, plan.names, strict=True))
    return store.results(names, ids=schedule.planned(plan, state.chosen))


def _enough(plan: Plan, state: Run, store: Store, bar: Any) -> str | None:
    """Return why to stop, or None to go on."""
    settings = plan.settings
    results = results_so_far(plan, state, store)
    if test := settings.test:
        state.test = pool.sequential_test(results, test)
        now = state.test.state
        bar.set_postfix_str(f"LLR {now.llr:+.2f} ({now.lower:+.2f} .. {now.upper:+.2f})")
        if now.verdict:
            return f"the sequential test accepts {now.verdict}"
    if settings.stop:
        rating = ratings.rated(results, settings.rating)
        widest = float(np.max((rating.high - rating.low) / 2))
        bar.set_postfix_str(f"widest interval +-{widest:.0f} Elo")
        if widest <= settings.stop.half_width:
            return f"every interval is within +-{settings.stop.half_width:g} Elo"
    return None


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
        plan.settings.limits.memory or 0,
    )


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; raise TrajanError if another run has it. A dead run holds none."""
    path = folder / LOCK
    try:
        lock = FileLock(path, timeout=0).acquire()
    except Timeout:
        raise TrajanError(
            f"{folder}: another run is writing here; wait for it or give another --out"
        ) from None
    with lock:
        yield
        path.unlink(missing_ok=True)  # while it is ours


def terminal() -> TextIO | None:
    """Return standard error if it is a terminal: where progress may be shown."""
    return sys.stderr if sys.stderr.isatty() else None
