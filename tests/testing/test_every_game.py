"""The conformance kit passes on every game."""

import re

import pytest

from trajan_ai.core.game import Game
from trajan_ai.games import GAMES, reference
from trajan_ai.games.reference import KUHN, PENNIES
from trajan_ai.testing import check_game, check_uniform, conformance_cases

REFERENCE_GAMES = [game for game in vars(reference).values() if isinstance(game, Game)]

CASES = [case for game in (*GAMES.values(), *REFERENCE_GAMES) for case in conformance_cases(game)]


# Daily tests check real games only with four players, and small games only in one process.
LONG = re.compile("trajan(um)?-.*-[23] players|(fork|kuhn|nim|pennies)-other_processes")


def marks(case):
    return [pytest.mark.long] if LONG.search(str(case)) else []


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=marks(case), id=str(case)) for case in CASES]
)
def test_conformance(case):
    case.run()


@pytest.mark.long
def test_the_example_game_passes(hoard):
    report = check_game(hoard)
    assert report.ok
    assert {"bonus"} == {option.name for option in hoard.rules.options}


@pytest.mark.parametrize("cards", [["jack", "queen"], ["king", "jack"]])
def test_the_hidden_card_of_kuhn_poker_is_uniform(cards):
    check_uniform(KUHN.restore(2, {"cards": cards}), 0)


def test_a_hidden_penny_is_uniform():
    for action in ("left", "right"):
        check_uniform(PENNIES.start(2).after(action), 1)
