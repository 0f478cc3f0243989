"""Schedules: equally many games in every seat, stable identities, and games made lazily."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.core.yamlfile import Document
from trajan_ai.tournaments import schedule
from trajan_ai.tournaments.plan_file import parse_plan


def plan(bots, *, version=1, **keys):
    """Return a plan for bots b0, b1, ..; `version` is the number of iterations of b0."""
    settings = [version, *range(2, bots + 1)]
    names = [{"name": f"b{k}", "kind": "ismcts", "iterations": n} for k, n in enumerate(settings)]
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
    for block in schedule.Schedule(tournament).blocks():
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
    games = list(schedule.Schedule(tournament).fixtures())
    assert len({game.id for game in games}) == len(games)
    assert len(games) == sum(schedule.Schedule(tournament).count_games().values())
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
    if bots >= players:  # with fewer bots, some have several seats, which a new bot changes
        before = {game.id for game in schedule.Schedule(small).fixtures()}
        assert before <= {game.id for game in schedule.Schedule(large).fixtures()}


def test_seed_options_and_settings_make_other_games():
    every = [
        {game.id for game in schedule.Schedule(tournament).fixtures()}
        for tournament in (
            plan(2), plan(2, seed=2), plan(2, options={"lap_length": 10}), plan(2, players=3),
        )
    ]  # fmt: skip
    assert len(set.union(*every)) == sum(len(ids) for ids in every)


def test_another_version_of_a_bot_gets_the_same_deals_and_other_games():
    """No two tables of a plan share a deal, because games of one deal are not independent."""
    ours, theirs = (
        list(schedule.Schedule(plan(3, version=version, deals=4, players=[2, 3])).blocks())
        for version in (1, 9)
    )
    for mine, other in zip(ours, theirs, strict=True):
        assert schedule.get_shuffle(mine.id) == schedule.get_shuffle(other.id)
        assert mine.fixtures[0].deal_seed == other.fixtures[0].deal_seed
        assert (mine.id == other.id) == (0 not in mine.table)
        same = {game.id for game in mine.fixtures} & {game.id for game in other.fixtures}
        assert bool(same) == (0 not in mine.table)
    assert len({schedule.get_shuffle(block.id) for block in ours}) == len(ours)


def test_a_long_schedule_is_lazy():
    tournament = plan(6, players=4, deals=10_000_000)
    assert len(list(islice(schedule.Schedule(tournament).fixtures(), 10))) == 10
    assert sum(schedule.Schedule(tournament).count_games().values()) == 10_000_000 * 15 * 4


@pytest.mark.parametrize(("players", "orders"), [(3, 2), (4, 6)])
def test_deals_take_the_circular_orders_in_turn(players, orders):
    """No bot always plays after the same neighbour."""
    tournament = plan(players, players=players, deals=orders)
    followers = Counter(
        (game.seats[seat], game.seats[(seat + 1) % players])
        for game in schedule.Schedule(tournament).fixtures()
        for seat in range(players)
    )
    assert len(followers) == players * (players - 1)
    assert len(set(followers.values())) == 1


TEST = {"test": {"bot": "b0", "against": "b1"}}


@pytest.mark.parametrize("seatings", ["011 101 110", "0011 0110 1001 1100"])
def test_bots_that_sit_twice_are_rotated_through_seatings_that_differ(seatings):
    """Each seating in a deal's circular order occurs once; rotation can turn ABAB into itself."""
    players = len(seatings.split()[0])
    for block in schedule.Schedule(plan(2, players=players, deals=6, **TEST)).blocks():
        rotations = sorted("".join(map(str, game.seats)) for game in block.fixtures)
        assert rotations == seatings.split()
        assert [game.rotation for game in block.fixtures] == [*range(len(rotations))]


@pytest.mark.parametrize(
    ("bots", "players", "keys", "tables"),
    [
        (2, 4, TEST, [(0, 0, 1, 1)]),
        (2, 3, TEST, [(0, 1, 1)]),
        (4, 3, TEST, [(0, 1, 2), (0, 1, 3)]),  # the other bots are only opponents
        (3, 4, {}, [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]),
        (5, 3, {"schedule": "gauntlet", "focus": ["b0", "b3"]},
         [(0, 1, 2), (0, 1, 4), (0, 2, 4), (1, 2, 3), (1, 3, 4), (2, 3, 4)]),
    ],
)  # fmt: skip
def test_the_tables_of_a_plan(bots, players, keys, tables):
    assert schedule.Schedule(plan(bots, players=players, **keys)).tables == tables
