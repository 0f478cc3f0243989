"""Hoard passes the conformance kit, and follows its own rules."""

import pytest
from hoard import GAME

from trajan_ai.testing import conformance_cases


@pytest.mark.parametrize("case", conformance_cases(GAME), ids=str)
def test_conformance(case):
    case.run()


def test_the_player_who_kept_most_scores_the_bonus():
    position = GAME.start(2, seed=3)
    while position.player is not None:  # player 0 keeps high cards, player 1 low ones
        legal = position.legal()
        high = (position.player == 0) == legal[0].startswith("keep")
        position = position.after(legal[-1 if high else 0])
    view = position.view(0)
    kept = [sum(view[f"player {p} kept"]) for p in (0, 1)]
    played = [sum(view[f"player {p} played"]) for p in (0, 1)]
    assert kept[0] > kept[1]
    assert position.scores == [played[0] + 5, played[1]]
