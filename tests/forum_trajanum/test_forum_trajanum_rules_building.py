"""Rulings on conversions, building and paying (rules, A6 and A7)."""

from forum_trajanum_boards import built, place, play, player


def test_two_workers_of_one_colour_pay_a_builder():
    position = place({"resources": {"builder": 1, "blue": 2}})
    asked = position.after("build column B1")
    assert asked.legal() == ["pay builder", "pay blue+blue"]
    mixed = place({"resources": {"blue": 1, "red": 1}})
    assert not built(mixed, "build column", "build library")


def test_two_workers_are_exchanged_for_a_builder_without_a_limit():
    """Rulings 8 and 9: a conversion like others, also just to hold a builder."""
    position = place({"resources": {"blue": 4, "red": 3}})
    assert built(position, "exchange") == ["exchange blue", "exchange red"]
    after = play(position, "exchange blue", "exchange blue", "exchange red", "no build")
    assert player(after)["resources"] == {"builder": 3, "red": 1}
    paying = place({"resources": {"builder": 1, "blue": 2}}, options={"worker_swap": "payment"})
    assert not built(paying, "exchange")
    assert paying.after("build column B1").legal() == ["pay builder", "pay blue+blue"]


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
