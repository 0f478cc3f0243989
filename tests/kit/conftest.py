"""The example game and the wrong games, compiled once a session outside the tree."""

import importlib
import sys

import pytest
from building import build


@pytest.fixture(scope="session")
def outside(tmp_path_factory):
    """Folder with the packages hoard and wrong_games, importable."""
    folder = tmp_path_factory.mktemp("outside")
    build(folder)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def hoard(outside):
    return importlib.import_module("hoard").GAME


@pytest.fixture(scope="session")
def wrong_games(outside):
    return importlib.import_module("wrong_games").GAMES
