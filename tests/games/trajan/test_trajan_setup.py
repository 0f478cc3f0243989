"""All problems with options, setups and components of Trajan are reported."""

import copy
from collections import Counter

import pytest
from calls import problems

from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.mcts.knowledge import play_by_policy

# ---- Options and setups -----------------------------------------------------------------------


def test_wrong_options_are_reported_with_allowed_values():
    messages = problems(GAME.start, 2, lap_length=0, markers="free", tile_effects=1, speed=3)
    assert len(messages) == 4
    assert "trajan: option lap_length must be an integer from 1 to 4000, got 0" in messages
    assert problems(GAME.start, 2, wild_demand_scores="yes")
    assert problems(GAME.start, 2, lap_length=True)


def test_the_longest_lap_can_be_played():
    position = GAME.start(4, seed=1, lap_length=4000, markers="random")
    scores, met = play_by_policy(position, [GAME.default_weights] * 4, 1, 1000)
    assert len(scores) == 4
    turns = [position.turn for position in met]
    assert turns == sorted(turns)
    assert turns[-1] > 10_000


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
    messages = problems(GAME.restore, 2, setup)
    places = " ".join(messages)
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


def test_a_setup_has_markers_only_with_the_option_random(setup):
    assert (
        "setup.markers: is missing; it must have a value such as [..]"
        in problems(GAME.restore, 2, setup, markers="random")[0]
    )
    setup["markers"] = [["blue"] * 12] * 2
    assert "setup.markers: unknown key" in problems(GAME.restore, 2, setup)[0]
    assert (
        "12 x blue, but there must be 2" in problems(GAME.restore, 2, setup, markers="random")[0]
    )
    setup["markers"] = []
    assert "list of 2 lists" in problems(GAME.restore, 2, setup, markers="random")[0]


@pytest.mark.parametrize("setup", [None, [], "deck"])
def test_a_setup_is_an_object(setup):
    assert problems(GAME.restore, 2, setup)


# ---- Components -------------------------------------------------------------------------------


def test_components_have_the_printed_numbers():
    supplies = (C.forum_supply(), C.extra_supply(), C.goods_deck(), C.demand_tiles())
    assert [len(supply) for supply in supplies] == [70, 12, 60, 15]
    board = (C.buildings, C.sites, C.provinces, C.bonus_tiles)
    assert [len(names) for names in board] == [20, 20, 10, 12]
    assert [len(C.stack_names(stack)) for stack in C.stacks] == [9] * 6
    colours = Counter(colour for tile in C.tiles for colour in tile.colours)
    assert colours == dict.fromkeys(C.colours, 18)
    assert {C.forum_supply().count(tile) for tile in C.extra_tiles} == {1}
