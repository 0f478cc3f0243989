"""The search in games whose value is known: Nim, max-n, hidden information and poker."""

import pytest
from searching import run_search

from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts import Payoff, Settings, search
from trajan_ai.mcts.driver import get_information

SCORE = Payoff(score=1.0)


@pytest.mark.parametrize("heaps", [[1, 2, 4], [2, 3, 3], [1, 1, 6], [2, 3, 4], [1, 1, 2, 3]])
def test_nim_is_played_perfectly(heaps):
    position = NIM.restore(2, {"heaps": heaps})
    best = run_search(position, 30_000, seed=1).best
    left = NIM.rules.view(position.after(best.action), None)["heaps"]
    assert left[0] ^ left[1] ^ left[2] ^ left[3] == 0
    assert best.win > 0.9


def test_a_lost_position_of_nim_is_evaluated_as_lost():
    assert run_search(NIM.restore(2, {"heaps": [1, 2, 3]}), 20_000, seed=1).best.win < 0.1


def test_fork_backs_up_max_n_not_a_coalition():
    result = run_search(FORK.start(3), 20_000, seed=1, payoff=SCORE, score_scale=10.0)
    assert result.best.action == "right"
    assert result.best.line == ((0, "right"), (1, "left"), (2, "right"))
    assert result.best.scores[result.player] == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize(
    ("actions", "king", "jack"),
    [
        ("pass pass", 1, -1),
        ("bet pass", 1, 1),
        ("bet bet", 2, -2),
        ("pass bet pass", -1, -1),
        ("pass bet bet", 2, -2),
    ],
)
def test_kuhn_pays_the_better_card_unless_a_player_folds(actions, king, jack):
    """The first player wins `king` chips with a king, and `jack` chips with a jack."""
    for cards, won in ((["king", "jack"], king), (["jack", "king"], jack)):
        position = KUHN.restore(2, {"cards": cards})
        for action in actions.split():
            position = position.after(action)
        assert (position.player, position.scores) == (None, [won, -won])


@pytest.mark.parametrize("algorithm", ["so", "mo"])
@pytest.mark.parametrize(
    ("cards", "action"), [(["jack", "king"], "bet"), (["king", "jack"], "pass")]
)
def test_kuhn_calls_with_the_king_and_folds_the_jack(algorithm, cards, action):
    position = KUHN.restore(2, {"cards": cards}).after("bet")
    how = {"algorithm": algorithm, "payoff": SCORE, "score_scale": 2.0}
    assert run_search(position, 1000, seed=1, **how).best.action == action


def test_kuhn_queen_facing_a_bet_counts_both_unseen_cards_alike():
    position = KUHN.restore(2, {"cards": ["king", "queen"]}).after("bet")
    moves = {move.action: move for move in run_search(position, 20_000).moves}
    # Calling wins 2 against the jack and loses 2 against the king, which are equally likely.
    assert moves["bet"].scores[position.player] == pytest.approx(0.0, abs=0.06)
    assert moves["pass"].scores[position.player] == -1.0


def test_in_pennies_so_assumes_that_the_guesser_sees_and_mo_does_not():
    so, mo = (
        run_search(PENNIES.start(2), 5000, seed=1, algorithm=algorithm).best.win
        for algorithm in ("so", "mo")
    )
    assert so < 0.1
    assert mo == pytest.approx(0.5, abs=0.1)


def test_cheat_sees_the_penny_and_no_other_search_does():
    position = PENNIES.start(2).after("right")
    assert run_search(position, 2000, seed=1).best.win == pytest.approx(0.5, abs=0.1)
    information = get_information(Settings(cheat=True), position, position.player)
    cheat = search(information, Settings(cheat=True), seed=1, iterations=2000)
    assert (cheat.best.action, cheat.best.win) == ("right", 1.0)
