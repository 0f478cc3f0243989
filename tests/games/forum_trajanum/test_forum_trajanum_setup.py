"""Errors in setups, options and component sets are reported."""

import copy
import json

import pytest
import yaml
from calls import problems
from forum_trajanum_boards import alter, shouted

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import Document
from trajan_ai.games.forum_trajanum import GAME
from trajan_ai.games.forum_trajanum.components import HERE, choose, load, parse


def restore(**changes):
    setup = copy.deepcopy(GAME.start(2, 1).origin[2])
    setup.update(changes)
    return problems(GAME.restore, 2, setup)


def test_all_problems_of_a_setup_are_reported_at_once():
    setup = copy.deepcopy(GAME.start(2, 1).origin[2])
    setup["tiles"][0][0] = "nonsense"
    messages = restore(
        tiles=setup["tiles"],
        boards=["A", "B1"],
        mosaic=setup["mosaic"][:2],
        start_workers=["blue"],
    )
    places = [problem.split(":")[0] for problem in messages]
    assert {"setup.boards", "setup.mosaic", "setup.start_workers", "setup.tiles[0]"} <= {*places}
    assert any("1 x nonsense, but there must be 0" in problem for problem in messages)


def test_names_of_a_setup_are_read_as_people_type_them():
    start = GAME.start(2, 1, boards="B")
    components, *setup = start.origin[2].items()
    setup = dict([components, *((key, shouted(names)) for key, names in setup)])
    assert GAME.restore(2, setup).to_bytes() == start.to_bytes()


@pytest.mark.parametrize(
    ("key", "place", "typed", "expected"),
    [
        ("tiles", (0, 0), "coin+tribun", "coin+tribune"),
        ("start_workers", (0,), "bleu", "blue"),
        ("start_citizens", (0,), "marchant", "merchant"),
        ("boards", (0,), "B11", "B1"),
        ("components", (), "recon1", "recon-1"),
    ],
)
def test_misspelt_names_of_a_setup_get_a_suggestion(key, place, typed, expected):
    setup = copy.deepcopy(GAME.start(2, 1).origin[2])
    alter(setup, (key, *place), typed)
    assert f"did you mean {expected!r}?" in " ".join(problems(GAME.restore, 2, setup))


def test_a_setup_has_all_keys_and_no_others():
    setup = GAME.start(2, 1).origin[2]
    messages = problems(GAME.restore, 2, {**setup, "dice": 3})
    assert messages[0].startswith("setup.dice: unknown key; keys are components, boards")
    del setup["mosaic"]
    assert problems(GAME.restore, 2, setup) == (
        "setup.mosaic: is missing; it must have a value such as [[1, a, 0], ..]",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trajan_cards": [25, 26, 33]}, "setup.trajan_cards[1]: must be one of 29, 30"),
        ({"mosaic": [[1, "a", 1], [2, "a", 0], [3, "a", 0]]}, "0 or 2 turns"),
        ({"mosaic": [[1, "a", 0], [1, "b", 0], [3, "a", 0]]}, "a board is used twice"),
        ({"boards": ["B1", "B1"]}, "a board is used twice"),
        ({"street_decks": [["b1"] * 8] * 3}, "setup.street_decks: 24 x b1, but there must be 2"),
        (
            {"start_citizens": ["merchant", "senator"]},
            "setup.start_citizens[1]: must be one of patrician",
        ),
        ({"start_workers": ["blue", "blue"]}, "colours must differ"),
        ({"components": "nowhere"}, "no component set is called 'nowhere'"),
        ({"components": 7}, "must be the name of a component set"),
    ],
)
def test_wrong_setups_are_rejected(changes, message):
    assert any(message in problem for problem in restore(**changes))


def test_wrong_options_are_rejected():
    messages = problems(GAME.start, 2, prestige="P9", eagle_once=1, novices=[2], speed=True)
    assert len(messages) == 4


@pytest.fixture
def table():
    return yaml.safe_load((HERE / "recon-1.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("colonia", "temples"), [[1, 2], [2, 4], [3, 1], [5, 3]], "needs a buildable cell"),
        (("colonia", "row_symbols_A"), ["b1"] * 6, "must show every symbol once"),
        (("street_cards", "copies_per_symbol"), 3, "must make 24 cards, got 36"),
        (("colonia_tiles", "resources", 0, "count"), 2, "must be 28 tiles, got 29"),
        (("colonia_tiles", "resources", 0, "gain"), {"gold": 1}, "unknown key; keys are builder,"),
        (("colonia_tiles", "resources", 0, "gain"), {"coin": 5}, "1 to 4 icons"),
        (("building_tiles", "pairs", "green", "grey"), "market", "each once"),
        (("mosaic", "boards", 0, "a"), ["GGG", "YBB", "YRB", "YRR"], "must have one eagle"),
        (("mosaic", "boards", 0, "a"), ["GGY", "GEB", "YRB", "YRR"], "one connected piece"),
        (("mosaic", "slots_by_players", "2"), [[0, 0], [0, 2], [0, 6]], "boards overlap"),
        (("mosaic", "slots_by_players", "2"), [[0, 0], [0, 3], [0, 7]], "must lie within"),
        (("prestige", "variants", "P2", "vp_by_column"), [0] * 20, "printed example"),
        (("prestige", "variants", "P2", "trajan_base"), [3] * 7 + [9], "must be a list of 7"),
        (("prestige", "variants", "P2", "flip_cols"), {"1": 1, "2-9": 3}, "sizes 1 to 10"),
        (("trajan_cards", "cards", 0, "build"), "a palace", "build: must be one of"),
        (("trajan_cards", "cards", 0, "phase"), 2, "phase 1 has 3 cards"),
        (("trajan_cards", "cards", 0, "collect"), {"worker": 0}, "must demand at least one of"),
        (("column_vp", "by_phase"), [3, 2], "must be a list of 3 numbers"),
        (("name",), "a name", "letters, digits"),
    ],
)
def test_component_sets_are_checked(table, path, value, message):
    alter(table, path, value)
    messages = problems(parse, Document("set.yaml", table, {}))
    assert any(message in problem for problem in messages), messages


def test_all_problems_of_a_component_set_are_reported_at_once(table):
    alter(table, ("colonia_tiles", "resources", 0, "count"), 2)
    alter(table, ("mosaic", "boards", 0, "a"), ["GGG", "YBB", "YRB", "YRR"])
    del table["column_vp"]
    assert len(problems(parse, Document("set.yaml", table, {}))) >= 3


def test_problems_of_a_file_are_reported_with_lines(tmp_path, table):
    alter(table, ("building_tiles", "single_per_colour"), 0)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(table), encoding="utf-8")
    (messages,) = problems(choose, str(path))
    assert messages.startswith(f"{path}:")
    assert messages.endswith(
        "building_tiles.single_per_colour: must be a whole number from 1 to 100, got 0"
    )


def test_a_custom_component_set_needs_no_code(tmp_path, table, monkeypatch):
    alter(table, ("name",), "mine")
    alter(table, ("colonia", "temples"), [[1, 3], [2, 1], [3, 4], [4, 2]])
    (tmp_path / "mine.json").write_text(json.dumps(table), encoding="utf-8")
    monkeypatch.setenv("TRAJAN_AI_COMPONENTS", str(tmp_path))
    position = GAME.start(2, 1, components="mine")
    assert position.origin[2]["components"] == "mine"
    again = GAME.restore(2, position.origin[2])
    assert again == position
    assert GAME.rules.from_view(again.view(0)).view(0) == again.view(0)


def test_a_set_from_a_file_is_in_records_by_its_name(tmp_path, table):
    alter(table, ("name",), "from-a-file")
    for name, vp in (("one.yaml", 5), ("another.yaml", 7)):
        alter(table, ("area_bonus", "vp"), vp)
        (tmp_path / name).write_text(yaml.safe_dump(table), encoding="utf-8")
    start = GAME.start(2, 1, components=str(tmp_path / "one.yaml"))
    assert start.origin[2]["components"] == "from-a-file"
    assert GAME.restore(2, start.origin[2]) == start
    with pytest.raises(TrajanError, match="another set called 'from-a-file' is loaded"):
        GAME.start(2, 1, components=str(tmp_path / "another.yaml"))


def test_the_base_of_a_set_must_be_one(tmp_path):
    path = tmp_path / "other.yaml"
    path.write_text("name: other\nbase: recon-2\n", encoding="utf-8")
    (messages,) = problems(choose, str(path))
    assert messages.startswith(
        f"{path}:2: base: no component set is called 'recon-2'; did you mean"
    )


def test_the_sets_of_the_package_are_sound():
    icons = []
    for name in ("recon-1", "varied-1"):
        tiles = [tile for tile in load(name).tiles if not tile.endswith(("-m", "-f"))]
        icons.append(sorted(len(tile.split("+")) for tile in tiles))
    assert icons == [[2] * 28, [1] * 14 + [2] * 7 + [3] * 7]


def test_side_b_boards_and_turned_mosaics_are_dealt_by_option():
    """B1, B5: players have different boards on side B; mosaic boards are upright or upside
    down."""
    plain = GAME.start(4, 7).origin[2]
    assert plain["boards"] == ["A"] * 4
    assert {turns for _, _, turns in plain["mosaic"]} == {0}
    deals = [GAME.start(4, seed, boards="B", mosaic="turned").origin[2] for seed in range(20)]
    assert {tuple(sorted(deal["boards"])) for deal in deals} == {("B1", "B2", "B3", "B4")}
    assert len({tuple(deal["boards"]) for deal in deals}) > 5
    assert {turns for deal in deals for _, _, turns in deal["mosaic"]} == {0, 2}


def test_options_of_the_deal_change_nothing_else_in_it():
    """Each part of a deal has a separate seed."""
    plain = GAME.start(3, 7).origin[2]
    other = GAME.start(3, 7, boards="B", mosaic="turned").origin[2]
    assert [one[:2] for one in other["mosaic"]] == [one[:2] for one in plain["mosaic"]]
    assert {**other, "boards": 0, "mosaic": 0} == {**plain, "boards": 0, "mosaic": 0}


def test_records_contain_the_setup_and_no_deal_options():
    start = GAME.start(2, 3, boards="B", components="varied-1", eagle_once=True)
    record = records.record(start, [])
    assert record["options"] == {"eagle_once": True}
    assert record["setup"]["components"] == "varied-1"
    assert records.start(record) == start
