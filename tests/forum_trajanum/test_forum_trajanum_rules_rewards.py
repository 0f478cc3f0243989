"""Rulings on columns, tracks and envoys (rules, A7)."""

from forum_trajanum_boards import built, place, play, player


def test_column_example_three_and_two_citizens():
    """A7, B7: 3 VP in the first phase and 2 active citizens."""
    position = place({"resources": {"builder": 1}, "citizens": {"1": 1, "3": 1}})
    assert play(position, "build column B1").scores == [5, 0]


def test_inactive_citizens_count_as_absent():
    """A6."""
    first = {"resources": {"coin": 1, "builder": 1}, "citizens": {"4": 1}, "inactive": [4]}
    position = place(first)
    assert not built(position, "swap")
    assert position.after("build column B1").scores[0] == 3


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
