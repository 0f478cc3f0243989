"""Proximal policy optimization (Schulman et al. 2017): what the examples that train share."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

CLIP, GRADIENT = 0.2, 0.5


class Agent(nn.Module):
    """Policy and value, which is what is still to be won, of one player's features."""

    def __init__(self, features, actions, activation: type[nn.Module] = nn.ReLU, width=128):
        super().__init__()
        layers = nn.Linear(features, width), activation(), nn.Linear(width, width), activation()
        self.body = nn.Sequential(*layers)
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen, mask):
        """Return the distribution over legal actions, and the value."""
        hidden = self.body(seen)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


def decisions(rows, rewards, values, signs, decay):
    """Return what `learn` needs, one row per decision, from lists by time of arrays by game.

    `rows` are what was seen, the mask, the action and its log probability; `values` has one time
    more than the others. What comes next counts by `signs`: 1, -1 where an opponent decides, 0
    after the end; `decay` is the lambda of generalized advantages.
    """
    advantage = np.zeros((len(values), len(values[0])), np.float32)
    for t in reversed(range(len(rewards))):
        surprise = rewards[t] + signs[t] * values[t + 1] - values[t]
        advantage[t] = surprise + decay * signs[t] * advantage[t + 1]
    goals = advantage[:-1] + np.stack(values[:-1])
    joined = [torch.cat(parts) for parts in zip(*rows, strict=True)]
    return [*joined, *(torch.from_numpy(a.reshape(-1)) for a in (advantage[:-1], goals))]


def learn(agent, optimizer, data, *, epochs, batch, entropy):
    """Some epochs of descent over the decisions played."""
    for _ in range(epochs):
        for rows in torch.randperm(len(data[0])).split(batch):
            seen, mask, action, old, advantage, goal = (part[rows] for part in data)
            choice, value = agent(seen, mask)
            ratio = (choice.log_prob(action) - old).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
            loss = (value - goal).square().mean() / 2 - gain.mean()
            optimizer.zero_grad()
            (loss - entropy * choice.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), GRADIENT)
            optimizer.step()
