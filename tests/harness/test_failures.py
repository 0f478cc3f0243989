"""Bots that fail: each is counted, named and kept with what reproduces it; the others play on."""

import json

import pytest
from plans import plan, scripted

from tournaments import runner
from tournaments.backends import Loky
from tournaments.output import write_outputs
from tournaments.store import Store
from trajan_ai import records

BAD = {
    "Raising": ("raised", "RuntimeError: I give up on two lines"),
    "Leaving": ("raised", "SystemExit: 0"),
    "Illegal": ("illegal", "is not legal for player"),
    "Nonsense": ("illegal", "chose 'a word'"),
    "Sleeping": ("hung", "no answer within 0.6 s"),
    "Looping": ("hung", "no answer within 0.6 s"),
    "Killed": ("died", "died of SIGKILL"),
    "Exiting": ("died", "ended with exit status 3"),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A gauntlet of every bad bot against one that plays, one deal each: all failures at once."""
    folder = tmp_path_factory.mktemp("failures")
    bots = [scripted("First"), *(scripted(name) for name in BAD)]
    tournament = plan(
        folder,
        bots=bots,
        schedule="gauntlet",
        focus="First",
        deals=1,
        limits={"patience": 0.6, "retries": 1},
    )
    state = runner.run(tournament, folder / "out", jobs=2)
    return state, write_outputs(folder / "out", state), folder / "out"


def test_every_game_is_played_and_every_failure_counted(played):
    state, written, _ = played
    assert state.played == 2 * len(BAD) == written.failures
    assert not state.interrupted
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert standings["First"]["failures"] == 0
    assert standings["First"]["wins"] == 2 * len(BAD)
    assert all(standings[name]["failures"] == 2 for name in BAD)
    assert all(standings[name]["elo"] < standings["First"]["elo"] for name in BAD)


@pytest.mark.parametrize("name", BAD)
def test_a_failure_says_what_happened(played, name):
    _, _, out = played
    kind, message = BAD[name]
    with Store(out) as store:
        rows = [row for row in store.failures() if row.bot == name]
        counted = [row for row in rows if row.counted]
        assert len(counted) == 2
        for row in counted:
            assert row.kind == kind
            assert message in row.message
            assert "\n" not in row.message
            assert row.ply > 0
            entry = records.parse(store.record(row.id))
            # What reproduces it: the deal, the moves so far, the seeds, the bots' settings.
            assert len(entry["actions"]) == row.ply
            assert records.replay(entry).player == row.seat
            assert entry["x_failure"]["player"] == row.seat
            assert entry["x_bots"][row.seat]["name"] == name
            assert {"x_seed", "x_deal_seed"} <= set(entry)


def test_only_a_dead_process_is_tried_again(played):
    _, _, out = played
    with Store(out) as store:
        again = [row for row in store.failures() if not row.counted]
    assert {row.bot for row in again} == {"Killed", "Exiting"}
    assert len(again) == 4


def test_the_traceback_is_kept(played):
    _, _, out = played
    with Store(out) as store:
        row = next(row for row in store.failures() if row.bot == "Raising")
    assert "scripted_bots.py" in row.details


def test_the_text_names_failures(played):
    _, written, _ = played
    assert "failed: Raising raised in game" in written.text
    assert json.loads((played[2] / "results.json").read_text())["standings"]


def test_a_process_that_dies_once_costs_nothing(tmp_path):
    bots = [scripted("KilledOnce", marker=str(tmp_path / "marker")), "random"]
    tournament = plan(tmp_path, bots=bots, deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert state.played == 2
    assert state.failures == 0
    with Store(tmp_path / "out") as store:
        assert [row.counted for row in store.failures()] == [False]


def test_noise_on_standard_output_harms_nothing(tmp_path, capfd):
    tournament = plan(tmp_path, bots=[scripted("Printing"), "random"], deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.failures) == (2, 0)
    assert "noise" not in capfd.readouterr().out


def test_a_failure_at_a_table_of_three_rates_only_the_failing_bot(tmp_path):
    bots = [scripted("First"), "random", scripted("Raising")]
    tournament = plan(tmp_path, bots=bots, players=3, deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    written = write_outputs(tmp_path / "out", state)
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert standings["Raising"]["failures"] == 3
    cross = written.data["cross_table"]["comparisons"]
    assert cross[0][1] == 0  # the two that did not fail were not compared
    assert cross[0][2] == cross[1][2] == 3


def test_an_unknown_backend_error_is_not_a_bots_failure(tmp_path, monkeypatch):
    """A fault of ours outside any bot ends the run with its traceback; it is not counted."""
    tournament = plan(tmp_path, deals=1)
    monkeypatch.setattr(Loky, "stream", _broken)
    with pytest.raises(RuntimeError, match="ours"):
        runner.run(tournament, tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        assert not store.identities()


def _broken(self, tasks):
    raise RuntimeError("ours")
    yield
