"""The instructions of the page at every decision, and the words of its log for the actions."""

import re

import pytest
import trajan_boards
from golden_games import golden

import trajan_ai
from trajan_ai import records
from trajan_ai.core import languages
from trajan_ai.core.enums import named
from trajan_ai.core.events import Event
from trajan_ai.core.rules_words import find_declining, in_words
from trajan_ai.games.forum_trajanum import rules as forum_types
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.notation import ACTIONS, tasks
from trajan_ai.games.forum_trajanum.setup import tile_kinds
from trajan_ai.games.trajan.fields import DECISIONS
from trajan_ai.games.trajan.words import INSTRUCTIONS
from trajan_ai.page.game_tree import open_record
from trajan_ai.page.views import describe_node
from trajan_ai.page.visible_tree import VisibleTree

GAMES = ("trajan", "forum_trajanum")
LANGUAGES = list(languages.list_languages())
INTERNAL = re.compile(r"[_{}]|\bNone\b|\w-\w+-\w")


def decisions(game):
    """Return the names of all kinds of decisions in a game, as position files have them."""
    if game == "trajan":
        return [name for name in DECISIONS if name != "over"]
    numbers = {*named(forum_types, "DECIDE_").values()}
    kinds = tile_kinds(load("recon-1"))
    return [name for name, (number, _) in tasks(kinds).items() if number in numbers]


def wrong(text):
    """Return whether a text is not a sentence or contains internal names."""
    return not text.endswith(".") or INTERNAL.search(text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_decision_has_an_instruction(game, language):
    entry = golden(game)
    position = next(p for p in records.positions(entry) if p.ply == 60)
    view = position.view(position.player)
    texts = {}
    with languages.use_language(language):
        for decision in decisions(game):
            pending = {"player": position.player, "decision": decision, "open_cards": [1, 2]}
            texts[decision] = position.game.rules.instruct(view | {"to_decide": pending})
    assert len(texts) > 15
    for decision, text in texts.items():
        assert not wrong(text), (decision, text)
        assert language == languages.ENGLISH or text[0].isupper(), (decision, text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_instructions_of_whole_games_are_sentences(game, players, language):
    with languages.use_language(language):
        for position in records.positions(golden(game, f"{players}p")):
            if position.player is not None:
                text = position.game.rules.instruct(position.view(position.player))
                assert not wrong(text), text


@pytest.mark.parametrize(("language", "bare", "example"), [
    ("en", r"(blue|green|red|yellow)(?! workers?\b)", "pay 2 red workers and an assistant"),
    ("de", r"(blau|grün|rot|gelb)(?!en? Arbeiter\b)",
     "2 rote Arbeiter und einen Assistenten abgeben"),
])  # fmt: skip
def test_payments_and_gains_name_workers_and_numbers(language, bare, example):
    rules = trajan_ai.game("forum_trajanum").rules
    actions = [one for one in ACTIONS if one.split()[0] in ("pay", "gain", "reserve", "swap")]
    with languages.use_language(language):
        words = [in_words(rules, [action]) for action in actions]
        assert in_words(rules, ["pay red+red+assistant"]) == example
    assert len({*words}) == len(words) > 100
    assert [text for text in words if re.search(bare, text)] == []


def test_what_an_action_does_not_name_is_added_from_the_view():
    entry = golden("forum_trajanum")
    steps = zip(records.positions(entry), entry["actions"], strict=False)
    at = {action.split()[0]: one for one, (_, action) in steps}
    rules = at["keep"].game.rules
    view = at["keep"].view(at["keep"].player)
    tile = view["to_decide"]["taken"]["1"]["tile"]
    street = rules.detail("skip 1", lambda: view).removeprefix("skip 1 for ")
    assert street in "123456ABCDEF"
    assert rules.detail("keep 1", lambda: view) == f"keep 1 {tile} for {street}"
    assert rules.sentence("keep 1 coin+tribune for 2") == (
        "keeps the tile for row 2: a coin and a tribune"
    )
    assert in_words(rules, ["take 1 B2 tribune for D"]) == (
        "take the tile from B2 for column D, for a tribune"
    )
    assert in_words(rules, ["skip 2"]) == "take nothing for street card 2"
    assert rules.sentence(rules.detail("bonus vp", lambda: view)) == "takes 2 VP as an area bonus"


def test_extra_actions_and_cards_are_sentences_when_they_stand_alone():
    rules = trajan_ai.game("trajan").rules
    words = [in_words(rules, [one]) for one in ("extra", "extra wild", "card oil", "pair oil")]
    assert words == [
        "use the extra-action tile", "use the wild action tile", "ship oil",
        "ship a pair: oil",
    ]  # fmt: skip


@pytest.mark.parametrize(("decision", "tribunes", "text"), [
    ("take", 0, "take a tile from {}."),
    ("take", 1, "take a tile from {}, or from anywhere for a tribune (1 left)."),
    ("use", 1, "use your own tile or the received one."),
    ("use", 2, "use your own tile or the received one, or both for two tribunes (2 left)."),
])  # fmt: skip
@pytest.mark.parametrize(("board", "streets"), [
    ("A", "row 6 or row 5"), ("B1", "street b6 or street b5"),
])  # fmt: skip
def test_tribunes_are_offered_only_to_players_who_can_pay_them(
    decision, tribunes, text, board, streets
):
    position = next(p for p in records.positions(golden("forum_trajanum")) if p.ply == 60)
    view = position.view(position.player)
    pending = {"player": 0, "decision": decision, "open_cards": [1, 2]}
    view["players"][0]["resources"]["tribune"] = tribunes
    view |= {"to_decide": pending, "boards": [board] * 2}
    assert position.game.rules.instruct(view) == text.format(streets)


def test_two_cards_of_one_street_are_named_as_both():
    position = next(
        one
        for one in records.positions(golden("forum_trajanum"))
        if one.player is not None
        and "open_cards" in (pending := one.view(one.player)["to_decide"])
        and len(pending["open_cards"]) == 2
    )
    view = position.view(position.player)
    assert " or " in position.game.rules.instruct(view).partition(",")[0]
    cards = view["street_cards"]
    for symbol in set(cards):
        alike = view | {"street_cards": [symbol] * len(cards)}
        first = position.game.rules.instruct(alike).partition(",")[0].removesuffix(".")
        assert first.endswith(" (both cards)")
        assert " or " not in first


def test_instructions_name_trays_and_numbers():
    """An instruction names the tray of a marker or the chosen tile, and the number left."""
    visible = VisibleTree(open_record(golden("trajan")))
    texts = [describe_node(visible, node, None)["instruction"] for node in range(45)]
    assert texts[0].startswith("place the next marker in tray I (12 left).")
    starts = [text for text in texts if text.startswith("choose a Trajan tile")]
    assert starts[0].startswith(
        "choose a Trajan tile for tray II (1 of 3), each from a different stack."
    )


def test_the_military_action_offers_no_legionnaire_for_a_leader_in_the_camp():
    view = trajan_boards.at_action(trajan_boards.board(), "military")
    rules = trajan_boards.position(view).game.rules
    assert "send one to the leader" not in rules.instruct(view)
    view["players"][0]["leader"] = "alpes"
    assert "send one to the leader" in rules.instruct(view)


@pytest.mark.parametrize(
    ("action", "camp", "offer"),
    [
        ("military", "military_camp", "send one to the leader"),
        ("construction", "worker_camp", "or build"),
    ],
)
def test_nobody_in_an_empty_camp_is_offered(action, camp, offer):
    view = trajan_boards.at_action(trajan_boards.board(), action)
    own, rules = view["players"][0], trajan_ai.game("trajan").rules
    own["leader"] = "alpes"
    for count in (0, 1):
        own[camp] = count
        assert (offer in rules.instruct(view)) == bool(count)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_instruction_has_no_colon_after_that_of_whose_turn_it_is(language):
    with languages.use_language(language):
        texts = [languages.tr(text) for text in INSTRUCTIONS.values()]
    assert [text for text in texts if re.match(r"\w+: ", text)] == []


def test_a_tie_in_the_senate_is_explained_by_the_discs():
    rules = trajan_boards.position(trajan_boards.board()).game.rules
    view = {"players": [{"senate": 3}, {"senate": 2}]}

    def explain(votes, *before):
        counted = [Event("count_votes", player, 0, None, count, None) for player, count in votes]
        return rules.explain_end([*before, *counted], lambda: view)

    assert explain([]) == {}
    assert explain([(1, 5), (0, 4)]) == {1: "has the most votes and chooses first"}
    assert "disc further ahead" in explain([(0, 4), (1, 4)])[0]
    step = Event("advance", 1, 3, None, 2, "senate")
    assert "disc on top" in explain([(1, 4), (0, 4)], step)[1]


def test_a_forgone_action_is_named_in_the_log():
    view = trajan_boards.at_action(trajan_boards.board(), "construction")
    rules = trajan_boards.position(view).game.rules
    detailed = rules.detail("pass", lambda: view)
    assert rules.sentence(detailed) == "forgoes the construction action"
    assert rules.words([detailed]) == "do nothing"


def test_actions_without_a_price_come_first():
    visible = VisibleTree(open_record(golden("forum_trajanum")))
    legal = [action for action, _ in describe_node(visible, 22, None)["legal"]]
    costs = [action.endswith(" tribune") for action in legal]
    assert costs == sorted(costs)
    assert {*costs} == {False, True}


def test_the_log_names_trays_corners_and_tiles():
    for game, words in (
        (
            "trajan",
            [
                r"puts \w+ into tray [IV]+",
                r"takes the Trajan tile .+ \(\w+, \w+\) for tray [IV]+",
            ],
        ),
        ("forum_trajanum", [r"puts the \w+ crane on corner [AF][16]"]),
    ):
        visible = VisibleTree(open_record(golden(game)))
        log = describe_node(visible, 0, None)["log"]
        keys = {entry[5] for entry in visible.entries[1:]}
        assert keys == {*log}
        for pattern in words:
            assert any(re.fullmatch(pattern, text) for text in log.values()), pattern


@pytest.mark.parametrize("game", GAMES)
def test_the_log_has_the_scores_after_every_action(game):
    entry = golden(game)
    visible = VisibleTree(open_record(entry))
    after = [position.scores for position in records.positions(entry)]
    assert [tuple(one[4]) for one in visible.entries] == [tuple(scores) for scores in after]


@pytest.mark.parametrize(("language", "reason"), [
    ("en", "The first window gives this action."), ("de", "Das erste Fenster gibt diese Aktion."),
])  # fmt: skip
def test_the_action_of_a_first_building_says_where_it_comes_from(language, reason):
    rules = trajan_ai.game("trajan").rules
    at = next(p for p in records.positions(golden("trajan")) if p.ply == 60)
    view = at.view(at.player)
    pending = {
        "player": 0, "decision": "military", "free_action": "military", "in_free_action": True,
    }  # fmt: skip
    with languages.use_language(language):
        assert rules.instruct(view | {"to_decide": pending}).endswith(reason)
        pending["repeating"] = "action"  # an extra-action tile repeats the construction action
        assert rules.instruct(view | {"to_decide": pending}).endswith(reason)
        pending["repeating"] = "free_action"
        assert reason not in rules.instruct(view | {"to_decide": pending})
        del pending["repeating"], pending["free_action"]
        pending["in_free_action"] = False
        assert reason not in rules.instruct(view | {"to_decide": pending})


def test_a_tile_repeats_the_action_of_a_first_building_before_construction():
    rules = trajan_ai.game("trajan").rules
    at = next(p for p in records.positions(golden("trajan")) if p.ply == 60)
    view = at.view(at.player)
    pending = {"player": 0, "decision": "extra", "action": "construction"}
    assert "(construction)" in rules.instruct(view | {"to_decide": pending})
    pending |= {"free_action": "forum", "in_free_action": True}
    assert "(forum)" in rules.instruct(view | {"to_decide": pending})


@pytest.mark.parametrize("game", GAMES)
def test_actions_that_decline_something_are_recognised(game):
    rules = trajan_ai.game(game).rules
    declining = find_declining(rules, trajan_ai.game(game).actions)
    words = ("pass", "no ", "done", "skip")
    assert {*declining} == {a for a in trajan_ai.game(game).actions if a.startswith(words)}


def test_the_seaport_offers_only_what_is_possible():
    """Cards are displayed and shipped from the hand; if the hand is empty, only wild goods can be
    shipped."""
    words = {"draw": "Draw", "take": "take", "play": "display", "ship": "ship"}
    hands = set()
    for table in ("2p", "3p", "4p"):
        for there in records.positions(golden("trajan", table)):
            if there.player is None:
                continue
            view = there.view(there.player)
            if view["to_decide"]["decision"] != "seaport":
                continue
            starts = {action.split()[0] for action in there.legal()}
            text = there.game.rules.instruct(view)
            offered = {start for start, word in words.items() if word in text}
            assert offered == starts & {*words}, (there.ply, text)
            hands.add(min(sum(view["players"][there.player]["hand"].values()), 2))
    assert hands >= {1, 2}
