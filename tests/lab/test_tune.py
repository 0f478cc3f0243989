"""`trajan-ai tune`: settings approach the maximum, and a killed run can be resumed."""

import itertools
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import yaml
from calls import ROOT
from running import until

import trajan_ai
from trajan_ai.bots import read_bot
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.lab import tuning
from trajan_ai.tournaments.runner import TournamentRun
from trajan_ai.tournaments.store import Store

NIM = "trajan_ai.games.reference:NIM"

PLAN = {
    "game": "trajan",
    "bot": {"extends": "ismcts", "iterations": 4, "early_stop": False, "reuse_tree": False},
    "settings": {
        "exploration": {"low": 0.02, "high": 5, "step": 1.5, "scale": "log"},
        "iterations": {"low": 2, "high": 8, "step": 1},
    },
    "iterations": 6,
    "deals": 2,
    "test": {"elo1": 200, "deals": 16},
}


def write_plan(tmp_path, **keys):
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN | keys))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("start", [50, 3])
def test_settings_approach_a_maximum(tmp_path, monkeypatch, start):
    """Strength falls with the distance from exploration 1 and 20 iterations; results are noisy.

    If the start is at 3 iterations, the two settings must move in opposite directions.
    """
    settings = {
        "exploration": {"low": 0.05, "high": 20, "step": 1.5, "scale": "log", "start": 8},
        "iterations": {"low": 1, "high": 60, "step": 4, "start": start},
    }
    file = write_plan(tmp_path, settings=settings, iterations=300, test=None)
    plan = tuning.read_tune_plan(file)

    def strength(way):
        near = abs(way["exploration"] - 1.0) / 8 + abs(way["iterations"] - 20) / 30
        return -0.5 * near

    def play(plan, ways, folder, jobs):
        lead = strength(ways[0]) - strength(ways[1])
        noise = (hash((ways[0]["exploration"], ways[1]["iterations"])) % 1000 - 500) / 2500
        return None, max(-1.0, min(1.0, lead + noise))

    monkeypatch.setattr(tuning, "_play", play)
    done = [iteration for iteration, _ in tuning.iterate(plan, tmp_path, 1)]
    assert len(done) == 300
    tuned = tuning._values(plan, tuning.outcome(plan, done))
    assert abs(tuned["exploration"] - 1.0) < 1.5
    assert abs(tuned["iterations"] - 20) <= 8


def test_a_stopped_run_ends_with_the_settings_before_the_stop(tmp_path, monkeypatch):
    plan, stopped, played = tuning.read_tune_plan(write_plan(tmp_path)), object(), []

    def play(plan, ways, folder, jobs):
        played.append(ways)
        return (None, 1.0) if len(played) < 3 else (stopped, 0.0)

    monkeypatch.setattr(tuning, "_play", play)
    *_, (before, _), (last, run) = tuning.iterate(plan, tmp_path, 1)
    assert run is stopped
    assert (last.number, last.result, last.steps) == (2, 0.0, before.steps)
    assert len(played) == 3


def test_the_example_is_a_valid_plan():
    plan = tuning.read_tune_plan(ROOT / "configs" / "tune.yaml")
    assert [dial.name for dial in plan.dials] == ["exploration", "margin_scale"]


def test_gains_decrease_to_the_rate():
    reach = [tuning.gains(k, 100, 0.3) for k in range(100)]
    assert reach[-1] == pytest.approx((0.3, 1.0))
    assert all(a > b for one, two in itertools.pairwise(reach)
               for a, b in zip(one, two, strict=True))  # fmt: skip


def test_an_iteration_uses_its_gains(tmp_path, monkeypatch):
    """The variants are moved by the reach, and the bot by the gain per reach if one wins all."""
    settings = {"iterations": {"low": 1, "high": 60, "step": 4, "start": 30}}
    plan = tuning.read_tune_plan(write_plan(tmp_path, settings=settings, test=None))
    played = []
    monkeypatch.setattr(tuning, "gains", lambda number, iterations, rate: (1.5, 3.0))
    monkeypatch.setattr(
        tuning, "_play", lambda plan, ways, *_: (played.append(ways), (None, 1))[1]
    )
    first, _ = next(tuning.iterate(plan, tmp_path, 1))
    won, lost = (way["iterations"] for way in played[0])
    assert {won, lost} == {30 - 3 * 4, 30 + 3 * 4}
    assert first.values["iterations"] == (30 + 2 if won > lost else 30 - 2)


def walk(random, start, maximum, curve, iterations):
    """Tune one setting on a parabola by SPSA; return the arguments of `find_maximum`."""
    at, rows = start, []
    for number in range(iterations):
        gain, reach = tuning.gains(number, iterations, 0.3)
        lead = 4 * curve * reach * (maximum - at) + random.normal(0, 0.25)
        rows.append((at, 2 * reach, lead))
        at += gain / reach * lead
    return np.array(rows).T


@pytest.mark.parametrize(
    ("curve", "iterations", "least", "most"),
    [(0.0, 400, 0.0, 0.1), (0.01, 400, 0.4, 0.9), (0.03, 400, 0.9, 1.0), (0.03, 10, 0.0, 0.0)],
)
def test_intervals_of_tuned_settings_cover_the_maximum(curve, iterations, least, most):
    """Undecided intervals are the whole range, and 95 % of all intervals contain the maximum."""
    random = np.random.default_rng(4)
    ends = [tuning.find_maximum(*walk(random, 0.0, 3.0, curve, iterations)) for _ in range(300)]
    decided = [one for one in ends if one is not None]
    assert least <= len(decided) / len(ends) <= most
    wrong = sum(not low <= 3.0 <= high for low, high in decided)
    assert wrong / len(ends) <= 0.08
    assert curve == 0 or wrong / max(1, len(decided)) <= 0.12


@pytest.mark.long
def test_a_killed_run_has_the_result_of_an_undisturbed_one(tmp_path, capsys):
    """In Nim, searches of 8 iterations lose to longer searches by only 1 VP, so `rate` is high."""
    settings = {"iterations": {"low": 1, "high": 120, "step": 6, "start": 8}}
    test = {"on": "wins", "elo1": 120, "deals": 64}
    keys = {"settings": settings, "iterations": 10, "deals": 8, "rate": 60.0, "test": test}
    path = write_plan(tmp_path, game=NIM, **keys)
    assert main(["tune", str(path), "--jobs", "1", "--out", str(tmp_path / "whole")]) == 0
    capsys.readouterr()
    out = tmp_path / "out"
    command = [sys.executable, "-m", "trajan_ai", "tune", str(path), "--jobs", "2"]
    run = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL, cwd=ROOT,
                           start_new_session=True)  # fmt: skip

    def has_games():
        try:
            with Store(out / tuning.GAMES) as store:
                return len(store.identities()) >= 5
        except TrajanError:  # the store is not created yet
            return False

    assert until(has_games, 60)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert main(["tune", str(path), "--jobs", "1", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["iterations"], data["of"]) == (10, 10)
    (setting,) = data["settings"].values()
    assert not setting["decided"]  # as always with so few iterations
    assert setting["interval"] == [setting["low"], setting["high"]]
    for name in (tuning.PATH, tuning.TUNED):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    tuned = read_bot(out / tuning.TUNED)
    assert tuned.name == "plan-tuned"
    assert yaml.safe_load((out / tuning.TUNED).read_text())["extends"] == "ismcts"
    assert tuned.iterations == data["settings"]["iterations"]["tuned"] > 40
    assert (data["test"]["on"], data["test"]["verdict"]) == ("wins", "H1")


def test_two_runs_cannot_tune_in_one_folder(tmp_path, capsys):
    path = write_plan(tmp_path, game=NIM)
    with lock_folder(tmp_path):
        assert main(["tune", str(path), "--out", str(tmp_path)]) == 2
    assert "another run is writing here" in capsys.readouterr().err


def test_nested_settings_are_moved(tmp_path):
    name = trajan_ai.game("trajan").weight_names[0]
    settings = {
        "payoff.margin": {"low": 0, "high": 4, "step": 0.5},
        f"weights.{name}": {"low": -1, "high": 1, "step": 0.1, "start": 0.5},
    }
    plan = tuning.read_tune_plan(write_plan(tmp_path, settings=settings))
    steps = {dial.name: dial.start + 1 for dial in plan.dials}
    moved = plan.moved(steps, "x")
    start = plan.bot.resolved()["payoff"]
    assert moved["payoff"] == start | {"margin": start["margin"] + 0.5}
    assert moved["weights"] == {name: 0.6}
    short = plan.tuned(steps, tmp_path / "results")
    changed = {"payoff": {"margin": start["margin"] + 0.5}, "weights": {name: 0.6}}
    assert short == PLAN["bot"] | {"name": "plan-tuned"} | changed


def test_a_tuned_bot_extends_the_file_of_the_original(tmp_path, monkeypatch, capsys):
    """Without iterations, the tuned bot equals the original, so the two play no test."""
    (tmp_path / "mine.yaml").write_text("extends: ismcts\niterations: 4\n")
    file = write_plan(tmp_path, bot="mine.yaml")
    plan, out = tuning.read_tune_plan(file), tmp_path / "results" / "plan"
    out.mkdir(parents=True)
    stopped = TournamentRun(schedule=None, folder=out, missing=2, ended="2 games are missing")
    monkeypatch.setattr(tuning, "iterate", lambda *_: iter([(None, stopped)]))
    assert main(["tune", str(file), "--out", str(out)]) == 1
    output = capsys.readouterr().out
    assert output.endswith(f"tuned bot: {out / tuning.TUNED}\n")
    assert "exploration: too few iterations to decide\n" in output
    assert tuning.final_test(plan, tuning.outcome(plan, []), out, 1) is None
    assert yaml.safe_load((out / tuning.TUNED).read_text()) == {
        "name": "plan-tuned",
        "extends": "../../mine.yaml",
    }
    assert read_bot(out / tuning.TUNED).exploration == plan.bot.exploration


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"settings": {"explration": {"low": 0, "high": 1, "step": 0.1}}},
         "settings.explration: start is missing"),
        ({"settings": {"exploration": {"low": 1, "high": 0, "step": 0.1}}},
         "low, start and high must be in ascending order"),
        ({"settings": {"exploration": {"low": 0, "high": 1, "step": 2, "scale": "log"}}},
         "on a log scale, low must be above 0"),
        ({"settings": {"exploration": {"low": 0.1, "high": 1, "step": 1, "scale": "log"}}},
         "and step must be a factor above 1"),
        ({"settings": {"exploration": {"low": -1, "high": 1, "step": 0.1}}}, "exploration"),
        ({"settings": {"iterations": {"low": 1, "high": 9, "step": 0.5}}},
         "step must be at least 1, because the value is a whole number"),
        ({"settings": {}}, "settings"),
        ({"game": "ludo"}, "no game is called 'ludo'"),
        ({"bot": "nobody"}, "there is no such file"),
        ({"iterations": 0}, "iterations"),
        ({"colour": "red"}, "colour: unknown key"),
    ],
)  # fmt: skip
def test_errors_in_a_plan_are_reported_by_line(tmp_path, capsys, keys, message):
    assert main(["tune", str(write_plan(tmp_path, **keys)), "--out", str(tmp_path / "o")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "o").exists()
