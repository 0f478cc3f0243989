"""The Gymnasium environments play the same games as `VectorEnv`."""

import copy
import pickle
from contextlib import suppress

import numpy as np
import pytest

import trajan_ai
from trajan_ai import TrajanError
from trajan_ai.adapters.vector import VectorEnv

with suppress(ImportError):
    import gymnasium

    import trajan_ai.adapters.gymnasium

pytestmark = pytest.mark.needs("gymnasium")

IDS = {"trajan": "trajan_ai/Trajan-v0", "forum_trajanum": "trajan_ai/ForumTrajanum-v0"}


def finish(env, seed):
    """Always play the first legal action; return the last step's observation, reward and info."""
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        assert env.observation_space.contains(observation)
        assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())
        assert info["seat"] == env.unwrapped.games.seat[0]
        action = int(info["action_mask"].argmax())
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
    return observation, reward, info


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_a_game_is_played_to_its_end(opponents):
    env = gymnasium.make(IDS["trajan"], opponents=opponents, lap_length=10)
    observation, reward, info = finish(env, seed=3)
    final = env.unwrapped.games.final(0)
    assert final.player is None
    assert final.features(info["seat"]) == observation.tobytes()
    assert final.scores[info["seat"]] == info["score"]
    assert final.ranks[info["seat"]] == info["rank"]
    assert reward == {1: 1.0, 2: -1.0}[info["rank"]] or final.ranks == [1, 1]
    assert not info["action_mask"].any()
    again = finish(env, seed=3)
    assert np.array_equal(again[0], observation)
    assert again[1] == reward
    with pytest.raises(TrajanError, match="the game is over: call reset"):
        env.unwrapped.step(0)


@pytest.mark.parametrize("wrong", [None, -1, 345, 2**40])
def test_an_illegal_action_loses(wrong):
    env = gymnasium.make(IDS["trajan"], players=3)
    _, info = env.reset(seed=1)
    seat, position = info["seat"], env.unwrapped.games.position(0)
    wrong = int(info["action_mask"].argmin()) if wrong is None else wrong
    _, reward, over, _, info = env.step(wrong)
    assert (reward, over, info["illegal"]) == (-1.0, True, wrong)
    assert (info["seat"], info["score"], info["rank"]) == (seat, position.scores[seat], 3)
    assert env.unwrapped.games.position(0) == position


@pytest.mark.parametrize("wrong", [[4], np.array([4]), 4.0, np.float64(4), "4", None, True])
def test_an_action_that_is_no_integer_is_rejected(wrong):
    env = gymnasium.make(IDS["trajan"]).unwrapped
    env.reset(seed=1)
    before = env.games.position(0)
    with pytest.raises(TrajanError, match="an action must be an integer, got "):
        env.step(wrong)
    assert env.games.position(0) == before
    legal = int(env.action_masks().argmax())
    assert not env.step(np.array(legal))[2]


@pytest.mark.parametrize("opponents", ["random", "policy", "greedy"])
def test_a_copy_of_a_game_from_a_position_continues_alike(opponents):
    position = trajan_ai.game("trajan").start(2, seed=5)
    position = position.after_move(position.legal_moves()[2])
    env = gymnasium.make(IDS["trajan"], opponents=opponents).unwrapped
    env.reset(seed=2, options={"positions": [position]})
    while env.games.position(0) == position:
        env.step(env.action_space.sample(env.action_masks()))
    assert env.games.position(0).turn <= 4
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        mine = copy.deepcopy(env)
        for _ in range(50):
            action = int(mine.action_masks().argmax())
            one, two = mine.step(action), other.step(action)
            assert np.array_equal(one[0], two[0])
            assert one[1:4] == two[1:4]
            if one[2]:
                break


def test_unsupported_ways_to_reset_are_rejected():
    env = gymnasium.make_vec(IDS["trajan"], num_envs=2)
    env.reset(seed=1)
    before = [env.unwrapped.games.position(i) for i in range(2)]
    with pytest.raises(
        TrajanError, match=r"seed must be a single integer for all games, got \[1, 2\]"
    ):
        env.reset(seed=[1, 2])
    with pytest.raises(TrajanError, match="unknown option reset_mask; options are positions"):
        env.reset(options={"reset_mask": np.array([True, False])})
    assert before == [env.unwrapped.games.position(i) for i in range(2)]
    with pytest.raises(TrajanError, match="unknown option position; options are positions"):
        gymnasium.make(IDS["trajan"]).reset(options={"position": before[0]})


@pytest.mark.slow
@pytest.mark.parametrize("game", IDS)
def test_the_vector_interface_equals_the_plain_arrays(game):
    count = 16
    env = gymnasium.make_vec(IDS[game], num_envs=count, players=3, opponents="random")
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    plain = VectorEnv(game, 3, count, opponents="random")
    observations, info = env.reset(seed=4)
    plain.reset(env.unwrapped.games._seed)
    last, ended = observations, 0
    while ended < count:
        seat, actions = plain.seat.copy(), plain.sample().copy()
        plain.step(actions)
        before = last.copy()
        observations, rewards, over, truncated, info = env.step(actions)
        assert np.array_equal(last, before), "a step overwrites earlier observations"
        last = observations
        assert env.observation_space.contains(observations)
        assert np.array_equal(observations, plain.observations)
        assert np.array_equal(info["action_mask"], plain.mask)
        assert np.array_equal(info["seat"], plain.seat)
        assert info["_seat"].all()
        assert rewards.tolist() == [plain.rewards[i, seat[i]] for i in range(count)]
        assert np.array_equal(over, plain.done)
        assert not truncated.any()
        assert ("final_obs" in info) == over.any()
        for i in np.flatnonzero(over):
            ended += 1
            final = plain.final(i)
            assert info["final_obs"][i].tobytes() == final.features(seat[i])
            results = info["final_info"]
            assert results["score"][i] == final.scores[seat[i]] == plain.scores[i, seat[i]]
            assert results["rank"][i] == final.ranks[seat[i]]
            assert results["seat"][i] == seat[i]
            assert info["_final_obs"][i]
            assert results["_score"][i]
    env.close()


def test_gymnasiums_wrappers_accept_it():
    env = gymnasium.make_vec(IDS["trajan"], num_envs=4, lap_length=10, render_mode="ansi")
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env.reset(seed=1)
    assert len(set(env.render())) == 4
    for _ in range(300):
        info = env.step(env.unwrapped.games.sample())[4]
        if "episode" in info:
            assert set(info["episode"]["r"][info["_episode"]]) <= {-1.0, 0.0, 1.0}
            return
    raise AssertionError("no game ended")


def test_a_league_of_objects_needs_no_files():
    class Checkpoint:
        def choose(self, observation, seed):
            assert len(observation.features()) > 100
            return observation.legal()[-1]

    env = gymnasium.make(IDS["trajan"], players=3, opponents=[Checkpoint(), "random", "greedy"])
    finish(env, seed=2)


def test_unsupported_arguments_are_rejected():
    with pytest.raises(
        TrajanError, match="opponents must be 'random', 'policy', or bots, got None"
    ):
        gymnasium.make_vec(IDS["trajan"], num_envs=2, opponents=None)
    with pytest.raises(TrajanError, match="observations must be 'uint8' or 'float32', got None"):
        gymnasium.make(IDS["trajan"], observations=None)
    with pytest.raises(TrajanError, match="render_mode must be one of human, ansi, rgb_array"):
        trajan_ai.adapters.gymnasium.SeatEnv("trajan", render_mode="film")
