"""SuperSuit's wrappers accept flat observations of every game."""

from contextlib import suppress

import numpy as np
import pytest

with suppress(ImportError):
    import supersuit

    from trajan_ai.adapters import pettingzoo

pytestmark = [
    pytest.mark.needs("supersuit", "pettingzoo"),
    pytest.mark.filterwarnings("ignore"),  # warnings of SuperSuit and its dependencies
    pytest.mark.slow,
]


def as_floats(env):
    return supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32), 0, 1)


tables = pytest.mark.parametrize(("game", "players"), [("trajan", 2), ("forum_trajanum", 3)])
WRAPPERS = {
    "frame_stack_v1": (2,),
    "flatten_v0": (),
    "agent_indicator_v0": (),
    "delay_observations_v0": (2,),
    "pad_observations_v0": (),
    "clip_reward_v0": (),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@tables
def test_a_wrapped_game_is_played(game, players, wrapper):
    env = as_floats(pettingzoo.raw_env(game, players, flat=True))
    env = getattr(supersuit, wrapper)(env, *WRAPPERS[wrapper])
    env.reset(seed=1)
    for agent in env.agent_iter(150):
        observation, _, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if terminated or truncated else info["legal_moves"][0])


@tables
def test_a_parallel_game_becomes_a_vector_environment(game, players):
    env = supersuit.black_death_v3(pettingzoo.parallel_env(game, players, flat=True))
    envs = supersuit.pettingzoo_env_to_vec_env_v1(env)
    envs = supersuit.concat_vec_envs_v1(envs, 2, base_class="gymnasium")
    assert envs.reset(seed=1)[0].shape == (2 * players, len(env.unwrapped.features))
