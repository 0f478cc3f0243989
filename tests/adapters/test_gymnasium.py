"""What Gymnasium's own checks leave out: its vector interface says what the plain arrays say."""

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
    """Play the first legal actions; returns the last step's results."""
    seen, info = env.reset(seed=seed)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())
        seen, reward, over, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert not truncated
    return seen, reward, info


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_a_game_is_played_to_its_end(opponents):
    env = gymnasium.make(IDS["trajan"], opponents=opponents, lap_length=10)
    seen, reward, info = finish(env, seed=3)
    final = env.unwrapped.games.final(0)
    assert final.player is None
    seat = [s for s in (0, 1) if final.features(s) == seen.tobytes()]
    assert [final.scores[s] for s in seat] == [info["score"]]
    assert [final.ranks[s] for s in seat] == [info["rank"]]
    assert reward == {1: 1.0, 2: -1.0}[info["rank"]] or final.ranks == [1, 1]
    assert not info["action_mask"].any()
    again = finish(env, seed=3)
    assert np.array_equal(again[0], seen)
    assert again[1] == reward
    with pytest.raises(TrajanError, match="the game is over: call reset"):
        env.unwrapped.step(0)


def test_an_action_that_is_not_legal_loses():
    env = gymnasium.make(IDS["trajan"])
    _, info = env.reset(seed=1)
    wrong = int(info["action_mask"].argmin())
    _, reward, over, _, info = env.step(wrong)
    assert (reward, over, info["illegal"]) == (-1.0, True, wrong)


def test_a_game_begins_at_a_position_and_a_copy_goes_on_alike():
    position = trajan_ai.game("trajan").start(2, seed=5)
    position = position.after_move(position.legal_moves()[2])
    env = gymnasium.make(IDS["trajan"]).unwrapped
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


@pytest.mark.slow
@pytest.mark.parametrize("game", IDS)
def test_the_vector_interface_says_what_the_plain_arrays_say(game):
    count = 16
    env = gymnasium.make_vec(IDS[game], num_envs=count, players=3, opponents="random")
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    plain = VectorEnv(game, 3, count, opponents="random")
    seen, info = env.reset(seed=4)
    plain.reset(env.unwrapped.games._seed)
    held, ended = seen, 0
    while ended < count:
        seat, actions = plain.seat.copy(), plain.sample().copy()
        plain.step(actions)
        before = held.copy()
        seen, rewards, over, truncated, info = env.step(actions)
        assert np.array_equal(held, before), "what was given is not overwritten"
        held = seen
        assert env.observation_space.contains(seen)
        assert np.array_equal(seen, plain.observations)
        assert np.array_equal(info["action_mask"], plain.mask)
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
            assert info["_final_obs"][i]
            assert results["_score"][i]
    env.close()


def test_gymnasiums_own_wrappers_take_it():
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


@pytest.mark.parametrize("name", ["opponents", "observations"])
def test_what_gymnasium_cannot_take_is_told(name):
    with pytest.raises(TrajanError, match="opponents and observations must not be None"):
        gymnasium.make_vec(IDS["trajan"], num_envs=2, **{name: None})
    with pytest.raises(TrajanError, match="render_mode must be one of human, ansi, rgb_array"):
        trajan_ai.adapters.gymnasium.TrajanEnv("trajan", render_mode="film")
