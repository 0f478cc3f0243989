"""An analysis depends on nothing that the player cannot know, in positions from whole games."""

import pytest
from random_games import positions

import trajan_ai
from trajan_ai.analysis.decision import analysis_run
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import KUHN, PENNIES

ITERATIONS = {"quick": 80, "verified": 200, "rollout": 80}
STRIDE = {"quick": 11, "verified": 31, "rollout": 43}  # plies between examined decisions
CASES = [(game, 2, 1) for game in trajan_ai.GAMES.values()]
CASES += [pytest.param(game, 3, 1, marks=pytest.mark.long) for game in trajan_ai.GAMES.values()]
CASES += [(game, 2, 12) for game in (KUHN, PENNIES)]


def data(position, grade):
    analysis = trajan_ai.search(
        position, grade=grade, iterations=ITERATIONS[grade], seed=2,
        sources=bool(position.game.vp_sources), redeals=2 if grade == "rollout" else None,
    )  # fmt: skip
    return {**analysis.to_dict(), "seconds": None}


@pytest.mark.slow
@pytest.mark.parametrize("grade", ITERATIONS)
@pytest.mark.parametrize(("game", "players", "games"), CASES, ids=str)
def test_positions_that_look_alike_are_analysed_alike(game, players, games, grade, monkeypatch):
    monkeypatch.setattr(analysis_run, "ROLLOUT_ITERATIONS", 2)
    differing = 0
    for seed in range(games):
        for ply, position in enumerate(positions(game.start(players, seed), seed)):
            if position.player is not None and (games > 1 or ply % STRIDE[grade] == 0):
                twins = [position.determinized(position.player, ply + n) for n in range(6)]
                twin = next((one for one in twins if one != position), position)
                assert InformationSet(twin) == InformationSet(position)
                differing += twin != position
                assert data(twin, grade) == data(position, grade)
    assert differing > 3  # some positions had secrets that could leak
