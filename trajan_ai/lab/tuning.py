"""Tune a bot's settings in games by simultaneous perturbation (SPSA), measured by margins.

SPSA is described in Spall, "Implementation of the simultaneous perturbation algorithm for
stochastic optimization" (1998); fishtest and OpenBench use it, too. Each iteration moves every
setting up or down at random for one bot, and the other way for a second bot. The two bots play
each other, and the settings move towards those of the winner. The result of an iteration is the
mean squashed lead over whole deal blocks, from -1 to 1.

Only the games are stored. The path of the settings follows from them, so an interrupted run
resumes where it stopped.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import Field

from trajan_ai.bots import BUILTIN_NAMES, Bot, UserBot, parse_bot
from trajan_ai.bots.descriptions import overlay
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.tournaments import game_task, runner
from trajan_ai.tournaments.output import write_file
from trajan_ai.tournaments.plan_file import (
    ErrorRate,
    FailureLimits,
    Measure,
    Plan,
    Players,
    PositiveFloat,
    parse_plan,
)
from trajan_ai.tournaments.ratings import extract_duel
from trajan_ai.tournaments.runner import TournamentRun
from trajan_ai.tournaments.store import Store

GAMES = "games"  # folder of the games of all iterations
TEST = "test"  # folder of the final test
PATH = "path.json"  # the settings after each iteration
TUNED = "tuned.yaml"  # the tuned bot
# The exponents of the gains, and the stability constant, which is a fraction of all iterations and
# damps the first ones. Spall recommends these values (1998, section III.B).
ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
# The interval for the best value: its half width in standard errors, the minimum number of
# iterations, and the minimum curvature in standard errors. Even a random walk looks curved: its
# curvature in standard errors has the distribution of Dickey and Fuller (1979) and is above 3 in
# 4 % of simulations.
SIGMAS, MIN_ITERATIONS, MIN_CURVE = 2.0, 20, 3.0
AVERAGED = 0.25  # the result is the mean of this last fraction of the iterations

Finite = Annotated[float, Field(allow_inf_nan=False)]


class Setting(Description):
    """A setting to tune: its range, and the step by which it is moved in the variants that play.

    On a `log` scale the step is a factor. By default, `start` is the bot's value.
    """

    low: Finite
    high: Finite
    step: PositiveFloat
    start: Finite | None = None
    scale: Literal["linear", "log"] = "linear"


class FinalTest(Description):
    """The sequential test of the tuned bot against the start settings; see `SequentialTest`."""

    on: Measure = "margin"
    elo0: Finite = 0.0
    elo1: Finite = 10.0
    alpha: ErrorRate = 0.05
    beta: ErrorRate = 0.05
    deals: Annotated[int, Field(ge=1, le=10_000_000)] = 1000  # maximum number of deals
    batch: Annotated[int, Field(ge=1, le=100_000)] = 16


class TuneFile(Description):
    """The keys of a tuning plan. Paths of bot files are relative to the plan's file."""

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$")]
    game: str
    options: dict[str, Any] = Field(default_factory=dict)
    players: Players = 2
    bot: Any
    settings: Annotated[dict[str, Setting], Field(min_length=1)]
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    deals: Annotated[int, Field(ge=1, le=100_000)] = 4  # deal blocks of an iteration
    # steps by which a complete win (a result of 1) moves a setting in the last iteration
    rate: PositiveFloat = 0.3
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    test: FinalTest | None = FinalTest()
    limits: FailureLimits = FailureLimits()
    jobs: Annotated[int, Field(ge=1, le=10_000)] | None = None


@dataclass(frozen=True)
class Dial:
    """A setting as the tuner sees it: `start`, `low` and `high` are in steps.

    `whole` is true if the bot requires a whole number.
    """

    name: str
    setting: Setting
    start: float
    low: float
    high: float
    whole: bool

    def value(self, steps: float) -> float | int:
        """Return the setting's value at a given number of steps."""
        steps = min(max(steps, self.low), self.high)
        log = self.setting.scale == "log"
        value = math.exp(steps * math.log(self.setting.step)) if log else steps * self.setting.step
        value = min(max(value, self.setting.low), self.setting.high)
        return round(value) if self.whole else float(f"{value:.6g}")


@dataclass(frozen=True)
class TunePlan:
    """A checked tuning plan."""

    file: TuneFile
    bot: Bot
    dials: tuple[Dial, ...]
    folder: Path  # folder of the plan, to which paths are relative

    def moved(self, steps: Mapping[str, float], name: str) -> dict[str, Any]:
        """Return the bot with its settings at `steps`, as data for a plan."""
        data = self.bot.resolved() | {"name": name}
        for dial in self.dials:
            data = _replaced(data, dial.name.split("."), dial.value(steps[dial.name]))
        return _without_nulls(data)

    def tuned(self, steps: Mapping[str, float], folder: Path) -> dict[str, Any]:
        """Return the bot with its settings at `steps` as the data of a file in `folder`."""
        settings, name = self.file.bot, f"{self.file.name}-tuned"
        if isinstance(settings, str):
            settings = {"extends": settings}
        if isinstance(self.bot, UserBot):  # its code lies beside its file
            return self.moved(steps, name)
        data = {"name": name, **{key: value for key, value in settings.items() if key != "name"}}
        base = data.get("extends", "")
        if base and base not in BUILTIN_NAMES:
            data["extends"] = os.path.relpath(self.folder / base, folder)
        return overlay(data, _changed(self.bot.resolved(), self.moved(steps, name)))

    def plan(self, bots: list[dict[str, Any]], deals: int, **keys: Any) -> Plan:
        """Return a tournament between bots under this plan's rules."""
        file = self.file
        data = {
            "name": file.name,
            "game": file.game,
            "options": file.options,
            "players": file.players,
            "bots": bots,
            "deals": deals,
            "seed": file.seed,
            "limits": file.limits.model_dump(exclude_none=True),
        }
        return parse_plan(Document(f"{file.name} (tuning)", data | keys, {}))


@dataclass(frozen=True)
class Iteration:
    """An iteration of SPSA.

    Attributes:
        number: the number of the iteration, from 0.
        result: the mean squashed lead, -1..1, of the bot that was moved in the direction of the
            signs.
        steps: the settings after the iteration, in steps.
        values: the same settings, as values of the bot.
    """

    number: int
    result: float
    steps: dict[str, float]
    values: dict[str, float | int]


@dataclass(frozen=True)
class Interval:
    """A 95 % interval for the best value of a setting, or the whole range if it is undecided."""

    low: float | int
    high: float | int
    is_decided: bool


def read_tune_plan(source: str | os.PathLike[str]) -> TunePlan:
    """Return the tuning plan in a file; raise TrajanError, which lists all problems in it."""
    document = read_yaml(source, named=True)
    file = validate(TuneFile, document)
    game_task.check_options(file.game, file.players, file.options)
    if isinstance(document.data["bot"], dict):  # an inline bot may omit its name
        document = document.replaced(("bot",), {"name": "start"} | document.data["bot"])
    bot = parse_bot(document, ("bot",))
    problems = game_task.find_bot_problems(file.game, bot)
    dials = []
    for name, setting in file.settings.items():
        place = document.place(("settings", name))
        try:
            dials.append(_dial(name, setting, bot))
            _check_ends(dials[-1], bot)
        except TrajanError as error:
            problems += error.within(place).problems
    if problems:
        raise TrajanError(*problems)
    return TunePlan(file, bot, tuple(dials), Path(source).parent)


def _dial(name: str, setting: Setting, bot: Bot) -> Dial:
    own = _value_at(bot.resolved(), name.split("."))
    start = setting.start if setting.start is not None else own
    if isinstance(start, bool) or not isinstance(start, int | float):
        raise TrajanError(f"start is missing, and the bot's value {own!r} is not a number")
    whole = isinstance(own, int)
    log = setting.scale == "log"
    if not setting.low < setting.high or not setting.low <= start <= setting.high:
        raise TrajanError(
            "low, start and high must be in ascending order, got "
            f"{setting.low:g}, {start:g} and {setting.high:g}"
        )
    if log and (setting.low <= 0 or setting.step <= 1):
        raise TrajanError(
            "on a log scale, low must be above 0, and step must be a factor above 1, "
            f"got {setting.low:g} and {setting.step:g}"
        )
    if whole and not log and setting.step < 1:
        raise TrajanError(
            f"step must be at least 1, because the value is a whole number, got {setting.step:g}"
        )

    def steps(value: float) -> float:
        return math.log(value) / math.log(setting.step) if log else value / setting.step

    return Dial(
        name=name,
        setting=setting,
        start=steps(start),
        low=steps(setting.low),
        high=steps(setting.high),
        whole=whole,
    )


def _check_ends(dial: Dial, bot: Bot) -> None:
    """Raise TrajanError if the bot does not allow a value at an end of the range."""
    for end in (dial.low, dial.high):
        data = _replaced(bot.resolved(), dial.name.split("."), dial.value(end))
        parse_bot(Document(f"at {dial.value(end):g}", _without_nulls(data), {}))


def _value_at(data: Any, keys: list[str]) -> Any:
    """Return the value at a path of keys; some keys, such as names of weights, contain dots."""
    for count in range(len(keys), 0, -1):
        key = ".".join(keys[:count])
        if isinstance(data, Mapping) and key in data:
            return _value_at(data[key], keys[count:])
    return data if not keys else None


def _replaced(data: Mapping[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    inside = data.get(keys[0])
    if len(keys) > 1 and isinstance(inside, Mapping):
        nested = ".".join(keys[1:])
        path = keys[1:] if keys[1] in inside and nested not in inside else [nested]
        return {**data, keys[0]: _replaced(inside, path, value)}
    return {**data, ".".join(keys): value}


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of `after` that differ from `before`, recursively."""
    return {
        key: _changed(before[key], value) if isinstance(before.get(key), Mapping) else value
        for key, value in after.items()
        if before.get(key) != value
    }


def _without_nulls(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def iterate(
    plan: TunePlan, folder: Path, jobs: int
) -> Iterator[tuple[Iteration, TournamentRun | None]]:
    """Yield every iteration; stored games are not played again.

    If a run is interrupted or lacks games, it is yielded last, with the settings before it.
    """
    steps = {dial.name: dial.start for dial in plan.dials}
    for number in range(plan.file.iterations):
        signs = draw_signs(plan, number)
        gain, reach = gains(number, plan.file.iterations, plan.file.rate)
        ways = [
            plan.moved(
                {name: steps[name] + way * reach * sign for name, sign in signs.items()},
                f"{number}{'+' if way > 0 else '-'}",
            )
            for way in (1.0, -1.0)
        ]
        state, result = _play(plan, ways, folder, jobs)
        if state is not None:
            yield Iteration(number, 0.0, steps, _values(plan, steps)), state
            return
        steps = {
            dial.name: min(
                max(steps[dial.name] + gain / reach * result * signs[dial.name], dial.low),
                dial.high,
            )
            for dial in plan.dials
        }
        yield Iteration(number, result, steps, _values(plan, steps)), None


def draw_signs(plan: TunePlan, number: int) -> dict[str, float]:
    """Return the direction, 1 or -1, in which the first variant moves each setting."""
    return {
        dial.name: 1.0 if derive_seed("tune", plan.file.seed, number, dial.name) % 2 else -1.0
        for dial in plan.dials
    }


def gains(number: int, iterations: int, rate: float) -> tuple[float, float]:
    """Return the gain of iteration `number`, and how far its variants are moved, in steps.

    Both decrease as Spall recommends: in the last iteration, they are `rate` and one step.
    """
    slowed = STABILITY * iterations
    gain = rate * ((iterations + slowed) / (number + 1 + slowed)) ** ALPHA
    return gain, (iterations / (number + 1)) ** GAMMA


def _play(
    plan: TunePlan, ways: list[dict[str, Any]], folder: Path, jobs: int
) -> tuple[TournamentRun | None, float]:
    """Play the two variants; return the first variant's result in -1..1, or the unfinished run."""
    # the two variants have the same settings if every setting is at the end of its range
    if ways[0] | {"name": ""} == ways[1] | {"name": ""}:
        return None, 0.0
    tournament = plan.plan(ways, plan.file.deals)
    state = runner.run(tournament, folder / GAMES, jobs)
    if state.interrupted or state.missing:
        return state, 0.0
    with Store(folder / GAMES) as store:
        results = runner.read_results(state, store)
    return None, 2.0 * float(extract_duel(results, 0, 1).margins().mean()) - 1.0


def _values(plan: TunePlan, steps: Mapping[str, float]) -> dict[str, float | int]:
    return {dial.name: dial.value(steps[dial.name]) for dial in plan.dials}


def _last(plan: TunePlan, iterations: list[Iteration]) -> dict[str, list[float]]:
    """Return each setting after every iteration of the last quarter, in steps.

    Without iterations, the only value is the setting's start.
    """
    last = iterations[-max(1, math.ceil(AVERAGED * len(iterations))) :]
    return {
        dial.name: [one.steps[dial.name] for one in last] or [dial.start] for dial in plan.dials
    }


def outcome(plan: TunePlan, iterations: list[Iteration]) -> dict[str, float]:
    """Return the tuned settings in steps: the mean of the last quarter of the iterations."""
    return {name: math.fsum(at) / len(at) for name, at in _last(plan, iterations).items()}


def intervals(plan: TunePlan, iterations: list[Iteration]) -> dict[str, Interval]:
    """Return the interval for the best value of each setting."""
    intervals = {}
    before = [{dial.name: dial.start for dial in plan.dials}, *(one.steps for one in iterations)]
    reaches = [gains(one.number, plan.file.iterations, 1.0)[1] for one in iterations]
    signs = [draw_signs(plan, one.number) for one in iterations]
    for dial in plan.dials:
        at = np.array([steps[dial.name] for steps in before[: len(iterations)]])
        upper, lower = (
            np.clip(at + way * np.array(reaches), dial.low, dial.high) for way in (1.0, -1.0)
        )
        leads = np.array(
            [one.result * sign[dial.name] for one, sign in zip(iterations, signs, strict=True)]
        )
        ends = find_maximum((upper + lower) / 2, upper - lower, leads)
        decided = ends is not None and dial.low < ends[0] and ends[1] < dial.high
        low, high = ends if ends is not None and decided else (dial.low, dial.high)
        intervals[dial.name] = Interval(dial.value(low), dial.value(high), decided)
    return intervals


def find_maximum(
    middles: NDArray[np.float64], distances: NDArray[np.float64], leads: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Return a 95 % confidence interval for the value at which a bot is strongest.

    Near its maximum, strength is a parabola: the lead of a variant over one that is lower by
    `distances` is `distances` * (a - b * `middles`), whose zero is the maximum. The interval
    contains every value at which the regression does not reject a slope of zero (Fieller, "Some
    problems in interval estimation", 1954). Returns None if b is not clearly above 0.

    Args:
        middles: the mean of the two variants' values (N).
        distances: the difference between the two values (N).
        leads: the result of the higher variant, from -1 to 1 (N).
    """
    if len(leads) < MIN_ITERATIONS or not distances.any():
        return None
    inputs = np.stack([distances, -distances * middles], axis=1)
    inverse = np.linalg.pinv(inputs.T @ inputs)
    level, curve = inverse @ (inputs.T @ leads)
    residuals = leads - inputs @ (level, curve)
    (v_level, v_both), (_, v_curve) = inverse * (residuals @ residuals) / (len(leads) - 2)
    if curve <= MIN_CURVE * math.sqrt(v_curve):
        return None
    square = SIGMAS**2
    factors = (
        curve**2 - square * v_curve,
        -2.0 * (level * curve - square * v_both),
        level**2 - square * v_level,
    )
    low, high = sorted(np.roots(factors).real.tolist())
    return low, high


def final_test(
    plan: TunePlan, tuned: Mapping[str, float], folder: Path, jobs: int
) -> TournamentRun | None:
    """Play the sequential test of the tuned bot against the start settings; return its run.

    Returns None if the plan has no test, or if the two bots have the same settings.
    """
    test = plan.file.test
    start = {dial.name: dial.start for dial in plan.dials}
    if test is None or _values(plan, start) == _values(plan, tuned):
        return None
    bots = [plan.moved(tuned, "tuned"), plan.moved(start, "start")]
    settings = {"bot": "tuned", "against": "start", **test.model_dump(exclude={"deals", "batch"})}
    tournament = plan.plan(bots, test.deals, test=settings, batch=test.batch)
    return runner.run(tournament, folder / TEST, jobs, runner.get_terminal())


def write(plan: TunePlan, folder: Path, iterations: list[Iteration]) -> None:
    """Write the settings of every iteration, and the tuned bot."""
    path = [vars(iteration) for iteration in iterations]
    tuned = plan.tuned(outcome(plan, iterations), folder)
    write_file(folder / PATH, [json.dumps({"iterations": path}, indent=1), "\n"])
    write_file(folder / TUNED, [yaml.safe_dump(tuned, sort_keys=False, allow_unicode=True)])
