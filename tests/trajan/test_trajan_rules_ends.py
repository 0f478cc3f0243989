"""Trajan, sections 6 and 9: ends of rounds, quarters and the game, and rulings on them."""

import pytest
from trajan_boards import (
    before_quarter_end,
    board,
    ended,
    last_quarter,
    own,
    played,
    position,
    seen,
)

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
    view["players"][0]["forum_tiles"] = {"religion": tiles}
    assert ended(view).scores == [-loss, -15]


def test_demands_are_paid_by_trajan_tile_then_forum_tile_then_wild():
    view = before_quarter_end(demands={"bread": 1, "games": 1, "religion": 1})
    view["players"][0] |= {
        "forum_tiles": {"bread": 1, "games": 1, "wild-demand": 1},
        "demand_tiles": {"bread": 1},
    }
    tile = "bread-green-orange"
    view["trajan_gone"] = [tile]
    if view["trajan_tops"]["demands"] == tile:
        view["trajan_tops"]["demands"] = "games-green-green"
    after = ended(view)
    assert after.scores[0] == 0
    assert own(after)["forum_tiles"] == {"bread": 1}
    assert own(after)["demand_tiles"] == {"bread": 1}


def test_a_trajan_tile_pays_one_demand_a_quarter():
    view = before_quarter_end(demands={"bread": 3})
    view["players"][0]["demand_tiles"] = {"bread": 1}
    view["trajan_gone"] = ["bread-green-orange"]
    if view["trajan_tops"]["demands"] == "bread-green-orange":
        view["trajan_tops"]["demands"] = "games-green-green"
    assert ended(view).scores[0] == -9


# ---- Section 6, demand_payment: chosen --------------------------------------------------------


def chosen(demands=None, **tiles):
    """The end of quarter 1, where player 1 has `tiles` and players choose what pays."""
    view = before_quarter_end(demands=demands or {"bread": 3}, demand_payment="chosen")
    view["players"][1]["forum_tiles"] = {name.replace("_", "-"): n for name, n in tiles.items()}
    return view


def test_players_choose_what_pays_in_turn_after_all_losses_were_taken():
    view = chosen(bread=4, wild_demand=2)
    view["players"][0]["forum_tiles"] = {"bread": 2, "wild-demand": 1}  # one way
    after = ended(view)
    assert seen(after)["to_decide"] == {"player": 1, "decision": "payment", "turn_of": 0}
    assert own(after)["forum_tiles"] == {}
    assert after.legal() == [
        "pay bread+bread+bread",
        "pay bread+bread+wild-demand",
        "pay bread+wild-demand+wild-demand",
    ]
    after = after.after("pay bread+wild-demand+wild-demand")
    assert own(after, 1)["forum_tiles"] == {"bread": 3}
    assert seen(after)["to_decide"]["decision"] == "bonus"
    assert seen(after)["demands"] == {}
    view["players"][0]["forum_tiles"] = {}
    after = ended(view)
    assert (after.player, after.scores) == (1, [-15, 0])


def test_both_players_decide_player_0_first_whoever_has_the_turn():
    view = chosen(bread=3, wild_demand=1)
    view["players"][0]["forum_tiles"] = {"bread": 3, "wild-demand": 1}
    start = ended(view)
    assert start.player == 0
    after = start.after("pay bread+bread+wild-demand")
    assert after.player == 1
    assert after.turn == start.turn


def test_trajan_demand_tiles_cover_first():
    view = chosen(bread=2, wild_demand=1)
    view["players"][1]["demand_tiles"] = {"bread": 1}
    view["trajan_gone"] = ["bread-green-orange"]
    if view["trajan_tops"]["demands"] == "bread-green-orange":
        view["trajan_tops"]["demands"] = "games-green-green"
    assert ended(view).legal() == ["pay bread+bread", "pay bread+wild-demand"]


def test_as_many_demands_as_possible_are_covered():
    view = chosen({"bread": 2, "games": 1}, bread=2, wild_demand=1)
    after = ended(view)
    assert seen(after)["to_decide"]["decision"] == "bonus"
    assert own(after, 1)["forum_tiles"] == {}


def test_one_way_to_pay_or_nothing_to_pay_is_no_decision():
    after = ended(chosen(bread=1, games=2))
    assert seen(after)["to_decide"]["decision"] == "bonus"
    assert own(after, 1)["forum_tiles"] == {"games": 2}
    assert after.scores[1] == -9


def test_tiles_are_named_in_the_order_of_the_symbols_the_wild_last():
    view = chosen({"bread": 1, "games": 1, "religion": 1}, bread=1, games=1, religion=1)
    view["players"][1]["forum_tiles"]["wild-demand"] = 1
    assert ended(view).legal() == [
        "pay bread+games+religion",
        "pay bread+games+wild-demand",
        "pay bread+religion+wild-demand",
        "pay games+religion+wild-demand",
    ]


def test_the_payment_of_another_player_is_open_to_all():
    start = ended(chosen(bread=4, wild_demand=2))
    assert start.determinized(0, 3).legal() == start.legal()
    assert start.view(0)["to_decide"] == start.view(1)["to_decide"]


def test_a_move_of_several_laps_asks_at_the_end_of_each_quarter():
    view = before_quarter_end(demands={"bread": 3}, demand_payment="chosen", lap_length=1)
    view |= {"time_marker": 0}
    view["players"][1]["forum_tiles"] = {"bread": 7, "games": 5, "religion": 5, "wild-demand": 3}
    trays = view["players"][0]["trays"]
    trays["I"] = [colour for colour in ("blue", "green", "orange", "pink") for _ in range(2)]
    trays |= {"II": ["white"], "III": ["white"], "IV": ["yellow"], "V": ["yellow"], "VI": []}
    after = position(view).after("sow I")
    decisions = []
    while after.turn == 4:
        decision = seen(after)["to_decide"]["decision"]
        if decision in ("payment", "bonus"):
            decisions.append((decision, seen(after)["quarter"]))
        # Forum tiles pay, so that wilds are left to choose with; otherwise nothing is done.
        after = after.after(after.legal()[0 if decision == "payment" else -1])
    assert decisions == [("payment", 1), ("bonus", 1), ("payment", 2), ("bonus", 2)]


# ---- Section 6, province_votes ----------------------------------------------------------------


@pytest.mark.parametrize(("option", "gone"), [("stay", 3), ("leave", 4)])
def test_vote_tiles_on_provinces_stay_or_leave_before_these_are_refilled(option, gone):
    view = before_quarter_end(province_votes=option)
    view["forum_gone"] |= {"votes3": 2, "votes2": 1}
    view["provinces"] = {"belgica": "votes3", "alpes": "bread"}
    after = ended(view).after("bonus bonus-workers")
    now = seen(after)
    assert now["forum_gone"]["votes3"] + now["forum_gone"]["votes2"] == gone
    assert (now["provinces"]["belgica"] == "votes3") == (option == "stay")
    assert now["provinces"]["alpes"] == "bread"
    assert len(now["provinces"]) == 10


# ---- Senate -----------------------------------------------------------------------------------


def test_votes_are_space_and_tiles_and_the_winner_chooses():
    view = before_quarter_end()
    view["players"][1] |= {"senate": 3}
    view["players"][0]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    after = ended(view)
    assert after.player == 0
    assert after.legal() == ["bonus bonus-workers", "bonus bonus-legions"]
    after = after.after("bonus bonus-legions")
    assert own(after)["gold_bonus"][-1] == "bonus-legions"
    assert own(after, 1)["silver_bonus"] == ["bonus-workers"]
    assert seen(after)["senate_order"] == [1, 0]
    assert [s["senate"] for s in seen(after)["players"]] == [0, 0]


def test_ties_go_to_the_disc_further_along_then_to_the_higher_one():
    view = before_quarter_end()
    view["players"][1] |= {"senate": 2}
    view["players"][0]["forum_tiles"] = {"votes4": 1}
    view["players"][1]["forum_tiles"] = {"wild-goods": 1}
    view["forum_gone"]["votes4"] = 2
    assert ended(view).player == 0  # 4 against 2
    view["players"][0]["forum_tiles"] = {"votes2": 1}
    view["forum_gone"] |= {"votes2": 2, "votes4": 3}
    assert ended(view).player == 1  # 2 against 2: further along
    view["players"][0]["forum_tiles"] = {}
    view["players"][1]["senate"] = 0
    view["senate_order"] = [1, 0]
    assert ended(view).player == 0  # 0 against 0: higher


def test_a_quarter_ends_with_new_tiles_and_without_votes_and_old_tiles():
    view = before_quarter_end()
    view["players"][0] |= {"forum_tiles": {"votes4": 1, "bread": 1}, "leader": "raetia"}
    view["players"][1] |= {"legionnaires": ["alpes"], "military_camp": 0}
    view["forum_gone"]["votes4"] = 2
    view |= {"forum": {"games": 1}, "provinces": {"belgica": "religion"}, "coloured_ships": []}
    after = ended(view).after("bonus bonus-workers")
    now = seen(after)
    assert (now["quarter"], now["round"]) == (2, 1)
    assert own(after)["forum_tiles"] == {"bread": 1}
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
    trays = view["players"][0]["trays"]
    trays["I"] = ["blue", "blue", "green", "green", "orange"]
    trays |= {"II": [], "III": ["orange"]}
    after = position(view).after("sow I")
    while after.player == 0 and after.turn == 4:
        after = after.after(after.legal()[-1])
    assert seen(after)["round"] == 4
    assert sum(seen(after)["demands"].values()) == 3


def test_a_quarter_end_within_a_move_asks_the_consul_before_the_next_round_ends():
    view = before_quarter_end(lap_length=2) | {"time_marker": 1}
    view["players"][0]["trays"] |= {"I": ["blue", "blue", "green"], "II": ["green"]}
    after = position(view).after("sow I")
    while after.legal()[0].split()[0] != "bonus":
        after = after.after(after.legal()[-1])
    assert seen(after)["rounds_due"] == 1
    after = after.after("bonus bonus-workers")
    assert (seen(after)["quarter"], seen(after)["round"]) == (2, 2)
    assert after.player == 1


# ---- Quarter 4 --------------------------------------------------------------------------------


def test_rounds_still_due_are_dropped_after_quarter_4():
    view = last_quarter(lap_length=2)
    view["time_marker"] = 1
    view["players"][0]["trays"] |= {"I": ["blue", "blue", "green"], "II": ["green"]}
    after = position(view).after("sow I")
    while after.player is not None:
        after = after.after(after.legal()[-1])
    assert after.ranks is not None


def test_votes_count_before_they_leave_and_stay_in_quarter_4():
    view = last_quarter()
    view["players"][0]["forum_tiles"] = {"votes4": 1}
    view["forum_gone"]["votes4"] = 2
    over = played(ended(view), "bonus bonus-workers")
    assert own(over)["forum_tiles"] == {"votes4": 1}
