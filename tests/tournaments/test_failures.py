"""Bots that fail: each is counted, named and kept with what reproduces it; the others play on."""

import json
import re
from dataclasses import replace

import pytest
from plans import plan, scripted

from trajan_ai import records
from trajan_ai.cli.main import main
from trajan_ai.playing import Failure
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.backends import Loky
from trajan_ai.tournaments.output import LISTED_FAILURES, write_outputs
from trajan_ai.tournaments.store import Store

BAD = {
    "Raising": ("raised", "RuntimeError: I give up on two lines"),
    "Leaving": ("raised", "SystemExit: 0"),
    "Illegal": ("illegal", "is not legal for player"),
    "Nonsense": ("illegal", "chose 'a word'"),
    "WordsOfOthers": ("illegal", "chose 'an action of some other game', which is no legal move"),
    "Float": ("illegal", ".0, which is no legal move"),
    "Boolean": ("illegal", "chose True, which is no legal move"),
    "BadRepr": ("illegal", "chose (an object that cannot be put in words)"),
    "BadStr": ("raised", "Unspeakable: (an object that cannot be put in words)"),
    "BadIndex": ("raised", "OSError: not today"),
    "Huge": ("illegal", "chose (an object that cannot be put in words)"),
    "Surrogate": ("raised", r"ValueError: half a character: \ud800"),
    "LongWords": ("raised", "ValueError: xxx"),
    "Sleeping": ("hung", "no answer within 2 s"),
    "Looping": ("hung", "no answer within 2 s"),
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
        limits={"patience": 2, "retries": 1},
    )
    state = runner.run(tournament, folder / "out", jobs=3)  # some wait for hanging ones
    return state, write_outputs(folder / "out", state), folder / "out"


@pytest.mark.slow
def test_every_game_is_played_and_every_failure_counted(played):
    state, written, _ = played
    assert state.played == 2 * len(BAD) == written.failures
    assert not state.interrupted
    standings = {row["bot"]: row for row in written.data["standings"]}
    assert standings["First"]["failures"] == 0
    assert standings["First"]["wins"] == 2 * len(BAD)
    assert all(standings[name]["failures"] == 2 for name in BAD)
    assert all(standings[name]["elo"] < standings["First"]["elo"] for name in BAD)


@pytest.mark.slow
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


@pytest.mark.slow
def test_only_a_dead_process_is_tried_again(played):
    _, _, out = played
    with Store(out) as store:
        again = [row for row in store.failures() if not row.counted]
    assert {row.bot for row in again} == {"Killed", "Exiting"}
    assert len(again) == 4


@pytest.mark.slow
def test_the_list_of_failures_shows_tracebacks(played, capsys):
    assert main(["results", str(played[2]), "--failures"]) == 0
    assert "    RuntimeError: I give up" in capsys.readouterr().out


@pytest.mark.slow
def test_the_traceback_is_kept(played):
    _, _, out = played
    with Store(out) as store:
        row = next(row for row in store.failures() if row.bot == "Raising")
    assert "scripted_bots.py" in row.details


@pytest.mark.slow
def test_the_text_names_failures(played):
    _, written, _ = played
    assert re.search(
        r"failed: \w+ (raised|illegal|hung|died) in game \w+ at ply \d+: ", written.text
    )
    assert f"failed: {2 * len(BAD) - LISTED_FAILURES} more" in written.text
    assert written.text.count("\nfailed: ") == LISTED_FAILURES + 1
    assert json.loads((played[2] / "results.json").read_text())["standings"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Numpy", "Sly", "Wordy"])
def test_moves_of_any_integer_type_and_action_strings_are_moves(tmp_path, name):
    tournament = plan(tmp_path, bots=[scripted(name), "random"], deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.failures) == (2, 0)


@pytest.mark.slow
def test_a_bot_that_doubles_its_process_makes_no_game_vanish(tmp_path):
    limits = {"patience": 20.0}
    tournament = plan(tmp_path, bots=[scripted("Forking"), "random"], deals=4, limits=limits)
    state = runner.run(tournament, tmp_path / "out", jobs=2)
    assert (state.played, state.failures, state.missing) == (8, 0, 0)
    assert state.ended == "all games are played"


@pytest.mark.slow
def test_lost_games_are_not_stored_and_played_by_the_next_run(tmp_path, monkeypatch):
    """What workers' deaths took along is nobody's loss: told, and played again."""
    stream = Loky.stream

    def losing(self, tasks):
        for number, outcome in enumerate(stream(self, tasks)):
            nobody = Failure("lost", None, 0, "its worker was killed again and again")
            yield (
                replace(outcome, failure=nobody, scores=None, ranks=None)
                if number < 2
                else outcome
            )

    tournament = plan(tmp_path, deals=3)
    monkeypatch.setattr(Loky, "stream", losing)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.missing) == (4, 2)
    assert "incomplete, 2 games are missing" in state.ended
    assert "incomplete, 2 games" in write_outputs(tmp_path / "out", state).text
    monkeypatch.setattr(Loky, "stream", stream)
    again = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (again.played, again.found, again.missing) == (2, 4, 0)
    assert again.ended == "all games are played"


def test_a_backend_that_drops_games_is_noticed(tmp_path, monkeypatch):
    def dropping(self, tasks):
        list(tasks)
        yield from ()

    monkeypatch.setattr(Loky, "stream", dropping)
    state = runner.run(plan(tmp_path, deals=3), tmp_path / "out", jobs=1)
    assert state.missing == 6


@pytest.mark.slow
def test_resume_does_not_play_failures_again(tmp_path):
    tournament = plan(tmp_path, bots=[scripted("Raising"), "random"], deals=2)
    first = runner.run(tournament, tmp_path / "out", jobs=1)
    again = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (first.played, first.failures) == (4, 4)
    assert (again.played, again.found, again.missing) == (0, 4, 0)
    with Store(tmp_path / "merged", create=True) as merged:
        assert merged.merge(tmp_path / "out") == 4
        assert len(merged.failures()) == 4
    third = runner.run(tournament, tmp_path / "merged", jobs=1)
    assert (third.played, third.found) == (0, 4)


@pytest.mark.slow
def test_a_process_that_dies_once_costs_nothing(tmp_path):
    bots = [scripted("KilledOnce", marker=str(tmp_path / "marker")), "random"]
    tournament = plan(tmp_path, bots=bots, deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert state.played == 2
    assert state.failures == 0
    with Store(tmp_path / "out") as store:
        assert [row.counted for row in store.failures()] == [False]


@pytest.mark.slow
def test_noise_on_standard_output_harms_nothing(tmp_path, capfd):
    tournament = plan(tmp_path, bots=[scripted("Printing"), "random"], deals=1)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.failures) == (2, 0)
    assert "noise" not in capfd.readouterr().out


@pytest.mark.slow
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
