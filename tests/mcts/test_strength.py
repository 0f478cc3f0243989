"""A regression test for the strength of the playout policy."""

import numpy as np
import pytest

import trajan_ai
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts.knowledge import play_by_policy

GAMES = 400
# Mean VP of a player in self-play, and the standard error of this mean, as returned by `mean_vp`.
# If a policy scores more, measure both again.
VP = {
    ("trajan", 2): (146.05, 0.64),
    ("trajan", 3): (124.14, 0.47),
    ("trajan", 4): (113.64, 0.42),
    ("forum_trajanum", 2): (115.94, 0.54),
    ("forum_trajanum", 3): (114.69, 0.48),
    ("forum_trajanum", 4): (114.86, 0.42),
}


def mean_vp(game, players, weights):
    """Return the mean VP over fixed deals, and its standard error."""
    means = []
    for number in range(GAMES):
        start = game.start(players, derive_seed("strength", players, number))
        seed = derive_seed("policy", number)
        means.append(np.mean(play_by_policy(start, [weights] * players, seed, 1000)[0]))
    return np.mean(means), np.std(means, ddof=1) / np.sqrt(GAMES)


@pytest.mark.parametrize(("name", "players"), VP, ids=str)
def test_the_policy_scores_no_less_than_recorded(name, players):
    game = trajan_ai.game(name)
    mean, error = mean_vp(game, players, game.default_weights)
    expected, usual = VP[name, players]
    assert mean > expected - 3 * usual
    assert error < 1.5 * usual


@pytest.mark.parametrize(("name", "players"), [("trajan", 2), ("forum_trajanum", 2)])
def test_a_worse_policy_scores_less(name, players):
    """With three times the noise and temperature, the mean VP is below the bound."""
    game = trajan_ai.game(name)
    ends = ("temperature", "noise")
    wider = [
        weight * (3.0 if part.startswith("moves.") and part.endswith(ends) else 1.0)
        for part, weight in zip(game.weight_names, game.default_weights, strict=True)
    ]
    mean, _ = mean_vp(game, players, wider)
    expected, usual = VP[name, players]
    assert mean < expected - 3 * usual
