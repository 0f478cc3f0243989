"""Trajan, sections 4 and 7: each action, its moves and their notation."""

import pytest
from trajan_boards import at_action, board, empty_deck, own, played, position, seen

from trajan_ai.trajan import GAME


def seaport(hand=None, **tiles):
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = hand or {}
    view["players"][0]["forum_tiles"] = {name.replace("_", "-"): n for name, n in tiles.items()}
    return view


# ---- Seaport ----------------------------------------------------------------------------------


def test_draw_two_then_discard_any_card_on_either_pile():
    start = position(seaport({"fish": 1})).after("draw")
    assert own(start)["hand_size"] == 3
    assert {"discard fish left", "discard fish right"} <= set(start.legal())
    after = start.after("discard fish left")
    assert seen(after)["discard_piles"]["left"] == ["wheat", "fish"]
    assert after.player == 1


def test_take_the_top_card_and_refill_an_empty_pile_from_the_deck():
    after = position(seaport()).after("take left")
    assert own(after)["hand"] == {"wheat": 1}
    assert own(after)["known_cards"] == {"wheat": 1}
    assert len(seen(after)["discard_piles"]["left"]) == 1
    view = seaport()
    view["discard_piles"]["left"] = ["gems", "wheat"]
    after = position(view).after("take left")
    assert seen(after)["discard_piles"]["left"] == ["gems"]


def test_an_emptied_pile_is_refilled_with_the_last_card_of_the_deck():
    view = empty_deck(seaport())
    view["players"][1]["display"]["fish"] -= 1
    after = position(view).after("take left")
    assert seen(after)["discard_piles"] == {"left": ["fish"], "right": ["oil"]}


def test_play_two_then_draw_two():
    start = position(seaport({"fish": 2, "gems": 1, "oil": 1})).after("play fish")
    assert start.legal() == ["play fish", "play gems", "done"]  # not before the first
    after = start.after("play fish")
    assert own(after)["display"] == {"fish": 2}
    assert own(after)["hand_size"] == 4
    after = start.after("done")
    assert own(after)["display"] == {"fish": 1}
    assert own(after)["hand_size"] == 4


def test_play_of_the_last_card_needs_no_second_choice():
    after = position(seaport({"wheat": 1, "oil": 1})).after("play wheat")
    assert after.player == 1
    assert own(after)["hand_size"] == 2


def test_ship_equal_offers_every_number_of_cards_and_wilds():
    legal = position(seaport({"fish": 3}, wild_goods=2)).legal()
    offered = {action for action in legal if action.startswith("ship equal")}
    assert offered == {
        *(f"ship equal fish {n} 0" for n in (1, 2, 3)),
        *(f"ship equal fish {n} 1" for n in (1, 2, 3)),
        *(f"ship equal fish {n} 2" for n in (1, 2)),
        "ship equal wild 0 1",
        "ship equal wild 0 2",
    }
    legal = position(seaport({"fish": 5})).legal()
    assert sum(action.startswith("ship equal") for action in legal) == 4


@pytest.mark.parametrize(
    ("action", "vp", "grey"),
    [
        ("ship equal fish 1 0", 2, 0),
        ("ship equal fish 2 0", 6, 1),
        ("ship equal fish 3 0", 12, 7),
        ("ship equal fish 4 0", 20, 15),
        ("ship equal fish 3 1", 20, 15),
        ("ship equal wild 0 3", 12, 7),
    ],
)
def test_ship_equal_scores_and_turns_the_ship_grey(action, vp, grey):
    view = seaport({"fish": 4}, wild_goods=3)
    after = position(view).after(action)
    assert after.scores == [vp, 0]
    assert seen(after)["coloured_ships"] == ["pairs", "different"]
    view["coloured_ships"] = []
    assert position(view).after(action).scores == [grey, 0]


def test_shipped_cards_enter_the_display_and_wilds_leave_the_game():
    after = position(seaport({"fish": 3}, wild_goods=2)).after("ship equal fish 2 1")
    assert own(after)["display"] == {"fish": 2}
    assert own(after)["hand"] == {"fish": 1}
    assert own(after)["forum_tiles"] == {"wild-goods": 1}
    assert seen(after)["forum_gone"]["wild-goods"] == 1


@pytest.mark.parametrize(("number", "vp", "grey"), [(1, 5, 1), (2, 10, 6), (3, 15, 11)])
def test_ship_pairs_of_different_goods_in_increasing_order(number, vp, grey):
    view = seaport({"furs": 2, "oil": 2, "fish": 4, "gems": 2})
    for coloured, score in (("pairs", vp), ("equal", grey)):
        view["coloured_ships"] = [coloured]
        after = position(view).after("ship pairs")
        for pair in ("pair furs", "pair oil", "pair fish")[:number]:
            after = after.after(pair)
        if number < 3:
            assert "pair furs" not in after.legal()
            after = after.after("done")
        assert after.scores == [score, 0]  # a third pair ends the shipment


def test_four_equal_cards_are_one_pair():
    after = played(position(seaport({"fish": 4})), "ship pairs")
    assert after.scores == [5, 0]
    assert own(after)["hand"] == {"fish": 2}


def test_a_pair_of_a_card_and_a_wild_is_offered_with_two_cards_too():
    start = position(seaport({"fish": 2, "oil": 1}, wild_goods=3)).after("ship pairs")
    assert "after" not in seen(start)["to_decide"]
    assert start.legal() == ["pair fish", "pair oil wild", "pair fish wild", "pair wild wild"]
    after = start.after("pair wild wild")  # only wilds may follow, one is left
    assert after.scores == [5, 0]
    after = played(start, "pair oil wild")
    assert after.legal() == ["pair fish", "pair fish wild", "pair wild wild", "done"]
    assert seen(after)["to_decide"]["after"] == "oil"


def test_ship_pairs_needs_a_pair():
    assert "ship pairs" not in position(seaport({"fish": 1, "oil": 1})).legal()
    assert "ship pairs" not in position(seaport({}, wild_goods=1)).legal()
    assert "ship pairs" in position(seaport({"fish": 1}, wild_goods=1)).legal()
    assert "ship pairs" in position(seaport({}, wild_goods=2)).legal()


@pytest.mark.parametrize(("number", "vp", "grey"), [(1, 2, 0), (2, 4, 1), (3, 6, 3), (4, 8, 5)])
def test_ship_different_cards(number, vp, grey):
    view = seaport({"columns": 1, "furs": 2, "oil": 1, "fish": 1, "gems": 1})
    for coloured, score in (("different", vp), ("equal", grey)):
        view["coloured_ships"] = [coloured]
        after = position(view).after("ship different")
        for card in ("card columns", "card furs", "card oil", "card fish")[:number]:
            after = after.after(card)
        if number < 4:
            assert "card columns" not in after.legal()
            after = after.after("done")
        assert after.scores == [score, 0]


def test_after_a_wild_card_only_wilds_follow():
    start = played(position(seaport({"fish": 1}, wild_goods=2)), "ship different", "card wild")
    assert start.legal() == ["card wild", "done"]
    assert start.after("card wild").scores == [4, 0]


def test_nothing_is_possible_without_cards():
    view = empty_deck(seaport())
    view["players"][1]["display"]["wheat"] = 5
    view["players"][1]["display"]["oil"] = 5
    view["discard_piles"] = {"left": [], "right": []}
    view["forum"] = {"bread": 1}
    view["to_decide"] = {"player": 0, "decision": "sow", "turn_of": 0}
    assert position(view).after("sow V").player == 1


def test_known_cards_leave_first():
    view = seaport({"fish": 2, "oil": 1})
    view["players"][0]["known_cards"] = {"fish": 1}
    after = position(view).after("ship equal fish 1 0")
    assert own(after)["known_cards"] == {}
    view["players"][0]["known_cards"] = {"fish": 2}
    after = position(view).after("ship equal fish 1 0")
    assert own(after)["known_cards"] == {"fish": 1}


# ---- Section 9: rulings on the goods deck -----------------------------------------------------


def test_an_empty_deck_is_not_reshuffled_and_piles_stay_empty():
    view = empty_deck(seaport({"fish": 2}))
    start = position(view)
    assert "draw" not in start.legal()
    after = start.after("take left")
    assert seen(after)["discard_piles"]["left"] == []


def test_draw_with_one_card_left_draws_one():
    view = empty_deck(seaport())
    view["players"][1]["display"]["gems"] -= 1
    after = position(view).after("draw")
    assert own(after)["hand"] == {"gems": 1}
    assert after.legal() == ["discard gems left", "discard gems right"]


def test_play_with_a_short_deck_draws_what_is_left():
    view = empty_deck(seaport({"fish": 2}))
    view["players"][1]["display"]["gems"] -= 1
    after = played(position(view), "play fish", "play fish")
    assert own(after)["hand"] == {"gems": 1}


# ---- Forum ------------------------------------------------------------------------------------


def test_forum_takes_any_one_tile_and_is_not_refilled():
    view = at_action(board(), "forum")
    view["forum"] = {"bread": 2, "votes5": 1, "extra-military": 1}
    start = position(view)
    assert start.legal() == ["forum votes5", "forum bread", "forum extra-military", "pass"]
    after = start.after("forum extra-military")
    assert seen(after)["forum"] == {"bread": 2, "votes5": 1}
    assert own(after)["forum_tiles"] == {"extra-military": 1}


# ---- Military ---------------------------------------------------------------------------------


def test_military_from_the_camp():
    start = position(at_action(board(), "military"))
    assert start.legal() == ["recruit", "march alpes", "march raetia", "march noricum", "pass"]
    after = start.after("recruit")
    assert (own(after)["military_camp"], own(after)["supply"]) == (2, 12)


def test_the_leader_takes_the_tile_of_the_province_and_never_returns():
    view = at_action(board(), "military")
    view["provinces"] = {"noricum": "votes4"}
    after = position(view).after("march noricum")
    assert own(after)["forum_tiles"] == {"votes4": 1}
    assert seen(after)["provinces"] == {}
    view = at_action(board(), "military")
    view["players"][0]["leader"] = "noricum"
    marches = [action for action in position(view).legal() if action.startswith("march")]
    assert marches == ["march raetia"]


@pytest.mark.parametrize(("others", "vp"), [(0, 10), (1, 7), (2, 4), (3, 1)])
def test_deploy_scores_the_province_less_three_for_each_other_legionnaire(others, vp):
    view = at_action(board(4), "military")
    view["players"][0]["leader"] = "britannia"
    for other in view["players"][1 : 1 + others]:
        other |= {"legionnaires": ["britannia"], "military_camp": 0}
    after = position(view).after("deploy")
    assert after.scores[0] == vp
    assert own(after)["legionnaires"] == ["britannia"]


def test_deploy_never_scores_below_zero():
    view = at_action(board(4), "military")
    view["players"][0]["leader"] = "alpes"
    for other in view["players"][1:]:
        other |= {"legionnaires": ["alpes"], "military_camp": 0}
    assert position(view).after("deploy").scores[0] == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"leader": "camp"},
        {"leader": "alpes", "military_camp": 0, "supply": 14},
        {"leader": "alpes", "legionnaires": ["alpes"], "supply": 12},
    ],
)
def test_deploy_needs_a_leader_a_legionnaire_and_a_free_province(changes):
    view = at_action(board(), "military")
    view["players"][0] |= changes
    assert "deploy" not in position(view).legal()


# ---- Senate -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("space", "vp"), [(0, 2), (2, 3), (3, 4), (6, 7), (7, 8)])
def test_the_disc_scores_the_space_it_reaches(space, vp):
    view = at_action(board(), "senate")
    view["players"][0]["senate"] = space
    view["senate_order"] = [1, 0]
    after = position(view).after("senate")
    assert after.scores == [vp, 0]
    assert own(after)["senate"] == vp


def test_senate_is_impossible_on_eight_and_the_disc_goes_on_top():
    view = board()
    view["players"][0] |= {"senate": 8, "trays": dict(view["players"][0]["trays"])}
    view["senate_order"] = [1, 0]
    assert position(view).after("sow II").player == 1  # the target is IV
    view = at_action(board(), "senate")
    view["players"][1]["senate"] = 2
    after = position(view).after("senate")
    assert seen(after)["senate_order"] == [1, 0]


# ---- Trajan -----------------------------------------------------------------------------------


def test_a_tile_goes_to_the_slot_of_the_arch_which_moves_on_clockwise():
    view = at_action(board(), "trajan")
    view["players"][0] |= {"arch": "VI", "slots": {"I": "points-blue-blue"}}
    if view["trajan_tops"]["points"] == "points-blue-blue":
        view["trajan_tops"]["points"] = "points-blue-white"
    top = view["trajan_tops"]["cards"]
    after = position(view).after("tile cards")
    assert own(after)["slots"] == {"I": "points-blue-blue", "VI": top}
    assert own(after)["arch"] == "II"


def test_the_arch_goes_to_the_centre_when_all_slots_are_filled():
    view = at_action(board(), "trajan")
    view["trajan_tops"]["points"] = "points-pink-pink"
    view["players"][0] |= {
        "arch": "I",
        "slots": {
            "II": "points-blue-blue",
            "III": "points-blue-white",
            "IV": "points-green-green",
            "V": "points-orange-orange",
            "VI": "points-white-white",
        },
    }
    after = position(view).after("tile points")
    assert own(after)["arch"] == "centre"
    view = seen(after) | {"to_decide": {"player": 0, "decision": "sow", "turn_of": 0}}
    view["players"][0]["trays"] = dict(board()["players"][0]["trays"])
    assert position(view).after("sow III").player == 1  # no slot is free


def test_an_empty_stack_is_not_offered():
    view = at_action(board(), "trajan")
    tiles = GAME.rules.view(position(board()), None)["hidden"]["trajan_stacks"]["plus2"]
    del view["trajan_tops"]["plus2"]
    view["trajan_gone"] = sorted(tiles)
    legal = position(view).legal()
    assert legal == [
        f"tile {name}" for name in ("cards", "points", "workers", "legions", "demands")
    ] + ["pass"]


# ---- Construction -----------------------------------------------------------------------------


def builds(view):
    return {action.split()[1] for action in position(view).legal() if action.startswith("build")}


def test_the_first_worker_goes_anywhere_and_later_ones_beside_an_own_one():
    view = at_action(board(), "construction")
    assert len(builds(view)) == 20
    view["players"][0] |= {"workers": ["A1"], "supply": 12}
    assert builds(view) == {"B1", "A2"}
    view["players"][0] |= {"workers": ["E2"]}
    assert builds(view) == {"D2", "E1", "E3"}
    view["players"][0] |= {"workers": ["C4", "C3"], "supply": 11}
    assert builds(view) == {"B4", "D4", "B3", "D3", "C2"}


def test_other_players_workers_do_not_matter():
    view = at_action(board(), "construction")
    view["players"][1] |= {"workers": ["B1"], "supply": 12}
    view["players"][0] |= {"workers": ["A1"], "supply": 12}
    assert builds(view) == {"B1", "A2"}


def test_hire_and_build_need_figures():
    view = at_action(board(), "construction")
    view["players"][0] |= {"supply": 0, "military_camp": 14}
    assert "hire" not in position(view).legal()
    view["players"][0] |= {"supply": 14, "military_camp": 1, "worker_camp": 0}
    assert position(view).legal() == ["hire", "pass"]


def test_a_building_is_taken_and_scored():
    view = at_action(board(), "construction")
    site = next(site for site, name in view["sites"].items() if name == "roof5")
    after = position(view).after(f"build {site}")
    assert after.scores == [5, 0]
    assert own(after)["buildings"] == ["roof5"]
    assert site not in seen(after)["sites"]
    assert own(after)["workers"] == [site]
