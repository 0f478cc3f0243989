"""Rare rules of Trajan."""

import pytest
from calls import played
from trajan_boards import (
    at_action,
    board,
    empty_deck,
    ended,
    full_view,
    last_quarter,
    own,
    position,
    with_demand_tile,
)

from trajan_ai.games.trajan import GAME

# ---- Seaport ----------------------------------------------------------------------------------


def seaport(hand=None, **tiles):
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = hand or {}
    view["players"][0]["forum_tiles"] = {name.replace("_", "-"): n for name, n in tiles.items()}
    return view


@pytest.mark.parametrize(
    ("hand", "wilds", "count"),
    [({"fish": 1, "oil": 1}, 0, 0), ({}, 1, 0), ({"fish": 1}, 1, 1), ({}, 2, 1)],
)
def test_ship_pairs_needs_a_pair(hand, wilds, count):
    assert position(seaport(hand, wild_goods=wilds)).legal().count("ship pairs") == count


def test_a_pair_of_a_card_and_a_wild_is_legal_with_two_cards_too():
    start = position(seaport({"fish": 2, "oil": 1}, wild_goods=3)).after("ship pairs")
    assert start.legal() == ["pair fish", "pair oil wild", "pair fish wild", "pair wild wild"]
    # Only wild tiles could follow, and only one is left.
    assert start.after("pair wild wild").scores == [5, 0]
    after = start.after("pair oil wild")
    assert after.legal() == ["pair fish", "pair fish wild", "pair wild wild", "done"]


def test_after_a_wild_card_only_wilds_follow():
    start = played(position(seaport({"fish": 1}, wild_goods=2)), "ship different", "card wild")
    assert start.legal() == ["card wild", "done"]
    assert start.after("card wild").scores == [4, 0]


def test_an_empty_deck_is_not_reshuffled_and_a_short_one_is_drawn_to_the_end():
    start = position(empty_deck(seaport({"fish": 2})))
    assert "draw" not in start.legal()
    assert full_view(start.after("take left"))["discard_piles"]["left"] == []
    view = empty_deck(seaport({"fish": 2}))
    view["players"][1]["display"]["gems"] -= 1
    assert own(played(position(view), "play fish", "play fish"))["hand"] == {"gems": 1}
    assert "discard gems left" in position(view).after("draw").legal()
    assert full_view(position(view).after("take left"))["discard_piles"]["left"] == ["gems"]


# ---- Other actions ----------------------------------------------------------------------------


def test_deploy_never_scores_below_zero():
    view = at_action(board(4), "military")
    view["players"][0]["leader"] = "alpes"
    for other in view["players"][1:]:
        other |= {"legionnaires": ["alpes"], "military_camp": 0}
    assert position(view).after("deploy").scores[0] == 0


def test_an_empty_stack_is_not_legal():
    view = at_action(board(), "trajan")
    view["trajan_gone"] = sorted(
        GAME.rules.view(position(board()), None)["hidden"]["trajan_stacks"]["plus2"]
    )
    del view["trajan_tops"]["plus2"]
    stacks = ("cards", "points", "workers", "legions", "demands")
    assert position(view).legal() == [*(f"tile {stack}" for stack in stacks), "pass"]


def test_an_optional_effect_without_any_change_is_no_decision():
    view = board(tile_effects="optional")
    view["players"][0] |= {"slots": {"I": "cards2-blue-blue"}, "arch": "II"}
    after = position(empty_deck(view)).after("sow V")
    assert full_view(after)["to_decide"]["decision"] == "seaport"
    fields = ["seaport", "forum", "military", "senate", "trajan", "construction"]
    view["players"][0] |= {"slots": {"I": "plus2-blue-pink"}, "plus2": fields}
    view["players"][0]["trays"] |= {"V": ["white", "pink"], "IV": ["white", "pink"]}
    after = played(position(view), "sow V", "drop white")
    assert after.scores == [4, 0]
    assert full_view(after)["to_decide"]["decision"] == "seaport"


# ---- The end ----------------------------------------------------------------------------------


def take_bonus_tiles(view, *tiles):
    """Take bonus tiles from player 1, who has all unused ones; return the tiles as a list."""
    for tile in tiles:
        view["players"][1]["gold_bonus"].remove(tile)
    return list(tiles)


@pytest.mark.parametrize(
    ("buildings", "wilds", "vp"),
    [
        (["door2", "door3"], 1, 10),
        (["door2", "door3"], 2, 20),
        (["door2", "door3", "door4"], 2, 20),
        (["door2", "door3", "roof2", "roof3"], 2, 20),
        (["door2", "door3", "door4", "roof2", "roof3"], 2, 30),
        # each set is joined by one wild building
        (["door2", "door3", "door4", "roof2", "roof3", "roof4"], 2, 40),
    ],
)
def test_wild_buildings_join_the_sets_that_score_most(buildings, wilds, vp):
    view = last_quarter()
    workers = ["A1", "A2", "A3", "A4", "B1", "B2"][: len(buildings)]
    view["players"][0] |= {"buildings": buildings, "workers": workers}
    view["players"][0] |= {"supply": 15 - len(workers), "forum_tiles": {"wild-building": wilds}}
    view["forum_gone"]["wild-building"] = 2 - wilds
    view["sites"] = {site: name for site, name in view["sites"].items() if name not in buildings}
    assert ended(view).after("bonus bonus-legions").scores[0] == vp - 15


def three_demands_for_bread(**options):
    """Return a view in which player 0 can pay three demands for bread.

    Bread tiles score at the end, but wild demand tiles do not.
    """
    view = last_quarter(wild_demand_scores=False, **options)
    view |= {"demands": {"bread": 3}, "demands_gone": {"games": 4, "religion": 5}}
    view["forum_gone"]["bread"] = 10
    view["players"][0]["gold_bonus"] = take_bonus_tiles(view, "bonus-bread")
    view["players"][0]["forum_tiles"] = {"bread": 3, "wild-demand": 1}
    return view


def test_the_demands_of_quarter_4_are_paid_so_that_most_vp_remain():
    view = three_demands_for_bread()
    over = ended(view).after("bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (9, {"bread": 1})
    # By default, wild tiles score as well, so paying in the usual order brings the same VP and
    # leaves the wild tile.
    del view["options"]["wild_demand_scores"]
    over = ended(view).after("bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (9, {"wild-demand": 1})


def test_in_quarter_4_too_the_chosen_payment_is_final():
    start = ended(three_demands_for_bread(demand_payment="chosen"))
    assert full_view(start)["to_decide"] == {"player": 0, "decision": "payment", "turn_of": 0}
    over = played(start, "pay bread+bread+bread", "bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (0, {"wild-demand": 1})
    over = played(start, "pay bread+bread+wild-demand", "bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (9, {"bread": 1})


def test_one_wild_demand_tile_serves_the_most_valuable_bonus_tile():
    view = with_demand_tile(last_quarter(), "religion-white-white")
    view |= {"demands": {"religion": 3}, "demands_gone": {"games": 4, "bread": 5}}
    view["players"][0]["gold_bonus"] = take_bonus_tiles(view, "bonus-bread")
    view["players"][0]["silver_bonus"] = ["bonus-games"]
    view["players"][0]["forum_tiles"] = {"wild-demand": 3}
    view["bonus_offer"] = ["bonus-legions", *take_bonus_tiles(view, "cattle-wheat")]
    assert ended(view).after("bonus cattle-wheat").scores[0] == 9
    view["options"] = {"wild_demand_scores": False}
    assert ended(view).after("bonus cattle-wheat").scores[0] == 0


def test_trajan_demand_tiles_never_serve_a_bonus_tile():
    view = with_demand_tile(last_quarter(), "bread-green-orange")
    view["players"][0]["gold_bonus"] = take_bonus_tiles(view, "bonus-bread")
    assert ended(view).after("bonus bonus-workers").scores[0] == -9


@pytest.mark.parametrize(
    ("option", "order", "votes", "ranks"),
    [
        ("stack", [0, 1], False, [2, 1]),
        ("stack", [1, 0], False, [1, 2]),
        ("stack", [1, 0], True, [2, 1]),
        ("track", [1, 0], True, [1, 2]),
    ],
)
def test_a_final_tie_is_broken_by_the_stack_with_votes_or_the_track_without(
    option, order, votes, ranks
):
    """If there are votes, player 0 is further along the track, but player 1 has more votes."""
    view = last_quarter(final_tie=option)
    silver = [*view["players"][1]["gold_bonus"], "bonus-workers"]
    silver.remove("bonus-gold")
    view["players"][1] |= {"gold_bonus": [], "silver_bonus": silver}
    view |= {"bonus_offer": ["bonus-gold", "bonus-legions"], "senate_order": order}
    if votes:
        view["players"][1]["forum_tiles"] = {"votes4": 1}
        view["forum_gone"]["votes4"] = 2
        view["players"][0]["senate"] = 3
    start = ended(view)
    over = start.after("bonus bonus-legions")
    assert over.scores == [-15, -15]
    assert over.ranks == ranks
    for each in (start, over):
        assert ("track_order" in each.view(0)) == (option == "track")
        assert position(full_view(each)) == each
