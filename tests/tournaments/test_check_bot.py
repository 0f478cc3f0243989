"""`trajan-ai check-bot` reports the errors of a bot, with their places, and the bot's speed."""

import json
import sys
from types import SimpleNamespace

import pytest
from golden_games import golden
from plans import NIM, outputs, plan

from trajan_ai import records
from trajan_ai.bots import read_bot
from trajan_ai.cli.main import main
from trajan_ai.tournaments import checking, runner
from trajan_ai.tournaments.output import write_outputs

FAIR = "class Mine:\n    def choose(self, observation, seed):\n        return {choice}\n"


def checked(capsys, tmp_path, text, *words, settings=""):
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "mine.yaml").write_text(f"kind: python\nclass: mine:Mine\n{settings}")
    status = main(["check-bot", str(tmp_path / "mine.yaml"), *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_bot_is_checked_until_it_fails_once():
    bot = read_bot("random")
    times = SimpleNamespace(turns=[2, 3], seconds=[0.5, 0.25], longest=[0.125, 0.25])
    record = records.dumps(golden())
    decisions = [player for player, _ in golden()["actions"]]

    class Guard:
        def play(self, task):
            failure = "failed" if task.id == "check-2" else None
            return SimpleNamespace(failure=failure, record=record, times=times)

    trial = checking.Trial(bot, bot, count=6)
    report = checking._check_game(Guard(), trial, "trajan", lambda line: None)
    assert (report.games, report.failure, report.repeats) == (3, "failed", None)
    assert (report.players, report.seat) == (3, 0)
    assert (report.decisions, report.turns) == (len(decisions) + decisions.count(0), 2 + 3 + 2)
    assert (report.seconds, report.longest) == (1.25, 0.25)


@pytest.mark.slow
def test_the_report_says_that_repeats_of_a_limited_bot_were_not_checked(capsys, tmp_path):
    words = ("--games", "1", "--game", "trajan")
    text = FAIR.format(choice="observation.legal()[0]")
    _, out, _ = checked(capsys, tmp_path, text, *words, settings="seconds_per_turn: 9\n")
    assert "time is limited, so it was not checked whether the bot" in " ".join(out.split())
    _, out, _ = checked(capsys, tmp_path, text, *words)
    assert "with the same seeds, the bot repeats its games exactly" in out


@pytest.mark.slow
def test_the_speed_of_a_correct_bot_is_reported(capsys, tmp_path):
    text = FAIR.format(choice="observation.legal()[seed % len(observation.legal())]")
    status, out, _ = checked(capsys, tmp_path, text, "--games", "2", "--json")
    data = json.loads(out)
    assert (status, data["ok"], data["bot"]) == (0, True, "mine")
    played = [(entry["game"], entry["games"]) for entry in data["games"]]
    assert played == [("trajan", 2), ("forum_trajanum", 2)]
    for entry in data["games"]:
        assert entry["decisions"] > 20
        assert entry["decisions_per_second"] > 0
        assert 0 < entry["seconds_per_turn"] <= entry["longest_turn"]
        assert entry["repeats"] is True
        assert entry["remembers"] is False
        assert entry["failure"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FAIR.format(choice="1 / 0"), ("raised an error", "mine.py:3: ZeroDivisionError")),
        (FAIR.format(choice="'fly'"), ("its answer is invalid: chose", "'fly'")),
        (FAIR.format(choice="__import__('os')._exit(3)"), ("its process died", "status 3")),
        (FAIR.format(choice="__import__('time').sleep(60)"), ("did not answer", "within 0.5 s")),
        ("class Mine:\n    x = 1\n", ("mine.py:1: Mine has no method choose",)),
    ],
)
def test_errors_are_reported_with_their_place(capsys, tmp_path, text, words):
    arguments = ("--game", "trajan", "--games", "2", "--patience", "0.5")
    status, out, _ = checked(capsys, tmp_path, text, *arguments)
    assert status == 1
    joined = " ".join(out.split())
    assert "trajan, game 1, 2 players, at seat 0, after 0 decisions:" in joined
    for word in words:
        assert word in joined
    assert ("Traceback" in out) == ("mine.py:3" in joined), "only with the code of the bot"
    assert "no errors" not in out


@pytest.mark.slow
def test_unseeded_random_choices_are_detected(capsys, tmp_path):
    text = FAIR.format(choice="__import__('random').choice(observation.legal())")
    status, out, _ = checked(capsys, tmp_path, text, "--game", "trajan", "--games", "1")
    assert status == 0
    assert "the bot repeats its games exactly" not in out
    assert "the bot made different choices with the same seeds" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


REMEMBERING = """
import json, sys
played = []

class Mine:
    def start(self, seat, players, seed):
        played.append(seat)
    def choose(self, observation, seed):
        return observation.legal()[len(played) % 2 - 1]
"""
PROGRAM = """
import json, sys
played = 0
for line in sys.stdin:
    message = json.loads(line)
    played += message["type"] == "start"
    move = message.get("legal", [None])[played % 2 - 1] if "legal" in message else None
    print(json.dumps({"type": "move" if move else "ready", "move": move}), flush=True)
"""


KINDS = {
    "python": (REMEMBERING, {"class": "mine:Mine"}),
    "program": (PROGRAM, {"command": [sys.executable, "mine.py"]}),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_memory_between_games_is_detected_and_ends_with_each_game(capsys, tmp_path, kind):
    """In a tournament, bots remember no earlier game, so one and two jobs give the same bytes."""
    text, how = KINDS[kind]
    (tmp_path / "mine.py").write_text(text)
    bot = {"name": "mine", "kind": kind} | how
    (tmp_path / "mine.yaml").write_text(json.dumps(bot))
    assert main(["check-bot", str(tmp_path / "mine.yaml"), "--game", NIM, "--games", "1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "with the same seeds, the bot repeats its games exactly" in out
    assert "the bot made different choices after another game in the same process" in out
    tournament, results = plan(tmp_path, bots=[bot, "random"], game=NIM), []
    for jobs in (1, 2):
        state = runner.run(tournament, tmp_path / str(jobs), jobs)
        write_outputs(state)
        results.append(outputs(state.folder))
    assert results[0] == results[1]
    assert state.failures == 0


def test_an_unsuitable_game_is_not_a_failure(capsys, tmp_path):
    settings = "extends: ismcts\niterations: 2\nweights: {policy.trajan.no_such_weight: 1}\n"
    (tmp_path / "odd.yaml").write_text(settings)
    assert main(["check-bot", str(tmp_path / "odd.yaml")]) == 2
    assert "no_such_weight" in capsys.readouterr().err
