"""Both games call by one word what both have, and sizes of arrays by their constants."""

import re

import pytest
from calls import ROOT

SOURCES = ROOT / "ext" / "trajan_ai" / "games"
PACKAGES = ROOT / "trajan_ai" / "games"
GAMES = ("trajan", "forum_trajanum")

# What one game alone exports from a file that both have. A name that does the same as one of the
# other game is no entry here: it is to be called the same.
OWN = {
    ("debug", "trajan"): {"all_goods", "keep_unknown", "require_legal"},
    ("hidden", "forum_trajanum"): {"begun", "knows_given", "knows_kept", "observed"},
    ("knowledge", "trajan"): {"remaining_share"},
    ("rules", "trajan"): {"apply_forced"},
    ("rules", "forum_trajanum"): {"advance", "finish_run", "play_on", "ready"},
    ("scoring", "trajan"): {
        "bonus_of_figures", "bonus_of_goods", "bonus_of_symbols", "count_votes", "covered",
        "demanded", "score_game", "set_value",
    },
    ("scoring", "forum_trajanum"): {"PhaseScore", "phase_score", "score_phase"},
    ("tables", "trajan"): {"Tables"},
    ("tables", "forum_trajanum"): {"Meanings", "Payments", "TileGains"},
}  # fmt: skip

# Constants that every game has, by file, and prefixes: others are about its own components.
CONSTANTS = {
    "types": "DECISIONS MOST_MOVES MOVES OPTION_BOOKED VP_SOURCES DECIDE_ MOVE_ OPTION_ VP_",
    "knowledge": "WEIGHTS WEIGHT_",
    "evaluation": "FEATURES TERMS FEATURE_",
}

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
    "symbols": {"DRAWINGS"},
    "views": {"view"},
    "weights": {"FEATURES", "FILE", "NAMES", "MOVES", "WEIGHTS"},
    "words": {"turn"},
}

# Arrays whose size says nothing: they fill a struct up.
FILLING = {"padding", "unused"}


def text(folder, name, game):
    return (folder / game / name).read_text(encoding="utf-8")


def exported(source):
    """Functions and structs that a .pxd declares."""
    functions = re.findall(r"^cdef (?:inline )?(?:const )?\w+ \**(\w+)\(", source, re.MULTILINE)
    structs = re.findall(r"^cdef (?:struct|enum) (\w+)", source, re.MULTILINE)
    return {*functions, *structs}


def enumerators(source):
    """Names at the beginning of a line of an enumeration."""
    return set(re.findall(r"^    ([A-Z][A-Z0-9_]*)(?= *(?:=|#|$))", source, re.MULTILINE))


SHARED = sorted(
    path.stem
    for path in (SOURCES / GAMES[0]).glob("*.pxd")
    if (SOURCES / GAMES[1] / path.name).exists()
)


def test_both_games_have_these_files():
    assert {*CONSTANTS, *(name for name, _ in OWN), "features"} <= set(SHARED)


@pytest.mark.parametrize("name", SHARED)
def test_what_one_game_alone_exports_is_its_own(name):
    first, second = (exported(text(SOURCES, f"{name}.pxd", game)) for game in GAMES)
    assert first - second == OWN.get((name, GAMES[0]), set())
    assert second - first == OWN.get((name, GAMES[1]), set())


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_constants_and_prefixes_of_enumerators_are_those_of_every_game(name):
    for game in GAMES:
        found = enumerators(text(SOURCES, f"{name}.pxd", game))
        for one in CONSTANTS[name].split():
            begun = one.endswith("_") and any(name.startswith(one) for name in found)
            assert one in found or begun, (game, one)


# What sets the entries of a game's GameOps, and the optional ones of its rules; how many at least.
ENTRIES = [
    (SOURCES, "ops.pyx", r"^table\.(?!facts)(\w+) = (.+)$", 20),
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
    found = []
    for game in GAMES:
        for path in sorted((SOURCES / game).glob("*.p[xy][dx]")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                array = re.match(r"\s+(?:cdef )?\w+ \**(\w+)((?:\[[^]]+\])+)\s*(?:#.*)?$", line)
                array = array or re.match(r"cdef \w+ \**(\w+)((?:\[[^]]+\])+)\s*(?:#.*)?$", line)
                if array and array[1] not in FILLING:
                    sizes = re.findall(r"\[(\d+)\]", array[2])
                    found += [f"{path.name}:{number}" for size in sizes if int(size) > 1]
    assert not found
