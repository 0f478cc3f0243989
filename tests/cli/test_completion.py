"""Shells complete the words of the command line; asked as they ask."""

import os
import subprocess
import sys

import pytest

from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import main

pytestmark = pytest.mark.needs("argcomplete")


def completed(line):
    """What could follow a line, as a shell of argcomplete's protocol learns it."""
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)),
             "COMP_TYPE": "9", "_ARGCOMPLETE_IFS": " ", "_ARGCOMPLETE_SHELL": "bash"}  # fmt: skip
    read, write = os.pipe()
    code = f"import os; os.dup2({write}, 8); from trajan_ai.cli.main import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code], env=os.environ | asked,
                               pass_fds=(write,), stderr=subprocess.DEVNULL)  # fmt: skip
    os.close(write)
    with os.fdopen(read) as answer:
        words = answer.read().split()
    process.wait()
    return words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trajan-ai ", {*COMMANDS, "-h", "--help", "--version"}),
        ("trajan-ai tourn", {"tournament"}),
        ("trajan-ai tournament --re", {"--resume"}),
        ("trajan-ai completion ", {"bash", "zsh", "fish", "-h", "--help"}),
    ],
)
def test_a_shell_learns_what_could_follow(line, words):
    found = set(completed(line))
    assert found
    assert found <= words
    assert found >= {word for word in words if not word.startswith("-")}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_needs_is_printed(capsys, shell):
    assert main(["completion", shell]) == 0
    assert "trajan-ai" in capsys.readouterr().out


def test_another_shell_is_wrong_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["completion", "tcsh"])
    assert "invalid choice" in capsys.readouterr().err
