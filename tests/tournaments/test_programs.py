"""Programs as bots: those in docs/examples/programs play, and hostile ones affect no other bot."""

import itertools
import json
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from calls import problems
from plans import HERE, PATH, plan_file, program, start
from running import children, lives, until

import trajan_ai
from trajan_ai.bots import bot_process, identity, read_bot
from trajan_ai.bots.game_loop import BotFailed

EXAMPLES = HERE.parent.parent / "docs" / "examples" / "programs"


def bot_of(tmp_path, settings, name="bot"):
    path = tmp_path / f"{name}.yaml"
    path.write_text(yaml.safe_dump(settings))
    return read_bot(path)


def failure(tmp_path, settings):
    with pytest.raises(BotFailed) as caught:
        trajan_ai.play("trajan", [bot_of(tmp_path, settings), "random"])
    return caught.value.failure


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(bot_process, "PATIENCE", 1.0)


KINDS = {
    "crash": ("died", "SIGABRT"),
    "exit": ("died", "exit status 1; on standard error: out of ideas"),
    "child": ("died", "exit status 5"),
    "hang": ("hung", "no answer within 1 s (does the program flush its output?)"),
    "stop": ("hung", "no answer within 1 s (does the program flush its output?)"),
    "deaf": ("hung", "no answer within 1 s (does the program flush its output?)"),
    "dumb": ("died", "closed its standard output"),
    "garbage": ("illegal", "which is not a JSON object"),
    "list": ("illegal", "wrote [1, 2], which is not a JSON object"),
    "deep": ("illegal", "not a JSON object"),
    "no_move": ("illegal", "chose null, which is not a legal move"),
    "illegal": ("illegal", 'chose "fly to the moon", which is not a legal move'),
    "number": ("illegal", "chose Infinity"),
    "wrong": ("illegal", "must answer choose with move"),
    "sorry": ("raised", "reports: I know no such card"),
    "long": ("illegal", "wrote more than 65536 bytes in a line"),
    "lines": ("illegal", "must answer choose with move"),
    "early": ("died", "exit status 1; on standard error: no licence"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", KINDS)
@pytest.mark.usefixtures("impatient")
def test_errors_of_programs_are_described(tmp_path, mode):
    kind, words = KINDS[mode]
    failure_text = failure(tmp_path, program(mode))
    assert (failure_text.kind, failure_text.seat) == (kind, 0)
    assert words in failure_text.message
    assert len(failure_text.message) < 400
    if mode == "illegal":
        assert failure_text.details == "dreaming"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["complain", "stubborn", "quiet"])
def test_harmless_oddities_of_programs_cost_no_game(tmp_path, mode):
    record = trajan_ai.play("trajan", [bot_of(tmp_path, program(mode)), "random"])
    assert "x_failure" not in record


@pytest.mark.slow
def test_extra_output_fails_at_the_next_request(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import sys, json\nfor line in sys.stdin:\n"
        '    print(\'{"type":"ready"}\\nhello!\', flush=True)\n'
    )
    failure_text = failure(tmp_path, {"kind": "program", "command": [sys.executable, "mine.py"]})
    assert (failure_text.kind, failure_text.message) == (
        "illegal",
        "wrote output without a request: hello!",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is on address space")
def test_memory_is_held_to_its_limit(tmp_path):
    failure_text = failure(tmp_path, program("memory", memory=128))
    assert failure_text.kind == "died"
    assert "MemoryError" in failure_text.details


@pytest.mark.slow
def test_a_turn_over_its_seconds_is_late(tmp_path):
    failure_text = failure(tmp_path, program("hang", seconds_per_turn=0.1))
    assert failure_text.kind == "late"
    assert failure_text.message == (
        "its turn took longer than its seconds_per_turn of 0.1 s plus a grace of 0.26 s "
        "(does the program flush its output?)"
    )


def test_a_program_has_a_new_process_in_every_game_and_ends_with_it(tmp_path):
    bot = bot_of(tmp_path, program("quiet"))
    processes = bot_process.BotProcesses()
    pids = []
    for _ in range(2):
        processes.begin(20.0, 0)
        mind = processes.mind(bot, trajan_ai.game("trajan"))
        mind.start(0, 2, 1)
        pids.append(mind._program.pid)
        processes.end()
        assert not os.path.exists(f"/proc/{pids[-1]}")
    assert pids[0] != pids[1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a stopped process might outlive its parent")
def test_a_killed_player_takes_its_program_along(tmp_path):
    path = tmp_path / "bot.yaml"
    path.write_text(yaml.safe_dump(program("hang")))
    code = f"import trajan_ai; trajan_ai.play('trajan', [{str(path)!r}, 'random'])"
    player = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert until(lambda: children(player.pid))
        below = children(player.pid)
    finally:
        player.kill()
        player.wait()
    assert until(lambda: not any(map(lives, below)))


LOGGING = """
import sys, json
for line in sys.stdin:
    with open("log", "a") as log:
        log.write(line)
    message = json.loads(line)
    if message["type"] == "quit":
        break
    move = message.get("legal", [None])[-1]
    print(json.dumps({"type": "move" if move else "ready", "move": move}), flush=True)
"""


def test_a_program_receives_the_moves_since_its_last_decision(tmp_path):
    (tmp_path / "mine.py").write_text(LOGGING)
    bot = bot_of(tmp_path, {"kind": "program", "command": [sys.executable, "mine.py"]})
    assert "x_failure" not in trajan_ai.play("trajan", [bot, "random"])
    every = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [message["type"] for message in every[:3]] == ["hello", "start", "choose"]
    assert every[0]["protocol"] == 1  # the version in docs/programs.md
    assert every[-1] == {"type": "quit"}
    requests = [message for message in every if message["type"] == "choose"]
    assert len(requests) > 20
    assert {message["view"]["observer"] for message in requests} == {0}
    for before, after in itertools.pairwise(requests):
        assert after["moves"][0] == [0, before["legal"][-1]]


def test_a_program_of_another_python_finds_its_own_packages(tmp_path):
    """The program does not inherit the Python path that the processes of the harness need."""
    (tmp_path / "mine.py").write_text(
        "import os\nopen('path', 'w').write(os.environ['PYTHONPATH'])\n" + LOGGING
    )
    mine = {"name": "mine", "kind": "program", "command": [sys.executable, "mine.py"]}
    with start(plan_file(tmp_path, deals=1, bots=[mine, "random"]), tmp_path / "out") as run:
        assert run.wait() == 0, run.communicate()
    assert (tmp_path / "path").read_text() == PATH


def test_identity_is_by_the_files_and_not_by_the_place(tmp_path):
    game = trajan_ai.game("trajan")
    results = []
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(text)
        settings = {"kind": "program", "command": ["python3", "mine.py"]}
        results.append(bot_of(tmp_path / name, settings))
    first, same, other = (identity(bot, game) for bot in results)
    assert first == same != other
    (tmp_path / "a" / "mine.py").write_text("edited")
    with pytest.raises(
        BotFailed, match="changed while games were played; run the same command again"
    ):
        trajan_ai.play("trajan", [results[0], "random"])


def test_bad_descriptions_give_file_and_line(tmp_path):
    for settings, words in (
        ({"command": ["no-such-program"]}, "bot.yaml:1: command: there is no program no-such-"),
        ({"command": "sh"}, "bot.yaml:1: command: must be a list, got 'sh'"),
        ({"command": []}, "command"),
        ({"command": ["./bot.yaml"]}, "is not executable; make it executable"),
        ({"command": ["sh"], "files": ["gone.txt"]}, "file gone.txt: No such file or directory"),
        ({"command": ["sh"], "memory": 1}, "memory"),
    ):
        (problem,) = problems(bot_of, tmp_path, {"kind": "program"} | settings)
        assert problem.startswith(f"{tmp_path}/bot.yaml:")
        assert words in problem


GAMES = ("trajan", "forum_trajanum")


@pytest.mark.slow
def test_the_example_in_c_plays(tmp_path):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    for path in EXAMPLES.glob("random_bot.[cy]*"):
        shutil.copy(path, tmp_path)
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    command = [compiler, "-O1", *warnings, "-o", "random_bot", "random_bot.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    for game in GAMES:
        record = trajan_ai.play(game, [tmp_path / "random_bot.yaml", "random", "random"])
        assert "x_failure" not in record


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no Rust compiler")
def test_the_example_in_rust_plays(tmp_path):
    for path in EXAMPLES.glob("patient_bot.[ry]*"):
        shutil.copy(path, tmp_path)
    subprocess.run(["rustc", "-D", "warnings", "patient_bot.rs"], cwd=tmp_path, check=True)
    for game in GAMES:
        record = trajan_ai.play(game, [tmp_path / "patient_bot.yaml", "random"])
        assert "x_failure" not in record


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_example_in_javascript_plays():
    for game in GAMES:
        record = trajan_ai.play(game, [EXAMPLES / "points_bot.yaml", "random"])
        assert "x_failure" not in record
