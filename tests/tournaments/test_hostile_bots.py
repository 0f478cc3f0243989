"""If a bot damages its process, no other bot is affected, and only that bot is blamed."""

import json
import os
import re
import signal
import sys
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path

import pytest
from plans import NIM, plan, plan_file, program, scripted, start
from running import lives, processes, until

from trajan_ai import games, records
from trajan_ai.bots import bot_process
from trajan_ai.bots.minds import MAX_DETAILS, CallLimit
from trajan_ai.cli.main import main
from trajan_ai.tournaments import game_task, runner
from trajan_ai.tournaments.guard import ProcessGuard
from trajan_ai.tournaments.output import LISTED_FAILURES, write_outputs
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store

# For each bot, the expected kind and message of its failure, or None if it may fail while other
# bots decide.
HOSTILE = {
    "raise": ("raised", "RuntimeError: I give up on two lines"),
    "interrupt": ("raised", "KeyboardInterrupt"),
    "kill": ("died", "died of SIGKILL"),
    "exit": ("died", "ended with exit status 3"),
    "die later": None,
    "alarm": None,
    "close everything": None,
    "patch": None,
    "kill the group": ("died", "its process"),
    "kill the parent": None,
    "stop": ("hung", "no answer within 2 s"),
    "sleep through signals": ("hung", "no answer within 2 s"),
    "flood": None,
    "forge": None,
    "allocate": ("raised", "MemoryError"),
    "too late": ("late", "its turn took longer than its seconds_per_turn"),
}
PROGRAMS = {
    "child": ("died", "exit status 5"),
    "hang": ("hung", "no answer within 2 s"),
}
HARMLESS = ("double", "killed once", "look at the clock")
BLAMED = HOSTILE | PROGRAMS


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play a gauntlet of all hostile bots against an innocent bot, which observes every move."""
    folder = tmp_path_factory.mktemp("hostile")
    bots = [scripted(does, file=str(folder / "died")) for does in (*HOSTILE, *HARMLESS)]
    by_name = {bot["name"]: bot for bot in bots}
    by_name["too late"]["options"] = {"does": "sleep"}
    for name, seconds in (("too late", 0.2), ("look at the clock", 2), ("allocate", 20)):
        by_name[name]["seconds_per_turn"] = seconds
    tournament = plan(
        folder,
        bots=[scripted(name="innocent"), *bots, *map(program, (*PROGRAMS, "complain"))],
        schedule="gauntlet",
        focus="innocent",
        deals=1,
        limits={"patience": 2.0, "retries": 1, "memory": 512},
    )
    state = runner.run(tournament, folder / "out", jobs=1)
    return tournament, state, write_outputs(state), folder / "out"


@pytest.mark.long
def test_a_harmless_bot_loses_nothing_and_every_failure_counts(played):
    tournament, state, written, out = played
    lost, harmless = 2 * len(BLAMED), ("innocent", "complain", *HARMLESS)
    assert (state.played, state.missing) == (lost + 2 * len(harmless[1:]), 0)
    assert written.failures == lost
    assert state.ended == "all games are played"
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert {name: row["failures"] for name, row in standings.items()} == (
        dict.fromkeys(BLAMED, 2) | dict.fromkeys(harmless, 0)
    )
    assert all(standings[name]["elo"] < standings["innocent"]["elo"] for name in BLAMED)
    assert re.search(r"failed: .+ (raised|hung|died) in game \w+ at ply \d+: ", written.text)
    assert f"failed: {lost - LISTED_FAILURES} more" in written.text
    assert written.text.count("\nfailed: ") == LISTED_FAILURES + 1
    assert json.loads((out / "results.json").read_text())["standings"]
    again = runner.run(tournament, out, jobs=1)
    assert (again.played, again.reused, again.missing) == (0, state.played, 0)


@pytest.mark.long
def test_each_hostile_bot_is_blamed_in_its_games(played):
    with Store(played[3]) as store:
        failures = [row for row in store.failures() if row.counted]
        for name, blame in BLAMED.items():
            counted = [row for row in failures if row.bot == name]
            assert len(counted) == 2
            for row in counted:
                assert row.message
                assert "\n" not in row.message
                assert row.ply > 0
                if blame is None:
                    continue
                kind, message = blame
                assert row.kind == kind, name
                assert message in row.message
                entry = records.parse(store.record(row.id))
                # The record contains everything that reproduces a failure: the deal, the moves so
                # far, the seeds, and the settings of the bots.
                assert len(entry["actions"]) == row.ply
                assert records.replay(entry).player == row.seat
                assert entry["x_failure"]["player"] == row.seat
                assert entry["x_bots"][row.seat]["name"] == name
                assert {"x_seed", "x_deal_seed"} <= set(entry)


@pytest.mark.long
def test_only_dead_processes_are_retried(played):
    with Store(played[3]) as store:
        rows = store.failures()
    died = {row.id for row in rows if row.counted and row.kind == "died"}
    again = [row for row in rows if not row.counted]
    assert {row.kind for row in again} == {"died"}
    assert {row.id for row in again if row.bot != "killed once"} == died
    assert [row.bot for row in again].count("killed once") == 1
    assert len(again) == len(died) + 1


@pytest.mark.long
def test_the_list_of_failures_shows_tracebacks(played, capsys):
    assert main(["results", str(played[3]), "--failures"]) == 0
    text = capsys.readouterr().out
    assert "    RuntimeError: I give up" in text
    assert "scripted_bots.py" in text


# Texts that a bot sends instead of an answer, each with the failure that is reported.
SENT = {
    '"cpu": 1.7e308, "value": "pass"': "illegal",
    '"cpu": 1e400, "value": 0': "died",
    '"cpu": NaN, "value": 0': "died",
    f'"cpu": 0.0, "value": {2**70}': "illegal",
    f'"cpu": 0.0, "value": 1{"0" * 5000}': "died",
    '"cpu": 0.0, "value": true': "illegal",
    r'"cpu": 0.0, "value": "\ud800 \u001b[31m"': "illegal",
    r'"cpu": 0.0, "message": "\ud800 \u001b[31m", "details": "\u0007"': "raised",
    f'"cpu": 0.0, "message": "{"x " * 9999}", "details": ""': "raised",
    f'"cpu": {"[" * 60000}': "died",
}
WRITTEN = {"escapes": "raised", "huge": "illegal", "red": "died"}


def first_task(tournament):
    fixture = next(Schedule(tournament).fixtures())
    return runner.make_task(tournament, fixture), fixture


ANSWERS = {
    "raise": ("raised", "RuntimeError: I give up on two lines"),
    "leave": ("raised", "SystemExit: 0"),
    "illegal": ("illegal", "is not legal for player"),
    "word": ("illegal", "chose 'a word', which is not a legal move"),
    "float": ("illegal", ".0, which is not a legal move"),
    "boolean": ("illegal", "chose True, which is not a legal move"),
    "unprintable": ("illegal", "chose (an object that cannot be shown as text)"),
    "raise the unspeakable": ("raised", "Unspeakable: (an object that cannot be shown as text)"),
    "bad index": ("raised", "OSError: not today"),
    "huge": ("illegal", "chose (an object that cannot be shown as text)"),
    "raise half a character": ("raised", r"ValueError: half a character: \ud800"),
    "raise at length": ("raised", "ValueError: xxx"),
    "numpy": None,
    "incomparable": None,
    "action string": None,
}


@pytest.mark.parametrize("does", ANSWERS)
def test_every_answer_is_a_move_or_a_one_line_failure(tmp_path, does):
    tournament = plan(tmp_path, bots=[scripted(does, at=1), "random"], game=NIM)
    failure = game_task.play_game(first_task(tournament)[0]).failure
    if ANSWERS[does] is None:
        assert failure is None
        return
    kind, message = ANSWERS[does]
    assert failure.kind == kind
    assert message in failure.message
    assert "\n" not in failure.message


# The failures of bots that print something: the kind, and a part of the message.
PRINTING = {
    "print": None,
    "print at length": None,
    "print and raise": ("raised", "RuntimeError: I give up"),
    "print and raise at length": ("raised", "ValueError: xxx"),
    "print a wrong word": ("illegal", "chose 'a word', which is not a legal move"),
    "print an illegal move": ("illegal", "is not legal for player"),
    "print and exit": ("died", "ended with exit status 3; last output: the last line"),
    "print endlessly": ("hung", "no answer within 1 s; last output: "),
}


@pytest.mark.parametrize("does", PRINTING)
def test_output_of_a_bot_is_stored_with_its_failure_and_reaches_no_terminal(tmp_path, capfd, does):
    keys = {"game": NIM, "limits": {"patience": 1.0, "retries": 0}}
    tournament = plan(tmp_path, bots=[scripted(does, at=1), "random"], **keys)
    guard = ProcessGuard()
    failure = guard.play(first_task(tournament)[0]).failure
    guard.close()
    assert capfd.readouterr() == ("", "")
    if PRINTING[does] is None:
        assert failure is None
        return
    kind, message = PRINTING[does]
    assert failure.kind == kind
    assert message in failure.message
    assert len(failure.details) <= MAX_DETAILS
    assert failure.details.startswith("Output:\n")
    if does in ("print and exit", "print endlessly"):  # of bytes, some are white space at the ends
        assert 1_998 <= len(failure.details.removeprefix("Output:\n")) <= 2_000
    else:
        assert "noise on standard output\nmore noise" in failure.details
    assert all(line.isprintable() for line in failure.details.splitlines())
    if does == "print and raise":
        for text in ("noise on standard output\nmore noise\n", r"\x1b[31mnoise on standard error"):
            assert text in failure.details
        assert failure.details.endswith("RuntimeError: I give up")


def test_a_failure_shows_no_output_of_earlier_games(tmp_path):
    """The processes of the two games are forked from the same process."""
    path = tmp_path / "first game"
    path.touch()
    bot = scripted("print once", at=1, file=str(path))
    tournament = plan(tmp_path, bots=[bot, "random"], game=NIM, limits={"retries": 0})
    guard = ProcessGuard()
    task = first_task(tournament)[0]
    outcomes = [guard.play(task), guard.play(task)]
    guard.close()
    assert outcomes[0].failure is None
    assert outcomes[1].failure.kind == "raised"
    assert "noise" not in outcomes[1].failure.details


@pytest.mark.slow
def test_every_message_of_a_bot_is_stored_and_printed_safely(tmp_path, capsys):
    file = tmp_path / "answer"
    cases = [(scripted("speak", at=1, file=str(file)), *case) for case in SENT.items()]
    cases += [(program(mode), "", kind) for mode, kind in WRITTEN.items()]
    guard = ProcessGuard()
    with Store(tmp_path / "out", create=True) as store:
        for number, (bot, answer, kind) in enumerate(cases):
            file.write_text(answer)
            tournament = plan(tmp_path, bots=[bot, scripted()], game=NIM, limits={"retries": 0})
            task, fixture = first_task(tournament)
            outcome = guard.play(task)
            assert outcome.failure.kind == kind, (bot["name"], answer[:99])
            assert sum(outcome.times.cpu) < 1e6
            store.add(replace(fixture, id=f"{number:016x}"), outcome, "engine")
    guard.close()
    assert main(["results", str(tmp_path / "out"), "--failures"]) == 0
    text = capsys.readouterr().out
    assert all(line.isprintable() for line in text.splitlines())
    assert max(map(len, text.splitlines())) < 500
    assert r"\ud800 \x1b[31m" in text


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody adopts such processes")
@pytest.mark.parametrize("bot", [scripted("daemon"), program("daemon")], ids=["python", "program"])
def test_processes_of_a_bot_end_with_its_game(tmp_path, monkeypatch, bot):
    mark = tmp_path / "daemon"
    monkeypatch.setenv("DAEMON", str(mark))
    guard = ProcessGuard()
    outcome = guard.play(first_task(plan(tmp_path, bots=[bot, "random"]))[0])
    assert outcome.failure is None
    assert mark.exists()
    try:
        assert not list(_with_environment(str(mark)))
    finally:
        guard.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody adopts such processes")
def test_processes_of_a_bot_end_with_a_killed_run(tmp_path, monkeypatch):
    mark = tmp_path / "daemon"
    monkeypatch.setenv("DAEMON", str(mark))
    path = plan_file(tmp_path, bots=[scripted("daemon and sleep"), "random"], deals=1)
    with start(path, tmp_path / "out", "--jobs", "1") as run:
        assert until(lambda: list(_with_environment(str(mark))), 60)
        run.kill()
    ended = until(lambda: not list(_with_environment(str(mark))))
    for pid in _with_environment(str(mark)):
        os.kill(pid, signal.SIGKILL)
    assert ended


def _with_environment(text):
    """Yield the ids of orphaned processes whose environment contains a text."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            sleeps = (path / "cmdline").read_bytes().startswith(b"sleep")
            if sleeps and text.encode() in (path / "environ").read_bytes():
                yield int(path.name)
        except OSError:
            continue


@pytest.mark.slow
def test_every_bot_at_a_table_has_a_process_of_its_own_stopped_between_its_turns(tmp_path):
    """Each game has a new process, forked from a process that is kept, so that no game uses the
    time of another game."""
    bot = plan(tmp_path, bots=[scripted(), "random"]).bots[0]
    bot_processes = bot_process.BotProcesses()
    pids, players = [], set()
    for _ in range(2):
        bot_processes.begin(20.0, 0)
        minds = [bot_processes.mind(bot, games.game("trajan")) for _ in range(2)]
        for mind in minds:
            mind.start(0, 2, 1)
        pids.append([mind._process.pid for mind in minds])
        here = {mind._process._player for mind in minds}
        assert until(lambda here=here: {processes()[pid][0] for pid in here} == {"T"})
        players |= here
        bot_processes.end()
        assert not any(map(lives, players))
    bot_processes.close()
    assert len(set(pids[0])) == 2
    assert pids[0] == pids[1]
    assert len(players) == 4


def test_an_answer_to_an_earlier_request_is_skipped(monkeypatch):
    """A process that was forked by the bot may repeat answers."""
    monkeypatch.setattr(bot_process, "PAUSES", False)
    ours, theirs = Pipe()
    process = object.__new__(bot_process.BotProcess)
    process.__dict__ |= {
        "_pipe": ours,
        "_request": 0,
        "_output": bot_process.BotOutput(),
        "cpu": 0.0,
    }
    for numbers in ([1], [1, 2], [1, 2, 3]):
        for number in numbers:
            theirs.send_bytes(json.dumps({"number": number, "value": number, "cpu": 0.0}).encode())
        assert process.ask(CallLimit(1.0), "choose") == numbers[-1]
    assert [theirs.recv() for _ in range(3)] == [(number, ("choose",)) for number in (1, 2, 3)]


def test_of_too_many_processes_the_least_recently_used_one_ends(monkeypatch):
    """The processes that play the game remain."""
    ended = []

    class Process(bot_process.BotProcess):
        alive, cpu = True, 1.0

        def __init__(self, bot, game, memory):
            self.bot = bot

        def end(self, grace=0.0):
            return None

        def close(self):
            ended.append(self.bot)

    monkeypatch.setattr(bot_process, "MAX_PROCESSES", 2)
    monkeypatch.setattr(bot_process, "RemoteMind", lambda *arguments: arguments)
    bot_processes = bot_process.BotProcesses()
    monkeypatch.setattr(bot_processes, "_start", lambda bot, game: Process(bot, game, 0))
    for bot, gone in (("a", []), ("b", []), ("a", []), ("c", ["b"]), ("a", ["b"])):
        bot_processes.begin(1.0, 0)
        bot_processes.mind(bot, "trajan")
        bot_processes.end()
        assert ended == gone
    bot_processes.begin(1.0, 0)
    for bot in "def":
        bot_processes.mind(bot, "trajan")
    assert ended == ["b", "c", "a"]
    assert bot_processes.cpu == 6.0
    bot_processes.close()
    assert sorted(ended) == ["a", "b", "c", "d", "e", "f"]
    assert bot_processes.cpu == 6.0
