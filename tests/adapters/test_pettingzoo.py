"""What PettingZoo's own tests of our environments leave out."""

import importlib
import io
import sys
from contextlib import redirect_stdout, suppress

import numpy as np
import pytest

import trajan_ai
from trajan_ai import TrajanError

with suppress(ImportError):
    from pettingzoo.test import render_test

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
    """Play a game by first legal actions; returns rewards by agent, observations on the way."""
    env.reset(seed=seed)
    rewards, seen = {}, []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            rewards[agent] = reward, info
            env.step(None)
        else:
            seen.append((agent, observation))
            env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    return rewards, seen


def test_a_game_is_the_engines():
    env = pettingzoo.env("trajan", 3)
    rewards, seen = play(env, 5)
    position = env.position
    assert position.player is None
    assert [info["rank"] for _, info in rewards.values()] == position.ranks
    assert [info["score"] for _, info in rewards.values()] == position.scores
    assert sum(reward for reward, _ in rewards.values()) == pytest.approx(0)
    assert max(reward for reward, _ in rewards.values()) == 1
    assert len(seen) == position.ply


def test_an_observation_is_what_its_agent_knows():
    env = pettingzoo.env("trajan", 2)
    env.reset(seed=1)
    for _ in range(40):
        position = env.position
        for seat, agent in enumerate(env.agents):
            told = env.observe(agent)
            assert told["observation"].tobytes() == position.features(seat)
            legal = sorted(position.legal_moves()) if position.player == seat else []
            assert np.flatnonzero(told["action_mask"]).tolist() == legal
            assert env.observation_space(agent).contains(told)
        env.step(position.legal_moves()[0])


def test_info_names_the_actions_of_who_decides_and_of_nobody_else():
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


def test_a_game_is_truncated_after_most_cycles():
    env = pettingzoo.env("trajan", 2, max_cycles=25)
    rewards, seen = play(env, 1)
    assert len(seen) == 25
    assert env.agents == []
    assert [reward for reward, _ in rewards.values()] == [0, 0]


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


def test_illegal_actions_are_refused():
    env = pettingzoo.env("trajan")
    env.reset(seed=1)
    with pytest.raises(TrajanError, match="'pass' is not legal for player 0"):
        env.step(trajan_ai.game("trajan").move("pass"))
    with pytest.raises(TrajanError, match="player_0 is to decide"):
        env.step(None)


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
def test_without_the_extra_it_is_named(monkeypatch, adapter, name):
    for module in [m for m in sys.modules if m.split(".")[0] == name]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"trajan_ai.adapters.{adapter}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'trajan-ai\[{adapter}\]'"):
        importlib.import_module(f"trajan_ai.adapters.{adapter}")
