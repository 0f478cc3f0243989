"""Every kind of event of both games has words in every language."""

import re

import pytest
from random_games import course

from trajan_ai import GAMES
from trajan_ai.core import languages
from trajan_ai.core.events import Event
from trajan_ai.core.rules_words import word_event, word_event_with_vp
from trajan_ai.games.reference import NIM

RAW = re.compile(r"[{}_+]|\d\.\d|\b[a-z]+-[a-z]+\b|\b[a-z]+\d\b|None")
COUNTS = (1, 2, 3)


def every_event(game):
    """Yield an event for every combination of a kind, one of its things, and a count."""
    for kind in game.rules.events:
        for thing in kind.things or (None,):
            for count in COUNTS:
                yield Event(kind.name, 0, 0, thing, count, None)


@pytest.mark.parametrize("language", languages.list_languages())
@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_event_has_a_sentence(name, language):
    game = GAMES[name]
    with languages.use_language(language):
        for event in every_event(game):
            words = word_event(game.rules, event)
            assert not RAW.search(words.replace("+2", "").replace(" + ", "")), (event, words)


@pytest.mark.parametrize("name", GAMES)
def test_sentences_are_translated(name):
    game = GAMES[name]
    for event in every_event(game):
        english = word_event(game.rules, event)
        with languages.use_language("de"):
            assert word_event(game.rules, event) != english


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_events_of_random_games_have_sentences(name, players):
    game = GAMES[name]
    for seed in range(2):
        for position, move in course(game.start(players, seed), seed):
            if move is None:
                break
            for observer in (None, 0):
                for event in position.events(game.actions[move], observer):
                    words = word_event(game.rules, event)
                    assert not RAW.search(words.replace("+2", "").replace(" + ", "")), event


def test_vp_follow_the_sentence():
    rules = GAMES["trajan"].rules
    fulfilled = Event("fulfil", 0, 4, "plus2-pink-white", 0, "trajan_tiles")
    missed = Event("miss_demands", 1, -9, None, 2, "demands")
    assert word_event_with_vp(rules, fulfilled) == (
        "fulfils the Trajan tile +2 marker (pink, white): 4 VP"
    )
    assert word_event_with_vp(rules, missed) == "misses 2 demands: −9 VP"
    with languages.use_language("de"):
        assert word_event_with_vp(rules, missed) == "deckt 2 Bedarfsplättchen nicht: −9 SP"


def test_an_event_of_a_game_without_words_has_its_names():
    event = Event("take_heap", 0, 0, "left", 2, None)
    assert word_event(NIM.rules, event) == "take heap left 2"
