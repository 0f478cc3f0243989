"""Rare rules of Forum Trajanum, and examples printed in the rulebook."""

from importlib import resources
from types import SimpleNamespace

import pytest
import slow_forum
import yaml
from calls import played
from forum_trajanum_boards import EVERY_ROUND, FIVE_ROUNDS, built, cranes, place, scoring
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.games.forum_trajanum import GAME
from trajan_ai.games.forum_trajanum.components import HERE, choose, load
from trajan_ai.games.forum_trajanum.notation import (
    BOARD_CELLS,
    BUILDINGS,
    GREYS,
    RESOURCES,
    STRUCTURES,
)  # fmt: skip
from trajan_ai.games.forum_trajanum.rules import list_arrangements
from trajan_ai.testing.probe import Probe


def test_building_tiles_are_limited_with_the_option():
    """A12.21: each colour has 14 single and 12 double tiles, counting both sides."""
    none = {"singles": {"green": 0, "blue": 1}, "doubles": {"blue": 1}}
    first = {"resources": {"builder": 1, "green": 2, "blue": 2}}
    position = place(first, options={"limited_tiles": True}, building_tiles=none)
    names = {action.split()[1] for action in built(position, "build")}
    assert names == {"library", "fountain", "library+fountain", "fountain+fountain"}
    after = played(position, "build fountain B1")
    assert after.view(0)["building_tiles"]["singles"]["blue"] == 0


def test_double_tiles_replace_missing_single_ones():
    """Playouts and forced moves count the remaining tiles in the same way as the list of moves."""
    colours = ("blue", "green", "red", "yellow")
    left = {"singles": dict.fromkeys(colours, 0), "doubles": dict.fromkeys(colours, 5)}
    first = {"resources": {"builder": 1, "green": 2, "blue": 2}}
    position = place(first, options={"limited_tiles": True}, building_tiles=left)
    assert built(position, "build")
    probe = Probe(GAME)
    for seed in range(20):
        for play in (probe.playout, probe.policy_playout):
            own, loop = (play(position.to_bytes(), seed, 1, 1 << 30, own) for own in (True, False))
            assert own == loop


def test_conversions_are_limited_to_the_turn():
    """A12.10: a nested building action has the same limits as the action around it."""
    basilicas = {"B1": "basilica", "C1": "basilica", "D1": "basilica"}
    first = {
        "resources": {"builder": 2, "assistant": 4, "coin": 1},
        "buildings": basilicas,
        "citizens": {"4": 1, "5": 1, "6": 1},
    }
    position = place(first)
    assert len(built(position, "swap")) == 4
    assert len(built(position, "train")) == 4
    used = played(position, "swap coin tribune", "train blue", "train blue", "promote")
    assert not built(used, "swap", "train", "promote")
    nested = played(used, "build basilica E1", "pay builder", "reward basilica 4")
    assert built(nested, "build")
    assert not built(nested, "swap", "train", "promote")


def test_others_see_which_of_two_equal_cards_was_resolved():
    """A12.2: in an open step 1, the first of two identical cards counts as the resolved one."""
    setup = GAME.start(2, 3).origin[2]
    cards = sorted(card for deck in setup["street_decks"] for card in deck)
    setup["street_decks"] = [cards[:8], cards[8:16], cards[16:]]
    position = GAME.restore(2, setup, step_one="open")
    while position.view(0)["stage"] != "take":
        position = position.after(position.legal()[0])
    after = position.after("take 1 B1")
    assert all(action.startswith("take 2") for action in after.legal())
    assert list_arrangements(after.to_bytes()) == [after.to_bytes()]


def in_open_step_one(cells):
    """Return the first decision of an open step 1, in which player 0 has tiles in two cells."""
    first = {
        "cranes": cranes(),
        "face_up": {},
        "face_down": cells,
        "resources": {"tribune": 2},
        "unseen": {"builder+red": 1, "builder+green": 1},
    }
    decide = {"player": 0, "decision": "take", "open_cards": [1, 2]}
    return place(first, stage="take", options={"step_one": "open"}, to_decide=decide)


@pytest.mark.parametrize(
    ("cells", "skip", "ways"), [(["C3", "D4"], "skip 1", 2), (["C1", "D4"], "skip 2", 1)]
)
def test_others_see_which_card_was_skipped_if_only_one_could_be(cells, skip, ways):
    """A14: a card can be skipped only if the player has no tile in its street. In an open step 1,
    a tile in one street therefore shows the other players that the card of the other street was
    skipped. If the player has no tile in either street, they cannot see which card was skipped."""
    position = in_open_step_one(cells)
    assert len(list_arrangements(position.after(skip).to_bytes())) == ways


@pytest.mark.parametrize(
    ("cells", "visible"), [(["C3", "D4"], "skip 1"), (["C1", "D4"], "skip 2")]
)
def test_others_do_not_see_which_of_two_cards_was_skipped(cells, visible):
    """If both cards may be skipped, skipping the second one looks like skipping the first one, and
    so do the resulting positions."""
    position = in_open_step_one(cells)
    move = GAME.move("skip 2")
    observed = [position.observed(move, observer) for observer in (0, 1)]
    assert [GAME.actions[one] for one in observed] == ["skip 2", visible]
    looks = [position.after(skip).determinized(1, 1) for skip in ("skip 2", visible)]
    assert looks[0] == looks[1]


# ---- Scoring ----------------------------------------------------------------------------------


def test_the_third_scoring_example_scores_54_vp():
    """A8: 3 + 22 + 6 + 9 + 14 = 54 (the printed 6 + 19 = 15 is 6 + 9)."""
    first = {
        "buildings": {
            **dict.fromkeys(["D1", "E1", "D2"], "park"),
            "B1": "market",
            **{"A2": "market", "B2": "market", "F2": "basilica"},
            "F3": "column",
            **{"A4": "column", "F4": "library"},
            **{"A5": "market", "B5": "library", "C5": "basilica", "E5": "column"},
            "B6": "library",
        },
        "cranes": cranes(green="open"),
        "face_up": {},
        "citizens": {"3": 1, "4": 1, "5": 2, "6": 1},
        "inactive": [6],
        "slider": 4,
        "resources": {"assistant": 1, "coin": 1},
        # the cells around the eagle m2.2, and the eagle's cell itself
        "forum": ["m1.1", "m1.2", "m1.3", "m2.1", "m2.2", "m2.3", "m3.2"],
    }
    scores = scoring(first, trajan_cards=[25, 29, 36], round=12, street_cards=EVERY_ROUND)
    assert scores == {"cranes": 3, "colonia": 22, "eagles": 6, "area": 9, "trajan": 14}
    assert sum(scores.values()) == 54


def test_six_envoys_give_six_points_on_the_base_side():
    """A8 3b, B8: the first printed example, with the slider at step 2 of the default track."""
    row = ["m1.1", "m1.2", "m1.3", "m1.4", "m2.4", "m3.4"]
    assert scoring({"forum": row, "slider": 2})["area"] == 6


def test_an_envoy_between_two_eagles_scores_both_or_one_by_option():
    """A12.15: the envoy scores 1 VP for each eagle, or 1 VP in total with the option."""
    # After half a turn, 4a (YYB/EBB/GRR/GGR) has its eagle at m3.3; 1b has its eagle at m3.5.
    mosaic = [[4, "a", 2], [1, "b", 0], [3, "a", 0]]
    scores = scoring({"forum": ["m3.4"]}, mosaic=mosaic)
    assert scores["eagles"] == 2
    once = scoring({"forum": ["m3.4"]}, mosaic=mosaic, options={"eagle_once": True})
    assert once["eagles"] == 1


def test_cranes_scored_now_count_as_used():
    """A12.23: card 32 counts used cranes, including those used in the same scoring."""
    table = {"trajan_cards": [25, 32, 33], "round": 5, "street_cards": FIVE_ROUNDS}
    first = {"face_up": {}, "citizens": {"1": 1, "3": 1}}
    opened = {**first, "cranes": cranes(red="open", blue="open", green="open")}
    assert scoring(opened, **table)["trajan"] == 3
    covered = {"citizens": {"1": 1, "3": 1}}
    assert scoring(covered, **table)["trajan"] == 0


def test_ties_go_by_citizens_then_by_resources():
    """A12.27 states this order."""
    decide = {"player": 0, "decision": "wage 1"}
    table = {"stage": "wages", "round": 12, "street_cards": EVERY_ROUND, "to_decide": decide}
    one = {"citizens": {"1": 1}, "resources": {"coin": 1}}
    position = place(one, {"resources": {"coin": 5}}, trajan_cards=[25, 29, 34], **table)
    assert position.after("wage 1").ranks == [1, 2]
    assert position.after("no wage 1").ranks == [2, 1]
    for resource in RESOURCES:
        equal = place(one, {"resources": {resource: 1}}, trajan_cards=[25, 29, 34], **table)
        assert equal.after("no wage 1").ranks == [1, 1], resource


@pytest.mark.parametrize(("variant", "points"), [("P1", 4), ("P2", 2), ("P3", 4)])
def test_prestige_variants_score_four_envoys_as_printed(variant, points):
    """B8: with the slider at its left end, base side up, four connected envoys score these VP."""
    row = ["m1.1", "m1.2", "m1.3", "m1.4"]
    assert scoring({"forum": row}, options={"prestige": variant})["area"] == points


# ---- Trajan cards -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "copies"),
    [("A2 B2 A3 B3 C3 B4 C4", 1), ("B3 C3 A4 B4 C4 A5 B5", 1), ("A2 B2 A3 B3 C3 D3 C4 D4", 2)],
)
def test_squares_that_overlap_at_a_corner_are_one(tmp_path, monkeypatch, cells, copies):
    """The temples are moved, because no squares on the shipped boards overlap in this way."""
    text = (
        resources.files("trajan_ai.games.forum_trajanum.sets").joinpath("recon-1.yaml").read_text()
    )
    text = text.replace("name: recon-1", "name: open-middle")
    text = text.replace("[[1, 2], [2, 4], [3, 1], [4, 3]]", "[[1, 2], [1, 3], [4, 2], [4, 3]]")
    (tmp_path / "open-middle.yaml").write_text(text)
    monkeypatch.setenv("TRAJAN_AI_COMPONENTS", str(tmp_path))
    table = {"components": "open-middle", "trajan_cards": [25, 29, 33], "round": 5}
    buildings = dict.fromkeys(cells.split(), "market")
    scores = scoring({"buildings": buildings}, street_cards=FIVE_ROUNDS, **table)
    assert scores["trajan"] == 3 * copies


def copies(card, option, buildings, doubles=(), **table):
    """Return how many copies of a card's building task are scored; each of them brings 3 VP."""
    phase = (card - 25) // 4
    numbers = [25, 29, 33]
    numbers[phase] = card
    cards = EVERY_ROUND[: 2 + 8 * phase]
    table |= {"round": 1 + 4 * phase, "street_cards": cards, "options": {"task_match": option}}
    first = {"buildings": buildings, "doubles": list(doubles)}
    return scoring(first, trajan_cards=numbers, **table)["trajan"] // 3


@pytest.mark.parametrize(
    ("card", "pattern", "halves", "cells", "tiles"),
    [
        (31, "park B1 C1 house E1 E2 stable F2 F3 fountain A2 A3", "B1 C1", 2, 1),
        (32, "market A2 A4 B1 park A3 B2 column B3", "A3 B3", 2, 1),
        (32, "market A2 A4 B1 park A3 B2 C3 column B3", "B3 C3", 2, 2),
        (25, "column A3 park B3 market C3", "A3 B3", 1, 1),  # one copy may use both halves
    ],
)
def test_a_double_serves_one_copy_by_option(card, pattern, halves, cells, tiles):
    """A12.22: with the option `tiles`, two copies may not share the halves of a double tile."""
    buildings, name = {}, ""
    for word in pattern.split():
        name = word if word.islower() else name
        buildings |= {} if word.islower() else {word: name}
    assert copies(card, "cells", buildings, [halves.split()]) == cells
    assert copies(card, "tiles", buildings, [halves.split()]) == tiles


def test_matches_of_which_each_excludes_two_others_are_counted_exactly(tmp_path):
    """A column of six cells, which no shipped board has, has four overlapping runs of three."""
    data = yaml.safe_load((HERE / "recon-1.yaml").read_text(encoding="utf-8"))
    data["name"], data["colonia"]["temples"] = "tall", [[1, 2], [2, 4], [3, 1], [3, 2]]
    path = tmp_path / "tall.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    colours = STRUCTURES[:3] * 2
    column = {f"D{row}": colour for row, colour in enumerate(colours, start=1)}
    alone = {f"B{row}": colour for row, colour in enumerate(colours[:3], start=1)}
    choose(str(path))
    counts = [copies(34, "cells", one, components="tall") for one in (column, column | alone)]
    assert counts == [2, 3]


PLAIN = [BOARD_CELLS[cell] for cell in load("recon-1").plain]
PAIRED = dict(zip(STRUCTURES, (GREYS[grey] for grey in load("recon-1").grey_of), strict=True))


def cell(name, right=0, down=0):
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
    free = draw(st.permutations(PLAIN))[: draw(st.integers(len(PLAIN) // 2, len(PLAIN)))]
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
@settings(max_examples=25, deadline=None)
@given(boards(), st.sampled_from(["cells", "tiles"]))
def test_copies_are_the_most_disjoint_matches(board, option):
    """A10: copies of every card are counted exactly, with the options `cells` and `tiles`."""
    for card in range(25, 37):
        assert copies(card, option, *board) == expected_copies(card, option, *board), card
