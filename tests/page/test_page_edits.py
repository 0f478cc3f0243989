"""Edits of a position file's text: the possible changes at a place, which keep everything else."""

import difflib
import re

import pytest
from calls import blocks
from golden_games import golden_position

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.page.position_editor import check, edit, list_choices

# Places without choices, whose contents follow from other places or are typed.
DERIVED = {"deck", "track", "street", "card"}


def changed(text, *change):
    """Return the lines that an edit removes, and those that it adds."""
    lines = difflib.ndiff(text.splitlines(), edit(text, *change).splitlines())
    return [line for line in lines if line[0] in "+-"]


@pytest.fixture(params=["trajan", "forum_trajanum"])
def text(request):
    return golden_position(request.param)


@pytest.mark.slow
def test_every_place_of_a_drawing_can_be_changed_but_those_that_are_derived(text):
    places = set(re.findall('data-place="([^"]*)"', check(text)["svg"]))
    assert len(places) > 40
    empty = {place.split()[0] for place in places if not list_choices(text, place)["sections"]}
    assert empty <= DERIVED


def test_items_of_a_list_are_set_with_the_list(text):
    sections = [
        one["at"]
        for place in ("table", "player 0", "player 1")
        for one in list_choices(text, place)["sections"]
    ]
    assert len(sections) == len(set(sections)) > 40
    assert not [at for at in sections if any(at.startswith(f"{above}.") for above in sections)]


def data_of(text):
    """Return a file's data without empty values, which may be omitted, and with sorted sets."""

    def filled(data):
        return {
            key: sorted(value, key=str) if isinstance(value, list) and key != "players" else value
            for key, value in data.items()
            if value not in ([], {})
        }

    data = filled(parse_yaml(text, "text").data)
    return data | {"players": [filled(player) for player in data["players"]]}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["table", "player 1"])
def test_what_is_changed_and_changed_back_is_as_before(text, place):
    sections = list_choices(text, place)["sections"]
    assert len(sections) > 5
    before = data_of(text)
    for section in sections[:: len(sections) // 5]:
        at, item = section["at"], section["items"][0]
        name, value = item["item"], item["value"]
        if at.startswith("to_decide") or (value is None and not section["nothing"]):
            continue  # an omitted value stays in the file once it is stated
        if section["kind"] == "choice":
            other = next(choice for choice in section["choices"] if choice != value)
        else:
            other = 1 - value if section["kind"] == "member" else value + 1
        there = edit(text, at, name, other)
        assert data_of(there) != before, at
        back = edit(there, at, name, value)
        if "senate" not in at:  # the order of the discs changes
            assert data_of(back) == before, at


def test_an_edit_touches_its_line_alone():
    text = golden_position("trajan").replace("  leader: camp\n", "  leader: camp  # at home\n")
    assert changed(text, "players[1].leader", None, "alpes") == [
        "-   leader: camp  # at home",
        "+   leader: alpes  # at home",
    ]
    assert changed(text, "demands", "bread", 2) == ["- demands: {}", "+ demands: {bread: 2}"]
    assert "alpes: bread" in text
    assert "\nprovinces: {raetia: bread" in edit(text, "provinces", "alpes", None)


def test_what_was_left_out_is_added_and_blocks_are_rewritten():
    text = golden_position("trajan").replace("  leader: camp\n", "")
    assert changed(text, "players[1].leader", None, "alpes") == ["+   leader: alpes"]
    hand = "  hand: {oil: 1, fish: 1, cattle: 1}\n"
    block = text.replace(hand, "  hand:\n    oil: 1\n    fish: 1\n    cattle: 1\n")
    assert block != text
    fewer = edit(block, "players[0].hand", "fish", 0)
    data = parse_yaml(fewer, "text").data
    assert data["players"][0]["hand"] == {"oil": 1, "cattle": 1}
    assert data["players"][0]["hand_size"] == 2  # the sum of the hand


def test_a_key_is_added_within_braces_without_any_other_change():
    text = blocks("docs/positions.md", "yaml")[0]
    text = text.replace("military_camp: 6, workers", "military_camp: 6,  # away\n   workers", 1)
    assert "# away" in text
    assert changed(text, "players[0].leader", None, "raetia") == [
        "-    forum_tiles: {bread: 1}, gold_bonus: [fruit-pottery, jewellery-gems], senate: 2}",
        "+    forum_tiles: {bread: 1}, gold_bonus: [fruit-pottery, jewellery-gems], senate: 2,",
        "+      leader: raetia}",
    ]
    commented = text.replace("senate: 2}", "senate: 2 # first\n   }")
    there = edit(commented, "players[0].leader", None, "raetia")
    assert there == commented.replace("senate: 2 #", "senate: 2,\n     leader: raetia #")
    assert parse_yaml(there, "text").data["players"][0]["leader"] == "raetia"


def test_a_disc_comes_to_lie_on_those_that_are_there():
    text = golden_position("trajan")
    assert "senate_order: [1, 0]" in text
    moved = edit(text, "players[1].senate", None, "3")
    assert "senate_order: [0, 1]" in moved
    both = edit(moved, "players[0].senate", None, "3")
    assert "senate_order: [1, 0]" in both
    assert check(both)["problems"] == []


def test_impossible_edits_are_rejected():
    text = golden_position("trajan")
    for change in (
        ("players[7].score", None, 1),
        ("format", None, 1),
        ("players[0].hand", "bricks", 1),
        ("players[0].workers", "A1", "yes"),
    ):
        with pytest.raises(TrajanError):
            edit(text, *change)
