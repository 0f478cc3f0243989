"""All contradictions in position files of Trajan are reported with their places."""

import copy

import pytest
from calls import problems
from trajan_boards import (
    at_action,
    before_quarter_end,
    board,
    ended,
    full_view,
    last_quarter,
    position,
)

from trajan_ai.core.errors import TrajanError
from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.views import view as view_of

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
        (put("options", {"speed": 1}), "options: unknown option 'speed'"),
        (put("options", "fast"), "options: must be a mapping, got 'fast'"),
        (
            put("senate_order", [None, 1]),
            "senate_order: must be a list of the players 0 to 1, each once",
        ),
        (put("players", []), "players: must be a list of 2, 3 or 4 players"),
        (put("players", 0, "supply", 12), "players[0]: 14 figures, but there must be 15"),
        (put("players", 1, "trays", "I", ["blue"]), "players[1].trays: 11 markers"),
        (put("players", 1, "trays", "I", ["red"]), "players[1].trays.I[0]: must be one of blue"),
        (put("players", 0, "arch", "VII"), "players[0].arch: must be one of I, II"),
        (put("players", 0, "arch", "centre"), "is in the centre, but must be on a free slot"),
        (
            put("players", 0, "slots", {"I": "points-blue-blue"}),
            "must not be on a slot with a Trajan",
        ),
        (put("players", 0, "hand", {"wheat": 5}), "goods: 6 x wheat, but the maximum is 5"),
        (put("players", 0, "known_cards", {"oil": 1}), "has cards that are not in the hand"),
        (put("players", 0, "hand_size", 4), "must be 0, the number of cards in hand"),
        (put("players", 0, "senate", 1), "players[0].senate: must be one of 0, 2"),
        (put("players", 0, "senate", 3), "must list the discs from the lowest space"),
        (put("players", 0, "workers", ["A1", "A1"]), "A1 is named twice"),
        (
            put("players", 0, "buildings", ["door2"]),
            "sites and buildings: 2 x door2, but the maximum is 1",
        ),
        (put("senate_order", [0, 0]), "senate_order: must be a list of the players"),
        (put("forum", {"wild-action": 3}), "forum tiles: 3 x wild-action, but the maximum is 2"),
        (put("forum_gone", {}), "list the tiles that left the game"),
        (put("extra_supply", {}), "extra_supply: 0 tiles, but there must be 9"),
        (put("demands", {"bread": 1}), "demands: 1 tiles, but there must be 0 in this round"),
        (put("demands_gone", {"bread": 1}), "demands_gone: 1 tiles, but there must be 0"),
        (
            put("bonus_offer", ["columns-furs"]),
            "bonus tiles: 2 x columns-furs, but the maximum is 1",
        ),
        (put("trajan_tops", {}), "trajan_tops: must contain cards, "),
        (put("trajan_gone", ["bread-pink-pink"]), "1 bread tiles, but players keep 0"),
        (
            put("trajan_gone", ["points-pink-pink"] * 2),
            "2 x points-pink-pink, but the maximum is 1",
        ),
        (put("discard_piles", {"left": ["gold"]}), "left[0]: must be one of unknown, columns"),
        (
            put("discard_piles", {"left": ["wine"] * 61}),
            "discard_piles: 61 cards, but there are only 60",
        ),
        (put("to_decide", {"player": 0, "decision": "fly"}), "decision: must be one of seaport"),
        (put("to_decide", {"player": 2, "decision": "sow"}), "to_decide.player: must be"),
        (
            put("to_decide", {"player": 0, "decision": "pair"}),
            "to_decide.action: is missing; it must be the action",
        ),
        (put("to_decide", "turn_of", 1), "must be the same as player at the decision sow"),
        (put("to_decide", "step", 3), "to_decide.step: must be at most 0 at the decision sow"),
        (put("to_decide", "extra_spent", 1), "extra_spent: must be true or false"),
        (put("to_decide", "after", "wheat"), "sow does not follow another choice"),
        (put("to_decide", "in_free_action", True), "is true, but free_action is missing"),
        (put("to_decide", "markers_in_hand", ["blue"]), "must be empty at the decision sow"),
        (put("to_decide", "colour", "blue"), "to_decide.colour: unknown key; keys are player"),
    ],
)
def test_contradictions_are_reported_with_their_places(change, message):
    messages = complaints(change)
    assert any(message in problem for problem in messages), messages


@pytest.mark.parametrize(
    ("decision", "most"),
    [
        ("sow", 0),
        ("drop", 0),
        ("marker", 11),
        ("goods", 2),
        ("start", 2),
        ("pair", 2),
        ("card", 3),
    ],
)
def test_a_decision_has_a_limited_number_of_steps(decision, most):
    for step in (most, most + 1):
        decided = {"player": 0, "decision": decision, "action": "seaport", "step": step}
        messages = ()
        try:
            GAME.rules.from_view(board() | {"to_decide": decided})
        except TrajanError as error:
            messages = error.messages
        assert any("to_decide.step: " in message for message in messages) == (step > most)


def at_bonus(**changes):
    """Return the full view at the consul's choice of a bonus tile, with changes."""
    view = full_view(ended(before_quarter_end()))
    del view["hidden"]
    return view | changes


def test_a_position_at_the_consuls_choice_can_be_read():
    assert position(at_bonus()) == ended(before_quarter_end())


def test_at_the_consuls_choice_all_discs_have_returned_to_the_start_space():
    view = at_bonus()
    view["players"][view["senate_order"][-1]]["senate"] = 3
    messages = problems(GAME.rules.from_view, view)
    assert messages == (
        f"players[{view['senate_order'][-1]}].senate: must be 0, because the senate ranking "
        "returns all discs to the start space",
    )


def test_the_consul_is_the_winner_of_the_senate():
    assert position(at_bonus(senate_order=[0, 1])).player == 1
    messages = problems(GAME.rules.from_view, at_bonus(senate_order=[1, 0]))
    assert messages == ("to_decide.player: must be the winner, 0, the last in senate_order",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"round": 3}, "round: must be 4 at the decision bonus, got 3"),
        ({"bonus_offer": ["bonus-workers"]}, "bonus_offer: 1 tiles, but there must be 2"),
        ({"quarter": 2}, "bonus tiles: the players have 2, but there must be 4 in quarter 2"),
        ({"track_order": [0, 1]}, "track_order: must be omitted, except with final_tie: track"),
    ],
)
def test_a_position_at_the_end_of_a_quarter_can_be_read(changes, message):
    messages = problems(GAME.rules.from_view, at_bonus(**changes))
    assert any(message in problem for problem in messages), messages


def test_track_order_is_required_with_final_tie_track():
    view = full_view(ended(last_quarter(final_tie="track")))
    del view["track_order"]
    messages = problems(GAME.rules.from_view, view)
    assert "track_order: is missing" in messages[0]
    messages = problems(GAME.rules.from_view, view | {"track_order": [0, 0]})
    assert "track_order: must be a list of the players 0 to 1, each once, got [0, 0]" in messages


def test_payment_decisions_need_the_option():
    view = before_quarter_end(demands={"bread": 3}, demand_payment="chosen")
    view["players"][1]["forum_tiles"] = {"bread": 3, "wild-demand": 1}
    view = full_view(ended(view))
    assert position(view).legal() == ["pay bread+bread+bread", "pay bread+bread+wild-demand"]
    del view["options"]["demand_payment"]
    messages = problems(GAME.rules.from_view, view)
    assert "to_decide.decision: payment requires the option demand_payment: chosen" in messages


def test_names_are_read_in_the_order_a_person_would_type_them():
    view = board()
    view["players"][0] |= {"slots": {"I": "points-blue-white"}, "arch": "II"}
    typed = copy.deepcopy(view)
    typed["players"][0]["slots"] = {"i": "points-white-blue"}
    typed["extra_supply"] = {
        "-".join(reversed(name.split("-"))): count for name, count in typed["extra_supply"].items()
    }
    assert position(typed) == position(view)


def test_a_misspelt_name_gets_a_suggestion():
    view = board()
    view["players"][0]["slots"] = {"I": "point-blue-white"}
    view["forum"] = {"bred": 1}
    view["colored_ships"] = view.pop("coloured_ships")
    messages = " ".join(problems(GAME.rules.from_view, view))
    assert "colored_ships: unknown key" in messages
    assert "did you mean 'coloured_ships'?" in messages
    view["coloured_ships"] = view.pop("colored_ships")
    messages = " ".join(problems(GAME.rules.from_view, view))
    assert "did you mean 'points-blue-white'?" in messages
    assert "did you mean 'bread'?" in messages


def test_missing_keys_are_reported():
    messages = problems(GAME.rules.from_view, {})
    assert "players: is missing; it must have a value such as [{trays: {..}, ..}, ..]" in messages
    assert "to_decide: is missing; it must have a value such as {player: 0, ..}" in messages
    assert complaints(lambda view: view["players"][0].pop("hand")) == (
        "players[0].hand: is missing; it must have a value such as {wheat: 2, fish: 1}",
    )


def test_an_observer_cannot_know_another_hand():
    view = board() | {"observer": 1}
    messages = problems(GAME.rules.from_view, view)
    assert "players[0].hand_size: is missing: a whole number from 0 to 60" in messages
    assert "players[0].hand: must be omitted, because the observer cannot know it" in messages


def test_a_decision_needs_two_legal_actions():
    view = at_action(board(), "forum")
    assert "fewer than two legal actions" in problems(GAME.rules.from_view, view)[0]


def test_a_hand_without_the_pending_decision_is_rejected():
    view = at_action(board(), "seaport") | {"observer": 1}
    view["to_decide"] |= {"decision": "play", "after": "wheat"}
    for own in view["players"]:
        own["known_cards"] = {}
    del view["players"][0]["hand"]
    view["players"][0]["hand_size"] = 0
    assert "fewer than two legal actions" in problems(GAME.rules.from_view, view)[0]


def test_hidden_stacks_must_equal_the_rest_of_the_components():
    view = GAME.rules.view(GAME.start(2, seed=1, markers="random"), None)
    view["hidden"]["demands"][0] = "games"
    view["hidden"]["goods_deck"].pop()
    messages = problems(GAME.rules.from_view, view)
    assert any(problem.startswith("hidden.goods_deck: 4 x ") for problem in messages)
    assert any(problem.startswith("hidden.demands: ") for problem in messages)


def test_the_public_view_names_the_observer():
    position = GAME.start(3, seed=1)
    assert view_of(position, 2)["observer"] == 2
    with pytest.raises(TrajanError, match="player must be 0 to 2, got 3"):
        position.view(3)
