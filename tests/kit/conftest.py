"""The example game and the wrong games, compiled once a session outside the tree."""

import importlib
import os
import sys

import pytest
from building import build
from filelock import FileLock


@pytest.fixture(scope="session")
def outside(tmp_path_factory):
    """Folder with the packages hoard and wrong_games, importable; workers share it."""
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


@pytest.fixture(scope="session")
def hoard(outside):
    return importlib.import_module("hoard").GAME


@pytest.fixture(scope="session")
def wrong_games(outside):
    return importlib.import_module("wrong_games").GAMES
