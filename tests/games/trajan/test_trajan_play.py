"""Random games of Trajan, and samples of their positions, lose and duplicate no component."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import games, positions

from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.rules import derive, fields, state_bytes


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(games(GAME), st.integers(0, 2**32))
def test_positions_and_samples_contain_every_component_once(start, seed):
    """A full view from which the same position can be read contains every component once."""
    for position in positions(start, seed, every=11):
        assert derive(position.to_bytes()) == position.to_bytes()
        assert state_bytes(fields(position.to_bytes())) == position.to_bytes()
        for observer in range(position.players):
            sample = position.determinized(observer, seed)
            assert GAME.rules.from_view(GAME.rules.view(sample, None)) == sample
            assert GAME.rules.view(sample, observer) == GAME.rules.view(position, observer)
