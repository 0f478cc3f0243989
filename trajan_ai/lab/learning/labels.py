"""Make positions with labels in parts, and store them in the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Game
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.labelling import label_turn_starts
from trajan_ai.lab.learning.learn_plan import (
    EvaluationPlan,
    is_noise,
    learned_names,
    shipped_weights,
)
from trajan_ai.lab.learning.parts import Arrays, LearningRun, read_part
from trajan_ai.mcts.knowledge import play_by_policy

Floats = npt.NDArray[np.float32]

PART = 10_000  # positions in a file, which take some seconds on one core
DEALS = 500  # deals in a part
TURN_GAMES = 20  # games whose mean length gives the number of turns


def make_labels(plan: EvaluationPlan, game: Game, players: int, run: LearningRun) -> list[Path]:
    """Return the files of all parts; a part depends only on the plan and the part's number."""
    turns = count_turns(plan, game, players)

    def make(span: range) -> Arrays:
        part = span.start // PART
        terms, gains = label_part(plan, game, players, part, size=len(span), turns=turns)
        return {"terms": terms, "gains": gains}

    what = f"{players} players, positions"
    return run.make_spans(plan.positions, PART, f"labels-{players}", make, what)


def count_turns(plan: EvaluationPlan, game: Game, players: int) -> int:
    """Return the mean number of turns in games that the policy plays, as an integer."""
    ends = []
    weights = tuple(shipped_weights(game).values())
    for deal in range(TURN_GAMES):
        start = game.start(players, seed=derive_seed("turns", plan.seed, deal))
        positions = play_by_policy(start, [weights] * players, deal, 1)[1]
        ends.append(positions[-1].turn)
    return round(sum(ends) / len(ends))


def label_part(
    plan: EvaluationPlan, game: Game, players: int, part: int, *, size: int, turns: int
) -> tuple[Floats, Floats]:
    """Return the terms (size, players, terms) and the gains in VP (size, players) of a part."""
    names = learned_names(plan, game, players)
    seed = derive_seed("labels", plan.seed, players, part)
    openings = [
        game.start(players, seed=derive_seed("labels", plan.seed, players, part, deal))
        for deal in range(min(DEALS, size))
    ]
    weights = shipped_weights(game)
    roaming = weights | {
        name: weight * plan.noise for name, weight in weights.items() if is_noise(name)
    }
    terms = np.empty((size, players, len(names)), np.float32)
    gains = np.empty((size, players), np.float32)
    label_turn_starts(
        openings,
        tuple(roaming.values()),
        tuple(weights.values()),
        seed,
        (0, turns),
        plan.playouts,
        terms,
        gains,
    )
    return terms, gains


def read_labels(paths: list[Path]) -> Iterator[tuple[Floats, Floats]]:
    """Yield the terms and gains of every part."""
    for part in map(read_part, paths):
        yield part["terms"], part["gains"]
