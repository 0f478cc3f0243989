"""Trajan, sections 3 and 5: sowing, Trajan tiles, extra actions."""

import pytest
from trajan_boards import at_action, board, empty_deck, own, played, position, seen

# ---- Section 3: sowing ------------------------------------------------------------------------


def test_sowing_feeds_the_following_trays_and_advances_the_time_marker():
    after = position(board()).after("sow V")
    assert own(after)["trays"]["V"] == []
    assert own(after)["trays"]["VI"] == ["white", "yellow", "yellow"]
    assert own(after)["trays"]["I"] == ["blue", "blue", "white"]
    assert seen(after)["time_marker"] == 2
    assert seen(after)["to_decide"]["action"] == "seaport"


def test_the_sixth_marker_returns_to_the_origin_and_the_seventh_passes_it():
    view = board()
    view["forum"] = {"bread": 1}
    trays = view["players"][0]["trays"]
    trays["I"] = ["blue", "blue", "green", "green", "orange", "orange", "pink"]
    trays |= {"II": [], "III": []}
    trays["IV"] = ["pink"]
    after = position(view).after("sow I")
    while seen(after)["to_decide"]["decision"] == "drop":
        after = after.after(after.legal()[0])
    assert len(own(after)["trays"]["I"]) == 1
    assert len(own(after)["trays"]["II"]) == 2
    assert seen(after)["to_decide"]["action"] == "forum"


def test_a_colour_is_chosen_only_while_two_are_in_hand():
    view = board()
    view["players"][0]["trays"]["I"] = ["blue", "green"]
    view["players"][0]["trays"]["II"] = ["blue", "green"]
    after = position(view).after("sow I")
    assert after.legal() == ["drop blue", "drop green"]
    after = after.after("drop green")
    assert own(after)["trays"]["II"] == ["blue", "green", "green"]
    assert "blue" in own(after)["trays"]["III"]


def with_tile(tile, **changes):
    """Player 0 sows V to complete `tile` on slot I, where blue, blue and white will lie."""
    view = board(**changes.pop("options", {}))
    view["players"][0] |= {"slots": {"I": tile}, "arch": "II"} | changes
    return view


def test_a_tile_is_completed_when_the_target_holds_its_colours():
    after = position(with_tile("points-blue-blue")).after("sow V")
    assert after.scores == [9, 0]
    assert "points-blue-blue" in seen(after)["trajan_gone"]
    assert own(after)["slots"] == {}


@pytest.mark.parametrize(
    "tile", ["points-green-green", "points-white-white", "worker1-blue-green"]
)
def test_a_tile_stays_without_its_colours(tile):
    after = position(with_tile(tile)).after("sow V")
    assert after.scores == [0, 0]
    assert own(after)["slots"] == {"I": tile}


def test_only_the_tile_of_the_target_is_completed():
    view = with_tile("points-green-green")
    view["players"][0]["slots"]["VI"] = "points-yellow-yellow"
    assert position(view).after("sow V").scores == [0, 0]


def test_the_arch_moves_from_the_centre_to_the_freed_slot():
    view = with_tile("points-blue-blue")
    view["players"][0]["slots"] |= {
        "II": "points-green-green",
        "III": "points-orange-white",
        "IV": "points-pink-pink",
        "V": "points-white-white",
        "VI": "points-yellow-yellow",
    }
    view["players"][0]["arch"] = "centre"
    assert own(position(view).after("sow V"))["arch"] == "I"
    view["players"][0]["slots"].pop("III")
    view["players"][0]["arch"] = "III"
    assert own(position(view).after("sow V"))["arch"] == "III"


def test_cards_tile_draws_two_cards():
    after = position(with_tile("cards2-blue-blue")).after("sow V")
    assert after.scores == [3, 0]
    assert sum(own(after)["hand"].values()) == 2
    assert own(after)["known_cards"] == {}


@pytest.mark.parametrize(
    ("tile", "camp", "vp"),
    [("legion1-blue-blue", "military_camp", 5), ("worker2-blue-yellow", "worker_camp", 2)],
)
def test_figure_tiles_move_as_many_as_are_left(tile, camp, vp):
    view = with_tile(tile, supply=1, worker_camp=7, military_camp=7)
    view["players"][0]["trays"] |= {"V": ["white", "yellow"], "VI": ["white", "yellow"]}
    start = played(position(view), "sow V", "drop white")
    assert start.scores == [vp, 0]
    assert own(start)["supply"] == 0
    assert own(start)[camp] == 8
    view["players"][0] |= {"supply": 0, camp: 8}
    start = played(position(view), "sow V", "drop white")
    assert (own(start)["supply"], own(start)[camp]) == (0, 8)


def test_plus2_tile_asks_for_a_field_without_a_marker():
    view = with_tile("plus2-blue-pink", plus2=["seaport", "forum", "military", "senate"])
    view["players"][0]["trays"] |= {"V": ["white", "pink"], "IV": ["white", "pink"]}
    after = played(position(view), "sow V", "drop white")
    assert after.legal() == ["plus2 trajan", "plus2 construction"]
    assert "trajan" in own(after.after("plus2 trajan"))["plus2"]


def test_plus2_tile_does_nothing_when_all_fields_have_one():
    fields = ["seaport", "forum", "military", "senate", "trajan", "construction"]
    view = with_tile("plus2-blue-pink", plus2=fields)
    view["players"][0]["trays"] |= {"V": ["white", "pink"], "IV": ["white", "pink"]}
    after = played(position(view), "sow V", "drop white")
    assert after.scores == [4, 0]
    assert seen(after)["to_decide"]["decision"] == "seaport"


def test_demand_tile_is_kept():
    view = with_tile("religion-blue-orange")
    view["players"][0]["trays"] |= {"V": ["white", "orange"], "III": ["white", "orange"]}
    after = played(position(view), "sow V", "drop white")
    assert after.scores == [1, 0]
    assert own(after)["demand_tiles"] == {"religion": 1}


def test_optional_effects_are_asked_for_and_the_vp_are_not():
    view = with_tile("cards2-blue-blue", options={"tile_effects": "optional"})
    after = position(view).after("sow V")
    assert after.legal() == ["effect", "no effect"]
    assert after.scores == [3, 0]
    assert own(after.after("no effect"))["hand"] == {}
    assert sum(own(after.after("effect"))["hand"].values()) == 2


def test_an_optional_effect_that_changes_nothing_is_not_asked_for():
    view = with_tile("cards2-blue-blue", options={"tile_effects": "optional"})
    after = position(empty_deck(view)).after("sow V")
    assert seen(after)["to_decide"]["decision"] == "seaport"
    fields = ["seaport", "forum", "military", "senate", "trajan", "construction"]
    view = with_tile("plus2-blue-pink", plus2=fields, options={"tile_effects": "optional"})
    view["players"][0]["trays"] |= {"V": ["white", "pink"], "IV": ["white", "pink"]}
    after = played(position(view), "sow V", "drop white")
    assert "effect" not in after.legal()


def test_an_impossible_action_passes_by_itself():
    after = position(board()).after("sow VI")  # the forum is empty
    assert after.player == 1


# ---- Section 5: extra actions -----------------------------------------------------------------


def test_an_extra_tile_is_offered_after_its_action_and_repeats_it_once():
    view = at_action(board(), "senate")
    view["players"][0]["forum_tiles"] = {"extra-senate": 2}
    start = position(view).after("senate")
    assert start.legal() == ["extra", "no extra"]
    after = start.after("extra")
    assert after.legal() == ["senate", "pass"]
    after = after.after("senate")
    assert after.player == 1  # once a turn: no second offer
    assert after.scores == [2 + 3, 0]
    assert own(after)["forum_tiles"] == {"extra-senate": 1}
    assert own(start.after("no extra"))["forum_tiles"] == {"extra-senate": 2}


def test_no_offer_after_a_pass_or_without_the_tile():
    view = at_action(board(), "senate")
    assert position(view).after("senate").player == 1
    view["players"][0]["forum_tiles"] = {"extra-senate": 1, "extra-forum": 1}
    assert position(view).after("pass").player == 1


def test_a_plus2_marker_gives_two_repeats_and_stays():
    view = at_action(board(), "senate")
    view["players"][0] |= {"forum_tiles": {"wild-action": 1}, "plus2": ["senate"]}
    after = played(position(view), "senate", "extra wild", "senate", "senate")
    assert after.scores == [2 + 3 + 4, 0]
    assert after.player == 1
    assert own(after)["plus2"] == ["senate"]
    assert own(after)["forum_tiles"] == {}


def test_a_pass_in_the_first_repeat_gives_up_the_second():
    view = at_action(board(), "senate")
    view["players"][0] |= {"forum_tiles": {"extra-senate": 1}, "plus2": ["senate"]}
    after = played(position(view), "senate", "extra", "pass")
    assert after.player == 1
    assert after.scores == [2, 0]


def test_both_kinds_of_tile_are_offered():
    view = at_action(board(), "senate")
    view["players"][0]["forum_tiles"] = {"extra-senate": 1, "wild-action": 1}
    assert position(view).after("senate").legal() == ["extra", "extra wild", "no extra"]


def test_no_offer_when_the_action_could_not_be_performed_again():
    view = at_action(board(), "forum")
    view["forum"] = {"bread": 1}
    view["players"][0]["forum_tiles"] = {"extra-forum": 1}
    assert position(view).after("forum bread").player == 1


def test_a_tile_picked_up_by_the_action_itself_may_be_spent():
    view = at_action(board(), "forum")
    view["forum"] = {"extra-forum": 1, "bread": 1}
    after = position(view).after("forum extra-forum")
    assert after.legal() == ["extra", "no extra"]
    assert own(played(after, "extra", "forum bread"))["forum_tiles"] == {"bread": 1}


def site_of(view, building):
    return next(site for site, name in view["sites"].items() if name == building)


def test_the_first_building_of_a_kind_gives_its_free_action():
    view = at_action(board(), "construction")
    after = position(view).after(f"build {site_of(view, 'door4')}")
    assert after.scores == [4, 0]
    assert after.legal() == ["senate", "pass"]
    assert after.after("senate").scores == [6, 0]


def test_a_second_building_of_a_kind_gives_none():
    view = at_action(board(), "construction")
    view["players"][0]["buildings"] = ["door2"]
    del view["sites"][site_of(view, "door2")]
    after = position(view).after(f"build {site_of(view, 'door4')}")
    assert after.player == 1


def test_wild_buildings_do_not_count_for_the_first_of_a_kind():
    view = at_action(board(), "construction")
    view["players"][0]["forum_tiles"] = {"wild-building": 2}
    after = position(view).after(f"build {site_of(view, 'door4')}")
    assert after.legal() == ["senate", "pass"]


def free_senate(**tiles):
    """Player 0 has just built a first door; their tiles are `tiles`."""
    view = at_action(board(), "construction")
    view["players"][0]["forum_tiles"] = {name.replace("_", "-"): n for name, n in tiles.items()}
    view["players"][0] |= {"worker_camp": 3, "supply": 11}
    return position(view).after(f"build {site_of(view, 'door4')}")


def test_free_action_with_its_offer_comes_before_the_offer_for_construction():
    after = free_senate(extra_senate=1, extra_construction=1).after("senate")
    assert seen(after)["to_decide"]["in_free_action"]
    later = after.after("no extra")
    assert seen(later)["to_decide"].get("in_free_action") is None
    assert later.legal() == ["extra", "no extra"]
    assert "hire" in later.after("extra").legal()


def test_a_tile_spent_at_the_free_action_leaves_none_for_construction():
    after = played(free_senate(extra_senate=1, extra_construction=1), "senate", "extra", "senate")
    assert after.scores == [4 + 2 + 3, 0]
    assert after.player == 1


def test_a_passed_free_action_makes_no_offer_but_construction_does():
    after = free_senate(extra_senate=1, extra_construction=1).after("pass")
    assert seen(after)["to_decide"]["action"] == "construction"
    assert after.legal() == ["extra", "no extra"]
    assert seen(after.after("extra"))["to_decide"]["decision"] == "construction"


def test_an_impossible_free_action_is_lost():
    view = at_action(board(), "construction")
    after = position(view).after(f"build {site_of(view, 'stairs3')}")
    assert after.player == 1  # the forum is empty


def test_repeats_of_construction_give_free_actions_without_offers():
    view = at_action(board(), "construction")
    view["players"][0]["forum_tiles"] = {"extra-construction": 1, "wild-action": 1}
    view["players"][0] |= {"worker_camp": 3, "supply": 11, "plus2": ["construction"]}
    place = site_of(view, "door4")
    start = played(position(view), "hire", "extra", f"build {place}")
    assert start.legal() == ["senate", "pass"]
    after = start.after("senate")
    assert seen(after)["to_decide"]["decision"] == "construction"  # the second repeat, no offer
    assert start.after("pass").legal() == after.legal()  # a passed free action gives up nothing
    assert after.after("hire").player == 1


def test_what_is_repeated_after_a_free_action_is_the_free_action():
    after = free_senate(wild_action=1).after("senate").after("extra wild")
    assert after.legal() == ["senate", "pass"]


def test_the_effect_of_a_trajan_tile_is_no_action():
    view = with_tile("cards2-blue-blue", forum_tiles={"extra-seaport": 1})
    after = played(position(view), "sow V", "pass")
    assert after.player == 1
