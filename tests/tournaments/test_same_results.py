"""The same plan gives the same bytes, regardless of the number of jobs and runs that play it."""

import json
import math
import sqlite3
from contextlib import closing

import pytest
from plans import NIM, outputs, plan, plan_file, scripted

from trajan_ai import records
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.store import FILE, Store

SEARCH = {"name": "search", "extends": "ismcts", "iterations": 20}
BOTS = ["random", "greedy", SEARCH]


def run(folder, jobs, **keys):
    tournament = plan(folder, **{"game": NIM} | keys)
    out = folder / f"out{jobs}"
    state = runner.run(tournament, out, jobs)
    return state, write_outputs(state), out


@pytest.mark.slow
@pytest.mark.parametrize(("players", "jobs"), [(2, 4), pytest.param(4, 2, marks=pytest.mark.long)])
def test_any_number_of_jobs_gives_the_same_bytes(tmp_path, players, jobs):
    """tests/simulation shows the same for adaptive plans."""
    options = {"lap_length": 4}  # short games
    keys = {"game": "trajan", "options": options, "bots": BOTS, "players": players, "deals": 1}
    alone = outputs(run(tmp_path, 1, **keys)[2])
    assert json.loads(alone["results.json"])["games"] > 0
    assert outputs(run(tmp_path, jobs, **keys)[2]) == alone


@pytest.mark.slow
@pytest.mark.parametrize("on", ["wins", pytest.param("margin", marks=pytest.mark.long)])
def test_the_sequential_test_stops_early(tmp_path, on):
    test = {"bot": "greedy", "against": "random", "elo1": 100, "on": on}
    keys = {"test": test, "deals": 500}
    state, written, _ = run(tmp_path, 2, bots=["random", "greedy"], **keys)
    assert state.test.state.verdict == "H1"
    assert state.played < 200
    assert f"sequential test on {on}" in written.text
    assert "verdict H1" in written.text
    other = written.data["test"]["beside"]
    assert {written.data["test"]["on"], other["on"]} == {"wins", "margin"}
    assert other["llr"] != written.data["test"]["llr"]
    assert written.data["test"]["llr"] >= written.data["test"]["upper"]


@pytest.mark.slow
def test_the_bounds_are_those_that_the_plan_asks_for(tmp_path, capsys):
    """The two error rates differ, so exchanging them would change the bounds. `results` prints the
    same verdict."""
    keys = {"test": {"bot": "greedy", "against": "random", "alpha": 0.01, "beta": 0.2,
                     "elo0": -5, "elo1": 100}, "deals": 20, "batch": 20}  # fmt: skip
    state, written, out = run(tmp_path, 1, bots=["random", "greedy"], **keys)
    assert state.test.state.lower == pytest.approx(math.log(0.2 / 0.99))
    assert state.test.state.upper == pytest.approx(math.log(0.8 / 0.01))
    (line,) = [line for line in written.text.splitlines() if line.startswith("sequential test")]
    assert main(["results", str(out)]) == 0
    assert line in capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_every_record_replays(tmp_path):
    _, _, out = run(tmp_path, 1, game="trajan", bots=BOTS, players=3, deals=2)
    entries = records.read(out / "records.jsonl")
    assert len(entries) == 6
    with Store(out) as store:
        games = {game.id: game for game in store.games()}
    for entry in entries:
        assert records.verify(entry).position.scores == games[entry["x_id"]].scores
    assert len({json.dumps(entry["setup"]) for entry in entries}) == 2  # duplicate deals


@pytest.mark.slow
def test_a_full_disk_while_writing_the_report_is_one_line(tmp_path, monkeypatch):
    state, _, _ = run(tmp_path, 1, bots=["random", "greedy"], deals=1)
    monkeypatch.setattr("trajan_ai.tournaments.output.REPORT", "missing/report.html")
    with pytest.raises(TrajanError, match="every finished game is kept"):
        write_outputs(state)


def command(*words):
    return main(["tournament", *map(str, words), "--json", "--jobs", "1"])


@pytest.mark.parametrize("flag", ["--check", "--plan"])
def test_check_and_plan_play_nothing(tmp_path, capsys, flag):
    path = plan_file(tmp_path, deals=7, game=NIM, bots=["random", "greedy"])
    assert command(path, "--out", tmp_path / "out", flag) == 0
    data = json.loads(capsys.readouterr().out)
    assert data.get("deals", 7) == 7
    assert data.get("games", {"2": 14}) == {"2": 14}
    assert not (tmp_path / "out").exists()


def test_stored_games_are_subtracted_from_the_games_of_a_plan(tmp_path, capsys):
    keys = {"game": NIM, "bots": ["random", "greedy"], "players": [2]}
    few, many = (plan_file(tmp_path / str(n), **keys, deals=n) for n in (3, 7))
    words = ("--out", tmp_path / "out")
    assert command(few, *words) == 0
    capsys.readouterr()
    assert command(many, *words, "--plan") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["games"], data["finished"]) == ({"2": 14}, {"2": 6})
    assert main(["tournament", str(many), "--out", str(tmp_path / "out"), "--plan"]) == 0
    text = capsys.readouterr().out
    assert f"14 games with 2 players, 6 of them already in {tmp_path / 'out'}\nabout" in text
    assert main(["tournament", str(few), "--out", str(tmp_path / "out"), "--plan"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["all games are played"]


def test_missing_games_are_reported_below_the_table(tmp_path, capsys):
    path = plan_file(tmp_path, deals=3, game=NIM, bots=["random", "greedy"])
    assert command(path, "--out", tmp_path) == 0
    assert main(["results", str(tmp_path)]) == 0
    assert "are missing" not in capsys.readouterr().out
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("DELETE FROM games WHERE deal = 1")
    assert main(["results", str(tmp_path)]) == 0
    assert "\n2 games of the plan are missing; " in capsys.readouterr().out


def test_a_bad_plan_is_exit_status_2_with_every_problem(tmp_path, capsys):
    missing = scripted() | {"class": "scripted_bots:NoSuchBot"}
    path = plan_file(tmp_path, deals=-1, bots=[missing, "random"])
    assert command(path, "--out", tmp_path / "out") == 2
    errors = capsys.readouterr().err
    assert "deals" in errors
    assert "cannot be loaded" in errors


@pytest.mark.slow
def test_json_is_one_object_even_if_bots_print(tmp_path, capfd):
    path = plan_file(tmp_path, deals=1, bots=[scripted("print"), "random"])
    assert command(path, "--out", tmp_path / "out") == 0
    data = json.loads(capfd.readouterr().out)
    assert data["games"] == 2
    assert data["failures"] == []
    assert {row["bot"] for row in data["standings"]} == {"print", "random"}
    assert 0 <= data["harness_share"] <= 1
