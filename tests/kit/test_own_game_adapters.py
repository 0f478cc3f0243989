"""A game of somebody else behind every door for learners, by the libraries' own checks."""

import io
from contextlib import redirect_stdout, suppress

import pytest

from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.games import GAMES

with suppress(ImportError):
    import gymnasium
    import pyspiel
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test

    from trajan_ai.adapters import gymnasium as own_gymnasium
    from trajan_ai.adapters import openspiel, pettingzoo

pytestmark = [
    pytest.mark.needs("gymnasium", "pettingzoo", "pyspiel"),
    pytest.mark.parametrize("players", [2, 3, 4]),
    pytest.mark.slow,
]


@pytest.fixture(autouse=True)
def installed(hoard, monkeypatch):
    monkeypatch.setitem(GAMES._loaded, "hoard", hoard)


def test_gymnasium_accepts_it(players):
    gymnasium.registry.pop("trajan_ai/Hoard-v0", None)
    own_gymnasium.register("hoard")
    env = gymnasium.make("trajan_ai/Hoard-v0", players=players, bonus=7).unwrapped
    assert env.metadata["render_modes"] == ["human", "ansi"], "it has no picture"
    with redirect_stdout(io.StringIO()):
        check_env(env)


@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably", "ignore:Observation is not a NumPy array"
)
def test_pettingzoo_accepts_it(players):
    with redirect_stdout(io.StringIO()) as out:
        api_test(pettingzoo.env("hoard", players, bonus=7), num_cycles=120)
    assert "Passed API test" in out.getvalue()
    seed_test(lambda: pettingzoo.env("hoard", players), num_cycles=40)


def test_open_spiel_accepts_it(hoard, players):
    openspiel.register(hoard)
    game = pyspiel.load_game(f"python_hoard(players={players},bonus=7,deals=9)")
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


def test_games_are_played_side_by_side(players):
    env = VectorEnv("hoard", players, 64, seed=1)
    ended = 0
    while ended < 64:
        for i in range(0, 64, 9):
            position = env.position(i)
            assert env.observations[i].tobytes() == position.features(position.player)
        env.step(env.sample())
        ended += env.done.sum()
    assert len(env.features) == env.observations.shape[1]
