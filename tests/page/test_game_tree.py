"""Games with branches: how they grow and are saved, and which parts of them the page may show."""

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from golden_games import GOLDEN, golden, witnessed
from running import run_coroutine

from trajan_ai import games, records
from trajan_ai.analysis.annotation import annotation_page
from trajan_ai.bots import identity, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.reference import NIM
from trajan_ai.page import opponents, views
from trajan_ai.page.folder import GameFolder, MissingEntry
from trajan_ai.page.game_tree import (
    make_id,
    open_position,
    open_record,
    open_witnessed,
    parse_tree,
    start_game,
)
from trajan_ai.page.practice import Practice
from trajan_ai.page.searches import Searches
from trajan_ai.page.table_setup import set_up_table
from trajan_ai.page.visible_tree import UNSEEN, VisibleTree
from trajan_ai.page.work import Threads
from trajan_ai.records import following, position_files

GAMES = ("trajan", "forum_trajanum")
CONFIGS = GOLDEN.parents[1] / "configs" / "bots"
SAVED = Path(__file__).parent / "saved"  # files written by earlier versions


# --- the tree


def test_a_repeated_decision_is_the_same_node_and_another_one_a_branch():
    tree = start_game("trajan", [None, None], 1, {})
    first, second = tree.root.legal()[:2]
    assert tree.add(0, first) == tree.add(0, first) == 1
    assert tree.add(0, second) == 2
    assert tree.nodes[0].children == [1, 2]
    assert tree.position(2) == tree.root.after(second)
    assert tree.path(2) == [2]
    with pytest.raises(TrajanError, match="legal"):
        tree.add(0, "sow VII")
    assert len(tree.nodes) == 3


def play(tree, *actions):
    """Play actions from the root, and return the nodes."""
    node, nodes = 0, []
    for action in actions:
        node = tree.add(node, action)
        nodes.append(node)
    return nodes


RANDOM = {"markers": "random"}


@pytest.mark.parametrize("seats", [[None, "greedy"], [None, None]])
def test_a_decision_reveals_what_was_hidden_from_the_person(seats):
    tree = start_game("trajan", seats, 5, RANDOM)
    cards = play(tree, *["goods deck"] * 6)
    assert [tree.reveals(node) for node in cards[:3]] == [True, True, True]
    # The other player draws a card face down; then everybody sees the top tiles of the stacks.
    assert [tree.reveals(node) for node in cards[3:]] == (
        [True] * 3 if seats[1] is None else [False] * 3
    )
    last = cards[-1]
    tile = tree.add(last, tree.position(last).legal()[0])
    assert tree.reveals(tile), "the next tile of the stack"
    while not tree.position(tile).legal()[0].startswith("sow"):
        tile = tree.add(tile, tree.position(tile).legal()[0])
    assert not tree.reveals(tree.add(tile, tree.position(tile).legal()[0]))


def test_nothing_is_revealed_where_all_cards_are_open_or_a_record_is_read():
    tree = start_game("trajan", [None, "greedy"], 5, RANDOM)
    play(tree, "goods deck")
    visible = VisibleTree(tree)
    assert visible.revealing == [1]
    tree.opened = True
    visible.update()
    assert visible.revealing == []
    assert VisibleTree(open_record(golden("trajan"))).revealing == []


@pytest.mark.parametrize("game", GAMES)
def test_a_witnessed_record_can_be_continued_and_saved_again(game):
    steps = [step for step in following.witness(golden(game), 0) if step[1] is not None]
    followed = witnessed(golden(game), 0, 60)
    tree = open_witnessed(followed)
    assert tree.record(tree.here) == followed.record()
    move = steps[60][1]
    followed.play(move.action, move.reveals)
    assert tree.record(tree.add(tree.here, move.action, move.reveals)) == followed.record()
    assert tree.record(0)["moves"] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_followed_game_asks_for_what_each_move_revealed(game):
    steps = [step for step in following.witness(golden(game), 0) if step[1] is not None][:100]
    tree = open_position(position_files.position_file(steps[0][0], 0))
    node = questions = 0
    for position, move in steps:
        assert tree.position(node).view(0) == position.view(0)
        legal = [action or UNSEEN for action in tree.legal(node)]
        assert (move.action or UNSEEN) in legal
        if following.FollowedGame(position, 0).asks(move.action):
            questions += 1
            with pytest.raises(Unstated):
                tree.add(node, move.action)
            with pytest.raises(Unstated):
                tree.add(node, move.action, tree.assume_reveals(node, move.action, {}, []))
            rules = tree.position(node).game.rules
            unknown = [*rules.carry_out(position, 0, move.action, {}).reveals]
            tree.add(node, move.action, tree.assume_reveals(node, move.action, {}, unknown))
        node = tree.add(node, move.action, move.reveals)
    assert questions > 3
    again = parse_tree(tree.to_dict(), tree.id)
    assert again.to_dict() == tree.to_dict()
    assert again.position(node) == tree.position(node)


@pytest.mark.parametrize("game", GAMES)
def test_answers_that_are_not_known_are_assumed_to_fit_the_others(game):
    entry, random = golden(game), Random(1)
    steps = [move for _, move in following.witness(entry, 1) if move is not None]
    tree = open_witnessed(witnessed(entry, 1, 0))
    node, omitted = tree.here, set()
    for move in steps:
        none_paid = {key.replace("took", "paid"): [] for key in move.reveals if "took" in key}
        answers = none_paid | move.reveals
        unknown = [key for key in answers if random.random() < 0.5]
        others = {key: names for key, names in answers.items() if key not in unknown}
        assumed = tree.assume_reveals(node, move.action, others, unknown)
        assert others.items() <= assumed.items()
        with suppress(Unstated):  # an assumption may lead to a question about something else
            tree.add(node, move.action, assumed)
        node = tree.add(node, move.action, move.reveals)
        omitted |= {key.split()[0] for key in unknown}
    keys = {"trajan": {"goods_deck"}, "forum_trajanum": {"took", "paid", "passed"}}
    assert omitted >= keys[game]


def test_impossible_reveals_are_rejected():
    tree = start_game("trajan", [None, None], 1, {})
    with pytest.raises(TrajanError, match="must be a legal action without revealed names"):
        tree.add(0, tree.root.legal()[0], {"deck": ["oil"]})
    position = records.replay(golden("trajan"), 17)
    assert "goods deck" in position.legal()
    followed = open_position(position_files.position_file(position, position.player))
    with pytest.raises(TrajanError, match="no 'gold'"):
        followed.add(0, "goods deck", {"goods_deck": ["gold"]})
    assert len(followed.nodes) == 1


# --- saved games


@pytest.mark.parametrize("game", GAMES)
def test_a_saved_game_is_read_as_it_was(game, tmp_path):
    tree = start_game(game, [None, "greedy", "expert-7"], 5, {})
    node = 0
    for _ in range(12):
        node = tree.add(node, tree.position(node).legal()[-1])
    tree.add(3, tree.position(3).legal()[0])
    tree.here = node
    GameFolder(tmp_path).add(tree)
    # A new folder object finds the game, as after a restart.
    copy = GameFolder(tmp_path).find(tree.id).tree
    assert copy.to_dict() == tree.to_dict()
    assert copy.position(node) == tree.position(node)
    ((data,), damaged) = GameFolder(tmp_path).scan()
    assert (data["id"], damaged) == (tree.id, [])
    assert data["title"] == ""  # the page creates a title in the language of its reader
    status = data["status"]
    assert (status["game"], status["player"]) == (game, tree.position(node).player)
    assert [status["names"][language][0] for language in ("en", "de")] == ["You", "Du"]
    assert tuple(status["scores"]) == tuple(tree.position(node).scores)


def test_the_list_of_games_shows_the_end_of_the_line_that_was_viewed(tmp_path):
    tree = start_game("trajan", [None, "greedy"], 5, {})
    node = 0
    while tree.position(node).player is not None:
        node = tree.add(node, tree.position(node).legal()[-1])
    tree.here = 3
    GameFolder(tmp_path).add(tree)
    ((data,), _) = GameFolder(tmp_path).scan()
    assert data["status"]["player"] is None
    assert tuple(data["status"]["scores"]) == tuple(tree.position(node).scores)


def test_a_saved_position_file_is_unchanged(tmp_path):
    position = records.replay(golden("trajan"), 90)
    data = position_files.position_file(position, 1)
    tree = open_position(json.loads(json.dumps(data)))
    assert tree.observer == 1
    GameFolder(tmp_path).add(tree)
    assert GameFolder(tmp_path).find(tree.id).tree.root == tree.root


@pytest.mark.parametrize("version", ["0.3.0", "79fbcd6"])
def test_files_of_earlier_versions_are_opened(version, tmp_path):
    shutil.copytree(SAVED / version, tmp_path, dirs_exist_ok=True)
    folder = GameFolder(tmp_path)
    saved, damaged = folder.scan()
    assert (len(saved), damaged) == (2, [])
    for data in saved:
        tree = folder.find(data["id"]).tree
        assert (tree.title, tree.seed, tree.seats) == (data["title"], data["seed"], data["seats"])
        assert len(tree.nodes) > 8
        assert tree.changed == data["changed"]
    if version != "0.3.0":
        practice = Practice(tmp_path)
        assert len(practice.own) == 1
        assert practice.progress.solved


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b'{"format": "trajan-ai/study"', b"\xff"])
def test_a_damaged_file_is_listed_as_such_and_the_others_are_exported(damage, tmp_path):
    for seed in (1, 2):
        GameFolder(tmp_path).add(start_game("trajan", [None, None], seed, {}))
    file, other = sorted(tmp_path.glob("*.json"))
    file.write_bytes(damage)
    folder = GameFolder(tmp_path)
    saved, damaged = folder.scan()
    assert ([data["id"] for data in saved], damaged) == ([other.stem], [file.name])
    with pytest.raises(TrajanError):
        folder.find(file.stem)
    (line,) = folder.export_games().splitlines()
    assert json.loads(line)["id"] == other.stem


@pytest.mark.parametrize(
    "changes",
    [
        *({"nodes": nodes} for nodes in (
            [[0, "sow VII", {}]], [[7, "marker blue", {}]], [["x", "marker blue", {}]], 3)),
        {"title": 5}, {"title": ["x"]}, {"changed": "yesterday"},
        {"changed": 5}, {"seats": "ab"}, {"seats": [None]}, {"seats": [None, "best"]}, {"here": 9},
        {"here": True}, {"origin": {}}, {"origin": []}, {"seed": "x"}, {"opened": 1}, {"more": 1},
        {"version": 2},
    ],
)  # fmt: skip
def test_impossible_data_of_a_saved_game_are_rejected(changes):
    data = start_game("trajan", [None, None], 1, {}).to_dict()
    parse_tree(data, make_id())
    with pytest.raises(TrajanError):
        parse_tree(data | changes, make_id())


@pytest.mark.parametrize(
    "id",
    ["../secret", "/tmp/secret", "..", "", "A" * 16, "a" * 300, "\x00", "<img src=x>", 7, None],
)
def test_an_imported_game_gets_a_new_id_and_stays_in_the_folder(id, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    folder = GameFolder(tmp_path / "studies")
    data = start_game("trajan", [None, None], 1, {}).to_dict()
    new = folder.import_game(data | {"id": id})
    assert folder.find(new).tree.to_dict() == data | {"id": new}
    assert new != id
    assert [file.name for file in (tmp_path / "studies").iterdir()] == [f"{new}.json"]
    assert secret.read_text() == "{}"
    with pytest.raises((MissingEntry, TypeError)):
        folder.find(id)


def test_a_game_that_the_folder_has_already_is_not_imported_twice(tmp_path):
    folder = GameFolder(tmp_path)
    tree = start_game("trajan", [None, None], 1, {})
    folder.add(tree)
    assert folder.import_game(tree.to_dict()) == tree.id
    other = folder.import_game(tree.to_dict() | {"title": "another"})
    assert {data["id"] for data in folder.scan()[0]} == {tree.id, other}


# --- opponents


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("expert", "needs a number"),
        ("expert-0", "needs a number"),
        ("expert-9999999999", "needs a number"),
        ("greedy-3", "takes no number"),
        ("nobody", "bots are"),
        ("/etc/passwd", "bots are"),
    ],
)
def test_other_opponents_than_built_in_bots_are_rejected(name, problem):
    with pytest.raises(TrajanError, match=problem):
        start_game("trajan", [None, name], 1, {})


def test_a_table_with_full_strength_alone_has_no_easiest_level(monkeypatch):
    levels = SimpleNamespace(tables={2: {"full": None}})
    monkeypatch.setattr(opponents, "get_levels", lambda game: levels)
    assert list(opponents.list_opponents(NIM, 2)) == ["expert-3000"]


def test_a_game_without_levels_has_opponents_by_iterations():
    assert list(opponents.list_opponents(NIM, 2)) == list(opponents.OPPONENTS)


def test_an_opponent_and_the_file_of_its_name_are_one_bot():
    file = read_bot(CONFIGS / "expert-100.yaml")
    trajan = games.game("trajan")
    opponent = opponents.find_opponent("expert-100")
    limits = {"iterations": opponent.iterations, "seconds_per_turn": None}
    assert identity(opponent.bot.model_copy(update=limits), trajan) == identity(file, trajan)


@pytest.mark.parametrize("name", ["level-80", "level-140", "greedy", "ismcts-300", "expert-30"])
def test_an_opponent_chooses_the_same_legal_move_again(name):
    tree = start_game("forum_trajanum", [name, None], 3, {})

    async def choose():
        searches = Searches(work := Threads(1))
        try:
            opponent, seed = opponents.find_opponent(name), tree.bot_seed(0, 0)
            return [await searches.choose("x", tree.root, opponent, seed) for _ in range(2)]
        finally:
            work.close()

    first, second = run_coroutine(choose())
    assert first == second
    assert first in tree.root.legal_moves()


@pytest.mark.parametrize("game", GAMES)
def test_a_real_table_is_set_up_from_answers_and_the_rest_at_random(game):
    questions = set_up_table(game, 3, 2, {}, [])["questions"]
    name = list(questions[0]["of"])[3]
    answers = {questions[0]["key"]: [name]}
    state = set_up_table(game, 3, 2, answers, [one["key"] for one in questions])
    data = parse_yaml(state["text"], "text").data
    assert (state["problems"], data["observer"]) == ([], 2)
    assert name in data["forum"] if game == "trajan" else data["mosaic"][0] == [2, "b", 0]
    with pytest.raises(TrajanError, match="observer: must be 0 to 2"):
        set_up_table(game, 3, 3, {}, [])


# --- what the page contains; test_twins.py checks that it is the same for twin games


def describe(tree):
    return json.dumps(views.describe_node(VisibleTree(tree), 0, None), sort_keys=True)


def test_the_page_does_not_know_seed_and_deal():
    tree = start_game("trajan", [None, "greedy"], 123_456_789, {})
    text = describe(tree)
    assert "123456789" not in text
    assert '"setup"' not in text
    tree.opened = True
    assert describe(tree) != text


@pytest.mark.parametrize(
    ("seats", "allowed"),
    [
        ([None, "greedy"], [0]),
        (["greedy", None], [1]),
        ([None, None], [0, 1, "open"]),
        (["greedy", "greedy"], [0, 1, "open"]),
    ],
)
def test_only_a_single_person_among_bots_has_one_view(seats, allowed):
    assert views.list_views(start_game("trajan", seats, 1, {})) == allowed


@pytest.mark.parametrize("game", GAMES)
def test_an_extended_tree_is_numbered_like_a_new_one(game):
    """Each node is numbered once, even if the viewer does not notice its decision."""
    tree = start_game(game, [None, "random", "random"], 2, {})
    visible, node = VisibleTree(tree), 0
    for step in range(60):
        node = tree.add(node, tree.position(node).legal()[step % 2 - 1])
        visible.update()
    tree.opened = True
    opened = VisibleTree(tree)
    assert len(opened.nodes) == len(tree.nodes)
    tree.opened = False
    again = VisibleTree(tree)
    assert (visible.nodes, visible.entries, visible.log) == (again.nodes, again.entries, again.log)
    visible.tree.opened = True
    visible.update()
    assert visible.entries == opened.entries


def test_a_change_of_a_game_numbers_the_new_nodes_alone(monkeypatch, tmp_path):
    numbered = []
    number = VisibleTree._number

    def count(self, node):
        numbered.append(node)
        number(self, node)

    monkeypatch.setattr(VisibleTree, "_number", count)
    folder = GameFolder(tmp_path)
    tree = open_record(golden("trajan"))
    folder.add(tree)
    assert numbered == list(range(len(tree.nodes)))
    visible = folder.find(tree.id)
    action = next(a for a in tree.root.legal() if a != golden("trajan")["actions"][0][1])
    new = tree.add(0, action)
    visible.update()
    folder.save(tree)
    assert folder.find(tree.id) is visible
    assert numbered[len(tree.nodes) - 1 :] == [new]


def test_the_log_shows_what_the_chosen_player_knows():
    """Several people who use one page see only their own cards, unless they choose to see all."""
    tree = start_game("trajan", [None, None], 3, {"markers": "random"})
    node = tree.add(0, "goods deck")
    visible = VisibleTree(tree)

    def texts(view):
        events = views.describe_node(visible, visible.number(node), view)["events"]
        return [words for happened in events.values() for _, _, words, _ in happened]

    drawn = tree.events(node, 0)[0].thing
    assert texts(0) == texts(views.OPEN) == [f"draws {drawn}"]
    assert texts(1) == ["draws a card"]


def test_people_count_players_from_1_where_they_have_no_names():
    assert opponents.name_players([None, None], None) == ["Player 1", "Player 2"]
    assert opponents.name_players([None] * 3, 1) == ["Opponent 1", "You", "Opponent 3"]
    bots = opponents.name_players([None, "greedy", "random"], None)
    assert bots == ["You", "Bot 2 (greedy)", "Bot 3 (random)"]
    assert annotation_page.name_players(("player 0", "Ann")) == ["Player 1", "Ann"]


def test_drawings_count_players_from_1_where_they_have_names():
    view = start_game("trajan", [None, None], 1, {}).root.view(0)
    picture = games.game("trajan").rules.picture
    assert "seen by player 0" in picture(view)
    named = picture({**view, "names": ["Ann", "Bob"]})
    assert "seen by player 1" in named
    assert re.findall(r'class="\w*n">(\d)</text>', named) == ["1", "2"]
