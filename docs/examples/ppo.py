"""Proximal policy optimization (Schulman et al. 2017), shared by the training examples."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

CLIP, GRADIENT = 0.2, 0.5


class Agent(nn.Module):
    """A network that maps a player's features to a policy and a value, the expected reward."""

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
    """Return the data for `learn`, one row per decision.

    Each list has one entry per step, and each entry contains arrays with one value per game. An
    entry of `rows` contains features, masks, actions and the log probabilities of these actions.
    `values` covers one step more than the other lists. `signs` contains the factor of the next
    value: 1 if the same player decides next, -1 if an opponent does, and 0 if the game has ended.
    `decay` is the lambda of generalized advantage estimation.
    """
    advantage = np.zeros((len(values), len(values[0])), np.float32)
    for t in reversed(range(len(rewards))):
        surprise = rewards[t] + signs[t] * values[t + 1] - values[t]
        advantage[t] = surprise + decay * signs[t] * advantage[t + 1]
    goals = advantage[:-1] + np.stack(values[:-1])
    joined = [torch.cat(parts) for parts in zip(*rows, strict=True)]
    return [*joined, *(torch.from_numpy(a.reshape(-1)) for a in (advantage[:-1], goals))]


def learn(agent, optimizer, data, *, epochs, batch, entropy):
    """Run `epochs` epochs of gradient descent over the decisions in `data`."""
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
