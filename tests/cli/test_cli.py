"""The command line has the documented exit statuses, reports errors in one line, and prints only
results on standard output."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from calls import ROOT, python
from golden_games import GOLDEN as GAMES
from golden_games import golden

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.decision import advice, analysis_run
from trajan_ai.analysis.decision.wording import text
from trajan_ai.cli import suggest
from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.common import print_decision
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.forum_trajanum.game import RECONSTRUCTED
from trajan_ai.games.reference import KUHN
from trajan_ai.records import following, position_files, position_sources

GOLDEN = GAMES / "trajan_2p.jsonl"


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
def test_reconstructed_tiles_are_reported_wherever_a_player_meets_them(
    tmp_path, monkeypatch, capsys, words
):
    """The note is one line on standard error. It does not appear in other games, nor with the
    user's own component set."""
    sets = Path(trajan_ai.__file__).parent / "games" / "forum_trajanum" / "sets"
    own = (sets / "recon-1.yaml").read_text().replace("recon-1", "mine")
    (tmp_path / "mine.yaml").write_text(own)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    for game, options, is_printed in (
        ("forum_trajanum", {}, True),
        ("forum_trajanum", {"components": "mine.yaml"}, False),
        ("trajan", {}, False),
    ):
        file = tmp_path / "table.yaml"
        start = trajan_ai.game(game).start(2, 1, **options)
        position_files.write(str(file), position_files.position_file(start, start.player))
        more = [f"--option=components={value}" for value in options.values() if "GAME" in words]
        command = [{"GAME": game, "FILE": str(file)}.get(word, word) for word in words]
        assert main([*command, *more]) == 0
        error = capsys.readouterr().err
        assert error.splitlines().count(RECONSTRUCTED) == is_printed
        assert not error or is_printed
        for left in tmp_path.glob("*.json"):
            left.unlink()


def test_help_lists_every_command_once_in_groups_the_everyday_ones_first(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    groups = re.findall(r"(?m)^([a-z ]+):\n((?:  .+\n)+)", text)
    names = {title: re.findall(r"(?m)^  ([a-z-]+) ", body) for title, body in groups}
    assert list(names)[:4] == ["play and analyse", "tournaments", "lab", "integration"]
    assert [name for title in list(names)[:4] for name in names[title]] == list(COMMANDS)
    assert set(names["play and analyse"]) == {
        "suggest", "play", "serve", "follow", "annotate", "replay", "board", "position",
    }  # fmt: skip


INTERRUPT = """
import builtins, os, signal
whole = builtins.__import__

def import_and_interrupt(name, *rest, **more):
    module = whole(name, *rest, **more)
    if name == {name!r}:
        os.kill(os.getpid(), signal.SIGINT)
    return module

builtins.__import__ = import_and_interrupt
import runpy
runpy.run_module("trajan_ai", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "name", ["trajan_ai.cli.main", "argparse", "trajan_ai.core.platform", "pydantic", "yaml"]
)
def test_ctrl_c_while_the_command_is_imported_prints_no_traceback(name):
    done = python("-c", INTERRUPT.format(name=name), "tournament", "quick", "--check")
    assert done.returncode in (-signal.SIGINT, 130)
    assert done.stdout + done.stderr == ""


def test_an_error_that_replaces_ctrl_c_counts_as_ctrl_c(monkeypatch, capsys):
    """While creating a class, Python replaces the exception, and so does pydantic's core."""

    class Interrupting:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    def run(arguments):
        type("Model", (), {"field": Interrupting()})

    monkeypatch.setattr("trajan_ai.cli.bench.run", run)
    assert main(["bench"]) == 130
    assert capsys.readouterr().err == ""


def test_an_internal_error_has_a_separate_status(monkeypatch, capsys):
    def broken(source):
        raise RuntimeError("ours")

    monkeypatch.setattr("trajan_ai.cli.tournament.read_plan", broken)
    assert main(["tournament", "quick"]) == 3
    errors = capsys.readouterr().err
    assert "RuntimeError: ours" in errors
    assert errors.endswith("trajan-ai tournament: internal error, see above\n")


NEEDS_TABLES = pytest.mark.needs("pyarrow")


@pytest.mark.parametrize(
    "line",
    [
        f"annotate {GOLDEN} --out",
        f"board {GOLDEN} --out",
        pytest.param(f"export {GOLDEN} --to", marks=NEEDS_TABLES),
        f"learn {ROOT}/configs/learn/prior-trajan.yaml --out",
        "new-game chess --out",
        "play trajan --bots random,random --out",
        f"position {GOLDEN} --ply 5 --out",
        pytest.param(f"study {ROOT}/configs/studies/what-wins.yaml --out", marks=NEEDS_TABLES),
        "tournament quick --out",
        f"tune {ROOT}/configs/tune.yaml --out",
    ],
)
def test_an_output_that_cannot_be_written_is_a_one_line_error(line, tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main([*line.split(), str(tmp_path / "file" / "out.svg")]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"trajan-ai {line.split()[0]}: {tmp_path / 'file'}")
    assert last.endswith("Not a directory")


# Command lines that are rejected, each with a part of the error message.
REJECTED = [
    ("", "the following arguments are required: COMMAND; see trajan-ai --help"),
    ("castle", "argument COMMAND: invalid choice: 'castle' (choose from 'suggest', "),
    ("tournament", "are required: PLAN; see trajan-ai tournament --help"),
    ("export a --to b --format csv", "arguments: --format csv; see trajan-ai export --help"),
    ("tournament castle", "there is no such file and no built-in plan of this name; built"),
    ("tournament bad.yaml", "bad.yaml:3: rounds: unknown key; keys are backend, batch, bots"),
    ("tournament bad.yaml", "bad.yaml:2: bots[1]: castle: there is no such file and no built"),
    ("tournament plan.yaml --out . --resume", "there is nothing to resume; omit --resume"),
    ("tournament plan.yaml --jobs 0", "--jobs must be at least 1, got 0"),
    ("results .", "results.sqlite: there are no results; name the folder of a tournament"),
    ("results game castle", "there is no game 'castle' in results/*; name its folder"),
    ("suggest game.jsonl", "trajan: the game is over, so there is nothing to decide"),
    ("suggest game.jsonl --ply 999", "game.jsonl:1: ply must be 0 to 283, got 999"),
    ("suggest game.jsonl --ply 40 --iterations 0", "iterations must be 1 to 2147483647, got 0"),
    ("suggest game.jsonl --ply 40 --time nan", "time must be"),
    ("suggest game.jsonl --ply 40 --threads 0", "threads must be 1 to"),
    ("suggest game.jsonl --ply 40 --redeals 8", "redeals: allowed only with the grade rollout"),
    ("suggest game.jsonl --ply 40 --rollout --redeals 1", "redeals must be 2 to"),
    ("suggest game.jsonl --ply 40 --bot greedy", "does not search"),
    ("suggest game.jsonl --ply 40 --bot castle", "castle: there is no such file and no built-in"),
    ("suggest bad.yaml", "bad.yaml:1: format: is missing; it must be 'trajan-ai/position'"),
    ("suggest bad.yaml", "bad.yaml:1: game: no game is called 'chess'; games are trajan"),
    ("suggest castle.yaml", "castle.yaml: there is no such file"),
    ("annotate castle.jsonl", "castle.jsonl: there is no such file"),
    ("annotate blank.jsonl", "blank.jsonl: contains no game records"),
    ("annotate game.jsonl --iterations 0", "iterations must be 1 to 2147483647, got 0"),
    ("annotate game.jsonl --time 1 --iterations 5", "--iterations: not allowed with"),
    ("profile --players 7", "trajan: players must be 2, 3 or 4, got 7"),
    ("play chess --bots random,random", "no game is called 'chess'; games are trajan, forum"),
    ("play trajan --bots random", "trajan: players must be 2, 3 or 4, got 1"),
    ("play trajan --bots random,random --games -3", "--games must be"),
    ("play trajan --bots random,random --option castle=1", "unknown option 'castle'; options are"),
    ("play trajan --bots random,random --option markers", "must be NAME=VALUE, got 'markers'"),
    ("play trajan --bots random,random --option lap_length=--5", "from 1 to 4000, got '--5'"),
    ("play trajan --bots random,random --check", "--check requires --out FILE.jsonl"),
    ("replay castle.jsonl", "castle.jsonl: there is no such file"),
    ("replay bad.yaml", "bad.yaml: not a file of game records"),
    ("replay blank.jsonl", "blank.jsonl: contains no game records"),
    (
        "replay game.jsonl --game 2",
        "game.jsonl: there is no record 2; the file contains records 1 to 1",
    ),
    ("replay game.jsonl --ply -1", "ply must be 0"),
    ("replay game.jsonl --ply 40 --player 5", "game.jsonl:1: --player must be 0 to 1, got 5"),
    (
        "replay game.jsonl --player 0",
        "--player requires --ply N, because only boards are shown from a player's view",
    ),
    ("tournament plan.yaml --live --check", "--check: not allowed with argument --live"),
    ("position castle", "no game is called 'castle'; games are trajan, forum_trajanum"),
    ("position game.jsonl", "the game is over at this ply; give an earlier --ply, or a --player"),
    ("board game.jsonl --out board.gif", "--out must end in .svg or .png, got 'board.gif'"),
    ("board game.jsonl --out castle/board.svg", "castle/board.svg: No such file or directory"),
    ("board game.jsonl --view 3", "--view must be 0 to 1 or open, got '3'"),
    ("board game.jsonl --view me", "--view must be 0 to 1 or open, got 'me'"),
    ("board game.jsonl --width 10", "--width must be 100 to 10000 pixels, got 10"),
    ("board game.jsonl --ply 50 --view 0 --suggest 1", "--suggest requires the view of"),
    ("follow", "there is no game to continue; give a game (trajan"),
    ("follow chess", "chess: there is no such game or file"),
    ("follow castle.yaml", "castle.yaml: there is no such file"),
    ("follow trajan --players 7", "players must be 2, 3 or 4"),
    ("follow trajan --observer 2", "observer must be 0 to 1"),
    ("engine --threads 0", "--threads must be at least 1, got 0"),
    ("engine --memory nan", "--memory must be at least 1, got nan"),
    ("engine --bot greedy", "does not search"),
    ("engine --bot castle.yaml", "there is no such file"),
    ("engine --bot expert --bot expert", "there is already a bot called 'expert'"),
    ("completion tcsh", "invalid choice: 'tcsh'"),
    ("check-bot none.yaml", "none.yaml: there is no such file"),
    ("check-bot random --games 0", "--games must be above 0, got 0"),
    ("check-bot random --patience -1", "--patience must be above 0"),
    ("check-bot random --game ludo", "no game is called 'ludo'"),
    ("results compare x", "trajan-ai results compare: takes DIR DIR, got x; see trajan-ai"),
    ("results x y", "trajan-ai results: takes DIR, got x y; see trajan-ai results --help"),
    ("results merge nowhere", "trajan-ai results merge: requires --out DIR"),
    ("results merge nowhere --out o", "there are no results"),
    ("new-game My-Game", "lower-case letters, digits or underscores, got 'My-Game'"),
    ("new-game trajan", "NAME must not be the name of an existing game or module, got 'trajan'"),
    ("new-game json", "NAME must not be the name of an existing game or module, got 'json'"),
    ("new-game my_game --out .", ". already exists"),
]


@pytest.mark.parametrize(("line", "message"), REJECTED)
def test_every_error_is_one_line(line, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    records.write("game.jsonl", [golden()])
    Path("plan.yaml").write_text("game: trajan\nbots: [random, greedy]\n")
    Path("bad.yaml").write_text("game: chess\nbots: [random, castle]\nrounds: 3\n")
    Path("blank.jsonl").touch()
    try:
        status = main(line.split())
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    command = "" if line in ("", "castle") else f" {line.split()[0]}"
    assert (status, out) == (2, "")
    assert message in err
    begin = re.compile(rf"trajan-ai{command}( compare| merge)?: ")
    assert all(begin.match(text) for text in err.splitlines())
    assert len([*tmp_path.iterdir()]) == 4, "something was written"


@pytest.mark.parametrize(
    "command",
    [
        "position",
        *(
            pytest.param(one, marks=pytest.mark.long)
            for one in ("board", "follow", "replay", "suggest")
        ),
    ],
)
def test_deeply_nested_files_are_bad_input(command, tmp_path, capsys):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    assert main([command, str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "nested too deeply" in line
    with pytest.raises(TrajanError, match="nested too deeply"):
        position_sources.read_followed(path)


def test_play_names_a_failure_and_exits_with_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("silent.py").write_text(
        "class Silent:\n    def choose(self, observation, seed):\n        return None\n"
    )
    Path("silent.yaml").write_text("{name: silent, kind: python, class: 'silent:Silent'}")
    assert main(["play", "trajan", "--bots", "silent.yaml,random", "--games", "2"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("silent (seat") == 2, captured.err
    assert captured.out == ""


def test_replay_shows_the_board(capsys):
    assert main(["replay", str(GOLDEN), "--game", "1", "--ply", "60"]) == 0
    assert "to decide: " in capsys.readouterr().out


def test_replay_names_what_it_compared(tmp_path, capsys):
    entry = next(iter(records.read(GOLDEN)))
    bare = {key: value for key, value in entry.items() if not key.startswith("x_")}
    unfinished = bare | {"actions": bare["actions"][:60]}
    del unfinished["scores"], unfinished["ranks"]
    path = tmp_path / "games.jsonl"
    records.write(path, [records.checkable(bare), bare, unfinished])
    assert main(["replay", str(path), "--verify"]) == 0
    compared = [line.split(", ", 2)[2] for line in capsys.readouterr().out.splitlines()]
    assert compared[0].startswith("legal moves, scores and result compared, scores [")
    assert compared[1].startswith("result compared, scores [")
    assert compared[2].startswith("nothing compared, unfinished")


def test_replay_says_what_happened_in_the_last_move_as_a_player_sees_it(capsys):
    entry = next(iter(records.read(GOLDEN)))
    ply = next(ply for ply, (_, action) in enumerate(entry["actions"]) if action == "draw")
    drawer = entry["actions"][ply][0]
    for player in (drawer, 1 - drawer):
        command = ["replay", str(GOLDEN), "--game", "1", "--ply", str(ply + 1)]
        assert main([*command, "--player", str(player)]) == 0
        text = capsys.readouterr().out
        assert f"in the last move:\n  player {drawer}: draws " in text
        assert ("draws a card" in text) == (player != drawer)


def test_replay_lists_the_moves_as_a_player_knows_them(capsys):
    entry = next(iter(records.read(GOLDEN)))
    position, possible = next(
        (position, possible)
        for position in records.positions(entry)
        if (possible := following.follow(position, 1 - position.player).legal())
        != position.legal()
    )
    for player, legal in (
        (position.player, position.legal()),
        (1 - position.player, possible),
    ):
        command = ["replay", str(GOLDEN), "--game", "1", "--ply", str(position.ply)]
        assert main([*command, "--player", str(player)]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == f"player {position.player} to decide: {', '.join(legal)}"


def test_no_moves_of_others_are_listed_in_games_that_cannot_be_followed(capsys):
    position = KUHN.start(2, 1)
    print_decision(position, 1)
    assert capsys.readouterr().out == "\nplayer 0 to decide\n"


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error():
    done = subprocess.run(
        f"{sys.executable} -m trajan_ai replay {GOLDEN} | head -1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert "replayed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_finished_games(tmp_path, how):
    path = tmp_path / "games.jsonl"
    command = ["play", "trajan", "--bots", "greedy,greedy", "--games", "5000", "--out", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "trajan_ai", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(how)
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in complaint
    assert main(["replay", str(path)]) == 0


def test_ctrl_c_prints_the_interim_ranking(monkeypatch, capsys):
    complete = advice.complete

    def interrupt(analysing, progress):
        progress(complete(analysing))
        raise KeyboardInterrupt

    monkeypatch.setattr(advice, "complete", interrupt)
    assert main(["suggest", str(GOLDEN), "--ply", "50", "--iterations", "200"]) == 130
    assert "200 iterations" in capsys.readouterr().out


def test_the_interim_ranking_is_rewritten_in_place_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "99")
    monkeypatch.setattr(suggest, "REFRESH_SECONDS", 0.0)
    here = records.replay(golden("forum_trajanum"), 63)
    analysis = advice.analyse(InformationSet(here), iterations=200)
    assert len(analysis.moves) == 7
    display = suggest._Display(None)
    display.update(analysis)
    assert capsys.readouterr().err == ""  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    display.clear()
    assert capsys.readouterr().err == ""  # nothing to clear
    display.update(analysis)
    table = capsys.readouterr().err
    lines = table.count("\n")
    erased = f"\x1b[{lines}A\x1b[J"
    display.update(analysis)
    assert capsys.readouterr().err == erased + table
    display.clear()
    display.clear()
    assert capsys.readouterr().err == erased
    monkeypatch.setattr(suggest, "REFRESH_SECONDS", 1e9)
    many = replace(analysis, moves=analysis.moves * 2)
    display.update(many)
    assert capsys.readouterr().err == text(many, 10, 99) + "\n"  # ten moves at most
    display.update(analysis)
    assert capsys.readouterr().err == ""  # too early for another table


def test_rollouts_have_a_progress_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(analysis_run, "ROLLOUT_ITERATIONS", 1)
    monkeypatch.setattr(advice, "PROGRESS_SECONDS", 0.001)
    line = ["suggest", str(GOLDEN), "--ply", "200", "--rollout", "--iterations", "50"]
    assert main([*line, "--redeals", "9", "--json"]) == 0
    silent = capsys.readouterr()
    assert silent.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main([*line, "--redeals", "9", "--json"]) == 0
    printed = capsys.readouterr()
    assert "VP ahead" in printed.err
    assert "/9 " in printed.err
    assert json.loads(printed.out)["moves"] == json.loads(silent.out)["moves"]


# --- completion of the command line by shells


def complete(line):
    variables = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)),
             "COMP_TYPE": "9", "_ARGCOMPLETE_IFS": " ", "_ARGCOMPLETE_SHELL": "bash"}  # fmt: skip
    read, write = os.pipe()
    code = f"import os; os.dup2({write}, 8); from trajan_ai.cli.main import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | variables,
                               pass_fds=(write,), stderr=subprocess.DEVNULL)  # fmt: skip
    os.close(write)
    with os.fdopen(read) as answer:
        words = answer.read().split()
    process.wait()
    return words


@pytest.mark.slow
@pytest.mark.needs("argcomplete")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trajan-ai ", {*COMMANDS, "-h", "--help", "--version"}),
        ("trajan-ai tournament --re", {"--resume"}),
        ("trajan-ai completion ", {"bash", "zsh", "fish", "-h", "--help"}),
    ],
)
def test_a_shell_gets_completions(line, words):
    completions = set(complete(line))
    assert completions
    assert completions <= words
    assert completions >= {word for word in words if not word.startswith("-")}


@pytest.mark.needs("argcomplete")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(capsys, shell):
    assert main(["completion", shell]) == 0
    assert "trajan-ai" in capsys.readouterr().out
