"""Positions with labels, made in parts by several threads and kept in the folder of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Game
from trajan_ai.core.seeds import derive_seed
from trajan_ai.learning.labelling import label_turn_starts
from trajan_ai.learning.parts import Arrays, Where, make_parts
from trajan_ai.learning.plan import EvaluationPlan, is_noise, shipped_weights
from trajan_ai.mcts.knowledge import play_by_policy

Floats = npt.NDArray[np.float32]

PART = 10_000  # positions of a file: some seconds of one core
DEALS = 500  # of a part
MEASURED = 20  # games that tell how many turns there are


def make_labels(
    plan: EvaluationPlan,
    game: Game,
    players: int,
    folder: Path,
    *,
    where: Where,
    tell: Callable[[int, int], None],
) -> list[Path]:
    """Make the parts that `folder` lacks; return the files of all, in order.

    What a part holds follows from the plan's seed and its number alone.
    """
    count = -(-plan.positions // PART)
    paths = [folder / f"labels-{players}-{part:04}.npz" for part in range(count)]
    turns = count_turns(plan, game, players)

    def make(part: int) -> Arrays:
        size = min(PART, plan.positions - part * PART)
        terms, gains = label_part(plan, game, players, part, size=size, turns=turns)
        return {"terms": terms, "gains": gains}

    make_parts(paths, make, where=where, tell=tell)
    return paths


def count_turns(plan: EvaluationPlan, game: Game, players: int) -> int:
    """Return about how many turns a game of the policy takes."""
    ends = []
    weights = tuple(shipped_weights(game).values())
    for deal in range(MEASURED):
        start = game.start(players, seed=derive_seed("turns", plan.seed, deal))
        met = play_by_policy(start, [weights] * players, deal, 1)[1]
        ends.append(met[-1].turn)
    return round(sum(ends) / len(ends))


def label_part(
    plan: EvaluationPlan, game: Game, players: int, part: int, *, size: int, turns: int
) -> tuple[Floats, Floats]:
    """Return the terms (size, players, terms) and gains (size, players) of a part."""
    names = [name for name in game.weight_names if name.startswith(f"evaluation_{players}.")]
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
    for path in paths:
        with np.load(path) as file:
            yield file["terms"], file["gains"]
