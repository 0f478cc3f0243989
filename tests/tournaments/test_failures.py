"""Bots that fail: each is counted, named and kept with what reproduces it; the others play on."""

from dataclasses import replace

import pytest
from plans import NIM, plan, scripted

from trajan_ai.playing import Failure
from trajan_ai.tournaments import play, runner, schedule
from trajan_ai.tournaments.backends import Loky
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.store import Store

ANSWERS = {
    "raise": ("raised", "RuntimeError: I give up on two lines"),
    "leave": ("raised", "SystemExit: 0"),
    "illegal": ("illegal", "is not legal for player"),
    "word": ("illegal", "chose 'a word', which is no legal move"),
    "float": ("illegal", ".0, which is no legal move"),
    "boolean": ("illegal", "chose True, which is no legal move"),
    "unprintable": ("illegal", "chose (an object that cannot be put in words)"),
    "raise the unspeakable": ("raised", "Unspeakable: (an object that cannot be put in words)"),
    "bad index": ("raised", "OSError: not today"),
    "huge": ("illegal", "chose (an object that cannot be put in words)"),
    "raise half a character": ("raised", r"ValueError: half a character: \ud800"),
    "raise at length": ("raised", "ValueError: xxx"),
    "numpy": None,
    "incomparable": None,
    "action string": None,
}


@pytest.mark.parametrize("does", ANSWERS)
def test_whatever_a_bot_answers_is_a_move_or_told_in_a_line(tmp_path, does):
    tournament = plan(tmp_path, bots=[scripted(does, at=1), "random"], game=NIM)
    task = runner.task_of(tournament, next(schedule.fixtures(tournament)))
    failure = play.play_game(task).failure
    if ANSWERS[does] is None:
        assert failure is None
        return
    kind, message = ANSWERS[does]
    assert failure.kind == kind
    assert message in failure.message
    assert "\n" not in failure.message


@pytest.mark.slow
def test_lost_games_are_not_stored_and_played_by_the_next_run(tmp_path, monkeypatch):
    """What workers' deaths took along is nobody's loss: told, and played again."""
    stream = Loky.stream

    def losing(self, tasks):
        nobody = Failure("lost", None, 0, "its worker was killed again and again")
        for number, outcome in enumerate(stream(self, tasks)):
            lost = replace(outcome, failure=nobody, scores=None, ranks=None)
            yield lost if number < 2 else outcome

    tournament = plan(tmp_path, bots=["random", "greedy"], deals=3, game=NIM)
    monkeypatch.setattr(Loky, "stream", losing)
    state = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (state.played, state.missing) == (4, 2)
    assert "incomplete, 2 games are missing" in state.ended
    assert "incomplete, 2 games" in write_outputs(tmp_path / "out", state).text
    monkeypatch.setattr(Loky, "stream", stream)
    again = runner.run(tournament, tmp_path / "out", jobs=1)
    assert (again.played, again.found, again.missing) == (2, 4, 0)
    assert again.ended == "all games are played"


def test_a_fault_of_ours_outside_any_bot_ends_the_run_and_counts_for_none(tmp_path, monkeypatch):
    def broken(self, tasks):
        raise RuntimeError("ours")
        yield

    monkeypatch.setattr(Loky, "stream", broken)
    with pytest.raises(RuntimeError, match="ours"):
        runner.run(plan(tmp_path, deals=1), tmp_path / "out", jobs=1)
    with Store(tmp_path / "out") as store:
        assert not store.identities()
