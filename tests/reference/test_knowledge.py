"""Every rate of a move and every feature of the evaluation, against plain twins in Python.

All weights are drawn at random, none of them 0: whatever is counted once too often shows.
"""

import json
import math
import random
from collections import Counter

import plain_forum
import plain_trajan
import pytest
import slow_forum
import slow_trajan
import test_forum_reference
import test_trajan_reference
from differential import some_options

import trajan_ai
from trajan_ai.mcts.knowledge import evaluation, policy_choice, priors

LEAST = 1e-3  # of the best move, in a prior
TEMPERATURE = 8.0  # VP


def trajan_twin(game, position, weights):
    """The decision, the rates of its moves, and the evaluation; None before and between turns."""
    asked = position.view(position.player)["to_decide"]
    rates = plain_trajan.Rates(game, asked, weights)
    between = not game.senate or asked["decision"] in ("payment", "bonus")
    values = None if between else plain_trajan.evaluation(game, asked, weights)
    return asked["decision"], [rates.rate(action) for action in position.legal()], values


def forum_twin(game, position, weights):
    view = position.view(position.player)
    rates = plain_forum.Rates(game, view, weights, position.legal())
    values = None if view["stage"] == "setup" else plain_forum.evaluation(game, view, weights)
    found = [rates.rate(action) for action in position.legal()]
    return view["to_decide"]["decision"].split()[0], found, values


GAMES = {
    "trajan": (slow_trajan.Game, trajan_twin, test_trajan_reference.VALUES),
    "forum_trajanum": (slow_forum.Game, forum_twin, test_forum_reference.VALUES),
}


def shares_of(rates):
    """The prior that follows from rates."""
    best = max(rates)
    raw = [math.exp((rate - best) / TEMPERATURE) + LEAST for rate in rates]
    return [share / sum(raw) for share in raw]


def compare(name, players, seed):
    """Play by the policy, at times at random; return how often each decision was compared."""
    handle = trajan_ai.game(name)
    reference, twin, values = GAMES[name]
    dice = random.Random(seed)
    position = handle.start(players, seed, **some_options(values, seed))
    _, options, setup = position.origin
    slow = reference(players, options, json.loads(json.dumps(setup)))
    shipped = dict(zip(handle.weight_names, handle.default_weights, strict=True))
    quiet = {part: 0.0 if part.endswith("noise") else value for part, value in shipped.items()}
    met = Counter()
    while position.player is not None:
        weights = {part: dice.uniform(0.2, 3.0) for part in shipped}
        weights |= {part: TEMPERATURE for part in weights if part.endswith("temperature")}
        given, where = list(weights.values()), (position.legal(), seed, position.ply)
        decision, rates, expected = twin(slow, position, weights)
        assert priors(position, given) == pytest.approx(shares_of(rates), rel=2e-3), where
        if expected is not None:
            assert evaluation(position, given) == pytest.approx(expected, rel=1e-5), where
        choice = policy_choice(position, list(quiet.values()), position.ply)
        rates = twin(slow, position, quiet)[1]
        assert rates[choice] == pytest.approx(max(rates), abs=1e-3), where
        met[decision] += 1
        choice = dice.randrange(len(rates)) if dice.random() < 0.25 else choice
        action = position.legal()[choice]
        position = position.after(action)
        slow.act(action)
    assert evaluation(position, given) == position.scores
    return met


@pytest.mark.parametrize("games", [3, pytest.param(15, marks=pytest.mark.long)])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_rates_features_and_policy_are_those_of_a_plain_twin(name, players, games):
    """Wild tiles in a shipment of pairs and the last tile in a payment take many games to meet."""
    seeds = range(players, players + games)
    met = sum((compare(name, players, seed) for seed in seeds), Counter())
    assert len(met) > 12
