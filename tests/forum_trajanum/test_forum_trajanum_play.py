"""Properties of Forum Trajanum along random games: moves, components, scores, bytes."""

import pickle
from collections import Counter

import pytest
from forum_trajanum_games import games, positions
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.analysis import measure
from trajan_ai.forum_trajanum import GAME, types
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.setup import tile_kinds

KINDS = tile_kinds(load("recon-1"))
quick = settings(max_examples=20, deadline=None)


@quick
@given(games, st.integers(0, 2**32))
def test_games_end_with_scores_and_ranks(position, seed):
    before = [0] * position.players
    turn = -1
    for at in positions(position, seed):
        assert all(now >= then for now, then in zip(at.scores, before, strict=True))
        assert at.turn >= turn
        before, turn = at.scores, at.turn
    assert at.ranks is not None
    assert min(at.ranks) == 1
    assert types.fields(at.to_bytes())["round"] == 11


@quick
@given(games, st.integers(0, 2**32))
def test_legal_moves_are_unique_applicable_and_named(position, seed):
    for at in positions(position, seed, every=7):
        legal = at.legal_moves()
        assert len(legal) == len(set(legal)) != 1
        for move in legal[:: max(1, len(legal) // 6)]:
            after = at.after_move(move)
            assert GAME.move(GAME.actions[move]) == move
            assert after.player is None or len(after.legal_moves()) >= 2


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
@quick
@given(games, st.integers(0, 2**32))
def test_tiles_are_conserved(position, seed):
    """No tile of a colour is in two places, and none comes back from out of the game."""
    supply = Counter(KINDS.index(name) for name in load("recon-1").tiles)
    for at in positions(position, seed):
        fields = types.fields(at.to_bytes())
        for player in range(at.players):
            one = fields["player"][player]
            assert not known_tiles(fields, player) - supply
            envoys = sum(word.bit_count() for word in one["envoys"])
            grid = one["tiles"].bit_count()
            assert grid == sum(kind > 0 for kind in one["tile"])
            assert one["ship"] + envoys + grid <= 34
            assert all(count <= 2 for count in one["citizens"])


@quick
@given(games, st.integers(0, 2**32))
def test_cells_and_mosaic_cells_hold_one_thing(position, seed):
    for at in positions(position, seed, every=5):
        fields = types.fields(at.to_bytes())
        envoys = [one["envoys"] for one in fields["player"][: at.players]]
        for word in (0, 1):
            masks = [one[word] for one in envoys]
            assert (
                sum(mask.bit_count() for mask in masks) == (sum(masks)).bit_count()
            )  # disjoint masks add without carry
        for one in fields["player"][: at.players]:
            masks = [*one["built"], one["tiles"] & fields["plain"]]
            assert sum(mask.bit_count() for mask in masks) == sum(masks).bit_count()
            assert sum(masks) & ~fields["plain"] == 0
            assert one["marker"] == [min(4, one["built"][grey].bit_count()) for grey in (1, 2, 3)]


@quick
@given(games, st.integers(0, 2**32))
def test_scoring_steps_add_up_to_the_score(position, seed):
    """The score grows by what the game scores at once, and by the steps of a scoring."""
    last = None
    for at in positions(position, seed):
        if last is not None and at.player is None:
            moved = [after - before for after, before in zip(at.scores, last.scores, strict=True)]
            chosen = [last.after_move(move) for move in last.legal_moves()]
            assert at.scores in [one.scores for one in chosen]
            assert all(gain >= 0 for gain in moved)
        last = at


@quick
@given(games, st.integers(0, 2**32))
def test_bytes_and_pickles_round_trip(position, seed):
    for at in positions(position, seed, every=9):
        assert GAME.from_bytes(at.to_bytes()) == at
        assert pickle.loads(pickle.dumps(at)) == at
        assert types.state_bytes(types.fields(at.to_bytes())) == at.to_bytes()


@quick
@given(games, st.integers(0, 2**32))
def test_playout_draws_as_the_loop(position, seed):
    fused = measure.playouts([position], 3, seed, True)
    assert fused == measure.playouts([position], 3, seed, False)
