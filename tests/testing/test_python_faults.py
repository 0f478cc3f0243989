"""Games in Python with one fault each: the kit detects the fault and names the broken promise."""

import pytest
import tender

from trajan_ai.core.game import Game
from trajan_ai.games.reference import small_ops
from trajan_ai.games.reference.small_rules import KuhnRules
from trajan_ai.testing import CHECKS, check_game
from trajan_ai.testing.kit import make_kit, run_checks

SLOW = {"reused_tree_sees_no_secrets", "forced_moves_stay_hidden", "determinize_is_uniform"}


@pytest.mark.slow
def test_the_game_without_a_fault_passes():
    check_game(tender.GAME, checks=[name for name in CHECKS if name not in SLOW], scale=0.5)


@pytest.mark.parametrize("fault", tender.FAULTS)
def test_a_fault_is_detected(fault):
    game, check = tender.FAULTS[fault]
    report = run_checks(make_kit(game), [check])
    assert {problem.check for problem in report.problems} == {check}, report


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("open_future", "is fixed for player 0, although it differs between deals and this"),
        ("lost_openly", "after a move, "),
        ("wrapping", "raises OverflowError: an entry of an array must be 0 to 255, got "),
    ],
)
def test_a_report_says_what_is_wrong(fault, words):
    game, check = tender.FAULTS[fault]
    report = run_checks(make_kit(game), [check])
    assert words in str(report)


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (lambda ply: 9, "every promise is kept"),
        (lambda ply: 9 - ply, "missing: 'card'; new: nothing"),
        (lambda ply: 9 + ply, "missing: nothing; new: 'card'"),
    ],
)
def test_pieces_that_vanish_or_appear_in_a_compiled_game_are_reported(count, words):
    class ListingRules(KuhnRules):
        def list_pieces(self, position):
            return ["card"] * count(position.ply)

    ops, actions = small_ops.KUHN_OPS, small_ops.KUHN_ACTIONS
    game = Game("kuhn", "trajan_ai.games.reference:KUHN", ops, actions, ListingRules())
    assert words in str(run_checks(make_kit(game), ["pieces_are_conserved"]))
