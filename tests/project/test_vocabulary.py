"""Both games call by one word what both have, and sizes of arrays by their constants."""

import re
from importlib import import_module

import pytest
from calls import ROOT

SOURCES = ROOT / "ext" / "trajan_ai" / "games"
PACKAGES = ROOT / "trajan_ai" / "games"
GAMES = ("trajan", "forum_trajanum")

# Topics that every game has, each in a file of this name.
TOPICS = {
    "decisions", "evaluation", "features", "hidden", "invariants", "knowledge", "ops", "scoring",
    "state", "tables",
}  # fmt: skip

# Enumerators and prefixes of enumerators that Python reads from the compiled rules of every game.
ENUMERATORS = ("MAX_MOVES", "DECIDE_", "FEATURE_", "MOVE_", "OPTION_", "VP_", "WEIGHT_")

# Names of Python modules that other rooms and the other game's readers look for.
MODULES = {
    "components": {"Components"},
    "text_board": {"draw"},
    "witnessing": {"carry_out", "list_possible", "list_questions", "list_reveals"},
    "game": {"GAME"},
    "notation": {"ACTIONS"},
    "picture": {"draw", "key", "places"},
    "reading": {"parse"},
    "setup": {"NAME", "OPTIONS", "deal", "encode", "option_bits", "options_of", "read_setup"},
    "features": {"list_features"},
    "symbols": {"DRAWINGS"},
    "tables": {"TABLES"},
    "views": {"view"},
    "weights": {"FEATURES", "FILE", "NAMES", "MOVES", "WEIGHTS"},
    "words": {"turn"},
}

# Arrays whose size says nothing: they fill a struct up.
FILLING = {"padding", "unused"}


def text(folder, name, game):
    return (folder / game / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_the_compiled_rules_include_every_topic_once(game):
    folder = SOURCES / game
    included = re.findall(r'^include "(.+)"$', text(SOURCES, "rules.pyx", game), re.MULTILINE)
    assert sorted(included) == sorted(path.name for path in folder.glob("*.pxi"))
    assert {f"{topic}.pxi" for topic in TOPICS} <= set(included)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("prefix", ENUMERATORS)
def test_python_finds_the_enumerators_of_every_game(game, prefix):
    rules = import_module(f"trajan_ai.games.{game}.rules")
    assert [name for name in vars(rules) if name.startswith(prefix)]


# What sets the entries of a game's GameOps, and the optional ones of its rules; how many at least.
ENTRIES = [
    (SOURCES, "ops.pxi", r"^table\.(?!facts)(\w+) = (.+)$", 20),
    (PACKAGES, "game.py", r"^    (\w+) = staticmethod\((.+)\)$", 5),
]


@pytest.mark.parametrize(("folder", "name", "pattern", "least"), ENTRIES)
def test_what_both_games_have_in_an_entry_has_one_name(folder, name, pattern, least):
    first, second = (
        dict(re.findall(pattern, text(folder, name, game), re.MULTILINE)) for game in GAMES
    )
    both = first.keys() & second.keys()
    assert len(both) > least
    assert {name: first[name] for name in both} == {name: second[name] for name in both}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_python_modules_offer_the_same(name):
    for game in GAMES:
        source = text(PACKAGES, f"{name}.py", game)
        names = re.findall(r"^(?:def |class )?(\w+)(?=\(|:| = )", source, re.MULTILINE)
        assert set(names) >= MODULES[name], game


def test_sizes_of_arrays_are_constants():
    """A size of 2 or more is written as a name, or made of names."""
    places = []
    for game in GAMES:
        for path in sorted((SOURCES / game).glob("*.pxi")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                array = re.match(r"\s+(?:cdef )?\w+ \**(\w+)((?:\[[^]]+\])+)\s*(?:#.*)?$", line)
                array = array or re.match(r"cdef \w+ \**(\w+)((?:\[[^]]+\])+)\s*(?:#.*)?$", line)
                if array and array[1] not in FILLING:
                    sizes = re.findall(r"\[(\d+)\]", array[2])
                    places += [f"{path.name}:{number}" for size in sizes if int(size) > 1]
    assert not places
