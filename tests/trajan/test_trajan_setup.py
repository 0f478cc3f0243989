"""Trajan, section 2: setup; and what is wrong with options and setups is said, all of it."""

import copy
from collections import Counter

import pytest
from calls import played, problems
from trajan_boards import own, seen

from trajan_ai.mcts.knowledge import play_by_policy
from trajan_ai.trajan import GAME
from trajan_ai.trajan.components import COMPONENTS as C

# ---- Section 2: setup -------------------------------------------------------------------------


def test_a_first_colour_must_leave_a_second_that_is_not_before_it():
    start = GAME.start(2, seed=1)
    assert "marker yellow" in start.legal()
    after = played(start, "marker green")
    assert "marker blue" not in after.legal()
    assert "marker green" in after.legal()
    after = played(after, "marker yellow")
    assert "marker yellow" not in after.legal()  # one yellow is left, and nothing after it


def test_every_player_places_all_markers_before_the_next_and_cards_come_after():
    start = GAME.start(3, seed=1)
    order = []
    while seen(start)["to_decide"]["decision"] == "marker":
        order.append(start.player)
        start = start.after(start.legal()[0])
    assert order == sorted(order)
    assert start.turn == 3
    assert start.player == 0
    assert start.legal() == ["goods deck", "goods left", "goods right"]


def test_discard_piles_start_with_the_first_two_cards_and_are_refilled():
    start = GAME.start(2, seed=5, markers="random")
    deck = start.origin[2]["goods_deck"]
    assert seen(start)["discard_piles"] == {"left": [deck[0]], "right": [deck[1]]}
    after = start.after("goods left")
    assert seen(after)["discard_piles"] == {"left": [deck[2]], "right": [deck[1]]}


def test_starting_tiles_come_from_three_stacks_and_the_next_tile_shows():
    start = played(GAME.start(2, seed=5, markers="random"), *["goods deck"] * 6)
    tiles = start.origin[2]["trajan_stacks"]["points"]
    after = start.after("start points")
    assert "start points" not in after.legal()
    assert own(after)["slots"] == {"II": tiles[0]}
    assert seen(after)["trajan_tops"]["points"] == tiles[1]
    after = played(after, "start cards", "start plus2")
    assert sorted(own(after)["slots"]) == ["II", "IV", "VI"]
    assert after.player == 1
    assert "start points" in after.legal()


# ---- Options and setups -----------------------------------------------------------------------


def test_every_wrong_option_is_named_with_what_is_allowed():
    found = problems(GAME.start, 2, lap_length=0, markers="free", tile_effects=1, speed=3)
    assert len(found) == 4
    assert "trajan: option lap_length must be an integer from 1 to 4000, got 0" in found
    assert problems(GAME.start, 2, wild_demand_scores="yes")
    assert problems(GAME.start, 2, lap_length=True)


def test_the_longest_lap_can_be_played():
    position = GAME.start(4, seed=1, lap_length=4000, markers="random")
    scores, met = play_by_policy(position, [GAME.default_weights] * 4, 1, 1000)
    assert len(scores) == 4
    turns = [position.turn for position in met]
    assert turns == sorted(turns)
    assert turns[-1] > 10_000


@pytest.mark.parametrize("players", [1, 5, "2"])
def test_players_are_two_to_four(players):
    assert problems(GAME.rules.check, players, {})


def test_deals_depend_on_the_seed_alone():
    options = GAME.rules.check(3, {"markers": "random"})
    assert GAME.rules.deal(3, 5, options) == GAME.rules.deal(3, 5, options)
    assert GAME.rules.deal(3, 5, options) != GAME.rules.deal(3, 6, options)


@pytest.fixture
def setup():
    return copy.deepcopy(GAME.start(2, seed=1).origin[2])


def test_every_problem_of_a_setup_is_reported(setup):
    setup["goods_deck"][0] = "gold"
    setup["demands"].pop()
    setup["extra"] = []
    del setup["buildings"]
    setup["trajan_stacks"]["cards"] = "none"
    setup["bonus_tiles"][0] = 7
    found = problems(GAME.restore, 2, setup)
    places = " ".join(found)
    for place in (
        "goods_deck",
        "demands",
        "extra",
        "buildings",
        "trajan_stacks.cards",
        "bonus_tiles[0]",
    ):
        assert place in places


def test_tiles_of_a_setup_may_be_typed_with_their_colours_in_any_order(setup):
    plain = GAME.restore(2, setup)
    stack = setup["trajan_stacks"]["workers"]
    stack[stack.index("worker1-blue-green")] = "Worker1-Green-Blue"
    assert GAME.restore(2, setup) == plain
    setup["demands"][0] = "game"
    assert "did you mean 'games'?" in problems(GAME.restore, 2, setup)[0]


def test_markers_are_given_exactly_when_they_are_random(setup):
    assert (
        "setup.markers: is missing, such as [..]"
        in problems(GAME.restore, 2, setup, markers="random")[0]
    )
    setup["markers"] = [["blue"] * 12] * 2
    assert "setup.markers: unknown key" in problems(GAME.restore, 2, setup)[0]
    assert "12 x blue, there must be 2" in problems(GAME.restore, 2, setup, markers="random")[0]
    setup["markers"] = []
    assert "list of 2 lists" in problems(GAME.restore, 2, setup, markers="random")[0]


@pytest.mark.parametrize("setup", [None, [], "deck"])
def test_a_setup_is_an_object(setup):
    assert problems(GAME.restore, 2, setup)


# ---- Components -------------------------------------------------------------------------------


def test_the_components_are_those_of_section_8():
    supplies = (C.forum_supply(), C.extra_supply(), C.goods_deck(), C.demand_tiles())
    assert [len(supply) for supply in supplies] == [70, 12, 60, 15]
    board = (C.buildings, C.sites, C.provinces, C.bonus_tiles)
    assert [len(names) for names in board] == [20, 20, 10, 12]
    assert [len(C.stack_names(stack)) for stack in C.stacks] == [9] * 6
    colours = Counter(colour for tile in C.tiles for colour in tile.colours)
    assert colours == dict.fromkeys(C.colours, C.data["copies_of_colour_on_tiles"])
    assert {C.forum_supply().count(tile) for tile in C.extra_tiles} == {1}


def test_borders_of_provinces_are_mutual():
    borders = {(one, other) for one, others in C.data["neighbours"].items() for other in others}
    assert borders == {(other, one) for one, other in borders}
