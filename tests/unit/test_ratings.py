"""Ratings: against choix, against the truth in simulations, and on cases known by hand."""

import math

import choix
import numpy as np
import pytest

from tournaments import ratings
from tournaments.ratings import ELO, NO_FAILURE, Results, fit, rate
from tournaments.simulation import POOL, coverage, play_tables, simulate

NO_PRIOR = 1e6


def games(outcomes, bots=2, blocks=None):
    """Results of 2-player games: (first seat's bot, second's, rank of first, rank of second)."""
    table = np.array(outcomes)
    count = len(table)
    seats = np.full((count, 4), -1)
    ranks = np.zeros((count, 4), dtype=np.int64)
    seats[:, :2], ranks[:, :2] = table[:, :2], table[:, 2:]
    none = np.zeros((count, 4))
    return Results(
        tuple("abcdefgh"[:bots]),
        np.arange(count) if blocks is None else np.array(blocks),
        np.full(count, 2),
        seats,
        ranks,
        np.where(ranks > 0, 100.0 - ranks, math.nan),
        np.full(count, NO_FAILURE),
        (ranks > 0).astype(np.int64),
        none,
        none,
    )


def test_elo_of_a_share_by_hand():
    """75 % is 400 log10(3) = 190.85 Elo, 10 : 1 is 400 Elo."""
    assert ratings.elo_of_share(0.75) == pytest.approx(190.848, abs=1e-3)
    assert ratings.elo_of_share(10 / 11) == pytest.approx(400.0)
    assert ratings.share_of_elo(400.0) == pytest.approx(10 / 11)


@pytest.mark.parametrize("ties", [0, 20])
def test_two_bots_have_the_elo_of_their_share(ties):
    """60 wins of 80 decided games, seats even, ties half: 75 % and (60 + 10) / 100."""
    won = [(0, 1, 1, 2)] * 30 + [(1, 0, 2, 1)] * 30 + [(0, 1, 2, 1)] * 10 + [(1, 0, 1, 2)] * 10
    tied = [(0, 1, 1, 1)] * (ties // 2) + [(1, 0, 1, 1)] * (ties // 2)
    result = rate(fit(games(won + tied), resamples=100, prior_elo=NO_PRIOR))
    share = (60 + ties / 2) / (80 + ties)
    assert result.elo[0] - result.elo[1] == pytest.approx(ratings.elo_of_share(share), abs=1e-4)


def test_the_seat_effect_is_found_and_taken_out():
    """Equal bots, the first seat scores 75 %: its advantage over the second is 190.8 Elo."""
    played = [(0, 1, 1, 2)] * 30 + [(0, 1, 2, 1)] * 10 + [(1, 0, 1, 2)] * 30 + [(1, 0, 2, 1)] * 10
    result = rate(fit(games(played), resamples=100, prior_elo=NO_PRIOR))
    seats = {(players, seat): elo for players, seat, elo, _, _ in result.seat_elo}
    assert result.elo == pytest.approx([0.0, 0.0], abs=1e-6)
    assert seats[2, 0] - seats[2, 1] == pytest.approx(190.848, abs=1e-2)


def test_an_unbalanced_pairing_of_seats_does_not_bias():
    """a sits first three times as often; the seat effect keeps that from counting for it."""
    played = ([(0, 1, 1, 2)] * 3 + [(0, 1, 2, 1)]) * 30 + (
        [(1, 0, 1, 2)] * 3 + [(1, 0, 2, 1)]
    ) * 10
    fair = rate(fit(games(played), resamples=100, prior_elo=NO_PRIOR))
    blind = rate(fit(games(played), resamples=100, prior_elo=NO_PRIOR, seat_effect=False))
    assert fair.elo[0] == pytest.approx(0.0, abs=1e-6)
    assert blind.elo[0] > 30


def test_agrees_with_choix_on_pairs():
    results = simulate(POOL, 2, 40, seed=3)
    pairs = ratings.pairs_of(results)
    assert set(pairs.twice.tolist()) == {0, 2}
    won = [
        (i, j) if twice else (j, i)
        for i, j, twice in zip(pairs.first, pairs.second, pairs.twice, strict=True)
    ]
    theirs = choix.opt_pairwise(len(POOL), won, alpha=0.0)
    ours = fit(results, resamples=2, prior_elo=NO_PRIOR, seat_effect=False).point
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=1e-5)


@pytest.mark.parametrize("players", [3, 4])
def test_agrees_with_choix_on_rankings(players):
    """Plackett-Luce is another estimator: equal within what the games can tell."""
    results = simulate(POOL, players, 400 // players, seed=5, luck=0.0)
    rankings = [
        tuple(seats[np.argsort(ranks)].tolist())
        for seats, ranks in zip(
            results.seats[:, :players], results.ranks[:, :players], strict=True
        )
    ]
    theirs = ELO * choix.ilsr_rankings(len(POOL), rankings)
    ours = ELO * fit(results, resamples=2, prior_elo=NO_PRIOR, seat_effect=False).point
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=12.0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_intervals_cover_the_truth(players):
    """The share of 95 % intervals that cover the truth is 93 to 97 % (five bots, 60 blocks each).

    300 tournaments give 1500 intervals: the share itself is known to about +-1 %, as intervals of
    one tournament are not independent. A wider simulation: ``python -m tournaments.simulation``.
    """
    deals = {2: 15, 3: 10, 4: 15}[players]
    assert 0.93 <= coverage(POOL, players, deals, 300, resamples=150) <= 0.97


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ignoring_that_games_of_a_deal_share_luck_is_caught(players):
    """The coverage test can fail: games taken for independent give other intervals."""
    results = simulate((100.0, -100.0, 0.0, 0.0), players, 60, seed=1, luck=0.95)
    apart = Results(**vars(results) | {"block": np.arange(len(results))})
    honest = rate(fit(results, resamples=300))
    naive = rate(fit(apart, resamples=300))
    ratio = (honest.high - honest.low) / (naive.high - naive.low)
    assert not np.allclose(ratio, 1.0, atol=0.1)


def test_mixed_table_sizes_rate_together():
    """One fit of tables of 2, 3 and 4 recovers the truth within its intervals."""
    parts = [simulate(POOL, players, 40, seed=players) for players in (2, 3, 4)]
    joined = Results(
        parts[0].bots,
        np.concatenate([part.block + 10_000 * number for number, part in enumerate(parts)]),
        *(
            np.concatenate([getattr(part, name) for part in parts])
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
    )
    joined = joined.only(np.ones(len(joined), dtype=np.bool_))
    result = rate(fit(joined, resamples=200))
    truth = np.array(POOL) - np.mean(POOL)
    assert np.abs(result.elo - truth).max() < 40
    assert {(players, seat) for players, seat, *_ in result.seat_elo} == {
        (players, seat) for players in (2, 3, 4) for seat in range(players)
    }


def test_the_anchor_stands_where_it_is_told():
    results = simulate(POOL, 2, 20, seed=1)
    result = rate(fit(results, resamples=100), anchor=1, anchor_elo=1500.0)
    assert result.elo[1] == pytest.approx(1500.0)
    assert result.low[1] == pytest.approx(1500.0)
    assert result.high[1] == pytest.approx(1500.0)
    assert (result.high - result.low)[[0, 2, 3, 4]].min() > 10


def test_a_clean_sweep_is_finite_and_says_how_little_is_known():
    sweep = [(0, 1, 1, 2), (1, 0, 2, 1)] * 20
    result = rate(fit(games(sweep, blocks=np.repeat(np.arange(20), 2)), resamples=100))
    lead = result.elo[0] - result.elo[1]
    assert 400 < lead < 2500
    assert result.high[0] - result.low[0] > 300
    assert result.superiority[0, 1] > 0.95


def test_superiority_is_complementary_and_ordered():
    result = rate(fit(simulate(POOL, 3, 20, seed=2), resamples=200))
    assert result.superiority + result.superiority.T == pytest.approx(np.ones((5, 5)))
    assert result.superiority[4, 0] > 0.999


def test_pools_that_never_met_are_told_apart():
    played = [(0, 1, 1, 2), (0, 1, 2, 1), (2, 3, 1, 2), (2, 3, 2, 1)]
    assert ratings.components(games(played, bots=5)) == [[0, 1], [2, 3], [4]]


def test_a_failed_bot_ranks_below_all_and_the_others_are_not_compared():
    results = games([(0, 1, 0, 0)], bots=3)
    seats = np.array([[0, 1, 2, -1]])
    lost = Results(**vars(results) | {"seats": seats, "failed": np.array([1])})
    pairs = ratings.pairs_of(lost)
    assert list(zip(pairs.first, pairs.second, pairs.twice, strict=True)) == [(0, 1, 2), (1, 2, 0)]


def test_the_same_games_in_another_order_rate_the_same():
    results = simulate(POOL, 3, 10, seed=4)
    turned = results.only(np.arange(len(results))[::-1] >= 0)
    backwards = Results(
        results.bots,
        *(values[::-1] for name, values in vars(results).items() if name != "bots"),
    )
    first = rate(fit(results, resamples=100))
    for other in (turned, backwards):
        again = rate(fit(other, resamples=100))
        assert again.elo == pytest.approx(first.elo, abs=1e-9)
        assert again.low == pytest.approx(first.low, abs=1e-6)


def test_the_same_bot_twice_at_a_table_is_not_compared_with_itself():
    results = play_tables(np.array([[0, 0, 1, 1]] * 10), (50.0, -50.0), seed=1)
    pairs = ratings.pairs_of(results)
    assert (pairs.first != pairs.second).all()
    assert len(pairs.game) == 40 * 4


def test_block_scores_by_hand():
    played = [(0, 1, 1, 2), (1, 0, 1, 2), (0, 1, 1, 1), (1, 0, 2, 1)]
    blocks, scores = ratings.block_scores(games(played, blocks=[0, 0, 1, 1]), 0, 1)
    assert blocks.tolist() == [0, 1]
    assert scores.tolist() == [0.5, 0.75]
    assert ratings.block_scores(games(played, blocks=[0, 0, 1, 1]), 1, 0)[1].tolist() == [
        0.5,
        0.25,
    ]


@pytest.mark.parametrize(("freedom", "expected"), [(4, 2.776), (9, 2.262), (29, 2.045)])
def test_students_t_from_the_table(freedom, expected):
    assert float(ratings.t_quantile(freedom)) == pytest.approx(expected, abs=0.012)


def test_resampled_weights_are_draws_with_replacement():
    weights = np.array([ratings.resampled_weights(50, 7, k) for k in range(400)])
    assert (weights.sum(axis=1) == 50).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(50), abs=0.25)
    assert weights.var() == pytest.approx(1 - 1 / 50, abs=0.05)
    assert (weights[0] == ratings.resampled_weights(50, 7, 0)).all()
