"""Tests of the error with which leaves predict the differences between the moves of a decision."""

import json

import numpy as np
import pytest

from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.lab.truth import siblings
from trajan_ai.lab.truth.rows import read_rows


@pytest.fixture
def tiny(monkeypatch):
    """Use two decisions of each game, with few iterations."""
    for name, value in {"IN_GAME": 2, "ITERATIONS": 2, "LEAVES": 4}.items():
        monkeypatch.setattr(siblings, name, value)


def test_errors_are_of_differences_and_without_the_scatter_of_samples():
    """A constant added to all moves is not an error; the difference between the first move and
    each other move is wrong by 2 VP."""
    random = np.random.default_rng(1)
    truth = np.array([1.0, 4.0, 7.0]) + random.normal(0, 3, (100_000, 3))
    leaves = np.array([23.0, 24.0, 27.0]) + random.normal(0, 5, (100_000, 3))
    error, spread, scatter = siblings.compare(leaves, truth)
    assert error == pytest.approx((4 / 3) ** 2 / 2 + 2 * (2 / 3) ** 2 / 2, abs=0.1)
    assert spread == pytest.approx(9, abs=0.2)
    assert scatter == pytest.approx(25, abs=0.5)


def test_leads_are_over_the_mean_of_the_others():
    assert siblings.lead(np.array([[50.0, 40.0, 44.0]]), 0).tolist() == [8.0]
    assert siblings.lead(np.array([[50.0, 40.0, 44.0]]), 2).tolist() == [-1.0]


@pytest.mark.long
def test_a_run_resumes_and_reports_every_table(file, tiny, tmp_path):
    rows, path = read_rows(file), tmp_path / "siblings.jsonl"
    reference = siblings.make_reference(rows, path, 1)
    assert len(reference) == 2 * len(rows.records)
    for place, position in siblings.choose_places(rows).items():
        assert reference[place].shape == (2, len(position.legal_moves()))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    again = siblings.make_reference(rows, path, 1)
    assert sorted(path.read_bytes().splitlines()) == sorted(data.splitlines())
    lines = list(siblings.measure(rows, again, read_bot("expert"), 1))
    tables = {key[:2] for key in rows.records}
    assert [line.split(", expert")[0] for line in lines] == [
        f"{game}, {players} players" for game, players in sorted(tables)
    ]
    assert all("reference: error" in line and "rolled out: error" in line for line in lines)


def test_another_file_and_another_network_are_rejected(file, tiny, tmp_path):
    rows, path = read_rows(file), tmp_path / "siblings.jsonl"
    path.write_text(json.dumps({"format": "trajan-ai/rollouts"}) + "\n")
    with pytest.raises(TrajanError, match="not a reference with 2 iterations"):
        siblings.make_reference(rows, path, 1)
    path.unlink()
    rows.head["plan"]["networks"] = {"trajan": "0" * 12}
    with pytest.raises(TrajanError, match="this engine does not have the frozen player"):
        siblings.make_reference(rows, path, 1)
