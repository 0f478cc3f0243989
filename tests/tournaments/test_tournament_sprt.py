"""The sequential test: bounds and ratios by hand, error rates in simulations."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from trajan_ai.lab import simulation
from trajan_ai.lab.simulation import sequential_tests
from trajan_ai.tournaments import pool, ratings, sprt
from trajan_ai.tournaments.plan_file import SequentialTest


def test_bounds_by_hand():
    """Wald's bounds are log(beta / (1 - alpha)) and log((1 - beta) / alpha); 5 % gives ±2.944."""
    assert sprt.compute_bounds(0.05, 0.05) == pytest.approx((-math.log(19), math.log(19)))
    assert sprt.compute_bounds(0.01, 0.1) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_ratio_by_hand():
    """n = 100 blocks of mean 0.6 give n (s1 - s0) (mean - (s0 + s1) / 2) / v.

    The variance v contains 2 blocks with the prior variance 0.125.
    """
    squares = 99 * 0.1
    share1 = 1 / (1 + 10 ** (-100 / 400))
    variance = (squares + 2 * 0.125) / (99 + 2)
    expected = 100 * (share1 - 0.5) * (0.6 - (0.5 + share1) / 2) / variance
    ratio = sprt.compute_llr(100, 0.6, squares, 0.5, share1, guess=0.125)
    assert ratio == pytest.approx(expected)


def test_no_verdict_before_enough_blocks():
    few, enough = np.ones(sprt.MIN_BLOCKS - 1), np.ones(sprt.MIN_BLOCKS * 4)
    for scores, verdict in ((few, None), (enough, "H1"), (1 - enough, "H0")):
        state = sprt.compute_state(scores, 0.5, 0.64, 0.05, 0.05, guess=sprt.PRIOR_VARIANCE)
        assert state.verdict == verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "on", "longest"),
    [
        (2, "wins", 800),
        pytest.param(3, "wins", 800, marks=pytest.mark.exhaustive),
        (4, "margin", 250),
    ],
)
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, 1), (40.0, 0)])
def test_error_rates_of_sequential_tests_are_as_specified(players, on, longest, elo, wrong):
    """Of 300 tests at 5 %, at most 9 % end wrongly (three standard errors above 5 %)."""
    shares = sequential_tests(elo, players, 300, 1, elo0=0.0, elo1=40.0, longest=longest, on=on)
    assert shares[wrong] <= 0.09
    assert shares[0] + shares[1] > 0.98


def test_tests_of_resampled_games_accept_the_true_hypothesis():
    results = met(3, 60.0, 200)
    for on, truth, h0, h1, deals in simulation.resampled_tests(results, 20, 1, width=200.0):
        assert (h1 if truth == "H1" else h0) > 0.7, (on, truth)
        assert deals < 200


def met(seed, elo, deals):
    return simulation.play_tables(np.array([[0, 1]] * deals), (elo, 0.0), seed)


@pytest.mark.parametrize("on", ["wins", "margin"])
def test_from_games_to_the_verdict(on):
    """The `test` of a plan gives the result of a calculation by hand, for the right bot and
    hypotheses.

    The true difference is well outside the interval between the two hypotheses, except in the last
    case, where it is in the middle.
    """
    results = replace(met(1, 60.0, 500), bots=("a", "b"))
    for bot, against, elo0, elo1, verdict in (
        ("a", "b", 0.0, 30.0, "H1"),
        ("a", "b", 90.0, 120.0, "H0"),
        ("b", "a", 0.0, 30.0, "H0"),
        ("b", "a", -120.0, -90.0, "H1"),
        ("a", "b", 40.0, 80.0, None),
    ):
        outcome = pool.evaluate_test(
            results, SequentialTest(bot=bot, against=against, on=on, elo0=elo0, elo1=elo1)
        )
        assert outcome.on == on
        assert outcome.elo == pytest.approx(60.0 if bot == "a" else -60.0, abs=25)
        if verdict:
            assert outcome.state.verdict == verdict
        duel = ratings.extract_duel(results, *map("ab".index, (bot, against)))
        if on == "wins":
            blocks, guess, expected = (
                duel.scores(),
                sprt.PRIOR_VARIANCE,
                ratings.convert_elo_to_share,
            )
        else:
            blocks, guess = duel.margins(), sprt.PRIOR_VARIANCE_OF_MARGINS
            expected = partial(ratings.convert_elo_to_share, flattened=duel.flattened())
        assert outcome.state.score == pytest.approx(blocks.mean())
        squares = ((blocks - blocks.mean()) ** 2).sum()
        ratio = sprt.compute_llr(
            500, blocks.mean(), squares, expected(elo0), expected(elo1), guess=guess
        )
        assert outcome.state.llr == pytest.approx(ratio)
