"""On systems without POSIX, everything works except guarded games, which report the reason."""

import sys

import pytest
from calls import python

# Removes everything that Windows lacks, after the modules of Python that need it are loaded.
WITHOUT = """
import asyncio, multiprocessing.connection, multiprocessing.util, os, select, signal, subprocess
import sys, joblib, filelock, numpy
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix"):
    sys.modules[name] = None
for name in ("killpg", "setsid", "fork", "getpgid", "sched_getaffinity", "register_at_fork",
             "sysconf", "O_NONBLOCK"):
    delattr(os, name) if hasattr(os, name) else None
for name in ("SIGSTOP", "SIGCONT", "SIGKILL", "SIGPIPE", "SIGHUP", "SIGCHLD"):
    delattr(signal, name) if hasattr(signal, name) else None
if hasattr(select, "poll"):
    del select.poll
sys.platform = "win32"
from trajan_ai.cli import main
sys.exit(main(sys.argv[1:]))
"""


def without_posix(*arguments, folder):
    return python("-c", WITHOUT, *arguments, folder=folder)


@pytest.mark.slow
def test_a_game_is_played_and_searched(tmp_path):
    played = without_posix(
        *("play", "trajan", "--bots", "greedy,random", "--seed", "1", "--out", "g.jsonl"),
        folder=tmp_path,
    )
    assert (played.returncode, played.stderr) == (0, "")
    suggestion = without_posix(
        "suggest", "g.jsonl", "--ply", "30", "--iterations", "20", folder=tmp_path
    )
    assert (suggestion.returncode, suggestion.stderr) == (0, "")
    engine = without_posix("engine", folder=tmp_path)
    assert (engine.returncode, engine.stdout, engine.stderr) == (0, "", "")


PROGRAM = "kind: program\ncommand: [{}, -c, pass]\n"


CANNOT = (
    "cannot run on this system, which cannot group and suspend processes or limit their memory; "
    "use Linux, macOS, or WSL on Windows\n"
)


@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        (["tournament", "quick"], 2, "trajan-ai tournament: a tournament"),
        (["check-bot", "greedy"], 2, "trajan-ai check-bot: a guarded game"),
        (["play", "trajan", "--bots", "mine.yaml,random"], 1, "a program as a bot"),
    ],
    ids=["tournament", "check-bot", "program"],
)
def test_what_guards_processes_says_that_it_cannot(tmp_path, arguments, status, what):
    text = PROGRAM.format(sys.executable)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    done = without_posix(*arguments, folder=tmp_path)
    assert done.returncode == status
    assert done.stderr.endswith(f"{what} {CANNOT}")
    assert "Traceback" not in done.stderr
