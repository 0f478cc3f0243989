"""Trajan cards: building and collecting tasks (rules, A10)."""

from importlib import resources
from types import SimpleNamespace

import pytest
import slow_forum
from forum_trajanum_boards import FIVE_ROUNDS, cranes, scoring
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.notation import BOARD_CELLS, BUILDINGS, GREYS, STRUCTURES

PHASES = {1: (1, 0), 2: (5, 1), 3: (9, 2)}


def trajan(card, option="cells", **first):
    """VP of a card with the bust at 3."""
    phase = 1 + (card - 25) // 4
    numbers = [25, 29, 33]
    numbers[phase - 1] = card
    count = 4 * phase - 3
    cards = (["b1", "b2", "b3", "b4", "b5", "b6", "w1", "w2", "w3", "w4", "w5", "w6"] * 2)[
        : 2 * count
    ]
    table = {"round": count, "street_cards": cards, "options": {"task_match": option}}
    return scoring(first, trajan_cards=numbers, **table)["trajan"]


def greys(*cells):
    return dict.fromkeys(cells, "market")


def coloured(*cells):
    return dict.fromkeys(cells, "park")


@pytest.mark.parametrize(
    ("card", "buildings", "copies"),
    [
        (25, {**greys("B1", "D1"), **coloured("C1")}, 1),
        (25, {**greys("A3", "C3"), **coloured("B3")}, 1),
        (25, {**greys("B1", "D1"), **coloured("C1", "E1")}, 1),
        (25, {**greys("A2", "A4"), **coloured("A3")}, 0),
        (26, {**greys("C1"), **coloured("C3")}, 1),
        (26, {**greys("C1"), **coloured("D3")}, 0),
        (27, {"A2": "market", "A3": "column"}, 1),
        (27, {"A2": "market", "A3": "market"}, 0),
        (27, {"A2": "market", "A3": "column", "A4": "library"}, 1),
        (27, {"A2": "market", "A3": "column", "A4": "library", "A5": "market"}, 2),
        (28, greys("B1", "A2"), 1),
        (28, greys("B1", "A2", "E6", "F5"), 2),
        (29, greys("E1", "D1", "D2", "E2"), 1),
        (29, greys("D1", "E1", "D2", "E2", "F2", "F3", "E4", "F4"), 1),
        (29, greys("A5", "B5", "B6", "C5", "C6", "E5", "E6", "F5", "F4", "E4"), 2),
        (30, {**coloured("A2", "A4"), **greys("A3")}, 1),
        (31, {"B1": "park", "C1": "house", "D1": "stable", "F5": "fountain"}, 1),
        (31, {"B1": "park", "C1": "house", "D1": "stable", "F5": "park"}, 0),
        (32, {**greys("A2", "A4"), **coloured("A3")}, 1),
        (33, {**coloured("A2", "A5"), **greys("A3", "A4")}, 1),
        (34, {"A2": "park", "A3": "house", "A4": "stable"}, 1),
        (34, {"A2": "park", "A3": "house", "A4": "park"}, 0),
        (35, coloured("B1", "D1", "B3", "D3"), 1),
        (36, {"A2": "market", "A3": "column", "A4": "library"}, 1),
        (36, {"A2": "market", "A3": "column", "A5": "library"}, 0),
    ],
)
def test_building_tasks(card, buildings, copies):
    """A10: cells (ruling 22), each in at most one copy of the task."""
    assert trajan(card, buildings=buildings, resources={"builder": 1}) == 3 * copies


@pytest.mark.parametrize(
    ("card", "first", "copies"),
    [
        (25, {"resources": {"tribune": 2, "coin": 3}}, 2),
        (26, {"citizens": {"1": 2, "2": 2}, "ship": 5}, 0),
        (26, {"citizens": {"1": 2, "3": 1, "5": 1}, "ship": 5}, 2),
        (26, {"citizens": {"1": 2, "3": 1}, "ship": 5}, 1),
        (27, {"resources": {"assistant": 5, "coin": 2}}, 2),
        (28, {"resources": {"builder": 1, "red": 1, "assistant": 1}}, 1),
        (29, {"resources": {"assistant": 2, "coin": 4}}, 2),
        (30, {"resources": {"tribune": 1, "builder": 1, "assistant": 1}}, 1),
        (33, {"citizens": {"1": 1, "3": 1, "5": 2}}, 1),
        (35, {"resources": {"red": 2, "blue": 1}, "cranes": cranes(), "face_up": {}}, 1),
        (35, {"resources": {"red": 3}, "cranes": cranes(), "face_up": {}}, 0),
        (35, {"resources": {"red": 2, "blue": 2}, "cranes": cranes(), "face_up": {}}, 2),
    ],
)
def test_collecting_tasks(card, first, copies):
    """A10: nothing is spent; two classes and two colours by their formula."""
    resources = {"builder": 1} if card != 30 else {}
    first = {"resources": resources, **first}
    assert trajan(card, **first) == 3 * copies


def test_a_card_needs_the_marker_at_the_column():
    """Card 36: the fourth building of a track brings the marker there."""
    first = {"resources": {"assistant": 1, "coin": 1, "builder": 1}}
    three = {**first, "buildings": greys("B1", "D1", "A2")}
    four = {**first, "buildings": greys("B1", "D1", "A2", "E6")}
    assert (trajan(36, **three), trajan(36, **four)) == (0, 3)


def test_completing_a_track_is_no_column_in_the_colonia():
    """Ruling 31: columns demanded by a card are buildings."""
    basilicas = dict.fromkeys(["B1", "C1", "D1", "E1"], "basilica")
    table = {"trajan_cards": [25, 31, 33], "round": 5, "street_cards": FIVE_ROUNDS}
    first = {"buildings": basilicas, "resources": {"blue": 1, "builder": 1}}
    assert scoring(first, **table)["trajan"] == 0
    columns = {"buildings": {"B1": "column", "E6": "column"}, "resources": {"blue": 1}}
    assert scoring(columns, **table)["trajan"] == 3


def test_the_bust_gives_the_value():
    """A8 4: 3, 5 or 7 by the slider."""
    first = {"resources": {"tribune": 1, "coin": 1}}
    assert [scoring({**first, "slider": u})["trajan"] for u in (0, 1, 2, 3, 4, 6)] == [
        3,
        3,
        5,
        5,
        7,
        7,
    ]


def copies(card, option, buildings, doubles=()):
    """Copies of the building task of a card; nothing is there to collect."""
    return trajan(card, option, buildings=buildings, doubles=list(doubles)) // 3


def test_a_double_serves_one_copy_by_option():
    """Ruling 22: with `tiles` two copies may not use the two halves of one double."""
    columns = {**greys("A2", "A4", "B1"), **coloured("A3", "B2"), "B3": "column"}
    halves = [["A3", "B3"]]
    assert copies(32, "cells", columns, halves) == 2
    assert copies(32, "tiles", columns, halves) == 1
    assert copies(32, "tiles", columns) == 2


def test_one_copy_may_use_both_halves_of_a_double():
    """A10."""
    row = {**greys("A3", "C3"), **coloured("B3")}
    row["A3"] = "column"
    assert copies(25, "tiles", row, [["A3", "B3"]]) == 1


def test_four_colours_count_tiles_by_option():
    """A10: two parks of one tile are one."""
    singles = {"E1": "house", "E2": "house", "F2": "stable", "F3": "stable", "A2": "fountain"}
    buildings = {**coloured("B1", "C1"), **singles, "A3": "fountain"}
    assert copies(31, "cells", buildings, [["B1", "C1"]]) == 2
    assert copies(31, "tiles", buildings, [["B1", "C1"]]) == 1


@pytest.mark.parametrize(
    ("cells", "copies"),
    [("A2 B2 A3 B3 C3 B4 C4", 1), ("B3 C3 A4 B4 C4 A5 B5", 1), ("A2 B2 A3 B3 C3 D3 C4 D4", 2)],
)
def test_squares_that_overlap_at_a_corner_are_one(tmp_path, monkeypatch, cells, copies):
    """With other temples; on the boards of the package no two squares do so."""
    text = resources.files("trajan_ai.forum_trajanum.sets").joinpath("recon-1.yaml").read_text()
    text = text.replace("name: recon-1", "name: open-middle")
    text = text.replace("[[1, 2], [2, 4], [3, 1], [4, 3]]", "[[1, 2], [1, 3], [4, 2], [4, 3]]")
    (tmp_path / "open-middle.yaml").write_text(text)
    monkeypatch.setenv("TRAJAN_AI_COMPONENTS", str(tmp_path))
    table = {"components": "open-middle", "trajan_cards": [25, 29, 33], "round": 5}
    found = scoring({"buildings": greys(*cells.split())}, street_cards=FIVE_ROUNDS, **table)
    assert found["trajan"] == 3 * copies


# --- every pattern against the slow reference ---------------------------------------------------

PLAIN = [BOARD_CELLS[cell] for cell in load("recon-1").plain]
PAIRED = dict(zip(STRUCTURES, (GREYS[grey] for grey in load("recon-1").grey_of), strict=True))


def cell(name, right=0, down=0):
    """The cell so far to the right and down."""
    return f"{chr(ord(name[0]) + right)}{int(name[1]) + down}"


def expected_copies(card, option, buildings, doubles):
    player, halves = slow_forum.Player("A"), {half for pair in doubles for half in pair}
    singles = [[one] for one in buildings if one not in halves]
    player.built = {slow_forum.cell_of(one): name for one, name in buildings.items()}
    player.laid = [tuple(map(slow_forum.cell_of, tile)) for tile in [*singles, *doubles]]
    game = SimpleNamespace(options={"task_match": option})
    return slow_forum.Game.building_copies(game, player, card)


@st.composite
def boards(draw):
    """Buildings on some plain cells, and the doubles among them."""
    free = draw(st.permutations(PLAIN))[: draw(st.integers(0, len(PLAIN)))]
    buildings, doubles = {}, []
    for one in free:
        other = cell(one, *draw(st.sampled_from([(1, 0), (0, 1)])))
        colour = draw(st.sampled_from(STRUCTURES))
        if one in buildings:
            continue
        if other in free and other not in buildings and draw(st.booleans()):
            buildings |= {one: draw(st.sampled_from([colour, PAIRED[colour]])), other: colour}
            doubles.append([one, other])
        else:
            buildings[one] = draw(st.sampled_from(BUILDINGS))
    return buildings, doubles


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(boards(), st.sampled_from(range(25, 37)), st.sampled_from(["cells", "tiles"]))
def test_copies_are_the_most_disjoint_matches(board, card, option):
    """A10: exact, for cells and for tiles."""
    buildings, doubles = board
    assert copies(card, option, buildings, doubles) == expected_copies(
        card, option, buildings, doubles
    )
