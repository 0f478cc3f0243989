"""`trajan-ai new-game` writes a package that installs and passes the kit."""

import os
import re
import sys

import pytest
from calls import python

from trajan_ai.cli.main import main

LANGUAGES = [[], ["--cython"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_the_example_is_left(tmp_path, monkeypatch, capsys, language):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "haggle", *language]) == 0
    files = [path for path in (tmp_path / "haggle").rglob("*") if path.is_file()]
    assert len(files) == (7 if language else 3)
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    words = set(re.findall(r"\w*(?:hoard|haggle)\w*", text, re.IGNORECASE))
    assert words == {"haggle", "Haggle", "HaggleRules"}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_printed_commands_install_and_check_the_game(tmp_path, monkeypatch, capsys, language):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "my_game", *language]) == 0
    install, prove = (line.split()[1:] for line in capsys.readouterr().out.splitlines()[1:])
    here = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", "site"]
    install = [word for word in install if word != "--editable"]  # not possible with --target
    paths = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    monkeypatch.setenv("CFLAGS", "-O0")
    # Two checks suffice, because the new game is Hoard under another name.
    few = ["--check", "handle", "--check", "end_is_final"]
    for command in ([*install, *here], [*prove, *few]):
        done = python(*command, folder=tmp_path, path=paths)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("every promise is kept\n")
