"""What a bot does to its process costs no other bot anything: blame falls on the one bot."""

import os
import sys
import time
from pathlib import Path

import pytest
from plans import HERE, NIM, plan

from trajan_ai.cli.main import main
from trajan_ai.tournaments import bot_process, runner, schedule
from trajan_ai.tournaments.guard import Guard
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.store import Store

HOSTILE = (
    "Timer", "Alarm", "Closer", "Patcher", "GroupKiller", "ParentKiller", "Doubler", "Stopper",
    "Flooder", "Forger", "Allocator", "Interrupter", "Sleeper",
)  # fmt: skip
HARMLESS = {"Doubler"}  # to its own games as well


def hostile(name):
    return {"name": name, "kind": "python", "class": f"hostile_bots:{name}"}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A gauntlet of all hostile bots around an innocent one, which hears every move."""
    folder = tmp_path_factory.mktemp("hostile")
    tournament = plan(
        folder,
        bots=[hostile("Innocent"), *map(hostile, HOSTILE)],
        schedule="gauntlet",
        focus="Innocent",
        deals=1,
        limits={"patience": 2.0, "retries": 0, "memory": 1024},
    )
    state = runner.run(tournament, folder / "out", jobs=3)  # some wait for hanging ones
    return state, write_outputs(folder / "out", state), folder / "out"


@pytest.mark.slow
def test_the_innocent_bot_loses_nothing(played):
    state, written, out = played
    assert (state.played, state.missing) == (2 * len(HOSTILE), 0)
    assert state.ended == "all games are played"
    with Store(out) as store:
        rows = store.failures()
    assert {row.bot for row in rows} <= set(HOSTILE), [(r.bot, r.message) for r in rows]
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert standings["Innocent"]["failures"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(HOSTILE) - HARMLESS))
def test_each_hostile_bot_answers_for_its_own_games(played, name):
    _, _, out = played
    with Store(out) as store:
        counted = [row for row in store.failures() if row.bot == name and row.counted]
    assert len(counted) == 2
    assert all(row.message for row in counted)


# What a bot sends in place of an answer after its number, and what it is then blamed for.
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


def test_whatever_a_bot_sends_is_stored_and_printed_and_ends_no_run(tmp_path, capsys):
    speakers = [
        hostile("Speaker") | {"name": f"speaker{number}", "options": {"answer": answer}}
        for number, answer in enumerate(SENT)
    ]
    programs = [
        {"name": mode, "kind": "program", "command": [sys.executable, "hostile_program.py", mode],
         "folder": str(HERE)}
        for mode in ("escapes", "huge", "red")
    ]  # fmt: skip
    bots = [hostile("Innocent"), *speakers, *programs]
    keys = {"schedule": "gauntlet", "focus": "Innocent", "deals": 1, "game": NIM}
    state = runner.run(
        plan(tmp_path, bots=bots, limits={"retries": 0}, **keys), tmp_path / "out", 2
    )
    write_outputs(tmp_path / "out", state)
    with Store(tmp_path / "out") as store:
        kinds = {row.bot: row.kind for row in store.failures()}
        assert store.totals()["cpu"] < 1e6
    expected = {f"speaker{number}": kind for number, kind in enumerate(SENT.values())}
    assert kinds == expected | {"escapes": "raised", "huge": "illegal", "red": "died"}
    assert main(["results", str(tmp_path / "out"), "--failures"]) == 0
    text = capsys.readouterr().out
    assert all(line.isprintable() for line in text.splitlines())
    assert max(map(len, text.splitlines())) < 500
    assert r"\ud800 \x1b[31m" in text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody adopts such processes")
@pytest.mark.parametrize("kind", ["python", "program"])
def test_what_a_bot_leaves_behind_ends_with_its_game(tmp_path, monkeypatch, kind):
    mark = tmp_path / "daemon"
    monkeypatch.setenv("DAEMON", str(mark))
    command = [sys.executable, "hostile_program.py", "daemon"]
    program = {"name": "p", "kind": "program", "command": command, "folder": str(HERE)}
    bots = [hostile("Daemon") if kind == "python" else program, "random"]
    tournament = plan(tmp_path, bots=bots)
    guard = Guard()
    outcome = guard.play(runner.task_of(tournament, next(schedule.fixtures(tournament))))
    assert outcome.failure is None
    assert mark.exists()
    try:
        assert not list(_with_environment(str(mark)))
    finally:
        guard.close()


def _with_environment(text):
    """Yield the processes without a parent of their own that have a text in their environment."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            sleeps = (path / "cmdline").read_bytes().startswith(b"sleep")
            if sleeps and text.encode() in (path / "environ").read_bytes():
                yield int(path.name)
        except OSError:
            continue


@pytest.mark.slow
def test_a_bot_over_its_memory_is_told_so(tmp_path):
    tournament = plan(
        tmp_path,
        bots=[hostile("Innocent"), hostile("Allocator")],
        deals=1,
        limits={"patience": 60.0, "retries": 1, "memory": 512},  # a busy machine fills slowly
    )
    runner.run(tournament, tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        messages = [row.message for row in store.failures()]
    assert len(messages) == 2
    assert all("MemoryError" in message for message in messages), messages


@pytest.mark.slow
def test_a_bot_is_stopped_while_it_is_not_asked(tmp_path):
    """It neither thinks on others' time nor disturbs them."""
    tournament = plan(tmp_path, bots=[hostile("Innocent"), "random"])
    processes = bot_process.BotProcesses()
    processes.begin(20.0, 0)
    mind = processes.mind(tournament.bots[0], _trajan())
    mind.start(0, 2, 1)
    pid = mind._process._player
    deadline = time.monotonic() + 10
    while _state(pid) != "T" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _state(pid) == "T"
    processes.close()
    assert not os.path.exists(f"/proc/{pid}")


def test_the_same_bot_twice_at_a_table_has_two_processes_and_new_ones_in_each_game(tmp_path):
    bot = plan(tmp_path, bots=[hostile("Innocent"), "random"]).bots[0]
    processes = bot_process.BotProcesses()
    pids, players = [], set()
    for _ in range(2):
        processes.begin(20.0, 0)
        minds = [processes.mind(bot, _trajan()) for _ in range(2)]
        for mind in minds:
            mind.start(0, 2, 1)
        pids.append([mind._process.pid for mind in minds])
        players |= {mind._process._player for mind in minds}
        processes.end()
        assert not any(os.path.exists(f"/proc/{pid}") for pid in players)
    processes.close()
    assert len(set(pids[0])) == 2
    assert pids[0] == pids[1]  # they are forked from the same
    assert len(players) == 4


@pytest.mark.slow
def test_a_python_bot_is_held_to_its_seconds(tmp_path):
    """Kept, it plays; overstepped, it loses the game with a kind of its own."""
    (tmp_path / "mine.py").write_text(
        "import time\n\nclass Mine:\n"
        "    def __init__(self, game, seconds):\n        self.seconds = seconds\n"
        "    def choose(self, observation, seed):\n"
        "        assert 0 <= observation.seconds <= 0.2\n"
        "        time.sleep(self.seconds)\n        return observation.legal()[0]\n"
    )
    bots = [{"name": name, "kind": "python", "class": "mine:Mine", "options": {"seconds": seconds}}
            for name, seconds in (("quick", 0.0), ("slow", 30.0))]  # fmt: skip
    tournament = plan(tmp_path, bots=bots, deals=1, budget={"seconds_per_turn": 0.2})
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert state.played == 2
    with Store(tmp_path / "out") as store:
        rows = store.failures()
    assert [(row.bot, row.kind) for row in rows] == [("slow", "late")] * 2
    assert "took longer than its seconds_per_turn" in rows[0].message


def _state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def _trajan():
    from trajan_ai.games import game

    return game("trajan")
