"""Informative pairing: games go where they shrink the chosen uncertainty most."""

from itertools import combinations

import numpy as np

from trajan_ai.lab.simulation import play_tables, simulate
from trajan_ai.tournaments.pairing import choose
from trajan_ai.tournaments.ratings import fit, rate

TABLES = list(combinations(range(4), 2))


def nothing():
    return simulate((0.0,) * 4, 2, 1, seed=1).only(np.zeros(12, dtype=np.bool_))


def test_the_first_round_meets_everybody():
    assert sorted(choose(nothing(), TABLES, [0] * 6, 6)) == [0, 1, 2, 3, 4, 5]


def test_foregone_games_are_not_chosen_while_others_tell_more():
    """Equal games so far; of two opponents of the focus bot, the near one is met more often."""
    elo = (0.0, 20.0, -900.0)
    tables = [(0, 1), (0, 2), (1, 2)]
    results = simulate(elo, 2, 40, seed=1)
    chosen = choose(results, tables, [40] * 3, 30)
    assert chosen.count(0) < 10  # settled already: 0 and 1 are near each other
    assert chosen.count(1) + chosen.count(2) > 20  # the far one is where doubt is


def test_a_focus_takes_the_games_to_itself():
    results = simulate((0.0, 20.0, 40.0, 10.0), 2, 10, seed=1)
    chosen = choose(results, TABLES, [10] * 6, 60, focus=[0])
    assert sum(0 in TABLES[k] for k in chosen) > 40


def test_a_table_that_was_left_behind_is_caught_up():
    results = play_tables(np.array([[0, 1]] * 60 + [[0, 2]] * 60), (0.0, 0.0, 0.0, 0.0), seed=2)
    dealt = [60, 60, 0, 0, 0, 0]
    chosen = choose(results, TABLES, dealt, 12)
    assert sum(3 in TABLES[k] for k in chosen) >= 11


def test_of_tables_that_tell_the_same_the_less_often_dealt_comes_first():
    """The pair 0 and 1 stands there twice; the second was dealt two blocks less."""
    assert choose(nothing(), [(0, 1), (0, 1)], [2, 0], 5) == [1, 1, 0, 1, 0]


def test_informative_games_beat_all_pairs_at_the_focus():
    """At equal cost the focus bot's worst interval is narrower than with a round robin."""
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
