"""The checks of the learning libraries pass on every game and on the example game."""

import io
from contextlib import redirect_stdout, suppress

import pytest

from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.games import GAMES
from trajan_ai.games.registry import BUILT_IN

with suppress(ImportError):
    import gymnasium
    import pyspiel
    from gymnasium.utils.env_checker import check_env
    from open_spiel.python.algorithms import generate_playthrough
    from pettingzoo.test import api_test, seed_test

    from trajan_ai.adapters import gymnasium as own_gymnasium
    from trajan_ai.adapters import openspiel, pettingzoo, rendering

pytestmark = [
    pytest.mark.needs("gymnasium", "pettingzoo", "pyspiel"),
    pytest.mark.parametrize(
        "players",
        [2, pytest.param(3, marks=(pytest.mark.long, pytest.mark.exhaustive)), 4],
    ),
    pytest.mark.slow,
]
every_game = pytest.mark.parametrize("name", [*BUILT_IN, "hoard", "sketch"])
OPTIONS = {"hoard": {"bonus": 7}}


@pytest.fixture(autouse=True)
def installed(hoard, sketch, monkeypatch):
    monkeypatch.setitem(GAMES._loaded, "hoard", hoard)
    monkeypatch.setitem(GAMES._loaded, "sketch", sketch.GAME)


@every_game
@pytest.mark.needs("matplotlib", "resvg_py")
def test_gymnasium_accepts_it(name, players, monkeypatch):
    monkeypatch.setattr(rendering, "PICTURE_WIDTH", 120)
    id = f"trajan_ai/{name.title().replace('_', '')}-v0"
    if id not in gymnasium.registry:
        own_gymnasium.register(name)
    options = {"players": players, "observations": "float32"} | OPTIONS.get(name, {})
    env = gymnasium.make(id, **options).unwrapped
    drawn = ["rgb_array"] if name in BUILT_IN else []
    assert env.metadata["render_modes"] == ["human", "ansi", *drawn]
    with redirect_stdout(io.StringIO()) as out:
        check_env(env)
    assert "player 0" in out.getvalue().lower()


# PettingZoo warns about dictionaries as observations, except in its own environments.
@every_game
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably", "ignore:Observation is not a NumPy array"
)
def test_pettingzoo_accepts_it_and_seeds_repeat(name, players):
    with redirect_stdout(io.StringIO()) as out:
        api_test(pettingzoo.env(name, players, **OPTIONS.get(name, {})), num_cycles=120)
    assert "Passed API test" in out.getvalue()
    seed_test(lambda: pettingzoo.env(name, players), num_cycles=40)


@every_game
def test_open_spiel_accepts_it(name, players):
    openspiel.register(GAMES[name])
    parameters = {"players": players, "deals": 9} | OPTIONS.get(name, {})
    game = pyspiel.load_game(f"python_{name}", parameters)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["hoard", "sketch"])
def test_open_spiel_generates_a_playthrough(name, players):
    openspiel.register(GAMES[name])
    text = generate_playthrough.playthrough(f"python_{name}(players={players},deals=3)", [0])
    assert "PublicObservationString() = " in str(text)


@pytest.mark.parametrize("name", ["hoard", "sketch"])
def test_games_are_played_side_by_side(name, players):
    env = VectorEnv(name, players, 64, seed=1)
    ended = 0
    while ended < 64:
        for i in range(0, 64, 9):
            position = env.position(i)
            assert env.observations[i].tobytes() == position.features(position.player)
        env.step(env.sample())
        ended += env.done.sum()
    assert len(env.features) == env.observations.shape[1]
