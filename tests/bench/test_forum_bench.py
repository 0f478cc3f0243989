"""Speed of Forum Trajanum through the Python face; `trajan-ai bench` measures the core itself."""

import pytest

from trajan_ai.core.game import Random
from trajan_ai.forum_trajanum import GAME


@pytest.fixture
def middle():
    position, random = GAME.start(2, seed=1), Random(1)
    while position.turn < 30:
        moves = position.legal_moves()
        position = position.after_move(moves[random.below(len(moves))])
    return position


def test_game_by_move_numbers(benchmark):
    start, random = GAME.start(2, seed=1), Random(1)

    def game():
        position = start
        while position.player is not None:
            moves = position.legal_moves()
            position = position.after_move(moves[random.below(len(moves))])
        return position.ply

    assert benchmark(game) > 100


def test_game_by_action_strings(benchmark):
    start, random = GAME.start(2, seed=1), Random(1)

    def game():
        position = start
        while position.player is not None:
            actions = position.legal()
            position = position.after(actions[random.below(len(actions))])
        return position.ply

    assert benchmark(game) > 100


def test_determinization(benchmark, middle):
    assert benchmark(middle.determinized, 0, 1).player == middle.player


def test_view(benchmark, middle):
    assert len(benchmark(middle.view, 0)["players"]) == 2


def test_from_view(benchmark, middle):
    assert benchmark(GAME.rules.from_view, middle.view(0)).players == 2


def test_deal(benchmark):
    options = GAME.rules.check(2, {})
    assert benchmark(GAME.rules.deal, 2, 1, options)["tiles"]
