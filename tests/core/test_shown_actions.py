"""Of another player's action, only the part that a player can see is shown to that player."""

import pytest
import tender
from random_games import course

from trajan_ai.analysis.decision import advice, wording
from trajan_ai.core.information import InformationSet
from trajan_ai.core.shown_actions import show_action, show_line
from trajan_ai.games import GAMES
from trajan_ai.games.reference import PENNIES


def test_a_hidden_action_is_shown_by_the_words_that_all_of_its_class_have():
    names = set()
    for seed in range(10):
        *decisions, _ = course(tender.GAME.start(2, seed), seed)
        for position, move in decisions:
            action, decider = tender.GAME.actions[move], position.player
            assert show_action(position, move, decider) == action
            other = show_action(position, move, 1 - decider)
            expected = f"{action.split()[0]} …" if other.endswith("…") else action
            assert other == expected
            is_hidden = position.view(1 - decider)["phase"] == tender.FIRST or (
                action.startswith("bury")
            )
            assert other.endswith("…") == is_hidden
            names.add(other)
    assert {"bid …", "bury …", "stand", "bid 1"} <= names


def test_an_action_without_common_words_is_shown_as_an_ellipsis():
    start = PENNIES.start(2)
    assert [show_action(start, move, 1) for move in start.legal_moves()] == ["…", "…"]


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_open_actions_are_shown_as_they_are(name):
    *decisions, _ = course(GAMES[name].start(3, 5), 5)
    for position, move in decisions:
        for player in range(3):
            visible = position.observed(move, player)
            expected = None if visible is None else position.game.actions[visible]
            assert show_action(position, move, player) == expected


def test_what_is_shown_does_not_depend_on_hidden_cards():
    *decisions, _ = course(tender.GAME.start(2, 3), 3)
    for position, move in decisions:
        observer = 1 - position.player
        for seed in range(4):
            other = position.determinized(observer, seed)
            if move in other.legal_moves():
                assert show_action(other, move, observer) == show_action(position, move, observer)


def test_a_game_without_words_prints_a_turn_once():
    position = tender.GAME.start(2, 1)
    analysis = advice.analyse(InformationSet(position), iterations=300, sources=False)
    best = analysis.best.action
    lines = wording.text(analysis, 3).splitlines()
    assert [line.strip() for line in lines].count(best) == 1


def test_continuations_show_what_is_hidden():
    start = tender.GAME.start(2, 1)
    after = start.after_move(start.legal_moves()[0])
    analysis = advice.analyse(InformationSet(after), iterations=500, seed=1)
    steps = {step for move in analysis.moves for step in move.line}
    assert (0, "bury …") in steps
    assert (0, "bury 1") not in steps
    assert all(action in tender.GAME.actions for player, action in steps if player == 1)


def test_a_line_that_cannot_be_followed_stays_as_it_is():
    information = InformationSet(tender.GAME.start(2, 1))
    line = [(0, "stand"), (1, "bid 1")]
    assert show_line(information, line) == tuple(line)
