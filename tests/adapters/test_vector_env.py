"""A `VectorEnv` plays the same games as the engine."""

import copy
import pickle

import numpy as np
import pytest
from calls import run_programs
from forum_trajanum_boards import before_a_tie

import trajan_ai
from trajan_ai import TrajanError
from trajan_ai.adapters import python_opponents
from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.bots import IsmctsBot, read_bot
from trajan_ai.bots.players import GreedyPlayer
from trajan_ai.games.reference import KUHN

GAMES = ("trajan", "forum_trajanum")
NAMES = ("observations", "mask", "rewards", "player", "done", "scores", "seat")


def arrays(env):
    return [getattr(env, name) for name in NAMES]


def copies(env):
    return [array.copy() for array in arrays(env)]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_games_equal_those_of_the_engine(name, players):
    env = VectorEnv(name, players, 5, seed=players)
    memory = arrays(env)
    ended = 0
    while ended < 5:
        before = [env.position(i) for i in range(env.count)]
        actions = env.sample().copy()
        env.step(actions)
        for i, position in enumerate(before):
            after = position.after_move(int(actions[i]))
            assert env.done[i] == (after.player is None)
            if env.done[i]:
                ended += 1
                check_end(env, i, after)
            else:
                assert env.position(i) == after
                assert not env.rewards[i].any()
            check_arrays_show_the_position(env, i)
    assert all(a is b for a, b in zip(memory, arrays(env), strict=True))


def check_arrays_show_the_position(env, i):
    position = env.position(i)
    player = position.player
    assert env.player[i] == player
    assert np.flatnonzero(env.mask[i]).tolist() == sorted(position.legal_moves())
    assert env.observations[i].tobytes() == position.features(player)


def check_end(env, i, final):
    assert env.scores[i].tolist() == final.scores
    winners = [rank == 1 for rank in final.ranks]
    share = 1 / sum(winners)
    expected = [(env.players * share * won - 1) / (env.players - 1) for won in winners]
    assert env.rewards[i] == pytest.approx(expected)
    assert env.rewards[i].sum() == pytest.approx(0, abs=1e-6)
    assert env.final(i) == final
    assert env.position(i).turn == 0


def test_new_deals_differ_and_seeds_repeat():
    one, again, other = (VectorEnv("trajan", 2, 3, seed=seed) for seed in (1, 1, 2))
    first = copies(one)
    assert same(first, arrays(again))
    assert not same(first, arrays(other))
    assert one.position(0) != one.position(1)
    for _ in range(400):
        one.step(one.sample())
        again.step(again.sample())
    assert same(arrays(one), arrays(again))
    one.reset()
    assert same(first, arrays(one))
    one.reset(seed=2)
    assert same(arrays(one), arrays(other))


@pytest.mark.parametrize("opponents", [None, "policy"])
def test_threads_do_not_change_results(opponents):
    envs = [VectorEnv("trajan", 2, 300, seed=4, threads=n, opponents=opponents) for n in (1, 2)]
    for _ in range(120):
        for env in envs:
            env.step(env.sample())
        assert same(*map(arrays, envs))
    envs[1].close()


@pytest.mark.slow
@pytest.mark.parametrize("opponents", ["random", "policy", "greedy"])
def test_opponents_play_the_other_seats(opponents):
    env = VectorEnv("trajan", 3, 4, seed=3, opponents=opponents)
    again = VectorEnv("trajan", 3, 4, seed=3, opponents=opponents)
    assert env.seat.tolist() == [1, 2, 0, 1]
    games = np.zeros(4, int)
    for _ in range(200):
        assert env.player.tolist() == env.seat.tolist()
        assert [env.position(i).player for i in range(4)] == env.seat.tolist()
        actions = env.sample().copy()
        env.step(actions)
        again.step(actions)
        games += env.done
        assert env.seat.tolist() == [(i + 1 + games[i]) % 3 for i in range(4)]
        assert same(arrays(env), arrays(again))
    assert games.min() >= 1


def test_greedy_opponents_choose_as_greedy_does(monkeypatch):
    choose, seeds, chosen, observed = GreedyPlayer.choose, [], [], []

    def record(self, position, seed):
        seeds.append(seed)
        chosen.append((position, choose(self, position, seed)))
        return chosen[-1][1]

    monkeypatch.setattr(GreedyPlayer, "choose", record)
    monkeypatch.setattr(GreedyPlayer, "observe", lambda self, *step: observed.append(step))
    env = VectorEnv("trajan", 2, 1, seed=1, opponents="greedy")
    won = games = 0
    while games < 6:
        env.step(env.sample())
        if env.done[0]:
            games += 1
            won += env.rewards[0, (env.seat[0] + 1) % 2] > 0
    assert won == 0, "random beats greedy"
    assert len(set(seeds)) == len(seeds), "two choices share a seed"
    assert [step for step in observed if step in chosen] == chosen


def test_a_reset_repeats_games_with_bots_in_python():
    env = VectorEnv("trajan", 2, 3, seed=5, opponents=read_bot("random"))
    runs = []
    for _ in range(3):
        env.reset()
        runs.append([])
        for _ in range(60):
            runs[-1].append(copies(env))
            env.step(env.sample())
    for again in runs[1:]:
        for one, other in zip(runs[0], again, strict=True):
            assert same(one, other)
    fresh = VectorEnv("trajan", 2, 3, seed=5, opponents=read_bot("random"))
    assert same(arrays(fresh), runs[0][0])


class Counter:
    """A player whose choices depend on everything that it has seen."""

    def start(self, seat, players, seed):
        self.total = seed % 1000 + seat

    def choose(self, position, seed):
        self.total += 1
        moves = position.legal_moves()
        return moves[(self.total + seed) % len(moves)]

    def observe(self, position, move):
        self.total += 7 * move


SEARCH = IsmctsBot(name="search", kind="ismcts", iterations=30, tree_megabytes=1)


@pytest.mark.parametrize("bot", ["greedy", SEARCH, Counter], ids=["greedy", "search", "counter"])
def test_copies_with_bots_in_python_continue_alike(bot, monkeypatch):
    if bot is Counter:
        monkeypatch.setattr(python_opponents, "build", lambda *arguments: Counter())
        bot = "greedy"
    steps = (37, 9) if bot is SEARCH else (230, 180)  # the longer ones reach a second game
    env = VectorEnv("trajan", 3, 2, seed=1, opponents=bot, lap_length=8)
    for _ in range(steps[0]):
        env.step(env.sample())
    twins = copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.copy(env))
    for _ in range(steps[1]):
        actions = env.sample().copy()
        for each in (env, *twins):
            each.step(actions)
        assert all(same(arrays(env), arrays(twin)) for twin in twins)


class Lowest:
    """A bot that has no memory and plays the first legal action."""

    def choose(self, observation, seed):
        return observation.legal()[0]


class Remembering:
    """A bot that has a memory: its moves depend on how many moves it has seen."""

    def start(self, seat, players, seed):
        assert not hasattr(self, "seen"), "an object plays in several games"
        self.seat, self.seen = seat, 0

    def choose(self, observation, seed):
        assert observation.player == self.seat
        legal = observation.legal()
        return legal[self.seen % len(legal)]

    def observe(self, observation, move):
        self.seen += 1


def moves_of(env, steps):
    """Step an environment; return the last positions of its games."""
    for _ in range(steps):
        env.step(env.sample())
    return [env.position(i) for i in range(env.count)]


def test_one_bot_plays_like_a_list_of_it():
    for bot in ("greedy", read_bot("greedy"), Lowest()):
        one, other = (
            VectorEnv("trajan", 3, 2, seed=2, opponents=opponents)
            for opponents in (bot, [bot, bot, bot])
        )
        assert moves_of(one, 12) == moves_of(other, 12)


def test_the_opponents_of_a_list_play_at_their_seats(tmp_path):
    path = tmp_path / "bot.yaml"
    path.write_text("kind: greedy\n", encoding="utf-8")
    callers = []

    class Named(Lowest):
        def __init__(self, seat):
            self.seat = seat

        def choose(self, observation, seed):
            assert observation.observer == observation.player == self.seat
            callers.append(self.seat)
            return super().choose(observation, seed)

    env = VectorEnv("trajan", 3, 3, seed=1, opponents=[Named(0), path, Named(2)])
    assert sorted(env.seat) == [0, 1, 2]
    for _ in range(10):
        env.step(env.sample())
    assert {0, 2} == set(callers)


def test_an_object_that_remembers_is_copied_for_every_game():
    bot = Remembering()
    env = VectorEnv("trajan", 2, 3, seed=1, opponents=bot)
    again = VectorEnv("trajan", 2, 3, seed=1, opponents=[bot, Remembering()])
    assert moves_of(env, 30) == moves_of(again, 30)
    assert not hasattr(bot, "seen")


def test_an_opponent_sees_its_moves_and_those_of_the_learner():
    actions, news = [], {0: [], 1: []}  # the latter by seat

    class Seeing:
        def start(self, seat, players, seed):
            self.seat = seat

        def choose(self, observation, seed):
            actions.append(observation.legal()[0])
            return actions[-1]

        def observe(self, observation, move):
            news[self.seat].append(observation.game.actions[move])

    env = VectorEnv("trajan", 2, 1, seed=1, opponents=Seeing())
    for _ in range(10):
        action = env.sample().copy()
        actions.append(env.game.actions[action[0]])
        env.step(action)
    later = iter(news[1 - env.seat[0]])  # also contains forced moves
    assert all(action in later for action in actions)


def test_games_against_objects_are_saved_and_restored():
    env = VectorEnv("trajan", 2, 2, seed=1, opponents=[Lowest(), Remembering()])
    moves_of(env, 20)
    fresh = VectorEnv("trajan", 2, 2, seed=1, opponents=[Lowest(), Remembering()])
    fresh.restore(pickle.loads(pickle.dumps(env.save())))
    assert moves_of(env, 10) == moves_of(fresh, 10)
    with pytest.raises(TrajanError, match="saved with other values of opponents"):
        VectorEnv("trajan", 2, 2, seed=1, opponents=[Lowest(), Lowest()]).restore(env.save())


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        (["greedy"], "opponents must be one bot or a list of 2 bots, got 1"),
        (["policy", "random"], "the opponent 'policy' must play at all other seats"),
        (["greedy", "nobody"], "nobody: there is no such file"),
        (object(), "has no method choose"),
        ([Lowest(), 3], "has no method choose"),
    ],
)
def test_opponents_that_cannot_play_are_rejected(opponents, message):
    with pytest.raises(TrajanError, match=message):
        VectorEnv("trajan", 2, 1, opponents=opponents)


@pytest.mark.parametrize("answer", [-1, 9999, 344, 2.0, "sow I", None, True])
def test_illegal_answers_of_bots_are_reported(answer, monkeypatch):
    monkeypatch.setattr(GreedyPlayer, "choose", lambda self, position, seed: answer)
    with pytest.raises(
        TrajanError, match=r"the bot of player \d answered .* is not legal; legal: "
    ):
        VectorEnv("trajan", 2, 2, seed=1, opponents="greedy")


def test_rewards_by_margin():
    env = VectorEnv("trajan", 2, 64, seed=1, reward="margin", margin_scale=10, observations=None)
    while not env.done.any():
        env.step(env.sample())
    i = int(np.flatnonzero(env.done)[0])
    margin = float(env.scores[i, 0] - env.scores[i, 1])
    expected = margin / (margin**2 + 100) ** 0.5
    assert env.rewards[i].tolist() == pytest.approx([expected, -expected])
    assert env.observations.shape == (64, 0)


def test_players_who_tie_share_the_reward():
    position = before_a_tie()
    env = VectorEnv(position.game, 2, 1, seed=1)
    env.reset(positions=[position])
    env.step([position.game.move("no build")])
    check_end(env, 0, position.after("no build"))
    assert env.rewards.tolist() == [[0, 0]]


def test_floats_are_features_divided_by_their_highest_values():
    small, large = (VectorEnv("trajan", 2, 8, observations=kind) for kind in ("uint8", "float32"))
    highest = np.array([feature.highest for feature in large.features])
    for _ in range(60):
        for env in (small, large):
            env.step(env.sample())
    assert np.allclose(small.observations / highest, large.observations)
    assert large.observations.max() <= 1


def test_an_illegal_action_changes_nothing():
    env = VectorEnv("trajan", 2, 3, seed=1)
    before, positions = copies(env), [env.position(i) for i in range(3)]
    wrong = env.sample().copy()
    wrong[1] = trajan_ai.game("trajan").move("pass")
    with pytest.raises(TrajanError, match=r"actions\[1\]: 'pass' \(\d+\) is not legal; legal: "):
        env.step(wrong)
    with pytest.raises(TrajanError, match=r"actions\[0\]"):  # not truncated to another move
        env.step(env.sample().astype(np.int64) + (1 << 32))
    assert same(before, arrays(env))
    assert positions == [env.position(i) for i in range(3)]


@pytest.mark.parametrize("opponents", [None, "random"])
def test_saved_games_continue_alike(opponents):
    env = VectorEnv("trajan", 2, 6, seed=1, opponents=opponents)
    for _ in range(90):
        env.step(env.sample())
    saved, twin = env.save(), pickle.loads(pickle.dumps(env))
    later = []
    for _ in range(120):
        env.step(env.sample())
        later.append(copies(env))
    env.restore(saved)
    for then in later:
        for again in (env, twin):
            again.step(again.sample())
            assert same(then, arrays(again))
    with pytest.raises(TrajanError, match="saved with other values of count, seed"):
        VectorEnv("trajan", 2, 5, seed=2, opponents=opponents).restore(saved)


def test_games_start_from_positions():
    starts = VectorEnv("trajan", 2, 3, seed=8, opponents="random")
    for _ in range(9):
        starts.step(starts.sample())
    positions = [starts.position(i) for i in range(3)]
    env = VectorEnv("trajan", 2, 3, seed=1)
    env.reset(positions=positions)
    assert [env.position(i) for i in range(3)] == positions
    assert env.player.tolist() == [position.player for position in positions]
    for i in range(3):
        check_arrays_show_the_position(env, i)
    env.reset(positions=positions[:1])
    assert env.position(2) == positions[0]


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([], "there must be 1 or 2 positions, got 0"),
        (
            [trajan_ai.game("trajan").start(3)],
            r"positions\[0\] must be a position of trajan with 2 players",
        ),
        ([KUHN.start(2)], r"positions\[0\] must be a position of trajan with 2 players"),
    ],
)
def test_wrong_positions_are_rejected(positions, message):
    env = VectorEnv("trajan", 2, 2, seed=1)
    before = copies(env)
    with pytest.raises(TrajanError, match=message):
        env.reset(positions=positions)
    assert same(before, arrays(env))


def test_missing_games_are_reported():
    env = VectorEnv("trajan", 2, 1)
    with pytest.raises(TrajanError, match="no game has ended at index 0 yet"):
        env.final(0)
    for index in (-1, 1):
        with pytest.raises(TrajanError, match=f"index must be 0 to 0, got {index}"):
            env.position(index)


@pytest.mark.parametrize("actions", [[1, 2], [0.0, 1.0, 2.0], 3, [[1, 2, 3]]])
def test_actions_are_integers_one_per_game(actions):
    env = VectorEnv("trajan", 2, 3, seed=1)
    with pytest.raises(TrajanError, match="actions must be 3 integers, got an array of "):
        env.step(actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 0}, "count must be an integer from 1, got 0"),
        ({"threads": 1.5}, "threads must be an integer from 1, got 1.5"),
        ({"players": 5}, "players must be 2, 3 or 4, got 5"),
        ({"reward": "gold"}, "reward must be 'win' or 'margin', got 'gold'"),
        ({"observations": "int8"}, "observations must be None or 'uint8' or 'float32'"),
        ({"opponents": "nobody"}, "nobody"),
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"colour": 1}, "unknown option 'colour'"),
        ({"margin_scale": 0.0}, "margin_scale must be above 0, got 0.0"),
    ],
)
def test_wrong_arguments_are_rejected(arguments, message):
    chosen = {"game": "trajan", "players": 2, "count": 2, **arguments}
    with pytest.raises(TrajanError, match=message):
        VectorEnv(**chosen)


def test_a_game_without_features_has_no_observations():
    env = VectorEnv(KUHN, 2, 50, seed=1, observations=None)
    for _ in range(20):
        env.step(env.sample())
    assert set(np.unique(env.mask.sum(axis=1))) == {2}
    with pytest.raises(TrajanError, match="has no features for learners"):
        VectorEnv(KUHN, 2, 1)
    with pytest.raises(TrajanError, match="has no policy for opponents"):
        VectorEnv(KUHN, 2, 1, observations=None, opponents="policy")


@pytest.mark.needs("gymnasium", "pettingzoo", "pyspiel")
def test_the_programs_of_the_page_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_programs("docs/adapters.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1198 64 ['own.score', 'own.tray.I.blue', 'own.tray.I.green']"
    assert lines[1].endswith("(512, 1198) (512, 345)")
    assert lines[-2].startswith("marker ")
    assert float(lines[-1]) > 0
