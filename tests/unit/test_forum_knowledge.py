"""The knowledge of Forum Trajanum: rates of moves, evaluation, weights, learning."""

import math

import numpy as np
import pytest
from forum_positions import place

from trajan_ai.core.game import Random
from trajan_ai.core.learning import evolve, ridge
from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.knowledge import expected, features, play_by_policy, rates
from trajan_ai.forum_trajanum.learning import SELF_PLAY, fit_features, tune_moves
from trajan_ai.forum_trajanum.weights import WEIGHTS

SHIPPED = tuple(WEIGHTS.values())
NEVER = 10**6


def rated(position, **changed):
    """Rates of the legal actions by name."""
    weights = WEIGHTS | {f"moves.{name}": value for name, value in changed.items()}
    found = rates(position.to_bytes(), tuple(weights.values()))
    return dict(zip(position.legal(), found, strict=True))


def test_the_game_has_all_knowledge():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_legal_move_has_a_rate(players):
    position, random = GAME.start(players, 3, novices=[0]), Random(3)
    while position.player is not None:
        moves = position.legal_moves()
        found = rates(position.to_bytes(), SHIPPED)
        assert len(found) == len(moves)
        assert all(map(math.isfinite, found))
        position = position.after_move(moves[random.below(len(moves))])


def test_the_policy_beats_uniform_play_by_far():
    """Mean VP in self-play: uniform play reaches 33."""
    scores = [
        play_by_policy(SELF_PLAY.start(2, deal), [SHIPPED] * 2, deal, NEVER)[0]
        for deal in range(40)
    ]
    assert np.mean(scores) > 85


def test_weights_matter_to_the_policy():
    """A policy whose rates are noise plays like uniform play."""
    blind = tuple((WEIGHTS | {"moves.noise": 1e4}).values())
    scores = [
        play_by_policy(SELF_PLAY.start(2, deal), [blind] * 2, deal, NEVER)[0] for deal in range(40)
    ]
    assert np.mean(scores) < 45


def test_a_grey_that_the_row_lacks_is_worth_more():
    first = {"resources": {"builder": 1}, "buildings": {"B1": "column"}, "citizens": {"2": 2}}
    found = rated(place(first))
    assert found["build column A2"] > found["build column A3"] > found["build column C1"]


def test_a_completed_pattern_is_worth_its_value():
    """Card 25: a structure between two greys of a row."""
    first = {"resources": {"blue": 1}, "buildings": {"B1": "column", "D1": "column"}}
    found = rated(place(first), match=1.0)
    assert found["build fountain C1"] - found["build fountain A3"] == pytest.approx(3)


def test_an_envoy_likes_eagles_and_its_own():
    first = {"resources": {"blue": 1, "builder": 1}, "ship": 1, "forum": ["m3.4"]}
    asked = place(first).after("build fountain B1")
    found = rated(asked, eagle=1.0, group=2.0, envoy_sent=1.0, fill_area=0.0)
    plain = found["envoy m4.6"]  # three scorings are left
    assert found["envoy m2.3"] - plain == pytest.approx(3)  # beside the eagle m2.2
    assert found["envoy m3.3"] - plain == pytest.approx(6)  # beside the own m3.4


def test_rates_do_not_depend_on_hidden_tiles():
    position = GAME.start(3, 8)
    while position.view(0)["stage"] != "turn":
        if position.view(position.player)["stage"] == "take":
            drawn = position.determinized(position.player, 5)
            assert rates(drawn.to_bytes(), SHIPPED) == rates(position.to_bytes(), SHIPPED)
        position = position.after_move(position.legal_moves()[0])


def error(weights, games=30):
    """Root mean square error of expected final VP along games of the policy."""
    misses = []
    for deal in range(games):
        scores, states = play_by_policy(SELF_PLAY.start(2, deal), [SHIPPED] * 2, deal, 25)
        for state in states:
            misses += [a - b for a, b in zip(expected(state, weights), scores, strict=True)]
    return math.sqrt(np.mean(np.square(misses)))


def test_the_evaluation_knows_more_than_the_clock():
    """Against the best guess from time alone: VP so far and a mean rate of VP to come."""
    clock = {name: 0.0 for name in WEIGHTS if name.startswith("features.")}
    clock |= {f"features.{name}": WEIGHTS[f"features.{name}"] for name in ("one", "turns")}
    assert error(SHIPPED) < 16
    assert error(SHIPPED) < 0.7 * error(tuple((WEIGHTS | clock).values()))


def test_a_finished_game_is_worth_its_score():
    position = GAME.start(2, 1)
    while position.player is not None:
        position = position.after_move(position.legal_moves()[0])
    assert expected(position.to_bytes(), SHIPPED) == position.scores


def test_features_are_those_of_the_player():
    position = place({"resources": {"builder": 2}})
    names = [name.split(".")[1] for name in WEIGHTS if name.startswith("features.")]
    mine, other = (features(position.to_bytes(), player) for player in (0, 1))
    assert mine[names.index("builder")] == 2
    assert other[names.index("builder")] == 0


def test_learning_is_reproducible():
    assert tune_moves(1, 2) == tune_moves(1, 2)
    assert fit_features(2) == fit_features(2)
    mean = np.array([1.0])
    assert evolve(lambda x, m, g: -abs(x[0] - 3), mean, mean, 60)[0] == pytest.approx(3, abs=0.1)
    inputs = np.array([[1.0, x] for x in range(9)])
    assert ridge(inputs, 2 + 3 * inputs[:, 1], 1e-9) == pytest.approx([2, 3])


def test_among_equals_the_lead_is_half_the_score():
    """The candidate that is the mean has as many VP as the others."""
    assert 30 < SELF_PLAY.lead(SHIPPED, SHIPPED, 6, 0) < 70
