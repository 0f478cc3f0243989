"""A small file of rolled-out decisions."""

from pathlib import Path

import pytest

from trajan_ai import games
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.lab.truth import rollouts

PLAN = Path(__file__).parents[3] / "configs" / "truth" / "plan.yaml"
TINY = {
    "games": 1,
    "strong_iterations": 1,
    "own_iterations": 1,
    "advice_iterations": 20,
    "moves": 2,
    "block": 2,
    "max_blocks": 2,
    "error": 8.0,
    "repeated": 2,
    "repeated_iterations": 2,
}


@pytest.fixture(scope="module")
def plan():
    """Return a plan of 30 decisions that takes two seconds."""
    full = rollouts.read_plan(PLAN)
    player = full.player.with_settings(iterations=1)
    signatures = {"trajan": play_signature(games.game("trajan"))}  # the plan's engine is older
    return full.model_copy(update=TINY | {"player": player, "signatures": signatures})


@pytest.fixture(scope="module")
def file(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("truth") / "rows.jsonl"
    rollouts.run(plan, path, 1)
    return path
