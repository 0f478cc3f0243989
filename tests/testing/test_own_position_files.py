"""The page checks and edits position files of the example game like those of built-in games."""

import pytest

from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.games import GAMES
from trajan_ai.page.position_editor import check, edit, list_choices
from trajan_ai.records import position_files


@pytest.fixture
def registered(hoard, monkeypatch):
    """Register the example game under its name, as if its package were installed; return it."""
    monkeypatch.setitem(GAMES._loaded, "hoard", hoard)
    return hoard


def test_every_problem_of_a_position_file_is_reported_with_its_line(registered):
    text = position_files.dumps(position_files.position_file(registered.start(2, seed=1), 0))
    wrong = text.replace("turn: 0", "turn: x").replace("bonus: 5\n", "")
    problems = check(wrong)["problems"]
    assert [problem["text"] for problem in problems] == [
        "bonus: is missing; it must have a value such as 5",
        "turn: must be a whole number from 0 to 12, got 'x'",
    ]
    assert problems[1]["line"] == 1 + wrong.split("\n").index("turn: x")


def test_a_position_file_is_edited_by_clicks(registered):
    text = position_files.dumps(position_files.position_file(registered.start(2, seed=1), 0))
    (hand,) = (
        one for one in list_choices(text, "player 0")["sections"] if one["at"].endswith("hand")
    )
    assert [item["item"] for item in hand["items"]] == ["1", "2", "3", "4", "5", "6"]
    counts = {item["item"]: item["value"] for item in hand["items"]}
    card = next(name for name, count in counts.items() if count)
    fewer = edit(text, "players[0].hand", card, counts[card] - 1)
    assert check(fewer)["problems"]
    other = "1" if card != "1" else "2"
    swapped = edit(fewer, "players[0].hand", other, counts[other] + 1)
    assert check(swapped)["problems"] == []
    assert "turn: 3" in edit(text, "turn", None, 3)


def test_a_game_defines_edit_places_and_consequences(registered, monkeypatch):
    rules = type(registered.rules)
    monkeypatch.setattr(
        rules, "edit_places", {"pile": ("players[{0}].{1}", "deck_size")}, raising=False
    )

    def follow(rules, view, path):
        hand = view["players"][0]["hand"]
        return {("deck_size",): 30 - 3 - len(hand)} if path == ("players", 0, "hand") else {}

    monkeypatch.setattr(rules, "list_dependent_edits", follow, raising=False)
    text = position_files.dumps(position_files.position_file(registered.start(2, seed=1), 0))
    sections = list_choices(text, "pile 0 played")["sections"]
    assert [section["at"] for section in sections] == ["players[0].played", "deck_size"]
    (item,) = {i["item"] for i in list_choices(text, "pile 0 hand")["sections"][0]["items"]} & {
        "6"
    }
    more = edit(text, "players[0].hand", item, 3)
    hand = parse_yaml(more, "text").data["players"][0]["hand"]
    assert f"deck_size: {27 - len(hand)}" in more
    assert check(more)["problems"] == []
