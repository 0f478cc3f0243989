"""Rulings on scorings, prestige and ties (rules, A8, A9, B8)."""

import pytest
from forum_trajanum_boards import FIVE_ROUNDS, cranes, place, scoring

from trajan_ai.forum_trajanum.notation import RESOURCES


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
    decide = {"player": 0, "decision": "wage 1"}
    table = {"stage": "wages", "round": 12, "street_cards": cards, "to_decide": decide}
    one = {"citizens": {"1": 1}, "resources": {"coin": 1}}
    position = place(one, {"resources": {"coin": 5}}, trajan_cards=[25, 29, 34], **table)
    assert position.after("wage 1").ranks == [1, 2]
    assert position.after("no wage 1").ranks == [2, 1]
    for resource in RESOURCES:
        equal = place(one, {"resources": {resource: 1}}, trajan_cards=[25, 29, 34], **table)
        assert equal.after("no wage 1").ranks == [1, 1], resource


@pytest.mark.parametrize(("variant", "points"), [("P1", 4), ("P2", 2), ("P3", 4)])
def test_prestige_variants(variant, points):
    """B8: a group of four at the left end, base side."""
    row = ["m1.1", "m1.2", "m1.3", "m1.4"]
    assert scoring({"forum": row}, options={"prestige": variant})["area"] == points
