"""What a bot does to its process costs no other bot anything: blame falls on the one bot."""

import os
import time

import pytest
from plans import plan

from trajan_ai.tournaments import bot_process, runner
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


def test_the_innocent_bot_loses_nothing(played):
    state, written, out = played
    assert (state.played, state.missing) == (2 * len(HOSTILE), 0)
    assert state.ended == "all games are played"
    with Store(out) as store:
        rows = store.failures()
    assert {row.bot for row in rows} <= set(HOSTILE), [(r.bot, r.message) for r in rows]
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert standings["Innocent"]["failures"] == 0


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - HARMLESS))
def test_each_hostile_bot_answers_for_its_own_games(played, name):
    _, _, out = played
    with Store(out) as store:
        counted = [row for row in store.failures() if row.bot == name and row.counted]
    assert len(counted) == 2
    assert all(row.message for row in counted)


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


def test_a_bot_is_stopped_while_it_is_not_asked(tmp_path):
    """It neither thinks on others' time nor disturbs them."""
    tournament = plan(tmp_path, bots=[hostile("Innocent"), "random"])
    processes = bot_process.BotProcesses()
    processes.begin(20.0, 0)
    mind = processes.mind(tournament.bots[0], _trajan())
    mind.start(0, 2, 1)
    pid = mind._process._process.pid
    deadline = time.monotonic() + 10
    while _state(pid) != "T" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _state(pid) == "T"
    processes.close()
    assert not os.path.exists(f"/proc/{pid}")


def test_the_same_bot_twice_at_a_table_has_two_processes_and_keeps_them(tmp_path):
    bot = plan(tmp_path, bots=[hostile("Innocent"), "random"]).bots[0]
    processes = bot_process.BotProcesses()
    pids = []
    for _ in range(2):
        processes.begin(20.0, 0)
        minds = [processes.mind(bot, _trajan()) for _ in range(2)]
        pids.append([mind._process._process.pid for mind in minds])
    processes.close()
    assert len(set(pids[0])) == 2
    assert pids[0] == pids[1]


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
