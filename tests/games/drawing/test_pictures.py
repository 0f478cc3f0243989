"""Drawings of both games are complete, small and valid, and show no hidden information."""

import base64
import html
import math
import random
import re
import sys
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations, pairwise

import pytest
import trajan_boards
from calls import ROOT, run_programs
from golden_games import GOLDEN
from keys_of_pieces import KEYS

import trajan_ai
from trajan_ai import records
from trajan_ai.cli import main
from trajan_ai.core import languages
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.look import FIGURE, HEAD, TEXT
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_drawing import HasPicture
from trajan_ai.core.yamlfile import read_yaml
from trajan_ai.games.drawing import text_layout
from trajan_ai.games.drawing.png import png
from trajan_ai.games.drawing.svg import NARROW, PAD, PANEL, PLAYER_TOKENS, WIDE, text_width
from trajan_ai.games.forum_trajanum import picture as forum_picture
from trajan_ai.games.forum_trajanum import words as forum_words
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.notation import CLASSES, COLOURS, GREYS, ICONS, STRUCTURES
from trajan_ai.games.forum_trajanum.symbols import (
    BUILDINGS,
    CELL,
    DRAWINGS,
    MOSAIC,
    PLAQUE,
    WORKERS,
)
from trajan_ai.games.reference import NIM
from trajan_ai.games.trajan import picture as trajan_picture
from trajan_ai.games.trajan import words as trajan_words
from trajan_ai.games.trajan.symbols import DRAWINGS as TRAJAN_DRAWINGS
from trajan_ai.games.trajan.symbols import GOODS, MARKERS

GAMES = ("trajan", "forum_trajanum")
SVG = "{http://www.w3.org/2000/svg}"
MAX_SIZE = 86_000  # bytes of a drawing, a fifth of which are labels of empty places
MAX_MARKED_SIZE = 98_000  # bytes of a drawing with legal actions
STEP = 13  # decisions between positions
# Actions, or first words of actions, that have no visible result on the board.
WITHOUT_TRACE = {
    "trajan": ("pass", "done", "no", "extra", "effect"),
    "forum_trajanum": (
        *("no", "step", "cypress", "swap", "train", "promote", "exchange", "pay"),
        *("bonus vp", "use both own", "use both received"),
    ),
}


@cache
def positions(name, players, step=STEP):
    """Return (position, last move) for every `step`-th decision of a random game and for its
    end."""
    options = {"tile_effects": "optional"} if name == "trajan" else {"limited_tiles": True}
    choose = random.Random(players)
    position = trajan_ai.game(name).start(players, seed=players, **options)
    results, last = [], None
    while position.player is not None:
        if position.ply % step == 0:
            results.append((position, last))
        last = (position.player, choose.choice(position.legal()))
        position = position.after(last[1])
    return [*results, (position, last)]


def picture(position, player, **marks):
    rules = position.game.rules
    return rules.picture(rules.view(position, player), **marks)


@cache
def drawings(name, players):
    """Return (position, last move, observer, drawing) for every other position and the end."""
    return [
        (position, last, player, picture(position, player, last=last))
        for position, last in positions(name, players)[::-2]
        for player in (None, *range(players))
    ]


@cache
def marked(name, players, width=WIDE):
    """Return (position, suggestions, drawing) for all `positions`, with all possible marks."""
    results = []
    for position, last in positions(name, players):
        legal = position.legal()
        marks = {"last": last, "suggested": legal[:5], "legal": legal}
        drawing = picture(position, position.player, **marks, width=width)
        results.append((position, legal[:5], drawing))
    return results


def assert_small_and_valid(name, drawing):
    root = ET.fromstring(drawing)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text.lower().startswith(name.replace("_", " "))
    assert len(drawing.encode()) <= MAX_SIZE
    assert not re.search(r"(?:href|src)=\"(?!#)|@import|url\(", drawing)


parametrized = pytest.mark.parametrize(
    ("name", "players"),
    [
        pytest.param(name, players, marks=[pytest.mark.long] if players == 3 else [])
        for name in GAMES
        for players in (2, 3, 4)
    ],
)


EXAMPLES = {"trajan": (2, 200, 1), "forum_trajanum": (2, 100, 0)}  # players, ply, observer
IMAGES = ROOT / "docs" / "images"


@pytest.mark.parametrize("name", GAMES)
def test_the_drawings_in_the_documentation_are_current(name, same_text):
    players, ply, player = EXAMPLES[name]
    record = records.read(GOLDEN / f"{name}_{players}p.jsonl")[0]
    drawing = picture(records.replay(record, ply), player, last=tuple(record["actions"][ply - 1]))
    same_text(IMAGES / f"{name}.svg", drawing + "\n")


@pytest.mark.parametrize("name", GAMES)
def test_the_keys_in_the_documentation_are_current(name, same_text):
    same_text(IMAGES / f"{name}_key.svg", KEYS[name]() + "\n")


def test_the_program_in_the_documentation_runs():
    root = ET.fromstring(run_programs("docs/boards.md")["drawing"])
    assert any(e.get("data-action") == "marker blue" for e in root.iter())


@pytest.mark.slow
@parametrized
def test_every_view_is_a_small_valid_drawing(name, players):
    for _, _, _, drawing in drawings(name, players):
        assert_small_and_valid(name, drawing)


@pytest.mark.slow
@parametrized
def test_a_drawing_with_legal_actions_is_small(name, players):
    for _, _, drawing in marked(name, players):
        assert len(drawing.encode()) <= MAX_MARKED_SIZE


@pytest.mark.slow
def test_a_hand_shows_only_the_cards_that_the_observer_knows():
    for position, _ in positions("trajan", 3):
        for player in range(3):
            view = position.view(player)
            drawing = picture(position, player)
            for other, board_of in enumerate(view["players"]):
                visible = board_of["hand"] if other == player else board_of["known_cards"]
                assert set(re.findall(rf'data-place="hand {other} (\w+)"', drawing)) == set(
                    visible
                )


@pytest.mark.parametrize(("handover", "first"), [("once", 2), ("twice", 1)])
def test_the_first_player_figure_follows_the_rules(handover, first):
    position, _ = positions("forum_trajanum", 3)[-1]
    view = position.game.rules.view(position, None)
    options = {**view["options"], "phase_handover": handover}
    drawing = position.game.rules.picture({**view, "round": 5, "options": options})
    board = drawing.index('aria-label="first player"')
    panel = 'data-panel="board of player '
    assert drawing.rindex(panel, 0, board) == drawing.index(f'{panel}{first}"')


@pytest.mark.slow
def test_another_players_move_in_step_one_is_not_marked():
    for position, last in positions("forum_trajanum", 2, 1):
        if last and last[1].split()[0] in ("take", "keep", "skip"):
            other = 1 - last[0]
            assert picture(position, other, last=last) == picture(position, other)
            assert picture(position, last[0], last=last) != picture(position, last[0])


def test_a_received_tile_lies_on_the_board_of_the_player_who_may_use_it():
    played = [position for position, _ in positions("forum_trajanum", 3, 1)[:-1]]
    position = next(one for one in played if "use received" in one.legal())
    player = position.player
    view = position.game.rules.view(position, player)
    tile = forum_words.list_things(view["players"][(player + 1) % 3]["passed"])
    drawing = ET.fromstring(picture(position, player, legal=position.legal()))
    (place,) = drawing.findall(f".//{SVG}g[@data-place='received {player}']")
    (board,) = drawing.findall(f".//{SVG}g[@data-panel='board of player {player}']")
    assert place in [*board.iter()]
    assert place.get("aria-label") == f"received: {tile}"
    assert place.get("data-action") == "use received"


def test_a_tile_taken_for_a_tribune_is_labelled_by_its_cell_and_others_by_their_street():
    played = [position for position, _ in positions("forum_trajanum", 2, 1)[:-1]]
    labels = set()
    for position in played:
        paid = [one for one in position.legal() if one.startswith("take ") and " tribune" in one]
        free = [one for one in position.legal() if one.startswith("take 1 ") and one not in paid]
        for action in [*paid[:1], *free[:1]]:
            after = position.after(action)
            drawing = ET.fromstring(picture(after, position.player))
            number, _, cell = action.removesuffix(" tribune").partition(" ")[2].partition(" ")
            place = f"taken {position.player} {number}"
            tiles = drawing.findall(f".//{SVG}g[@data-place='{place}']")
            if tiles and after.player == position.player:
                label = tiles[0].get("aria-label").partition(":")[0]
                is_paid = action in paid
                labels.add(is_paid)
                assert (label == f"from {cell}, for a tribune") is is_paid, (action, label)
                assert re.fullmatch("from (row|column) .", label) or is_paid
    assert labels == {True, False}


def test_the_first_envoy_is_shown_until_envoys_have_left_and_the_citizen_until_it_sits():
    cases = set()
    for position, _ in positions("forum_trajanum", 2, 1):
        board = position.view(0)["players"][0]
        drawing = picture(position, 0)
        if "ship_tile" in board:
            has_left = bool(board["forum"])
            cases.add(has_left)
            assert ("first envoy 0" in drawing) is not has_left
            if not has_left:  # the tile that came first is the last to leave
                assert f">{'aboard' if board['ship'] == 1 else 'lowest'}</text>" in drawing
        if board["citizens"]:
            assert 'data-place="start 0"' not in drawing
    assert cases == {True, False}


@pytest.mark.parametrize("components", ["recon-1", "varied-1"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_trajan_card_says_what_its_tasks_ask_and_what_they_score(components, language):
    position = trajan_ai.game("forum_trajanum").start(2, 1, components=components)
    view = dict(position.view(0))
    view["players"] = [board | {"slider": 2} for board in view["players"]]
    described = set()
    for number in load(components).cards:
        with languages.use_language(language):
            drawing = ET.fromstring(forum_picture.draw(view | {"trajan_cards": [number]}))
        (card,) = (
            one for one in drawing.iter() if one.get("data-place") == f"card {number} tasks"
        )
        words = card.get("aria-label")
        assert str(number) in words
        assert {"en": "scores 5 VP for you", "de": "bringt dir jetzt 5 SP"}[language] in words
        assert "None" not in words
        described.add(re.sub(r"\d+", "", words))
    assert len(described) >= 11, "each asks for something else"


def test_resources_are_named_in_words():
    position = positions("forum_trajanum", 2, 1)[60][0]
    drawing = picture(position, 0)
    assert re.search(r'aria-label="blue worker: \d"', drawing)
    assert re.search(r'aria-label="coin: \d"', drawing)


def test_places_that_only_a_tribune_pays_show_one():
    played = [position for position, _ in positions("forum_trajanum", 2, 1)[:-1]]
    position = next(one for one in played if " tribune" in " ".join(one.legal()))
    by_place = {}
    for action in position.legal():
        (place,) = position.game.rules.places(
            position.view(position.player), action, position.player
        )
        by_place.setdefault(place, []).append(action.endswith(" tribune"))
    drawing = ET.fromstring(picture(position, position.player, legal=position.legal()))
    marked = [
        place.get("data-place")
        for place in drawing.iter(f"{SVG}g")
        if place.get("role") == "button" and place.find(f"{SVG}g/{SVG}circle") is not None
    ]
    assert {*marked} == {place for place, paid in by_place.items() if all(paid)}
    assert len(marked) < len(by_place)


GOOD = 7.2  # units; upper bound of half the side of a good on a tile


def list_goods(drawing, piece):
    """Return the centres of the goods on the tiles of a piece."""
    symbols = {one.get("id"): one for one in drawing.find(f"{SVG}defs")}
    tiles = [use for use in piece.iter(f"{SVG}use") if "scale" not in use.get("transform", "")]
    return [
        (float(tile.get("x")) + float(good.get("x")), float(tile.get("y")) + float(good.get("y")))
        for tile in tiles
        for good in symbols[tile.get("href")[1:]].iter(f"{SVG}use")
        if good.get("x")
    ]


@pytest.mark.parametrize("components", ["recon-1", "varied-1"])
@pytest.mark.parametrize("observer", ["player", None])
def test_the_mark_of_a_price_covers_no_good(components, observer):
    choose = random.Random(1)
    position = trajan_ai.game("forum_trajanum").start(2, 1, components=components)
    goods = 0
    while position.player is not None:
        legal = position.legal()
        if any(action.endswith(" tribune") for action in legal):
            player = observer and position.player
            drawing = ET.fromstring(picture(position, player, legal=legal))
            for piece in drawing.iter(f"{SVG}g"):
                mark = piece.find(f"{SVG}g/{SVG}circle") if piece.get("role") == "button" else None
                if mark is None:
                    continue
                x, y, size = (float(mark.get(name)) for name in ("cx", "cy", "r"))
                for left, top in list_goods(drawing, piece):
                    goods += 1
                    reach = size + GOOD
                    assert max(abs(x - left), abs(y - top)) >= reach, piece.get("aria-label")
        position = position.after(choose.choice(legal))
    assert goods > 10


def test_the_colour_of_a_covered_crane_lies_outside_of_its_tile():
    position = next(
        one for one, _ in positions("forum_trajanum", 2, 1) if one.view(0)["stage"] == "take"
    )
    drawing = ET.fromstring(picture(position, 0))
    cells = {one.get("data-place"): one for one in drawing.iter() if one.get("data-place")}
    labels = {one.get("aria-label"): one for one in drawing.iter() if one.get("aria-label")}
    for player, board in enumerate(position.view(0)["players"]):
        for cell, crane in board["cranes"].items():
            corner = cells[f"cell {player} {cell}"]
            tiles = list(corner.iter(f"{SVG}use"))
            assert len(tiles) == 1, "no worker's shape beside the goods"
            x, y = (float(tiles[0].get(name)) for name in ("x", "y"))
            plaque = labels[f"{cell} crane: {crane}"]
            for name, middle, size in zip("xy", (x, y), PLAQUE, strict=True):
                assert abs(float(plaque.get(name)) - middle) >= (CELL + size) / 2


def on_the_table(position, actions):
    """Return the actions that have a place in the drawing."""
    rules, player = position.game.rules, position.player
    view = rules.view(position, player)
    return [a for a in actions if not rules.places(view, a, player)[0].startswith("choice ")]


@pytest.mark.slow
@parametrized
def test_panels_are_as_high_in_every_state_of_the_game(name, players):
    heights = {}
    for position, _, drawing in marked(name, players, NARROW):
        assert "choice " not in drawing, position
        for panel in ET.fromstring(drawing).iter(f"{SVG}g"):
            if panel.get("data-panel"):
                key = re.sub(r"\d", "", panel.get("data-panel"))
                heights.setdefault(key, set()).add(panel.get("data-height"))
    assert heights.pop("state of the game")  # not part of the page's board
    assert {key: sizes for key, sizes in heights.items() if len(sizes) > 1} == {}


TOUCH = 33.4  # units; 32 pixels if the board is 384 pixels wide


@pytest.mark.slow
@parametrized
def test_places_are_large_enough_for_a_finger(name, players):
    for _, _, drawing in marked(name, players):
        for piece in ET.fromstring(drawing).iter(f"{SVG}g"):
            if piece.get("role") == "button":
                sides = [float(piece[0].get(side)) for side in ("width", "height")]
                assert min(sides) >= TOUCH, piece.get("data-place")


@pytest.mark.slow
@parametrized
def test_every_legal_action_can_be_clicked(name, players):
    for position, _, drawing in marked(name, players):
        placed = on_the_table(position, position.legal())
        root = ET.fromstring(drawing)
        assert root.get("role") == ("group" if position.legal() else "img")
        places = {e.get("data-place"): e for e in root.iter() if e.get("data-place")}
        results = [e for e in places.values() if e.get("role") == "button"]
        single = {e.get("data-action") for e in results} - {None}
        many = sum(int(e.get("data-choices", 0)) for e in results)
        assert single <= set(placed)
        assert len(single) + many == len(placed)
        # Places to click are outlined even when the pointer is not over them.
        assert len(re.findall(r'class="\wlg"', drawing)) == len(results)
        assert all(list(e) or e.tag in (f"{SVG}use", f"{SVG}rect") for e in results)


def framed_panels(drawing):
    """Return the panels of a drawing that are framed, and those with something to click."""
    panels = [e for e in ET.fromstring(drawing).iter(f"{SVG}g") if e.get("data-panel")]
    framed = [e.get("data-panel") for e in panels if e[0].get("class").endswith("a")]
    buttons = [e for e in panels if any(one.get("role") == "button" for one in e.iter())]
    return framed, [e.get("data-panel") for e in buttons]


@pytest.mark.slow
@parametrized
def test_the_panels_with_something_to_choose_are_framed(name, players):
    elsewhere = 0
    for position, _, drawing in marked(name, players):
        if position.player is None:
            continue
        own = f"board of player {position.player}"
        framed, clickable = framed_panels(drawing)
        assert framed == clickable
        elsewhere += own not in framed
        assert framed_panels(picture(position, None)) == ([own], [])
    assert elsewhere


def test_no_place_to_click_leaves_its_panel():
    def count_markers(position):
        pending = position.view(0)["to_decide"]
        return len(pending["markers_in_hand"]) if pending["decision"] == "drop" else 0

    walked = [one for one, _ in positions("trajan", 4, 1) if one.player is not None]
    position = max(walked, key=count_markers)
    assert count_markers(position) == 11
    root = ET.fromstring(picture(position, position.player, legal=position.legal()))
    areas = [e[0] for e in root.iter(f"{SVG}g") if e.get("data-action")]
    assert len(areas) == len(position.legal())
    for area in areas:
        assert float(area.get("x")) + float(area.get("width")) <= PANEL - PAD


@pytest.mark.slow
@parametrized
def test_suggestions_are_marked_best_first(name, players):
    for position, suggested, drawing in marked(name, players):
        # There is a badge in the list and, if the move has a place, another one on the board.
        for rank, action in enumerate(suggested, start=1):
            badges = 1 + bool(on_the_table(position, [action]))
            assert len(re.findall(rf'class="\wn">{rank}</text>', drawing)) >= badges


@pytest.mark.long
@parametrized
def test_the_last_move_is_marked(name, players):
    frame = re.compile(r'class="\wls"')
    for position, last in positions(name, players, 1 if players == 2 else 8):
        if last and not {last[1], last[1].split()[0]} & {*WITHOUT_TRACE[name]}:
            drawing = picture(position, None, last=last)
            assert_small_and_valid(name, drawing)
            assert len(frame.findall(drawing)) >= 2, last


def test_the_mark_of_a_taken_trajan_tile_is_at_its_slot():
    view = trajan_boards.at_action(trajan_boards.board(), "trajan")
    for old, places in (("cards2-blue-white", ["slot 0 I"]), ("points-blue-white", ["slots 0"])):
        view["players"][0]["slots"] = {"II": old}
        before = trajan_boards.position(view)
        after = before.after("tile points").view(0)
        assert trajan_picture.traces(after, ["tile points"], 0) == places
        detailed = trajan_words.detail("tile points", lambda before=before: before.view(0))
        assert trajan_picture.traces(after, [detailed], 0) == ["slot 0 I"]


def test_the_last_move_is_marked_at_the_new_piece_and_not_where_it_came_from():
    kinds = {
        "senate": "disc {player}",
        "forum": "tile {player} {name}",
        "march": "leader {player}",
        "deploy": "legionnaire {player} {leader}",
        "build": "worker {player} {name}",
        "tile": "slot {player} {arch}",
        "play": "display {player} {name}",
        "plus2": "plus2 {player} {name}",
        "sow": "tray {player} {target}",
    }
    verbs = set()
    for name in ("trajan_2p", "trajan_3p"):
        record = records.read(GOLDEN / f"{name}.jsonl")[0]
        for before, (player, action) in zip(
            records.positions(record), record["actions"], strict=False
        ):
            kind, *rest = action.split()
            events = {event.name for event in before.events(action, player)}
            if kind not in kinds or "count_votes" in events:  # counting votes clears the board
                continue
            look, after = before.view(player), before.after(action).view(player)
            detailed = trajan_words.detail(action, lambda look=look: look)
            places = trajan_picture.traces(after, [detailed], player)
            expected = kinds[kind].format(
                player=player,
                name="".join(rest),
                arch=look["players"][player]["arch"],
                leader=look["players"][player]["leader"],
                target=detailed.split()[-1],
            )
            assert places == [expected], detailed
            drawing = before.game.rules.picture(after)
            assert re.search(f'data-(place|part)="{expected}"', drawing), detailed
            verbs.add(kind)
    assert verbs >= {*kinds} - {"play"}


def test_a_sown_tray_is_marked_where_the_last_marker_falls():
    view = trajan_boards.board()
    view["players"][0]["trays"] |= {"V": ["white", "yellow"], "VI": ["white", "yellow"]}
    before = trajan_boards.position(view)
    sown = trajan_words.detail("sow VI", lambda: before.view(0))
    assert sown == "sow VI II"
    middle = before.after("sow VI")
    dropped = trajan_words.detail("drop white", lambda: middle.view(0))
    assert dropped == "drop white I yellow II"  # the last marker has no choice
    after = middle.after("drop white").view(0)
    assert trajan_picture.traces(after, [sown, dropped], 0) == ["tray 0 II"]
    assert trajan_picture.traces(after, [dropped], 0) == ["tray 0 II"]
    assert trajan_words.sentence(sown) == "sows tray VI, last marker into tray II: forum"
    assert trajan_words.phrase(sown) == "sow tray VI to II (forum)"
    assert trajan_words.sentence(dropped) == "white into I, yellow into II"


TOUCHING = 2  # units by which an estimated width may be too large
SIZES = {"x": HEAD, "l": FIGURE, "h": HEAD}


def extent(element, inherited=""):
    classes = {name[1:] for name in element.get("class", inherited).split()}
    size = max([SIZES[name] for name in classes & set(SIZES)], default=TEXT)
    width = float(element.get("textLength") or text_width(element.text or "", size))
    x = float(element.get("x"))
    if classes & {"m", "n"}:
        return x - width / 2, x + width / 2
    return (x - width, x) if "e" in classes else (x, x + width)


@pytest.mark.slow
@parametrized
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_text_leaves_its_panel(name, players, width):
    for _, _, drawing in marked(name, players, width):
        for panel in ET.fromstring(drawing).iter(f"{SVG}g"):
            if panel.get("role") == "group":
                for element in panel.iter(f"{SVG}text"):
                    for one in list(element) or [element]:
                        left, right = extent(one, element.get("class", ""))
                        assert left >= 0, one.text
                        assert right <= PANEL, one.text


@pytest.mark.slow
@parametrized
@pytest.mark.parametrize("language", ["en", "de"])
def test_texts_on_one_line_do_not_overlap(name, players, language):
    with languages.use_language(language):
        for position, last in positions(name, players):
            drawing = ET.fromstring(picture(position, position.player, last=last))
            for group in drawing.iter(f"{SVG}g"):
                lines = {}
                for text in group.findall(f"{SVG}text"):
                    if text.get("x"):  # neither printed texts nor texts with parts
                        lines.setdefault(text.get("y"), []).append((*extent(text), text.text))
                for line in lines.values():
                    for (_, right, one), (left, _, other) in pairwise(sorted(line)):
                        assert right <= left + TOUCHING, (one, other)


@parametrized
def test_on_a_phone_the_table_is_one_column(name, players):
    position, _ = positions(name, players)[0]
    wide, narrow = (ET.fromstring(picture(position, 0, width=w)) for w in (1200, 400))
    assert wide.get("viewBox").split()[2] == str(WIDE)
    assert narrow.get("viewBox").split()[2] == str(NARROW)
    lefts = {
        g.get("transform").split()[0] for g in narrow.iter(f"{SVG}g") if g.get("role") == "group"
    }
    assert lefts == {"translate(5"}
    labels = [
        sorted(g.get("aria-label") for g in root.iter() if g.get("aria-label"))
        for root in (wide, narrow)
    ]
    assert labels[0] == labels[1]


@pytest.mark.slow
def test_drawings_in_one_page_share_names_only_for_the_same_things():
    meanings = {}
    for name in GAMES:
        for players in (2, 3, 4):
            for _, _, _, drawing in drawings(name, players):
                style = re.search(r"<style>(.*?)</style>", drawing, re.S)[1]
                assert meanings.setdefault(("style", name), style) == style
                definitions = re.search(r"<defs>(.*)</defs>", drawing, re.S)[1]
                for one in re.split(r'(?=<g id=")', definitions)[1:]:
                    key = re.match(r'<g id="([^"]+)"', one)[1]
                    assert meanings.setdefault(key, one) == one
    styles = [meanings["style", name] for name in GAMES]
    classes = [set(re.findall(r"\.(\w+)[,{]", style)) for style in styles]
    assert not classes[0] & classes[1]


@pytest.mark.parametrize("symbols", [MARKERS, GOODS, WORKERS, MOSAIC, PLAYER_TOKENS, BUILDINGS])
def test_no_two_pieces_differ_by_colour_alone(symbols):
    uncoloured = {
        re.sub(r"(fill|stroke)=\"[^\"]*\"|(fill|stroke):[^;\"]*", "", drawing)
        for drawing in symbols.values()
    }
    assert len(uncoloured) == len(symbols)


def test_only_yellow_pieces_are_stars():
    """An outline of straight lines with ten corners or more counts as a star."""
    for drawings, yellow in ((TRAJAN_DRAWINGS, {"yellow"}), (DRAWINGS, {"yellow", "anyworker"})):
        stars = {
            name
            for name, drawing in drawings.items()
            for path in re.findall(r'd="(M[\d .-]+L[\d .-]+z)"', drawing)
            if len(re.findall(r"-?[\d.]+", path)) >= 20
        }
        assert stars == yellow


def test_the_key_of_the_forum_names_every_symbol_of_tiles_tracks_and_boards_once():
    position, _ = positions("forum_trajanum", 2)[0]
    drawing = ET.fromstring(picture(position, 0))
    key = drawing.find(f".//{SVG}g[@data-panel='Key']")
    listed = {use.get("href")[2:] for use in key.iter(f"{SVG}use")}
    names = {name: f"{i:x}" for i, name in enumerate(DRAWINGS)}
    rewards = {name for steps in forum_picture.REWARDS.values() for one in steps for name in one}
    used = {*ICONS, *CLASSES, *rewards, "crane", "cypress-row", "bust"}
    assert {name for name in used if names[name] not in listed} == set()
    texts = [text.text for text in key.findall(f"{SVG}text")]
    assert len(texts) == len({*texts})


def test_no_symbol_of_the_forum_stands_for_two_things():
    drawings = [DRAWINGS[name] for name in (*ICONS, *CLASSES, "building-action", "tile", "envoy")]
    assert len(drawings) == len({*drawings})
    forum_rules = trajan_ai.game("forum_trajanum").rules
    rows = [row for rows in read_yaml(forum_rules.overview).data.values() for row in rows.values()]
    assert [topic for topic, *symbols in rows if "laurel" in symbols] == ["bonus"]


def tokens(piece):
    """Return the positions of the players' tokens on a piece of a drawing."""
    uses = [one for one in piece.iter(f"{SVG}use") if one.get("href") in TOKENS]
    return [(float(one.get("x")), float(one.get("y"))) for one in uses]


TOKENS = {f"#{game[0].upper()}{i:x}" for game in GAMES for i in range(len(PLAYER_TOKENS))}
COVERED = 4  # units by which a neighbour may cover a token, which is 20 units wide


def assert_no_token_is_covered(piece, count):
    places = tokens(piece)
    assert len(places) == count
    for (x, y), (left, top) in combinations(places, 2):
        assert math.hypot(x - left, y - top) >= 20 - COVERED


def test_leaders_and_legionnaires_of_all_players_have_room_in_a_province():
    position, _ = positions("trajan", 4)[0]
    view = position.game.rules.view(position, None)
    boards = [
        {**board, "leader": "noricum", "legionnaires": ["noricum"]} for board in view["players"]
    ]
    drawing = ET.fromstring(position.game.rules.picture({**view, "players": boards}))
    (province,) = drawing.findall(f".//{SVG}g[@data-place='province noricum']")
    assert_no_token_is_covered(province, 8)


@pytest.mark.parametrize("votes", [0, 5, 8])
def test_discs_of_all_players_have_room_on_a_step_of_the_senate(votes):
    position, _ = positions("trajan", 4)[0]
    view = position.game.rules.view(position, None)
    boards = [{**board, "senate": votes} for board in view["players"]]
    drawing = ET.fromstring(position.game.rules.picture({**view, "players": boards}))
    (place,) = drawing.findall(f".//{SVG}g[@data-place='senate {votes}']")
    assert_no_token_is_covered(place, 4)


def test_the_bonus_tile_for_workers_counts_each_of_them():
    """Rules, 8.5: the tile scores VP for every worker if its gold side is up, and half as many if
    its silver side is up."""
    view = trajan_boards.board() | {"bonus_offer": ["bonus-workers", "bonus-legions"]}
    drawn = picture(trajan_boards.position(view), 0)
    texts = {
        place: "".join(piece.itertext())
        for place in ("offer bonus-workers", "offer bonus-legions")
        for piece in ET.fromstring(drawn).iter()
        if piece.get("data-place") == place
    }
    assert "1×" in texts["offer bonus-workers"]
    assert "2×" in texts["offer bonus-legions"]
    panel = trajan_picture.Panel("", None)
    trajan_picture._bonus_tile(panel, "bonus-workers", False, 0, 0)
    assert "½×" in "".join(panel.parts)


@pytest.mark.parametrize("language", languages.list_languages())
def test_bonus_tiles_on_offer_and_the_names_of_figures_have_their_full_size(language):
    position = next(one for one, _ in positions("trajan", 2) if one.view(0)["bonus_offer"])
    with languages.use_language(language):
        drawing = ET.fromstring(picture(position, None))
    by_place = {one.get("data-place", ""): one for one in drawing.iter()}
    offers = [one for place, one in by_place.items() if place.startswith("offer ")]
    camps = [one for place, one in by_place.items() if place.startswith("camp ")]
    assert len(offers) == 2
    assert len(camps) == 6
    for offer in offers:
        assert not [one for one in offer.iter(f"{SVG}use") if one.get("transform")], "smaller"
    assert not [text for one in camps for text in one.iter() if text.get("textLength")], "squeezed"


@pytest.mark.parametrize(("players", "step"), [(4, 0), (3, 1), (4, 1), (4, 4)])
def test_markers_have_room_on_a_step_of_a_reward_track(players, step):
    position, _ = positions("forum_trajanum", players)[0]
    view = position.game.rules.view(position, None)
    built = dict.fromkeys(["A2", "A3", "A4", "A5"][:step], "market")
    boards = [{**board, "buildings": built} for board in view["players"]]
    drawing = ET.fromstring(position.game.rules.picture({**view, "players": boards}))
    (place,) = drawing.findall(f".//{SVG}g[@data-place='track market {step}']")
    assert_no_token_is_covered(place, players)


def test_buildings_are_houses_on_plots_and_structures_show_their_colour():
    outlines = {name: re.findall(r' d="([^"]+)"', one) for name, one in BUILDINGS.items()}
    assert {*outlines} == {*GREYS, *STRUCTURES}
    assert len({"".join(parts) for parts in outlines.values()}) == len(outlines)  # without plots
    for name, drawing in BUILDINGS.items():
        assert drawing.startswith('<use href="#plot"')
        colour = dict(zip(STRUCTURES, COLOURS, strict=True)).get(name)
        assert re.findall(r'href="#m-(\w+)"', drawing) == ([colour] if colour else [])
        if colour:
            worker = re.search(r'fill="(#\w+)"', WORKERS[colour])[1]
            assert worker in drawing.partition("<g")[2]


def test_a_game_without_a_picture_is_reported():
    position = NIM.start(2)
    with pytest.raises(TrajanError, match="nim: this game has no picture"):
        needed(position.game, HasPicture)
    text = re.fullmatch("<pre>(.*)</pre>", position._repr_html_(), re.DOTALL)[1]
    assert html.unescape(text) == str(position)


@pytest.mark.parametrize("name", GAMES)
def test_notebooks_show_the_view_of_the_player_to_move(name):
    for place in (3, -1):  # in the last position the game is over and all cards are face up
        position, _ = positions(name, 2)[place]
        style, alt, source = re.fullmatch(
            r'<img style="(.*?)" alt="(.*?)" src="data:image/svg\+xml;base64,(.*)">',
            position._repr_html_(),
            re.DOTALL,
        ).groups()
        assert "max-width: 100%" in style
        board = position.game.rules.draw(position, position.player)
        assert html.unescape(alt) == str(position) == board
        assert base64.b64decode(source).decode() == picture(position, position.player)


def test_rows_and_columns_of_the_forum_have_the_numbers_that_moves_name():
    view = trajan_ai.game("forum_trajanum").start(4, 1).view(0)
    drawing = ET.fromstring(forum_picture.draw(view))
    panel = drawing.find(f".//{SVG}g[@data-panel='Forum']")
    title, *numbers = [text for one in panel.findall(f"{SVG}text") for text in one.itertext()]
    assert title == "Forum"
    assert numbers == [*map(str, range(1, 10)), *map(str, range(1, 9))]


@pytest.mark.needs("matplotlib", "resvg_py")
def test_a_drawing_becomes_a_png():
    position, _ = positions("trajan", 2)[1]
    image = png(picture(position, 0), 300)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20], "big") == 300


def test_a_png_needs_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(TrajanError, match=r"pip install 'trajan-ai\[pictures\]'"):
        png("<svg/>", 100)


@parametrized
@pytest.mark.parametrize("width", [60, 80, 99, 140])
def test_a_text_board_fits_the_terminal(name, players, width):
    for position, _ in positions(name, players):
        rules = position.game.rules
        plain = rules.draw(position, 0, width=width)
        coloured = rules.draw(position, 0, width=width, colour=True)
        assert max(map(len, plain.splitlines())) <= width
        assert "\x1b" not in plain
        assert max(map(text_layout.length, coloured.splitlines())) <= width
        bare = text_layout._ESCAPE.sub("", coloured)
        assert re.sub(r"\s+", "", bare) == re.sub(r"\s+", "", plain)


class Terminal:
    def __init__(self, terminal=True):
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def test_colours_need_a_terminal_and_no_NO_COLOR(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert text_layout.wants_colour(Terminal())
    assert not text_layout.wants_colour(Terminal(False))
    monkeypatch.setenv("TERM", "dumb")
    assert not text_layout.wants_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not text_layout.wants_colour(Terminal())


def test_a_board_is_as_wide_as_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    assert text_layout.columns(Terminal(), 99) == 72
    assert text_layout.columns(Terminal(False), 99) == 99


def board(*arguments):
    return main(["board", *map(str, arguments)])


RECORD = GOLDEN / "trajan_3p.jsonl"


def test_board_draws_a_position_of_a_record(tmp_path):
    out = tmp_path / "board.svg"
    assert board(RECORD, "--ply", 150, "--view", 2, "--out", out, "--width", 400) == 0
    root = ET.parse(out).getroot()
    assert root.get("width") == "400"
    assert "Last: player 1: sow tray V" in out.read_text()
    assert "seen by player 2" in out.read_text()


def test_board_marks_suggestions(tmp_path):
    out = tmp_path / "board.svg"
    assert board(RECORD, "--ply", 150, "--suggest", "0.05", "--out", out) == 0
    assert '"Tsg"' in out.read_text() or "#Tsg" in out.read_text()


def test_board_shows_the_view_of_a_position_file(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    assert main(["position", str(RECORD), "--ply", "150", "--out", str(file)]) == 0
    out = tmp_path / "board.svg"
    assert board(file, "--out", out) == 0
    assert "seen by player 1" in out.read_text()
    assert board(file, "--view", "open", "--out", out) == 2
    assert "only what that player knows" in capsys.readouterr().err
    assert board(file, "--ply", "3", "--out", out) == 2
