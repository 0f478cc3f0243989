"""Reasons: claims about sources of VP. tests/experiments/reasons.py compares them."""

from dataclasses import replace

import pytest

from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.reasons import BELOW, MAX_REASONS, find_reasons
from trajan_ai.core.information import InformationSet
from trajan_ai.page.practice import puzzles
from trajan_ai.records import position_files


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
    better, worse = compare([*puzzles().values()][4], 4000, 0)
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
