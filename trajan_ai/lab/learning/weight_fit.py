"""Run a learning plan: learn the weights, and write plans of tournaments that test them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.analysis.decision.calibration import calibration_of
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots.code_identity import hash_data
from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.games.kit.weight_file import format_weights, read_weights
from trajan_ai.lab.learning.labels import PART as LABELS_PART
from trajan_ai.lab.learning.labels import make_labels, read_labels
from trajan_ai.lab.learning.learn_plan import (
    BACKEND_KEYS,
    EvaluationPlan,
    Plan,
    PriorPlan,
    WeightTest,
    learned_names,
    shipped_weights,
)
from trajan_ai.lab.learning.parts import LearningRun
from trajan_ai.lab.learning.regression import RidgeRegression, lead_error
from trajan_ai.lab.learning.visits import PART as VISITS_PART
from trajan_ai.lab.learning.visits import fit_prior, make_visits, read_visits

HELD_OUT = 10  # one part in this many is held out to measure the error
PLAN = "plan.json"
WEIGHTS = "weights.yaml"


def prepare(plan: Plan, game: Game, folder: Path) -> None:
    """Begin or continue a run in a folder.

    Raises TrajanError if the folder contains a plan file with other content. This file stores
    everything that determines the parts: the plan, the weights, the calibration, the bot with all
    its files, and the engine.
    """
    start: dict[str, Any] = {
        "engine": play_signature(game),
        "plan": plan.model_dump(mode="json", exclude={"test", *BACKEND_KEYS}),
        "weights": shipped_weights(game),
        "calibration": hash_data(repr(calibration_of(game)).encode()),
    }
    if not isinstance(plan, EvaluationPlan):
        start["bot"] = searching_bot(plan.bot).makeup(game)
    path = folder / PLAN
    if path.exists() and json.loads(path.read_text(encoding="utf-8")) != start:
        raise TrajanError(
            f"{folder}: contains a run with another plan, bot or engine, or with other weights; "
            "choose another folder as --out"
        )
    write_atomically(path, [json.dumps(start)])


def learn(plan: EvaluationPlan | PriorPlan, game: Game, run: LearningRun) -> dict[str, float]:
    """Return the learned weights by name, and write them to the run's weight file."""
    if isinstance(plan, PriorPlan):
        learned = learn_prior(plan, game, run)
    else:
        learned = {}
        for players in plan.players:
            learned |= fit_evaluation(plan, game, players, run)
    path = run.folder / WEIGHTS
    path.write_text(format_weights(learned), encoding="utf-8")
    return read_weights(path, learned)


def fit_evaluation(
    plan: EvaluationPlan, game: Game, players: int, run: LearningRun
) -> dict[str, float]:
    """Return the evaluation's weights for a given number of players, and report their error."""
    paths = make_labels(plan, game, players, run)
    held_out = paths[::HELD_OUT] if len(paths) > 1 else []
    names = learned_names(plan, game, players)
    shipped = shipped_weights(game)
    last = np.array([shipped[name] for name in names])
    regression = RidgeRegression(len(names), plan.own_share)
    for terms, gains in read_labels([path for path in paths if path not in held_out]):
        regression.add(terms, gains)
    weights = regression.solve(plan.penalty)
    if held_out:
        before, after = (lead_error(read_labels(held_out), w) for w in (last, weights))
        run.report(
            f"{players} players: error of leads {before:.2f} VP before, {after:.2f} VP now "
            f"(including the noise of labels, which are means of {plan.playouts} games)"
        )
    else:
        run.report(
            f"{players} players: nothing was held out, so the error is unknown; measuring it "
            f"requires more than {LABELS_PART:,} positions"
        )
    return dict(zip(names, map(float, weights), strict=True))


def learn_prior(plan: PriorPlan, game: Game, run: LearningRun) -> dict[str, float]:
    """Return the weights of the prior, and report the cross entropy of held-out visits."""
    paths = [path for players in plan.players for path in make_visits(plan, game, players, run)]
    held_out = paths[::HELD_OUT] if len(paths) > 1 else []
    shipped = shipped_weights(game)
    visits = read_visits(game, [path for path in paths if path not in held_out])
    names = learned_names(plan, game, plan.players[0])
    learned = fit_prior(visits, shipped, names, plan.penalty)
    if held_out:
        unseen = read_visits(game, held_out)
        before, after = (
            unseen.cross_entropy(unseen.logits(list(weights.values())))
            for weights in (shipped, shipped | learned)
        )
        run.report(
            f"cross entropy of the visits at {len(unseen.positions)} held-out decisions: "
            f"{before:.3f} nats before, {after:.3f} now"
        )
    else:
        run.report(
            "nothing was held out, so the cross entropy is unknown; measuring it requires more "
            f"than {VISITS_PART} games or several numbers of players"
        )
    return learned


def write_test(
    test: WeightTest, plan: Plan, players: int, learned: Mapping[str, float], folder: Path
) -> Path:
    """Write the plan of the tournament that tests the weights, and return its path."""
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
