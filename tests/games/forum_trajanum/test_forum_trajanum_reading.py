"""Contradictions in position files of Forum Trajanum are reported."""

import pytest
from calls import problems
from forum_trajanum_boards import alter, shouted, view

from trajan_ai.games.forum_trajanum import GAME, reading
from trajan_ai.games.forum_trajanum.rules import UNKNOWN


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("players.0", 3, "players[0]: must be a mapping, got 3"),
        ("players.0.score", -1, "players[0].score: must be a whole number from 0 to 2000, got -1"),
        ("players.0.resources", {"gold": 1}, "players[0].resources.gold: unknown key; keys are"),
        ("players.0.buildings", {"A1": "park"}, "players[0].buildings.A1: unknown key; keys are"),
        ("players.0.face_up", {}, "players[0].cranes.A1: is blue covered, but no tile"),
        ("players.0.face_up", 3, "players[0].face_up: must be a mapping, got 3"),
        (
            "players.0.citizens",
            {"1": 3},
            "players[0].citizens.1: must be a whole number from 0 to 2",
        ),
        ("players.0.inactive", [2], "row 2 holds no citizen"),
        (
            "players.0.reserve",
            ["coin+tribune", "coin+tribune", "coin+tribune"],
            "players[1]: tiles of that colour: 4 x coin+tribune",
        ),
        ("players.0.face_down", ["B1"], "0 tiles, but there must be 1 to "),
        ("players.0.cranes", 0, "players[0].cranes: must be a mapping, got 0"),
        ("players.0.forum", ["m1.1", "m9.9"], "players[0].forum[1]: must be one of"),
        ("players.1.unseen", {}, "players[1].unseen: 0 tiles, but there must be 1 to 25"),
        ("players.0.forum", "m1.1", "players[0].forum: must be a list of names, got 'm1.1'"),
        ("players.0.kept", "a gem", "players[0].kept: must be one of unknown, "),
        (
            "players.0.passed",
            "builder+red",
            "passed: must be omitted, because a player with one tile",
        ),
        ("street_cards", ["b1"], "street_cards: must be a list of the 2 cards"),
        ("round", 13, "round: must be a whole number from 1 to 12, got 13"),
        ("stage", "noon", "stage: must be one of setup"),
        ("observer", 5, "observer: must be a whole number from 0 to 1, got 5"),
        (
            "to_decide",
            {"player": 0, "decision": "dance"},
            "to_decide.decision: must be one of 182 names, got 'dance'",
        ),
        ("boards", ["A", "B1"], "boards: must be A for every player"),
        ("weather", "fine", "weather: unknown key; keys are observer"),
        ("components", "marble", "components: no component set is called 'marble'"),
    ],
)
def test_contradictions_in_position_files_are_reported(path, value, message):
    data = view({"resources": {"builder": 1}})
    alter(data, [int(key) if key.isdigit() else key for key in path.split(".")], value)
    messages = problems(GAME.rules.from_view, data)
    assert any(message in problem for problem in messages), messages


def test_names_are_read_as_people_type_them():
    data = view(
        {
            "resources": {"builder": 1, "blue": 1},
            "buildings": {"B1": "library", "C1": "fountain"},
            "doubles": [["B1", "C1"]],
            "reserve": ["coin+tribune"],
            "forum": ["m1.1"],
        }
    )
    names = {key: data[key] for key in ("stage", "boards", "mosaic", "street_cards")}
    players = [{key: shouted(own) for key, own in player.items()} for player in data["players"]]
    decide = {"player": 0, "decision": "BUILD"}
    typed = data | {key: shouted(name) for key, name in names.items()}
    typed |= {"players": players, "to_decide": decide}
    assert typed != data
    assert GAME.rules.from_view(typed).to_bytes() == GAME.rules.from_view(data).to_bytes()


def test_a_repeated_name_is_reported_in_any_spelling():
    data = view({"resources": {"builder": 1, "Builder": 2}})
    assert "players[0].resources: builder is named twice" in problems(GAME.rules.from_view, data)


def test_misspelt_names_get_a_suggestion():
    data = view({"resources": {"bilder": 1}, "reserve": ["coin+tribun"], "slide": 1})
    data["stage"], data["boards"] = "trun", ["B1", "B22"]
    messages = " ".join(problems(GAME.rules.from_view, data))
    assert "did you mean 'B2'?" in messages
    data["boards"] = ["A", "A"]
    messages = " ".join(problems(GAME.rules.from_view, data))
    for expected in ("builder", "coin+tribune", "slider", "turn"):
        assert f"did you mean {expected!r}?" in messages


def test_a_position_file_without_a_choice_is_rejected():
    messages = problems(GAME.rules.from_view, view())
    assert messages == ("to_decide: this decision has fewer than two legal actions here",)


@pytest.mark.parametrize(
    "key", ["observer", "stage", "mosaic", "trajan_cards", "players", "to_decide"]
)
def test_missing_keys_are_reported_with_an_example(key):
    data = view()
    del data[key]
    assert any(
        f"{key}: is missing; it must have a value such as " in text
        for text in problems(GAME.rules.from_view, data)
    )


def test_a_repeated_mistake_is_reported_once():
    wrong = {f"{column}{row}": "stone" for column in "BCDE" for row in range(1, 7)}
    messages = problems(GAME.rules.from_view, view({"buildings": wrong}))
    assert sum("'stone'" in text for text in messages) == 1


@pytest.mark.parametrize(
    ("own", "passed", "open_tiles", "expected"),
    [
        (3, 0, (0, 0), (3, 0, [])),
        (UNKNOWN, 0, (0, 0), (UNKNOWN, 0, ["kept"])),
        (UNKNOWN, 0, (0, 7), (7, 0, [])),
        (UNKNOWN, UNKNOWN, (0, 0), (UNKNOWN, UNKNOWN, ["kept", "given"])),
        (UNKNOWN, UNKNOWN, (0, 7), (7, UNKNOWN, ["given"])),
        (UNKNOWN, UNKNOWN, (5, 7), (7, 5, [])),
        (7, UNKNOWN, (5, 7), (7, 5, [])),
        (5, UNKNOWN, (5, 7), (5, 7, [])),
        (UNKNOWN, 7, (5, 7), (5, 7, [])),
        (UNKNOWN, 5, (5, 7), (7, 5, [])),
        (7, UNKNOWN, (0, 7), (7, UNKNOWN, ["given"])),
        (3, UNKNOWN, (0, 7), (3, 7, [])),
        (UNKNOWN, 7, (0, 7), (UNKNOWN, 7, ["kept"])),
        (UNKNOWN, 3, (0, 7), (7, 3, [])),
    ],
)
def test_open_faces_determine_which_tiles_were_kept_and_passed(own, passed, open_tiles, expected):
    player = {"kept": own, "given": passed, "shown": open_tiles}
    unseen = [field for field, _ in reading._fill_pair(player)]
    assert (player["kept"], player["given"], unseen) == expected
