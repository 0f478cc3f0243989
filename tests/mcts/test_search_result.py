"""Results of a search: the order of moves, and standard errors."""

import pytest
from searching import NIM_POSITION

from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import NIM
from trajan_ai.mcts import Settings, ThreadedSearch
from trajan_ai.mcts.result import mean_and_error, sort_moves


def stat(move, payoffs):
    """Return the statistics of a root move with these payoffs."""
    total, count = sum(payoffs), len(payoffs)
    counted = {"count": count, "payoff": total, "payoff_high": max(payoffs, default=0.0)}
    return {"move": move, "visits": count, "total": total} | counted


def order(stats):
    return [entry["move"] for entry in sort_moves(stats)]


# The means are 0.6, 0.65 and 0.5.
SURE = stat(0, [1, 1, 1, 0, 0] * 18 + [0.6])
BOLD = stat(1, [1, 1, 0, 1, 1, 0, 1] * 2 + [1, 0, 0, 1, 1, 0])
FLAT = stat(2, [0.5] * 60)


def test_errors_of_means_by_hand():
    mean, error = mean_and_error(3.0, 3.0, 4)  # of 1, 1, 1, 0
    assert mean == 0.75
    assert error == pytest.approx((0.75 * 0.25 / 3) ** 0.5)
    assert mean_and_error(2.0, 2.0, 2) == (1.0, 0.0)
    assert mean_and_error(0.5, 0.25, 1) == (0.5, 0.0)


def test_visits_choose_the_robust_child_and_ties_go_by_mean_then_number():
    assert order([FLAT, BOLD, SURE]) == [0, 2, 1]
    high, low, same = stat(5, [1, 0, 1]), stat(3, [1, 0, 0]), stat(4, [1, 0, 0])
    assert order([same, low, high]) == [5, 3, 4]


def test_a_mean_above_all_payoffs_of_the_most_visited_move_is_played():
    usual, worse = stat(0, [0.5] * 100), stat(3, [0.4] * 60)
    better, best, rare = stat(1, [0.6] * 50), stat(2, [0.4, 1.0] * 20), stat(4, [0.9] * 3)
    assert order([usual, worse, better]) == [1, 0, 3]
    assert order([rare, worse, best, better, usual]) == [2, 0, 3, 1, 4]
    assert order([stat(0, [0.1] * 99 + [0.6]), better]) == [0, 1]
    assert order([stat(0, [0.5] * 3), stat(1, [0.6])]) == [0, 1]
    assert order([]) == []


def test_moves_without_visits_come_last():
    never, poor = stat(0, []), stat(1, [0.0, 0.0])
    assert order([never, poor]) == [1, 0]


def test_a_result_describes_the_tree():
    engine = ThreadedSearch(NIM, Settings(early_stop=False))
    result = engine.search(InformationSet(NIM_POSITION), 1, iterations=3001)
    stats = {stat["move"]: stat for stat in engine.searcher.root_moves()}
    for move in result.moves:
        stat = stats[move.move]
        assert move.visits == stat["visits"] == stat["count"]
        assert move.share == stat["visits"] / 3001
        assert move.payoff == pytest.approx(stat["payoff"] / stat["count"])
        assert move.win == pytest.approx(stat["win"] / stat["count"])
        assert move.scores == tuple(vp / stat["count"] for vp in stat["scores"])
        assert move.margin == pytest.approx(2 * move.win - 1)
        deviation = 2 * (move.win * (1 - move.win)) ** 0.5
        assert move.margin_error == pytest.approx(deviation / (move.visits - 1) ** 0.5, rel=1e-6)
    assert {move.action for move in result.moves} == set(NIM_POSITION.legal())
    (player, action), (other, _) = result.best.line[:2]
    assert (result.player, player, action, other) == (0, 0, result.best.action, 1)
    assert result.nodes == engine.searcher.nodes
    depths, branching = engine.searcher.shape()
    assert sum(count * nodes for count, nodes in branching.items()) == result.nodes - 1
    assert sum(depths) == sum(result.depths) == result.iterations == 3001
