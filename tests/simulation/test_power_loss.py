"""A tournament's store survives a loss of power, but for its last games."""

import _sqlite3
import ctypes
import random
import sqlite3

import power_loss
import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments.store import Store

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(_sqlite3.__file__), "sqlite3_vfs_find"),
    reason="this Python hides its SQLite",
)
LOSSES = 40


def lost_games(journal, kept):
    return [
        power_loss.survive("plain", 0, journal, kept, random.Random(seed))
        for seed in range(LOSSES)
    ]


@pytest.mark.slow
def test_the_last_games_are_lost_at_most():
    lost = lost_games(*power_loss.journal_of("plain", 0))
    assert min(lost) == 0
    assert max(lost) > 0  # what was not synced does get lost


def test_a_store_that_never_syncs_is_noticed(monkeypatch):
    set_up = Store._set_up

    def careless(self):
        set_up(self)
        self._db.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(Store, "_set_up", careless)
    written = power_loss.journal_of("plain", 0)
    monkeypatch.undo()
    with pytest.raises((AssertionError, TrajanError, sqlite3.Error)):
        lost_games(*written)
