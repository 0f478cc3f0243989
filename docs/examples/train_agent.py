"""Learn Trajan for two players by self-play, and test the agent against the bot `greedy`.

    python docs/examples/train_agent.py [MINUTES]

The agent learns by proximal policy optimization (`ppo.py` in the same folder). The reward for a
decision is a tenth of the change in its player's lead in VP, so the rewards of a game add up to a
tenth of the final margin. One network plays both seats, so the value of the next decision counts
with the opposite sign if the opponent makes that decision. Requires PyTorch and NumPy.
"""

import sys
import time

import numpy as np
import torch
from ppo import Agent, decisions, learn

from trajan_ai.adapters.vector import VectorEnv

GAMES, STEPS = 256, 64  # decisions between two updates: GAMES * STEPS
EPOCHS, BATCH = 2, 2048
LAMBDA, ENTROPY, RATE = 0.98, 0.01, 7e-4  # entropy bonus and learning rate fall to 0 by the end
VP = 10.0  # VP that give a reward of 1


def look(env, highest):
    """Return the players' features, scaled to 0..1, and their masks of actions, as copies."""
    return torch.from_numpy(env.observations) / highest, torch.from_numpy(env.mask.copy())


def play(env, agent, highest, own, other):
    """Play STEPS decisions in every game; return the data for PPO, one row per decision."""
    rows, rewards, signs, values = [], [], [], []
    for _ in range(STEPS):
        told, mask = look(env, highest)
        player, lead = env.player.copy(), env.observations[:, own].astype(int)
        lead -= env.observations[:, other]
        with torch.no_grad():
            choice, value = agent(told, mask)
        action = choice.sample()
        env.step(action.numpy())
        same, done = env.player == player, env.done == 1
        now = env.observations[:, own].astype(int) - env.observations[:, other]
        final = env.scores[np.arange(GAMES), player] - env.scores[np.arange(GAMES), 1 - player]
        now = np.where(done, final, np.where(same, now, -now))
        rewards.append((now - lead) / VP)
        signs.append(np.where(done, 0, np.where(same, 1, -1)))
        values.append(value.numpy())
        rows.append((told, mask, action, choice.log_prob(action)))
    with torch.no_grad():
        values.append(agent(*look(env, highest))[1].numpy())
    return decisions(rows, rewards, values, signs, LAMBDA)


def compare(agent, highest, opponents, games=100, seed=9):
    """Return the agent's share of wins in `games` games, its mean VP and that of `opponents`."""
    env = VectorEnv("trajan", 2, games, seed, opponents=opponents)
    first = {}
    while len(first) < games:
        seat = env.seat.copy()
        env.step(agent(*look(env, highest))[0].logits.argmax(1).numpy())
        for i in np.flatnonzero(env.done):
            first.setdefault(i, env.scores[i, [seat[i], 1 - seat[i]]])
    scores = np.array(list(first.values()))
    return (scores[:, 0] > scores[:, 1]).mean(), *scores.mean(0)


def main(minutes=10.0):
    """Train for `minutes` of CPU time; regularly print the share of wins against `greedy`."""
    torch.manual_seed(1)
    env = VectorEnv("trajan", 2, GAMES, seed=1)
    names = [feature.name for feature in env.features]
    highest = torch.tensor([feature.highest for feature in env.features])
    scores = names.index("own.score"), names.index("next.score")
    agent = Agent(len(names), env.mask.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE)
    started, shown, decisions = time.process_time(), 0.0, 0
    print("CPU min  decisions  won against greedy  mean VP")
    while True:
        used = (time.process_time() - started) / 60
        if used >= shown or used >= minutes:
            won, own, other = compare(agent, highest, "greedy")
            print(f"{used:7.1f} {decisions:10,} {won:18.0%}  {own:.1f} : {other:.1f}", flush=True)
            shown += max(1.0, minutes / 10)
        if used >= minutes:
            break
        left = 1 - used / minutes
        optimizer.param_groups[0]["lr"] = RATE * left
        data = play(env, agent, highest, *scores)
        learn(agent, optimizer, data, epochs=EPOCHS, batch=BATCH, entropy=left * ENTROPY)
        decisions += GAMES * STEPS
    torch.save(agent.state_dict(), "trained_agent.pt")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
