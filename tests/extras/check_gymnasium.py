"""A check of the extra `gymnasium`."""

import gymnasium
from gymnasium.utils.env_checker import check_env

import trajan_ai.adapters.gymnasium

gymnasium.register_envs(trajan_ai.adapters.gymnasium)
check_env(gymnasium.make("trajan_ai/Trajan-v0").unwrapped)
