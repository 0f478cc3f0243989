"""Accuracy of the evaluation of Forum Trajanum. Its terms are tested with the slow reference."""

import math

import numpy as np
import pytest
from random_games import positions

from trajan_ai.games.forum_trajanum import GAME
from trajan_ai.games.forum_trajanum.weights import WEIGHTS
from trajan_ai.mcts.knowledge import evaluation, play_by_policy
from trajan_ai.mcts.remaining import turns_left

GAMES = 30
SHIPPED = tuple(WEIGHTS.values())


def error(weights):
    """Return the root mean square error of the expected final VP in games of the policy."""
    misses = []
    for deal in range(GAMES):
        scores, states = play_by_policy(GAME.start(2, seed=deal), [SHIPPED] * 2, deal, 25)
        for state in states:
            misses += [a - b for a, b in zip(evaluation(state, weights), scores, strict=True)]
    return math.sqrt(np.mean(np.square(misses)))


def test_the_evaluation_beats_an_estimate_from_time_alone():
    """The baseline is the VP so far plus a mean rate of future VP."""
    clock = {name: 0.0 for name in WEIGHTS if name.startswith("evaluation_2.")}
    clock |= {f"evaluation_2.{name}": WEIGHTS[f"evaluation_2.{name}"] for name in ("one", "turns")}
    assert error(SHIPPED) < 16
    assert error(SHIPPED) < 0.7 * error(tuple((WEIGHTS | clock).values()))


@pytest.mark.parametrize("players", [2, 3])
def test_every_round_has_two_turns_of_each_player(players):
    """A player's turns left in a round: two in step 1, one in step 2, none once wages are due."""
    here = {"setup": 25, "take": 2, "turn": 1, "wages": 0}
    rounds = set()
    for position in positions(GAME.start(players, seed=4), 4):
        if position.player is not None:
            view = GAME.rules.view(position, position.player)
            later = 0 if view["stage"] == "setup" else 2 * (12 - view["round"])
            assert turns_left(position, 1, 1) == max(here[view["stage"]] + later, 1)
            rounds.add((view["stage"], view["round"]))
    assert {("setup", 1), ("take", 1), ("turn", 12), ("wages", 12)} <= rounds
