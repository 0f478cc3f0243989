"""A run of learning from its plan to tested weights; what is done stays done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import yaml

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.games.kit.weight_file import format_weights, read_weights
from trajan_ai.lab.learning.labels import make_labels, read_labels
from trajan_ai.lab.learning.learn_plan import (
    WHERE,
    EvaluationPlan,
    Plan,
    PriorPlan,
    Test,
    searching_bot,
    shipped_weights,
)
from trajan_ai.lab.learning.parts import Run
from trajan_ai.lab.learning.regression import Regression, lead_error
from trajan_ai.lab.learning.visits import fit_prior, make_visits, read_visits

HELD_OUT = 10  # one part in so many is not fitted but tells the error; at least one
PLAN = "plan.json"
WEIGHTS = "weights.yaml"


def prepare(plan: Plan, game: Game, folder: Path) -> None:
    """Make the folder of a run; raise TrajanError if it holds one of another plan or start."""
    start = {
        "plan": plan.model_dump(mode="json", exclude={"test", *WHERE}),
        "weights": shipped_weights(game),
    }
    if not isinstance(plan, EvaluationPlan):  # its file may change
        start["bot"] = searching_bot(plan.bot).model_dump(mode="json")
    path = folder / PLAN
    if path.exists() and json.loads(path.read_text(encoding="utf-8")) != start:
        raise TrajanError(
            f"{folder}: holds a run of another plan, of another bot or from other weights; "
            "give another --out"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(start), encoding="utf-8")


def learn(plan: Plan, game: Game, run: Run) -> dict[str, float]:
    """Return the weights learned, by name, and leave them in the folder as a section of a file."""
    if isinstance(plan, PriorPlan):
        learned = learn_prior(plan, game, run)
    elif isinstance(plan, EvaluationPlan):
        learned = {}
        for players in plan.players:
            learned |= fit(plan, game, players, run)
    else:
        raise TypeError(f"{plan.learn}: has no weights")
    path = run.folder / WEIGHTS
    path.write_text(format_weights(learned), encoding="utf-8")
    return read_weights(path, learned)


def fit(plan: EvaluationPlan, game: Game, players: int, run: Run) -> dict[str, float]:
    """Return the weights of the evaluation for a number of players; tell the error before."""
    paths = make_labels(plan, game, players, run)
    held = paths[::HELD_OUT] if len(paths) > 1 else []
    names = [name for name in game.weight_names if name.startswith(f"evaluation_{players}.")]
    known = shipped_weights(game)
    last = np.array([known[name] for name in names])
    regression = Regression(len(names), plan.own_share)
    for terms, gains in read_labels([path for path in paths if path not in held]):
        regression.add(terms, gains)
    weights = regression.solve(plan.penalty)
    if held:
        before, after = (lead_error(read_labels(held), w) for w in (last, weights))
        run.tell(
            f"{players} players: error of leads {before:.2f} VP before, {after:.2f} VP now "
            f"(labels are means of {plan.playouts} games, whose noise is part of it)"
        )
    return dict(zip(names, map(float, weights), strict=True))


def learn_prior(plan: PriorPlan, game: Game, run: Run) -> dict[str, float]:
    """Return the weights of the prior; tell the surprise of visits that were not fitted."""
    paths = [path for players in plan.players for path in make_visits(plan, game, players, run)]
    held = paths[::HELD_OUT] if len(paths) > 1 else []
    known = shipped_weights(game)
    visits = read_visits(game, [path for path in paths if path not in held])
    learned = fit_prior(visits, known, plan.penalty)
    if held:
        unseen = read_visits(game, held)
        before, after = (
            unseen.surprise(unseen.logits(list(weights.values())))
            for weights in (known, known | learned)
        )
        run.tell(
            f"surprise at the visits of {len(unseen.positions)} decisions that were not fitted: "
            f"{before:.3f} nats before, {after:.3f} now"
        )
    return learned


def write_test(
    test: Test, plan: Plan, players: int, learned: Mapping[str, float], folder: Path
) -> Path:
    """Write the tournament that tests the weights at a table, and return its path."""
    path = folder / f"test-{players}.yaml"
    data = {
        "name": f"test-{players}",
        "game": plan.game,
        "players": players,
        "deals": test.deals,
        "seed": plan.seed,
        "budget": dict(test.budget),
        "rating": {"anchor": "last"},
        "bots": [
            {"extends": test.bot, "name": "last"},
            {"extends": test.bot, "name": "new", "weights": dict(learned)},
        ],
    }
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return path
