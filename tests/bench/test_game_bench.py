"""Speed of the games through the Python face; `trajan-ai bench` measures the cores themselves."""

import pytest

import trajan_ai
from trajan_ai.core.game import Random


@pytest.fixture(params=sorted(trajan_ai.GAMES))
def game(request):
    return trajan_ai.game(request.param)


@pytest.fixture
def middle(game):
    position, random = game.start(2, seed=1), Random(1)
    while position.turn < 30:
        moves = position.legal_moves()
        position = position.after_move(moves[random.below(len(moves))])
    return position


def test_view(benchmark, middle):
    assert benchmark(middle.view, 0)["players"]


def test_from_view(benchmark, game, middle):
    assert benchmark(game.rules.from_view, middle.view(0)).players == 2


def test_deal(benchmark, game):
    options = game.rules.check(2, {})
    assert benchmark(game.rules.deal, 2, 1, options)
