"""Turns in words; test_decision.py tests that analyses follow turns to their end."""

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
import random_games
from golden_games import golden
from trajan_boards import at_action, board, position

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.decision import wording
from trajan_ai.analysis.decision.whole_turns import Turn, whole_turn
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules_words import in_words


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_every_action_has_words(name):
    game = trajan_ai.game(name)
    for action in game.actions:
        words = in_words(game.rules, [action])
        assert words
        assert not re.search("[{}]", words), action


@pytest.mark.parametrize(
    ("name", "actions", "words"),
    [
        ("trajan", ["forum wild-demand", "extra", "build C4"],
         "take wild demand from the forum; then, with the extra-action tile, "
         "place a worker on C4"),
        ("trajan", ["sow I", "drop blue", "drop pink", "ship pairs", "pair oil", "done"],
         "sow tray I: blue, pink; ship pairs of oil"),
        ("trajan", ["drop blue", "drop pink", "hire"], "sow on: blue, pink; hire a worker"),
        ("trajan", ["ship equal oil 3 0"], "ship 3 oil"),
        ("trajan", ["ship equal oil 2 1"], "ship 2 oil + 1 wild goods"),
        ("trajan", ["ship equal wild 0 2"], "ship 2 wild goods"),
        ("forum_trajanum", ["build stable D4", "pay blue+assistant", "envoy m2.2"],
         "build stable on D4, paying a blue worker and an assistant; "
         "send an envoy to row 2, column 2 of the Forum"),
    ],
)  # fmt: skip
def test_a_turn_in_words(name, actions, words):
    assert in_words(trajan_ai.game(name).rules, actions) == words


def first_take():
    """Return a decision in step 1 while some tiles are face down."""
    at = (at for at in records.positions(golden("forum_trajanum")) if at.ply > 60)
    return next(one for one in at if one.legal() and one.legal()[0].startswith("take 1"))


def test_a_turn_names_streets_and_no_tile_that_is_still_to_be_seen():
    start = first_take()
    actions, here = [], start
    while not here.legal()[0].startswith("keep"):
        face_down = here.view(here.player)["players"][here.player]["face_down"]
        actions.append(next(one for one in here.legal() if one.split()[2] in face_down))
        here = here.after(actions[-1])
    first, second = words = [
        word_turn(InformationSet(start), [*actions, keep]) for keep in here.legal()
    ]
    street = r"(row \d|column \w)"
    pattern = rf"(take the tile from \w\d for {street}; ){{2}}keep the tile for {street}"
    assert all(re.fullmatch(pattern, turn) for turn in words), words
    assert first != second
    alike = InformationSet(start.determinized(start.player, 7))
    assert word_turn(alike, [*actions, here.legal()[0]]) == first
    later = word_turn(InformationSet(here), [here.legal()[0]])
    assert later.startswith(f"{first.rpartition('; ')[2]}: "), "now the tile is known"


def test_a_turn_names_the_trajan_tile_and_its_tray():
    there = position(at_action(board(), "trajan"))
    words = word_turn(InformationSet(there), ["tile cards"])
    assert re.fullmatch(r"take the Trajan tile 2 cards \(\w+, \w+\) for tray \w+", words)


def test_a_turn_lists_its_decisions_with_reveals():
    """One of the drawn cards is discarded. Only the player who draws sees the cards."""
    start = position(at_action(board(), "seaport"))
    for observer, shows in ((0, (0,)), (1, ())):
        information = InformationSet(start, observer)
        discard = information.canonical.after("draw").legal()[0]
        turn = whole_turn(information, [(0, "draw"), (0, discard), (1, "sow I")])
        assert (turn.actions, turn.reveals, turn.complete) == (("draw", discard), shows, True)
        assert len(wording._notes(turn)) == len(shows)
    assert wording._notes(Turn(("draw",), "draw", (0,), complete=True)) == []


def test_a_turn_ends_where_searches_continue_differently():
    start = trajan_ai.game("trajan").start(2, seed=3)
    information = InformationSet(start, start.player)
    first = information.canonical.legal()[0]
    rest = information.canonical.after(first).legal()
    line = [(0, first), (0, rest[0])]
    turn = whole_turn(information, line, [line, [(0, first)]])  # the other line is shorter
    assert (turn.actions[:2], turn.undecided) == ((first, rest[0]), False)
    turn = whole_turn(information, line, [line, [(0, first), (0, rest[1])]])
    assert (turn.actions, turn.complete, turn.undecided) == ((first,), False, True)
    assert wording._notes(turn) == ["then several continuations are about equal"]


def test_a_turn_does_not_continue_with_the_next_turn_of_the_same_player():
    """At the end of a quarter, the last player to decide may also have the next turn."""
    steps = list(random_games.course(trajan_ai.game("trajan").start(2, seed=1), 1))
    (end, last), (_, first) = next(
        (one, other)
        for one, other in pairwise(steps)
        if one[0].player == other[0].player and one[0].turn != other[0].turn
    )
    line = [(end.player, end.game.actions[move]) for move in (last, first)]
    turn = whole_turn(InformationSet(end), line)
    assert (turn.actions, turn.complete) == ((line[0][1],), True)


def test_reasons_are_changes_to_the_best_move():
    def move(action, own, other, build):
        sources = [{"total": own, "build": build, "other": own - build}, {"total": other}]
        return SimpleNamespace(action=action, sources=sources)

    moves = [move("best", 100.0, 90.0, 20.0), move("second", 97.5, 91.0, 20.04)]
    moves.append(move("third", 100.0, 80.0, 10.0))
    lines = [line.split() for line in "\n".join(wording._reasons(0, moves, 80)).splitlines()]
    assert lines[-4] == ["VP", "P1", "build", "other"]
    assert lines[-3] == ["best", "100.0", "90.0", "20.0", "80.0"]
    assert lines[-2] == ["second", "-2.5", "+1.0", ".", "-2.5"]
    assert lines[-1] == ["third", ".", "-10.0", "-10.0", "+10.0"]
