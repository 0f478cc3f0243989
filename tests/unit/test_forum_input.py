"""What Forum Trajanum answers to setups, component sets and position files that are wrong."""

import copy
import json

import pytest
import yaml
from forum_positions import view

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import Document
from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.components import HERE, load, parse


def problems(call, *arguments, **named):
    with pytest.raises(TrajanError) as caught:
        call(*arguments, **named)
    return caught.value.problems


def restore(**changes):
    setup = copy.deepcopy(GAME.start(2, 1).origin[2])
    setup.update(changes)
    return problems(GAME.restore, 2, setup)


def test_a_setup_names_every_problem_at_once():
    setup = copy.deepcopy(GAME.start(2, 1).origin[2])
    setup["tiles"][0][0] = "nonsense"
    found = restore(
        tiles=setup["tiles"],
        boards=["A", "B1"],
        mosaic=setup["mosaic"][:2],
        start_workers=["blue"],
    )
    places = [problem.split(":")[0] for problem in found]
    assert {"setup.boards", "setup.mosaic", "setup.start_workers", "setup.tiles[0]"} <= {*places}
    assert any("1 x 'nonsense', there must be 0" in problem for problem in found)


def test_a_setup_has_all_keys_and_no_others():
    setup = GAME.start(2, 1).origin[2]
    found = problems(GAME.restore, 2, {**setup, "dice": 3})
    assert found[0].startswith("setup: unknown key 'dice'; keys are components, boards")
    del setup["mosaic"]
    assert problems(GAME.restore, 2, setup) == ("setup: mosaic is missing",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trajan_cards": [25, 26, 33]}, "setup.trajan_cards[1]: 26, must be one of 29, 30"),
        ({"mosaic": [[1, "a", 1], [2, "a", 0], [3, "a", 0]]}, "0 or 2 turns"),
        ({"mosaic": [[1, "a", 0], [1, "b", 0], [3, "a", 0]]}, "a board lies twice"),
        ({"boards": ["B1", "B1"]}, "a board is used twice"),
        ({"street_decks": [["b1"] * 8] * 3}, "setup.street_decks: 24 x 'b1', there must be 2"),
        ({"start_citizens": ["merchant", "senator"]}, "setup.start_citizens[1]: 'senator'"),
        ({"start_workers": ["blue", "blue"]}, "colours must differ"),
        ({"components": "nowhere"}, "no component set is called 'nowhere'"),
        ({"components": 7}, "must be the name of a component set"),
    ],
)
def test_wrong_setups(changes, message):
    assert any(message in problem for problem in restore(**changes))


def test_wrong_options():
    found = problems(GAME.start, 2, prestige="P9", eagle_once=1, novices=[2], speed=True)
    assert len(found) == 4


def alter(data, path, value):
    *parents, last = path
    for key in parents:
        data = data[key]
    data[last] = value


@pytest.fixture
def table():
    return yaml.safe_load((HERE / "recon-1.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("colonia", "temples"), [[1, 2], [2, 4], [3, 1], [5, 3]], "needs a buildable cell"),
        (("colonia", "row_symbols_A"), ["b1"] * 6, "must show every symbol once"),
        (("street_cards", "copies_per_symbol"), 3, "must make 24 cards"),
        (("colonia_tiles", "resources", 0, "count"), 2, "must be 28 tiles, got 29"),
        (("colonia_tiles", "resources", 0, "gain"), {"gold": 1}, "gain must name only"),
        (("colonia_tiles", "resources", 0, "gain"), {"coin": 5}, "1 to 4 icons"),
        (("colonia_tiles", "citizens", 0, "count"), 2, "must be one each of"),
        (("building_tiles", "pairs", "green", "grey"), "market", "each once"),
        (("mosaic", "boards", 0, "a"), ["GGG", "YBB", "YRB", "YRR"], "must have one eagle"),
        (("mosaic", "boards", 0, "a"), ["GGY", "GEB", "YRB", "YRR"], "one connected piece"),
        (("mosaic", "slots_by_players", "2"), [[0, 0], [0, 2], [0, 6]], "boards overlap"),
        (("mosaic", "slots_by_players", "2"), [[0, 0], [0, 3], [0, 7]], "must lie within"),
        (("prestige", "variants", "P2", "vp_by_column"), [0] * 20, "printed example"),
        (("prestige", "variants", "P2", "trajan_base"), [3] * 7 + [9], "must be a list of 7"),
        (("prestige", "variants", "P2", "flip_cols"), {"1": 1, "2-9": 3}, "sizes 1 to 10"),
        (("trajan_cards", "cards", 0, "build"), "a palace", "build must be one of"),
        (("trajan_cards", "cards", 0, "phase"), 2, "phase 1 has 3 cards"),
        (("trajan_cards", "cards", 0, "collect"), {"gold": 1}, "collect must name"),
        (("column_vp", "by_phase"), [3, 2], "must be a list of 3 numbers"),
        (("name",), "a name", "letters, digits"),
    ],
)
def test_component_sets_are_checked(table, path, value, message):
    alter(table, path, value)
    found = problems(parse, Document("set.yaml", table, {}))
    assert any(message in problem for problem in found), found


def test_a_set_names_every_problem_at_once(table):
    alter(table, ("colonia_tiles", "resources", 0, "count"), 2)
    alter(table, ("mosaic", "boards", 0, "a"), ["GGG", "YBB", "YRB", "YRR"])
    del table["column_vp"]
    assert len(problems(parse, Document("set.yaml", table, {}))) >= 3


def test_problems_of_a_file_name_its_line(tmp_path, table):
    alter(table, ("building_tiles", "single_per_colour"), 0)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(table), encoding="utf-8")
    (found,) = problems(load, str(path))
    assert found.startswith(f"{path}:")
    assert found.endswith("building_tiles.single_per_colour: must be 1 to 100, got 0")


def test_a_set_of_ones_own_needs_no_code(tmp_path, table, monkeypatch):
    alter(table, ("name",), "mine")
    alter(table, ("colonia", "temples"), [[1, 3], [2, 1], [3, 4], [4, 2]])
    (tmp_path / "mine.json").write_text(json.dumps(table), encoding="utf-8")
    monkeypatch.setenv("TRAJAN_AI_COMPONENTS", str(tmp_path))
    position = GAME.start(2, 1, components="mine")
    assert position.origin[2]["components"] == "mine"
    again = GAME.restore(2, position.origin[2])
    assert again == position
    assert GAME.rules.from_view(again.view(0)).view(0) == again.view(0)


def test_the_sets_of_the_package_are_sound():
    icons = []
    for name in ("recon-1", "varied-1"):
        tiles = [tile for tile in load(name).tiles if not tile.endswith(("-m", "-f"))]
        icons.append(sorted(len(tile.split("+")) for tile in tiles))
    assert icons == [[2] * 28, [1] * 14 + [2] * 7 + [3] * 7]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("players", 0, "score"), -1, "players[0].score: must be 0 to 2000, got -1"),
        (("players", 0, "resources"), {"gold": 1}, "players[0].resources: unknown key 'gold'"),
        (("players", 0, "buildings"), {"A1": "park"}, "players[0].buildings: unknown key 'A1'"),
        (("players", 0, "face_up"), {}, "players[0].cranes.A1: is blue covered, but no tile"),
        (("players", 0, "citizens"), {"1": 3}, "players[0].citizens.1: must be 0 to 2, got 3"),
        (("players", 0, "inactive"), [2], "row 2 holds no citizen"),
        (("players", 0, "reserve"), ["coin+tribune"] * 3, "4 x coin+tribune of his colour"),
        (("players", 0, "face_down"), ["B1"], "0 tiles, but 1 lie where you cannot see"),
        (("players", 0, "forum"), ["m1.1", "m9.9"], "players[0].forum[1]: 'm9.9'"),
        (("players", 1, "unseen"), {}, "players[1].unseen: 0 tiles, but 1 lie"),
        (("players", 0, "kept"), "a gem", "players[0].kept: 'a gem'"),
        (("street_cards",), ["b1"], "street_cards: must be a list of the 2 cards"),
        (("round",), 13, "round: must be 1 to 12, got 13"),
        (("stage",), "noon", "stage: 'noon', must be setup"),
        (("you",), 5, "you: must be 0 to 1, got 5"),
        (("to_decide",), {"player": 0, "task": "dance"}, "to_decide.task: 'dance'"),
        (("boards",), ["A", "B1"], "boards: either all A"),
        (("weather",), "fine", "position: unknown key 'weather'"),
    ],
)
def test_position_files_name_their_contradictions(path, value, message):
    data = view({"resources": {"builder": 1}})
    alter(data, path, value)
    found = problems(GAME.rules.from_view, data)
    assert any(message in problem for problem in found), found


def test_envoys_of_two_players_cannot_share_a_cell():
    data = view({"forum": ["m1.1"], "resources": {"builder": 1}}, {"forum": ["m1.1"]})
    assert any("m1.1 is player 0's" in problem for problem in problems(GAME.rules.from_view, data))


def test_a_position_file_without_a_choice_is_refused():
    found = problems(GAME.rules.from_view, view())
    assert found == ("to_decide: there are no two moves to decide between",)
