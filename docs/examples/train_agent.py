"""Learns Trajan for two players by playing against itself, until it beats the bot `greedy`.

    python docs/examples/train_agent.py [MINUTES]

Proximal policy optimization (Schulman et al. 2017). The reward of a decision is by how many VP it
changes the lead of whoever makes it, so rewards add up to the final margin. One network plays both
seats: what is good for the next to decide is bad for the last if they are not the same.
Needs PyTorch and NumPy.
"""

import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn.functional import log_softmax

from trajan_ai.adapters.vector import VectorEnv

GAMES, STEPS = 256, 64  # decisions between two updates: GAMES * STEPS
EPOCHS, BATCH = 2, 2048
LAMBDA, CLIP, ENTROPY, RATE = 0.98, 0.2, 0.01, 7e-4  # the last two fall to 0 by the end
VP = 10.0  # VP that count 1


class Net(nn.Module):
    """Logits of the actions, and the lead still to be won, from one player's features."""

    def __init__(self, features, actions, width=128):
        super().__init__()
        layers = nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.body = nn.Sequential(*layers)
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def forward(self, observations, mask):
        """Return log probabilities, legal actions only, and values."""
        hidden = self.body(observations)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return log_softmax(logits, 1), self.value(hidden).squeeze(1)


def look(env, highest):
    """Copy what the players to decide are told: features from 0 to 1, and the mask."""
    return torch.from_numpy(env.observations) / highest, torch.from_numpy(env.mask.copy())


def play(env, net, highest, own, other):
    """Play STEPS decisions of every game; return what PPO needs, one row a decision."""
    rows, rewards, signs, values = [], [], [], []
    for _ in range(STEPS):
        told, mask = look(env, highest)
        player, lead = env.player.copy(), env.observations[:, own].astype(int)
        lead -= env.observations[:, other]
        with torch.no_grad():
            log_probabilities, value = net(told, mask)
        action = torch.multinomial(log_probabilities.exp(), 1).squeeze(1)
        env.step(action.numpy())
        same, done = env.player == player, env.done == 1
        now = env.observations[:, own].astype(int) - env.observations[:, other]
        final = env.scores[np.arange(GAMES), player] - env.scores[np.arange(GAMES), 1 - player]
        now = np.where(done, final, np.where(same, now, -now))
        rewards.append((now - lead) / VP)
        signs.append(np.where(done, 0, np.where(same, 1, -1)))
        values.append(value.numpy())
        rows.append((told, mask, action, log_probabilities.gather(1, action[:, None]).squeeze(1)))
    values.append(net(*look(env, highest))[1].detach().numpy())
    advantage = np.zeros((STEPS + 1, GAMES), np.float32)
    for t in reversed(range(STEPS)):
        surprise = rewards[t] + signs[t] * values[t + 1] - values[t]
        advantage[t] = surprise + LAMBDA * signs[t] * advantage[t + 1]
    goal = advantage[:-1] + np.stack(values[:-1])
    joined = [torch.cat(parts) for parts in zip(*rows, strict=True)]
    return [*joined, *(torch.from_numpy(a.reshape(-1)) for a in (advantage[:-1], goal))]


def learn(net, optimizer, data, left):
    """Some epochs of PPO over the decisions played; `left` is the share of the time to come."""
    optimizer.param_groups[0]["lr"] = RATE * left
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(data[0])).split(BATCH):
            told, mask, action, old, advantage, goal = (part[rows] for part in data)
            log_probabilities, value = net(told, mask)
            ratio = (log_probabilities.gather(1, action[:, None]).squeeze(1) - old).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
            spread = -(log_probabilities.exp() * log_probabilities).sum(1)
            loss = (value - goal).square().mean() / 2 - (gain + left * ENTROPY * spread).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()


def compare(net, highest, opponents, games=100, seed=9):
    """Return games won, and mean VP of the net and of `opponents`, over `games` games."""
    env = VectorEnv("trajan", 2, games, seed, opponents=opponents)
    first = {}
    while len(first) < games:
        seat = env.seat.copy()
        env.step(net(*look(env, highest))[0].argmax(1).numpy())
        for i in np.flatnonzero(env.done):
            first.setdefault(i, env.scores[i, [seat[i], 1 - seat[i]]])
    scores = np.array(list(first.values()))
    return (scores[:, 0] > scores[:, 1]).mean(), *scores.mean(0)


def main(minutes=10.0):
    """Train for so long; print now and then how it fares against `greedy`."""
    torch.manual_seed(1)
    env = VectorEnv("trajan", 2, GAMES, seed=1)
    names = [feature.name for feature in env.features]
    highest = torch.tensor([feature.highest for feature in env.features])
    scores = names.index("own.score"), names.index("next.score")
    net = Net(len(names), env.mask.shape[1])
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    started, shown, decisions = time.process_time(), 0.0, 0
    print("CPU min  decisions  won against greedy  mean VP")
    while True:
        used = (time.process_time() - started) / 60
        if used >= shown or used >= minutes:
            won, own, other = compare(net, highest, "greedy")
            print(f"{used:7.1f} {decisions:10,} {won:18.0%}  {own:.1f} : {other:.1f}", flush=True)
            shown += max(1.0, minutes / 10)
        if used >= minutes:
            break
        learn(net, optimizer, play(env, net, highest, *scores), 1 - used / minutes)
        decisions += GAMES * STEPS
    torch.save(net.state_dict(), "trained_agent.pt")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
