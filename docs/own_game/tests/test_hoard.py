"""Hoard passes the conformance kit, and follows its own rules."""

import pytest
from hoard import GAME

from trajan_ai.core.errors import TrajanError
from trajan_ai.testing import conformance_cases


@pytest.mark.parametrize("case", conformance_cases(GAME), ids=str)
def test_conformance(case):
    case.run()


def test_who_kept_most_scores_the_bonus():
    position = GAME.start(2, seed=3, bonus=7)
    while position.player is not None:  # player 0 keeps high cards, player 1 low ones
        legal = position.legal()
        high = (position.player == 0) == legal[0].startswith("keep")
        position = position.after(legal[-1 if high else 0])
    players = position.view(0)["players"]
    kept = [sum(piles["kept"]) for piles in players]
    played = [sum(piles["played"]) for piles in players]
    assert kept[0] > kept[1]
    assert position.scores == [played[0] + 7, played[1]]


def test_others_learn_that_a_card_is_kept_but_not_which():
    position = GAME.start(2, seed=3)
    while not position.legal()[0].startswith("keep"):
        position = position.after(position.legal()[0])
    owner, action = position.player, position.legal()[0]
    seen = [position.events(action, observer)[0] for observer in (owner, 1 - owner)]
    assert [(event.name, event.player) for event in seen] == [("keep", owner)] * 2
    assert [event.thing for event in seen] == [action.removeprefix("keep "), None]


def test_a_view_that_contradicts_itself_is_refused():
    view = GAME.start(2, seed=1).view(0)
    view["players"][0]["hand"] = [6, 6, 6]
    view["players"][0]["played"] = [6, 6, 6]
    with pytest.raises(TrajanError, match="cards: 6 x 6, but the maximum is 5"):
        GAME.rules.from_view(view)
    view["players"][0]["played"] = []
    view["deck_size"] = 3
    with pytest.raises(
        TrajanError, match="27 cards are unseen, but the deck and hidden piles hold 6"
    ):
        GAME.rules.from_view(view)
