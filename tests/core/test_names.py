"""Names as people type them: which are accepted, and what is suggested for others."""

import re

import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.names import Names
from trajan_ai.games import GAMES, game

TYPED = Names(["worker1-green-blue", "ship 1 2", "ship 2 1", "build wall+gate A1", "wild-goods"])


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("worker1-green-blue", "worker1-green-blue"),
        ("worker1-blue-green", "worker1-green-blue"),
        ("Worker1-Blue-Green", "worker1-green-blue"),
        ("build gate+wall a1", "build wall+gate A1"),
        ("goods-wild", "wild-goods"),
        ("ship 2 1", "ship 2 1"),
        ("Ship 2 1", "ship 2 1"),
        ("ship  1 2", None),  # two names have these parts, so the order must match
        ("A1 build wall+gate", None),  # the order of words matters
        ("wall", None),
        ("", None),
    ],
)
def test_parts_of_a_word_can_be_in_any_order(typed, name):
    assert TYPED.find(typed) == name


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("worker2-green-blue", "; did you mean 'worker1-green-blue'?"),
        ("A1 build wall+gate", "; did you mean 'build wall+gate A1'?"),
        ("wild goods", "; did you mean 'wild-goods'?"),
        ("biuld wall+gat A1", "; did you mean 'build wall+gate A1'?"),
        ("wild-goods", ""),
        ("xyz", ""),
    ],
)
def test_a_typing_error_gets_a_suggestion(typed, hint):
    assert TYPED.hint(typed) == hint


@pytest.mark.parametrize("name", GAMES)
def test_every_action_string_finds_itself(name):
    names = game(name).names
    match = names._by_words
    assert all(names.find(action) == action for action in names.names[::37])
    assert set(match.values()) <= set(names.names)
    assert len(match) > 100


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("pay blue+builder", "pay builder+blue"),
        ("Pay Assistant+Green+blue+assistant", "pay blue+green+assistant+assistant"),
        ("reserve F-Merchant", "reserve merchant-f"),
        ("take 1 c4 Tribune", "take 1 C4 tribune"),
        ("Build Library+Fountain b1 a1", "build library+fountain B1 A1"),
    ],
)
def test_actions_of_forum_trajanum_are_read_as_people_type_them(typed, action):
    forum = game("forum_trajanum")
    assert forum.move(typed) == forum.actions.index(action)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        # It is unclear which cell is for the library.
        ("build fountain+library A1 B1", "build library+fountain"),
        ("envoy m2.5.", "envoy m2.5"),
        ("buildlibary A1", "build library A1"),
        ("biuld libary+park A3 A4", "build library+park A3 A4"),
        ("build library X9 A1", "build library A1"),
    ],
)
def test_a_typing_error_of_forum_trajanum_gets_a_suggestion(typed, expected):
    with pytest.raises(TrajanError, match=rf"is called '.*'; did you mean '{re.escape(expected)}"):
        game("forum_trajanum").move(typed)


def test_actions_are_read_as_people_type_them():
    trajan = game("trajan")
    assert trajan.move("pay wild-demand+bread") == trajan.move("pay bread+wild-demand")
    with pytest.raises(
        TrajanError, match=r"no action is called 'take lft'; did you mean 'take left'"
    ):
        trajan.move("take lft")
    start = trajan.start(2, seed=1)
    assert start.after("Marker Green") == start.after("marker green")
    with pytest.raises(TrajanError, match=r"is not legal .* did you mean 'marker green'\?"):
        start.after("marker gren")
