"""Every catalogue contains exactly the texts that are shown."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from golden_games import golden

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.analysis.decision.vp_sources import SO_FAR, name_source
from trajan_ai.core import languages
from trajan_ai.core.events import Event
from trajan_ai.core.rules import all_options
from trajan_ai.core.rules_words import note_on
from trajan_ai.core.tips import read_overview, read_tips
from trajan_ai.games.forum_trajanum import witnessing as forum_following
from trajan_ai.games.forum_trajanum import words as forum_words
from trajan_ai.games.forum_trajanum.components import BUILD_TASKS
from trajan_ai.games.trajan import witnessing as trajan_following
from trajan_ai.games.trajan import words as trajan_words
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.page import opponents, position_editor
from trajan_ai.page.guide import find_guide
from trajan_ai.page.site_files import FOOT
from trajan_ai.page.views import draw
from trajan_ai.records import position_files

ROOT = Path(trajan_ai.__file__).parent
OTHERS = [code for code in languages.list_languages() if code != languages.ENGLISH]
EVERY = 15  # every 15th position of a game is drawn
DETAILS = {
    "to_decide": {
        "player": 0,
        "decision": "crane A1",
        "next_tray": "I",
        "markers_in_hand": COMPONENTS.colours,
    },
    "players": [{"arch": "I", "trays": {tray: [] for tray in COMPONENTS.trays}}],
    "components": "recon-1",
    "round": 1,
    "boards": ["A"],
    "street_cards": ["b1", "w1"],
    "trajan_tops": {tile.stack: tile.name for tile in COMPONENTS.tiles},
    "discard_piles": {"left": ["oil"], "right": ["oil"]},
}
STRING = r'"((?:[^"\\]|\\.)*)"'
CALLS = re.compile(rf"\b(?:t|tr)\(\s*{STRING}(?:\s*:\s*{STRING})?")
CHOICES = re.compile(rf'\btr\([^"()]*\?\s*{STRING}\s*:\s*{STRING}')
STATIC = re.compile(r'>\s*([A-Z][^<>]*[a-z.])\s*<|(?:title|aria-label)="([^"{$]*)"')


def in_scripts():
    """Yield the translatable texts of scripts and pages."""
    for path in [*ROOT.rglob("*.js"), *ROOT.glob("analysis/annotation/annotation.html.j2")]:
        text = re.sub(r'" \+\s+"', "", path.read_text("utf-8"))  # joins texts on several lines
        for match in [*CALLS.finditer(text), *CHOICES.finditer(text)]:
            yield from filter(None, match.groups())
    keys = (ROOT / "page/static/keys.js").read_text("utf-8")
    for match in re.finditer(rf"^\t\[{STRING}, {STRING}\],$", keys, re.M):
        yield from match.groups()
    page = (ROOT / "page/static/index.html").read_text("utf-8")
    for match in STATIC.finditer(page[page.index("<body>") :] + FOOT):
        yield from filter(None, match.groups())


def in_modules():
    """Yield the texts in calls of `tr` in the Python modules."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tr":
                first = node.args[0]
                parts = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                yield from (part.value for part in parts if isinstance(part, ast.Constant))


class Recorder(dict):
    """A catalogue that records which texts are looked up, except verbs."""

    def get(self, text, default=None):
        return text if text.startswith(languages.GAP) else self.setdefault(text, default)


def looked_up(monkeypatch):
    """Return the texts that are looked up when games are drawn, described and edited."""
    recorder = Recorder()
    monkeypatch.setattr(languages, "read_catalogue", lambda language: recorder)
    languages.narrate(trajan_words.FORGO)
    for name, module in (("trajan", trajan_words), ("forum_trajanum", forum_words)):
        phrase = module.phrase
        for kind in module.INSTRUCTIONS:  # the kinds of decisions by which losses are listed
            if " " not in kind:
                languages.tr(kind)
        game = trajan_ai.game(name)
        rules = game.rules
        for action in game.actions:
            phrase(action)
            phrase(rules.detail(action, lambda: DETAILS))
            rules.words([action])
            rules.words([action, action])
            rules.sentence(action)
            rules.sentence(rules.detail(action, lambda: DETAILS))
        for kind in rules.events:
            for thing in kind.things or (None,):
                for count in (1, 2):
                    rules.happening(Event(kind.name, 0, 0, thing, count, None))
        for option in all_options(rules):
            languages.tr(option.name.replace("_", " "))
            languages.tr(option.allowed)
        for players in (2, 5):
            opponents.list_opponents(game, players)
        for step in find_guide(name).steps:
            for symbol in step.symbols:
                rules.thing(symbol.removesuffix("-tile"))
        read_tips(rules.tips)
        read_overview(rules)
        languages.tr(note_on(rules, rules.check(2, {})) or "VP")
        for source in (*game.vp_sources, SO_FAR):
            name_source(source)
        for players in (2, 3, 4):
            for question in rules.list_open(players):
                for thing in question.choices:
                    rules.thing(thing)
            entry = golden(game.name, f"{players}p")
            for position in [*records.positions(entry)][::EVERY]:
                view = rules.view(position, position.player)
                draw(position, view, position.player, legal=tuple(position.legal()))
                if position.player is not None:
                    rules.instruct(view)
                    for action in position.legal()[:3]:
                        rules.words([action, action])
                if position.ply % (3 * EVERY) == 0 and position.player is not None:
                    text = position_files.dumps(
                        position_files.position_file(position, position.player)
                    )
                    for place in ("table", "player 0"):
                        position_editor.list_choices(text, place)
    recorder.pop(languages.NAME, None)
    return set(recorder)


def tables():
    """Yield the texts in the games' tables of words, some of which are rarely shown in play."""
    yield from trajan_words.INSTRUCTIONS.values()
    yield from forum_words.INSTRUCTIONS.values()
    yield from trajan_words.EVENTS.values()
    yield from trajan_words.FREE_ACTIONS.values()
    yield from trajan_words.GROUPS.values()
    yield from trajan_words.QUESTIONS.values()
    yield from (trajan_ai.game(name).rules.part for name in ("trajan", "forum_trajanum"))
    yield from forum_words.EVENTS.values()
    yield from forum_words.FORESEEN.values()
    yield from forum_words.BUILDING_TASKS.values()
    yield from forum_words.COLLECTING_TASKS.values()
    yield from trajan_following.WORDS.values()
    yield from forum_following.WORDS.values()
    yield from (task.replace("-", " · ") for task in BUILD_TASKS)
    yield from (grade for grade, *_ in judging.LOSS_GRADES)


@pytest.mark.slow
def test_catalogues_contain_the_texts_of_page_and_games_and_no_others(monkeypatch):
    catalogues = {code: languages.read_catalogue(code) for code in OTHERS}
    expected = {*in_scripts(), *in_modules(), *looked_up(monkeypatch), *tables(), languages.NAME}
    expected = {
        text
        for text in expected
        if re.search("[A-Za-z]{2}", text) and not re.fullmatch("[IV]+", text)
    }
    for code, catalogue in catalogues.items():
        texts = {text for text in catalogue if not text.startswith(languages.GAP)}
        assert texts - expected == set(), f"{code}: unused"
        assert expected - texts == set(), f"{code}: missing"


def test_catalogues_contain_the_verbs_of_all_sentences_and_no_others(monkeypatch):
    instructions = set()
    monkeypatch.setattr(languages, "narrate", lambda text: instructions.add(text) or text)
    for game in (trajan_ai.game("trajan"), trajan_ai.game("forum_trajanum")):
        for action in game.actions:
            game.rules.sentence(action)
    for code in OTHERS:
        catalogue = languages.read_catalogue(code)
        verbs = {text for text in catalogue if text.startswith(languages.GAP)}
        assert verbs == {
            f"{languages.GAP} {catalogue[text].split()[-1]}" for text in instructions
        }, code


def test_a_translation_has_the_placeholders_of_the_english_text():
    def fields(text):
        return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)

    for code in OTHERS:
        for text, other in languages.read_catalogue(code).items():
            assert fields(text) == fields(other), f"{code}: {text}"
