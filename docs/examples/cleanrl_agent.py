"""Learn Trajan with a loop like that of CleanRL's ppo.py, on Gymnasium's vector interface.

    python docs/examples/cleanrl_agent.py [UPDATES]

The opponent plays at random. Requires `pip install 'trajan-ai[learners]'`.
"""

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from ppo import Agent, decisions, learn
from torch import nn

import trajan_ai.adapters.gymnasium

gymnasium.register_envs(trajan_ai.adapters.gymnasium)

GAMES, STEPS, EPOCHS, BATCH = 128, 64, 3, 1024
LAMBDA, ENTROPY, RATE = 0.95, 0.01, 5e-4
SETTINGS: dict[str, Any] = {"opponents": "random", "observations": "float32", "reward": "margin"}


def look(seen, info):
    """Return the agent's input: the features and the mask of legal actions."""
    return torch.from_numpy(seen), torch.from_numpy(info["action_mask"])


def play(envs, agent, seen, info):
    """Play STEPS decisions in every game.

    Return the rows for PPO, whether each finished game was won, and the next observation and info.
    """
    rows, rewards, values, going, wins = [], [], [], [], []
    for _ in range(STEPS):
        told, mask = look(seen, info)
        with torch.no_grad():
            choice, value = agent(told, mask)
        action = choice.sample()
        seen, reward, over, _, info = envs.step(action.numpy())
        rows.append((told, mask, action, choice.log_prob(action)))
        rewards.append(reward)
        values.append(value.numpy())
        going.append(~over)
        wins += (info["final_info"]["rank"][over] == 1).tolist() if over.any() else []
    with torch.no_grad():
        values.append(
            agent(torch.from_numpy(seen), torch.from_numpy(info["action_mask"]))[1].numpy()
        )
    return decisions(rows, rewards, values, going, LAMBDA), wins, seen, info


def main(updates=40):
    """Train the agent, and print the share of games that it wins during training."""
    torch.manual_seed(1)
    envs = gymnasium.make_vec("trajan_ai/Trajan-v0", num_envs=GAMES, **SETTINGS)
    assert isinstance(envs.unwrapped, trajan_ai.adapters.gymnasium.SeatVectorEnv)
    games = envs.unwrapped.games
    agent = Agent(len(games.features), len(games.game.actions), nn.Tanh)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE)
    (seen, info), won = envs.reset(seed=1), []
    for update in range(1, updates + 1):
        data, wins, seen, info = play(envs, agent, seen, info)
        learn(agent, optimizer, data, epochs=EPOCHS, batch=BATCH, entropy=ENTROPY)
        won += wins
        if update % 10 == 0 or update == updates:
            share = f"{np.mean(won):.0%} of {len(won)}" if won else "none of 0"
            print(f"{update * GAMES * STEPS:,} decisions: won {share} games", flush=True)
            won = []
    envs.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
