"""Comparisons of two sets of games: by hand, paired by deal, and with correct intervals."""

import math

import numpy as np
import pytest

from trajan_ai.lab.simulation import simulate
from trajan_ai.tournaments import rating_tables
from trajan_ai.tournaments.comparison import compare, get_margins, get_points
from trajan_ai.tournaments.store import GameRow


def game(bots, scores, block="b0", failed=-1):
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    done = failed == -1
    return GameRow(
        id=f"{block}-{bots}",
        game="trajan",
        options="{}",
        players=len(bots),
        block=block,
        deal=0,
        rotation=0,
        plies=9,
        failed=failed,
        bots=list(bots),
        scores=list(scores) if done else [None] * len(bots),
        ranks=ranks if done else [None] * len(bots),
    )


def games_of(results, block="b"):
    """Return simulated results as rows; names of blocks start with `block`."""
    for number in range(len(results)):
        seats = results.seats[number][results.seats[number] >= 0]
        yield game(
            [results.bots[bot] for bot in seats],
            results.scores[number][: len(seats)].tolist(),
            f"{block}{results.block[number]}",
        )


def test_points_and_margin_of_a_game_by_hand():
    played = game("abc", [50, 40, 50])
    assert get_points(played, "a") == [1.0, 0.5]
    assert get_margins(played, "a") == [5.0]
    assert get_margins(played, "b") == [-10.0]
    twice = game("aab", [50, 30, 40])
    assert get_points(twice, "a") == [1.0, 0.0]
    assert get_margins(twice, "a") == [10.0, -10.0]


def test_a_failed_game_counts_against_the_bot_that_failed_and_has_no_margin():
    lost = game("abc", [0, 0, 0], failed=1)
    assert get_points(lost, "a") == [1.0]  # a and c were not compared
    assert get_points(lost, "b") == [0.0, 0.0]
    assert get_margins(lost, "a") == []


def test_games_without_blame_or_with_one_bot_are_not_compared():
    played = [game("ab", [60, 50], f"b{k}") for k in range(3)]
    idle = [game("ab", [0, 0], "b7", failed=-2), game("aa", [50, 60], "b8")]
    assert compare(played + idle, played) == compare(played, played)


def test_equal_deals_are_compared_pair_by_pair():
    """Bot a gains exactly 10 VP in every deal, so the difference is certain although deals
    vary."""
    before = [game("ab", [50 + 20 * k, 60], f"b{k}") for k in range(6)]
    after = [game("ab", [60 + 20 * k, 60], f"b{k}-another version") for k in range(6)]
    row, other = compare(before, after)
    assert (row.bot, row.blocks_a, row.blocks_b, row.paired) == ("a", 6, 6, 6)
    assert row.margin.difference == pytest.approx(10.0)
    assert other.margin.difference == pytest.approx(-10.0)
    unpaired = compare(before, [game("ab", g.scores, f"x{g.block}") for g in after])[0]
    assert unpaired.paired == 0
    assert unpaired.margin.difference == pytest.approx(10.0)
    assert unpaired.margin.half_width > 1.2 * row.margin.half_width


def test_one_deal_that_went_alike_does_not_make_it_certain():
    """The two games have the same winner, so the points differ by 0, but with a large error."""
    row = compare([game("ab", [50, 40])], [game("ab", [55, 40])])[0]
    assert row.points.difference == 0.0
    assert row.points.half_width > 0.3


def test_only_seatings_of_both_count_in_a_deal():
    """Set B lacks the seating in which bot a is strong. Counting it would show a loss."""
    both, only_a = game("ab", [50, 60]), game("ba", [10, 90])
    row, _ = compare([both, only_a], [both])
    assert (row.points.a, row.points.b, row.margin.difference) == (0.0, 0.0, 0.0)
    row, _ = compare([both, only_a], [game("ab", [57, 60])])
    assert row.margin.difference == pytest.approx(7.0)


def test_all_games_count_in_a_deal_without_a_common_seating():
    row, _ = compare([game("ab", [50, 60])], [game("ba", [60, 70])])
    assert row.paired == 1
    assert row.margin.difference == pytest.approx(20.0)
    assert (row.points.a, row.points.b) == (0.0, 1.0)


def test_only_tables_of_both_are_compared_and_opponents_do_not_shift_the_means():
    """Bot a is as good as before; set B merely has more games against the weak bot."""
    mixed = [game("ab", [50, 60], f"s{k}") for k in range(10)]
    weak = [game("ac", [50, 10], f"w{k}") for k in range(10)]
    more = [game("ac", [50, 10], f"m{k}") for k in range(90)]
    other = [game("ad", [50, 0], f"d{k}") for k in range(30)]
    rows = {row.bot: row for row in compare(mixed + weak, mixed + weak + more + other)}
    assert set(rows) == {"a", "b", "c"}
    assert rows["a"].points.difference == pytest.approx(0.0)
    assert rows["a"].margin.difference == pytest.approx(0.0)
    assert rows["a"].blocks_b == 110


def test_folders_that_share_no_table_have_nothing_to_compare():
    assert compare([game("ab", [1, 2])], [game("ac", [1, 2])]) == []


@pytest.mark.slow
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("deals", [3, 12])
def test_intervals_cover_the_truth(paired, deals):
    """For equally strong sets, at least 92 % of 200 intervals contain 0."""
    hits = {"points": 0, "margin": 0}
    for seed in range(200):
        a, b = (list(games_of(simulate((60.0, -60.0), 2, deals, 2 * seed + side), "x" * side
                              * (not paired) + "b")) for side in (0, 1))  # fmt: skip
        row = compare(a, b)[0]
        assert row.paired == deals * paired
        for kind in hits:
            row_difference = getattr(row, kind)
            hits[kind] += abs(row_difference.difference) <= row_difference.half_width
    assert min(hits.values()) >= 184, hits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paired", "players"),
    [
        (False, 4),
        (True, 4),
        pytest.param(True, 2, marks=pytest.mark.long),
        *(
            pytest.param(paired, players, marks=(pytest.mark.long, pytest.mark.exhaustive))
            for paired, players in ((False, 2), (False, 3), (True, 3))
        ),
    ],
)
def test_intervals_of_points_are_no_wider_than_needed(paired, players):
    """For equal bots without shared luck, the 95 % interval contains the true value in 93 to 98 %
    of at least 600 cases."""
    hits = count = 0
    for seed in range(1200 // players // 2):
        a, b = (
            list(games_of(simulate((0.0,) * players, players, 12, 2 * seed + side, luck=0.0),
                          "x" * side * (not paired) + "b"))
            for side in (0, 1)
        )  # fmt: skip
        for row in compare(a, b):
            hits += abs(row.points.difference) <= row.points.half_width
            count += 1
    assert 0.93 <= hits / count <= 0.98


def test_a_real_difference_is_detected():
    a = list(games_of(simulate((0.0, 0.0), 2, 60, 1), "a"))
    b = list(games_of(simulate((200.0, 0.0), 2, 60, 2), "b"))
    row = compare(a, b)[0]
    assert row.points.difference > row.points.half_width
    assert row.margin.difference > row.margin.half_width


def test_the_table_fits_80_columns():
    rng = np.random.default_rng(1)
    name = "a-bot-with-quite-a-long-name"
    side = [game([name, "b"], rng.integers(0, 300, 2).tolist(), f"b{k}") for k in range(200)]
    rows = compare(side, side[::-1])
    text = rating_tables.format_comparison(rows).splitlines()
    assert all(len(line) <= 80 for line in text)
    lost = compare([game("ab", [0, 0], failed=0)], [game("ab", [0, 0], failed=0)])
    assert "nan" not in rating_tables.format_comparison(lost)
    assert rating_tables.export_comparison(lost[0])["margin_difference"] is None
    assert math.isnan(lost[0].margin.difference)
