"""Running a plan: playing the games that the store lacks, and deciding when to stop."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from tqdm import tqdm

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.platform import describe_machine, need_guards
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.tournaments import game_task, pairing, pool, ratings
from trajan_ai.tournaments.backends import Backend, Dask, Loky
from trajan_ai.tournaments.game_task import Outcome, Task
from trajan_ai.tournaments.plan_file import Plan
from trajan_ai.tournaments.schedule import Block, Fixture, Schedule
from trajan_ai.tournaments.store import Store


@dataclass(kw_only=True)
class TournamentRun:
    """A run of a plan: the number of games played and why it ended.

    reused   games that were already in the store
    missing  planned games that are not stored; 0 if the run was interrupted
    llr      course of the sequential test: number of deals and log-likelihood ratio
    engine   play signature
    number   number of the plan in the store
    """

    schedule: Schedule
    folder: Path
    played: int = 0
    reused: int = 0
    failures: int = 0
    ended: str = ""
    missing: int = 0
    interrupted: bool = False
    test: pool.TestState | None = None
    llr: list[tuple[int, float]] = field(default_factory=list)
    engine: str = ""
    number: int = 0

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.schedule.plan


def create_backend(plan: Plan, jobs: int) -> Backend:
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
    watch: Callable[[TournamentRun], AbstractContextManager[object]] = nullcontext,
) -> TournamentRun:
    """Play the games of the plan that the store in `folder` lacks.

    Every finished game is stored at once. Ctrl-C ends the run early and sets `interrupted`.
    `progress` is a terminal or None; `notify` receives notes for people before the first game;
    `backend` replaces that of the plan; `watch` returns a context that is active while games are
    played. Raises TrajanError if the folder contains games of these bots played by another engine.
    """
    need_guards("a tournament")
    engine = game_task.get_engine_signature(plan.settings.game)
    state = TournamentRun(schedule=Schedule(plan), folder=Path(folder), engine=engine)
    with Store(folder, create=True) as store, lock_folder(state.folder):
        _check_engine(state, store)
        makeups = [game_task.get_makeup(plan.settings.game, bot) for bot in plan.bots]
        for line in _find_changed_bots(plan, makeups, store):
            notify(line)
        texts = [json.dumps(makeup, sort_keys=True) for makeup in makeups]
        bots = list(zip(plan.digests, plan.names, texts, strict=True))
        state.number = store.set_plan(plan.stored(), bots)
        store.begin_run(describe_machine(), jobs)
        total = sum(state.schedule.count_games().values())
        bar = tqdm(total=total, unit="game", file=progress, disable=progress is None, smoothing=0)
        with bar, watch(state), closing(backend or create_backend(plan, jobs)) as workers:
            player = _FixturePlayer(state, store, workers, bar)
            try:
                _play_plan(state, store, player)
                _count_missing(state, store)
            except KeyboardInterrupt:
                state.interrupted = True
                state.ended = "interrupted"
    return state


def _count_missing(state: TournamentRun, store: Store) -> None:
    """Set the reason for the end; the run is complete if the store has every planned game."""
    store.select(state.schedule.ids())
    state.missing = store.count_missing()
    if state.missing:
        state.ended = (
            f"incomplete, {state.missing} games are missing (their processes were lost, but "
            "no bot is known to be at fault); run the same command again to play them"
        )
    elif not state.ended:
        state.ended = "all games are played"


def _check_engine(state: TournamentRun, store: Store) -> None:
    """Raise TrajanError if games between the plan's bots were played by another engine."""
    plan, folder = state.plan, state.folder
    others = store.engines(plan.settings.game, plan.digests)
    others.pop(state.engine, None)
    for engine, games in others.items():
        other = shlex.join(["--out", f"{folder}-{state.engine[:6]}"])
        drop = shlex.join(["trajan-ai", "results", "drop", engine, str(folder)])
        look = shlex.join(["trajan-ai", "results", str(folder), "--engine", engine])
        raise TrajanError(
            f"{folder}: contains {games} games of these bots played by another engine (play "
            f"signature {engine}, but this one has {state.engine}), and games of different "
            f"engines must not be rated together: play in another folder ({other}), delete the "
            f"old games ({drop}), or use the release that played them; to see their table: {look}"
        )


def _find_changed_bots(
    plan: Plan, makeups: Sequence[dict[str, Any]], store: Store
) -> Iterator[str]:
    """Yield a line for every bot whose makeup differs from that of a stored bot with its name."""
    stored, names = store.makeups(), store.names()
    for name, digest, makeup in zip(plan.names, plan.digests, makeups, strict=True):
        for other, other_name in names.items():
            if other_name != name or other == digest or digest in stored:
                continue
            games = store.count_games(other)
            if games:
                yield (
                    f"{name}: differs from the bot that played {games} games here before "
                    f"({describe_difference(stored[other], makeup)}): all games of {name} are "
                    f"played again; the old ones stay in the folder as those of {name}@{other} "
                    "and no longer count"
                )


def describe_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return a description of the difference between two makeups of a bot."""
    parts = []
    for key in sorted(set(old) | set(new)):
        before, after = old.get(key, "default"), new.get(key, "default")
        if before == after:
            continue
        if key == "code" and isinstance(before, dict) and isinstance(after, dict):
            files = sorted(f for f in before | after if before.get(f) != after.get(f))
            parts.append(f"the code of {', '.join(files)} differs")
        elif key == "weights":
            parts.append("the weights of its knowledge differ")
        else:
            parts.append(f"{key} was {before}, is {after}")
    return "; ".join(parts)


class _FixturePlayer:
    """Plays the fixtures that the store lacks, and stores the outcomes."""

    def __init__(self, state: TournamentRun, store: Store, backend: Backend, bar: Any) -> None:
        self.state = state
        self.store = store
        self.backend = backend
        self.bar = bar
        self.stored = store.identities()

    def play(self, fixtures: Iterable[Fixture]) -> None:
        plan = self.state.plan
        pending: dict[str, Fixture] = {}
        for outcome in self.backend.stream(self._make_tasks(plan, fixtures, pending)):
            fixture = pending.pop(outcome.id, None)
            nobody = outcome.failure is not None and outcome.failure.seat is None
            if fixture is not None and not nobody:
                self._store(fixture, outcome)

    def _make_tasks(
        self, plan: Plan, fixtures: Iterable[Fixture], pending: dict[str, Fixture]
    ) -> Iterator[Task]:
        for fixture in fixtures:
            if fixture.id in self.stored:
                self.state.reused += 1
                self.bar.update()
                continue
            pending[fixture.id] = fixture
            yield make_task(plan, fixture, self.state.engine)

    def _store(self, fixture: Fixture, outcome: Outcome) -> None:
        self.store.add(fixture, outcome, self.state.engine)
        self.stored.add(fixture.id)
        self.state.played += 1
        self.state.failures += outcome.failure is not None
        self.bar.update()
        if self.state.failures:
            self.bar.set_postfix_str(f"{self.state.failures} failed", refresh=False)


def _play_plan(state: TournamentRun, store: Store, player: _FixturePlayer) -> None:
    plan, schedule = state.plan, state.schedule
    if not plan.adaptive:
        player.play(schedule.fixtures())
        return
    limit = plan.settings.deals * len(schedule.tables)
    rounds = _choose_rounds(state, store)
    while len(schedule.chosen) < limit:
        blocks = list(islice(next(rounds), limit - len(schedule.chosen)))
        if not blocks:
            return
        store.choose(state.number, [(block.table, block.deal) for block in blocks])
        schedule.choose(blocks)
        fixtures = [fixture for block in blocks for fixture in block.fixtures]
        player.play(fixtures)
        if not player.stored.issuperset(fixture.id for fixture in fixtures):
            return  # a decision based on part of a round would not be repeatable
        if reason := _find_stop_reason(state, store, player.bar):
            state.ended = reason
            return


def _choose_rounds(state: TournamentRun, store: Store) -> Iterator[list[Block]]:
    """Yield the blocks of one round after another; each round depends on the results so far."""
    plan, schedule = state.plan, state.schedule
    batch = plan.settings.batch
    if plan.settings.pairing == "all":
        every = schedule.blocks()
        while True:
            yield list(islice(every, batch))
    tables = schedule.tables
    dealt = dict.fromkeys(tables, 0)
    while True:
        chosen = pairing.choose(
            read_results(state, store),
            tables,
            list(dealt.values()),
            batch,
            focus=plan.focus,
            rotations=plan.settings.rotations,
        )
        blocks = []
        for index in chosen:
            blocks.append(schedule.block(tables[index], dealt[tables[index]]))
            dealt[tables[index]] += 1
        yield blocks


def read_results(state: TournamentRun, store: Store) -> ratings.Results:
    """Select the games of the plan in the store, and return their results.

    For an adaptive plan, these are the games of the blocks chosen so far.
    """
    store.select(state.schedule.ids())
    return store.results(state.plan.names_by_digest, selected=True)


def _find_stop_reason(state: TournamentRun, store: Store, bar: Any) -> str | None:
    """Return why the plan stops now, or None if it continues."""
    settings = state.plan.settings
    results = read_results(state, store)
    if test := settings.test:
        state.test = pool.evaluate_test(results, test)
        now = state.test.state
        state.llr.append((now.blocks, now.llr))
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


def make_task(plan: Plan, fixture: Fixture, engine: str = "") -> Task:
    """Return the task of a fixture, for workers with the play signature `engine`."""
    start = plan.get_start(fixture.deal)
    return Task(
        id=fixture.id,
        game=plan.settings.game,
        options=plan.options,
        seats=tuple(plan.bots[bot] for bot in fixture.seats),
        deal=fixture.deal,
        deal_seed=fixture.deal_seed,
        seed=fixture.seed,
        patience=plan.settings.limits.patience,
        retries=plan.settings.limits.retries,
        memory=plan.settings.limits.memory or 0,
        start=None if start is None else start.record,
        engine=engine,
    )


def get_terminal() -> TextIO | None:
    """Return standard error, where progress is shown, or None if it is not a terminal."""
    return sys.stderr if sys.stderr.isatty() else None
