"""`trajan-ai results`: tables, filters, comparison, single games, merging."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from plans import NIM, plan

from trajan_ai import records
from trajan_ai.cli import main
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.store import FILE, Store

RANDOM = {"bots": ["random", "greedy"], "deals": 1}
SEARCH = {"name": "search", "extends": "ismcts", "iterations": 10}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("results")
    for name, bots, seed in (("a", ["random", "greedy"], 1), ("b", ["random", SEARCH], 2)):
        state = runner.run(plan(base, bots=bots, seed=seed, deals=3), base / name, 1)
        write_outputs(state)
    return base


@pytest.fixture
def call(capsys):
    """Return a function that returns the output of `results`, or its error."""

    def results(*words):
        status = main([str(word) for word in ("results", *words)])
        printed = capsys.readouterr()
        assert status in (0, 2)
        if status == 2:
            assert printed.err.count("\n") == 1
            assert printed.out == ""
        return printed.err if status == 2 else printed.out

    return results


@pytest.mark.slow
def test_tables_show_the_games_that_match_the_filters(folders, call):
    text = call(folders / "a")
    assert "95 % interval" in text
    assert "6 games of 3 deals" in text
    assert json.loads(call(folders / "a", "--deal", "1", "--json"))["games"] == 2
    games = json.loads(call(folders / "a", "--bot", "greedy", "--games", "--json"))
    assert len(games["games"]) == 6
    assert "no game matches the filters" in call(folders / "a", "--players", "4")
    assert "bots: greedy, random" in call(folders / "a", "--bot", "nobody")
    assert "no games of 'forum'; games: trajan" in call(folders / "a", "--game", "forum")
    rows = call(folders / "a", "--csv").splitlines()
    assert rows[0].startswith("place,bot,elo")
    assert len(rows) == 3
    assert len(call(folders / "a", "--games", "--csv").splitlines()) == 1 + 12
    assert "no bot failed" in call(folders / "a", "--failures")


def test_a_run_without_games_asks_for_no_other_filters(call, tmp_path):
    with Store(tmp_path, create=True):
        pass
    assert "no game is finished yet" in call(tmp_path)
    assert "no game matches the filters" in call(tmp_path, "--players", "4")


@pytest.mark.slow
def test_compare_shows_the_differences_between_two_folders(folders, call):
    for name, iterations in (("old", 4), ("new", 40)):
        mine = {"name": "mine", "extends": "ismcts", "iterations": iterations}
        bots = ["random", "greedy", mine]
        runner.run(plan(folders, bots=bots, players=[2, 3], deals=2), folders / name, 1)
    data = json.loads(call("compare", folders / "old", folders / "new", "--json"))
    rows = {row["bot"]: row for row in data["bots"]}
    assert {row["paired"] for row in rows.values()} == {6}
    assert rows["mine"]["margin_difference"] != 0
    text = call("compare", folders / "a", folders / "old")
    assert "B - A (95 %)" in text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith(("A:", "B:")))
    assert "only in B: mine" in text
    assert "no table with the same bots occurs in both" in call(
        "compare", folders / "a", folders / "b"
    )
    assert "there are no results" in call("compare", folders / "a", folders / "e")


@pytest.mark.slow
def test_a_game_can_be_selected_and_replayed(folders, call, capsys, tmp_path):
    games = json.loads(call(folders / "a", "--games", "--json"))["games"]
    assert main(["results", "game", games[0]["id"][:12], str(folders / "a")]) == 0
    line, errors = capsys.readouterr()
    assert records.replay(records.parse(line)).scores == games[0]["scores"]
    assert "trajan-ai replay game.jsonl --verify" in errors
    (tmp_path / "game.jsonl").write_text(line)
    assert main(["replay", str(tmp_path / "game.jsonl"), "--verify"]) == 0
    capsys.readouterr()
    assert "there is no game 'zzz'" in call("game", "zzz", folders / "a")
    assert "give more of its digits" in call("game", "", folders / "a")


@pytest.mark.slow
def test_a_merge_contains_each_game_once(folders, call, tmp_path):
    words = ("merge", folders / "a", folders / "b", folders / "a", "--out", tmp_path / "both")
    assert "12 games added, 12 games in" in call(*words)
    text = call(tmp_path / "both")
    assert all(name in text for name in ("random", "greedy", "search"))


def test_a_merge_warns_of_versions_of_a_bot(call, tmp_path):
    for name, iterations in (("a", 1), ("b", 2)):
        bots = ["random", SEARCH | {"iterations": iterations}]
        runner.run(plan(tmp_path, game=NIM, deals=1, bots=bots), tmp_path / name, 1)
    runner.run(plan(tmp_path, game=NIM, **RANDOM), tmp_path / "c", 1)
    words = ("merge", tmp_path / "a", tmp_path / "b", tmp_path / "c", "--out", tmp_path / "all")
    _, *warnings = call(*words).splitlines()
    with Store(tmp_path / "all") as store:
        versions = [name for name in store.bots().values() if name.startswith("search@")]
    assert len(versions) == 2
    assert warnings == [
        f"warning: {tmp_path / 'all'} contains games of 2 versions of 'search' "
        f"({', '.join(versions)}); a plan uses only the games of its own version"
    ]
    assert json.loads(call(*words, "--json"))["warnings"] == [
        warnings[0].removeprefix("warning: ")
    ]


def test_a_merge_does_not_warn_of_one_bot_in_two_games(call, tmp_path):
    for name, game in (("a", "trajan"), ("b", "forum_trajanum")):
        bots = [
            "random",
            SEARCH | {"extends": "expert", "seconds_per_turn": None, "iterations": 1},
        ]
        runner.run(plan(tmp_path, game=game, deals=1, bots=bots), tmp_path / name, 1)
        with Store(tmp_path / name) as store:
            assert len(store.names()) == 2
    text = call("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "all")
    with Store(tmp_path / "all") as store:
        assert [*store.names().values()].count("search") == 2
    assert "warning" not in text


@pytest.mark.parametrize("words", [["drop", "cafe", "out"], ["out", "--engine", "cafe"],
                                   ["out", "--engine", "cafe", "--games"]])  # fmt: skip
def test_an_unknown_engine_is_answered_with_those_of_the_folder(
    call, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    with Store("out", create=True):
        assert "no game was played by engine 'cafe'; it has no games" in call(*words)
    state = runner.run(plan(tmp_path, game=NIM, **RANDOM), "out", 1)
    assert f"engine 'cafe'; engines with games: {state.engine}" in call(*words)


def test_a_folder_in_results_is_suggested(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Store("results/cup", create=True).close()
    for words in (
        ["cup"],
        ["drop", "cafe", "cup"],
        ["compare", "cup", "cup"],
        ["game", "a", "cup"],
    ):
        assert f"there are no results; did you mean {Path('results/cup')}?" in call(*words)
    assert "there are no results; name the folder of a tournament" in call("other")


def test_failures_match_the_filters(call, tmp_path):
    bad = {"kind": "python", "class": "bad:Bad"}
    bots = ["random", {"name": "a"} | bad, {"name": "b", "seconds_per_turn": 9} | bad]
    (tmp_path / "bad.py").write_text("class Bad: ...\n")
    runner.run(plan(tmp_path, game=NIM, bots=bots, deals=2), tmp_path / "out", 1)

    def failures(*words):
        data = json.loads(call(tmp_path / "out", "--failures", "--json", *words))["failures"]
        return [row["bot"] for row in data]

    every = failures()
    assert set(every) == {"a", "b"}
    assert failures("--bot", "a") == ["a"] * every.count("a")
    assert failures("--bot", "a", "--bot", "b", "--players", "2") == every
    assert failures("--bot", "random") == failures("--players", "3") == []
    assert 0 < len(failures("--deal", "1")) < len(every)


def test_a_merge_into_a_source_is_rejected(call, tmp_path):
    for name in "ab":
        Store(tmp_path / name, create=True).close()
    error = call("merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "b" / ".." / "a")
    assert "a: is both a source and the target of the merge" in error


@pytest.mark.parametrize("damage", ["engine = 'another'", "record = x'00ff'"])
def test_a_merge_checks_all_sources_before_it_copies_games(call, tmp_path, damage):
    for seed, name in enumerate("abc"):
        runner.run(plan(tmp_path, game=NIM, seed=seed, **RANDOM), tmp_path / name, 1)
    with closing(sqlite3.connect(tmp_path / "b" / FILE, isolation_level=None)) as db:
        db.execute(f"UPDATE games SET {damage}")
    words = ("merge", tmp_path / "a", tmp_path / "b", "--out")
    why = "played by engine another" if "engine" in damage else "the record of game"
    for target, games in (("new", 0), ("c", 2)):
        assert why in call(*words, tmp_path / target)
        if games:
            with Store(tmp_path / target) as store:
                assert len(store.identities()) == games
        else:
            assert not (tmp_path / target).exists()


def _broken(text):
    """Yield damaged variants of a JSON text: first variants of the text, then of its data."""
    yield from (text[: len(text) // 2], "", "null", "[]", "{}", "5", "[" * 50_000, "[[5]]")
    data = json.loads(text)
    for key in data if isinstance(data, dict) else ():
        yield json.dumps({other: value for other, value in data.items() if other != key})
        yield from (
            json.dumps(data | {key: value}) for value in (None, [], {}, "x", [None], 2**70)
        )


@pytest.mark.parametrize(
    ("table", "column"),
    [("plans", "plan"), ("bots", "makeup"), ("chosen", "bots")],
)
def test_damaged_rows_give_a_one_line_error(tmp_path, capsys, table, column):
    bots = ["random", "greedy"]
    tournament = plan(tmp_path, bots=bots, deals=1, game=NIM, stop={"half_width": 1})
    runner.run(tournament, tmp_path / "out", 1)
    commands = ([], ["--games"], ["--failures"], ["--all"])
    with closing(sqlite3.connect(tmp_path / "out" / FILE, isolation_level=None)) as db:
        (text,) = db.execute(f"SELECT {column} FROM {table}").fetchone()
        damaged = 0
        for broken in _broken(text):
            db.execute(f"UPDATE {table} SET {column} = ?", (broken,))
            for command in commands:
                status = main(["results", *command, str(tmp_path / "out")])
                error = capsys.readouterr().err
                assert status in (0, 2), (broken[:200], error)
                assert error.count("\n") == (status == 2), (broken[:200], error)
                damaged += "damaged" in error
        assert damaged > 5
