"""Random play of Forum Trajanum: no tile appears, and states are read as they are written."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import games, positions

from trajan_ai.forum_trajanum import GAME, types
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.setup import tile_kinds

KINDS = tile_kinds(load("recon-1"))


def known_tiles(fields, player):
    """Kinds of the player's colour that lie in places which the state names."""
    one, count = fields["player"][player], fields["players"]
    right = fields["player"][(player - 1) % count]
    found = [kind for kind in one["tile"] if kind] + [one["ship_tile"], *one["spare"]]
    if fields["decider"] == player:
        found += fields["taken"]
    if fields["stage"] in (2, 3):
        found += [one["kept"], one["given"]]
    found += right["reserve"]
    return Counter(kind for kind in found if kind)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(games(GAME), st.integers(0, 2**32))
def test_tiles_are_conserved(position, seed):
    """No tile of a colour is in two places, and none comes back from out of the game."""
    supply = Counter(KINDS.index(name) for name in load("recon-1").tiles)
    for at in positions(position, seed):
        fields = types.fields(at.to_bytes())
        assert types.state_bytes(fields) == at.to_bytes()
        for player in range(at.players):
            one = fields["player"][player]
            assert not known_tiles(fields, player) - supply
            envoys = sum(word.bit_count() for word in one["envoys"])
            grid = one["tiles"].bit_count()
            assert grid == sum(kind > 0 for kind in one["tile"])
            assert one["ship"] + envoys + grid <= 34
            assert all(count <= 2 for count in one["citizens"])
