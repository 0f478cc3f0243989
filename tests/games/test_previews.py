"""Previews: what sowing a tray, taking a tile or keeping a card leads to, before the move."""

import pytest
from golden_games import golden
from trajan_boards import at_action, board, position

from trajan_ai import records
from trajan_ai.games.forum_trajanum import previews as previews_of_forum


def previews(game, ply):
    there = records.replay(golden(game), ply)
    return there.game.rules.previews(there)


def test_sowing_shows_trays_action_time_and_the_end_of_a_round():
    assert previews("trajan", 40)["sow III"] == {
        "places": ["tray 0 IV", "tray 0 V", "tray 0 VI"],
        "lines": [
            "Markers: IV blue, V blue, VI yellow.",
            "Action: construction.",
            "Spaces of time: 3. A round ends after this turn.",
        ],
    }
    assert previews("trajan", 45)["sow VI"]["lines"] == [
        "Markers: I blue, II orange, III orange, IV white.",
        "Action: senate.",
        "Spaces of time: 4.",
        "Trajan tile fulfilled: 2 VP, 2 legionnaires.",
    ]


def test_only_sowing_has_a_preview():
    there = position(at_action(board(), "seaport"))
    assert there.game.rules.previews(there) == {}


def test_taking_a_tile_shows_the_tile_and_the_room_that_it_leaves():
    lines = {action: one["lines"] for action, one in previews("forum_trajanum", 63).items()}
    assert lines["take 2 A6"] == ["Gives: female craftsman.", "Opens the blue crane."]
    assert lines["take 2 C6"] == [
        "Its tile is face down.",
        "Then C6 is free, with C5: room for a double tile.",
    ]
    assert lines["take 2 D6"][1] == "Then D6 is free for a single building."


@pytest.mark.parametrize(
    ("cell", "around"),
    [
        ("C3", {"B3", "D3", "C2", "C4"}),
        ("A1", {"A2", "B1"}),
        ("F6", {"E6", "F5"}),
        ("A6", {"A5", "B6"}),
    ],
)
def test_a_double_tile_needs_a_neighbour(cell, around):
    assert set(previews_of_forum._list_neighbours(cell)) == around


def test_keeping_a_card_shows_both_tiles():
    assert {action: one["lines"] for action, one in previews("forum_trajanum", 41).items()} == {
        "keep 1": [
            "You may use: female merchant.",
            "Your neighbour on the right gets: builder and coin.",
        ],
        "keep 2": [
            "You may use: builder and coin.",
            "Your neighbour on the right gets: female merchant.",
        ],
    }
