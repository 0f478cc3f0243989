"""Ratings, compared with choix, with the truth in simulations, and with calculations by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from plans import joined
from scipy import special

from trajan_ai.lab.simulation import (
    POOL,
    SHARED_LUCK,
    coverage,
    play_tables,
    simulate,
    stopped_coverage,
)
from trajan_ai.tournaments import rating_tables, ratings
from trajan_ai.tournaments.ratings import (
    ELO,
    NO_FAILURE,
    RatingOptions,
    Results,
    estimate_elo,
    fit,
    rate,
    rated,
)
from trajan_ai.tournaments.summary import summarize

NO_PRIOR = 1e6


def games(outcomes, bots=2, blocks=None):
    """Return the results of games, given as (bot in seat 0, bot in seat 1, rank, rank)."""
    table = np.array(outcomes)
    count = len(table)
    seats = np.full((count, 4), -1)
    ranks = np.zeros((count, 4), dtype=np.int64)
    seats[:, :2], ranks[:, :2] = table[:, :2], table[:, 2:]
    none = np.zeros((count, 4))
    return Results(
        bots=tuple("abcdefgh"[:bots]),
        block=np.arange(count) if blocks is None else np.array(blocks),
        players=np.full(count, 2),
        seats=seats,
        ranks=ranks,
        scores=np.where(ranks > 0, 100.0 - ranks, math.nan),
        failed=np.full(count, NO_FAILURE),
        turns=(ranks > 0).astype(np.int64),
        seconds=none,
        cpu=none,
    )


def test_elo_of_a_share_by_hand():
    """A share of 75 % is 400 log10(3) = 190.85 Elo, and 10 : 1 is 400 Elo."""
    assert ratings.convert_share_to_elo(0.75) == pytest.approx(190.848, abs=1e-3)
    assert ratings.convert_share_to_elo(10 / 11) == pytest.approx(400.0)
    assert ratings.convert_elo_to_share(400.0) == pytest.approx(10 / 11)


@pytest.mark.parametrize("ties", [0, 20])
def test_two_bots_have_the_elo_of_their_share(ties):
    """Without a seat advantage, the share is 75 % for 60 wins in 80 games, and (60 + 10) / 100 if
    there are 20 ties as well."""
    won = [(0, 1, 1, 2)] * 30 + [(1, 0, 2, 1)] * 30 + [(0, 1, 2, 1)] * 10 + [(1, 0, 1, 2)] * 10
    tied = [(0, 1, 1, 1)] * (ties // 2) + [(1, 0, 1, 1)] * (ties // 2)
    result = rate(fit(games(won + tied), prior_elo=NO_PRIOR))
    share = (60 + ties / 2) / (80 + ties)
    assert result.elo[0] - result.elo[1] == pytest.approx(
        ratings.convert_share_to_elo(share), abs=1e-4
    )


def test_the_seat_effect_is_estimated_and_removed():
    """The first seat scores 75 % between equal bots, so its advantage is 190.8 Elo."""
    played = [(0, 1, 1, 2)] * 30 + [(0, 1, 2, 1)] * 10 + [(1, 0, 1, 2)] * 30 + [(1, 0, 2, 1)] * 10
    result = rate(fit(games(played), prior_elo=NO_PRIOR))
    seats = {(players, seat): elo for players, seat, elo, _, _ in result.seat_elo}
    assert result.elo == pytest.approx([0.0, 0.0], abs=1e-6)
    assert seats[2, 0] - seats[2, 1] == pytest.approx(190.848, abs=1e-2)


@pytest.mark.parametrize(("players", "off"), [(2, 1e-3), (3, 12.0), (4, 12.0)])
def test_agrees_with_choix(players, off):
    """For games of two players, both programs give the same ratings. For larger tables,
    Plackett-Luce is a different estimator, whose ratings agree within the errors."""
    import choix  # imported here, because this takes two seconds in each process

    results = simulate(POOL, players, 400 // players, seed=5, luck=0.0)
    games = zip(results.seats[:, :players], results.ranks[:, :players], strict=True)
    rankings = [tuple(seats[np.argsort(ranks)].tolist()) for seats, ranks in games]
    theirs = ELO * choix.ilsr_rankings(len(POOL), rankings)
    ours = ELO * fit(results, prior_elo=NO_PRIOR, seat_effect=False).point
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=off)


# Elo of the bots, players, deals per table, tournaments, and whether rotations share luck.
COVERED = [
    (POOL, 2, 15, 300, True),
    (POOL, 4, 15, 200, True),
    ((0.0, 0.0), 2, 2, 200, True),
    ((200.0, -200.0), 2, 5, 200, True),
    *(((0.0,) * players, players, 1, 150, False) for players in (3, 4)),
]
# More cases of the same behaviour, which therefore run only in the exhaustive tests.
REPEATED = (pytest.mark.long, pytest.mark.exhaustive)
MORE_COVERED = [
    (POOL, 3, 10, 300, True),
    ((0.0, 0.0), 2, 4, 250, True),
    ((50.0, -50.0), 2, 3, 200, True),
    ((200.0, -200.0), 2, 20, 200, True),
    *(((0.0,) * players, players, deals, 150, False) for players in (3, 4) for deals in (3, 5)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [*COVERED, *(pytest.param(case, marks=REPEATED) for case in MORE_COVERED)]
)
def test_intervals_cover_the_truth(case):
    """95 % of the intervals contain the true value; with very few games, more of them do.

    300 tournaments of five bots give 1500 intervals. Because the intervals of one tournament are
    not independent, the fraction has an error of about 1 %. ``python -m trajan_ai.lab.simulation``
    runs a larger simulation.
    """
    elo, players, deals, tournaments, shared = case
    fractions = coverage(elo, players, deals, tournaments, luck=SHARED_LUCK if shared else 0.0)
    most = 0.98 if elo is POOL else 1.0
    assert 0.93 <= fractions["elo"] <= most
    assert 0.92 <= fractions["margin"] <= most
    assert fractions["seats"] >= 0.92
    assert fractions["sure"] <= (0.055 if players > 2 else 0.08)


def test_mixed_table_sizes_rate_together():
    """One fit to games with 2, 3 and 4 players has intervals that contain the true ratings."""
    parts = [simulate(POOL, players, 40, seed=players) for players in (2, 3, 4)]
    result = rate(fit(joined(*parts)))
    truth = np.array(POOL) - np.mean(POOL)
    assert np.abs(result.elo - truth).max() < 40
    assert {(players, seat) for players, seat, *_ in result.seat_elo} == {
        (players, seat) for players in (2, 3, 4) for seat in range(players)
    }


def test_the_anchor_has_its_rating():
    results = simulate(POOL, 2, 20, seed=1)
    result = rate(fit(results), anchor=1, anchor_elo=1500.0)
    assert result.elo[1] == pytest.approx(1500.0)
    assert result.low[1] == pytest.approx(1500.0)
    assert result.high[1] == pytest.approx(1500.0)
    assert (result.high - result.low)[[0, 2, 3, 4]].min() > 10


def test_a_clean_sweep_has_a_finite_rating_and_a_wide_interval():
    sweep = [(0, 1, 1, 2), (1, 0, 2, 1)] * 20
    result = rate(fit(games(sweep, blocks=np.repeat(np.arange(20), 2))))
    lead = result.elo[0] - result.elo[1]
    assert 400 < lead < 2500
    assert result.high[0] - result.low[0] > 300
    assert result.superiority[0, 1] > 0.95


def test_superiority_without_a_single_loss_is_no_surer_than_independent_games_would_be():
    sweep = [(0, 1, 1, 2), (1, 0, 2, 1)] * 20
    fitted = fit(games(sweep, blocks=np.repeat(np.arange(20), 2)))
    model = fitted.model_covariance
    error = math.sqrt(model[0, 0] + model[1, 1] - 2 * model[0, 1])
    lead = fitted.point[0] - fitted.point[1]
    most = special.stdtr(19 + ratings.PRIOR_BLOCKS, lead / error)
    assert rate(fitted).superiority[0, 1] <= most + 1e-12


def test_the_deal_blocks_of_a_bot_are_counted():
    table = np.array([[0, 1]] * 4 + [[0, 2]] * 2)
    assert fit(play_tables(table, (0.0, 0.0, 0.0), seed=1)).blocks.tolist() == [6, 4, 2]


def test_superiority_is_complementary_and_ordered():
    result = rate(fit(simulate(POOL, 3, 20, seed=2)))
    assert result.superiority + result.superiority.T == pytest.approx(np.ones((5, 5)))
    assert result.superiority[4, 0] > 0.999


def test_a_failed_bot_ranks_below_all_and_the_others_are_not_compared():
    results = games([(0, 1, 0, 0)], bots=3)
    seats = np.array([[0, 1, 2, -1]])
    lost = replace(results, seats=seats, failed=np.array([1]))
    pairs = ratings.make_pairs(lost)
    assert list(zip(pairs.first, pairs.second, pairs.twice, strict=True)) == [(0, 1, 2), (1, 2, 0)]


def test_the_same_games_in_another_order_rate_the_same():
    results = simulate(POOL, 3, 10, seed=4)
    columns = {name: values[::-1] for name, values in vars(results).items() if name != "bots"}
    first, again = rate(fit(results)), rate(fit(replace(results, **columns)))
    assert again.elo == pytest.approx(first.elo, abs=1e-9)
    assert again.low == pytest.approx(first.low, abs=1e-6)


def test_the_same_bot_twice_at_a_table_is_not_compared_with_itself():
    results = play_tables(np.array([[0, 0, 1, 1]] * 10), (50.0, -50.0), seed=1)
    pairs = ratings.make_pairs(results)
    assert (pairs.first != pairs.second).all()
    assert len(pairs.game) == 40 * 4


def test_block_scores_by_hand():
    played = [(0, 1, 1, 2), (1, 0, 1, 2), (0, 1, 1, 1), (1, 0, 2, 1)]
    results = games(played, blocks=[0, 0, 1, 1])
    assert ratings.extract_duel(results, 0, 1).scores().tolist() == [0.5, 0.75]
    assert ratings.extract_duel(results, 1, 0).scores().tolist() == [0.5, 0.25]


def test_blocks_that_all_went_alike_leave_doubt():
    """In each of three deals, each side won one game. The interval still has a width."""
    split = [(0, 1, 1, 2), (1, 0, 1, 2)] * 3
    result = rate(fit(games(split, blocks=np.repeat(np.arange(3), 2))))
    assert result.elo == pytest.approx([0.0, 0.0], abs=1e-6)
    assert (result.high - result.low).min() > 200
    for _, _, elo, low, high in result.seat_elo:
        assert low < elo - 100 < elo + 100 < high


@pytest.mark.slow
def test_intervals_hold_when_a_width_stops_the_games():
    """Repeated checks favour intervals that are narrow by chance, but coverage stays
    acceptable."""
    share, blocks = stopped_coverage((50.0, -50.0), 100.0, 80)
    assert share >= 0.90  # two standard errors below 95 %
    assert 5 < blocks < 40


def test_a_bot_that_loses_everything_widens_no_other_interval():
    others = simulate(POOL, 2, 12, seed=1)
    alone = rate(fit(others))
    lost = np.array([(bot, len(POOL)) for bot in range(len(POOL)) for _ in range(12)])
    count = len(others.bots)
    extra = play_tables(lost, (*POOL, -9000.0), seed=2)
    together = rate(fit(joined(others, extra)))
    ratio = (together.high - together.low)[:count] / (alone.high - alone.low)
    assert ratio == pytest.approx(np.ones(count), abs=0.15)
    assert together.elo[:count] == pytest.approx(alone.elo, abs=10)
    assert together.bounded_above.tolist() == [True] * (count + 1)
    assert together.bounded_below.tolist() == [True] * count + [False]
    assert (together.high - together.low)[count] > 400


def test_of_two_bots_the_one_that_won_everything_is_bounded_below_alone():
    sweep = [(0, 1, 1, 2), (1, 0, 2, 1)] * 5
    result = rate(fit(games(sweep, blocks=np.repeat(np.arange(5), 2))))
    assert result.bounded_above.tolist() == [False, True]
    assert result.bounded_below.tolist() == [True, False]
    anchored = rate(fit(games(sweep)), anchor=0)
    assert anchored.bounded_above.tolist() == [True, True]


def two_groups(order):
    """Return games in which bots 0 and 1 beat each other equally often, as do bots 2 and 3, while
    bots 0 and 1 win all games against bots 2 and 3. `order` renumbers the bots."""
    level = [(0, 1), (2, 3)]
    rows = [
        (order[one], order[two], 1 + lost, 2 - lost)
        for one, two in [*level, (0, 2), (0, 3), (1, 2), (1, 3)]
        for lost in (0, int((one, two) in level))
    ]
    return games(rows, bots=4)


def test_the_order_of_the_bots_changes_no_rating():
    first = rate(fit(two_groups([0, 1, 2, 3])))
    for order in ([3, 2, 1, 0], [2, 0, 3, 1]):
        other = rate(fit(two_groups(order)))
        for figure in ("elo", "low", "high", "margin", "bounded_above", "bounded_below"):
            one, two = (getattr(ratings, figure) for ratings in (first, other))
            assert two[order] == pytest.approx(one, abs=1e-6), figure
    assert first.elo[:2].min() > 100
    assert first.elo.sum() == pytest.approx(0, abs=1e-6)
    assert first.bounded_above.tolist() == [False, False, True, True]
    assert first.bounded_below.tolist() == [True, True, False, False]


def test_seats_are_as_sure_as_the_deals_at_tables_of_their_size():
    """Seats in three deals of three players stay uncertain despite many deals of two players."""
    two, three = simulate((0.0, 0.0, 0.0), 2, 40, 1), simulate((0.0, 0.0, 0.0), 3, 3, 2)
    both = rate(fit(joined(two, three)))
    lines = {(n, s): high - low for n, s, _, low, high in both.seat_elo}
    alone = {(n, s): high - low for n, s, _, low, high in rate(fit(three)).seat_elo}
    for seat in range(3):
        assert lines[3, seat] == pytest.approx(alone[3, seat], rel=0.25)
        assert lines[3, seat] > 3 * lines[2, 0]


def vp(leads, blocks):
    """Return games of two bots in which bot a, in seat 0, has the given leads in VP."""
    outcomes = [(0, 1, 1, 2) if lead > 0 else (0, 1, 2, 1) for lead in leads]
    results = games(outcomes, blocks=blocks)
    results.scores[:, :2] = np.array([(50 + lead, 50) for lead in leads])
    return results


def test_margins_of_two_bots_by_hand():
    """Without a seat advantage, a leads by 6 VP on average, so each bot is 3 VP from the mean."""
    first = vp([10, 2, 10, 2], [0, 0, 1, 1])
    turned = np.array([[1, 0, -1, -1]] * 4)
    second = replace(first, seats=turned, scores=first.scores[:, [1, 0, 2, 3]])
    both = fit(joined(first, second))
    result = rate(both)
    assert result.margin == pytest.approx([3.0, -3.0], abs=0.01)
    # All residuals of the 8 games are 4 VP; two values are fitted, the leads of a and of a seat.
    model = both.margin_model
    assert model[0, 0] + model[1, 1] - 2 * model[0, 1] == pytest.approx(16 * 8 / 6 / 8, abs=0.01)
    anchored = rate(both, anchor=1)
    assert anchored.margin == pytest.approx([6.0, 0.0], abs=0.01)
    assert anchored.margin_half_width[1] == 0.0


def test_a_bot_that_always_fails_has_no_margin_and_changes_no_other():
    """The games that this bot loses change no margin, because their other bots are not
    compared."""
    first = vp([10, 2, 10, 2], [0, 0, 1, 1])
    turned = np.array([[1, 0, -1, -1]] * 4)
    second = replace(first, seats=turned, scores=first.scores[:, [1, 0, 2, 3]])
    sound = joined(first, second)
    expected = rate(fit(sound))
    bots = (*sound.bots, "fails")
    failing = vp([10, 2, 10, 2], [0, 0, 1, 1])
    failing = replace(
        failing,
        seats=np.array([[2, 0, -1, -1], [2, 1, -1, -1]] * 2),
        scores=np.full_like(failing.scores, math.nan),
        failed=np.zeros(4, dtype=np.int64),
    )
    together = replace(joined(sound, failing), bots=bots)
    result = rate(fit(together))
    assert result.margin[:2] == pytest.approx(expected.margin, abs=0.01)
    assert (result.margin_half_width[:2] <= expected.margin_half_width).all()
    assert np.isnan([result.margin[2], result.margin_half_width[2]]).all()
    assert np.isnan(rate(fit(together), anchor=2).margin).all()
    standings = summarize(together, RatingOptions()).standings
    cells = {row.bot: rating_tables._CELLS["margin ±"](row) for row in standings}
    assert cells["fails"] == "–"
    assert cells[bots[0]].startswith("+")


def test_one_deal_gives_no_interval_of_margins():
    result = rate(fit(vp([10, 2], [0, 0])))
    assert np.isnan(result.margin_half_width).all()


def test_squashed_leads_by_hand():
    """Phi(20 / 20) is 0.8413, and a bot that fails has the largest possible loss."""
    results = vp([20, -20, 0, 1000], [0, 1, 2, 3])
    assert ratings.extract_duel(results, 0, 1).margins() == pytest.approx(
        [0.84134, 0.15866, 0.5, 1.0], abs=1e-5
    )
    lost = np.array([0, -1, -1, -1])
    scores = results.scores.copy()
    scores[0] = math.nan
    failed = replace(results, failed=lost, scores=scores)
    assert ratings.extract_duel(failed, 0, 1).margins()[0] == 0.0
    assert ratings.extract_duel(failed, 1, 0).margins()[0] == 1.0


def test_elo_of_wins_and_of_margins_agree():
    """For bots that are 60 Elo apart, the squashed margin is the one that their wins predict."""
    results = simulate((30.0, -30.0), 2, 4000, seed=1)
    met = ratings.extract_duel(results, 0, 1)
    flattened = met.flattened()
    spread = ratings.MARGIN_SCALE / math.sqrt(flattened**2 - 1)
    # The distribution is almost logistic.
    assert spread == pytest.approx(10 * math.pi / math.sqrt(3), rel=0.15)
    expected = ratings.convert_elo_to_share(60.0, flattened)
    assert met.margins().mean() == pytest.approx(expected, abs=0.01)
    assert ratings.convert_elo_to_share(0.0, flattened) == 0.5
    assert ratings.convert_share_to_elo(expected, flattened) == pytest.approx(60.0)


@pytest.mark.parametrize("anchor", [None, "b1"])
@pytest.mark.parametrize("seat_effect", [True, False])
def test_elo_alone_is_that_of_the_whole_rating(anchor, seat_effect):
    results = simulate((0.0, 80.0, 200.0), 3, 8, seed=2)
    anchor = results.bots[1] if anchor else None
    options = RatingOptions(anchor=anchor, elo=50.0, seat_effect=seat_effect, prior=300.0)
    assert estimate_elo(results, options).tolist() == rated(results, options).elo.tolist()
