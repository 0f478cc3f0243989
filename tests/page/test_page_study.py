"""Studies: branches, bots, and what is kept of them."""

import asyncio
import json

import pytest
from golden_games import GOLDEN, golden, witnessed

from trajan_ai import games, records
from trajan_ai.bots import identity, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.reference import NIM
from trajan_ai.page import opponents, shown
from trajan_ai.page.folder import Folder
from trajan_ai.page.game_tree import new_game, of_position, of_witnessed, restored
from trajan_ai.page.searches import Searches
from trajan_ai.page.shown import Shown
from trajan_ai.page.table_setup import table
from trajan_ai.page.work import Threads
from trajan_ai.records import following, position_files

GAMES = ("trajan", "forum_trajanum")
CONFIGS = GOLDEN.parents[1] / "configs" / "bots"


def test_a_decision_made_again_is_the_same_node_and_another_one_a_branch():
    study = new_game("trajan", [None, None], 1, {})
    first, second = study.root.legal()[:2]
    assert study.add(0, first) == study.add(0, first) == 1
    assert study.add(0, second) == 2
    assert study.nodes[0].children == [1, 2]
    assert study.position(2) == study.root.after(second)
    assert study.path(2) == [2]
    with pytest.raises(TrajanError, match="legal"):
        study.add(0, "sow VII")
    assert len(study.nodes) == 3


@pytest.mark.parametrize("game", GAMES)
def test_what_is_kept_is_all_of_it(game, tmp_path):
    study = new_game(game, [None, "greedy", "expert-7"], 5, {})
    node = 0
    for _ in range(12):
        node = study.add(node, study.position(node).legal()[-1])
    study.add(3, study.position(3).legal()[0])
    study.here = node
    Folder(tmp_path).save(study)
    found = Folder(tmp_path).find(study.id)  # another one, as after a restart
    assert found.to_dict() == study.to_dict()
    assert found.position(node) == study.position(node)
    (entry,) = Folder(tmp_path).listed()
    assert entry["id"] == study.id
    assert entry["title"].endswith(" with 3 players against expert-7, greedy")


def test_a_position_file_is_kept_as_it_is(tmp_path):
    position = records.replay(golden("trajan"), 90)
    data = position_files.position_file(position, 1)
    study = of_position(json.loads(json.dumps(data)))
    assert study.observer == 1
    Folder(tmp_path).save(study)
    assert Folder(tmp_path).find(study.id).root == study.root


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b'{"format": "trajan-ai/study"', b"\xff"])
def test_a_damaged_file_is_told_and_not_listed(damage, tmp_path):
    study = new_game("trajan", [None, None], 1, {})
    Folder(tmp_path).save(study)
    (file,) = tmp_path.glob("*.json")
    file.write_bytes(damage)
    assert Folder(tmp_path).listed() == []
    with pytest.raises(TrajanError):
        Folder(tmp_path).find(study.id)


def test_a_file_whose_decisions_are_not_legal_is_refused():
    data = new_game("trajan", [None, None], 1, {}).to_dict()
    for nodes in ([[0, "sow VII"]], [[7, "marker blue"]], [["x", "marker blue"]], 3):
        with pytest.raises(TrajanError):
            restored(data | {"nodes": nodes})


def test_names_that_are_no_study_never_reach_the_disk(tmp_path):
    folder = Folder(tmp_path / "studies")
    (tmp_path / "secret.json").write_text("{}")
    for name in ("../secret", "", "a" * 16 + "/../../secret", "A" * 16):
        with pytest.raises(KeyError):
            folder.find(name)
        folder.delete(name)
    assert (tmp_path / "secret.json").exists()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("expert", "needs a number"),
        ("expert-0", "needs a number"),
        ("expert-9999999999", "needs a number"),
        ("greedy-3", "takes no iterations"),
        ("nobody", "bots are"),
        ("/etc/passwd", "bots are"),
    ],
)
def test_a_level_is_one_of_the_built_in_bots(name, complaint):
    with pytest.raises(TrajanError, match=complaint):
        new_game("trajan", [None, name], 1, {})


def test_a_game_without_levels_has_bots_by_their_iterations():
    assert list(opponents.offered(NIM, 2)) == list(opponents.OFFERED)


def test_a_level_and_the_file_of_its_name_are_one_bot():
    file = read_bot(CONFIGS / "expert-100.yaml")
    trajan = games.game("trajan")
    level = opponents.level("expert-100")
    limits = {"iterations": level.iterations, "seconds_per_turn": None}
    assert identity(level.bot.model_copy(update=limits), trajan) == identity(file, trajan)


@pytest.mark.parametrize("name", ["level-80", "level-140", "greedy", "ismcts-300", "expert-30"])
def test_every_level_chooses_a_legal_move_and_the_same_one_again(name):
    study = new_game("forum_trajanum", [name, None], 3, {})

    async def choose():
        searches = Searches(work := Threads(1))
        try:
            level = opponents.level(name)
            seed = study.bot_seed(0, 0)
            return [await searches.choose("x", study.root, level, seed) for _ in range(2)]
        finally:
            work.close()

    first, second = asyncio.run(choose())
    assert first == second
    assert first in study.root.legal_moves()


@pytest.mark.parametrize("game", GAMES)
def test_a_witnessed_record_is_opened_gone_on_with_and_given_back(game):
    steps = [step for step in following.witnessed(golden(game), 0) if step[1] is not None]
    table = witnessed(golden(game), 0, 60)
    study = of_witnessed(table)
    assert study.record(study.here) == table.record()
    move = steps[60][1]
    table.play(move.action, move.shown)
    assert study.record(study.add(study.here, move.action, move.shown)) == table.record()
    assert study.record(0)["moves"] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_game_is_followed_from_what_each_move_showed(game):
    steps = [step for step in following.witnessed(golden(game), 0) if step[1] is not None][:100]
    study = of_position(position_files.position_file(steps[0][0], 0))
    node = asked = 0
    for position, move in steps:
        assert study.position(node).view(0) == position.view(0)
        offered = [action or shown.UNSEEN for action in study.legal(node)]
        assert (move.action or shown.UNSEEN) in offered
        if following.Table(position, 0).asks(move.action):
            asked += 1
            with pytest.raises(Unstated):
                study.add(node, move.action)
            study.add(node, move.action, study.assumed(node, move.action))
        node = study.add(node, move.action, move.shown)
    assert asked > 3
    again = restored(study.to_dict())
    assert again.to_dict() == study.to_dict()
    assert again.position(node) == study.position(node)


def test_what_cannot_have_been_shown_is_refused():
    study = new_game("trajan", [None, None], 1, {})
    with pytest.raises(TrajanError, match="all is known"):
        study.add(0, study.root.legal()[0], {"deck": ["oil"]})
    position = records.replay(golden("trajan"), 17)
    assert "goods deck" in position.legal()
    followed = of_position(position_files.position_file(position, position.player))
    with pytest.raises(TrajanError, match="no 'gold'"):
        followed.add(0, "goods deck", {"goods_deck": ["gold"]})
    assert len(followed.nodes) == 1


@pytest.mark.parametrize("game", GAMES)
def test_a_real_table_is_laid_as_it_is_said_and_the_rest_by_chance(game):
    questions = table(game, 3, 2, {}, [])["questions"]
    name = list(questions[0]["of"])[3]
    told = table(game, 3, 2, {questions[0]["key"]: [name]}, [one["key"] for one in questions])
    laid = parse_yaml(told["text"], "text").data
    assert (told["problems"], laid["observer"]) == ([], 2)
    assert name in laid["forum"] if game == "trajan" else laid["mosaic"][0] == [2, "b", 0]


# --- what the page is told; that twins are told alike, test_twins.py proves


def told(study):
    return json.dumps(shown.state(Shown(study), 0, None), sort_keys=True)


def test_the_page_is_not_told_the_seed_and_the_deal():
    study = new_game("trajan", [None, "greedy"], 123_456_789, {})
    answer = told(study)
    assert "123456789" not in answer
    assert '"setup"' not in answer
    study.opened = True
    assert told(study) != answer


@pytest.mark.parametrize(
    ("seats", "views"),
    [
        ([None, "greedy"], [0]),
        (["greedy", None], [1]),
        ([None, None], [0, 1, "open"]),
        (["greedy", "greedy"], [0, 1, "open"]),
    ],
)
def test_only_one_person_alone_is_kept_from_seeing(seats, views):
    assert shown.views(new_game("trajan", seats, 1, {})) == views
