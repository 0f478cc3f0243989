"""Rolled-out decisions: runs can be resumed, and stated figures are compared with the rollouts."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.lab.truth import advice_errors, rollouts
from trajan_ai.lab.truth.advice_errors import AdviceBudget, Stated, Truth
from trajan_ai.lab.truth.rows import GameKey, gap_errors, margins_of, read_rows, wins_of

PLAN = Path(__file__).parents[3] / "configs" / "truth" / "plan.yaml"


def lines_of(path):
    """Return the lines of a file without CPU times, in a fixed order."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted(json.dumps({**line, "cpu": 0}, sort_keys=True) for line in lines)


def test_decisions_are_balanced_from_the_first_ones_on():
    full = rollouts.read_plan(PLAN)
    decisions = full.decisions()
    assert len(set(decisions)) == len(decisions) == 180
    assert len({key[:2] for key in decisions[:6]}) == 6
    for first in (decisions[:30], decisions[:60], decisions):
        for part in ("game", "players", "kind", "fifth"):
            counts = [getattr(key, part) for key in first]
            assert len({counts.count(one) for one in counts}) == 1


@pytest.mark.long
def test_a_killed_run_resumes_with_the_same_results(plan, file, tmp_path):
    data = file.read_bytes()
    for jobs, cut in ((2, len(data) * 3 // 4), (1, len(data) - 5)):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(data[:cut])
        rollouts.run(plan, path, jobs)
        assert lines_of(path) == lines_of(file)


def test_imprecise_decisions_get_more_blocks(plan, file):
    rows = read_rows(file)
    for key, decision in rows.decisions.items():
        blocks = rows.blocks[key, 1]
        errors = gap_errors(margins_of(blocks[0], decision.player))
        assert (len(blocks) == 2) == (np.sqrt(np.mean(errors**2)) > plan.error)
    assert [key for key, iterations in rows.blocks if iterations == 2] == plan.decisions()[:2]


def test_a_file_of_other_settings_is_rejected(plan, file):
    with pytest.raises(TrajanError, match="made with seed 54, but the plan has 55"):
        rollouts.run(plan.model_copy(update={"seed": 55}), file, 1)
    player = plan.player.with_settings(iterations=3)
    with pytest.raises(TrajanError, match="made with player"):
        rollouts.run(plan.model_copy(update={"player": player}), file, 1)


@pytest.mark.parametrize(
    "other", [{"signatures": {"trajan": "0" * 12}}, {"networks": {}}], ids=["engine", "network"]
)
def test_another_engine_is_rejected(plan, tmp_path, other):
    with pytest.raises(TrajanError, match="but the plan requires"):
        rollouts.run(plan.model_copy(update=other), tmp_path / "rows.jsonl", 1)


def test_two_runs_do_not_write_one_file(plan, file):
    with FileLock(f"{file}.lock"), pytest.raises(TrajanError, match="another run is writing it"):
        rollouts.run(plan, file, 1)


def test_errors_are_one_line_with_status_2(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["rollouts", str(tmp_path / "plan.yaml"), "rows.jsonl"])
    with pytest.raises(SystemExit, match="2"):
        rollouts.main()
    assert capsys.readouterr().err.count("\n") == 1


def test_interrupted_analyses_end_with_status_130(monkeypatch):
    def interrupt(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["advice_errors", "rows.jsonl", "stated.jsonl"])
    monkeypatch.setattr(advice_errors, "read_rows", interrupt)
    with pytest.raises(SystemExit, match="130"):
        advice_errors.main()


def test_siblings_are_rolled_out_on_the_same_redeals(plan, file):
    rows = read_rows(file)
    key = next(iter(rows.decisions))
    task = rollouts.RolloutTask.of(rows, key, 1, 0)
    information = InformationSet(rows.position(key))
    move = rows.decisions[key].moves[0]
    results = rollouts.roll_out(plan, task, information, [move, move])
    assert results.shape == (2, plan.block, 2, key.players)
    assert (results[:, :, 0] == results[:, :, 1]).all()
    assert (results[:, :, 0] == rows.blocks[key, 1][0][:, :, 0]).all()


def test_records_and_moves_belong_to_the_decisions(file):
    rows = read_rows(file)
    for key, decision in rows.decisions.items():
        position = rows.position(key)
        assert position.player == decision.player
        assert {decision.own, *decision.moves} <= set(position.legal())
        assert len(rows.records[GameKey(*key[:-1])]["actions"]) * key.fifth // 5 <= decision.ply


def test_margins_and_wins_follow_from_scores_and_ranks():
    scores = [[[50, 40, 45]], [[30, 30, 60]]]
    ranks = [[[1, 3, 2]], [[2, 1, 1]]]  # a shared win
    results = np.array([scores, ranks], dtype=np.int16)
    assert margins_of(results, 0).tolist() == [[5.0], [-30.0]]
    assert wins_of(results, 1).tolist() == [[0.0], [0.5]]


@pytest.fixture(scope="module")
def simulated():
    """Return 200 decisions between 3 moves whose figures have the stated error of 2 VP."""
    rng = np.random.default_rng(1)
    moves = ("a", "b", "c")
    cases = []
    for _ in range(200):
        values = rng.normal(0, 8, 3)
        figures = values + rng.normal(0, 2, 3)
        best = int(figures.argmax())
        stated = {
            move: {
                "margin": (figures[number], 2.0),
                "win": (0.5, 0.1),
                "gap": (figures[number] - figures[best], np.sqrt(8.0)),
            }
            for number, move in enumerate(moves)
        }
        margins = values + rng.normal(0, 15, (100, 3))
        truth = Truth(moves, margins, (margins > 0).astype(float))
        cases.append((Stated(moves[best], (figures[best], 2.0), stated), truth, values))
    return cases


@pytest.mark.parametrize("figure", ["margin", "gap"])
def test_right_errors_have_a_ratio_of_1_whatever_the_noise_of_rollouts(simulated, figure):
    sums = np.array([advice_errors.sum_pairs(*case[:2], figure) for case in simulated])
    ratio, low, high = advice_errors.bootstrap(
        sums, advice_errors.ratio_of, advice_errors.resample(200)
    )
    assert 0.85 < ratio < 1.2
    assert low < ratio < high
    assert 0.9 < advice_errors.slope_of(sums.sum(axis=0)) < 1.1
    assert advice_errors.square_of(sums.sum(axis=0)) == pytest.approx(
        4 if figure == "margin" else 8, rel=0.4
    )


def test_regret_is_measured_by_redeals_that_did_not_choose(simulated):
    measured, actual = [], []
    for stated, truth, values in simulated:
        measured.append(advice_errors.measure_regret(stated.best, truth))
        actual.append(values.max() - values["abc".index(stated.best)])
    assert np.mean(measured) == pytest.approx(np.mean(actual), abs=0.25)
    assert advice_errors.measure_regret("d", simulated[0][1]) is None


@pytest.mark.long
def test_stated_figures_are_computed_once_and_reported(file, tmp_path, capsys, monkeypatch):
    path = tmp_path / "stated.jsonl"
    monkeypatch.setattr(advice_errors, "DEFAULTS", {"quick": 10, "verified": 40})
    arguments = [str(file), str(path), "--times", "1", "2", "--seeds", "2"]
    monkeypatch.setattr(sys, "argv", ["advice_errors", *arguments])
    advice_errors.main()
    printed = capsys.readouterr().out
    assert printed.count("  ratio of gaps: ") == 4
    assert printed.count("change in this error from that with fewer iterations") == 2
    whole = path.read_text()
    assert whole.count("\n") == 1 + 30 * 2 * 4
    path.write_text(whole[: len(whole) // 2])  # as if the run had been killed
    advice_errors.main()
    assert capsys.readouterr().out == printed
    assert path.read_text() == whole
    head = json.loads(whole.partition("\n")[0])
    path.write_text(json.dumps(head | {"engine": {}}) + "\n")
    with pytest.raises(TrajanError, match="figures of another engine"):
        advice_errors.state_figures(read_rows(file), path, [AdviceBudget("quick", 10)], 1)
