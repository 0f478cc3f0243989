"""Calls that many tests make."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trajan_ai.core.errors import TrajanError

ROOT = Path(__file__).parent.parent.parent


def played(position, *actions):
    for action in actions:
        position = position.after(action)
    return position


def problems(call, *arguments, **options):
    """Return the problems of the TrajanError that a call raises; each must be a single line."""
    with pytest.raises(TrajanError) as caught:
        call(*arguments, **options)
    assert all("\n" not in problem for problem in caught.value.messages)
    return tuple(caught.value.messages)


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def write_programs(folder):
    """Write the Python programs of each page to a file of the folder; return the files."""
    # A stub for the package that docs/own_game.md installs.
    (folder / "hoard.pyi").write_text("from trajan_ai.core.game import Game\n\nGAME: Game\n")
    files = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if programs := blocks(page, "python"):
            files.append(folder / f"{page.stem.lower()}_page.py")
            files[-1].write_text("\n".join(programs), encoding="utf-8")
    return files


def run_programs(page, some=slice(None)):
    names = {}
    for program in blocks(page, "python")[some]:
        exec(compile(program, page, "exec"), names)
    return names


def python(*arguments, folder=ROOT, path=ROOT):
    """Run Python in a folder, with imports from `path`; return the finished process."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
