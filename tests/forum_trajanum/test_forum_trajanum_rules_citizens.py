"""Rulings on using tiles, citizens and wages (rules, A4 to A6 and A8)."""

import pytest
from forum_trajanum_boards import built, cranes, place, play, player


def use(first=None, second=None, **table):
    """Player 0 uses tiles: their own builder+red and builder+green of player 1."""
    first = {"kept": "builder+red", "passed": "coin+tribune", **(first or {})}
    second = {"kept": "unknown", "passed": "builder+green", **(second or {})}
    second.setdefault("unseen", {"builder+blue": 1, "blue+coin": 1})
    first.setdefault("face_up", {"A1": "patrician-f", "F1": "merchant-f", "A6": "builder+coin"})
    first.setdefault(
        "cranes",
        cranes(blue="covered", green="covered", red="covered"),
    )
    decide = {"player": 0, "decision": "use", "then": ["build"], "hand": ["own", "received"]}
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


def wages(first, **table):
    """Player 0 pays citizens after round 4 of two players."""
    rows = [f"wage {row}" for row in first["citizens"]]
    decide = {"player": 0, "decision": rows[0], "then": rows[1:]}
    cards = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4"]
    table = {"to_decide": decide, **table}
    return place(first, stage="wages", round=4, street_cards=cards, **table)


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


def test_a_class_asleep_wakes_with_one_coin_by_option():
    """Ruling 17: only the upper row is asked, and its answer holds for both."""
    first = {"citizens": {"3": 1, "4": 2}, "inactive": [3, 4], "resources": {"coin": 2}}
    by_row = wages(first)
    assert by_row.after("wage 3").legal() == ["wage 4", "no wage 4"]
    first["citizens"] = {"1": 1, "3": 1, "4": 2}
    decide = {"player": 0, "decision": "wage 1", "then": ["wage 3"]}
    asked = wages(first, options={"reactivation": "class"}, to_decide=decide).after("no wage 1")
    assert asked.legal() == ["wage 3", "no wage 3"]
    paid = player(asked.after("wage 3"))
    assert (paid["inactive"], paid["resources"]) == ([1], {"coin": 1})
    assert player(asked.after("no wage 3"))["inactive"] == [1, 3, 4]


def wage_questions(option, inactive):
    """What player 0, with citizens in rows 3 and 4, is asked at the end of the first phase."""
    goods = {"builder": 1, "coin": 3}
    first = {"citizens": {"3": 1, "4": 1}, "inactive": inactive, "resources": goods}
    cards = ["b1", "w1", "b2", "w2", "b3", "w3", "b4", "w4"]
    table = {"options": {"reactivation": option}, "round": 4, "street_cards": cards}
    position = place(first, **table).after("no build")
    asked = []
    while position.view(0)["stage"] == "wages":
        asked.append(position.legal()[0])
        position = position.after(asked[-1])
    return asked


def test_a_row_of_a_class_half_awake_is_paid_by_itself():
    """Ruling 17, A14: the class must be wholly inactive."""
    assert wage_questions("row", [3, 4]) == ["wage 3", "wage 4"]
    assert wage_questions("class", [3, 4]) == ["wage 3"]
    assert wage_questions("class", [3]) == wage_questions("class", []) == ["wage 3", "wage 4"]
