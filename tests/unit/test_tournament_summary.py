"""Tables: wins, means with honest intervals, cross table, seats, variance saved, warnings."""

import json
import math

import numpy as np
import pytest

from tournaments import summary
from tournaments.ratings import Results
from tournaments.simulation import POOL, simulate
from tournaments.summary import Rules, summarize

RULES = Rules(resamples=100)


def test_a_table_has_a_row_for_each_bot_in_order_of_elo():
    told = summarize(simulate(POOL, 2, 10, seed=1), RULES)
    assert [row.place for row in told.standings] == [1, 2, 3, 4, 5]
    elo = [row.elo for row in told.standings]
    assert elo == sorted(elo, reverse=True)
    text = summary.table(told.standings).splitlines()
    assert len(text) == 6
    assert "95 % interval" in text[0]
    assert len({len(line) for line in text}) == 1  # columns line up


def test_games_wins_and_ranks_add_up():
    results = simulate(POOL, 3, 4, seed=1)
    told = summarize(results, RULES)
    assert sum(row.wins for row in told.standings) == len(results)
    assert sum(row.games for row in told.standings) == 3 * len(results)
    mean_rank = sum(row.mean_rank * row.games for row in told.standings) / (3 * len(results))
    assert mean_rank == pytest.approx(2.0)


def test_a_shared_win_is_shared():
    results = simulate((0.0, 0.0), 2, 1, seed=1)
    ranks = results.ranks.copy()
    ranks[0, :2] = 1
    told = summarize(Results(**vars(results) | {"ranks": ranks}), RULES)
    assert sum(row.wins for row in told.standings) == len(results)
    assert any(row.wins % 1 == 0.5 for row in told.standings)


def test_the_cross_table_is_complementary():
    told = summarize(simulate(POOL, 4, 3, seed=1), RULES)
    assert told.cross + told.cross.T == pytest.approx(told.cross_games)


def test_block_mean_by_hand():
    """Blocks (1, 3) and (5, 7): mean 4, sums of residuals -4 and 4, error sqrt(2 * 32) / 4 = 2."""
    mean, half = summary.block_mean(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1]))
    assert mean == 4.0
    assert half / 2.0 == pytest.approx(float(summary.t_quantile(1)))


def test_means_cover_the_truth():
    """95 % intervals of a mean of dependent values cover 0 in 93 to 97 % of 1000 cases."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1000):
        shared = np.repeat(rng.standard_normal(25), 4)
        mean, half = summary.block_mean(
            shared + rng.standard_normal(100), np.repeat(np.arange(25), 4)
        )
        hits += abs(mean) <= half
    assert 930 <= hits <= 970


def test_duplicate_deals_save_variance_where_luck_is_in_the_deal():
    """With all luck in the cards a rotation cancels it; without any, the ratio is one."""
    lucky = summary.variance_saved(simulate((0.0, 50.0), 2, 400, seed=1, luck=0.9))
    free = summary.variance_saved(simulate((0.0, 50.0), 2, 400, seed=1, luck=0.0))
    assert lucky[0] < 0.5
    assert lucky[1] < 0.5
    assert free[0] == pytest.approx(1.0, abs=0.2)
    assert free[1] == pytest.approx(1.0, abs=0.2)


def test_unconnected_pools_and_clean_sweeps_are_warned_of():
    results = simulate((0.0, 5000.0), 2, 3, seed=1)
    more = Results(**vars(results) | {"bots": ("a", "b", "c")})
    warnings = "\n".join(summarize(more, RULES).warnings)
    assert "no games connect these groups, their ratings do not compare: a, b; c" in warnings
    assert "b won every comparison" in warnings


def test_player_counts_are_rated_apart_as_well():
    two, three = simulate(POOL, 2, 6, seed=1), simulate(POOL, 3, 6, seed=2)
    joined = Results(
        two.bots,
        np.concatenate([two.block, 1000 + three.block]),
        *(
            np.concatenate([getattr(two, name), getattr(three, name)])
            for name in (
                "players",
                "seats",
                "ranks",
                "scores",
                "failed",
                "turns",
                "seconds",
                "cpu",
            )
        ),
    ).only(np.ones(len(two) + len(three), dtype=np.bool_))
    told = summarize(joined, RULES)
    assert [players for players, _ in told.by_players] == [2, 3]
    assert {(line.players, line.seat) for line in told.seats} == {
        (2, 0), (2, 1), (3, 0), (3, 1), (3, 2),
    }  # fmt: skip
    games = [sum(row.games for row in rows) for _, rows in told.by_players]
    assert games == [2 * len(two), 3 * len(three)]


def test_convergence_ends_at_the_rating():
    told = summarize(simulate(POOL, 2, 20, seed=1), RULES)
    games, elo = told.convergence[-1]
    assert games == told.games
    final = {row.bot: row.elo for row in told.standings}
    assert elo == pytest.approx([final[bot] for bot in told.bots])


def test_exports_are_json_without_times():
    told = summarize(simulate(POOL, 2, 4, seed=1), RULES)
    text = json.dumps(summary.exported(told), allow_nan=False)
    assert "seconds" not in text
    assert "cpu" not in text


def test_an_empty_mean_is_no_number():
    assert math.isnan(summary.block_mean(np.array([]), np.array([], dtype=np.int64))[0])
