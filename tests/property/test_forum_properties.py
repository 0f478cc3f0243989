"""Properties of Forum Trajanum along random games: rules, bytes, views, hidden information."""

import json
import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.core import measure
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.forum_trajanum import GAME, ops
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.hidden import look
from trajan_ai.forum_trajanum.setups import tile_kinds

TAKE = 2
KINDS = tile_kinds(load("recon-1"))
CORNERS = (0, 5, 40, 45)

games = st.builds(
    lambda players, seed, flags, prestige, novice: GAME.start(
        players,
        seed,
        prestige=prestige,
        novices=[0] if novice else [],
        **dict.fromkeys(flags, True),
    ),
    st.integers(2, 4),
    st.integers(0, 2**32),
    st.sets(st.sampled_from(["introductory", "limited_tiles", "recolour_in_swap", "eagle_once"])),
    st.sampled_from(["P1", "P2", "P3"]),
    st.booleans(),
)
quick = settings(max_examples=20, deadline=None)


def positions(position, seed, every=1):
    """Every `every`-th position of a random game, the first one and the end included."""
    random = Random(seed)
    ply = 0
    while position.player is not None:
        if ply % every == 0:
            yield position
        legal = position.legal_moves()
        position = position.after_move(legal[random.below(len(legal))])
        ply += 1
    yield position


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
    assert ops.fields(at.to_bytes())["round"] == 11


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
    if fields["actor"] == player:
        found += fields["taken"]
    if fields["stage"] in (2, 3):
        found += [one["kept"], one["given"]]
    found += right["reserve"]
    return Counter(kind for kind in found if kind)


@quick
@given(games, st.integers(0, 2**32))
def test_tiles_are_conserved(position, seed):
    """No tile of a colour is in two places, and none comes back from out of the game."""
    supply = Counter(KINDS.index(name) for name in load("recon-1").tiles)
    for at in positions(position, seed):
        fields = ops.fields(at.to_bytes())
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
        fields = ops.fields(at.to_bytes())
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
        assert ops.state_bytes(ops.fields(at.to_bytes())) == at.to_bytes()


@quick
@given(games, st.integers(0, 2**32))
def test_views_describe_all_that_a_player_knows(position, seed):
    for at in positions(position, seed, every=17):
        for player in range(at.players):
            view = json.loads(json.dumps(at.view(player)))
            again = GAME.rules.from_view(view)
            assert again.view(player) == at.view(player)
            assert again.determinized(player, seed) == at.determinized(player, seed)
            if at.player == player:
                assert again.legal() == at.legal()


@quick
@given(games, st.integers(0, 2**32))
def test_determinization_keeps_what_a_player_knows(position, seed):
    for at in positions(position, seed, every=5):
        for player in range(at.players):
            drawn = at.determinized(player, seed)
            assert look(drawn.to_bytes(), player) == look(at.to_bytes(), player)
            assert drawn.player == at.player
            assert drawn.scores == at.scores
            if at.player == player:
                assert drawn.legal_moves() == at.legal_moves()
            elif at.player is not None:
                assert len(drawn.legal_moves()) >= 2


def interferes(position, player, seed, resample):
    """Whether what a player cannot know changes the sample of `resample`."""
    other = position.determinized(player, seed)
    return resample(position, player, seed + 1) != resample(other, player, seed + 1)


@quick
@given(games, st.integers(0, 2**32))
def test_hidden_tiles_do_not_interfere(position, seed):
    for at in positions(position, seed, every=5):
        for player in range(at.players):
            assert not interferes(at, player, seed, lambda p, o, s: p.determinized(o, s))


def test_the_identity_resampler_interferes():
    position = GAME.start(2, 5)
    assert interferes(position, 0, 3, lambda p, o, s: p)


@quick
@given(games, st.integers(0, 2**32))
def test_positions_after_look_alike_moves_look_alike(position, seed):
    """Moves that an observer cannot tell apart lead to positions that he cannot tell apart."""
    for at in positions(position, seed, every=2):
        if at.player is None:
            break
        for observer in range(at.players):
            classes = {}
            for move in at.legal_moves():
                classes.setdefault(at.observed(move, observer), []).append(move)
            if observer == at.player:
                assert all(moves == [seen] for seen, moves in classes.items())
            alike = [moves for moves in classes.values() if len(moves) > 1]
            for moves in alike[:: max(1, len(alike) // 5)]:
                after = [at.after_move(move).to_bytes() for move in moves]
                # A take with one option left follows at once and is seen, a tile passed later.
                states = [ops.fields(one) for one in after]
                alike_so_far = [
                    look(one, observer)
                    for one, state in zip(after, states, strict=True)
                    if state["stage"] == TAKE and public(state) == public(states[0])
                ]
                assert all(one == alike_so_far[0] for one in alike_so_far)


def public(state):
    """Whose turn it is, how many tiles he has still to take, and all cells that hold tiles."""
    cells = [player["tiles"] for player in state["player"]]
    return state["turn"], state["decision"], cells


@quick
@given(games, st.integers(0, 2**32))
def test_playout_draws_as_the_loop(position, seed):
    fused = measure.playouts([position], 3, seed, True)
    assert fused == measure.playouts([position], 3, seed, False)


def chi_square(counts, cells):
    total = sum(counts.values())
    return sum((counts[cell] - total / cells) ** 2 * cells / total for cell in range(cells))


def test_unseen_tiles_are_dealt_uniformly():
    """Where one tile lies after determinizing: each of the 29 places alike (99.9 % bound)."""
    position = GAME.start(2, 1)
    while ops.fields(position.to_bytes())["stage"] < 2:
        position = position.after_move(position.legal_moves()[0])
    kind = KINDS.index("builder+assistant")
    plain = [bit for bit in range(48) if bit not in CORNERS]
    counts = Counter()
    for seed in range(6000):
        fields = ops.fields(position.determinized(0, seed).to_bytes())["player"][1]
        tiles = [fields["tile"][bit] for bit in plain] + [fields["ship_tile"]]
        if kind in tiles:
            counts[sum(t > 0 for t in tiles[: tiles.index(kind)])] += 1
    if kind not in [ops.fields(position.to_bytes())["player"][1]["tile"][c] for c in CORNERS]:
        assert chi_square(counts, 29) < 56.9


def test_street_cards_not_turned_are_drawn_uniformly():
    position = GAME.start(2, 1)
    counts = Counter(
        ops.fields(position.determinized(0, seed).to_bytes())["street_cards"][7]
        for seed in range(6000)
    )
    assert chi_square(counts, 12) < 31.3


def opponent_kept(kept, shown, given, unseen, seeds):
    """Tiles that the opponent kept, by seed: he kept one of two, one of them had lain open."""
    position = GAME.start(2, 1)
    while ops.fields(position.to_bytes())["stage"] < 2:
        position = position.after_move(position.legal_moves()[0])
    fields = ops.fields(position.to_bytes())
    other = fields["player"][1]
    other.update(kept=kept, given=given, shown=[0, shown], ship_tile=unseen[0], tiles=0b11110)
    other["tile"] = [0, *unseen[1:5], *[0] * 43]
    fields.update(stage=3, actor=0, seated=1, decision=6)
    fields["player"][0].update(reserve=[given, *[0] * 11], reserve_count=1)
    state = GAME.from_bytes(ops.state_bytes(fields))
    drawn = [state.determinized(0, seed).to_bytes() for seed in seeds]
    return [ops.fields(one)["player"][1]["kept"] for one in drawn]


def test_the_tile_passed_tells_what_was_kept():
    """Passed X where an X lay open: the kept tile is X with probability 2c / (N + c)."""
    passed, others = 7, [7, 8, 9, 10, 11]  # the open tile is a 7; unseen: a 7 and 4 others
    kept = opponent_kept(others[1], 7, passed, [7, 9, 10, 11, 12], range(8000))
    counts = Counter(kept)
    unseen = Counter([others[1], 7, 9, 10, 11, 12])
    total, same = sum(unseen.values()), unseen[7]
    expected = dict.fromkeys(unseen, 1 / (total + same))
    expected[7] = 2 * same / (total + same)
    value = sum(
        (counts[kind] - 8000 * share) ** 2 / (8000 * share) for kind, share in expected.items()
    )
    assert sum(expected.values()) == pytest.approx(1)
    assert value < 22  # 99.9 % of chi-square with 5 degrees of freedom is 20.5


def test_a_different_tile_passed_gives_the_kept_one_away():
    assert set(opponent_kept(7, 7, 8, [9, 10, 11, 12, 13], range(50))) == {7}


def test_unknown_players_are_refused():
    with pytest.raises(TrajanError, match="player must be 0 to 1"):
        GAME.start(2).determinized(2, 1)
