"""The sequential test: bounds and ratios by hand, error rates in simulations."""

import math

import numpy as np
import pytest

from trajan_ai.tournaments import sprt
from trajan_ai.tournaments.simulation import sequential_tests


def test_bounds_by_hand():
    """Wald: log(beta / (1 - alpha)) and log((1 - beta) / alpha); 5 % gives -2.944 and 2.944."""
    assert sprt.bounds(0.05, 0.05) == pytest.approx((-math.log(19), math.log(19)))
    assert sprt.bounds(0.01, 0.1) == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_ratio_by_hand():
    """100 blocks of mean 0.6 and variance v: n (s1 - s0) (mean - (s0 + s1) / 2) / v."""
    squares = 99 * 0.1
    share1 = 1 / (1 + 10 ** (-100 / 400))
    variance = (squares + 2 * 0.125) / (99 + 2)
    expected = 100 * (share1 - 0.5) * (0.6 - (0.5 + share1) / 2) / variance
    assert float(sprt.llr(100, 0.6, squares, 0.5, share1)) == pytest.approx(expected)


def test_no_verdict_before_enough_blocks():
    few, enough = np.ones(sprt.MIN_BLOCKS - 1), np.ones(sprt.MIN_BLOCKS * 4)
    assert sprt.state(few, 0.5, 0.64, 0.05, 0.05).verdict is None
    assert sprt.state(enough, 0.5, 0.64, 0.05, 0.05).verdict == "H1"
    assert sprt.state(1 - enough, 0.5, 0.64, 0.05, 0.05).verdict == "H0"


@pytest.mark.parametrize(
    ("players", "on", "longest"),
    [(2, "wins", 800), (3, "wins", 800), (4, "wins", 800), (2, "margin", 500), (4, "margin", 250)],
)
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, 1), (40.0, 0)])
def test_error_rates_hold(players, on, longest, elo, wrong):
    """Of 300 tests at 5 % at most 9 % end wrongly (three standard errors above 5 %)."""
    shares = sequential_tests(elo, players, 300, 1, elo0=0.0, elo1=40.0, longest=longest, on=on)
    assert shares[wrong] <= 0.09
    assert shares[0] + shares[1] > 0.98
