"""The data that a worker reads while its child process writes, and who is blamed for failures."""

import subprocess
import sys
import tempfile
import time
from types import SimpleNamespace

import pytest
from calls import python
from plans import NIM, plan_file

from trajan_ai.bots import bot_process, parse_bot, read_bot
from trajan_ai.bots.game_loop import Failure
from trajan_ai.bots.processes import POLL, Patience
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.tournaments import guard
from trajan_ai.tournaments.game_task import Task, get_time_limit
from trajan_ai.tournaments.guard import NOBODY, Blackbox

WRITER = """
import sys
from trajan_ai.tournaments.guard import Blackbox
box = Blackbox(int(sys.argv[1]))
print(flush=True)
while True:
    box.enter(2)
    box.leave()
"""
LOOKS = 300_000


@pytest.mark.slow
def test_a_look_never_finds_half_a_note():
    """With half a note, a call would seem to have begun long ago and would count as hanging."""
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 20)
        command = [sys.executable, "-c", WRITER, str(file.fileno())]
        with subprocess.Popen(command, pass_fds=[file.fileno()], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            box, calls = Blackbox(file.fileno()), set()
            began_here = time.monotonic()
            try:
                looks = 0
                while looks < LOOKS or (len(calls) < 2 and time.monotonic() < began_here + 20):
                    looks += 1
                    began, seat = box.call()
                    calls.add(seat)
                    assert seat == NOBODY or began > began_here - 30
            finally:
                writer.kill()
                box.close()
    assert calls == {NOBODY, 2}


def test_a_cleared_box_remembers_nothing():
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 20)
        box = Blackbox(file.fileno())
        for ply, move in enumerate([7, 0, 300]):
            box.move(ply, move)
        box.enter(0)
        assert box.moves() == [7, 0, 300]
        assert box.call()[1] == 0
        box.clear()
        assert box.moves() == []
        assert box.call()[1] == NOBODY
        box.close()


@pytest.mark.slow
def test_sources_in_the_current_folder_do_not_replace_installed_modules(tmp_path):
    """A clone contains such sources, but only the installed package contains compiled modules."""
    (tmp_path / "trajan_ai").mkdir()
    (tmp_path / "trajan_ai" / "__init__.py").write_text("raise ImportError('not built')")
    plan_file(tmp_path, bots=["random", "greedy"], game=NIM)
    words = ("-P", "-m", "trajan_ai", "tournament", "plan.yaml", "--jobs", "1")
    done = python(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("life", "what"),
    [
        ("raise SystemExit(1)", "its process ended before Python had started"),
        ("import time; time.sleep(60)", "Python did not start within 0.5 s"),
        (None, "Resource temporarily unavailable"),
    ],
)
def test_a_process_that_does_not_start_costs_no_game(monkeypatch, life, what):
    """The game is missing in this run, but the bot does not lose it, and the next run plays it."""

    def start(entry, arguments, descriptors, *, session):
        if life is None:
            raise OSError(11, "Resource temporarily unavailable")
        command = [sys.executable, "-c", life]
        return subprocess.Popen(command, pass_fds=descriptors, start_new_session=session)

    monkeypatch.setattr(bot_process, "start", start)
    monkeypatch.setattr(bot_process, "START_SECONDS", 0.5)
    bot = parse_bot(
        parse_yaml("kind: python\nname: mine\nclass: scripted_bots:Scripted\n", "mine.yaml")
    )
    task = Task(
        id="x",
        game="trajan",
        options={},
        seats=(bot, bot),
        deal=0,
        deal_seed=1,
        seed=1,
        patience=1.0,
        retries=2,
    )
    failure = guard._play(task, guard.CallHooks(), bot_process.BotProcesses()).failure
    assert (failure.kind, failure.seat) == ("lost", None)
    assert failure.message.startswith("no process could be started for the game: bot mine: ")
    assert what in failure.message


def test_time_in_which_this_process_did_not_run_counts_against_no_bot():
    now = 0.0
    patience = Patience(lambda: now)
    seconds = []
    for step, call in ((5.0, 1), (0.2, 1), (60.0, 1), (0.1, 1), (0.1, 2), (0.3, 2)):
        now += step
        seconds.append(patience.waited(call))
    assert seconds == pytest.approx([0.0, 0.2, 0.2 + 2 * POLL, 0.3 + 2 * POLL, 0.0, 0.3])


@pytest.mark.parametrize(
    ("bot", "seconds"),
    [
        ("seconds_per_turn: null\nseconds_per_decision: 7", 7),
        ("seconds_per_turn: 8", 8),
        ("seconds_per_turn: null\nseconds_per_game: 900", 900),
        ("seconds_per_turn: null\niterations: 9", 0),
    ],
)
def test_a_bot_may_take_the_time_of_any_limit(bot, seconds):
    text = f"name: mine\nextends: expert\n{bot}\n"
    assert get_time_limit(parse_bot(parse_yaml(text, "mine.yaml"))) == seconds


@pytest.mark.parametrize(
    ("seat", "waited", "limit"),
    [
        (NOBODY, 99.0, None),
        (0, 5.0, None),
        (0, 5.1, 5),
        (1, 17.0, None),
        (1, 17.1, 17),
        (2, 15.1, "15 s (does the program flush its output?)"),
    ],
)
def test_a_user_bot_is_blamed_after_its_limit_and_a_margin_for_its_own_process(
    seat, waited, limit
):
    """The patience is 5 s, and the user's bot at seat 1 has 2 s per turn; seat 2 is a program."""
    text = "kind: python\nname: mine\nclass: scripted_bots:Scripted\nseconds_per_turn: 2\n"
    program = f"kind: program\nname: other\ncommand: [{sys.executable}]\n"
    bots = (
        read_bot("random"),
        *(parse_bot(parse_yaml(each, "mine.yaml")) for each in (text, program)),
    )
    watch = object.__new__(guard.ProcessGuard)
    watch._blackbox = SimpleNamespace(call=lambda: (1.0, seat), moves=lambda: [7, 8])
    task = SimpleNamespace(patience=5.0, seats=bots)
    patience = SimpleNamespace(waited=lambda call: waited)
    failure = watch._find_hanging_bot(task, patience)
    text = f"no answer within {limit if isinstance(limit, str) else f'{limit} s'}"
    assert failure == (None if limit is None else Failure("hung", seat, 2, text))


@pytest.mark.parametrize("keep", [False, True])
def test_bots_end_with_their_game_unless_the_task_keeps_them(monkeypatch, keep):
    calls = []
    bots = SimpleNamespace(
        begin=lambda patience, memory: calls.append(("begin", patience, memory)),
        end=lambda: calls.append("end"),
        mind=None,
    )
    monkeypatch.setattr(guard.game_task, "play_game", lambda task, hooks, mind: "played")
    task = SimpleNamespace(patience=2.0, memory=64, keep=keep)
    assert guard._play(task, None, bots) == "played"
    assert calls == [("begin", 2.0, 64), *([] if keep else ["end"])]
