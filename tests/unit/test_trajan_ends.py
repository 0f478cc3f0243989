"""Trajan, sections 6 and 9: ends of rounds, quarters and the game, and rulings on them."""

import pytest
from trajan_boards import board, played, position, seen

DEMANDS_GONE = [
    {},
    {"bread": 3},
    {"bread": 4, "games": 2},
    {"bread": 4, "games": 4, "religion": 1},
]


def seat(position, player=0):
    return seen(position)["seats"][player]


def before_quarter_end(players=2, quarter=1, demands=None, **options):
    """The next move passes the start space in round 4."""
    view = board(players, **options)
    view |= {"quarter": quarter, "round": 4, "demands": demands or {"religion": 3}}
    view["demands_gone"] = DEMANDS_GONE[quarter - 1]
    view["time_marker"] = {2: 10, 3: 15, 4: 20}[players]
    view["extra_supply"] = [
        view["extra_supply"],
        {"extra-trajan": 2, "extra-forum": 2, "extra-military": 2},
        {"extra-trajan": 2, "extra-forum": 1},
        {},
    ][quarter - 1]
    view["forum_gone"] |= {"votes5": 3, "wild-building": 2, "votes4": 3}
    view["forum_gone"] |= {
        f"extra-{action}": 1 for action in ("seaport", "forum", "military", "senate")
    }
    if quarter > 1:
        view["forum_gone"] |= {
            f"extra-{action}": 3 for action in ("seaport", "senate", "construction")
        }
    if quarter > 2:
        view["forum_gone"] |= {"extra-military": 3, "extra-forum": 2}
    if quarter > 3:
        view["forum_gone"] |= {"extra-trajan": 3, "extra-forum": 3, "bread": 12}
    bonus = [
        name
        for name in (
            "scrolls-oil",
            "fruit-pottery",
            "wine-fish",
            "jewellery-gems",
            "cattle-wheat",
            "bonus-gold",
        )
        if name
    ]
    view["seats"][-1]["gold_bonus"] += bonus[: 2 * (quarter - 1)]
    return view


def ended(view, sow="sow V"):
    """The position after the turn that ends the round: player 0 sows and passes."""
    after = position(view).after(sow)
    return after.after("pass") if after.player == 0 and "pass" in after.legal() else after


# ---- Rounds -----------------------------------------------------------------------------------


def test_a_round_ends_when_the_start_space_is_reached_or_passed():
    view = board() | {"time_marker": 8}
    assert seen(ended(view))["round"] == 1
    view = board() | {"time_marker": 9}
    after = ended(view)
    assert (seen(after)["round"], seen(after)["time_marker"]) == (2, 0)
    assert sum(seen(after)["demands"].values()) == 1
    view = board() | {"time_marker": 10}
    assert seen(ended(view))["time_marker"] == 1


def test_the_last_round_of_a_quarter_reveals_no_demand():
    after = ended(before_quarter_end())
    assert seen(after)["demands"] == {}
    assert sum(seen(after)["demands_gone"].values()) == 3


# ---- Demands ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("tiles", "loss"), [(0, 15), (1, 9), (2, 4), (3, 0)])
def test_uncovered_demands_cost(tiles, loss):
    view = before_quarter_end()
    view["seats"][0]["forum_tiles"] = {"religion": tiles}
    assert ended(view).scores == [-loss, -15]


def test_demands_are_paid_by_trajan_tile_then_forum_tile_then_wild():
    view = before_quarter_end(demands={"bread": 1, "games": 1, "religion": 1})
    view["seats"][0] |= {
        "forum_tiles": {"bread": 1, "games": 1, "wild-demand": 1},
        "demand_tiles": {"bread": 1},
    }
    tile = "bread-green-orange"
    view["trajan_gone"] = [tile]
    if view["trajan_tops"]["demands"] == tile:
        view["trajan_tops"]["demands"] = "games-green-green"
    after = ended(view)
    assert after.scores[0] == 0
    assert seat(after)["forum_tiles"] == {"bread": 1}
    assert seat(after)["demand_tiles"] == {"bread": 1}


def test_a_trajan_tile_pays_one_demand_a_quarter():
    view = before_quarter_end(demands={"bread": 3})
    view["seats"][0]["demand_tiles"] = {"bread": 1}
    view["trajan_gone"] = ["bread-green-orange"]
    if view["trajan_tops"]["demands"] == "bread-green-orange":
        view["trajan_tops"]["demands"] = "games-green-green"
    assert ended(view).scores[0] == -9


# ---- Senate -----------------------------------------------------------------------------------


def test_votes_are_space_and_tiles_and_the_winner_chooses():
    view = before_quarter_end()
    view["seats"][1] |= {"senate": 3}
    view["seats"][0]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    after = ended(view)
    assert after.player == 0
    assert after.legal() == ["bonus bonus-workers", "bonus bonus-legions"]
    after = after.after("bonus bonus-legions")
    assert seat(after)["gold_bonus"][-1] == "bonus-legions"
    assert seat(after, 1)["silver_bonus"] == ["bonus-workers"]
    assert seen(after)["senate_order"] == [1, 0]
    assert [s["senate"] for s in seen(after)["seats"]] == [0, 0]


def test_ties_go_to_the_disc_further_along_then_to_the_higher_one():
    view = before_quarter_end()
    view["seats"][1] |= {"senate": 2}
    view["seats"][0]["forum_tiles"] = {"votes4": 1}
    view["seats"][1]["forum_tiles"] = {"wild-goods": 1}
    view["forum_gone"]["votes4"] = 2
    assert ended(view).player == 0  # 4 against 2
    view["seats"][0]["forum_tiles"] = {"votes2": 1}
    view["forum_gone"] |= {"votes2": 2, "votes4": 3}
    assert ended(view).player == 1  # 2 against 2: further along
    view["seats"][0]["forum_tiles"] = {}
    view["seats"][1]["senate"] = 0
    view["senate_order"] = [1, 0]
    assert ended(view).player == 0  # 0 against 0: higher


def test_a_quarter_ends_with_new_tiles_and_without_votes_and_old_tiles():
    view = before_quarter_end()
    view["seats"][0] |= {"forum_tiles": {"votes4": 1, "bread": 1}, "leader": "raetia"}
    view["seats"][1] |= {"legionnaires": ["alpes"], "military_camp": 0}
    view["forum_gone"]["votes4"] = 2
    view |= {"forum": {"games": 1}, "provinces": {"belgica": "religion"}, "coloured_ships": []}
    after = ended(view).after("bonus bonus-workers")
    now = seen(after)
    assert (now["quarter"], now["round"]) == (2, 1)
    assert seat(after)["forum_tiles"] == {"bread": 1}
    assert sum(now["forum"].values()) == 6 + 3
    assert now["forum_gone"]["games"] == 7
    assert now["coloured_ships"] == ["equal", "pairs", "different"]
    assert len(now["bonus_offer"]) == 2
    assert set(now["provinces"]) == {
        "noricum",
        "narbonensis",
        "lugudunensis",
        "belgica",
        "germania-superior",
        "aquitania",
        "britannia",
        "germania-inferior",
    }
    assert now["provinces"]["belgica"] == "religion"
    assert after.player == 1


def test_provinces_come_first_when_the_forum_supply_runs_short():
    view = before_quarter_end()
    full = seen(position(view))["hidden"]["forum_supply"]
    for name in full[:-12]:
        view["forum_gone"][name] = view["forum_gone"].get(name, 0) + 1
    after = ended(view).after("bonus bonus-workers")
    assert len(seen(after)["provinces"]) == 10
    assert sum(seen(after)["forum"].values()) == 2 + 3


def test_several_laps_in_one_move_end_several_rounds():
    view = board(2, lap_length=2) | {"time_marker": 1}
    trays = view["seats"][0]["trays"]
    trays["I"] = ["blue", "blue", "green", "green", "orange"]
    trays |= {"II": [], "III": ["orange"]}
    after = position(view).after("sow I")
    while after.player == 0 and after.turn == 4:
        after = after.after(after.legal()[-1])
    assert seen(after)["round"] == 4
    assert sum(seen(after)["demands"].values()) == 3


def test_a_quarter_end_within_a_move_asks_the_consul_before_the_next_round_ends():
    view = before_quarter_end(lap_length=2) | {"time_marker": 1}
    view["seats"][0]["trays"] |= {"I": ["blue", "blue", "green"], "II": ["green"]}
    after = position(view).after("sow I")
    while after.legal()[0].split()[0] != "bonus":
        after = after.after(after.legal()[-1])
    assert seen(after)["rounds_due"] == 1
    after = after.after("bonus bonus-workers")
    assert (seen(after)["quarter"], seen(after)["round"]) == (2, 2)
    assert after.player == 1


# ---- End of the game --------------------------------------------------------------------------


def last_quarter(**options):
    """Quarter 4 ends with the next move; all demands are covered, only little scores."""
    view = before_quarter_end(2, 4, {"religion": 1, "games": 1, "bread": 1}, **options)
    for each in view["seats"]:
        each |= {"worker_camp": 0, "military_camp": 0, "supply": 15, "arch": "I"}
    view["seats"][0]["gold_bonus"] = []
    view["seats"][1]["gold_bonus"] = [
        "columns-furs",
        "furs",
        "scrolls-oil",
        "fruit-pottery",
        "wine-fish",
        "jewellery-gems",
        "cattle-wheat",
        "bonus-gold",
        "bonus-bread",
    ]
    view["seats"][1]["gold_bonus"].remove("furs")
    view["bonus_offer"] = ["bonus-workers", "bonus-legions"]
    view["senate_order"] = [1, 0]
    return view


def final(view):
    return ended(view).after("bonus bonus-workers")


def gain(**changes):
    """VP that the changes bring player 0 at the end, demands aside."""
    view = last_quarter(**changes.pop("options", {}))
    view["seats"][0] |= changes
    tiles = changes.get("forum_tiles", {})
    if "wild-building" in tiles:
        view["forum_gone"]["wild-building"] = 2 - tiles["wild-building"]
    for name in changes.get("buildings", []):
        site = next(site for site, there in view["sites"].items() if there == name)
        del view["sites"][site]
    for name in changes.get("gold_bonus", []) + changes.get("silver_bonus", []):
        if name in view["seats"][1]["gold_bonus"]:
            view["seats"][1]["gold_bonus"].remove(name)
            view["seats"][1]["silver_bonus"].append("bonus-games")
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
    ],
)
def test_building_sets(buildings, wilds, vp):
    workers = ["A1", "A2", "A3", "A4", "B1"][: len(buildings)]
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
    view["seats"][0] |= {"workers": ["A1", "B1", "C1"], "supply": 12}
    assert ended(view).after("bonus bonus-legions").scores[0] == -15
    view["seats"][1] |= {"workers": ["A1", "B1", "C1"], "supply": 12}
    over = ended(view).after("bonus bonus-legions")
    assert over.scores[1] - ended(last_quarter()).after("bonus bonus-legions").scores[1] == 2


def test_the_demands_of_quarter_4_are_paid_so_that_most_vp_remain():
    """One bread is asked; bread and a wild are there: the wild pays and the bread scores."""
    view = last_quarter()
    view |= {"demands": {"bread": 3}, "demands_gone": {"games": 4, "religion": 5}}
    view["forum_gone"]["bread"] = 10
    view["seats"][1]["gold_bonus"].remove("bonus-bread")
    view["seats"][1]["gold_bonus"].append("bonus-games")
    view["seats"][0] |= {
        "gold_bonus": ["bonus-bread"],
        "forum_tiles": {"bread": 3, "wild-demand": 1},
    }
    options = {"wild_demand_scores": False}
    over = final(view | {"options": options})
    assert over.scores[0] == 9
    assert seat(over)["forum_tiles"] == {"bread": 1}
    over = final(view)  # with scoring wilds the ordinary order is as good and keeps the wild
    assert over.scores[0] == 9
    assert seat(over)["forum_tiles"] == {"wild-demand": 1}


def test_one_wild_demand_tile_serves_one_bonus_tile_the_dearest():
    view = last_quarter()
    view["seats"][1]["gold_bonus"].remove("bonus-bread")
    view |= {"demands": {"religion": 3}, "demands_gone": {"games": 4, "bread": 5}}
    view["seats"][0] |= {"gold_bonus": ["bonus-bread"], "silver_bonus": ["bonus-games"]}
    view["seats"][1]["gold_bonus"].remove("cattle-wheat")
    view["seats"][0]["demand_tiles"] = {"religion": 1}
    view["trajan_gone"] = ["religion-white-white"]
    if view["trajan_tops"]["demands"] == "religion-white-white":
        view["trajan_tops"]["demands"] = "games-green-green"
    view["seats"][0]["forum_tiles"] = {"wild-demand": 3}
    view["bonus_offer"] = ["bonus-legions", "cattle-wheat"]
    assert ended(view).after("bonus cattle-wheat").scores[0] == 9
    view = view | {"options": {"wild_demand_scores": False}}
    assert ended(view).after("bonus cattle-wheat").scores[0] == 0


def test_trajan_demand_tiles_never_serve_a_bonus_tile():
    view = last_quarter()
    view["seats"][1]["gold_bonus"].remove("bonus-bread")
    view["seats"][1]["gold_bonus"].append("bonus-games")
    view["seats"][0] |= {"gold_bonus": ["bonus-bread"], "demand_tiles": {"bread": 1}}
    view["trajan_gone"] = ["bread-green-orange"]
    if view["trajan_tops"]["demands"] == "bread-green-orange":
        view["trajan_tops"]["demands"] = "games-green-green"
    assert final(view).scores[0] == -9


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_tie_goes_to_the_higher_rank_of_the_last_senate(order):
    view = last_quarter()
    taken = [*view["seats"][1]["gold_bonus"], "bonus-workers"]
    taken.remove("bonus-gold")
    view["seats"][1] |= {"gold_bonus": [], "silver_bonus": taken}
    view |= {"bonus_offer": ["bonus-gold", "bonus-legions"], "senate_order": order}
    over = ended(view).after("bonus bonus-legions")
    assert over.scores == [-15, -15]
    assert over.ranks[order[-1]] == 1
    assert over.ranks[order[0]] == 2


def test_rounds_still_due_are_dropped_after_quarter_4():
    view = last_quarter(lap_length=2)
    view["time_marker"] = 1
    view["seats"][0]["trays"] |= {"I": ["blue", "blue", "green"], "II": ["green"]}
    after = position(view).after("sow I")
    while after.player is not None:
        after = after.after(after.legal()[-1])
    assert after.ranks is not None


def test_votes_count_before_they_leave_and_stay_in_quarter_4():
    view = last_quarter()
    view["seats"][0]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    over = played(ended(view), "bonus bonus-workers")
    assert seat(over)["forum_tiles"] == {"votes4": 1}
