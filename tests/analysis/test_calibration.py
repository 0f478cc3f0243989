"""Calibration: what a table makes of figures, and a table found again from games."""

from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest
import yaml
from random_games import positions

import trajan_ai
from trajan_ai.analysis.calibration import (
    LAST,
    UNCALIBRATED,
    Corrections,
    Stage,
    calibration_of,
    margin_of,
    read_calibration,
    stage_of,
)
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.reference import NIM
from trajan_ai.lab.learning.calibration_fit import expect, fit
from trajan_ai.lab.learning.learn_plan import read_plan

TRAJAN = trajan_ai.game("trajan")
SOURCES = dict.fromkeys(TRAJAN.vp_sources, 1.0)
TWO = Corrections(
    total=(1.0, 2.0, 1.2, 1.2, 1.2),
    spread=(1.0, 0.5, 0.8, 0.8, 0.8),
    mover=(0.0, 3.0, 1.0, 1.0, 1.0),
    lead=(),
    ahead=(),
    win=(0.25, 0.5, 0.75),
    sources=SOURCES,
)
THREE = Corrections(
    **vars(TWO) | {"lead": (1.0, 0.9, 0.9, 0.9, 0.9), "ahead": (0.0, 2.0, 2.0, 2.0, 2.0)}
)


def test_the_corrections_of_two_players_by_hand():
    """To come are 20 and 10: the mean of 15 counts twice, what each lies off it half."""
    found = TWO.outlook(Stage(0.25, 0, (10, 20)), 0.5, (30.0, 30.0), 0.0)
    assert found.scores == pytest.approx((10 + 30 + 2.5 + 3, 20 + 30 - 2.5 - 3))
    assert found.margin == pytest.approx(1.0)
    odds = 0.25 + 0.5 * 1.0 / (10 * sqrt(0.25 + LAST)) + 0.75 * 0.0
    assert found.win == pytest.approx(1 / (1 + exp(-odds)))


def test_between_knots_corrections_are_mixed():
    found = TWO.outlook(Stage(0.30, 1, (0, 0)), 0.75, (10.0, 10.0), 0.0)
    total, mover = 0.8 * 2.0 + 0.2 * 1.2, 0.8 * 3.0 + 0.2 * 1.0
    assert found.scores == pytest.approx((10 * total - mover, 10 * total + mover))
    assert found.margin == pytest.approx(2 * mover)
    odds = 0.25 + 0.5 * found.margin / (10 * sqrt(0.30 + LAST)) + 0.75 * log(3)
    assert found.win == pytest.approx(1 / (1 + exp(-odds)))


def test_the_lead_over_two_others_has_corrections_of_its_own():
    found = THREE.outlook(Stage(0.5, 2, (5, 9, 6)), 0.5, (20.0, 24.0, 25.0), -1.0)
    mean = (15 + 15 + 19) / 3
    assert found.scores == pytest.approx(
        (5 + 1.2 * mean + 0.8 * (15 - mean) - 0.5, 9 + 1.2 * mean + 0.8 * (15 - mean) - 0.5,
         6 + 1.2 * mean + 0.8 * (19 - mean) + 1.0)
    )  # fmt: skip
    assert found.margin == pytest.approx(-3 + 0.9 * (-1 + 3) + 2)


def test_the_stage_is_the_same_for_all_that_looks_alike_and_goes_down():
    stages = []
    for position in list(positions(TRAJAN.start(2, 3), 3, every=40))[:-1]:
        stages.append(stage_of(position))
        assert stage_of(position.determinized(position.player, 5)) == stages[-1]
    lefts = [stage.left for stage in stages]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] > 0.95
    assert lefts[-1] < 0.2


def test_a_game_that_names_no_calibration_has_none():
    assert calibration_of(NIM) is UNCALIBRATED


def broken(part, **changes):
    """The calibration of Trajan, changed for a number of players."""
    data = yaml.safe_load(Path(TRAJAN.rules.calibration).read_text(encoding="utf-8"))
    changed = data["players"][part]
    for name, value in changes.items():
        changed[name] = value
        if value is None:
            del changed[name]
    return yaml.safe_dump(data)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "must be a mapping"),
        ("card: {}", "players: is missing"),
        (broken(2, luck=[1.0]), "luck"),
        (broken(2, win=None), "win"),
        (broken(2, total=[1, 1]), "players[2].total: must be 5"),
        (broken(2, lead=[1] * 5), "players[2].lead: must be 0"),
        (broken(3, ahead=[]), "players[3].ahead: must be 5"),
        (broken(3, win=["x", 1, 1]), "players[3].win[0]: must be a valid number, got 'x'"),
        (broken(3, mover=[float("nan"), 1, 1, 1, 1]), "players[3].mover"),
        (broken(2, sources={"ships": "many"}), "'many'"),
        ("a: [1", "1:6"),
    ],
)
def test_a_bad_file_is_refused_with_one_line(tmp_path, text, complaint):
    path = tmp_path / "calibration.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TrajanError) as caught:
        read_calibration(path)
    (problem,) = caught.value.messages
    assert problem.startswith(str(path))
    assert complaint in problem
    assert "\n" not in problem


# ---- Learning ---------------------------------------------------------------------------------


def made(table, players, count=800):
    """Rows of games that end just as a table says of what was expected of them."""
    random = np.random.default_rng(2)
    names = len(TRAJAN.vp_sources)
    rows = {
        "game": np.arange(count),
        "player": random.integers(0, players, count),
        "left": random.uniform(0.0, 1.0, count),
        "now": random.integers(0, 40, (count, players)),
        "win": random.uniform(0.02, 0.98, count),
        "sources": random.uniform(0.0, 9.0, (count, players, names)),
    }
    rows["scores"] = rows["now"] + random.uniform(0, 60, (count, players))
    best = [margin_of(*row) for row in zip(rows["scores"], rows["player"], strict=True)]
    rows["margin"] = np.array(best)
    said = [expect(table, rows, row) for row in range(count)]
    rows["final"] = np.array([one.scores for one in said])
    rows["won"] = np.array([one.win for one in said])
    factors = np.array([table.sources[name] for name in TRAJAN.vp_sources])
    rows["came"] = rows["sources"] * factors
    return rows, said


def test_the_corrections_that_made_the_games_are_found_again():
    factors = {name: 0.5 + 0.1 * number for number, name in enumerate(TRAJAN.vp_sources)}
    truth = Corrections(**vars(TWO) | {"win": (0.0, 0.5, 0.75), "sources": factors})
    rows, _ = made(truth, 2)
    rows["sources"][..., 0] *= 0.02  # a source that brings less than 0.1 VP to each is left alone
    found = fit(rows, TRAJAN)
    assert found.total == pytest.approx(truth.total, abs=0.02)
    assert found.spread == pytest.approx(truth.spread, abs=0.02)
    assert found.mover == pytest.approx(truth.mover, abs=0.3)  # drawn to 0
    assert found.win == pytest.approx(truth.win, abs=0.02)
    assert (found.lead, found.ahead) == ((), ())
    left_alone = {TRAJAN.vp_sources[0]: 1.0}
    assert found.sources == pytest.approx(truth.sources | left_alone, abs=0.001)


def test_the_corrections_of_a_lead_over_two_others_are_found_again():
    rows, said = made(THREE, 3)
    rows["final"] = np.zeros((len(said), 3))  # all the others have nothing
    rows["final"][np.arange(len(said)), rows["player"]] = [one.margin for one in said]
    found = fit(rows, TRAJAN)
    assert found.lead == pytest.approx(THREE.lead, abs=0.02)
    assert found.ahead == pytest.approx(THREE.ahead, abs=0.6)  # drawn to 0
    assert found.win == pytest.approx(THREE.win, abs=0.02)


def test_games_too_few_to_hold_some_out_are_refused(tmp_path):
    path = tmp_path / "plan.yaml"
    keys = {"learn": "calibration", "game": "trajan", "games": 2}
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    with pytest.raises(TrajanError, match=r"games: .*3"):
        read_plan(path)
