"""The example game in Python passes the conformance kit, and errors in its code are reported."""

import pickle
import re
from ctypes import Structure, c_uint8
from pathlib import Path

import pytest
from calls import ROOT, problems

from trajan_ai import play, search
from trajan_ai.adapters.batch import rollout
from trajan_ai.adapters.vector import VectorEnv
from trajan_ai.bots import read_bot
from trajan_ai.bots.game_loop import BotFailed
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.games.kit.python_game import PythonRules
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.testing import CHECKS, ConformanceError, check_game

SLOW = {"reused_tree_sees_no_secrets", "forced_moves_stay_hidden", "determinize_is_uniform"}


def test_the_example_has_at_most_140_lines():
    text = (ROOT / "docs/python_game/src/hoard/__init__.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 140


@pytest.mark.long
def test_every_promise_is_kept(sketch):
    report = check_game(
        sketch.GAME, checks=[name for name in CHECKS if name not in SLOW], scale=0.15
    )
    assert report.decisions > 50


@pytest.mark.long
def test_slow_promises_are_kept(sketch):
    check_game(sketch.GAME, players=[2], checks=sorted(SLOW))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_plays_like_the_compiled_game(sketch, hoard, players):
    for seed in range(10):
        random = Random(seed)
        one = sketch.GAME.start(players, seed)
        other = hoard.restore(players, one.origin[2])
        while one.player is not None:
            assert (one.player, one.turn, one.legal()) == (other.player, other.turn, other.legal())
            assert one.scores == other.scores
            action = one.legal()[random.below(len(one.legal()))]
            for observer in (None, 0, 1):
                assert one.events(action, observer) == other.events(action, observer)
            one, other = one.after(action), other.after(action)
        assert other.player is None
        assert one.scores == other.scores


def test_it_is_searched_played_and_stepped_like_any_game(sketch):
    position = sketch.GAME.start(3, seed=2)
    one, other = (search(position, iterations=60, seed=5) for _ in range(2))
    assert [move.visits for move in one.moves] == [move.visits for move in other.moves]
    assert 1 in play(sketch.GAME, ["greedy", "random"], seed=1)["ranks"]
    assert pickle.loads(pickle.dumps(position)) == position
    env = VectorEnv(sketch.GAME, 2, 4, seed=1)
    for _ in range(40):
        env.step(env.sample())
        for i, row in enumerate(env.observations):
            assert row.tobytes() == env.position(i).features(env.player[i])
    assert env.scores.any()
    assert env.observations.any()


def test_the_smallest_legal_move_is_reported_as_a_leak(sketch, monkeypatch):
    def smallest_legal(rules, state, move, observer):
        return move if move < sketch.KEEP else rules.legal(state)[0]

    monkeypatch.setattr(type(sketch.GAME.rules), "observed", smallest_legal)
    with pytest.raises(ConformanceError, match="smallest of the moves that look the same"):
        check_game(sketch.GAME, checks=["observed_moves"], players=[2])


class Coins(PythonRules):
    """Two players take one or two coins in turn; if one coin is left, taking it is forced."""

    name = "coins"
    actions = ("one", "two")
    player_counts = (2,)

    class State(Structure):
        _fields_ = (("made", c_uint8), ("coins", c_uint8), ("taken", c_uint8 * 2))

    def begin(self, state, players, options, setup):
        state.coins = 8

    def player(self, state):
        return state.made % 2 if state.coins else None

    def turn(self, state):
        return state.made

    def legal(self, state):
        return [0, 1] if state.coins > 1 else [0]

    def step(self, state, move):
        state.coins -= move + 1
        state.taken[state.made % 2] += move + 1
        state.made += 1

    def scores(self, state):
        return list(state.taken)

    def show(self, state, player):
        return {"coins": state.coins, "taken": list(state.taken)}


COINS = Coins().make_game(f"{__name__}:COINS")


@pytest.fixture
def broken(monkeypatch):
    """Return a function that makes the game's function `name` return or raise a given `result`."""

    def replace(name, result):
        def function(*arguments):
            if isinstance(result, Exception):
                raise result
            return result

        function.__name__ = name
        monkeypatch.setattr(COINS.rules, name, function)

    return replace


def test_a_game_without_secrets_needs_few_functions():
    check_game(COINS, scale=0.3)
    assert not COINS.hidden_information
    with pytest.raises(TrajanError, match="coins: players must be 2, got 3"):
        COINS.start(3)
    with pytest.raises(TrajanError, match="coins: setup must have the keys"):
        COINS.restore(2, {"deck": []})


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"name": "win"}, "events must be play, keep, draw, bonus, got 'win'"),
        ({"name": "play", "thing": "9"}, "things of play must be 1, 2, 3, 4, 5, 6, got '9'"),
        ({"name": "play", "vp": 1}, "event play: VP need a player and a source"),
        (
            {"name": "play", "player": 0, "vp": 1, "source": "x"},
            "sources of VP must be played, bonus, got 'x'",
        ),
        ({"name": "draw", "player": 9}, "event draw: player must be 0 to 3"),
        ({"name": "draw", "known_by": [7]}, "players must be 0 to 3, got [7]"),
        ({"name": "draw", "count": 40000}, "event draw: numbers must be -32767 to 32767"),
    ],
)
def test_wrong_events_are_reported(sketch, event, problem, monkeypatch):
    rules = sketch.GAME.rules
    position = sketch.GAME.start(2, seed=1)
    monkeypatch.setattr(rules, "step", lambda state, move: rules.happen(**event))
    with pytest.raises(TrajanError, match=re.escape(problem)) as caught:
        position.events(position.legal()[0])
    assert Path(__file__).name in str(caught.value)  # the place where the game reports the event


@pytest.mark.parametrize(
    "call",
    [
        lambda position: position.after("two"),
        lambda position: position.heard(1, 0) and position.after_move(1),
        lambda position: search(position, iterations=100),
        lambda position: search(position, iterations=100, threads=2),
        lambda position: rollout(position, 1),
        lambda position: greedy_move(position, 0, 1),
        lambda position: VectorEnv(COINS, 2, 2, observations=None).step([1, 1]),
        lambda position: play(COINS, ["random", "random"]),
    ],
)
def test_an_exception_surfaces_once_as_one_line(broken, call):
    position = COINS.start(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COINS.rules, "step", lambda state, move: state.lost)
        (problem,) = problems(call, position)
    assert (
        "coins: <lambda>() raises AttributeError: 'State' object has no attribute 'lost'"
        in problem
    )
    assert "test_python_game.py:" in problem
    assert position.after("two").scores == [2, 0]  # the exception has no later effect


def test_an_exception_in_a_search_surfaces_in_one_line(sketch, monkeypatch):
    """A game between bots ends with the line, too, although it names the bot that searched."""

    def determinize(*arguments):
        raise RuntimeError("no more cards")

    monkeypatch.setattr(sketch.GAME.rules, "determinize", determinize)
    words = f"determinize() raises RuntimeError: no more cards ({Path(__file__).parent}"
    (problem,) = problems(search, sketch.GAME.start(2, seed=1), iterations=10)
    assert words in problem
    bots = [read_bot("ismcts").model_copy(update={"iterations": 10}), "random"]
    with pytest.raises(BotFailed) as caught:
        play(sketch.GAME, bots)
    assert words in caught.value.failure.message


@pytest.mark.parametrize(
    ("name", "result", "text"),
    [
        ("player", 2, "player() must return a whole number from 0 to 1, got 2"),
        ("turn", -1, "turn() must return a whole number from 0 to 2147483646, got -1"),
        ("turn", None, "turn() must return a whole number from 0 to 2147483646, got None"),
        ("legal", [2], "legal() must return whole numbers from 0 to 1, got [2]"),
        ("legal", 1, "legal() must return whole numbers from 0 to 1, got 1"),
        ("legal", [], "legal() must return at least one move, each once, got []"),
        ("legal", [1, 1], "legal() must return at least one move, each once, got [1, 1]"),
        ("scores", [1], "scores() must return 2 whole numbers from -2147483647 to"),
        ("scores", [0, 2**40], "scores() must return 2 whole numbers from -2147483647 to"),
        ("scores", [0.5, 1], "scores() must return 2 whole numbers from -2147483647 to"),
    ],
)
def test_wrong_results_are_rejected(broken, name, result, text):
    position = COINS.start(2)
    broken(name, result)
    (problem,) = problems(position.after, "one")
    assert problem.startswith(f"coins: {text}")
    (problem,) = problems(search, position, iterations=50)
    assert problem.startswith(f"coins: {text}")


def test_wrong_ranks_are_rejected(broken):
    position = COINS.start(2)
    broken("ranks", [0, 1])
    with pytest.raises(TrajanError, match=r"ranks\(\) must return 2 whole numbers from 1 to 2"):
        rollout(position, 3)


@pytest.mark.parametrize(("player", "draws"), [(1, 3), (0, 1), (None, 1)])
def test_a_drawn_position_gives_another_player_a_choice(monkeypatch, player, draws):
    """A position is drawn again as long as a player other than player 0 has only one move."""
    drawn = []

    def determinize(state, observer, random):
        drawn.append(observer)

    monkeypatch.setattr(COINS.rules, "determinize", determinize)
    monkeypatch.setattr(COINS.rules, "player", lambda state: player)
    monkeypatch.setattr(COINS.rules, "legal", lambda state: [0, 1][: 1 + (len(drawn) > 2)])
    COINS.rules.draw_hidden(None, 0, None)
    assert drawn == [0] * draws


def test_endless_forced_moves_are_reported(broken):
    position = COINS.start(2)
    broken("legal", [0])
    broken("step", None)
    assert problems(position.after, "one") == ("coins: more than 10000 forced moves in a row",)


def test_an_interrupt_ends_a_search(broken):
    def interrupt(state, move):
        raise KeyboardInterrupt

    position = COINS.start(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COINS.rules, "step", interrupt)
        with pytest.raises(KeyboardInterrupt):
            search(position, iterations=50)
    assert position.after("one").player == 1
