"""The tips and the rules on one screen agree with the components and the rules of the game."""

import re
from itertools import chain
from xml.etree import ElementTree

import pytest
from browser_tab import by_server
from golden_games import golden

import trajan_ai
from trajan_ai import records
from trajan_ai.core import languages
from trajan_ai.core.tips import read_overview, read_tips
from trajan_ai.games.forum_trajanum import rules as forum_rules
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.rules import QUARTERS, ROUNDS
from trajan_ai.page.views import draw

GAMES = ("trajan", "forum_trajanum")
LANGUAGES = list(languages.list_languages())
WORDS = {"two": 2, "twice": 2, "three": 3, "four": 4, "twelve": 12}
WORDS |= {word.capitalize(): number for word, number in WORDS.items()}
EVERY = 9  # every 9th position of a game is drawn

DATA, FORUM = C.data, load("recon-1")
SHIPS, BONUS, STACKS = DATA["ships"], DATA["bonus_tiles"], DATA["trajan_stacks"]


def values(name):
    """Return the VP on the two sides of the bonus tiles whose names begin with `name`."""
    (pair,) = {tuple(pair) for tile, pair in BONUS.items() if tile.startswith(name)}
    return [*pair]


def ship(name, most):
    return [most, *SHIPS[name]["coloured"], *SHIPS[name]["grey"]]


def figures(stack):
    """Return the VP of tiles with one figure, and the number and VP of tiles with two figures."""
    one, two = STACKS[stack]
    return [one["vp"], int(two["effect"][-1]), two["vp"]]


# The numbers in each tip, in the order in which the text has them.
GOODS = [name for name in BONUS if not name.startswith("bonus-")]
SYMBOLS = [f"bonus-{name}" for name in C.symbols]
NUMBERS = {
    "trajan": {
        "goal": [QUARTERS, ROUNDS],
        "setup": [2, 3, 3],
        "time": [ROUNDS - 1],
        "demands": [1, 2, 3, *DATA["demand_loss"][1:]],
        "marker": [2 * len(C.colours), 2],
        "field": [2, 2],
        "hand": [1],
        "camp workers": [1],
        "camp legionnaires": [1],
        "slots": [1],
        "wild-action": [2, 2],
        "extra": [2, 2],
        **{name: [2, 2] for name in ("Seaport", "field seaport")},
        "ship equal": ship("equal", 4),
        "ship pairs": ship("pairs", 3),
        "ship different": ship("different", 4),
        "province": [DATA["loss_per_legionnaire"], 0],
        "built": [*chain(*DATA["building_sets"].items())],
        **{name: [DATA["senate_vp"][-1]] for name in ("Senate", "field senate")},
        **{name: [2, *values(name)] for name in GOODS},
        **{name: values(name) for name in SYMBOLS},
        # The text for the silver side has words instead of a number for half of the workers.
        "bonus-workers": [1],
        "bonus-legions": values("bonus-legions"),
        "bonus-gold": values("bonus-gold"),
        "stack cards": [2, STACKS["cards"][0]["vp"]],
        "stack points": [STACKS["points"][0]["vp"]],
        "stack workers": figures("workers"),
        "stack legions": figures("legions"),
        "stack plus2": [2, 2, STACKS["plus2"][0]["vp"]],
        "stack demands": [STACKS["demands"][0]["vp"]],
        "end": [1],
    },
    "forum_trajanum": {
        "goal": [3, 4],
        "setup": [2, 2],
        "round": [3, 4],
        "pass": [2],
        "use": [2],
        "building": [2],
        "track basilica 1": [2],
        "track basilica 2": [2],
        "bonus": [FORUM.bonus_vp],
        "eagle": [2, 1],
        "Buildings": [2, 2],
        **{corner: [*FORUM.crane_vp] for corner in ("A1", "F1", "A6", "F6")},
        "crane": [*FORUM.crane_vp],
        "column": [*FORUM.column_vp, 1],
        "citizens": [1],
        "colonia": [1, 2, 3, 2],
        "citizens 1": [1],
        "citizens 2": [2],
        "citizens 5": [2],
        "builder": [2],
        "tribune": [2],
        "taken": [2],
        "wages": [1],
        "groups": [1, 2],
    },
}
# For each kind of building, the action that its first building brings, in the words of the tip.
FREE = "stairs bring a forum|door senate|fountain seaport|roof Trajan|window military"


def list_numbers(text):
    matches = re.findall(rf"\d+|\b(?:{'|'.join(WORDS)})\b", text)
    return [WORDS.get(one) or int(one) for one in matches]


def digits(text):
    return sorted(re.findall(r"\d+", text))


def rules_of(game):
    return trajan_ai.game(game).rules


@pytest.mark.parametrize("game", GAMES)
def test_the_numbers_in_tips_are_those_of_the_components_and_rules(game):
    tips = read_tips(rules_of(game).tips)
    numbers = {topic: list_numbers(tip) for topic, tip in tips.items()}
    expected = NUMBERS[game]
    assert {topic: some for topic, some in numbers.items() if some} == expected


def test_numbers_of_the_rules_are_those_of_the_engine():
    assert DATA["bonus_tiles"]["bonus-workers"] == [2, 1]  # for two workers
    assert (forum_rules.PHASES, forum_rules.PHASE_ROUNDS) == (3, 4)
    pairs = (part.rpartition(" ")[::2] for part in FREE.replace(" bring a", "").split("|"))
    assert {kind: action.lower() for kind, action in pairs} == DATA["buildings"]
    assert all(part in read_tips(rules_of("trajan").tips)["site"] for part in FREE.split("|"))


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != languages.ENGLISH])
@pytest.mark.parametrize("game", GAMES)
def test_translated_tips_have_the_same_numbers(game, language):
    english = read_tips(rules_of(game).tips)
    with languages.use_language(language):
        translated = read_tips(rules_of(game).tips)
    wrong = {topic for topic, tip in english.items() if digits(tip) != digits(translated[topic])}
    assert wrong == set()


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_on_one_screen_are_made_of_tips_and_symbols(game):
    rules = rules_of(game)
    sprite = rules.sprite()
    sections = read_overview(rules)
    rows = [row for section in sections for row in section["rows"]]
    assert len(rows) > 25
    for row in rows:
        assert row["symbols"], row["name"]
        assert all(f'id="{game}-{symbol}"' in sprite for symbol in row["symbols"]), row["name"]


def list_pieces(game):
    """Return every piece in the drawings of whole games as (key, place, panel, label)."""
    pieces = set()
    for players in ("2p", "3p", "4p"):
        for position in [*records.positions(golden(game, players))][::EVERY]:
            for legal in ((), position.legal() if position.player is not None else ()):
                view = position.view(position.player or 0)
                svg = draw(position, view, position.player, legal=tuple(legal))["svg"]
                for panel in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
                    name = panel.get("data-panel")
                    for piece in panel.iter() if name else ():
                        label = piece.get("aria-label")
                        if label and name != "state of the game":  # the page hides this panel
                            own = piece.get("data-tip"), piece.get("data-place")
                            pieces.add((*own, None if any(own) else name, label))
    return [*pieces]


# The topic of the labels with each of these beginnings.
EXPECTED = {
    "trajan": {
        "demand ": "demand", "Trajan demand tile": "demand-bread", "unknown card": "hand",
        "displayed": "display", "worker camp": "camp workers", "supply": "camp supply",
        "military camp": "camp legionnaires", "field forum": "field forum",
        "field seaport": "field seaport",
        "time marker": "Time", "unmet": "demands", "votes": "votes", "camp": "leader",
        "gold bonus tile": "bonus", "on offer": "offer", "site": "site", "building": "built",
        "stack demands": "stack demands", "stack workers": "stack workers",
        "wild goods": "wild-goods",
    },
    "forum_trajanum": {
        "column:": "column", "crane:": "crane", "first player": "first player",
        "row 4, column": "mosaic", "column A": "symbol", "street card": "street",
        "citizen row 4": "citizens 4",
        "library step 3": "track library 3", "coin": "coin", "ship": "ship", "kept": "kept",
        "received": "received", "A1 crane": "A1", "from ": "taken", "Reserve": "reserve",
    },
}  # fmt: skip
FIND = """async ([tips, pieces]) => {
  const { findTips } = await import('/static/tips.js');
  return pieces.map(([tip, place, panel, _]) => findTips(tips, {
    tip: tip ?? undefined, place: place ?? undefined, panel: panel ?? undefined,
  }));
}"""


@pytest.mark.slow
@pytest.mark.needs("playwright", "chromium")
@by_server
@pytest.mark.parametrize("game", GAMES)
def test_every_piece_of_the_board_has_the_right_tip(tab, game):
    tab.open()
    tips, pieces = read_tips(rules_of(game).tips), list_pieces(game)
    texts_of = tab.page.evaluate(FIND, [tips, pieces])
    labelled = [*zip(pieces, texts_of, strict=True)]
    assert [piece for piece, texts in labelled if not texts] == []
    for start, topic in EXPECTED[game].items():
        matching = [(piece, texts) for piece, texts in labelled if piece[3].startswith(start)]
        assert matching, start
        for piece, texts in matching:
            assert tips[topic] in texts, piece
