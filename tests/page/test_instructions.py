"""What the page asks for at every decision, and what its log says of the actions there."""

import re

import pytest
from golden_games import golden

from trajan_ai import records
from trajan_ai.core import languages
from trajan_ai.core.enums import named
from trajan_ai.games.forum_trajanum import rules as forum_types
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.notation import tasks
from trajan_ai.games.forum_trajanum.setup import tile_kinds
from trajan_ai.games.trajan.views import DECISIONS
from trajan_ai.page.game_tree import open_record
from trajan_ai.page.views import describe_node
from trajan_ai.page.visible_tree import VisibleTree

GAMES = ("trajan", "forum_trajanum")
LANGUAGES = list(languages.list_languages())
INTERNAL = re.compile(r"[_{}]|\bNone\b|\w-\w+-\w")


def decisions(game):
    """Return the name of every decision of a game, as position files have them."""
    if game == "trajan":
        return [name for name in DECISIONS if name != "over"]
    numbers = {*named(forum_types, "DECIDE_").values()}
    kinds = tile_kinds(load("recon-1"))
    return [name for name, (number, _) in tasks(kinds).items() if number in numbers]


def wrong(text):
    """Return whether a text is no sentence, or contains internal names."""
    return not text.endswith(".") or INTERNAL.search(text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_decision_has_an_instruction(game, language):
    entry = golden(game)
    position = next(p for p in records.positions(entry) if p.ply == 60)
    view = position.view(position.player)
    texts = {}
    with languages.use_language(language):
        for decision in decisions(game):
            pending = {"player": position.player, "decision": decision, "open_cards": [1, 2]}
            texts[decision] = position.game.rules.instruct(view | {"to_decide": pending})
    assert len(texts) > 15
    for decision, text in texts.items():
        assert not wrong(text), (decision, text)
        assert language == languages.ENGLISH or text[0].isupper(), (decision, text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_instructions_of_whole_games_are_sentences(game, players, language):
    with languages.use_language(language):
        for position in records.positions(golden(game, f"{players}p")):
            if position.player is not None:
                text = position.game.rules.instruct(position.view(position.player))
                assert not wrong(text), text


def test_instructions_name_trays_and_numbers():
    """The two markers of a tray, the tile of a slot, and the tray of a sown marker."""
    visible = VisibleTree(open_record(golden("trajan")))
    texts = [describe_node(visible, node, None)["instruction"] for node in range(45)]
    assert texts[0] == "place the next marker in tray I (12 left)."
    starts = [text for text in texts if text.startswith("choose a Trajan tile")]
    assert starts[0] == "choose a Trajan tile for slot II (1 of 3)."


def test_the_log_names_trays_corners_and_tiles():
    for game, words in (
        ("trajan", [r"\w+ → [IV]+", r"takes the Trajan tile .+ \(\w+, \w+\) → [IV]+"]),
        ("forum_trajanum", [r"puts the \w+ crane on corner [AF][16]"]),
    ):
        visible = VisibleTree(open_record(golden(game)))
        log = describe_node(visible, 0, None)["log"]
        keys = {entry[5] for entry in visible.entries[1:]}
        assert keys == {*log}
        for pattern in words:
            assert any(re.fullmatch(pattern, text) for text in log.values()), pattern


@pytest.mark.parametrize("game", GAMES)
def test_the_log_has_the_scores_after_every_action(game):
    entry = golden(game)
    visible = VisibleTree(open_record(entry))
    after = [position.scores for position in records.positions(entry)]
    assert [tuple(one[4]) for one in visible.entries] == [tuple(scores) for scores in after]
