"""Pools: the games of a store that may be rated together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from trajan_ai.tournaments import sprt, summary
from trajan_ai.tournaments.plan_file import Measure, SequentialTest
from trajan_ai.tournaments.ratings import (
    RatingOptions,
    Results,
    convert_elo_to_share,
    convert_share_to_elo,
    extract_duel,
)
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The results of one game with the same options, played by the same engine."""

    game: str
    options: str  # JSON
    engine: str
    results: Results
    rating: RatingOptions
    tests: tuple[SequentialTest, ...] = ()  # of the plans
    cheats: frozenset[str] = frozenset()  # names of bots that see hidden information

    @property
    def title(self) -> str:
        """Game, options and engine in one line."""
        options = "" if self.options == "{}" else f" with {self.options}"
        return f"{self.game}{options}, engine {self.engine}"


def select_planned(store: Store) -> bool:
    """Select the games of the current plans; return False if the store has no plan."""
    plans = store.restore_plans()
    if not plans:
        return False
    schedules = []
    for number, plan in plans.items():
        chosen = store.chosen(number)
        for table, _ in chosen:
            if len(table) not in plan.players or not set(table) <= {*range(len(plan.names))}:
                what = f"the list of deals chosen by plan {number}"
                raise store.describe_damage(what, f"not a table: {table}")
        schedules.append(Schedule(plan, chosen))
    store.select(chain.from_iterable(schedule.ids() for schedule in schedules))
    return True


def make_pools(store: Store, where: Mapping[str, Any], *, selected: bool) -> list[Pool]:
    """Return the pools of the games that `where` and `selected` choose; see `Store.results`."""
    plans = list(store.restore_plans().values())
    names = store.bots()
    cheats = find_cheats(store, names)
    pools = []
    for game, options, engine in store.groups(where, selected=selected):
        key = {"game": game, "options": options, "engine": engine}
        results = store.results(names, {**where, **key}, selected=selected)
        results = summary.drop_absent_bots(results)
        mine = [plan.settings for plan in plans if plan.settings.game == game]
        rating = mine[0].rating if mine else RatingOptions()
        tests = tuple(
            settings.test
            for settings in mine
            if settings.test and {settings.test.bot, settings.test.against} <= set(results.bots)
        )
        pools.append(Pool(**key, results=results, rating=rating, tests=tests, cheats=cheats))
    return pools


def find_cheats(store: Store, names: Mapping[str, str]) -> frozenset[str]:
    """Return the names of bots that see hidden information; the keys of `names` are digests."""
    makeups = store.makeups()
    return frozenset(
        name for digest, name in names.items() if makeups.get(digest, {}).get("cheat")
    )


@dataclass(frozen=True, kw_only=True)
class TestState:
    """The state of a sequential test on its measure, and on the `other` measure.

    Only the measure of the test decides when to stop, so the state on the other measure gives no
    verdict. `elo` and `other_elo` are the Elo differences by the two measures.
    """

    on: Measure
    state: sprt.State
    elo: float
    other: sprt.State
    other_elo: float

    def export(self) -> dict[str, Any]:
        """Return the state as plain data."""
        other = self.other
        return {
            "on": self.on,
            **vars(self.state),
            "elo": summary.round_value(self.elo),
            "beside": {
                "on": get_other_measure(self.on),
                "blocks": other.blocks,
                "score": other.score,
                "llr": other.llr,
                "elo": summary.round_value(self.other_elo),
            },
        }


def get_other_measure(on: Measure) -> Measure:
    """Return the measure on which a test does not decide."""
    return "margin" if on == "wins" else "wins"


def evaluate_test(results: Results, test: SequentialTest) -> TestState:
    """Return the state of a sequential test after these games."""
    state, elo = measure_test(results, test, test.on)
    other, other_elo = measure_test(results, test, get_other_measure(test.on))
    return TestState(on=test.on, state=state, elo=elo, other=other, other_elo=other_elo)


def measure_test(results: Results, test: SequentialTest, on: Measure) -> tuple[sprt.State, float]:
    """Return the state of a sequential test and the Elo difference, both on one measure."""
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
