"""An analysis depends on nothing that the player cannot know: exactly, in whole games."""

import pytest
from random_games import positions

import trajan_ai
from trajan_ai.core.information import InformationSet
from trajan_ai.reference_games import KUHN, PENNIES

STRIDE = {"quick": 11, "verified": 31}  # decisions; of the reference games all
ASKED = {"quick": 80, "verified": 200}


def decisions(game, players, seed):
    """The decisions of a whole random game."""
    return list(positions(game.start(players, seed), seed))[:-1]


def told(position, grade):
    found = trajan_ai.search(
        position, grade=grade, iterations=ASKED[grade], seed=2,
        sources=bool(position.game.vp_sources),
    )  # fmt: skip
    return {**found.to_dict(), "seconds": None}


@pytest.mark.slow
@pytest.mark.parametrize("grade", STRIDE)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_positions_that_look_alike_are_analysed_alike(name, players, grade):
    differing = 0
    for ply, position in enumerate(decisions(trajan_ai.game(name), players, players)):
        twin = position.determinized(position.player, ply + 1)
        assert InformationSet(twin) == InformationSet(position)
        if ply % STRIDE[grade] == 0:
            differing += twin != position
            assert told(twin, grade) == told(position, grade)
    assert differing > 3  # there was something to give away


@pytest.mark.parametrize("grade", STRIDE)
@pytest.mark.parametrize("game", [KUHN, PENNIES], ids=lambda game: game.name)
def test_positions_of_reference_games_that_look_alike_are_analysed_alike(game, grade):
    differing = 0
    for seed in range(12):
        for position in decisions(game, 2, seed):
            twins = [position.determinized(position.player, n) for n in range(6)]
            twin = next((one for one in twins if one != position), twins[0])
            differing += twin != position
            assert told(twin, grade) == told(position, grade)
    assert differing > 3
