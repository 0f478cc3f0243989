"""Speed of the interfaces for learners, in decisions per second."""

import pytest
from fastest import fastest

import trajan_ai
from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.core.game import Random

COUNT = 1024
STEPS = 40


@pytest.mark.parametrize("observations", [None, "uint8", "float32"])
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_batched_steps(benchmark, game, observations):
    """One round makes COUNT * STEPS decisions, with random legal actions in 1,024 games."""
    env = VectorEnv(game, 2, COUNT, seed=1, observations=observations)

    def play():
        for _ in range(STEPS):
            env.step(env.sample())

    benchmark(play)
    assert env.mask.any(axis=1).all()


@pytest.mark.needs("gymnasium")
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_gymnasium_keeps_the_speed_of_the_plain_arrays(benchmark, game):
    """The environment makes at least 0.7 times as many decisions per second as a `VectorEnv`.

    The environment has 1,024 games, observations in uint8 and random opponents, and copies no
    arrays.
    """
    from trajan_ai.adapters.gymnasium import SeatVectorEnv

    plain = VectorEnv(game, 2, COUNT, seed=1, opponents="random")
    envs = SeatVectorEnv(game, COUNT, copy=False)
    envs.reset(seed=1)
    bare, behind = fastest(
        benchmark,
        (plain.reset, lambda _: [plain.step(plain.sample()) for _ in range(STEPS)]),
        (envs.reset, lambda _: [envs.step(envs.games.sample()) for _ in range(STEPS)]),
    )
    assert bare / behind >= 0.7


@pytest.mark.needs("pettingzoo")
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_pettingzoo_game(benchmark, game):
    from trajan_ai.adapters import pettingzoo

    env, random = pettingzoo.env(game), Random(1)

    def play():
        env.reset(seed=1)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[random.below(len(legal))])
        return env.position.ply

    assert benchmark(play) > 100


@pytest.mark.needs("pettingzoo")
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_pettingzoo_costs_a_random_policy_little(benchmark, game):
    """Without observations, random games take at most 3 times as long as in a bare loop."""
    from trajan_ai.adapters import pettingzoo

    env, handle, random = pettingzoo.env(game), trajan_ai.game(game), Random(1)

    def through(_):
        for _ in env.agent_iter():
            _, _, terminated, truncated, info = env.last(observe=False)
            if terminated or truncated:
                env.step(None)
            else:
                legal = info["legal_moves"]
                env.step(legal[random.below(len(legal))])

    def bare(position):
        while position.player is not None:
            legal = position.legal_moves()
            position = position.after_move(legal[random.below(len(legal))])

    loop, zoo = fastest(
        benchmark,
        (lambda: handle.start(2, seed=1), bare),
        (lambda: env.reset(seed=1), through),
    )
    assert zoo <= 3 * loop
