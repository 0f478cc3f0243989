"""Trajan's knowledge: prior, policy and evaluation by what they must prefer."""

import math
import re
from pathlib import Path

import pytest
import yaml
from trajan_boards import at_action, board, position

from trajan_ai.core.errors import TrajanError
from trajan_ai.trajan import GAME
from trajan_ai.trajan.engine import evaluation, play_by_policy, policy_choice, prior_of
from trajan_ai.trajan.learning import SELF_PLAY, fit_evaluation, main, tune_moves
from trajan_ai.trajan.weights import FEATURES, FILE, MOVES, WEIGHTS, read_weights


def prior(start):
    return dict(zip(start.legal(), prior_of(start.to_bytes(), GAME.default_weights), strict=True))


def best(start):
    rates = prior(start)
    return max(rates, key=rates.get)


def quiet(**weights):
    """The default weights without noise, and with changes."""
    return tuple((WEIGHTS | {"moves.noise": 0.0} | weights).values())


def test_a_prior_is_a_distribution_over_the_legal_moves():
    start = GAME.start(4, seed=3)
    random = iter(range(10**6))
    while start.player is not None:
        rates = prior(start)
        assert math.isclose(sum(rates.values()), 1, rel_tol=1e-4)
        assert min(rates.values()) > 0
        legal = start.legal()
        start = start.after(legal[next(random) * 7919 % len(legal)])


def test_the_prior_completes_trajan_tiles():
    view = board()
    view["seats"][0] |= {"slots": {"I": "points-blue-blue"}, "arch": "II"}
    assert best(position(view)) == "sow V"


def test_the_prior_covers_demands():
    view = at_action(board(), "forum")
    view |= {"forum": {"bread": 1, "games": 1}, "round": 2, "demands": {"games": 1}}
    assert best(position(view)) == "forum games"


def test_the_prior_prefers_a_full_ship():
    view = at_action(board(), "seaport")
    view["seats"][0]["hand"] = {"fish": 4, "oil": 1}
    assert best(position(view)) == "ship equal fish 4 0"


def test_the_drop_keeps_what_the_target_needs():
    view = board()
    view["seats"][0]["trays"] |= {"V": ["white", "yellow"], "VI": ["white", "yellow"]}
    view["seats"][0] |= {"slots": {"I": "points-blue-white"}, "arch": "II"}
    start = position(view).after("sow V")
    assert best(start) == "drop yellow"
    for seed in range(20):
        assert start.legal()[policy_choice(start.to_bytes(), quiet(), seed)] == "drop yellow"


@pytest.mark.parametrize("action", ["senate", "forum", "construction", "military", "trajan"])
def test_without_noise_the_policy_takes_the_move_of_the_highest_prior(action):
    view = at_action(board(), action)
    view["forum"] = {"bread": 2, "votes5": 1, "wild-building": 1}
    start = position(view)
    chosen = start.legal()[policy_choice(start.to_bytes(), quiet(), 5)]
    assert prior(start)[chosen] == max(prior(start).values())


def test_noise_spreads_the_policy():
    start = position(at_action(board(), "military"))
    weights = quiet(**{"moves.noise": 50.0})
    chosen = {policy_choice(start.to_bytes(), weights, seed) for seed in range(200)}
    assert chosen == set(range(len(start.legal())))


def values(view):
    return evaluation(position(view).to_bytes(), GAME.default_weights)


def test_a_finished_game_is_worth_its_scores():
    start = GAME.start(3, seed=1)
    while start.player is not None:
        start = start.after(start.legal()[0])
    assert evaluation(start.to_bytes(), GAME.default_weights) == start.scores


def test_vp_count_in_full_and_the_start_is_worth_a_usual_score():
    view = board()
    plain = values(view)
    assert all(60 < value < 220 for value in plain)
    view["seats"][0]["score"] = 10
    assert values(view)[0] == pytest.approx(plain[0] + 10)
    assert values(view)[1] == pytest.approx(plain[1])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("moves.card", {}),
        ("evaluation.cards.now", {"hand": {"fish": 1}}),
        ("evaluation.plus2.left", {"plus2": ["senate"]}),
        ("evaluation.leader_out.now", {"leader": "alpes"}),
    ],
)
def test_each_weight_of_the_evaluation_counts_its_feature(name, change):
    view = board()
    view["seats"][0] |= change
    state = position(view).to_bytes()
    raised = evaluation(state, tuple((WEIGHTS | {name: WEIGHTS[name] + 1}).values()))
    plain = evaluation(state, GAME.default_weights)
    assert (raised[0] > plain[0]) == bool(change)
    assert raised[1] == plain[1]


def test_the_weights_are_finite_and_named():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)
    assert all(math.isfinite(weight) for weight in GAME.default_weights)
    assert WEIGHTS["moves.temperature"] > 0


def test_weights_have_the_order_of_the_engine_whatever_the_order_of_the_file(tmp_path):
    groups = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.yaml"
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")  # sorted by name
    assert list(read_weights(path).items()) == list(WEIGHTS.items())
    groups["moves"]["charm"] = 1
    del groups["moves"]["card"]
    groups["evaluation"]["cards"] = 1
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")
    with pytest.raises(TrajanError) as caught:
        read_weights(path)
    assert len(caught.value.problems) == 3


def test_names_of_weights_are_those_of_the_engine():
    """The enums of the sources name the same weights in the same order."""
    sources = Path(__file__).parents[2] / "ext" / "trajan_ai" / "trajan"
    moves = re.findall(r"^    W_(\w+)", (sources / "knowledge.pxi").read_text(), re.MULTILINE)
    at = moves.index("EFFECT")
    effects = ["CARDS", "POINTS", "WORKERS", "LEGIONS", "PLUS2", "DEMAND"]
    moves[at : at + 1] = [f"EFFECT_{effect}" for effect in effects]
    assert [name.lower() for name in moves] == MOVES
    features = re.findall(r"^    F_(\w+)", (sources / "evaluation.pxi").read_text(), re.MULTILINE)
    assert [name.lower() for name in features] == FEATURES


# ---- Learning ---------------------------------------------------------------------------------


def mean_squared_error(pairs, games):
    """Of the evaluation with these weights, in games that the fit has not seen."""
    changes = {
        f"evaluation.{name}.{part}": value
        for name, pair in pairs.items()
        for part, value in zip(("now", "left"), pair, strict=True)
    }
    weights = tuple((WEIGHTS | changes).values())
    errors = []
    for game in games:
        deal = SELF_PLAY.start(2, game)
        final, states = play_by_policy(deal, [GAME.default_weights] * 2, game, 23)
        for state in states:
            values = evaluation(state, weights)
            errors += [(a - b) ** 2 for a, b in zip(values, final, strict=True)]
    return sum(errors) / len(errors)


def test_a_fit_predicts_games_that_it_has_not_seen():
    games = range(10_000, 10_020)
    nothing = {name.split(".")[1]: (0.0, 0.0) for name in WEIGHTS if name.endswith(".now")}
    usual = {**nothing, "one": (0.0, 140.0)}
    fitted = mean_squared_error(fit_evaluation(12), games)
    shipped = mean_squared_error({}, games)
    assert shipped < fitted < mean_squared_error(usual, games) < mean_squared_error(nothing, games)


def test_evolution_is_reproducible_and_changes_weights():
    one = tune_moves(1, 2, seed=3)
    assert one == tune_moves(1, 2, seed=3)
    assert one != tune_moves(1, 2, seed=4)
    assert f"moves.{next(iter(one))}" in WEIGHTS


def test_the_shipped_policy_beats_one_that_cares_for_nothing():
    careless = tuple((WEIGHTS | {"moves.noise": 1000.0}).values())
    assert SELF_PLAY.lead(GAME.default_weights, careless, 6, 0) > 50


def test_learning_prints_a_section_of_the_weights_file(capsys):
    main(["evaluation", "--games", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "evaluation:"
    assert len(lines) == 1 + sum(name.endswith(".now") for name in WEIGHTS)
    main(["moves", "--games", "1", "--generations", "1"])
    assert capsys.readouterr().out.startswith("moves:\n  card: ")
