"""`trajan-ai new-game` writes a package that compiles, is installed and keeps every promise."""

import os
import sys

import pytest
from calls import python

from trajan_ai.cli.main import main


@pytest.mark.slow
def test_two_commands_prove_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "my_game"]) == 0
    install, prove = (line.split()[1:] for line in capsys.readouterr().out.splitlines()[1:])
    texts = [path.read_text() for path in (tmp_path / "my_game").rglob("*") if path.is_file()]
    assert len(texts) == 7
    assert not any("hoard" in text.lower() for text in texts)
    here = ["--quiet", "--no-deps", "--no-index", "--target", "site"]
    paths = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    monkeypatch.setenv("CFLAGS", "-O0")
    few = ["--check", "handle", "--check", "end_is_final"]  # it is Hoard by another name
    for command in ([*install, *here], [*prove, *few]):
        done = python(*command, folder=tmp_path, path=paths)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("every promise is kept\n")
