"""Trajan, sections 6, 8.5 and 9: final scoring and ranks."""

import pytest
from trajan_boards import ended, last_quarter, own, played, position, seen


def final(view):
    return ended(view).after("bonus bonus-workers")


def gain(**changes):
    """VP that the changes bring player 0 at the end, demands aside."""
    view = last_quarter(**changes.pop("options", {}))
    view["players"][0] |= changes
    tiles = changes.get("forum_tiles", {})
    if "wild-building" in tiles:
        view["forum_gone"]["wild-building"] = 2 - tiles["wild-building"]
    for name in changes.get("buildings", []):
        site = next(site for site, there in view["sites"].items() if there == name)
        del view["sites"][site]
    for name in changes.get("gold_bonus", []) + changes.get("silver_bonus", []):
        if name in view["players"][1]["gold_bonus"]:
            view["players"][1]["gold_bonus"].remove(name)
    over = final(view)
    assert over.player is None
    return over.scores[0] + 15


def test_cards_figures_in_the_camps_and_tiles_on_slots_score_one_each():
    assert gain() == 0
    assert gain(hand={"fish": 2, "oil": 1}) == 3
    assert gain(worker_camp=2, supply=13) == 2
    assert gain(military_camp=3, supply=12) == 3
    slots = {"II": "points-pink-pink", "III": "points-orange-white"}
    assert gain(slots=slots) == 2
    assert gain(slots=slots, options={"score_slot_tiles": False}) == 0


@pytest.mark.parametrize(
    ("buildings", "wilds", "vp"),
    [
        (["door2", "door3"], 0, 0),
        (["door2", "door3", "door4"], 0, 10),
        (["door2", "door3", "door4", "door5"], 0, 20),
        (["door2", "door3"], 1, 10),
        (["door2", "door3"], 2, 20),
        (["door2"], 2, 10),
        (["door2", "door3", "door4"], 2, 20),
        (["door2", "door3", "roof2", "roof3"], 2, 20),
        (["door2", "door3", "door4", "roof2", "roof3"], 2, 30),
        (["door2", "door3", "door4", "roof2", "roof3", "roof4"], 2, 40),  # one to each set
    ],
)
def test_building_sets(buildings, wilds, vp):
    workers = ["A1", "A2", "A3", "A4", "B1", "B2"][: len(buildings)]
    over = gain(
        buildings=buildings,
        workers=workers,
        supply=15 - len(workers),
        forum_tiles={"wild-building": wilds},
    )
    bonus = len(workers)  # the consul took the gold bonus for workers
    assert over == vp + bonus


def test_goods_bonus_counts_the_display_and_wilds_join_the_dearest():
    goods = {"display": {"fish": 2, "wine": 1, "gems": 1}}
    assert gain(**goods, gold_bonus=["wine-fish"]) == 9
    assert gain(**goods, silver_bonus=["wine-fish"]) == 6
    wilds = {"wild-goods": 2}
    assert gain(**goods, gold_bonus=["wine-fish"], forum_tiles=wilds) == 9 + 6
    assert gain(**goods, silver_bonus=["wine-fish"], forum_tiles=wilds) == 6 + 4
    assert gain(**goods, forum_tiles=wilds) == 0


def test_gold_bonus_counts_itself():
    assert gain(gold_bonus=["bonus-gold"]) == 2 * 3  # and the tile of the last quarter
    assert gain(silver_bonus=["bonus-gold"]) == 2


def test_workers_and_legions_bonus():
    assert gain(workers=["A1", "B1", "C1"], supply=12) == 3
    view = last_quarter()
    view["players"][0] |= {"workers": ["A1", "B1", "C1"], "supply": 12}
    assert ended(view).after("bonus bonus-legions").scores[0] == -15
    view["players"][1] |= {"workers": ["A1", "B1", "C1"], "supply": 12}
    over = ended(view).after("bonus bonus-legions")
    assert over.scores[1] - ended(last_quarter()).after("bonus bonus-legions").scores[1] == 2


def test_the_demands_of_quarter_4_are_paid_so_that_most_vp_remain():
    """One bread is asked; bread and a wild are there: the wild pays and the bread scores."""
    view = last_quarter()
    view |= {"demands": {"bread": 3}, "demands_gone": {"games": 4, "religion": 5}}
    view["forum_gone"]["bread"] = 10
    view["players"][1]["gold_bonus"].remove("bonus-bread")
    view["players"][0] |= {
        "gold_bonus": ["bonus-bread"],
        "forum_tiles": {"bread": 3, "wild-demand": 1},
    }
    options = {"wild_demand_scores": False}
    over = final(view | {"options": options})
    assert over.scores[0] == 9
    assert own(over)["forum_tiles"] == {"bread": 1}
    over = final(view)  # with scoring wilds the ordinary order is as good and keeps the wild
    assert over.scores[0] == 9
    assert own(over)["forum_tiles"] == {"wild-demand": 1}


def test_in_quarter_4_too_the_chosen_payment_is_final():
    view = last_quarter(demand_payment="chosen", wild_demand_scores=False)
    view |= {"demands": {"bread": 3}, "demands_gone": {"games": 4, "religion": 5}}
    view["forum_gone"]["bread"] = 10
    view["players"][1]["gold_bonus"].remove("bonus-bread")
    view["players"][0] |= {
        "gold_bonus": ["bonus-bread"],
        "forum_tiles": {"bread": 3, "wild-demand": 1},
    }
    start = ended(view)
    over = played(start, "pay bread+bread+bread", "bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (0, {"wild-demand": 1})
    over = played(start, "pay bread+bread+wild-demand", "bonus bonus-workers")
    assert (over.scores[0], own(over)["forum_tiles"]) == (9, {"bread": 1})


def test_one_wild_demand_tile_serves_one_bonus_tile_the_dearest():
    view = last_quarter()
    view["players"][1]["gold_bonus"].remove("bonus-bread")
    view |= {"demands": {"religion": 3}, "demands_gone": {"games": 4, "bread": 5}}
    view["players"][0] |= {"gold_bonus": ["bonus-bread"], "silver_bonus": ["bonus-games"]}
    view["players"][1]["gold_bonus"].remove("cattle-wheat")
    view["players"][0]["demand_tiles"] = {"religion": 1}
    view["trajan_gone"] = ["religion-white-white"]
    if view["trajan_tops"]["demands"] == "religion-white-white":
        view["trajan_tops"]["demands"] = "games-green-green"
    view["players"][0]["forum_tiles"] = {"wild-demand": 3}
    view["bonus_offer"] = ["bonus-legions", "cattle-wheat"]
    assert ended(view).after("bonus cattle-wheat").scores[0] == 9
    view = view | {"options": {"wild_demand_scores": False}}
    assert ended(view).after("bonus cattle-wheat").scores[0] == 0


def test_trajan_demand_tiles_never_serve_a_bonus_tile():
    view = last_quarter()
    view["players"][1]["gold_bonus"].remove("bonus-bread")
    view["players"][0] |= {"gold_bonus": ["bonus-bread"], "demand_tiles": {"bread": 1}}
    view["trajan_gone"] = ["bread-green-orange"]
    if view["trajan_tops"]["demands"] == "bread-green-orange":
        view["trajan_tops"]["demands"] = "games-green-green"
    assert final(view).scores[0] == -9


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_tie_goes_to_the_higher_rank_of_the_last_senate(order):
    view = last_quarter()
    taken = [*view["players"][1]["gold_bonus"], "bonus-workers"]
    taken.remove("bonus-gold")
    view["players"][1] |= {"gold_bonus": [], "silver_bonus": taken}
    view |= {"bonus_offer": ["bonus-gold", "bonus-legions"], "senate_order": order}
    over = ended(view).after("bonus bonus-legions")
    assert over.scores == [-15, -15]
    assert over.ranks[order[-1]] == 1
    assert over.ranks[order[0]] == 2


def tie(**options):
    """A tie of players 0, further along on the senate track, and 1, who has more votes."""
    view = last_quarter(**options)
    taken = [*view["players"][1]["gold_bonus"], "bonus-workers"]
    taken.remove("bonus-gold")
    view["players"][1] |= {"gold_bonus": [], "silver_bonus": taken}
    view["players"][1]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    view["players"][0]["senate"] = 3
    view |= {"bonus_offer": ["bonus-gold", "bonus-legions"], "senate_order": [1, 0]}
    return ended(view)


@pytest.mark.parametrize(("option", "ranks"), [("stack", [2, 1]), ("track", [1, 2])])
def test_final_tie_is_broken_by_the_stack_with_votes_or_the_track_without(option, ranks):
    start = tie(final_tie=option)
    assert start.player == 1  # the consul by votes, whatever breaks ties
    over = start.after("bonus bonus-legions")
    assert over.scores == [-15, -15]
    assert over.ranks == ranks


def test_on_one_space_of_the_track_the_higher_disc_wins_the_tie():
    view = last_quarter(final_tie="track")
    view["players"][1]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    start = ended(view)
    assert seen(start)["senate_order"] == [0, 1]
    assert seen(start)["track_order"] == [1, 0]


def test_the_track_before_the_last_ranking_is_in_views_and_position_files():
    start = tie(final_tie="track")
    for each in (start, start.after("bonus bonus-legions")):
        assert each.view(0)["track_order"] == [1, 0]
        assert position(seen(each)) == each
    assert "track_order" not in tie().view(0)
