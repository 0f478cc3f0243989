"""The store contains each game once and keeps all data, and each of its errors is one line."""

import json
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from calls import problems

from trajan_ai.bots.game_loop import BotTimes
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import ratings
from trajan_ai.tournaments.game_task import Failure, Outcome
from trajan_ai.tournaments.output import format_csv
from trajan_ai.tournaments.schedule import Fixture
from trajan_ai.tournaments.store import FILE, Store

NAMES = {"d1": "one", "d2": "two"}


def fixture(identity="a1", block="b1", rotation=0, bots=("d1", "d2")):
    return Fixture(
        id=identity,
        game="trajan",
        options="{}",
        block=block,
        deal=0,
        deal_seed=0,
        rotation=rotation,
        seats=(0, 1),
        bots=bots,
    )


def outcome(identity="a1", scores=(30, 20), failure=None, retried=()):
    done = failure is None
    scores, ranks = (list(scores), [1, 2]) if done else (None, None)
    times = BotTimes(
        turns=[9, 9],
        seconds=[0.5, 0.25],
        cpu=[0.4, 0.2],
        longest=[0.1, 0.1],
        running=[0.0, 0.0],
    )
    record = json.dumps({"x_id": identity})
    return Outcome(
        id=identity,
        scores=scores,
        ranks=ranks,
        plies=40,
        times=times,
        total_seconds=1.0,
        total_cpu=0.9,
        record=record,
        failure=failure,
        retried=retried,
    )


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path, create=True) as opened:
        opened.set_plan({"name": "p"}, [("d1", "one", "{}"), ("d2", "two", "{}")])
        yield opened


def test_a_game_is_stored_once(store):
    assert store.add(fixture(), outcome(), "e1")
    assert not store.add(fixture(), outcome(scores=(99, 98)), "e1")
    results = store.results(NAMES)
    assert len(results) == 1
    assert results.bots == ("one", "two")
    assert (results.players.tolist(), results.failed.tolist()) == ([2], [-1])
    assert results.seats.tolist() == [[0, 1, -1, -1]]
    assert results.scores[0, :2].tolist() == [30.0, 20.0]
    assert results.ranks.tolist() == [[1, 2, 0, 0]]
    assert results.turns.tolist() == [[9, 9, 0, 0]]
    assert results.seconds.tolist() == [[0.5, 0.25, 0, 0]]
    assert results.cpu == pytest.approx(np.array([[0.4, 0.2, 0, 0]]))


def test_the_log_is_synced_when_it_is_merged(store):
    """In this mode, SQLite guarantees an intact file, in which only the last games may be
    missing."""
    (journal,), (syncs,) = (
        store._db.execute(f"PRAGMA {name}").fetchone() for name in ("journal_mode", "synchronous")
    )
    assert journal == "wal"
    assert syncs >= 1


def test_failures_and_attempts_are_stored(store):
    died = Failure("died", 1, 7, "its process died of SIGKILL")
    store.add(fixture(), outcome(failure=died, retried=(died, died)), "e1")
    rows = store.failures()
    assert [(row.attempt, row.counted, row.bot) for row in rows] == [
        (0, False, "two"), (1, False, "two"), (2, True, "two"),
    ]  # fmt: skip
    assert store.results(NAMES).failed.tolist() == [1]
    assert store.failures({"players": 2, "deal": 0, "engine": "e1", "game": "trajan"}) == rows
    for where in ({"players": 3}, {"deal": 1}, {"engine": "e2"}, {"game": "nim"}):
        assert store.failures(where) == []


def test_a_failure_without_a_known_bot_is_not_rated(store):
    store.add(fixture(), outcome(failure=Failure("lost", None, 0, "worker killed 6 times")), "e1")
    assert store.results(NAMES).failed.tolist() == [-2]
    assert store.identities() == set()  # the game counts as not played
    assert store.add(fixture(), outcome(), "e1")
    assert store.results(NAMES).failed.tolist() == [-1]
    assert store.failures() == []


def test_records_come_back_whole(store):
    store.add(fixture(), outcome(), "e1")
    assert json.loads(store.record("a1")) == {"x_id": "a1"}
    assert store.find("a") == ["a1"]
    with pytest.raises(TrajanError, match="there is no game 'zz'"):
        store.record("zz")


def test_two_stores_merge_each_game_once(tmp_path, store):
    store.add(fixture("a1"), outcome("a1"), "e1")
    store.add(fixture("a2", rotation=1), outcome("a2"), "e1")
    with Store(tmp_path / "other", create=True) as other:
        other.set_plan({"name": "q"}, [("d1", "one", "{}"), ("d3", "three", "{}")])
        other.add(fixture("a2", rotation=1), outcome("a2"), "e1")
        other.add(fixture("a3", "b2", bots=("d1", "d3")), outcome("a3"), "e1")
    assert store.merge(tmp_path / "other") == 1
    assert store.identities() == {"a1", "a2", "a3"}
    assert store.bots() == {"d1": "one", "d2": "two", "d3": "three"}
    assert list(store.plans().values()) == [{"name": "p"}, {"name": "q"}]
    assert store.merge(tmp_path / "other") == 0


def test_results_can_be_limited_to_bots_and_selected_games(store):
    store.add(fixture("a1", "b1"), outcome("a1"), "e1")
    store.add(fixture("a2", "b2"), outcome("a2"), "e1")
    store.add(fixture("a3", "b2", bots=("d1", "d9")), outcome("a3"), "e1")
    assert len(store.results(NAMES)) == 2
    store.select(["a2", "a3", "a4"])
    assert len(store.results(NAMES, selected=True)) == 1
    assert [game.id for game in store.games(selected=True)] == ["a2", "a3"]
    assert (store.count_missing(), store.count_others()) == (1, 1)
    assert len(store.results(NAMES, {"players": 3})) == 0


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_results_read_in_chunks_are_the_stored_games(store, monkeypatch, chunk):
    """The games are stored in another order than their blocks, and some have other bots."""
    monkeypatch.setattr("trajan_ai.tournaments.store.CHUNK", chunk)
    for number in range(9):
        bots = ("d1", "d9") if number == 4 else ("d2", "d1")
        game = fixture(f"a{number}", f"b{(number * 5) % 3}", number, bots)
        store.add(game, outcome(game.id, (number, 50 + number)), "e1")
    results = store.results(NAMES)
    games = [game for game in store.games() if "d9" not in game.bots]
    assert results.scores[:, 0].tolist() == [game.scores[0] for game in games]
    assert [results.bots[bot] for bot in results.seats[:, 1]] == [game.bots[1] for game in games]
    assert [f"b{block}" for block in results.block] == [game.block for game in games]


def test_bots_with_the_same_name_get_unique_names(store):
    store.set_plan({"name": "p2"}, [("d4", "one", "{}")])
    assert set(store.bots().values()) == {"one@d1", "one@d4", "two"}
    store.set_plan({"name": "p3", "digests": ["d4", "d2"]}, [])
    assert store.bots() == {"d1": "one@d1", "d4": "one", "d2": "two"}


def test_stores_of_two_engines_do_not_merge(tmp_path, store):
    store.add(fixture(), outcome(), "e1")
    with Store(tmp_path / "other", create=True) as other:
        other.add(fixture("a9"), outcome("a9"), "e2")
    with pytest.raises(
        TrajanError,
        match=r"played by engine e2, but those of .* by e1, .*must not be rated together",
    ):
        store.merge(tmp_path / "other")
    assert store.identities() == {"a1"}


def test_games_of_an_engine_can_be_dropped(store):
    died = Failure("died", 1, 7, "gone")
    store.add(fixture(), outcome(), "e1")
    store.add(fixture("a2"), outcome("a2", failure=died), "e2")
    assert store.engines("trajan", ["d1", "d2"]) == {"e1": 1, "e2": 1}
    assert store.engines("trajan", ["d1"]) == {}
    assert store.drop("e2") == 1
    assert store.identities() == {"a1"}
    assert store.failures() == []
    assert store.add(fixture("a2"), outcome("a2"), "e1")


def test_an_adaptive_plan_remembers_the_blocks_it_chose(tmp_path, store):
    number = store.set_plan({"name": "a"}, [])
    store.choose(number, [((0, 1), 0), ((0, 2), 0)])
    store.choose(number, [((0, 1), 1)])
    assert store.chosen(number) == [((0, 1), 0), ((0, 2), 0), ((0, 1), 1)]
    with Store(tmp_path / "both", create=True) as both:
        both.merge(tmp_path)
        assert [both.chosen(plan) for plan in both.plans()] == [store.chosen(number)]
    assert store.set_plan({"name": "a"}, []) == number
    assert store.chosen(number) == []


def test_a_file_that_is_not_a_store_is_a_one_line_error(tmp_path):
    (tmp_path / FILE).write_text("certainly not a database, whatever its name says" * 50)
    (problem,) = problems(Store, tmp_path)
    assert "not a database; name the folder" in problem


def refusing(monkeypatch, words):
    def refuse(self):
        raise sqlite3.OperationalError(words)

    monkeypatch.setattr(Store, "_set_up", refuse)


def test_a_store_that_cannot_be_written_can_be_read(tmp_path, store, monkeypatch):
    """On a read-only file system, no log file can be created next to the store."""
    store.add(fixture(), outcome(), "e1")
    store.close()

    refusing(monkeypatch, "attempt to write a readonly database")
    with Store(tmp_path) as opened:
        assert opened.identities() == {"a1"}
        with pytest.raises(TrajanError, match="make the file and its folder writable"):
            opened.drop("e1")
    with pytest.raises(TrajanError, match="make the file and its folder writable"):
        Store(tmp_path, create=True)


def test_a_folder_deleted_during_a_run_is_reported(tmp_path):
    with Store(tmp_path / "results", create=True) as opened:
        shutil.rmtree(tmp_path / "results")
        with pytest.raises(TrajanError, match="deleted while it was in use"):
            opened.add(fixture(), outcome(), "e1")


def test_the_log_of_a_killed_run_is_read_without_write_access(tmp_path, store, monkeypatch):
    store.add(fixture(), outcome(), "e1")
    copy = tmp_path / "copy"
    copy.mkdir()
    # The store is copied while it is open and has a log that has not been merged yet.
    for file in tmp_path.glob(f"{FILE}*"):
        shutil.copy(file, copy)
    before = {file.name: file.read_bytes() for file in copy.iterdir()}
    assert before[f"{FILE}-wal"]

    refusing(monkeypatch, "attempt to write a readonly database")
    with Store(copy) as opened:
        assert opened.identities() == {"a1"}
    assert {file.name: file.read_bytes() for file in copy.iterdir()} == before


def test_a_failing_disk_is_not_mistaken_for_missing_write_access(tmp_path, store, monkeypatch):
    """Without write access, the log is ignored, so its games would be missing without an error."""

    refusing(monkeypatch, "unable to open database file")
    with pytest.raises(TrajanError, match="unable to open database file; check the disk"):
        Store(tmp_path)


def test_a_game_of_both_stores_keeps_the_failures_of_one(tmp_path, store):
    died = Failure("died", 1, 7, "its process died of SIGKILL")
    store.add(fixture(), outcome(failure=died, retried=(died,)), "e1")
    with Store(tmp_path / "other", create=True) as other:
        other.set_plan({"name": "q"}, [("d1", "one", "{}"), ("d2", "two", "{}")])
        other.add(fixture(), outcome(failure=died, retried=(died, died)), "e1")
    assert store.merge(tmp_path / "other") == 0
    assert [row.counted for row in store.failures()] == [False, True]


def test_games_need_not_be_read_to_the_end_before_the_store_is_closed(store):
    for identity in ("a1", "a2"):
        store.add(fixture(identity), outcome(identity), "e1")
    games = store._each("SELECT id FROM games")
    next(games)
    store.close()
    games.close()


def test_a_damaged_record_is_one_line(store):
    store.add(fixture(), outcome(), "e1")
    store._db.execute("UPDATE games SET record = x'00ff'")
    for read in (lambda: store.record("a1"), lambda: list(store.records())):
        (problem,) = problems(read)
        assert "the record of game a1 is damaged" in problem


def test_a_full_disk_is_one_line_and_loses_nothing(store):
    store.add(fixture("a0"), outcome("a0"), "e1")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")

    def fill():
        for number in range(1, 500):
            store.add(fixture(f"a{number}"), outcome(f"a{number}"), "e1")

    with pytest.raises(TrajanError, match="full; make room and run the same command again"):
        fill()
    store._db.execute("PRAGMA max_page_count = 100000")
    stored = store.identities()
    assert "a0" in stored
    assert len(store.results(NAMES)) == len(stored)


def test_only_the_records_are_read_from_the_table_that_contains_them(store):
    """The table is large because of the records, so each lookup in it reads many pages."""
    store.add(fixture(), outcome(), "e1")
    store.select(["a1"])
    queries = []
    store._db.set_trace_callback(queries.append)
    store.count_missing(), store.count_others(), store.identities(), store.measure_harness()
    for selected in (False, True):
        store.groups(selected=selected)
        store.results(NAMES, selected=selected), list(store.games(selected=selected))
    store._db.set_trace_callback(None)
    plans = [
        (query, step)
        for query in queries
        for *_, step in store._db.execute(f"EXPLAIN QUERY PLAN {query}")
        if " games" in step
    ]
    assert len(plans) >= 11
    assert [plan for plan in plans if "COVERING INDEX games_without_records" not in plan[1]] == []


def test_results_ignore_seats_of_other_games(store):
    for identity, game in (("a1", "trajan"), ("a2", "kuhn"), ("a3", "trajan")):
        one = replace(fixture(identity, block=identity), game=game)
        store.add(one, outcome(identity, scores=(int(identity[1]), 0)), "e1")
    assert store.results(NAMES, {"game": "trajan"}).scores[:, 0].tolist() == [1.0, 3.0]
    assert store.results(NAMES, {"game": "kuhn"}).scores[:, 0].tolist() == [2.0]
    assert len(store.results(NAMES, {"game": "none"})) == 0


def test_another_format_is_rejected(tmp_path, store):
    store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(TrajanError, match="written by another version"):
        Store(tmp_path)


def test_csv_has_a_header_and_a_row_each():
    assert "".join(format_csv([{"a": 1, "b": None}, {"a": 2, "b": "x,y"}])) == 'a,b\n1,\n2,"x,y"\n'


def test_the_numbers_that_files_hold_keep_their_meaning():
    assert (ratings.SEATS, ratings.NO_BOT) == (4, -1)
    assert (ratings.NO_FAILURE, ratings.UNKNOWN_FAILURE) == (-1, -2)


def test_runs_have_their_machine_times_and_games(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("trajan_ai.tournaments.store.time.time", lambda: now[0])
    with Store(tmp_path / "a", create=True) as store:
        store.begin_run("one", 2)
        for number in range(3):
            now[0] += 10
            store.add(fixture(f"a{number}"), outcome(f"a{number}"), "e1")
        now[0] = 90.0  # the clock was set back
        store.add(fixture("a9"), outcome("a9"), "e1")
    with Store(tmp_path / "a") as store:
        store.begin_run("one", 1)  # a run that has nothing to play
        assert [vars(run) for run in store.runs()] == [
            {"started": 100.0, "ended": 130.0, "machine": "one", "jobs": 2, "games": 4}
        ]
    with Store(tmp_path / "b", create=True) as other:
        assert other.merge(tmp_path / "a") == 4
        other.merge(tmp_path / "a")
        assert len(other.runs()) == 1
