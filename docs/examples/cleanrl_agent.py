"""Learns Trajan with a loop as CleanRL's ppo.py has it, on Gymnasium's vector interface.

    python docs/examples/cleanrl_agent.py [UPDATES]

The opponent plays at random. Needs `pip install 'trajan-ai[learners]'`.
"""

import sys

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import trajan_ai.adapters.gymnasium

gymnasium.register_envs(trajan_ai.adapters.gymnasium)

GAMES, STEPS, EPOCHS, BATCH = 128, 64, 3, 1024
LAMBDA, CLIP, ENTROPY, RATE = 0.95, 0.2, 0.01, 5e-4
SETTINGS = {"opponents": "random", "observations": "float32", "reward": "margin"}


class Agent(nn.Module):
    """Policy and value of one player's features."""

    def __init__(self, features, actions, width=128):
        super().__init__()
        layers = nn.Linear(features, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        self.body = nn.Sequential(*layers)
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen, mask):
        """Return the distribution over legal actions, and the value."""
        hidden = self.body(seen)
        logits = self.actor(hidden).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits), self.critic(hidden).squeeze(-1)


def play(envs, agent, seen, info):
    """Play STEPS decisions of every game; return rows for PPO, finished games, what comes next."""
    rows, rewards, values, ends, wins = [], [], [], [], []
    for _ in range(STEPS):
        told, mask = torch.from_numpy(seen), torch.from_numpy(info["action_mask"])
        with torch.no_grad():
            choice, value = agent(told, mask)
        action = choice.sample()
        seen, reward, over, _, info = envs.step(action.numpy())
        rows.append((told, mask, action, choice.log_prob(action)))
        rewards.append(reward), values.append(value.numpy()), ends.append(over)
        wins += (info["final_info"]["rank"][over] == 1).tolist() if over.any() else []
    with torch.no_grad():
        following = agent(torch.from_numpy(seen), torch.from_numpy(info["action_mask"]))[1].numpy()
    advantages, last = np.zeros((STEPS, GAMES), np.float32), 0.0
    for t in reversed(range(STEPS)):
        surprise = rewards[t] + ~ends[t] * following - values[t]
        advantages[t] = last = surprise + LAMBDA * ~ends[t] * last
        following = values[t]
    joined = [torch.cat(parts) for parts in zip(*rows, strict=True)]
    goals = advantages + np.stack(values)
    return (
        [*joined, *(torch.from_numpy(a.reshape(-1)) for a in (advantages, goals))],
        wins,
        seen,
        info,
    )


def learn(agent, optimizer, data):
    """Some epochs of PPO over the decisions played."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(data[0])).split(BATCH):
            told, mask, action, old, advantage, goal = (part[rows] for part in data)
            choice, value = agent(told, mask)
            ratio = (choice.log_prob(action) - old).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
            loss = (value - goal).square().mean() / 2 - gain.mean()
            optimizer.zero_grad()
            (loss - ENTROPY * choice.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main(updates=40):
    """Train; print the share of games won while it learns."""
    torch.manual_seed(1)
    envs = gymnasium.make_vec("trajan_ai/Trajan-v0", num_envs=GAMES, **SETTINGS)
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE)
    (seen, info), won = envs.reset(seed=1), []
    for update in range(1, updates + 1):
        data, wins, seen, info = play(envs, agent, seen, info)
        learn(agent, optimizer, data)
        won += wins
        if update % 10 == 0 or update == updates:
            share = f"{np.mean(won):.0%} of {len(won)}" if won else "none of 0"
            print(f"{update * GAMES * STEPS:,} decisions: won {share} games", flush=True)
            won = []
    envs.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
