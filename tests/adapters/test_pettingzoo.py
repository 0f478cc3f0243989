"""The PettingZoo environments, in addition to PettingZoo's own tests."""

import importlib
import io
import sys
from contextlib import redirect_stdout, suppress

import numpy as np
import pytest
from calls import python
from trajan_boards import at_action, board
from trajan_boards import position as placed

import trajan_ai
from trajan_ai import TrajanError

with suppress(ImportError):
    from pettingzoo.test import parallel_api_test, render_test

    from trajan_ai.adapters import pettingzoo, rendering

pytestmark = pytest.mark.needs("pettingzoo")


@pytest.mark.slow
@pytest.mark.needs("matplotlib", "resvg_py")
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_every_render_mode_renders(game, monkeypatch):
    monkeypatch.setattr(rendering, "PICTURE_WIDTH", 120)
    with redirect_stdout(io.StringIO()) as out:
        render_test(lambda render_mode=None: pettingzoo.env(game, render_mode=render_mode))
    assert "player 0" in out.getvalue().lower()


def play(env, seed):
    """Always play the first legal action; return rewards and infos by agent, and observations."""
    env.reset(seed=seed)
    rewards, observations = {}, []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            rewards[agent] = reward, info
            env.step(None)
        else:
            observations.append((agent, observation))
            env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    return rewards, observations


def test_a_game_equals_that_of_the_engine():
    env = pettingzoo.env("trajan", 3)
    rewards, observations = play(env, 5)
    position = env.position
    assert position.player is None
    assert [info["rank"] for _, info in rewards.values()] == position.ranks
    assert [info["score"] for _, info in rewards.values()] == position.scores
    assert sum(reward for reward, _ in rewards.values()) == pytest.approx(0)
    assert max(reward for reward, _ in rewards.values()) == 1
    assert len(observations) == position.ply


def test_an_observation_contains_what_its_agent_knows():
    env = pettingzoo.env("trajan", 2)
    env.reset(seed=1)
    for _ in range(40):
        position = env.position
        for seat, agent in enumerate(env.agents):
            observation = env.observe(agent)
            assert observation["observation"].tobytes() == position.features(seat)
            legal = sorted(position.legal_moves()) if position.player == seat else []
            assert np.flatnonzero(observation["action_mask"]).tolist() == legal
            assert env.observation_space(agent).contains(observation)
        env.step(position.legal_moves()[0])


def test_only_the_info_of_the_agent_to_move_lists_actions():
    env = pettingzoo.env("forum_trajanum", 2)
    env.reset(seed=2)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last(observe=False)
        assert observation is None
        if terminated or truncated:
            assert "legal_moves" not in info
            env.step(None)
            continue
        assert info["legal_moves"] == env.position.legal_moves()
        assert [a for a in env.agents if env.infos[a]] == [agent]
        env.step(info["legal_moves"][-1])


def test_a_game_is_truncated_after_a_number_of_turns():
    env = pettingzoo.env("trajan", 2, max_cycles=5)
    rewards, _ = play(env, 1)
    assert env.position.turn == 5
    assert env.agents == []
    assert [reward for reward, _ in rewards.values()] == [0, 0]
    env.reset(options={"position": env.position})
    while env.agents and not any(env.truncations.values()):
        assert env.position.turn < 10
        env.step(env.position.legal_moves()[0])
    assert env.position.turn == 10


def test_truncation_does_not_depend_on_hidden_cards():
    """Player 1 does not know which of two hands player 0 has; with one of them, `done` is
    forced."""
    lengths = []
    for hand in ({"wheat": 2}, {"wheat": 1, "fish": 1}):
        view = at_action(board(), "seaport")
        view["players"][0]["hand"] = hand
        env = pettingzoo.env("trajan", 2, max_cycles=2)
        env.reset(options={"position": placed(view)})
        lengths.append(0)
        while not any(env.truncations.values()):
            moves, actions = env.position.legal_moves(), env.game.actions
            preferred = ("ship different", "card wheat", "done", "pass", "sow I")
            names = {actions[move]: move for move in moves}
            env.step(next((names[one] for one in preferred if one in names), moves[0]))
            lengths[-1] += 1
        assert env.position.turn == placed(view).turn + 2
    assert lengths[0] != lengths[1], "the hands lead to different numbers of decisions"


def test_the_state_contains_the_features_of_every_agent():
    env = pettingzoo.env("trajan", 3)
    env.reset(seed=3)
    observations = [env.observe(agent)["observation"] for agent in env.agents]
    assert np.array_equal(env.state(), np.concatenate(observations))
    assert env.state_space.contains(env.state())


def test_flat_observations_are_arrays():
    env, flat = (pettingzoo.raw_env("trajan", 2, flat=flat) for flat in (False, True))
    for each in (env, flat):
        each.reset(seed=4)
    for _ in range(50):
        observation, _, _, _, info = flat.last()
        expected = env.last()[0]
        assert flat.observation_space(flat.agent_selection).contains(observation)
        assert np.array_equal(observation, expected["observation"])
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        for each in (env, flat):
            each.step(info["legal_moves"][0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Observation")
def test_the_parallel_environment_plays_the_same_game():
    env, parallel = pettingzoo.env("trajan", 2), pettingzoo.parallel_env("trajan", 2)
    env.reset(seed=6)
    observations, _ = parallel.reset(seed=6)
    while parallel.agents:
        agent, action = env.agent_selection, env.position.legal_moves()[0]
        assert np.array_equal(
            observations[agent]["action_mask"], env.observe(agent)["action_mask"]
        )
        env.step(action)
        actions = {one: action if one == agent else 0 for one in parallel.agents}
        observations, rewards, *_ = parallel.step(actions)
    assert rewards == env.rewards
    with redirect_stdout(io.StringIO()):
        parallel_api_test(pettingzoo.parallel_env("trajan", 3), num_cycles=60)


def test_a_reset_starts_from_a_position_and_rejects_the_rest():
    env = pettingzoo.env("trajan", 2)
    position = trajan_ai.game("trajan").start(2, seed=8, markers="random")
    env.reset(options={"position": position})
    assert env.position == position
    assert env.agent_selection == f"player_{position.player}"
    with pytest.raises(TrajanError, match="unknown option positions; options are position"):
        env.reset(options={"positions": [position]})
    for wrong in (trajan_ai.game("trajan").start(3), trajan_ai.game("forum_trajanum").start(2), 5):
        with pytest.raises(TrajanError, match="position must be a position of trajan with 2"):
            env.reset(options={"position": wrong})


@pytest.mark.parametrize("use", [
    lambda env: env.last(),
    lambda env: env.step(0),
    lambda env: env.observe("player_0"),
    lambda env: env.state(),
    lambda env: env.render(),
    lambda env: next(env.agent_iter()),
])  # fmt: skip
def test_use_before_the_first_reset_is_reported(use):
    env = pettingzoo.env("trajan", 2)
    with pytest.raises(TrajanError, match=r"there is no game yet: call reset\(\)"):
        use(env)
    assert env.agents == []


def test_options_are_those_of_the_rules():
    assert pettingzoo.env("trajan", tile_effects="optional").options == {
        "tile_effects": "optional"
    }
    with pytest.raises(TrajanError, match="unknown option 'colour'"):
        pettingzoo.env("trajan", colour="red")
    with pytest.raises(TrajanError, match="players must be 2, 3 or 4, got 7"):
        pettingzoo.env("trajan", 7)
    with pytest.raises(TrajanError, match="render_mode must be one of human, ansi, rgb_array"):
        pettingzoo.env("trajan", render_mode="smell")
    with pytest.raises(TrajanError, match="max_cycles must be at least 1, got 0"):
        pettingzoo.env("trajan", max_cycles=0)


@pytest.mark.parametrize("wrong", [None, 0.0, True, "0", np.array([0]), 2**40])
def test_an_action_that_is_no_integer_is_rejected(wrong):
    env = pettingzoo.env("trajan")
    env.reset(seed=1)
    before = env.position
    with pytest.raises(
        TrajanError, match="player_0 is to move: an action must be an integer from 0"
    ):
        env.step(wrong)
    assert env.position == before
    env.step(np.int64(before.legal_moves()[0]))
    assert env.position != before


def test_illegal_actions_are_rejected():
    env = pettingzoo.env("trajan", 2, lap_length=4)
    env.reset(seed=1)
    with pytest.raises(TrajanError, match="'pass' is not legal for player 0"):
        env.step(trajan_ai.game("trajan").move("pass"))
    play(env, 2)
    with pytest.raises(TrajanError, match="after the end of the game"):
        env.step(0)


@pytest.mark.needs("pyspiel")
@pytest.mark.parametrize(
    ("adapter", "name"),
    [
        ("pettingzoo", "pettingzoo"),
        ("pettingzoo", "gymnasium"),
        ("gymnasium", "gymnasium"),
        ("openspiel", "pyspiel"),
    ],
)
def test_a_missing_package_is_reported(monkeypatch, adapter, name):
    for module in [m for m in sys.modules if m.split(".")[0] == name]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"trajan_ai.adapters.{adapter}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'trajan-ai\[{adapter}\]'"):
        importlib.import_module(f"trajan_ai.adapters.{adapter}")


@pytest.mark.parametrize("adapter", ["gymnasium", "openspiel", "pettingzoo", "vector"])
@pytest.mark.needs("pyspiel", "gymnasium")
def test_adapters_need_no_pillow(adapter):
    program = (
        "import sys\n"
        "sys.modules['PIL'] = None\n"
        f"import trajan_ai.adapters.{adapter} as adapter\n"
        "if hasattr(adapter, 'raw_env'):\n"
        "    env = adapter.raw_env('trajan', render_mode='ansi')\n"
        "    env.reset()\n"
        "    print(len(env.render()) > 100)\n"
    )
    result = python("-W", "ignore", "-c", program)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ("True\n" if adapter == "pettingzoo" else "")
