"""`trajan-ai new-game` writes a package that compiles, is installed and keeps every promise."""

import os
import subprocess
import sys

import pytest

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
    paths = [str(tmp_path / "site"), *filter(None, sys.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "CFLAGS": "-O0"}
    few = ["--check", "handle", "--check", "end_is_final"]  # it is Hoard by another name
    for command in ([*install, *here], [*prove, *few]):
        done = subprocess.run(
            [sys.executable, *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("every promise is kept\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["My Game"], "NAME must be small letters, digits and _, got 'My Game'"),
        (["trajan"], "NAME must not be that of a game or module, got 'trajan'"),
        (["json"], "NAME must not be that of a game or module, got 'json'"),
        (["my_game", "--out", "."], ". is there already"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path, monkeypatch, capsys, words, complaint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("kept")
    assert main(["new-game", *words]) == 2
    assert capsys.readouterr().err == f"trajan-ai new-game: {complaint}\n"
