"""The signatures of compiled classes show how to create their instances."""

import inspect

import pytest

from trajan_ai.core.game import Game, Position


def test_game_has_a_signature():
    assert list(inspect.signature(Game).parameters)[:3] == ["name", "reference", "ops"]


def test_position_has_a_signature():
    assert not inspect.signature(Position).parameters


def test_documentation_does_not_contain_the_signature():
    assert Game.__doc__.startswith("A game: ")
    assert Position.__doc__.startswith("A state of a game ")


@pytest.mark.parametrize("create", [Position, lambda: Position.__new__(Position)])
def test_positions_are_created_only_by_games(create):
    with pytest.raises(TypeError, match=r"call Game\.start"):
        create()


@pytest.mark.parametrize("create", [Game, lambda: Game.__new__(Game)])
def test_games_need_their_arguments(create):
    with pytest.raises(TypeError, match="arguments"):
        create()
