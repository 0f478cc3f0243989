"""Trajan's knowledge: prior, policy and evaluation by what they must prefer."""

import math

import pytest
import yaml
from trajan_boards import at_action, board, position

from trajan_ai.core.errors import TrajanError
from trajan_ai.gamekit.weights import read_weights
from trajan_ai.mcts.knowledge import evaluation, policy_choice, priors
from trajan_ai.trajan import GAME
from trajan_ai.trajan.weights import FILE, GROUPS, WEIGHTS


def prior(start, **weights):
    values = tuple((WEIGHTS | weights).values())
    return dict(zip(start.legal(), priors(start, values), strict=True))


def best(start, **weights):
    rates = prior(start, **weights)
    return max(rates, key=rates.get)


def quiet(**weights):
    """The default weights without noise, and with changes."""
    noise = {"moves.noise": 0.0, "moves.sow_noise": 0.0}
    return tuple((WEIGHTS | noise | weights).values())


def test_of_this_turn_alone_the_prior_prefers_a_tile_completed_to_one_fetched():
    view = board()
    view["players"][0] |= {"slots": {"IV": "points-pink-pink"}, "arch": "II"}
    assert best(position(view), **{"moves.next": 0.0}) == "sow II"
    assert best(position(view)) == "sow III"  # which leaves the other for the next turn


def test_noise_spreads_the_policy():
    start = position(at_action(board(), "military"))
    weights = quiet(**{"moves.noise": 50.0})
    chosen = {policy_choice(start, weights, seed) for seed in range(200)}
    assert chosen == set(range(len(start.legal())))


def values(view):
    return evaluation(position(view), GAME.default_weights)


def test_vp_count_in_full_and_the_start_is_worth_a_usual_score():
    view = board()
    plain = values(view)
    assert all(60 < value < 220 for value in plain)
    view["players"][0]["score"] = 10
    assert values(view)[0] == pytest.approx(plain[0] + 10)
    assert values(view)[1] == pytest.approx(plain[1])


def test_the_weights_are_finite_and_named():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)
    assert all(math.isfinite(weight) for weight in GAME.default_weights)
    assert WEIGHTS["moves.temperature"] > 0


def test_weights_have_the_order_of_the_engine_whatever_the_order_of_the_file(tmp_path):
    groups = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.yaml"
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")  # sorted by name
    assert list(read_weights(path, GROUPS).items()) == list(WEIGHTS.items())
    groups["moves"]["charm"] = 1
    del groups["moves"]["card"]
    groups["evaluation_2, evaluation_3, evaluation_4"]["cards"][1] = 1
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")
    with pytest.raises(TrajanError) as caught:
        read_weights(path, GROUPS)
    problems = "\n".join(caught.value.messages)
    assert len(caught.value.messages) == 3
    assert "moves.charm: unknown weight" in problems
    assert "moves.card: is missing" in problems
    assert "evaluation_3.cards: must be 2 numbers, got 1" in problems
