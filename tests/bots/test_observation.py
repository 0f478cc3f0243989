"""A fair bot receives only its player's knowledge; test_twins.py compares this byte for byte."""

import pickle
from types import SimpleNamespace

import pytest
from random_games import positions

import trajan_ai
from trajan_ai.bots import build, read_bot
from trajan_ai.bots.minds import (
    LocalMind,
    MindFailed,
    ObservingPlayer,
    format_exception,
    get_call_limit,
)
from trajan_ai.bots.observation import Observation
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import game
from trajan_ai.games.reference import NIM

GAMES = (game("trajan"), game("forum_trajanum"))


def mine(folder, body, settings=""):
    """Write a bot, whose class `Mine` has this body; return the bot's file."""
    (folder / "mine.py").write_text(f"class Mine:\n{body}\n")
    path = folder / "mine.yaml"
    path.write_text(f"kind: python\nclass: mine:Mine\n{settings}")
    return path


def test_an_observation_does_not_contain_the_true_deal():
    position = next(p for p in positions(GAMES[0].start(4, 1), 1) if p.ply == 30)
    held = Observation(position, 1)
    text = pickle.dumps(held)
    assert position.to_bytes() not in text
    assert held.determinized(3).to_bytes() == position.determinized(1, 3).to_bytes()
    assert held.view() == position.view(1)
    with pytest.raises(TrajanError, match=r"does not see the true position: use determinized"):
        _ = held.position
    assert Observation(position, 1, cheats=True).position == position


@pytest.mark.parametrize("handle", GAMES, ids=lambda handle: handle.name)
def test_an_observation_has_the_legal_moves_of_its_observer(handle):
    for position in positions(handle.start(3, 2), 4):
        for observer in range(3):
            held = Observation(position, observer, noticed=position.ply)
            mine = position.player == observer
            assert held.legal_moves() == (position.legal_moves() if mine else [])
            assert held.legal() == (position.legal() if mine else [])
            assert (held.player, held.turn, held.ply) == (
                position.player, position.turn, position.ply,
            )  # fmt: skip
            assert pickle.loads(pickle.dumps(held)) == held


def test_an_observation_has_the_moves_since_the_last_decision():
    entry = trajan_ai.play("forum_trajanum", [Talker(), "random", Talker()], seed=3)
    assert entry["scores"]
    assert Talker.moves_observed > 100


class Clock:
    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(
            "trajan_ai.bots.minds.time", SimpleNamespace(monotonic=lambda: self.now)
        )


def test_the_seconds_of_an_observation_are_the_time_left_for_the_turn(monkeypatch):
    """Each decision takes 0.75 s of a turn's 2 s; the next turn begins with 2 s again."""
    clock = Clock(monkeypatch)

    class Slow:
        observes, seconds, limits = False, [], []

        def start(self, seat, players, seed): ...

        def choose(self, observation, seed):
            self.seconds.append((observation.turn, observation.seconds))
            self.limits.append(get_call_limit(observation, 2.0, 60.0))
            clock.now += 0.75
            return observation.legal_moves()[0]

    player = ObservingPlayer(Slow(), seconds=2.0)
    player.start(0, 2, 1)
    position = GAMES[0].start(2, 1)
    while position.turn < 8:
        if position.player == 0:
            position = position.after_move(player.choose(position, 1))
        else:
            position = position.after_move(position.legal_moves()[0])
    by_turn = {}
    for turn, seconds in Slow.seconds:
        by_turn.setdefault(turn, []).append(seconds)
    for values in by_turn.values():
        assert values == [max(2.0 - 0.75 * number, 0.0) for number in range(len(values))]
    assert len(by_turn) > 2
    assert max(map(len, by_turn.values())) > 3
    # A turn may exceed its 2 s by 10 % plus 0.25 s, regardless of its number of decisions.
    left = [max(2.45 - 0.75 * n, 0.0) for values in by_turn.values() for n in range(len(values))]
    assert [limit.seconds for limit in Slow.limits] == pytest.approx(left)
    assert {(limit.kind, limit.message) for limit in Slow.limits} == {
        ("late", "its turn took longer than its seconds_per_turn of 2 s plus a grace of 0.45 s")
    }


class Talker:
    """A bot that checks that it observes each noticeable decision exactly once and in order."""

    moves_observed = 0

    def start(self, seat, players, seed):
        self.seat, self.ply = seat, 0

    def choose(self, observation, seed):
        self.ply += len(observation.moves)
        assert observation.ply == self.ply
        actions = set(observation.game.actions)
        assert all(action in actions for _, action in observation.moves)
        Talker.moves_observed += len(observation.moves)
        return observation.legal()[-1]


def test_a_cheating_bot_sees_the_true_position(tmp_path):
    body = "    def choose(self, seen, seed):\n        return seen.position.legal_moves()[0]"
    with pytest.raises(trajan_ai.bots.game_loop.BotFailed, match="a fair bot does not see"):
        trajan_ai.play("trajan", [mine(tmp_path, body), "random"])
    path = mine(tmp_path, body, "cheat: true\n")
    assert trajan_ai.play("trajan", [path, "random"])["x_bots"][0]["cheat"] is True


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("    pass", r"mine.py:1: Mine has no method choose"),
        ("    choose = 3", r"mine.py:1: Mine.choose is not a method"),
        (
            "    def choose(self): ...",
            r"mine.py:2: Mine.choose must take \(self, observation, seed",
        ),
        (
            "    def choose(self, o, s): ...\n    def start(self): ...",
            r"mine.py:3: Mine.start must take \(self, seat, players, seed\)",
        ),
        (
            "    def choose(self, o, s): ...\n    def observe(self, o): ...",
            r"mine.py:3: Mine.observe must take \(self, observation, move\)",
        ),
        (
            "    def __init__(self): ...\n    def choose(self, o, s): ...",
            r"mine.py:2: must be called as \(game, ",
        ),
        (
            "    def __init__(self, game):\n        raise OSError('no net')\n"
            "    def choose(self, o, s): ...",
            r"mine.py:3: OSError: no net",
        ),
        ("    def choose(self, o, s):\n        return {}['x']", r"mine.py:3: KeyError: 'x'"),
    ],
)
def test_errors_of_a_bot_have_file_and_line(tmp_path, body, complaint):
    path = mine(tmp_path, body)
    read_bot(path)
    with pytest.raises(trajan_ai.bots.game_loop.BotFailed, match=complaint) as caught:
        trajan_ai.play("trajan", [path, "random"])
    assert caught.value.failure.seat == 0


def test_options_for_a_class_without_a_constructor_are_rejected(tmp_path):
    path = mine(tmp_path, "    def choose(self, o, s): ...", "options: {depth: 3}\n")
    with pytest.raises(MindFailed, match=r"mine.py:1: Mine has no __init__\(self, game"):
        build(read_bot(path), NIM).start(0, 2, 1)


def test_an_invalid_answer_becomes_text():
    class Odd:
        def choose(self, observation, seed):
            return 1.5

    mind = LocalMind(Odd())
    answer = mind.choose(Observation(NIM.start(2, 1), 0), 0)
    assert answer.text == "1.5"
    assert format_exception(TrajanError("no such thing")) == "no such thing"
