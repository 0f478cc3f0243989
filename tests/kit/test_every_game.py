"""Everything that must hold for any game over the contract, on every game there is."""

import pytest

from trajan_ai import reference_games
from trajan_ai.core.game import Game
from trajan_ai.games import GAMES
from trajan_ai.reference_games import KUHN, PENNIES
from trajan_ai.testing import check_game, check_uniform, conformance_cases

REFERENCE_GAMES = [game for game in vars(reference_games).values() if isinstance(game, Game)]

# The stacks of demand tiles and of the Trajan tiles "demands" are shuffled from one seed.
CASES = [case for game in (*GAMES.values(), *REFERENCE_GAMES) for case in conformance_cases(game)]


def marks(case):
    """Thousands of samples with two and with four players are enough for every day."""
    return [pytest.mark.long] if str(case).endswith("determinize_is_uniform-3 players") else []


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=marks(case), id=str(case)) for case in CASES]
)
def test_conformance(case):
    case.run()


@pytest.mark.slow
def test_the_example_game_keeps_every_promise(hoard):
    report = check_game(hoard)
    assert report.ok
    assert {"bonus"} == {option.name for option in hoard.rules.options}


@pytest.mark.slow
def test_choices_made_at_once_keep_every_promise(auction):
    assert check_game(auction).ok
    position = auction.restore(3, {"prizes": [1, 2, 3, 4, 5, 6]})
    after = position.after("bid 5")
    assert after.view(1) == position.after("bid 2").view(1), "a bid waits face down"
    late = position
    for card in (1, 2, 3):
        for _ in range(3):
            late = late.after(f"bid {card}")
    check_uniform(late.after("bid 4"), 2)  # three cards that may wait, two orders of prizes
    over = after.after("bid 5").after("bid 3")
    assert over.scores == [0, 0, 0], "of equal bids none takes the prize"
    assert after.after("bid 4").after("bid 3").scores == [6, 0, 0]


@pytest.mark.parametrize("cards", [["jack", "queen"], ["king", "jack"]])
def test_the_other_card_of_kuhn_poker_is_either_of_two(cards):
    check_uniform(KUHN.restore(2, {"cards": cards}), 0)


def test_a_hidden_penny_is_left_or_right():
    for action in ("left", "right"):
        check_uniform(PENNIES.start(2).after(action), 1)
