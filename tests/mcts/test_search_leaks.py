"""The search uses no hidden information.

For every game, the conformance kit checks that positions that a player cannot distinguish have the
same search results and that their trees are reused in the same way (search_sees_no_secrets,
reused_tree_sees_no_secrets). These tests check that the kit detects a search that cheats, and that
trees are not always dropped.
"""

from itertools import islice

import pytest
from random_games import positions

from trajan_ai.core.information import InformationSet
from trajan_ai.games.forum_trajanum import GAME as FORUM
from trajan_ai.games.reference import KUHN
from trajan_ai.games.trajan import GAME as TRAJAN
from trajan_ai.mcts import Settings, ThreadedSearch
from trajan_ai.testing import ConformanceError, check_game, search_checks

CHECK = "search_sees_no_secrets"


@pytest.mark.parametrize("game", [TRAJAN, FORUM, KUHN], ids=lambda game: game.name)
def test_the_kit_notices_a_search_that_sees_the_cards(monkeypatch, game):
    cheating = {"cheat": Settings(cheat=True, early_stop=False)}
    monkeypatch.setattr(search_checks, "searches", lambda game: cheating)
    with pytest.raises(ConformanceError, match=r"the search \(cheat\) distinguishes positions"):
        check_game(game, players=[2], checks=[CHECK])


def test_a_tree_is_reused_after_a_public_move_and_dropped_after_a_draw():
    reused = dropped = 0
    for seed in range(30):
        position = next(islice(positions(TRAJAN.start(2, seed), seed), 40 + seed, None))
        for move in position.legal_moves():
            after = position.after_move(move)
            if after.player is None:
                continue
            engine = ThreadedSearch(TRAJAN, Settings(playout_rounds=1))
            engine.search(InformationSet(position), seed, iterations=50)
            engine.follow(position, after, move)
            reused += engine.is_reusable
            dropped += not engine.is_reusable
            if TRAJAN.actions[move] == "draw":
                assert not engine.is_reusable
    assert reused > 3 * dropped > 0
