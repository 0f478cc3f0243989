"""Guided first games: every file is played through the engine, and wrong files are rejected."""

import re
from string import Formatter

import pytest

import trajan_ai
from trajan_ai.core import languages
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml, read_yaml
from trajan_ai.games.forum_trajanum import symbols as forum_trajanum
from trajan_ai.games.trajan import symbols as trajan
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.page.guide import FOLDER, PERSON, PLAYERS, find_guide, play_guide

FILES = sorted(FOLDER.glob("*.yaml"))
GAMES = ["trajan", "forum_trajanum"]
MOVES = ("seed", "options", "opening")  # keys whose values are the same in every language
# The numbers in the texts that come from the rules; all other numbers are placeholders.
RULES = {
    "trajan": {
        *COMPONENTS.data["demand_loss"][1:],
        *COMPONENTS.data["building_sets"].values(),
        COMPONENTS.data["loss_per_legionnaire"],
        *(COMPONENTS.data["senate_vp"][end] for end in (0, -1)),
        0,  # lowest VP for a legionnaire
        1,  # VP for each thing left in hand, camps and slots
        9,  # VP for the Trajan tiles that are taken
        5,  # VP for a legionnaire in Noricum
        2,  # VP for the same legionnaire, together with one of the opponent
        4,  # votes of the shield in Aquitania
        110,  # a year
    },
    # VP for a column and for a crane in each phase, VP for an envoy on an eagle, rows and columns.
    "forum_trajanum": {3, 2, 1, *range(1, 10)},
}


def play(text, old, new):
    """Play a guide to Trajan after replacing `old` by `new` in its text."""
    assert old in text
    return play_guide("trajan", "en", parse_yaml(text.replace(old, new, 1), "guide.yaml"))


@pytest.fixture
def english():
    return (FOLDER / "trajan.en.yaml").read_text("utf-8")


def happened(game):
    """Return the events in the game of a guide, as the user sees them."""
    guide = find_guide(game).guide
    position = trajan_ai.game(game).start(PLAYERS, guide.seed, **guide.options)
    actions = [*guide.opening]
    for lesson in guide.lessons:
        actions += [*(click.play for click in lesson.clicks), *lesson.then]
        actions += [action for moment in lesson.ending for action in moment.then]
    events = []
    for action in actions:
        events += position.events(action, PERSON)
        position = position.after(action)
    return events


def texts(value, at=()):
    """Yield every text in a guide as (place, text)."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in items:
            if key not in (*MOVES, "play", "then", "shows", "changed", "symbols"):
                yield from texts(one, (*at, key))


def moves(data):
    """Return what is the same in all languages: the deal, the decisions and the places to mark."""
    lessons = [
        (
            [click["play"] for click in one["clicks"]],
            one.get("then", []),
            "meanwhile" in one,
            one.get("changed", []),
            [
                (moment.get("then", []), moment.get("changed", []))
                for moment in one.get("ending", [])
            ],
        )
        for one in data["lessons"]
    ]
    return {key: data.get(key) for key in MOVES} | {"lessons": lessons}


MAX_LETTERS = 340  # in a text before a click
MAX_WORDS = 24  # in a sentence


@pytest.mark.parametrize("code", languages.list_languages())
def test_lessons_of_forum_trajanum_are_short(code):
    data = read_yaml(FOLDER / f"forum_trajanum.{code}.yaml").data
    for lesson in data["lessons"]:
        for text in (lesson["why"], lesson["goal"], lesson["brought"]):
            assert len(text) <= MAX_LETTERS, text
            for sentence in re.split(r"(?<=[.!?:]) ", text):
                assert len(sentence.split()) <= MAX_WORDS, sentence


def test_every_game_has_a_guide_in_every_language():
    names = {f"{game}.{code}.yaml" for game in GAMES for code in languages.list_languages()}
    assert {file.name for file in FILES} == names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_guide_is_played_through(file):
    game, code, _ = file.name.split(".")
    played = play_guide(game, code, read_yaml(file))
    clicks = [step for step in played.steps if step.kind == "click"]
    assert all(step.position.player == PERSON for step in clicks)
    assert all(step.action in step.position.legal() for step in clicks)
    assert [step.kind for step in played.steps].count("welcome") == 1
    assert played.steps[-1].kind == "end"
    opening = [step for step in played.steps if step.opens]
    assert [step.lesson for step in opening] == [*range(len(played.guide.ideas))]
    assert not any("{" in text for step in played.steps for text in step.texts.values())
    about = re.findall(r"[.!?](?:\s|$)", played.guide.about)
    assert len(about) == 3


def test_the_guide_of_trajan_shows_every_action_a_fulfilled_tile_and_the_end_of_a_quarter():
    events = happened("trajan")
    own = {(event.name, event.thing) for event in events if event.player == PERSON}
    assert {thing for name, thing in own if name == "action"} == {*COMPONENTS.data["actions"]}
    names = {event.name for event in events}
    assert {"fulfil", "build", "ship", "use_tile", "reveal_demand", "miss_demands"} <= names
    assert {"meet_demands", "count_votes", "win_gold", "end_quarter"} <= names
    sown = [step for step in find_guide("trajan").steps if (step.action or "").startswith("sow")]
    assert len(sown) == 8


def test_the_guide_of_forum_trajanum_shows_one_phase_with_its_scoring():
    names = {event.name for event in happened("forum_trajanum")}
    assert {"end_phase", "score_cranes", "score_colonia", "score_eagles", "score_area"} <= names
    assert {"send_envoy", "pay_wage", "upgrade", "pass_on", "build"} <= names


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("code", [one for one in languages.list_languages() if one != "en"])
def test_a_translation_has_the_moves_placeholders_and_figures_of_the_english_guide(game, code):
    def describe(text):
        fields = sorted(name for _, name, _, _ in Formatter().parse(text) if name)
        return fields, sorted(re.findall(r"\d+", re.sub(r"\{.*?\}", "", text)))

    english, other = (read_yaml(FOLDER / f"{game}.{one}.yaml").data for one in ("en", code))
    assert moves(other) == moves(english)
    originals, translations = dict(texts(english)), dict(texts(other))
    assert translations.keys() == originals.keys()
    for place, text in originals.items():
        assert describe(translations[place]) == describe(text), place


@pytest.mark.parametrize("game", GAMES)
def test_figures_in_texts_are_placeholders_or_those_of_the_rules(game):
    for place, text in texts(read_yaml(FOLDER / f"{game}.en.yaml").data):
        for figure in re.findall(r"(?<![A-Z+{\w])\d+", text):
            assert int(figure) in RULES[game], place


@pytest.mark.parametrize(("old", "new", "problem"), [
    ("play: sow IV", "play: sow VII", "'sow VII' is not legal; the legal actions are sow I"),
    ("{build_vp}", "{built_vp}", "no value for built_vp; the placeholders here are "),
    ("{build_vp}", "{build_vp", "unmatched '{' in format spec"),
    ("then: [sow IV, ", "then: [", "lessons[2].then[0]: 'drop white' is not legal"),
    ("drop yellow\n", "drop yellow\n        hint: no\n", "lessons[0].clicks[1].hint: unknown key"),
    ("{markers: random}", "{markers: red}", "options: "),
    ("seed: 1049", "seed: one", "seed: must be a whole number, got 'one'"),
])  # fmt: skip
def test_a_wrong_guide_is_rejected_with_file_and_line(english, old, new, problem):
    with pytest.raises(TrajanError) as raised:
        play(english, old, new)
    assert re.match(r"guide\.yaml:\d+: ", raised.value.messages[0])
    assert problem in raised.value.messages[0]


def test_placeholders_are_what_the_events_of_a_lesson_brought(english):
    sentence = "<{build_vp} VP for {build_count} building, {other_vp}>"
    played = play(english, "{build_vp}", sentence)
    texts = {text for step in played.steps for text in step.texts.values()}
    figures = {part for text in texts for part in re.findall("<.+?>", text)}
    assert figures == {"<5 VP for 1 building, 0>"}


def test_another_player_who_decides_is_a_problem(english):
    with pytest.raises(TrajanError, match=r"guide\.yaml:\d+: .*: player 1 decides here"):
        play(english, "    then: [sow II, drop yellow, drop blue, tile points]\n", "")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("code", ["en", pytest.param("de", marks=pytest.mark.long)])
def test_the_page_shows_every_step(client, game, code):
    with languages.use_language(code):
        steps = find_guide(game).steps
    for number, step in enumerate(steps):
        if number % 4 and step.kind == "click":
            continue  # to save time, because each step needs two drawings
        answer = client.get(f"/api/guides/{game}/{number}?language={code}").json()
        assert answer["kind"] == step.kind
        assert answer["texts"] == dict(step.texts)
        assert (answer["action"] in dict(answer["legal"])) == (step.kind == "click")
        assert answer["svg"].count("data-action=") <= 1
        for place in answer["changed"]:
            assert re.search(f'data-(place|part)="{place}"', answer["svg"]), (number, place)
        if step.kind != "click":
            assert {"en": ">to decide<", "de": ">entscheidet<"}[code] not in answer["svg"]
        assert answer["names"][PERSON] == {"en": "You", "de": "Du"}[code]


def test_the_end_of_a_quarter_is_described_before_and_after_the_board_is_cleared(client):
    steps = find_guide("trajan").steps
    before, after, cleared = (n for n, step in enumerate(steps) if "heading" in step.texts)
    view = [steps[n].position.game.rules.view(steps[n].position, PERSON) for n in (before, after)]
    assert len(view[0]["demands"]) == 3
    assert not view[1]["demands"]
    happened = [client.get(f"/api/guides/trajan/{n}").json()["happened"] for n in (before, after)]
    assert not happened[0]
    missed = {player: vp for player, vp, _, is_closing in happened[1] if is_closing and vp}
    assert missed == {0: -4, 1: -9}
    assert steps[cleared].position is steps[after].position


def test_tiles_that_were_used_do_not_come_back_while_only_next_can_be_chosen(client):
    steps = find_guide("forum_trajanum").steps
    number = 1 + next(i for i, step in enumerate(steps) if step.action == "gain yellow")
    assert steps[number].kind == "after"
    board = client.get(f"/api/guides/forum_trajanum/{number}?language=en").json()["svg"]
    assert board.count(': gone"') == 2
    keeping = 1 + next(i for i, step in enumerate(steps) if step.action == "take 1 D3")
    board = client.get(f"/api/guides/forum_trajanum/{keeping}?language=en").json()["svg"]
    assert board.count('data-place="taken 0') == 2


@pytest.mark.parametrize("game", GAMES)
def test_the_pictures_of_a_lesson_have_names_and_are_the_same_in_all_languages(game, client):
    drawings = {"trajan": trajan, "forum_trajanum": forum_trajanum}[game].DRAWINGS
    symbols = {}
    for code in languages.list_languages():
        with languages.use_language(code):
            steps = find_guide(game).steps
        symbols[code] = [step.symbols for step in steps]
        for number, step in enumerate(steps):
            if step.symbols and step.opens:
                path = f"/api/guides/{game}/{number}?language={code}"
                pictures = client.get(path).json()["symbols"]
                assert [name for name, _ in pictures] == step.symbols
                assert all(name in drawings for name, _ in pictures)
                assert code == "en" or all(name != words for name, words in pictures)
    assert symbols["de"] == symbols["en"]


def test_other_steps_and_guides_are_not_found(client):
    for path in ("trajan/1000", "chess/0", "..%2Ftrajan/0"):
        assert client.get(f"/api/guides/{path}").status_code == 404


def test_the_first_page_describes_what_each_game_is_about(client):
    for code in languages.list_languages():
        for game in client.get(f"/api/start?language={code}").json()["games"]:
            about = read_yaml(FOLDER / f"{game['name']}.{code}.yaml").data["about"]
            assert game["guide"]["about"] == about
            assert game["guide"]["language"] == code
            assert game["guide"]["lessons"] > 8


def test_a_language_without_a_guide_gets_the_english_one():
    with languages.use_language("fr"):
        french = find_guide("trajan")
    assert french is find_guide("trajan")
    assert french.language == "en"
