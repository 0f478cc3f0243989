"""Learning plans: what is learned, from how much data, and how (docs/learn.md)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, model_validator

from trajan_ai import games
from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import PLAYER_COUNTS, Game
from trajan_ai.core.names import Names
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.mcts.network_file import read_network
from trajan_ai.tournaments.plan_file import SchedulerAddress

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]
BACKEND_KEYS = ("backend", "scheduler")
PlayerCount = Annotated[int, Field(ge=min(PLAYER_COUNTS), le=max(PLAYER_COUNTS))]


class WeightTest(Description):
    """A tournament of `bot` with the learned weights against `bot` with the shipped weights."""

    bot: str = "expert"
    deals: Count = 20
    budget: dict[str, float | int] = Field(default_factory=lambda: {"seconds_per_turn": 0.02})


class Learning(Description):
    """The keys that every plan has. `backend` and `scheduler` do not change the results."""

    game: str
    players: Annotated[list[PlayerCount], Field(min_length=1)] = Field(
        default_factory=lambda: list(PLAYER_COUNTS)
    )
    seed: Annotated[int, Field(ge=0)] = 0
    backend: Literal["threads", "dask"] = "threads"
    scheduler: SchedulerAddress | None = None

    @model_validator(mode="after")
    def _scheduler_of_a_cluster(self) -> Learning:
        if self.scheduler and self.backend != "dask":
            raise ValueError("scheduler: requires `backend: dask`")
        return self


class WeightPlan(Learning):
    """The keys of plans that learn weights, which can be tested and shipped."""

    test: WeightTest | None = None


class EvaluationPlan(WeightPlan):
    """Ridge regression of the evaluation, for each number of players."""

    learn: Literal["evaluation"]
    positions: Count = 150_000
    noise: Positive = 1.0
    playouts: Annotated[int, Field(ge=1, le=1000)] = 4
    own_share: Annotated[float, Field(ge=0, le=1)] = 0.3
    penalty: Positive = 30.0


class PriorPlan(WeightPlan):
    """Softmax regression on the visits of searches: one prior for all numbers of players."""

    learn: Literal["prior"]
    games: Count = 200
    bot: str = "expert"
    iterations: Count = 3000
    every: Count = 20
    between: Count = 100
    penalty: Positive = 1e-5


class CalibrationPlan(Learning):
    """Regressions of results on the predictions of searches, for each number of players."""

    learn: Literal["calibration"]
    games: Annotated[int, Field(ge=3, le=10**6)] = 300
    bot: str = "expert"
    between: Count = 120
    iterations: Annotated[tuple[Count, Count], Strict(False)] = (100, 32_000)


class LevelsPlan(Learning):
    """Levels that reach given mean scores, if possible, for each number of players."""

    learn: Literal["levels"]
    vp: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    overlooked: Annotated[list[str], Field(min_length=1)]
    games: Count = 600
    bot: str = "expert"
    iterations: Count = 100
    searched: Count = 20
    judged: Count = 80


class PuzzlePlan(Learning):
    """Puzzles from games that the playout policy plays, for each number of players."""

    learn: Literal["puzzles"]
    games: Count = 1000
    bot: str = "expert"
    missed: Count = 300


class Round(Description):
    """Games that the bot plays with the latest network, which then also learns from them."""

    games: Annotated[int, Field(ge=11, le=10**6)]  # two of 11 games serve to measure the error
    iterations: Count = 60
    decisions: Annotated[int, Field(ge=0, le=1000)] = 16  # per game; each move is searched
    behind: Count = 600  # iterations of the search after a move


class NetworkPlan(Learning):
    """Networks that correct the evaluation, for each number of players."""

    learn: Literal["network"]
    start: str | None = None
    positions: Count = 30_000_000
    games: Annotated[int, Field(ge=2, le=10**6)] = 640
    bot: str = "expert"
    iterations: Count = 40
    rounds: list[Round] = Field(default=[])


Plan = EvaluationPlan | PriorPlan | CalibrationPlan | LevelsPlan | PuzzlePlan | NetworkPlan
KINDS: dict[str, type[Plan]] = {
    "evaluation": EvaluationPlan,
    "prior": PriorPlan,
    "calibration": CalibrationPlan,
    "levels": LevelsPlan,
    "puzzles": PuzzlePlan,
    "network": NetworkPlan,
}


def read_plan(path: str | os.PathLike[str]) -> tuple[Plan, Game]:
    """Return the plan in a file and its game; raise TrajanError, which lists all problems."""
    document = read_yaml(Path(path))
    data: Any = document.data
    if not isinstance(data, dict):
        raise TrajanError(
            f"{document.name}: a learning plan must be a mapping, got {type(data).__name__}"
        )
    kind = data.get("learn")
    if not isinstance(kind, str) or kind not in KINDS:
        text = f"must be one of {', '.join(KINDS)}, got {kind!r}"
        raise TrajanError(document.problem(("learn",), text))
    plan = validate(KINDS[kind], document)
    try:
        game = games.game(plan.game)
    except TrajanError as error:
        raise TrajanError(
            *(document.problem(("game",), str(problem)) for problem in error.problems)
        ) from None
    problems = _problems(plan, game, document)
    if problems:
        raise TrajanError(*problems)
    return plan, game


def _problems(plan: Plan, game: Game, document: Document) -> list[Problem]:
    if isinstance(plan, EvaluationPlan | PriorPlan):
        what = "evaluation" if isinstance(plan, EvaluationPlan) else "weights of moves"
        if not any(learned_names(plan, game, players) for players in plan.players):
            return [document.problem(("game",), f"{game.name} has no {what}")]
    if isinstance(plan, EvaluationPlan):
        return []
    if isinstance(plan, LevelsPlan):
        names = Names(game.weight_names)
        unknown = [
            document.problem(
                ("overlooked", place), f"{game.name} has no weight {name!r}{names.hint(name)}"
            )
            for place, name in enumerate(plan.overlooked)
            if name not in game.weight_names
        ]
        if unknown:
            return unknown
    if isinstance(plan, NetworkPlan) and plan.start is not None:
        try:
            read_network(game, plan.start)
        except TrajanError as error:
            return [document.problem(("start",), str(problem)) for problem in error.problems]
    try:
        searching_bot(plan.bot).check(game)
    except TrajanError as error:
        return [document.problem(("bot",), str(problem)) for problem in error.problems]
    return []


def learned_names(plan: EvaluationPlan | PriorPlan, game: Game, players: int) -> list[str]:
    """Return the names of the weights that a plan learns from games with this number of players.

    A prior has the same weights for every number of players.
    """
    section = f"evaluation_{players}." if isinstance(plan, EvaluationPlan) else "moves."
    return [name for name in game.weight_names if name.startswith(section) and not is_noise(name)]


def is_noise(name: str) -> bool:
    """Return whether a weight is the width of the playout policy's noise."""
    return name.startswith("moves.") and name.endswith("noise")


def shipped_weights(game: Game) -> dict[str, float]:
    """Return a dict from the names of the game's weights to their default values."""
    return dict(zip(game.weight_names, game.default_weights or (), strict=True))
