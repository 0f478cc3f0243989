"""Which games of a store are rated together: those of its plan, one game, options and engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trajan_ai.tournaments import schedule, sprt, summary
from trajan_ai.tournaments.plan_file import Measure, SequentialTest
from trajan_ai.tournaments.ratings import (
    RatingOptions,
    Results,
    convert_elo_to_share,
    convert_share_to_elo,
    extract_duel,
)
from trajan_ai.tournaments.store import Store


@dataclass(frozen=True)
class Pool:
    """Games that one rating may hold: same game, same options, same engine."""

    game: str
    options: str  # JSON
    engine: str
    results: Results
    rating: RatingOptions
    tests: tuple[SequentialTest, ...] = ()  # sequential tests of the plans
    cheats: frozenset[str] = frozenset()  # names of bots that see hidden things

    @property
    def title(self) -> str:
        """What the games have in common, in one line."""
        options = "" if self.options == "{}" else f" with {self.options}"
        return f"{self.game}{options}, engine {self.engine}"


def find_planned_ids(store: Store) -> set[str] | None:
    """Return the identities that the current plans ask for; None if the store has no plan."""
    stored = store.restored()
    if not stored:
        return None
    found = set()
    for number, plan in stored.items():
        chosen = store.chosen(number)
        for table, _ in chosen:
            if len(table) not in plan.players or not set(table) <= {*range(len(plan.names))}:
                raise store.damaged(f"deals chosen by plan {number}", f"no table: {table}")
        found |= schedule.collect_planned_ids(plan, chosen)
    return found


def make_pools(
    store: Store, where: Mapping[str, Any] | None = None, ids: set[str] | None = None
) -> list[Pool]:
    """Return the pools of the games chosen by `where` (see `Store.results`) and `ids`."""
    plans = list(store.restored().values())
    names = store.bots()
    result = []
    for game, options, engine in store.groups(where, ids):
        key = {"game": game, "options": options, "engine": engine}
        results = summary.drop_absent_bots(store.results(names, {**(where or {}), **key}, ids))
        mine = [plan.settings for plan in plans if plan.settings.game == game]
        rating = mine[0].rating if mine else RatingOptions()
        tests = tuple(
            settings.test
            for settings in mine
            if settings.test and {settings.test.bot, settings.test.against} <= set(results.bots)
        )
        cheats = find_cheats(store, names)
        result.append(Pool(game, options, engine, results, rating, tests, cheats))
    return result


def find_cheats(store: Store, names: Mapping[str, str]) -> frozenset[str]:
    """Return which of the bots `names` (by digest) say that they see hidden things."""
    makeups = store.makeups()
    return frozenset(name for digest, name in names.items() if _cheats(makeups.get(digest, {})))


def _cheats(makeup: Mapping[str, Any]) -> bool:
    behind = makeup.get("bot")
    return bool(makeup.get("cheat")) or (isinstance(behind, Mapping) and _cheats(behind))


@dataclass(frozen=True)
class TestState:
    """Where a sequential test stands, `beside` it the same games on the other measure.

    That one did not decide when to stop, so it gives no verdict. `elo` is by either's scores.
    """

    on: Measure
    state: sprt.State
    elo: float
    beside: sprt.State
    beside_elo: float

    def exported(self) -> dict[str, Any]:
        """Return it as plain data."""
        other = "margin" if self.on == "wins" else "wins"
        told = {"blocks": self.beside.blocks, "score": self.beside.score, "llr": self.beside.llr}
        return {
            "on": self.on,
            **vars(self.state),
            "elo": summary.round_value(self.elo),
            "beside": {"on": other, **told, "elo": summary.round_value(self.beside_elo)},
        }


def evaluate_test(results: Results, test: SequentialTest) -> TestState:
    """Return where a sequential test stands after these games."""
    other: Measure = "margin" if test.on == "wins" else "wins"
    return TestState(
        test.on, *measure_test(results, test, test.on), *measure_test(results, test, other)
    )


def measure_test(results: Results, test: SequentialTest, on: Measure) -> tuple[sprt.State, float]:
    """Return where a sequential test stands on one measure, and the Elo difference by it."""
    games = extract_duel(results, results.bots.index(test.bot), results.bots.index(test.against))
    scores, flattened, guess = games.scores(), 1.0, sprt.PRIOR_VARIANCE
    if on == "margin":
        scores, flattened = games.margins(), games.flattened()
        guess = sprt.PRIOR_VARIANCE_OF_MARGINS
    share0, share1 = (convert_elo_to_share(elo, flattened) for elo in (test.elo0, test.elo1))
    state = sprt.compute_state(scores, share0, share1, test.alpha, test.beta, guess=guess)
    if not 0.0 < state.score < 1.0:
        return state, math.copysign(math.inf, state.score - 0.5)
    return state, convert_share_to_elo(state.score, flattened)
