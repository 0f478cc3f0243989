"""The store: each game once, everything kept, errors in one line."""

import json

import pytest

from tournaments import play
from tournaments.output import csv_of
from tournaments.play import Failure, Outcome
from tournaments.store import FILE, Entry, Store
from trajan_ai.core.errors import TrajanError

NAMES = {"d1": "one", "d2": "two"}


def entry(identity="a1", block="b1", rotation=0, bots=("d1", "d2")):
    return Entry(identity, "trajan", "{}", block, 0, rotation, bots)


def outcome(identity="a1", scores=(30, 20), failure=None, retried=()):
    done = failure is None
    return Outcome(
        identity,
        list(scores) if done else None,
        [1, 2] if done else None,
        40,
        [9, 9],
        [0.5, 0.25],
        [0.5, 0.25],
        [0.1, 0.1],
        1.0,
        0.9,
        json.dumps({"x_id": identity}),
        failure,
        retried,
    )


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path, create=True) as opened:
        opened.add_plan({"name": "p"}, [("d1", "one", "{}"), ("d2", "two", "{}")])
        yield opened


def test_a_game_is_stored_once(store):
    assert store.add(entry(), outcome())
    assert not store.add(entry(), outcome(scores=(99, 98)))
    results = store.results(NAMES)
    assert len(results) == 1
    assert results.scores[0, :2].tolist() == [30.0, 20.0]
    assert results.bots == ("one", "two")


def test_failures_and_attempts_are_kept(store):
    died = Failure("died", 1, 7, "its process died of SIGKILL")
    store.add(entry(), outcome(failure=died, retried=(died, died)))
    rows = store.failures()
    assert [(row.attempt, row.counted, row.bot) for row in rows] == [
        (0, False, "two"), (1, False, "two"), (2, True, "two"),
    ]  # fmt: skip
    assert store.results(NAMES).failed.tolist() == [1]


def test_a_failure_of_nobody_known_rates_nobody(store):
    store.add(entry(), outcome(failure=Failure("lost", None, 0, "worker killed 6 times")))
    assert store.results(NAMES).failed.tolist() == [-2]


def test_records_come_back_whole(store):
    store.add(entry(), outcome())
    assert json.loads(store.record("a1")) == {"x_id": "a1"}
    assert store.find("a") == ["a1"]
    with pytest.raises(TrajanError, match="there is no game 'zz'"):
        store.record("zz")


def test_two_stores_merge_each_game_once(tmp_path, store):
    store.add(entry("a1"), outcome("a1"))
    store.add(entry("a2", rotation=1), outcome("a2"))
    with Store(tmp_path / "other", create=True) as other:
        other.add_plan({"name": "q"}, [("d1", "one", "{}"), ("d3", "three", "{}")])
        other.add(entry("a2", rotation=1), outcome("a2"))
        other.add(entry("a3", "b2", bots=("d1", "d3")), outcome("a3"))
    assert store.merge(tmp_path / "other") == 1
    assert store.identities() == {"a1", "a2", "a3"}
    assert store.bots() == {"d1": "one", "d2": "two", "d3": "three"}
    assert store.plan() == {"name": "p"}
    assert store.merge(tmp_path / "other") == 0


def test_results_leave_out_games_with_other_bots_and_other_blocks(store):
    store.add(entry("a1", "b1"), outcome("a1"))
    store.add(entry("a2", "b2"), outcome("a2"))
    store.add(entry("a3", "b2", bots=("d1", "d9")), outcome("a3"))
    assert len(store.results(NAMES)) == 2
    assert len(store.results(NAMES, blocks=["b2"])) == 1
    assert len(store.results(NAMES, {"players": 3})) == 0


def test_bots_of_one_name_are_told_apart(store):
    store.add_plan({"name": "p2"}, [("d4", "one", "{}")])
    assert set(store.bots().values()) == {"one@d1", "one@d4", "two"}


def test_no_results_is_one_line(tmp_path):
    with pytest.raises(TrajanError, match="there are no results; name the folder"):
        Store(tmp_path / "nowhere")


def test_a_file_that_is_no_store_is_one_line(tmp_path):
    (tmp_path / FILE).write_text("certainly not a database, whatever its name says" * 50)
    with pytest.raises(TrajanError, match="not a database; name the folder") as caught:
        Store(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_one_line_and_loses_nothing(store):
    store.add(entry("a0"), outcome("a0"))
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")

    def fill():
        for number in range(1, 500):
            store.add(entry(f"a{number}"), outcome(f"a{number}"))

    with pytest.raises(TrajanError, match="full; make room and run the same command again"):
        fill()
    store._db.execute("PRAGMA max_page_count = 100000")
    kept = store.identities()
    assert "a0" in kept
    assert len(store.results(NAMES)) == len(kept)


def test_another_format_is_refused(tmp_path, store):
    store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(TrajanError, match="written by another version"):
        Store(tmp_path)


def test_csv_has_a_header_and_a_row_each():
    assert csv_of([{"a": 1, "b": None}, {"a": 2, "b": "x,y"}]) == 'a,b\n1,\n2,"x,y"\n'


def test_an_estimate_counts_turns():
    cost = play.estimate("trajan", 2, {}, [])
    assert 10 < cost.turns < 60
