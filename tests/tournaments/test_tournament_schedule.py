"""Schedules: every bot equally often in every seat, identities that last, all of it lazy."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.files.yamlfile import Document
from trajan_ai.tournaments import schedule
from trajan_ai.tournaments.config import parse_plan


def plan(bots, **keys):
    names = [{"name": f"b{k}", "kind": "ismcts", "iterations": k + 1} for k in range(bots)]
    data = {"name": "t", "game": "trajan", "bots": names} | keys
    return parse_plan(Document("plan", data, {}))


PLANS = st.builds(
    plan,
    st.integers(2, 6),
    players=st.integers(2, 4),
    deals=st.integers(1, 7),
    rotations=st.sampled_from(["cyclic", "all"]),
    seed=st.integers(0, 3),
)


@settings(deadline=None, max_examples=40)
@given(PLANS)
def test_every_bot_sits_equally_often_in_every_seat_of_a_deal(tournament):
    for block in schedule.blocks(tournament):
        seats = Counter(
            (bot, seat) for game in block.fixtures for seat, bot in enumerate(game.seats)
        )
        for bot in block.table:
            assert len({seats[bot, seat] for seat in range(len(block.table))}) == 1
        assert len({game.deal_seed for game in block.fixtures}) == 1
        assert all(sorted(game.seats) == list(block.table) for game in block.fixtures)


@settings(deadline=None, max_examples=40)
@given(PLANS)
def test_identities_are_unique_and_counted(tournament):
    games = list(schedule.fixtures(tournament))
    assert len({game.id for game in games}) == len(games)
    assert len(games) == sum(schedule.count_games(tournament).values())
    if len(tournament.bots) >= tournament.players[0]:
        assert all(len(set(game.seats)) == len(game.seats) for game in games)


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 5), st.integers(2, 4), st.integers(1, 4), st.randoms(use_true_random=False))
def test_identities_survive_new_bots_more_deals_and_another_order(bots, players, deals, random):
    small = plan(bots, players=players, deals=deals)
    names = [bot.resolved() for bot in plan(bots + 1).bots]
    random.shuffle(names)
    data = {"name": "u", "game": "trajan", "bots": names, "players": players, "deals": deals + 2}
    large = parse_plan(Document("plan", data, {}))
    if bots >= players:  # with fewer, tables double their bots; a new bot makes other tables
        before = {game.id for game in schedule.fixtures(small)}
        assert before <= {game.id for game in schedule.fixtures(large)}


def test_seed_options_and_settings_make_other_games():
    every = [
        {game.id for game in schedule.fixtures(tournament)}
        for tournament in (
            plan(2), plan(2, seed=2), plan(2, options={"lap_length": 10}), plan(2, players=3),
        )
    ]  # fmt: skip
    assert len(set.union(*every)) == sum(len(ids) for ids in every)


def test_a_long_schedule_is_lazy():
    tournament = plan(6, players=4, deals=10_000_000)
    assert len(list(islice(schedule.fixtures(tournament), 10))) == 10
    assert sum(schedule.count_games(tournament).values()) == 10_000_000 * 15 * 4


@pytest.mark.parametrize(("players", "orders"), [(3, 2), (4, 6)])
def test_deals_take_the_circular_orders_in_turn(players, orders):
    """Nobody always plays after the same neighbour."""
    tournament = plan(players, players=players, deals=orders)
    followers = Counter(
        (game.seats[seat], game.seats[(seat + 1) % players])
        for game in schedule.fixtures(tournament)
        for seat in range(players)
    )
    assert len(followers) == players * (players - 1)
    assert len(set(followers.values())) == 1


def test_a_bot_that_sits_twice_is_rotated_through_all_seatings():
    """A A B: the seatings AAB, ABA and BAA, each once, whatever the deal's circular order."""
    tournament = plan(2, players=3, deals=4, test={"bot": "b0", "against": "b1"})
    for block in schedule.blocks(tournament):
        assert sorted(game.seats for game in block.fixtures) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
        assert [game.rotation for game in block.fixtures] == [0, 1, 2]


def test_four_seats_for_two_bots_give_each_seat_to_each_twice():
    """A A B B is rotated as AABB, ABBA, BBAA and BAAB; ABAB would turn into itself."""
    tournament = plan(2, players=4, deals=6, test={"bot": "b0", "against": "b1"})
    for block in schedule.blocks(tournament):
        assert {game.seats for game in block.fixtures} == {
            (0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1),
        }  # fmt: skip


def test_a_gauntlet_seats_one_focus_bot_at_every_table():
    tournament = plan(5, players=3, schedule="gauntlet", focus=["b0", "b3"])
    tables = schedule.tables(tournament)
    assert len(tables) == 2 * 3
    assert all(len({0, 3} & set(table)) == 1 for table in tables)


def test_a_sequential_test_fills_the_table_with_its_two_bots_or_a_field():
    test = {"bot": "b0", "against": "b1"}
    assert schedule.tables(plan(2, players=4, test=test)) == [(0, 0, 1, 1)]
    assert schedule.tables(plan(2, players=3, test=test)) == [(0, 1, 1)]
    assert schedule.tables(plan(4, players=3, test=test)) == [(0, 1, 2), (0, 1, 3)]


def test_few_bots_fill_large_tables_evenly():
    assert schedule.tables(plan(3, players=4)) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]
