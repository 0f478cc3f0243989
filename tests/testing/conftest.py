"""The example game and the broken games, compiled once per session outside the repository."""

import importlib
import os
import shutil
import sys
from pathlib import Path

import pytest
from calls import ROOT, python
from filelock import FileLock

import trajan_ai
from trajan_ai.cli import new_game

PACKAGES = [ROOT / "docs" / "own_game" / "src" / "hoard", Path(__file__).parent / "wrong_games"]
# The .pxd files of a clone are in ext/; those of an installed package are next to its modules.
HERE = Path(trajan_ai.__file__).parent.parent


def build(folder):
    for source in PACKAGES:
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    modules = ["hoard/engine.pyx", "wrong_games/faults.pyx"]
    path = os.pathsep.join(map(str, (HERE, HERE / "ext")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")  # compile time matters more than speed
        done = python("-m", "Cython.Build.Cythonize", "-i3", *modules, folder=folder, path=path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def outside(tmp_path_factory):
    """Yield the folder of the packages hoard and wrong_games, which all workers can import."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, unfinished = shared / "outside", shared / "unfinished"
    with FileLock(shared / "outside.lock"):
        if not folder.exists():
            unfinished.mkdir()
            build(unfinished)
            unfinished.rename(folder)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def sketch(tmp_path_factory):
    """Yield the module of the example game in Python, created under another name."""
    folder = tmp_path_factory.mktemp("python_game")
    new_game.write("sketch", folder, compiled=False)
    sys.path.insert(0, str(folder / "src"))
    yield importlib.import_module("sketch")
    sys.path.remove(str(folder / "src"))
    del sys.modules["sketch"]


@pytest.fixture(scope="session")
def hoard(outside):
    return importlib.import_module("hoard").GAME


@pytest.fixture(scope="session")
def wrong_games(outside):
    return importlib.import_module("wrong_games").GAMES
