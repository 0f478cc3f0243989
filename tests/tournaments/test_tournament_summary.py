"""Tables: wins, means with correct intervals, cross table, seats, saved variance, warnings."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from plans import joined
from test_ratings import two_groups

from trajan_ai.lab.simulation import POOL, play_tables, simulate
from trajan_ai.tournaments import rating_tables, summary
from trajan_ai.tournaments.ratings import RatingOptions, rated
from trajan_ai.tournaments.summary import summarize

OPTIONS = RatingOptions()


def test_the_table_fits_80_columns_and_its_columns_line_up():
    report = summarize(simulate(POOL, 2, 10, seed=1), OPTIONS)
    text = rating_tables.format_standings(report.standings).splitlines()
    assert len(text) == 6
    assert "95 % interval" in text[0]
    assert len({len(line) for line in text}) == 1
    long = [
        replace(
            row,
            bot=f"{row.bot}-with-a-very-long-name-{n}",
            failures=123456,
            games=1_000_000,
            wins=123456.5,
        )
        for n, row in enumerate(report.standings)
    ]
    text = rating_tables.format_standings(long).splitlines()
    assert {len(line) for line in text} == {80}
    # Names are cut in the middle, and still differ from each other.
    assert len({line.split()[1] for line in text}) == 6
    assert all("…" in line for line in text[1:])
    widest = [
        replace(row, low=-12345.0, high=12345.0, margin=-123.4, margin_half_width=123.4,
                seconds_per_turn=123.456)
        for row in long
    ]  # fmt: skip
    text = rating_tables.format_standings(widest).splitlines()
    assert {len(line) for line in text} == {80}
    assert "s/turn" not in text[0]


def test_unknown_values_are_dashes():
    report = summarize(simulate((0.0, 0.0), 2, 1, seed=1), OPTIONS)
    nothing = replace(report.standings[1], mean_score=math.nan, seconds_per_turn=math.nan)
    text = rating_tables.format_standings([report.standings[0], nothing])
    assert "nan" not in text
    assert "± –" in text


def test_games_are_not_counted_twice_where_a_bot_sits_twice():
    results = play_tables(np.array([[0, 0, 1]] * 5), (0.0, 0.0), seed=1)
    rows = {row.bot: row for row in summarize(results, OPTIONS).standings}
    assert (rows["bot0"].games, rows["bot0"].seats) == (15, 30)
    assert (rows["bot1"].games, rows["bot1"].seats) == (15, 15)


def test_an_unbounded_side_is_open():
    report = summarize(simulate((0.0, 5000.0), 2, 3, seed=1), OPTIONS)
    winner, loser = rating_tables.format_standings(report.standings).splitlines()[1:]
    assert ".. open" in winner
    assert "open .." in loser
    assert "open: no result bounds" in rating_tables.format_full_table(report)
    assert not json.loads(json.dumps(summary.export_summary(report)))["standings"][0][
        "bounded_above"
    ]


def test_the_legend_explains_failed_games():
    results = simulate((0.0, 0.0), 2, 3, seed=1)
    failed = results.failed.copy()
    failed[0] = 1
    lost = replace(results, failed=failed)
    assert "A failed game counts as lost" in rating_tables.format_full_table(
        summarize(lost, OPTIONS)
    )
    assert "A failed game" not in rating_tables.format_full_table(summarize(results, OPTIONS))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_failure_gives_the_win_of_a_table_of_two_to_the_other_seat(seat):
    results = simulate((0.0, 0.0), 2, 3, seed=1)
    failed = np.full(len(results), seat)
    ranks = np.zeros_like(results.ranks)
    report = summarize(replace(results, failed=failed, ranks=ranks), OPTIONS)
    wins = [line.wins for line in report.seats]
    assert wins == ([0, len(results)] if seat == 0 else [len(results), 0])


def test_games_wins_and_ranks_add_up():
    results = simulate(POOL, 3, 4, seed=1)
    report = summarize(results, OPTIONS)
    assert sum(row.wins for row in report.standings) == len(results)
    assert sum(row.games for row in report.standings) == 3 * len(results)
    mean_rank = sum(row.mean_rank * row.seats for row in report.standings) / (3 * len(results))
    assert mean_rank == pytest.approx(2.0)


def test_a_shared_win_is_shared():
    results = simulate((0.0, 0.0), 2, 1, seed=1)
    ranks = results.ranks.copy()
    ranks[0, :2] = 1
    report = summarize(replace(results, ranks=ranks), OPTIONS)
    assert sum(row.wins for row in report.standings) == len(results)
    assert any(row.wins % 1 == 0.5 for row in report.standings)


def test_the_cross_table_counts_points_of_the_row_against_the_column():
    """Bot 1 wins both of its games against bot 2, but loses one and ties one against bot 0."""
    results = play_tables(np.array([[1, 2], [0, 1]]), (0.0, 0.0, 0.0), seed=1)
    assert results.seats[:, :2].tolist() == [[1, 2], [2, 1], [0, 1], [1, 0]]
    results.ranks[:, :2] = [[1, 2], [2, 1], [1, 2], [1, 1]]
    points, games = summary._cross_table(results)
    assert games.tolist() == [[0, 2, 0], [2, 0, 2], [0, 2, 0]]
    assert points.tolist() == [[0, 1.5, 0], [0.5, 0, 2], [0, 0, 0]]


def test_the_cross_table_is_complementary():
    report = summarize(simulate(POOL, 4, 3, seed=1), OPTIONS)
    assert report.cross + report.cross.T == pytest.approx(report.cross_games)


def test_block_mean_by_hand():
    """Blocks (1, 3) and (5, 7) have the mean 4 and sums of residuals of -4 and 4, so the error is
    sqrt(2 * 32) / 4 = 2."""
    mean, half = summary.estimate_block_mean(
        np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])
    )
    assert mean == 4.0
    assert half / 2.0 == pytest.approx(float(summary.get_t_quantile(1)))


def test_duplicate_deals_save_variance_where_luck_is_in_the_deal():
    lucky = summary.measure_variance_ratios(simulate((0.0, 50.0), 2, 400, seed=1, luck=0.9))
    free = summary.measure_variance_ratios(simulate((0.0, 50.0), 2, 400, seed=1, luck=0.0))
    assert lucky[0] < 0.5
    assert lucky[1] < 0.5
    assert free[0] == pytest.approx(1.0, abs=0.2)
    assert free[1] == pytest.approx(1.0, abs=0.2)


def test_unconnected_pools_and_clean_sweeps_give_warnings():
    results = simulate((0.0, 5000.0), 2, 3, seed=1)
    more = replace(results, bots=("a", "b", "c"))
    warnings = "\n".join(summarize(more, OPTIONS).warnings)
    assert (
        "no games connect these groups, so their ratings cannot be compared: a, b; c" in warnings
    )
    assert "b won every comparison" in warnings
    sweep = "\n".join(summarize(two_groups([0, 1, 2, 3]), OPTIONS).warnings)
    assert "between these groups, because one of them won every comparison: a, b; c, d" in sweep


def test_player_counts_are_rated_apart_as_well():
    two, three = simulate(POOL, 2, 6, seed=1), simulate(POOL, 3, 6, seed=2)
    report = summarize(joined(two, three), OPTIONS)
    assert [players for players, _ in report.by_players] == [2, 3]
    assert {(line.players, line.seat) for line in report.seats} == {
        (2, 0), (2, 1), (3, 0), (3, 1), (3, 2),
    }  # fmt: skip
    games = [sum(row.games for row in rows) for _, rows in report.by_players]
    assert games == [2 * len(two), 3 * len(three)]


def test_convergence_ends_at_the_rating():
    results = simulate(POOL, 2, 20, seed=1)
    elo = rated(results, OPTIONS).elo
    *_, (before, part), (games, final) = summary.measure_convergence(results, OPTIONS, elo)
    assert before < games == len(results)
    assert part != final == tuple(elo)
    shorter = results.only(results.block < 9)
    (_, same) = summary.measure_convergence(shorter, OPTIONS, rated(shorter, OPTIONS).elo)[-1]
    assert same == pytest.approx(rated(shorter, OPTIONS).elo)


def test_exports_are_json_without_times():
    report = summarize(simulate(POOL, 2, 4, seed=1), OPTIONS)
    text = json.dumps(summary.export_summary(report), allow_nan=False)
    assert "seconds" not in text
    assert "cpu" not in text


def test_pair_results_count_deals_and_comparisons():
    results = simulate(POOL, 2, 40, seed=3)
    lines = summary.count_pair_results(results)
    table = summarize(results, OPTIONS)
    assert len(lines) == len(results.bots) * (len(results.bots) - 1) // 2
    for line in lines:
        i, j = results.bots.index(line.bot), results.bots.index(line.against)
        lost, tied, won = line.games
        assert lost + tied + won == table.cross_games[i, j]
        assert won + tied / 2 == table.cross[i, j]
        assert sum(line.deals) == 40
        if not tied:  # a deal has two games
            assert line.deals[1] == line.deals[3] == 0
            assert 2 * line.deals[4] + line.deals[2] == won


def test_a_tie_and_a_win_are_more_than_half_of_a_deal():
    results = simulate(POOL[:2], 2, 1, seed=1)
    results = replace(results, ranks=np.array([[1, 2, 0, 0], [1, 1, 0, 0]]))
    (line,) = summary.count_pair_results(results)
    first = results.seats[0, 0] == 0
    assert line.deals == ((0, 0, 0, 1, 0) if first else (0, 1, 0, 0, 0))
    assert line.games == ((0, 1, 1) if first else (1, 1, 0))
