"""`trajan-ai results`: tables, filters, comparison, single games, merging."""

import json
import sqlite3
from contextlib import closing

import pytest
from plans import NIM, plan

from trajan_ai import records
from trajan_ai.cli import main
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.store import FILE

SEARCH = {"name": "search", "extends": "ismcts", "iterations": 10}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("results")
    for name, bots, seed in (("a", ["random", "greedy"], 1), ("b", ["random", SEARCH], 2)):
        state = runner.run(plan(base, bots=bots, seed=seed, deals=3), base / name, 1)
        write_outputs(base / name, state)
    return base


def call(capsys, *words):
    status = main([str(word) for word in ("results", *words)])
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.mark.slow
def test_the_table(folders, capsys):
    status, text, _ = call(capsys, folders / "a")
    assert status == 0
    assert "95 % interval" in text
    assert "6 games of 3 deals" in text


@pytest.mark.slow
def test_filters(folders, capsys):
    data = json.loads(call(capsys, folders / "a", "--deal", "1", "--json")[1])
    assert data["games"] == 2
    games = json.loads(call(capsys, folders / "a", "--bot", "greedy", "--games", "--json")[1])
    assert len(games["games"]) == 6
    status, _, errors = call(capsys, folders / "a", "--players", "4")
    assert status == 2
    assert "no game fits" in errors
    status, _, errors = call(capsys, folders / "a", "--bot", "nobody")
    assert status == 2
    assert "bots: greedy, random" in errors


@pytest.mark.slow
def test_csv(folders, capsys):
    rows = call(capsys, folders / "a", "--csv")[1].splitlines()
    assert rows[0].startswith("place,bot,elo")
    assert len(rows) == 3
    assert len(call(capsys, folders / "a", "--games", "--csv")[1].splitlines()) == 1 + 12


@pytest.mark.slow
def test_failures_of_none(folders, capsys):
    assert "no bot failed" in call(capsys, folders / "a", "--failures")[1]


@pytest.mark.slow
def test_compare(folders, capsys):
    keys = {"bots": ["random", "greedy", SEARCH], "deals": 4, "players": 2}
    runner.run(plan(folders, **keys), folders / "three", 1)
    status, text, _ = call(capsys, "compare", folders / "a", folders / "three")
    assert status == 0
    assert "B - A (95 %)" in text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith(("A:", "B:")))
    assert "only in B: search" in text
    status, _, errors = call(capsys, "compare", folders / "a", folders / "b")
    assert status == 2
    assert "no table of the same bots in common" in errors


@pytest.mark.slow
def test_a_folder_compared_with_itself_differs_by_nothing(folders, capsys):
    data = json.loads(call(capsys, "compare", folders / "a", folders / "a", "--json")[1])
    assert [row["bot"] for row in data["bots"]] == ["greedy", "random"]
    for row in data["bots"]:
        assert row["paired"] == row["deals_a"] == row["deals_b"] == 3
        for kind in ("points", "margin"):
            assert [row[f"{kind}_{end}"] for end in ("low", "difference", "high")] == [0, 0, 0]


@pytest.mark.slow
def test_anchors_are_nothing_to_a_comparison(folders, capsys):
    """The same games under two anchors: the same bots, no difference."""
    for name, anchor in (("c", "random"), ("d", "greedy")):
        keys = {"bots": ["random", "greedy", SEARCH], "deals": 3, "rating": {"anchor": anchor}}
        runner.run(plan(folders, **keys), folders / name, 1)
    data = json.loads(call(capsys, "compare", folders / "c", folders / "d", "--json")[1])
    assert {row["points_difference"] for row in data["bots"]} == {0.0}


@pytest.mark.slow
def test_folders_without_a_table_in_common_do_not_compare(folders, capsys):
    status, _, errors = call(capsys, "compare", folders / "a", folders / "b", "--bot", "random",
                             "--deal", "99")  # fmt: skip
    assert status == 2
    assert "no game fits" in errors
    status, _, errors = call(capsys, "compare", folders / "a", folders / "e")
    assert status == 2
    assert "there are no results" in errors


@pytest.mark.slow
def test_one_game_can_be_named_and_replayed(folders, capsys, tmp_path):
    games = json.loads(call(capsys, folders / "a", "--games", "--json")[1])["games"]
    status, line, errors = call(capsys, "game", games[0]["id"][:12], folders / "a")
    assert status == 0
    assert records.replay(records.parse(line)).scores == games[0]["scores"]
    assert "trajan-ai replay game.jsonl --verify" in errors
    (tmp_path / "game.jsonl").write_text(line)
    assert main(["replay", str(tmp_path / "game.jsonl"), "--verify"]) == 0


@pytest.mark.slow
def test_a_game_that_is_not_there_or_not_one(folders, capsys):
    status, _, errors = call(capsys, "game", "zzz", folders / "a")
    assert status == 2
    assert "there is no game 'zzz'" in errors
    status, _, errors = call(capsys, "game", "", folders / "a")
    assert status == 2
    assert "write more of it" in errors


@pytest.mark.slow
def test_merge(folders, capsys, tmp_path):
    words = ("merge", folders / "a", folders / "b", folders / "a", "--out", tmp_path / "both")
    assert "12 games added, 12 games in" in call(capsys, *words)[1]
    text = call(capsys, tmp_path / "both")[1]
    assert all(name in text for name in ("random", "greedy", "search"))


def _broken(text):
    """Yield a JSON text damaged in many ways, first as text and then as data."""
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
def test_damaged_rows_are_told_in_a_line(tmp_path, capsys, table, column):
    """Whatever stands there, a command does its work or complains of the file."""
    bots = ["random", "greedy"]
    tournament = plan(tmp_path, bots=bots, deals=1, game=NIM, stop={"half_width": 1})
    runner.run(tournament, tmp_path / "out", 1)
    commands = (
        ["results"],
        ["results", "--games"],
        ["results", "--failures"],
        ["results", "--all"],
    )
    with closing(sqlite3.connect(tmp_path / "out" / FILE, isolation_level=None)) as db:
        (text,) = db.execute(f"SELECT {column} FROM {table}").fetchone()
        damaged = 0
        for broken in _broken(text):
            db.execute(f"UPDATE {table} SET {column} = ?", (broken,))
            for command in commands:
                status = main([*command, str(tmp_path / "out")])
                error = capsys.readouterr().err
                assert status in (0, 2), (broken[:200], error)
                assert error.count("\n") == (status == 2), (broken[:200], error)
                damaged += "damaged" in error
        assert damaged > 5


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["compare", "x"], "takes DIR DIR"),
        (["x", "y"], "takes DIR"),
        (["nowhere"], "there are no results"),
        (["merge", "nowhere", "--out", "o"], "there are no results"),
        (["merge", "nowhere"], "needs --out DIR"),
    ],
)
def test_wrong_usage_is_one_line(capsys, words, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, errors = call(capsys, *words)
    assert status == 2
    assert told in errors
    assert errors.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
