"""Reasons: claims about sources of VP, confirmed by longer searches."""

from dataclasses import replace
from math import hypot
from statistics import NormalDist

import pytest

from trajan_ai.analysis import advice
from trajan_ai.analysis.budgets import PRACTICE_ITERATIONS
from trajan_ai.analysis.reasons import BELOW, MAX_REASONS, find_reasons
from trajan_ai.core.information import InformationSet
from trajan_ai.page.practice import puzzles
from trajan_ai.records import position_files

TIMES = 16  # the iterations of the reference
LEVEL = 0.05  # of the test whether any claim is false


def compare(exercise, iterations, seed):
    """Return the values of a right move, and of the likeliest other one."""
    information = InformationSet(position_files.parse(exercise.position))
    quick = advice.analyse(information, grade="quick", iterations=2000)
    wrong = next(move.move for move in quick.moves if move.action not in exercise.right)
    named = [information.game.move(exercise.right[0]), wrong]
    analysis = advice.analyse(
        information,
        grade="verified",
        iterations=iterations,
        seed=seed,
        top=2,
        named=named,
        sources=True,
    )
    values = {move.move: move for move in analysis.moves}
    return [values[move] for move in named]


def test_reasons_are_sure_and_at_least_one_vp():
    better, worse = compare([*puzzles().values()][3], 4000, 0)
    reasons = find_reasons(better, worse)
    assert 1 <= len(reasons) <= MAX_REASONS
    for reason in reasons:
        sides = [move.sources[reason.player][reason.source] for move in (better, worse)]
        assert reason.vp.mean == pytest.approx(sides[0] - sides[1])
        assert (reason.vp.mean > 0) == (reason.player == better.player)
        assert 1 <= reason.least <= abs(reason.vp.mean) - BELOW * reason.vp.error
        assert reason.is_lost == (max(sides) < 0)
    assert find_reasons(better, better) == []
    assert find_reasons(better, replace(worse, sources=None)) == []
    assert find_reasons(better, replace(worse, source_errors=None)) == []


@pytest.mark.long
@pytest.mark.exhaustive
def test_no_claim_of_a_sample_is_refuted_by_longer_searches():
    below = []  # standard errors that the longer search is above the claim
    for exercise in [*puzzles().values()][::12]:
        reasons = find_reasons(*compare(exercise, PRACTICE_ITERATIONS, 0))
        better, worse = compare(exercise, TIMES * PRACTICE_ITERATIONS, 1)
        for reason in reasons:
            player, source = reason.player, reason.source
            vp = better.sources[player][source] - worse.sources[player][source]
            error = hypot(*(move.source_errors[player][source] for move in (better, worse)))
            gain = vp if player == better.player else -vp
            below.append((gain - reason.least) / error)
    assert len(below) >= 20
    assert min(below) > NormalDist().inv_cdf(LEVEL / len(below))
