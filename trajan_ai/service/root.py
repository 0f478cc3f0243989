"""Describe the root of a search by numbers: its value, and each legal move's prior and policy."""

from __future__ import annotations

from typing import Any

from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts import Settings
from trajan_ai.mcts.knowledge import priors


def describe_root(
    analysis: Analysis, knowledge: InformationSet, settings: Settings
) -> dict[str, Any]:
    """Return the value for the player to move, and the prior and the policy of each legal move.

    The policy of a move is its fraction of the visits. Each number in the value is the mean over
    the moves, weighted by the policy; it is None if no move has visits. In a game without priors,
    every prior is None.
    """
    game, legal = knowledge.game, knowledge.legal_moves()
    has_prior = "prior" in game.has_knowledge
    weights = settings.weights_for(game)
    prior = priors(knowledge.canonical, weights) if has_prior else [None] * len(legal)
    policy = {value.move: value.share for value in analysis.moves}

    rows = [  # share of the visits, win, score and margin of each move
        (value.share, value.win, value.scores[analysis.player], value.margin)
        for value in analysis.moves
        if value.share and value.win is not None and value.scores and value.margin is not None
    ]
    total = sum(row[0] for row in rows)

    def mean(column: int) -> float | None:
        return sum(row[0] * row[column] for row in rows) / total if rows else None

    return {
        "value": {"win": mean(1), "score": mean(2), "margin": mean(3)},
        "moves": [
            {"action": game.actions[move], "prior": one, "policy": policy.get(move, 0.0)}
            for move, one in zip(legal, prior, strict=True)
        ],
    }
