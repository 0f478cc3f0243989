"""Learn Trajan with stable-baselines3's MaskablePPO, against random play.

    python docs/examples/sb3_agent.py [DECISIONS]

Requires `pip install 'trajan-ai[learners]'`.
"""

import sys
from typing import Any

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import trajan_ai.adapters.gymnasium

gymnasium.register_envs(trajan_ai.adapters.gymnasium)

GAME = "trajan_ai/Trajan-v0"
SETTINGS: dict[str, Any] = {"opponents": "random", "observations": "float32", "reward": "margin"}


def compare(model, games=100):
    """Return how many of `games` games the model wins, and its mean VP."""
    env, won, points = gymnasium.make(GAME, **SETTINGS), 0, 0
    for seed in range(games):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
            seen, _, over, _, info = env.step(action)
        won += info["rank"] == 1
        points += info["score"]
    return won, points / games


def main(decisions=200_000, envs=16, steps=256, games=100):
    """Train for this number of decisions; print the games won before and after the training."""
    several = make_vec_env(GAME, n_envs=envs, seed=1, env_kwargs=SETTINGS)
    model = MaskablePPO(
        "MlpPolicy", several, n_steps=steps, batch_size=256, gamma=1.0, seed=1, device="cpu"
    )
    for learned in (0, decisions):
        if learned:
            model.learn(learned)
        won, points = compare(model, games)
        print(
            f"{learned:,} decisions: won {won} of {games} games, mean VP {points:.1f}", flush=True
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
