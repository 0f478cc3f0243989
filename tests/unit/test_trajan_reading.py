"""Trajan's borders: setups, options and position files say what is wrong, all of it, and where."""

import copy

import pytest
from trajan_boards import at_action, board

from trajan_ai.core.errors import TrajanError
from trajan_ai.trajan import GAME
from trajan_ai.trajan.components import FILE, read_components
from trajan_ai.trajan.engine import play_by_policy
from trajan_ai.trajan.views import view as view_of


def problems(call, *arguments, **options):
    with pytest.raises(TrajanError) as caught:
        call(*arguments, **options)
    assert all("\n" not in problem for problem in caught.value.problems)
    return caught.value.problems


# ---- Options and setups -----------------------------------------------------------------------


def test_every_wrong_option_is_named_with_what_is_allowed():
    found = problems(GAME.start, 2, lap_length=0, markers="free", tile_effects=1, speed=3)
    assert len(found) == 4
    assert "trajan: option lap_length must be an integer from 1 to 4000, got 0" in found
    assert problems(GAME.start, 2, wild_demand_scores="yes")
    assert problems(GAME.start, 2, lap_length=True)


def test_the_longest_lap_can_be_played():
    position = GAME.start(4, seed=1, lap_length=4000, markers="random")
    scores, states = play_by_policy(position.to_bytes(), [GAME.default_weights] * 4, 1, 1000)
    assert len(scores) == 4
    turns = [GAME.from_bytes(state).turn for state in states]
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


def test_markers_are_given_exactly_when_they_are_random(setup):
    assert "setup: markers is missing" in problems(GAME.restore, 2, setup, markers="random")[0]
    setup["markers"] = [["blue"] * 12] * 2
    assert "unknown key 'markers'" in problems(GAME.restore, 2, setup)[0]
    assert "12 x 'blue', there must be 2" in problems(GAME.restore, 2, setup, markers="random")[0]
    setup["markers"] = []
    assert "list of 2 lists" in problems(GAME.restore, 2, setup, markers="random")[0]


@pytest.mark.parametrize("setup", [None, [], "deck"])
def test_a_setup_is_an_object(setup):
    assert problems(GAME.restore, 2, setup)


# ---- Position files ---------------------------------------------------------------------------


def complaints(change):
    view = board()
    change(view)
    return problems(GAME.rules.from_view, view)


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(view):
        for key in path:
            view = view[key]
        view[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("quarter", 5), "quarter: must be a whole number from 1 to 4, got 5"),
        (put("round", "one"), "round: must be a whole number"),
        (put("time_marker", 11), "time_marker: must be a whole number from 0 to 10"),
        (put("options", {"speed": 1}), "options: trajan: unknown option 'speed'"),
        (put("options", 3), "options: must be a mapping"),
        (put("seats", []), "seats: must be a list of 2 players"),
        (put("seats", 0, "supply", 12), "seats[0]: 14 figures, there must be 15"),
        (put("seats", 1, "trays", "I", ["blue"]), "seats[1].trays: 11 markers"),
        (put("seats", 1, "trays", "I", ["red"]), "seats[1].trays.I[0]: must be one of blue"),
        (put("seats", 0, "arch", "VII"), "seats[0].arch: must be one of I, II"),
        (put("seats", 0, "arch", "centre"), "stands in the centre only while all slots"),
        (put("seats", 0, "slots", {"I": "points-blue-blue"}), "stands on a slot with a Trajan"),
        (put("seats", 0, "hand", {"wheat": 5}), "goods: 6 x wheat, there are 5"),
        (put("seats", 0, "known_cards", {"oil": 1}), "has cards that are not in the hand"),
        (put("seats", 0, "hand_size", 4), "the hand has 0 cards"),
        (put("seats", 0, "senate", 1), "seats[0].senate: must be one of 0, 2"),
        (put("seats", 0, "senate", 3), "must list the discs from the lowest space"),
        (put("seats", 0, "workers", ["A1", "A1"]), "A1 is named twice"),
        (put("seats", 0, "buildings", ["door2"]), "sites and buildings: 2 x door2, there are 1"),
        (put("senate_order", [0, 0]), "senate_order: must have each player"),
        (put("forum", {"wild-action": 3}), "forum tiles: 3 x wild-action, there are 2"),
        (put("forum_gone", {}), "list the tiles that left the game"),
        (put("extra_supply", {}), "extra_supply: 0 tiles, there must be 9"),
        (put("demands", {"bread": 1}), "demands: 1 tiles, there must be 0 in this round"),
        (put("demands_gone", {"bread": 1}), "demands_gone: 1 tiles, there must be 0"),
        (put("bonus_offer", ["columns-furs"]), "bonus tiles: 2 x columns-furs, there are 1"),
        (put("trajan_tops", {}), "trajan_tops: cards is missing; 9 tiles are not seen"),
        (put("trajan_gone", ["bread-pink-pink"]), "1 bread tiles, but players keep 0"),
        (put("trajan_gone", ["points-pink-pink"] * 2), "2 x points-pink-pink, there are 1"),
        (put("discard_piles", {"left": ["gold"]}), "discard_piles: right is missing"),
        (put("to_decide", {"player": 0, "decision": "fly"}), "decision: must be one of seaport"),
        (put("to_decide", {"player": 2, "decision": "sow"}), "to_decide.player: must be"),
        (put("to_decide", "turn_of", 1), "is decided by the player whose turn it is"),
        (put("to_decide", "step", 3), "to_decide.step: must be at most 0 at sow"),
        (put("to_decide", "extra_spent", 1), "extra_spent: must be true or false"),
        (put("to_decide", "after", "wheat"), "sow does not follow another choice"),
        (put("to_decide", "in_free_action", True), "there is no free_action"),
        (put("to_decide", "markers_in_hand", ["blue"]), "must be empty at the decision sow"),
        (put("to_decide", "colour", "blue"), "to_decide: unknown key 'colour'"),
        (put("weather", "fine"), "view: unknown key 'weather'"),
        (put("players", 3), "seats: must be a list of 3 players"),
    ],
)
def test_contradictions_are_named_with_their_places(change, message):
    found = complaints(change)
    assert any(message in problem for problem in found), found


def test_several_contradictions_are_reported_at_once():
    def change(view):
        view["seats"][0]["supply"] = 12
        view["demands"] = {"bread": 2}
        view["seats"][1]["trays"]["I"] = []

    assert len(complaints(change)) == 3


def test_missing_keys_are_named():
    found = problems(GAME.rules.from_view, {})
    assert "view: players is missing" in found
    assert "view: seats is missing" in found


def test_an_observer_cannot_know_another_hand():
    view = board() | {"observer": 1}
    found = problems(GAME.rules.from_view, view)
    assert "seats[0]: hand_size is missing" in found
    assert "seats[0].hand: player 1 cannot know it" in found


def test_a_decision_needs_two_legal_actions():
    view = at_action(board(), "forum")
    assert "fewer than two legal actions" in problems(GAME.rules.from_view, view)[0]


def test_a_hand_that_cannot_have_the_decision_is_refused():
    view = at_action(board(), "seaport") | {"observer": 1}
    view["to_decide"] |= {"decision": "play", "after": "wheat"}
    for seat in view["seats"]:
        seat["known_cards"] = {}
    del view["seats"][0]["hand"]
    view["seats"][0]["hand_size"] = 0
    assert "fewer than two legal actions" in problems(GAME.rules.from_view, view)[0]


def test_hidden_stacks_must_be_what_exclusion_leaves():
    view = GAME.rules.view(GAME.start(2, seed=1, markers="random"), None)
    view["hidden"]["demands"][0] = "games"
    view["hidden"]["goods_deck"].pop()
    found = problems(GAME.rules.from_view, view)
    assert "hidden.goods_deck: is not what must be there by exclusion" in found


def test_the_public_view_names_the_observer():
    position = GAME.start(3, seed=1)
    assert view_of(position, 2)["observer"] == 2
    with pytest.raises(TrajanError, match="player must be 0 to 2, got 3"):
        position.view(3)


# ---- Components -------------------------------------------------------------------------------


def test_components_are_checked_against_themselves(tmp_path):
    text = FILE.read_text(encoding="utf-8")
    path = tmp_path / "components.yaml"
    path.write_text(
        text.replace("votes2: 3", "votes2: 4")
        .replace("noricum: [raetia]", "noricum: [raetia, alpes]")
        .replace("[OO, BB, YG, YY", "[OO, BB, YG, YG"),
        encoding="utf-8",
    )
    found = problems(read_components, path)
    assert any("forum_supply: 71, there must be 70" in problem for problem in found)
    assert any("alpes does not have noricum as neighbour" in problem for problem in found)
    assert any("17 x yellow, there must be 18" in problem for problem in found)
