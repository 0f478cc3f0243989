"""`trajan_ai.play` plays one game, with the same loop, seeds and record as `trajan-ai play`."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
import yaml
from failing_bots import write_bots
from running import children, lives, until

import trajan_ai
from trajan_ai import TrajanError, records
from trajan_ai.bots import build, parse_bot, read_bot
from trajan_ai.bots.game_loop import BotFailed, BotTimes, play_game
from trajan_ai.cli.main import main
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import Document
from trajan_ai.games import game
from trajan_ai.games.reference import KUHN, NIM
from trajan_ai.mcts import Settings, search
from trajan_ai.tournaments import game_task


class First:
    def start(self, seat, players, seed): ...

    def choose(self, position, seed):
        return position.legal_moves()[0]

    def observe(self, position, move): ...


class Raising(First):
    def choose(self, position, seed):
        raise RuntimeError("no idea, " + "x" * 10_000)


def test_play_returns_a_record_that_is_verified():
    entry = trajan_ai.play("trajan", ["random", "greedy", "random"], seed=3, lap_length=10)
    assert entry["players"] == 3
    assert entry["options"] == {"lap_length": 10}
    assert records.verify(entry).position.scores == entry["scores"]
    assert [bot["name"] for bot in entry["x_bots"]] == ["random", "greedy", "random"]


def test_the_seed_decides_everything():
    first, again, other = (trajan_ai.play("trajan", ["random"] * 2, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first["setup"] != other["setup"]


def test_bots_are_names_files_descriptions_or_players(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("kind: ismcts\niterations: 5\n")
    entry = trajan_ai.play("trajan", ["random", path, trajan_ai.read_bot("greedy"), First()])
    assert [bot["name"] for bot in entry["x_bots"]] == ["random", "mine", "greedy", "First"]
    assert records.replay(entry).ranks == entry["ranks"]


def test_play_and_the_command_give_the_same_games(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    words = ["play", "trajan", "--bots", "random,greedy", "--games", "2", "--seed", "7"]
    assert main([*words, "--option", "lap_length=10", "--out", str(out)]) == 0
    written = records.read(out)
    assert written[0] == trajan_ai.play("trajan", ["random", "greedy"], seed=7, lap_length=10)
    assert [bot["name"] for bot in written[1]["x_bots"]] == ["greedy", "random"]


def test_a_game_can_be_a_handle_or_a_name():
    with pytest.raises(TrajanError, match="no game is called 'nim'"):
        trajan_ai.play("nim", ["random", "random"])
    assert trajan_ai.play(NIM, ["random", "random"])["ranks"]
    by_name = trajan_ai.play("trajan_ai.games.reference:NIM", ["random", "random"])
    assert by_name == trajan_ai.play(NIM, ["random", "random"])


def test_bad_input_is_rejected_before_the_game():
    with pytest.raises(TrajanError, match="unknown option"):
        trajan_ai.play("trajan", ["random", "greedy"], lapp=3)
    with pytest.raises(TrajanError, match="prior: game needs knowledge"):
        trajan_ai.play(KUHN, ["expert", "expert"])
    with pytest.raises(TrajanError, match="there is no such file"):
        trajan_ai.play("trajan", ["random", "nobody"])


class Unbuildable:
    def __init__(self, game):
        raise RuntimeError("not today")


class NeverReady(First):
    def start(self, seat, players, seed):
        raise RuntimeError("not today")


def unbuildable():
    settings = {"name": "n", "kind": "python", "class": f"{__name__}:Unbuildable"}
    return parse_bot(Document("bot", settings, {}))


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Raising, r"player 1, ply [1-9].*: RuntimeError: no idea, xxx"),
        (unbuildable, r"player 1, ply 0.*: RuntimeError: not today"),
        (NeverReady, r"player 1, ply 0.*: RuntimeError: not today"),
    ],
)
def test_an_exception_of_a_bot_ends_the_game_with_its_message(bot, message):
    with pytest.raises(BotFailed, match=message) as caught:
        trajan_ai.play("trajan", ["random", bot()])
    failure = caught.value.failure
    assert (failure.seat, failure.kind) == (1, "raised")
    assert len(failure.message) <= 300
    if bot is not unbuildable:  # this bot raised its error in another process
        assert isinstance(caught.value.__cause__, RuntimeError)


FAILURES = {
    "Dies": "died: its process ended with exit status 7",
    "Hangs": "late: its turn took longer than its seconds_per_turn",
}


@pytest.mark.slow
def test_bots_neither_end_nor_block_the_command(tmp_path):
    """If these bots ran in the process of the command, they would end the command, ignore their
    time limit, or write into the command's output."""
    for name, file in write_bots(tmp_path).items():
        words = ["play", "trajan", "--bots", f"{file},random", "--games", "2"]
        done = subprocess.run(
            [sys.executable, "-m", "trajan_ai", *words],
            timeout=60,
            check=False,
            capture_output=True,
            text=True,
        )
        if name in FAILURES:
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.count(FAILURES[name]) == 2
        else:
            assert (done.returncode, done.stderr) == (0, "")
            assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
                "game 0",
                "game 1",
            ]


@pytest.mark.parametrize("name", FAILURES)
def test_a_bot_from_a_file_plays_in_another_process(tmp_path, name):
    with pytest.raises(BotFailed, match=FAILURES[name].partition(": ")[2]):
        trajan_ai.play("trajan", [write_bots(tmp_path)[name], "random"])


def test_the_process_of_a_player_ends_with_it(tmp_path, capfd):
    before = set(children(os.getpid()))
    player = build(read_bot(write_bots(tmp_path)["Prints"]), game("trajan"))
    player.start(0, 2, 1)
    position = game("trajan").start(2, 1)
    assert player.choose(position, 1) in position.legal_moves()
    new = set(children(os.getpid())) - before
    assert new
    del player
    assert until(lambda: not new & set(children(os.getpid())))
    assert capfd.readouterr() == ("", "")


LEAVES_A_DAEMON = """
import os, pathlib, time

class Forks:
    def choose(self, observation, seed):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                pathlib.Path(__file__).with_name("daemon").write_text(str(os.getpid()))
                time.sleep(300)
            os._exit(0)
        time.sleep(300)
"""


@pytest.mark.slow
def test_a_killed_command_leaves_no_process_of_a_bot(tmp_path):
    (tmp_path / "forks.py").write_text(LEAVES_A_DAEMON)
    bot, daemon = tmp_path / "forks.yaml", tmp_path / "daemon"
    bot.write_text("kind: python\nclass: forks:Forks\n")
    words = ["play", "trajan", "--bots", f"{bot},random"]
    with subprocess.Popen([sys.executable, "-m", "trajan_ai", *words]) as run:
        assert until(lambda: daemon.exists() and daemon.read_text(), 60)
        run.kill()
    pid = int(daemon.read_text())
    ended = until(lambda: not lives(pid), 5)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    assert ended


def test_a_plan_measures_bots_in_another_process(tmp_path, capsys):
    dies = read_bot(write_bots(tmp_path)["Dies"]).model_copy(update={"seconds_per_turn": None})
    cost = game_task.estimate_cost("trajan", 2, {}, [dies, read_bot("random")])
    assert (cost.seconds[0], cost.decisions) == (0.0, (0, game_task.SAMPLES))
    (failure,) = cost.failures
    assert failure.startswith("bot Dies failed when its time was measured: ")


@pytest.mark.parametrize(
    ("answer", "message"),
    [("99999", "chose 99999, which is not a legal move"), ("sleep(60)", "no answer within 1 s")],
)
def test_a_plan_reports_bots_that_would_lose_every_game(tmp_path, capsys, answer, message):
    (tmp_path / "bad_bot.py").write_text(
        "from time import sleep\n\n\nclass Bad:\n"
        f"    def choose(self, observation, seed):\n        return {answer}\n"
    )
    (tmp_path / "bad.yaml").write_text("kind: python\nclass: bad_bot:Bad\n")
    (tmp_path / "plan.yaml").write_text(
        "game: trajan\nbots: [bad.yaml, random]\nplayers: [2, 3]\ndeals: 1\n"
        "limits: {patience: 1.0}\n"
    )
    words = ["tournament", str(tmp_path / "plan.yaml"), "--out", str(tmp_path / "out"), "--plan"]
    assert main(words) == 1
    failure = f"bot bad failed when its time was measured: {message}"
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 games with 2 players"
    assert lines[2:] == [f"the time is not known: {failure}"]
    assert main([*words, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["games"]["2"], data["seconds"], data["failures"]) == (2, None, [failure])


SLOW = """
import time

class Slow:
    def __init__(self, game, start=0.0, choose=0.0, observe=0.0):
        self.seconds = {"choose": choose, "observe": observe}
        time.sleep(start)

    def choose(self, observation, seed):
        time.sleep(self.seconds["choose"])
        return observation.legal_moves()[0]

    def observe(self, observation, move):
        time.sleep(self.seconds["observe"])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [({"start": 1.0}, 1.0), ({"choose": 0.05}, 3.5), ({"observe": 0.02}, 2.8), ({}, 0.0)],
)
def test_a_plan_measures_all_that_a_bot_does(tmp_path, options, expected):
    """A game has about 140 decisions, half of which the bot makes. The bot's time limit does not
    serve as an estimate."""
    (tmp_path / "slow.py").write_text(SLOW)
    settings = {
        "kind": "python",
        "class": "slow:Slow",
        "options": options,
        "seconds_per_turn": 9.0,
    }
    (tmp_path / "slow.yaml").write_text(yaml.safe_dump(settings))
    bot = read_bot(tmp_path / "slow.yaml")
    cost = game_task.estimate_cost("trajan", 2, {}, [bot, read_bot("greedy")])
    assert 0.6 * expected <= cost.seconds[0] < 3 * expected + 1
    assert cost.decisions[0] > 10
    assert cost.decisions[1] == 3


def test_a_plan_expects_that_a_search_uses_up_its_time():
    bot = read_bot("ismcts").with_settings(iterations=None, seconds_per_turn=0.5)
    cost = game_task.estimate_cost("trajan", 2, {}, [bot])
    assert cost.decisions == (0,)
    assert 5 < cost.seconds[0] < 40


def test_the_clock_of_turns_by_hand():
    clock = BotTimes.start(2)
    clock.add(0, 1.0, 2.0)  # before any turn, only CPU time counts
    for seat, turn, seconds in ((0, 0, 1.0), (0, 0, 2.0), (1, 1, 5.0), (0, 2, 1.5)):
        clock.begin(seat, turn)
        clock.add(seat, seconds, 0.5)
    assert clock.turns == [2, 1]
    assert clock.seconds == [4.5, 5.0]
    assert clock.longest == [3.0, 5.0]
    assert clock.cpu == [3.5, 0.5]


class Noting:
    def __init__(self):
        self.seeds = []

    def choose(self, observation, seed):
        self.seeds.append(seed)
        return observation.legal()[0]


class Hearing(First):
    def __init__(self):
        self.heard = []

    def observe(self, position, move):
        self.heard.append(move)


def test_every_bot_observes_every_public_move():
    bots = [Hearing(), Hearing()]
    played = play_game(NIM, bots, (1, 5), {})
    moves = [NIM.move(action) for _, action in played.actions]
    assert [bot.heard for bot in bots] == [moves, moves]


def test_the_seeds_of_a_bot_count_its_own_decisions():
    bots = [Noting(), Noting()]
    play_game(NIM, bots, (1, 5), {})
    for seat, bot in enumerate(bots):
        numbers = range(len(bot.seeds))
        assert bot.seeds == [derive_seed("choose", 5, seat, number) for number in numbers]
    assert len(bots[0].seeds) > 1


# --- games that a script plays and records, with moves taken back and time measured


def test_moves_can_be_pushed_and_popped(monkeypatch):
    now = iter(range(0, 1000, 5))
    monkeypatch.setattr("trajan_ai.records.scripted_game.time.monotonic", lambda: next(now))
    table = trajan_ai.Table("trajan", 2, seed=1, lap_length=10)
    start = table.position
    assert start == trajan_ai.game("trajan").start(2, 1, lap_length=10)
    first = table.push(start.legal()[0].upper())
    assert table.seconds == [5.0, 0.0]
    later = [5.0 + 5.0 * (first.player == 0), 5.0 * first.player]
    second = table.push(first.legal_moves()[1])
    assert table.positions == [start, first, second]
    assert table.seconds == later
    assert table.pop() == first.legal()[1]
    assert table.position == first
    assert table.seconds == later, "time is not given back"
    with pytest.raises(TrajanError, match="'jump'"):
        table.push("jump")
    assert (table.position, table.actions) == (first, [(0, start.legal()[0])])
    table.pop()
    with pytest.raises(TrajanError, match="no move to take back"):
        table.pop()


def test_a_game_is_recorded():
    table = trajan_ai.Table(trajan_ai.game("forum_trajanum"), 3, seed=2)
    while table.position.player is not None:
        table.push(table.position.legal_moves()[-1])
    assert records.verify(table.record()).position == table.position
    alone = trajan_ai.Table(table.position.game.from_bytes(table.positions[7].to_bytes()))
    with pytest.raises(TrajanError, match="has no setup"):
        alone.record()


def test_results_are_tables():
    """In both HTML and text, the first column contains the actions, with the best one on top."""
    position = trajan_ai.game("trajan").start(2, seed=7)
    result = search(InformationSet(position), Settings(), iterations=50)
    for analysis in (result, trajan_ai.search(position, iterations=50)):
        html = analysis._repr_html_()
        rows = re.findall(r"<tr><td>(.*?)</td>", html)
        assert rows == [move.action for move in analysis.moves]
        lines = str(analysis).splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("action"))
        rows_printed = [line for line in lines[at + 1 :] if line.startswith(tuple(rows))]
        assert [line.startswith(row) for line, row in zip(rows_printed, rows, strict=True)]
