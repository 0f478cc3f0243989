"""The features for learners contain the same information as the views, in numbers."""

from collections import Counter
from functools import lru_cache

import pytest
from random_games import positions

import trajan_ai
from trajan_ai import TrajanError
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.games.reference import KUHN

NO_SCORE = 64  # the feature of a score of 0; every score is increased by it
SEATS = ("own", "next", "third", "fourth")


def name_features(position, player):
    names = [feature.name for feature in position.game.rules.features(position.players)]
    return dict(zip(names, position.features(player), strict=True))


def counts(features, name, things):
    """Return the positive features below a name as a mapping, like those in a view."""
    return {thing: features[f"{name}.{thing}"] for thing in things if features[f"{name}.{thing}"]}


@lru_cache
def below(names):
    """Return, for each name such as ``own.hand``, the last parts and full names of those below
    it."""
    children = {}
    for name in names:
        above, _, last = name.rpartition(".")
        children.setdefault(above, []).append((last, name))
    return children


def members(features, name):
    """Return the last parts of those names below `name` that have the value 1."""
    return [last for last, full in below(tuple(features))[name] if features[full] == 1]


def compare_trajan(position, player, features):
    view = position.view(player)
    visible = Counter(good for pile in view["discard_piles"].values() for good in pile)
    for place, seat in enumerate(SEATS[: position.players]):
        board = view["players"][(player + place) % position.players]
        hand = board["hand"] if place == 0 else board["known_cards"]
        goods = [name.rpartition(".")[2] for name in features if name.startswith("unseen.")]
        assert features[f"{seat}.score"] == board["score"] + NO_SCORE
        assert counts(features, f"{seat}.hand", goods) == hand
        for good in goods:
            visible[good] += hand.get(good, 0) + board["display"].get(good, 0)
        assert counts(features, f"{seat}.display", goods) == board["display"]
        assert features[f"{seat}.hand_size"] == board["hand_size"]
        for name in ("legionnaires", "workers", "buildings", "gold_bonus", "plus2"):
            assert members(features, f"{seat}.{name}") == board[name]
        for name in ("leader", "senate"):
            assert members(features, f"{seat}.{name}") == [str(board[name])]
        for tray, markers in board["trays"].items():
            colours = {colour: markers.count(colour) for colour in markers}
            assert counts(features, f"{seat}.tray.{tray}", COLOURS) == colours
            assert features[f"{seat}.tray_size.{tray}"] == len(markers)
            tile = board["slots"].get(tray)
            assert features[f"{seat}.slot.{tray}.there"] == (tile is not None)
            if tile is not None:
                needed = tile.split("-")[1:]
                assert counts(features, f"{seat}.slot.{tray}.needs", COLOURS) == {
                    colour: needed.count(colour) for colour in needed
                }
    for good in goods if "unknown" not in visible else ():  # there are five cards of each good
        assert features[f"unseen.{good}"] == 5 - visible[good]
    assert members(features, "quarter") == [str(view["quarter"])]
    assert members(features, "bonus_offer") == view["bonus_offer"]
    assert members(features, "coloured_ships") == view["coloured_ships"]
    for place, tile in view["provinces"].items():
        assert members(features, f"province.{place}") == [tile]
    for side in ("left", "right"):
        pile = view["discard_piles"][side]
        assert members(features, f"pile.{side}")[:1] == pile[-1:]
    for stack in ("cards", "points"):
        tile = view["trajan_tops"].get(stack)
        assert features[f"top.{stack}.there"] == (tile is not None)
    if view["to_decide"]:
        assert members(features, "decision") == [view["to_decide"]["decision"]]
        seat = (view["to_decide"]["player"] - player) % position.players
        assert members(features, "to_decide") == [SEATS[seat]]


COLOURS = ("blue", "green", "orange", "pink", "white", "yellow")


def compare_forum(position, player, features):
    view = position.view(player)
    for place, seat in enumerate(SEATS[: position.players]):
        board = view["players"][(player + place) % position.players]
        resources = ("builder", "blue", "green", "red", "yellow", "assistant", "coin", "tribune")
        assert features[f"{seat}.score"] == board["score"] + NO_SCORE
        assert counts(features, seat, resources) == board["resources"]
        assert features[f"{seat}.slider"] == board["slider"]
        assert features[f"{seat}.ship"] == board["ship"]
        envoys = {
            name.removeprefix(f"{seat}.envoy.")
            for name, value in features.items()
            if value and name.startswith(f"{seat}.envoy.")
        }
        assert envoys == set(board["forum"])
        for cell, building in board["buildings"].items():
            assert features[f"{seat}.{building}.{cell}"] == 1
        lying = {*board["face_down"], *board["face_up"]}
        assert set(members(features, f"{seat}.tile")) == lying
        assert features[f"{seat}.reserve.there"] == len(board["reserve"])
        for name in ("kept", "passed", "picked"):
            tile = board.get(name, "unknown")
            assert features[f"{seat}.{name}.there"] == (tile != "unknown")
            for icon in ("coin", "blue", "upgrade"):
                assert features[f"{seat}.{name}.{icon}"] == tile.split("+").count(icon)
    assert members(features, "stage") == [view["stage"]]
    assert members(features, "round") == [str(min(view["round"], 12))]
    for action in position.legal() if player == position.player else []:
        word, *where = action.split()
        if word == "take" and len(where) == 2:  # no tribune: the tile is in the card's street
            card, (column, row) = where
            (street,) = members(features, f"own.street.{card}")
            assert street in (f"column{column}", f"row{row}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "compare", "players", "every"), [
    *(("trajan", compare_trajan, players, 41) for players in (2, 4)),
    *(("forum_trajanum", compare_forum, players, 11) for players in (2, 3)),
])  # fmt: skip
def test_features_equal_the_view(name, compare, players, every):
    for position in positions(trajan_ai.game(name).start(players, 3), 3, every):
        for player in range(players):
            compare(position, player, name_features(position, player))


def test_highest_values_are_the_numbers_of_pieces():
    """Learners divide features by their highest values."""
    features = {one.name: one.highest for one in trajan_ai.game("trajan").rules.features(2)}
    cards = ("deck_size", "pile.left.size", "pile.right.size", "own.hand_size", "next.hand_size")
    assert {features[name] for name in cards} == {60}
    copies = ("own.hand", "next.display", "unseen")
    assert {features[f"{name}.wheat"] for name in copies} == {5}
    assert features["own.tray_size.VI"] == 12  # all markers
    assert features["own.tray.VI.blue"] == 2
    assert features["own.supply"] == 15


def test_missing_features_are_reported():
    position = KUHN.start(2)
    with pytest.raises(TrajanError, match="has no features for learners"):
        position.features(0)
    with pytest.raises(TrajanError, match="has no features for learners"):
        needed(KUHN, HasFeatures)
    with pytest.raises(TrajanError, match="player must be 0 to 1"):
        trajan_ai.game("trajan").start(2).features(2)


def test_deals_in_c_have_the_same_distribution():
    from trajan_ai.testing.probe import Probe
    from trajan_ai.testing.statistics import compare_samples

    game = trajan_ai.game("trajan")
    probe = Probe(game)
    starts = [game.start(3, seed, markers="random") for seed in range(400)]
    dealt = [probe.deal(start, seed) for seed, start in enumerate(starts)]
    assert compare_samples([start.to_bytes() for start in starts], dealt) is None
    assert probe.deal(starts[0], 1) == probe.deal(starts[1], 1)
