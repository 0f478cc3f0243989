"""Rulings of Forum Trajanum on small positions; sections are those of the rules page."""

import pytest
from forum_positions import place, play, player, scoring

from trajan_ai.forum_trajanum import GAME

OPEN = {"blue": "A1", "green": "F1", "red": "A6", "yellow": "F6"}


FIVE_ROUNDS = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4", "b5", "w5"]


def cranes(**states):
    """Cranes with their states; those not named are used."""
    return {corner: f"{colour} {states.get(colour, 'used')}" for colour, corner in OPEN.items()}


def built(position, *prefixes):
    return [one for one in position.legal() if one.startswith(prefixes)]


def to_step_1(position):
    """The first decision of step 1 of a game just dealt."""
    while position.view(0)["stage"] != "take":
        position = position.after(position.legal()[0])
    return position


# --- worked examples of the rulebook ------------------------------------------------------------


def test_column_example_three_and_two_citizens():
    """A7, B7: 3 VP in the first phase and 2 active citizens."""
    position = place({"resources": {"builder": 1}, "citizens": {"1": 1, "3": 1}})
    assert play(position, "build column B1").scores == [5, 0]


def test_crane_example_four_parks_in_the_second_phase():
    """A8 1: a green crane opened in phase II, 4 green structures: 8 VP."""
    parks = dict.fromkeys(["B1", "C1", "D1", "E1"], "park")
    first = {"buildings": parks, "cranes": cranes(green="open"), "face_up": {}}
    found = scoring(first, round=5, street_cards=FIVE_ROUNDS)
    assert found["cranes"] == 8


def test_third_scoring_example():
    """A8: 3 + 22 + 6 + 9 + 14 = 54 (the printed 6 + 19 = 15 is 6 + 9)."""
    first = {
        "buildings": {
            **dict.fromkeys(["D1", "E1", "D2"], "park"),
            "B1": "market",
            **{"A2": "market", "B2": "market", "F2": "basilica"},
            "F3": "column",
            **{"A4": "column", "F4": "library"},
            **{"A5": "market", "B5": "library", "C5": "basilica", "E5": "column"},
            "B6": "library",
        },
        "cranes": cranes(green="open"),
        "face_up": {},
        "citizens": {"3": 1, "4": 1, "5": 2, "6": 1},
        "inactive": [6],
        "slider": 4,
        "resources": {"assistant": 1, "coin": 1},
        # around and on the eagle m2.2
        "forum": ["m1.1", "m1.2", "m1.3", "m2.1", "m2.2", "m2.3", "m3.2"],
    }
    cards = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4", "b5", "w5", "b6", "w6"] * 2
    found = scoring(first, trajan_cards=[25, 29, 36], round=12, street_cards=cards)
    assert found == {"cranes": 3, "colonia": 22, "eagles": 6, "area": 9, "trajan": 14}
    assert sum(found.values()) == 54


def test_six_envoys_give_six_points_on_the_base_side():
    """A8 3b, B8: printed data point 1, at step 2 of the default track."""
    row = ["m1.1", "m1.2", "m1.3", "m1.4", "m2.4", "m3.4"]
    assert scoring({"forum": row, "slider": 2})["area"] == 6


# --- A3 and A14: step 1 -------------------------------------------------------------------------


def test_two_cards_of_one_symbol_are_resolved_in_order():
    """Ruling 2 and merging: card 1 first."""
    setup = GAME.start(2, 3).origin[2]
    cards = sorted(card for deck in setup["street_decks"] for card in deck)
    setup["street_decks"] = [cards[:8], cards[8:16], cards[16:]]
    position = to_step_1(GAME.restore(2, setup))
    assert all(action.startswith("take 1") for action in position.legal())
    taken = position.after("take 1 B1")
    assert all(action.startswith("take 2") for action in taken.legal())
    assert "take 2 B1" not in taken.legal()


def step_1(first, **decide):
    table = {"stage": "take", "to_decide": {"player": 0, "task": "take", "open_cards": [1, 2]}}
    table["to_decide"] |= decide
    return place(first, **table)


def test_a_tile_at_the_crossing_serves_one_card():
    """Ruling 3: two tiles are taken, one for each card."""
    first = {"face_down": ["B1", "A2"], "unseen": {"builder+red": 1, "builder+green": 1}}
    position = step_1(first)
    after = position.after("take 1 A1")  # the corner lies in both streets
    assert after.legal() == ["take 2 A2", "take 2 A6"]


def test_a_street_with_a_tile_must_be_served_unless_a_tribune_is_paid():
    """Ruling 4."""
    first = {"face_down": ["B1", "B3"], "unseen": {"builder+red": 1, "builder+green": 1}}
    assert not built(step_1(first), "skip")
    paid = step_1({**first, "resources": {"tribune": 1}})
    assert "take 1 B3 tribune" in paid.legal()
    assert "take 1 B1 tribune" not in paid.legal()  # it lies in the street
    assert "take 2 B1 tribune" in paid.legal()


def test_an_empty_street_may_be_skipped():
    """A3: with one tile he keeps it and passes nothing; the neighbour may use his reserve."""
    corners = {"cranes": cranes(yellow="covered"), "face_up": {"F6": "coin+tribune"}}
    first = {
        **corners,
        "face_down": ["B1", "C1"],
        "resources": {"tribune": 1},
        "unseen": {"builder+red": 1, "builder+green": 1},
    }
    position = step_1(first)
    assert {"skip 2", "take 2 B1 tribune", "take 1 B1"} <= set(position.legal())
    assert "skip 1" not in position.legal()
    after = play(position, "skip 2", "take 1 B1")
    assert player(after)["kept"] != "unknown"
    assert "passed" not in player(after)


def received_nothing(**table):
    """Player 0 received nothing and chooses from his reserve."""
    first = {
        "kept": "builder+coin",
        "passed": "builder+red",
        "reserve": ["merchant-m", "builder+tribune"],
        "resources": {"tribune": 2},
        "face_up": {"A1": "patrician-f", "F1": "merchant-f", "F6": "coin+tribune"},
        "cranes": cranes(blue="covered", green="covered", yellow="covered"),
    }
    second = {"kept": "unknown", "unseen": {"builder+blue": 1, "blue+coin": 1}}
    decide = {"player": 0, "task": "reserve"}
    return place(first, second, stage="reserve", to_decide=decide, **table)


def test_a_used_reserve_tile_leaves_the_game():
    """A3."""
    after = play(received_nothing(), "reserve builder+tribune", "use received")
    assert player(after)["reserve"] == ["merchant-m"]


def test_a_reserve_tile_not_used_returns():
    """Ruling 28."""
    after = play(received_nothing(), "reserve builder+tribune", "use own")
    assert player(after)["reserve"] == ["merchant-m", "builder+tribune"]


def test_a_citizen_of_the_reserve_is_seated():
    after = play(received_nothing(), "reserve merchant-m", "use received", "seat 4")
    assert player(after)["citizens"] == {"4": 1}
    assert player(after)["reserve"] == ["builder+tribune"]


def test_the_first_player_of_a_round_rotates_backwards():
    """Ruling 5, A14: the holder of round r is (-r) mod n."""
    position = GAME.start(3, 1)
    first = {}
    while position.player is not None:
        view = position.view(0)
        if view["stage"] == "take":
            first.setdefault(view["round"], position.player)
        position = position.after(position.legal()[0])
    assert first == {round_ + 1: -round_ % 3 for round_ in range(12)}


# --- A4, A6: step 2a and citizens ---------------------------------------------------------------


def use(first=None, second=None, **table):
    """Player 0 uses tiles: his own builder+red and builder+green of player 1."""
    first = {"kept": "builder+red", "passed": "coin+tribune", **(first or {})}
    second = {"kept": "unknown", "passed": "builder+green", **(second or {})}
    second.setdefault("unseen", {"builder+blue": 1, "blue+coin": 1})
    first.setdefault("face_up", {"A1": "patrician-f", "F1": "merchant-f", "A6": "builder+coin"})
    first.setdefault(
        "cranes",
        cranes(blue="covered", green="covered", red="covered"),
    )
    decide = {"player": 0, "task": "use", "then": ["build"], "hand": ["own", "received"]}
    return place(first, second, to_decide=decide, **table)


def test_both_tiles_take_two_tribunes_owned_before():
    """A4: both tribunes must be owned already."""
    assert use({"resources": {"tribune": 1}}).legal() == ["use own", "use received"]
    position = use({"resources": {"tribune": 2}})
    assert position.legal() == ["use own", "use received", "use both own", "use both received"]
    after = position.after("use both own")
    assert player(after)["resources"] == {"builder": 2, "green": 1, "red": 1}
    assert player(after)["ship"] == 1
    assert player(after)["reserve"] == ["builder+green"]


def test_unused_tiles_go_to_ship_and_reserve():
    """A4, ruling 36."""
    used_own = use().after("use own")
    assert (player(used_own)["ship"], player(used_own)["reserve"]) == (1, ["builder+green"])
    used_other = use().after("use received")
    assert (player(used_other)["ship"], player(used_other)["reserve"]) == (1, ["builder+green"])


def test_a_foreign_citizen_sits_in_my_row():
    """Ruling 20; an own tile not used becomes an envoy."""
    position = use(second={"passed": "craftsman-m"})
    after = play(position, "use received", "seat 5")
    assert player(after)["citizens"] == {"5": 1}
    assert player(after)["ship"] == 1
    assert player(after)["reserve"] == []


def test_an_unused_foreign_citizen_lies_in_the_reserve():
    """Ruling 36."""
    after = play(use({"resources": {"builder": 1}}, {"passed": "craftsman-m"}), "use own")
    assert player(after)["reserve"] == ["craftsman-m"]


def test_the_slider_is_flipped_for_good_by_the_first_merchant():
    """A6, ruling 33: at setup too."""
    position = GAME.start(2, 1)
    setup = position.origin[2]
    setup["start_citizens"][0] = "merchant"
    position = GAME.restore(2, setup)
    position = play(position, *[position.legal()[0]])
    while "seat 3" not in position.legal():
        position = position.after(position.legal()[0])
    assert position.after("seat 3").view(0)["players"][0]["citizens"] == {"3": 1}


def test_a_second_citizen_wakes_the_first():
    """A6: the first becomes active at once."""
    position = use({"citizens": {"5": 1}, "inactive": [5]}, {"passed": "craftsman-m"})
    after = play(position, "use received", "seat 5", "gain blue")
    assert player(after)["inactive"] == []
    assert player(after)["citizens"] == {"5": 2}


@pytest.mark.parametrize(
    ("tile", "seat", "gains"),
    [
        ("merchant-m", 3, ["gain coin", "gain tribune"]),
        ("merchant-m", 4, ["gain assistant", "gain coin"]),
        ("craftsman-m", 5, ["gain blue", "gain green", "gain red", "gain yellow"]),
        (
            "patrician-m",
            2,
            ["bonus assistant", "bonus coin", "bonus tribune", "bonus upgrade", "bonus vp"],
        ),
    ],
)
def test_second_citizens_bring_their_bonus(tile, seat, gains):
    """A6: row 2 gives exactly one area bonus although Patrician II is active."""
    position = use({"citizens": {str(seat): 1}}, {"passed": tile})
    asked = play(position, "use received", f"seat {seat}")
    assert sorted(asked.legal()) == gains
    assert not built(asked.after(gains[0]), "bonus", "gain")


def test_row_one_sends_an_envoy_anywhere_coloured():
    """Ruling 12: no colour demand, no eagle; the unused own tile is not yet an envoy (A14)."""
    position = use({"citizens": {"1": 1}, "ship": 1}, {"passed": "patrician-m"})
    asked = play(position, "use received", "seat 1")
    assert len(built(asked, "envoy")) == 33
    assert "envoy m2.2" not in asked.legal()  # the eagle of board 1a
    none = use({"citizens": {"1": 1}, "ship": 0}, {"passed": "patrician-m"})
    assert not built(play(none, "use received", "seat 1"), "envoy")


def test_cypress_goes_to_the_next_cypress_row():
    """Ruling 32: from step 2 to 4; not asked where it leads no further."""
    tile = {"passed": "tribune+upgrade"}
    position = use({"citizens": {"3": 1}, "slider": 2}, tile)
    asked = position.after("use received")
    assert asked.legal() == ["step", "cypress"]
    assert player(asked.after("cypress"))["slider"] == 4
    assert player(asked.after("step"))["slider"] == 3
    near = use({"citizens": {"3": 1}, "slider": 1, "resources": {"builder": 1}}, tile)
    assert player(near.after("use received"))["slider"] == 2


def test_an_upgrade_at_the_right_end_does_nothing():
    """Ruling 24."""
    tile = {"passed": "tribune+upgrade"}
    position = use({"slider": 6, "resources": {"builder": 1}}, tile)
    assert player(position.after("use received"))["slider"] == 6


# --- A7: building and paying --------------------------------------------------------------------


def test_two_workers_of_one_colour_pay_a_builder():
    position = place({"resources": {"builder": 1, "blue": 2}})
    asked = position.after("build column B1")
    assert asked.legal() == ["pay builder", "pay blue+blue"]
    mixed = place({"resources": {"blue": 1, "red": 1}})
    assert not built(mixed, "build column", "build library")


def test_an_assistant_recolours_a_worker():
    """A14: also where the right colour is there."""
    position = place({"resources": {"blue": 1, "red": 1, "assistant": 1}})
    asked = position.after("build fountain B1")
    assert asked.legal() == ["pay blue", "pay red+assistant"]


def test_a_double_takes_two_assistants_at_most():
    """A7: each off-colour worker costs one assistant; payments are multisets (ruling 37)."""
    position = place({"resources": {"blue": 2, "red": 2, "assistant": 2}})
    asked = position.after("build fountain+fountain B1 C1")
    assert asked.legal() == [
        "pay blue+blue",
        "pay blue+red+assistant",
        "pay red+red+assistant+assistant",
    ]


def test_the_swap_is_not_recoloured_without_the_option():
    """Ruling 7."""
    first = {"resources": {"blue": 1, "red": 1, "assistant": 1}}
    assert not built(place(first), "build column")
    flagged = place(first, options={"recolour_in_swap": True})
    paid = flagged.after("build column B1")
    assert player(paid)["resources"] == {}


def test_overpaying_is_not_offered():
    """Ruling 37."""
    first = {"resources": {"builder": 1, "blue": 2, "red": 1, "assistant": 2}}
    position = place(first, options={"recolour_in_swap": True})
    asked = position.after("build market+stable B1 C1")
    assert sorted(asked.legal()) == [
        "pay blue+blue+red+assistant",
        "pay builder+blue+assistant",
        "pay builder+red+assistant",
    ]


def test_grey_and_colour_are_paired_on_doubles():
    """B4: park with column, fountain with library, house with basilica, stable with market."""
    position = place({"resources": {"builder": 1, "green": 1}})
    doubles = {action.split()[1] for action in built(position, "build") if "+" in action}
    assert doubles == {"column+park"}


def test_buildings_need_empty_plain_cells():
    first = {
        "resources": {"builder": 1},
        "face_down": ["B1"],
        "buildings": {"C1": "park"},
        "unseen": {"builder+red": 1},
    }
    cells = {action.split()[-1] for action in built(place(first), "build")}
    assert len(cells) == 26
    assert not cells & {"A1", "F6", "C2", "E3", "B4", "D5", "B1", "C1"}


def test_building_tiles_are_limited_with_the_option():
    """Ruling 21: 14 singles and 12 doubles of a colour, both sides together."""
    none = {"singles": {"green": 0, "blue": 1}, "doubles": {"blue": 1}}
    first = {"resources": {"builder": 1, "green": 2, "blue": 2}}
    position = place(first, options={"limited_tiles": True}, building_tiles=none)
    names = {action.split()[1] for action in built(position, "build")}
    assert names == {"library", "fountain", "library+fountain", "fountain+fountain"}
    after = play(position, "build fountain B1")
    assert after.view(0)["building_tiles"]["singles"]["blue"] == 0


def test_rewards_of_a_track_reach_back_one_step():
    """Ruling 6: this step or the one directly before."""
    libraries = {"B1": "library", "C1": "library"}
    position = place({"resources": {"builder": 1}, "buildings": libraries})
    asked = position.after("build library D1")
    assert asked.legal() == ["reward library 2", "reward library 3"]
    assert player(asked.after("reward library 2"))["resources"] == {"builder": 1}


def test_the_fourth_building_of_a_track_scores_a_column():
    """A14: the reward is resolved completely, then the column is scored; the fifth is nothing."""
    basilicas = {"B1": "basilica", "C1": "basilica", "D1": "basilica"}
    first = {"resources": {"builder": 3}, "buildings": basilicas, "citizens": {"1": 1, "2": 2}}
    asked = place(first).after("build basilica E1")
    assert asked.legal() == ["reward basilica 3", "reward basilica 4"]
    assert asked.after("reward basilica 3").scores[0] == 3 + 3
    again = asked.after("reward basilica 4")  # an extra building action, before the column
    assert again.scores[0] == 0
    assert again.after("build basilica B2").scores[0] == 6  # the fifth brings nothing


def test_completing_a_track_is_no_column_in_the_colonia():
    """Ruling 31: columns demanded by a card are buildings."""
    basilicas = dict.fromkeys(["B1", "C1", "D1", "E1"], "basilica")
    table = {"trajan_cards": [25, 31, 33], "round": 5, "street_cards": FIVE_ROUNDS}
    first = {"buildings": basilicas, "resources": {"blue": 1, "builder": 1}}
    assert scoring(first, **table)["trajan"] == 0
    columns = {"buildings": {"B1": "column", "E6": "column"}, "resources": {"blue": 1}}
    assert scoring(columns, **table)["trajan"] == 3


def test_a_tile_of_the_own_grid_opens_its_crane():
    """Ruling 29, A14: library 4 costs no tribune."""
    libraries = dict.fromkeys(["B1", "C1", "D1"], "library")
    position = place({"resources": {"builder": 1}, "buildings": libraries})
    asked = play(position, "build library E1", "reward library 4")
    assert asked.legal() == ["use A1", "use F1", "use A6", "use F6"]
    after = asked.after("use A6")  # builder + coin
    assert player(after)["cranes"]["A6"] == "red open"
    assert player(after)["resources"] == {"builder": 1, "coin": 1}
    assert player(after)["ship"] == 1


def test_conversions_are_limited_to_the_turn():
    """Ruling 10: a nested building action shares the limits."""
    basilicas = {"B1": "basilica", "C1": "basilica", "D1": "basilica"}
    first = {
        "resources": {"builder": 2, "assistant": 4, "coin": 1},
        "buildings": basilicas,
        "citizens": {"4": 1, "5": 1, "6": 1},
    }
    position = place(first)
    assert len(built(position, "swap")) == 4
    assert len(built(position, "train")) == 4
    used = play(position, "swap coin tribune", "train blue", "train blue", "promote")
    assert not built(used, "swap", "train", "promote")
    nested = play(used, "build basilica E1", "pay builder", "reward basilica 4")
    assert built(nested, "build")
    assert not built(nested, "swap", "train", "promote")


def test_merchant_two_swaps_coin_assistant_and_tribune():
    """Ruling 11; a swapped assistant may be promoted in the same turn."""
    position = place({"resources": {"coin": 1}, "citizens": {"4": 1, "6": 1}})
    assert built(position, "swap") == ["swap coin assistant", "swap coin tribune"]
    after = play(position, "swap coin assistant", "promote")
    assert player(after)["resources"] == {"builder": 1}


def test_inactive_citizens_count_as_absent():
    """A6."""
    first = {"resources": {"coin": 1, "builder": 1}, "citizens": {"4": 1}, "inactive": [4]}
    position = place(first)
    assert not built(position, "swap")
    assert position.after("build column B1").scores[0] == 3


# --- A7: envoys ---------------------------------------------------------------------------------


def house(first, second=None, **table):
    """Build a house; the red cells: m3.2 m4.2 m4.3, m1.6 m2.6 m3.6, m2.9 m3.9 m4.9."""
    resources = {"red": 1, "builder": 1}
    position = place({"resources": resources, "ship": 2, **first}, second, **table)
    asked = position.after("build house B1")
    return asked.after("pay red") if "pay red" in asked.legal() else asked


def test_a_started_area_must_be_continued():
    """A7: by whomever it was started; Patrician I waives it."""
    started = {"forum": ["m3.2"]}
    assert built(house({}, started), "envoy") == ["envoy m4.2", "envoy m4.3"]
    free = house({"citizens": {"1": 1}}, started)
    assert len(built(free, "envoy")) == 8
    assert "no envoy" in free.legal()


def test_several_started_areas_are_all_open():
    """Ruling 14."""
    found = built(house({}, {"forum": ["m3.2", "m1.6"]}), "envoy")
    assert sorted(found) == ["envoy m2.6", "envoy m3.6", "envoy m4.2", "envoy m4.3"]


def test_who_fills_an_area_takes_its_bonus():
    asked = house({}, {"forum": ["m3.2", "m4.2"]}).after("envoy m4.3")
    assert built(asked, "bonus") == asked.legal()
    assert asked.after("bonus vp").scores[0] == 2


def test_patrician_two_takes_two_different_bonuses():
    """A6, A14: the first is carried out before the second is chosen."""
    first = {"citizens": {"2": 1, "3": 1}, "slider": 2}
    asked = house(first, {"forum": ["m3.2", "m4.2"]}).after("envoy m4.3")
    stepped = asked.after("bonus upgrade")
    assert stepped.legal() == ["step", "cypress"]
    second = stepped.after("cypress")
    assert "bonus upgrade" not in second.legal()
    assert len(second.legal()) == 4


def test_market_three_fills_areas_too():
    """Ruling 13: any free coloured cell, no eagle, and the bonus for completing."""
    markets = {"B1": "market", "C1": "market"}
    first = {"resources": {"builder": 1}, "buildings": markets, "ship": 1}
    asked = play(place(first, {"forum": ["m3.2", "m4.2"]}), "build market D1", "reward market 3")
    assert "envoy m2.2" not in asked.legal()
    assert built(asked.after("envoy m4.3"), "bonus")


def test_library_three_sends_an_envoy_to_an_eagle():
    libraries = {"B1": "library", "C1": "library"}
    first = {"resources": {"builder": 1}, "buildings": libraries, "ship": 1}
    asked = play(place(first), "build library D1", "reward library 3")
    assert sorted(asked.legal()) == ["envoy m2.2", "envoy m2.8", "envoy m3.5", "no envoy"]
    assert not built(asked.after("envoy m2.2"), "bonus")


def test_a_structure_may_be_built_without_an_envoy():
    """A7: no envoy on the ship, no question."""
    position = place({"resources": {"red": 1}, "ship": 0})
    assert player(position.after("build house B1"))["buildings"] == {"B1": "house"}


def test_rewards_of_a_double_come_in_the_order_of_the_action():
    """A14: the grey building of `<grey>+<structure>` first."""
    first = {"resources": {"builder": 1, "blue": 1}, "ship": 1}
    position = place(first)
    asked = position.after("build library+fountain C1 B1")
    assert built(asked, "gain") == asked.legal()
    assert built(asked.after("gain red"), "envoy")


# --- A8: wages and scoring ----------------------------------------------------------------------


def wages(first, **table):
    """Player 0 pays his citizens after round 4 of two players."""
    rows = [f"wage {row}" for row in first["citizens"]]
    decide = {"player": 0, "task": rows[0]}
    if rows[1:]:
        decide["then"] = rows[1:]
    cards = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4"]
    return place(first, stage="wages", round=4, street_cards=cards, to_decide=decide, **table)


def test_wages_are_paid_by_whole_rows():
    """Rulings 17 and 18: one coin a row, also with two citizens."""
    first = {"citizens": {"1": 2, "5": 1}, "resources": {"coin": 1}}
    position = wages(first)
    assert position.legal() == ["wage 1", "no wage 1"]
    paid = position.after("wage 1")  # no coin is left for row 5
    assert player(paid)["inactive"] == [5]
    kept = position.after("no wage 1")
    assert kept.legal() == ["wage 5", "no wage 5"]


def test_a_row_that_was_inactive_may_be_paid_again():
    """A6: reactivation at a later scoring."""
    first = {"citizens": {"1": 2}, "inactive": [1], "resources": {"coin": 1}}
    assert player(wages(first).after("wage 1"))["inactive"] == []


def test_colonia_multiplies_different_greys_by_citizens():
    """A8 2: 1, 2, 3 for 0, 1, 2 active citizens."""
    greys = {"B1": "market", "C1": "market", "D1": "column", "A2": "library", "C3": "basilica"}
    found = scoring({"buildings": greys, "citizens": {"1": 2, "2": 1, "3": 1}, "inactive": [3]})
    assert found["colonia"] == 2 * 3 + 1 * 2 + 1


def test_envoys_score_beside_and_on_eagles():
    """A8 3a: 1 beside, 2 on; Patrician I adds diagonals; eagles lie at m2.2, m3.5, m2.8."""
    forum = ["m1.2", "m2.1", "m1.1", "m3.5"]
    assert scoring({"forum": forum})["eagles"] == 1 + 1 + 2
    assert scoring({"forum": forum, "citizens": {"1": 1}})["eagles"] == 5
    none = {"forum": forum, "citizens": {"1": 1}, "inactive": [1]}
    assert scoring(none)["eagles"] == 4


def test_an_envoy_between_two_eagles():
    """Ruling 15: 1 for each, or with the option once."""
    # 4a YYB/EBB/GRR/GGR turned by half has its eagle at m3.3, 1b at m3.5.
    mosaic = [[4, "a", 2], [1, "b", 0], [3, "a", 0]]
    found = scoring({"forum": ["m3.4"]}, mosaic=mosaic)
    assert found["eagles"] == 2
    once = scoring({"forum": ["m3.4"]}, mosaic=mosaic, options={"eagle_once": True})
    assert once["eagles"] == 1


def test_group_sizes_at_both_ends_of_the_labels():
    """Rulings 25 and 26: nothing for no envoy; the top label for more than ten."""
    assert scoring({"slider": 6})["area"] == 0
    ten = [f"m1.{column}" for column in range(1, 10)] + ["m2.1"]
    assert scoring({"forum": ten})["area"] == scoring({"forum": [*ten, "m2.3"]})["area"] == 8


def test_an_eagle_cell_joins_a_group():
    """A8 3b: eagle cells included, mosaic colours irrelevant."""
    assert scoring({"forum": ["m2.1", "m2.2", "m2.3"], "slider": 4})["area"] == 5


def test_cranes_score_once_and_are_used():
    """A8 1: 3, 2, 1 by phase; covered and used ones nothing."""
    first = {"buildings": {"B1": "house", "C1": "house", "D1": "park"}, "face_up": {}}
    first["cranes"] = cranes(red="open")
    assert scoring(first)["cranes"] == 6
    assert scoring({**first, "cranes": cranes()})["cranes"] == 0


def test_cranes_scored_now_count_as_used():
    """Ruling 23: card 32, in the same scoring."""
    table = {"trajan_cards": [25, 32, 33], "round": 5, "street_cards": FIVE_ROUNDS}
    first = {"face_up": {}, "citizens": {"1": 1, "3": 1}}
    opened = {**first, "cranes": cranes(red="open", blue="open", green="open")}
    assert scoring(opened, **table)["trajan"] == 3
    covered = {"citizens": {"1": 1, "3": 1}}
    assert scoring(covered, **table)["trajan"] == 0


def test_ties_go_by_citizens_then_by_resources():
    """A9, ruling 27."""
    cards = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4", "b5", "w5", "b6", "w6"] * 2
    decide = {"player": 0, "task": "wage 1"}
    table = {"stage": "wages", "round": 12, "street_cards": cards, "to_decide": decide}
    one = {"citizens": {"1": 1}, "resources": {"coin": 1}}
    position = place(one, {"resources": {"coin": 5}}, trajan_cards=[25, 29, 34], **table)
    assert position.after("wage 1").ranks == [1, 2]
    assert position.after("no wage 1").ranks == [2, 1]
    equal = place(one, {"resources": {"blue": 1}}, trajan_cards=[25, 29, 34], **table)
    assert equal.after("no wage 1").ranks == [1, 1]


# --- A10: Trajan cards --------------------------------------------------------------------------

PHASES = {1: (1, 0), 2: (5, 1), 3: (9, 2)}


def trajan(card, **first):
    """VP of a card with the bust at 3."""
    phase = 1 + (card - 25) // 4
    numbers = [25, 29, 33]
    numbers[phase - 1] = card
    count = 4 * phase - 3
    cards = (["b1", "b2", "b3", "b4", "b5", "b6", "w1", "w2", "w3", "w4", "w5", "w6"] * 2)[
        : 2 * count
    ]
    return scoring(first, trajan_cards=numbers, round=count, street_cards=cards)["trajan"]


def greys(*cells):
    return dict.fromkeys(cells, "market")


def coloured(*cells):
    return dict.fromkeys(cells, "park")


@pytest.mark.parametrize(
    ("card", "buildings", "copies"),
    [
        (25, {**greys("B1", "D1"), **coloured("C1")}, 1),
        (25, {**greys("A3", "C3"), **coloured("B3")}, 1),
        (25, {**greys("B1", "D1"), **coloured("C1", "E1")}, 1),
        (25, {**greys("A2", "A4"), **coloured("A3")}, 0),
        (26, {**greys("C1"), **coloured("C3")}, 1),
        (26, {**greys("C1"), **coloured("D3")}, 0),
        (27, {"A2": "market", "A3": "column"}, 1),
        (27, {"A2": "market", "A3": "market"}, 0),
        (27, {"A2": "market", "A3": "column", "A4": "library"}, 1),
        (27, {"A2": "market", "A3": "column", "A4": "library", "A5": "market"}, 2),
        (28, greys("B1", "A2"), 1),
        (28, greys("B1", "A2", "E6", "F5"), 2),
        (29, greys("E1", "D1", "D2", "E2"), 1),
        (29, greys("D1", "E1", "D2", "E2", "F2", "F3", "E4", "F4"), 1),
        (29, greys("A5", "B5", "B6", "C5", "C6", "E5", "E6", "F5", "F4", "E4"), 2),
        (30, {**coloured("A2", "A4"), **greys("A3")}, 1),
        (31, {"B1": "park", "C1": "house", "D1": "stable", "F5": "fountain"}, 1),
        (31, {"B1": "park", "C1": "house", "D1": "stable", "F5": "park"}, 0),
        (32, {**greys("A2", "A4"), **coloured("A3")}, 1),
        (33, {**coloured("A2", "A5"), **greys("A3", "A4")}, 1),
        (34, {"A2": "park", "A3": "house", "A4": "stable"}, 1),
        (34, {"A2": "park", "A3": "house", "A4": "park"}, 0),
        (35, coloured("B1", "D1", "B3", "D3"), 1),
        (36, {"A2": "market", "A3": "column", "A4": "library"}, 1),
        (36, {"A2": "market", "A3": "column", "A5": "library"}, 0),
    ],
)
def test_building_tasks(card, buildings, copies):
    """A10: cells (ruling 22), each in at most one copy of the task."""
    assert trajan(card, buildings=buildings, resources={"builder": 1}) == 3 * copies


@pytest.mark.parametrize(
    ("card", "first", "copies"),
    [
        (25, {"resources": {"tribune": 2, "coin": 3}}, 2),
        (26, {"citizens": {"1": 2, "2": 2}, "ship": 5}, 0),
        (26, {"citizens": {"1": 2, "3": 1, "5": 1}, "ship": 5}, 2),
        (26, {"citizens": {"1": 2, "3": 1}, "ship": 5}, 1),
        (27, {"resources": {"assistant": 5, "coin": 2}}, 2),
        (28, {"resources": {"builder": 1, "red": 1, "assistant": 1}}, 1),
        (29, {"resources": {"assistant": 2, "coin": 4}}, 2),
        (30, {"resources": {"tribune": 1, "builder": 1, "assistant": 1}}, 1),
        (33, {"citizens": {"1": 1, "3": 1, "5": 2}}, 1),
        (35, {"resources": {"red": 2, "blue": 1}, "cranes": cranes(), "face_up": {}}, 1),
        (35, {"resources": {"red": 3}, "cranes": cranes(), "face_up": {}}, 0),
        (35, {"resources": {"red": 2, "blue": 2}, "cranes": cranes(), "face_up": {}}, 2),
    ],
)
def test_collecting_tasks(card, first, copies):
    """A10: nothing is spent; two classes and two colours by their formula."""
    resources = {"builder": 1} if card != 30 else {}
    first = {"resources": resources, **first}
    assert trajan(card, **first) == 3 * copies


def test_a_card_needs_the_marker_at_the_column():
    """Card 36: the fourth building of a track brings the marker there."""
    first = {"resources": {"assistant": 1, "coin": 1, "builder": 1}}
    three = {**first, "buildings": greys("B1", "D1", "A2")}
    four = {**first, "buildings": greys("B1", "D1", "A2", "E6")}
    assert (trajan(36, **three), trajan(36, **four)) == (0, 3)


def test_the_bust_gives_the_value():
    """A8 4: 3, 5 or 7 by the slider."""
    first = {"resources": {"tribune": 1, "coin": 1}}
    assert [scoring({**first, "slider": u})["trajan"] for u in (0, 1, 2, 3, 4, 6)] == [
        3,
        3,
        5,
        5,
        7,
        7,
    ]


# --- options ------------------------------------------------------------------------------------


def test_the_introductory_game_has_a_card_in_the_third_phase_only():
    position = GAME.start(2, 4, introductory=True)
    assert len(position.view(0)["trajan_cards"]) == 1


def test_novices_have_a_coin_and_a_second_citizen():
    """A9, A14: after everybody's setup, a female citizen from a corner; its crane opens."""
    position = GAME.start(2, 4, novices=[1])
    while position.view(0)["stage"] != "novices":
        position = position.after(position.legal()[0])
    assert position.player == 1
    assert player(position, 1)["resources"]["coin"] == 2
    assert len(position.legal()) == 2
    corner = position.legal()[0].split()[1]
    seated = position.after(position.legal()[0])
    seated = seated.after(seated.legal()[0])
    assert player(seated, 1)["cranes"][corner].endswith("open")
    assert sum(player(seated, 1)["citizens"].values()) == 2


@pytest.mark.parametrize(("variant", "points"), [("P1", 4), ("P2", 2), ("P3", 4)])
def test_prestige_variants(variant, points):
    """B8: a group of four at the left end, base side."""
    row = ["m1.1", "m1.2", "m1.3", "m1.4"]
    assert scoring({"forum": row}, options={"prestige": variant})["area"] == points
