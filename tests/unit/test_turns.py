"""Whole turns of a search: complete, legal, without leaks, in words, within the width."""

import json
import random
import re

import pytest

import trajan_ai
from trajan_ai.analysis import suggest, turns
from trajan_ai.cli.main import main
from trajan_ai.core.rules import in_words

ITERATIONS = 400


def at(name, ply, players=2, seed=3):
    position = trajan_ai.game(name).start(players, seed)
    chance = random.Random(seed)
    while position.ply < ply:
        position = position.after_move(chance.choice(position.legal_moves()))
    return position


def turns_of(position, iterations=ITERATIONS):
    settings, _, _ = suggest.limited("expert", iterations)
    result = suggest.search(position, "expert", iterations=iterations)
    search = turns.TurnSearch(position, settings, 0)
    return result, search, search.turns(result, iterations=iterations // 4)


PLACES = [("trajan", 30), ("trajan", 61), ("trajan", 104), ("forum_trajanum", 50)]


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_turns_are_legal_to_their_end_and_differ_where_they_say(name, ply):
    position = at(name, ply)
    result, _, found = turns_of(position)
    best = found[0]
    assert best.actions[0] == result.best.action
    assert best.differs_at is None
    assert len({turn.actions for turn in found}) == len(found)
    for turn in found:
        place = position
        certain = turn.actions[: turn.reveals[0] + 1] if turn.reveals else turn.actions
        for action in certain:
            assert (place.player, place.turn) == (position.player, position.turn)
            assert action in place.legal()
            place = place.after(action)
        if turn.complete and not turn.reveals:
            assert (place.player, place.turn) != (position.player, position.turn)
        if turn is not best:
            assert turn.actions[: turn.differs_at] == best.actions[: turn.differs_at]
            assert turn.actions[turn.differs_at] != best.actions[turn.differs_at]
    later = {turn.differs_at for turn in found if turn.differs_at}
    assert later or name == "forum_trajanum"  # where the best turn goes on without a choice


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_turns_tell_nothing_of_what_is_hidden(name, ply):
    position = at(name, ply)
    assert turns_of(position)[2] == turns_of(position.determinized(position.player, 7))[2]


def test_further_searches_keep_to_the_budget_about():
    _, search, found = turns_of(at("trajan", 30), 4000)
    assert found[0].complete
    assert 0 < search.work.iterations <= 1.5 * 1000


def test_a_turn_of_one_decision_needs_no_further_search():
    position = at("forum_trajanum", 50)
    while turns.has_later_decisions(position):
        position = position.after(position.legal()[0])
    _, search, found = turns_of(position)
    assert search.work.iterations == 0
    assert all(turn.complete and turn.valued_at == 0 for turn in found)


@pytest.mark.parametrize("width", [50, 80, 120])
def test_turns_and_moves_keep_to_the_width(width):
    result, _, found = turns_of(at("trajan", 30))
    lines = turns.text(found, width).splitlines() + suggest.table(result, 5, width).splitlines()
    assert max(map(len, lines)) <= width


def test_suggest_prints_turns_and_sources(tmp_path, capsys):
    path = tmp_path / "game.jsonl"
    assert main(["play", "trajan", "--bots", "greedy,greedy", "--out", str(path)]) == 0
    budget = ["--ply", "40", "--iterations", "300", "--top", "3"]
    capsys.readouterr()
    assert main(["suggest", str(path), *budget, "--json", "--explain"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["iterations"] == 300
    assert data["turns"][0]["gain"] is None
    assert {"actions", "words", "win", "win_error", "score", "margin"} <= set(data["turns"][0])
    vp = data["moves"][0]["sources"][1]["vp"]
    assert sum(vp.values()) == pytest.approx(2 * vp["total"], abs=1e-2)
    assert main(["suggest", str(path), *budget]) == 0
    assert capsys.readouterr().out.startswith("best turn: win")


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
        ("trajan", ["forum religion", "extra", "build C4"],
         "take religion from the forum; then, with the extra action, build C4"),
        ("trajan", ["sow I", "drop blue", "drop pink", "ship pairs", "pair oil", "done"],
         "sow tray I; drop blue, pink; ship pairs of oil"),
        ("forum_trajanum", ["build stable D4", "pay blue+assistant", "envoy m2.2"],
         "build stable on D4, paying blue and assistant; send an envoy to m2.2"),
    ],
)  # fmt: skip
def test_a_turn_in_words(name, actions, words):
    assert in_words(trajan_ai.game(name).rules, actions) == words
