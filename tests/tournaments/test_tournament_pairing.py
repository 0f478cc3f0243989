"""Informative pairing chooses the games that reduce the chosen uncertainty most."""

from itertools import combinations

import numpy as np

from trajan_ai.lab.simulation import play_tables, simulate
from trajan_ai.tournaments.pairing import choose
from trajan_ai.tournaments.ratings import fit, rate

TABLES = list(combinations(range(4), 2))


def nothing():
    return simulate((0.0,) * 4, 2, 1, seed=1).only(np.zeros(12, dtype=np.bool_))


def test_all_bots_meet_in_the_first_round():
    assert sorted(choose(nothing(), TABLES, [0] * 6, 6)) == [0, 1, 2, 3, 4, 5]


def test_decided_pairings_are_chosen_less_often():
    """After equal numbers of games, pairs with a bot of uncertain rating are chosen more often."""
    elo = (0.0, 20.0, -900.0)
    tables = [(0, 1), (0, 2), (1, 2)]
    results = simulate(elo, 2, 40, seed=1)
    chosen = choose(results, tables, [40] * 3, 30)
    assert chosen.count(0) < 10  # games of similar bots are informative, so this pair is settled
    assert chosen.count(1) + chosen.count(2) > 20  # the rating of the distant bot is uncertain


def test_a_focus_takes_the_games_to_itself():
    results = simulate((0.0, 20.0, 40.0, 10.0), 2, 10, seed=1)
    chosen = choose(results, TABLES, [10] * 6, 60, focus=[0])
    assert sum(0 in TABLES[k] for k in chosen) > 40


def test_a_table_with_fewer_deals_is_preferred():
    results = play_tables(np.array([[0, 1]] * 60 + [[0, 2]] * 60), (0.0, 0.0, 0.0, 0.0), seed=2)
    dealt = [60, 60, 0, 0, 0, 0]
    chosen = choose(results, TABLES, dealt, 12)
    assert sum(3 in TABLES[k] for k in chosen) >= 11


def test_equal_tables_are_chosen_by_number_of_deals():
    """The pair of bots 0 and 1 is listed twice, the second time with two deals fewer."""
    assert choose(nothing(), [(0, 1), (0, 1)], [2, 0], 5) == [1, 1, 0, 1, 0]


def test_informative_games_beat_all_pairs_at_the_focus():
    """At equal cost, the widest interval relative to the focus bot is narrower than after a round
    robin."""
    elo = (0.0, 30.0, -30.0, 200.0)
    rounds = np.zeros((0, 2), dtype=np.int64)
    dealt = [0] * 6
    results = nothing()
    for _ in range(6):
        chosen = choose(results, TABLES, dealt, 40, focus=[0])
        for k in chosen:
            dealt[k] += 1
        rounds = np.concatenate([rounds, np.array([TABLES[k] for k in chosen])])
        results = play_tables(rounds, elo, seed=3)
    focused = rate(fit(results), anchor=0)
    every = rate(fit(simulate(elo, 2, 40, seed=3)), anchor=0)
    assert len(results) == 2 * 240 == 2 * 6 * 40
    assert (focused.high - focused.low).max() < (every.high - every.low).max()
