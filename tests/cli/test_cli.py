"""The command line: exit statuses, one-line errors, nothing but the result on standard output."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import following, positions, records
from trajan_ai.analysis import suggest
from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.forum_trajanum.game import RECONSTRUCTED

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "trajan_2p.jsonl"


def cli(*arguments, cwd=ROOT, **extra):
    return subprocess.run(
        [sys.executable, "-m", "trajan_ai", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **extra,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("play", "GAME", "--bots", "random,random"),
        ("position", "GAME"),
        ("board", "FILE"),
        ("position", "FILE"),
        ("suggest", "FILE", "--iterations", "20", "--json"),
        ("follow", "GAME"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_reconstructed_tiles_are_told_where_a_player_meets_them(
    tmp_path, monkeypatch, capsys, words
):
    """On standard error, in one line; not of other games, nor with a set of one's own."""
    sets = Path(trajan_ai.__file__).parent / "forum_trajanum" / "sets"
    own = (sets / "recon-1.yaml").read_text().replace("recon-1", "mine")
    (tmp_path / "told.yaml").write_text(own)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    for game, options, told in (
        ("forum_trajanum", {}, True),
        ("forum_trajanum", {"components": "told.yaml"}, False),
        ("trajan", {}, False),
    ):
        file = tmp_path / "table.yaml"
        start = trajan_ai.game(game).start(2, 1, **options)
        positions.write(str(file), positions.position_file(start, start.player))
        given = [f"--option=components={value}" for value in options.values() if "GAME" in words]
        command = [{"GAME": game, "FILE": str(file)}.get(word, word) for word in words]
        assert main([*command, *given]) == 0
        error = capsys.readouterr().err
        assert error.splitlines().count(RECONSTRUCTED) == told
        assert not error or told
        for left in tmp_path.glob("*.json"):
            left.unlink()


HELD = """
import builtins, os, signal
found = builtins.__import__

def held(name, *rest, **more):
    module = found(name, *rest, **more)
    if name == {name!r}:
        os.kill(os.getpid(), signal.SIGINT)
    return module

builtins.__import__ = held
import runpy
runpy.run_module("trajan_ai", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise")
@pytest.mark.parametrize("name", ["trajan_ai.cli.main", "argparse", "trajan_ai.machine"])
def test_ctrl_c_while_the_command_is_imported_prints_no_traceback(name):
    """Before `main` runs, on the way there, and while a subcommand is imported."""
    code = HELD.format(name=name)
    command = [sys.executable, "-c", code, "tournament", "quick", "--check"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in (-signal.SIGINT, 130)
    assert done.stdout + done.stderr == ""


def test_a_fault_of_ours_has_a_status_of_its_own(monkeypatch, capsys):
    """Not the 1 of a failing bot."""

    def broken(source):
        raise RuntimeError("ours")

    monkeypatch.setattr("trajan_ai.cli.tournament.read_plan", broken)
    assert main(["tournament", "quick"]) == 3
    errors = capsys.readouterr().err
    assert "RuntimeError: ours" in errors
    assert errors.endswith("trajan-ai tournament: internal error, see above\n")


def test_ctrl_c_while_a_command_loads_is_no_traceback(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["trajan_ai.cli.main"], "import_module", interrupted)
    assert main(["tournament", "quick"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    done = cli(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: trajan-ai {command}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "missing.jsonl"], "missing.jsonl: No such file"),
        (["replay", GOLDEN, "--ply", "-1"], "ply must be 0"),
        (["replay", GOLDEN, "--game", "99"], "no record number 99"),
        (["replay"], "FILE.jsonl"),
        (["castle"], "invalid choice: 'castle'"),
        (["play", "chess", "--bots", "random,random"], "no game is called 'chess'"),
        (["play", "trajan", "--bots", "random,deep-blue"], "deep-blue"),
        (["play", "trajan", "--bots", "random"], "2, 3 or 4"),
        (["play", "trajan", "--bots", "random,random", "--games", "-3"], "--games"),
        (["tournament", "missing.yaml"], "missing.yaml"),
        (["suggest", "missing.yaml"], "missing.yaml"),
        (["suggest", GOLDEN, "--ply", "30", "--iterations", "-5"], "iterations"),
        (["suggest", GOLDEN, "--ply", "30", "--time", "nan"], "time"),
        (["suggest", GOLDEN], "over"),
        (["position", "chess"], "no game is called 'chess'"),
    ],
)
def test_bad_input_gives_one_line_and_status_2(arguments, message):
    done = cli(*arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.slow
def test_replay_verifies():
    done = cli("replay", GOLDEN, "--verify")
    assert done.returncode == 0
    assert done.stdout.count("verified") == len(GOLDEN.read_text().splitlines())


@pytest.mark.slow
def test_a_record_that_does_not_verify_gives_status_1_and_its_place(tmp_path):
    lines = GOLDEN.read_text().splitlines()
    entry = json.loads(lines[1])
    entry["scores"][0] += 1
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(entry), lines[2]]) + "\n")
    done = cli("replay", path, "--verify")
    assert done.returncode == 1
    assert f"{path}:2: scores" in done.stderr
    assert done.stdout.count("verified") == 2


@pytest.mark.parametrize("command", ["board", "follow", "position", "replay", "suggest"])
def test_a_file_of_nothing_but_brackets_is_bad_input(command, tmp_path, capsys):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    assert main([command, str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "nested too deeply" in line
    with pytest.raises(TrajanError, match="nested too deeply"):
        following.load(path)


@pytest.mark.slow
def test_replay_says_what_it_compared_and_goes_on_after_a_bad_line(tmp_path):
    entry = json.loads(GOLDEN.read_text().splitlines()[0])
    bare = {key: value for key, value in entry.items() if not key.startswith("x_")}
    both = records.checkable(bare)
    lines = [entry, bare, entry | {"x_legal": 5}, both, bare | {"x_legl": entry["x_legal"]}]
    path = tmp_path / "games.jsonl"
    path.write_text("{\n" + "\n".join(json.dumps(line) for line in lines) + "\n")
    done = cli("replay", path, "--verify")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    unreadable, wrong, warning = done.stderr.splitlines()
    assert unreadable.startswith(f"{path}:1: not a whole JSON object")
    assert wrong == f"{path}:4: x_legal is a list with an entry per action, got 5"
    assert warning.endswith("the key 'x_legl' was not looked at; did you mean 'x_legal'?")
    told = [line.partition(", scores [")[0] for line in done.stdout.splitlines()]
    decisions = f"verified, {len(entry['actions'])} decisions"
    assert told == [
        f"{path}:2: {decisions}, legal moves compared",
        f"{path}:3: {decisions}, nothing to compare with",
        f"{path}:5: {decisions}, legal moves and scores compared",
        f"{path}:6: {decisions}, nothing to compare with",
    ]


def test_a_file_without_records_is_bad_input():
    done = cli("replay", ROOT / "README.md", "--verify")
    assert done.returncode == 2
    assert "README.md:1: not a whole JSON object" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_replay_shows_the_board():
    done = cli("replay", GOLDEN, "--game", "1", "--ply", "60")
    assert done.returncode == 0
    assert "to decide: " in done.stdout


@pytest.mark.slow
def test_play_writes_records_that_verify(tmp_path):
    path = tmp_path / "games.jsonl"
    done = cli(
        "play", "trajan", "--bots", "random,greedy", "--games", "2", "--seed", "7", "--out", path
    )
    assert done.returncode == 0, done.stderr
    assert len(path.read_text().splitlines()) == 2
    assert cli("replay", path, "--verify").returncode == 0


@pytest.mark.slow
def test_position_files_round_trip(tmp_path):
    path = tmp_path / "position.yaml"
    assert cli("position", GOLDEN, "--record", 1, "--ply", 50, "--out", path).returncode == 0
    shown = cli("position", path)
    assert shown.returncode == 0
    assert "to decide" in shown.stdout


@pytest.mark.slow
def test_suggest_gives_the_same_for_a_file_and_for_the_record(tmp_path):
    path = tmp_path / "position.yaml"
    cli("position", GOLDEN, "--ply", 50, "--out", path)
    budget = ["--iterations", 200, "--seed", 3, "--json"]
    one = json.loads(cli("suggest", path, *budget).stdout)
    two = json.loads(cli("suggest", GOLDEN, "--ply", 50, *budget).stdout)
    assert one["moves"] == two["moves"]
    assert one["game"] == "trajan"
    assert {"game", "player", "iterations", "seconds", "memory_bytes", "moves"} <= set(one)
    best = one["moves"][0]
    assert {"action", "visits", "win", "score", "margin", "line"} <= set(best)


@pytest.mark.slow
def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m trajan_ai replay {GOLDEN} | head -1",
        shell=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert "replayed" in done.stdout


@pytest.mark.slow
def test_ctrl_c_leaves_what_was_played(tmp_path):
    path = tmp_path / "games.jsonl"
    command = ["play", "trajan", "--bots", "greedy,greedy", "--games", "5000", "--out", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "trajan_ai", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in complaint
    assert cli("replay", path).returncode == 0


def test_ctrl_c_shows_the_moves_found_so_far(monkeypatch, capsys):
    whole = suggest.analyse

    def interrupted(*arguments, progress, **limits):
        progress(whole(*arguments, **limits))
        raise KeyboardInterrupt

    monkeypatch.setattr(suggest, "analyse", interrupted)
    assert main(["suggest", str(GOLDEN), "--ply", "50", "--iterations", "200"]) == 130
    assert "200 iterations" in capsys.readouterr().out
