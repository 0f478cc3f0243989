"""Engines and slow references agree on actions, boards, scores, ranks, events and knowledge."""

import pytest
from differential import TABLES, Difference, at_random, play

from trajan_ai import records

EVERY_TABLE = [(name, players) for name in TABLES for players in (2, 3, 4)]
LARGER_LONG = [
    pytest.param(*table, marks=pytest.mark.long if table[1] > 2 else ()) for table in EVERY_TABLE
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), EVERY_TABLE)
def test_games_of_curious_players_agree(name, players):
    assert all(play(name, players, 10 * players + seed) > 20 for seed in range(6))


@pytest.mark.parametrize(("name", "players"), EVERY_TABLE)
def test_random_games_agree(name, players):
    assert all(play(name, players, 10 * players + seed, at_random) > 20 for seed in range(2))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), LARGER_LONG)
def test_rates_features_and_policy_are_those_of_plain_twins(name, players):
    """Eight games of two players reach rare rules, such as wild tiles in a shipment of pairs."""
    for seed in range(8 if players == 2 else 1):
        play(name, players, players + seed, knowledge=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name in TABLES for fault in TABLES[name].FAULTS]
)
def test_a_faulty_reference_is_noticed(name, fault):
    table = TABLES[name]
    faulty = type("Faulty", (table.REFERENCE,), {fault: table.FAULTS[fault]})
    with pytest.raises(Difference) as caught:
        all(play(name, 2, seed, reference=faulty) for seed in range(80))
    record = records.parse(str(caught.value).splitlines()[-1])
    *_, last = records.positions(record)
    assert last.ply == len(record["actions"])
