"""The search sees nothing hidden: positions alike to the player give identical results."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.core.game import Random
from trajan_ai.forum_trajanum import GAME as FORUM
from trajan_ai.reference_games import KUHN
from trajan_ai.search import Engine, Settings, search
from trajan_ai.search.greedy import greedy_move
from trajan_ai.trajan import GAME as TRAJAN

GAMES = {"trajan": TRAJAN, "forum_trajanum": FORUM}


def after_random_play(position, plies, seed):
    random = Random(seed)
    for _ in range(plies):
        legal = position.legal_moves()
        following = position.after_move(legal[random.below(len(legal))])
        if following.player is None:
            return position
        position = following
    return position


def data(result):
    return {**result.to_dict(), "seconds": None}


def differs_in_secret(one, other):
    return one.to_bytes() != other.to_bytes()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("algorithm", ["so", "mo"])
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), plies=st.integers(30, 200))
def test_positions_alike_to_the_player_are_searched_alike(name, algorithm, seed, plies):
    position = after_random_play(GAMES[name].start(2 + seed % 3, seed), plies, seed)
    twin = position.determinized(position.player, seed + 1)
    assert differs_in_secret(position, twin)
    how = Settings(algorithm=algorithm, playout_turns=2, early_stop=False)
    assert data(search(position, how, seed=seed, iterations=200)) == data(
        search(twin, how, seed=seed, iterations=200)
    )
    assert greedy_move(position, position.player, 1) == greedy_move(twin, twin.player, 1)


def test_a_search_that_sees_the_cards_fails_the_test_above():
    for seed in range(20):
        position = after_random_play(TRAJAN.start(2, seed), 60, seed)
        twin = position.determinized(position.player, seed + 1)
        how = Settings(cheat=True, early_stop=False)
        if data(search(position, how, iterations=200)) != data(search(twin, how, iterations=200)):
            return
    pytest.fail("a cheating search gave identical results for positions that differ")


def test_both_kings_of_kuhn_search_alike():
    one, two = (
        search(KUHN.restore(2, {"cards": ["king", other]}), Settings(), iterations=500)
        for other in ("jack", "queen")
    )
    assert data(one) == data(two)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), plies=st.integers(0, 200))
def test_what_is_kept_of_a_tree_depends_on_what_was_seen_alone(seed, plies):
    position = after_random_play(TRAJAN.start(2, seed), plies, seed)
    player = position.player
    move = position.legal_moves()[0]
    after = position.after_move(move)
    if after.player is None:
        return
    # A history that looks the same to the player: search, follow, search on.
    twin_after = after.determinized(player, seed + 1)
    results = []
    for end in (after, twin_after):
        engine = Engine(TRAJAN, Settings(playout_turns=2, early_stop=False))
        engine.search(position, seed, iterations=100, observer=player)
        engine.follow(position, end, move)
        results.append(data(engine.search(end, seed, iterations=50, keep=True, observer=player)))
    assert results[0] == results[1]


def test_a_tree_is_kept_after_a_public_move_and_dropped_after_a_draw():
    kept = dropped = 0
    for seed in range(30):
        position = after_random_play(TRAJAN.start(2, seed), 40 + seed, seed)
        for move in position.legal_moves():
            after = position.after_move(move)
            if after.player is None:
                continue
            engine = Engine(TRAJAN, Settings(playout_turns=1))
            engine.search(position, seed, iterations=50)
            engine.follow(position, after, move)
            kept += engine.place is not None
            dropped += engine.place is None
            if TRAJAN.actions[move] == "draw":
                assert engine.place is None
    assert kept > 3 * dropped > 0
