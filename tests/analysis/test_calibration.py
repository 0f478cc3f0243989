"""Calibration: how corrections change figures, and how well a fit to games recovers them."""

from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest
import yaml
from random_games import positions

import trajan_ai
from trajan_ai.analysis.decision.calibration import (
    LAST,
    UNCALIBRATED,
    USUAL_VISITS,
    Corrections,
    Stage,
    calibration_of,
    hats,
    log_visits,
    read_calibration,
    stage_of,
)
from trajan_ai.analysis.outcomes import margin_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.reference import NIM
from trajan_ai.lab.learning.calibration_fit import expect, fit
from trajan_ai.lab.learning.learn_plan import read_plan

TRAJAN = trajan_ai.game("trajan")
SOURCES = dict.fromkeys(TRAJAN.vp_sources, 1.0)
TWO = Corrections(
    visits=(100, 32_000),
    total=(1.0, 1.2, 1.2, 2.0, 1.2, 1.2, 1.2, 1.2),
    spread=(1.0, 0.8, 0.8, 0.5, 0.8, 0.8, 0.8, 0.8),
    mover=(0.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 1.0),
    lead=(),
    ahead=(),
    growth={
        "total": (0.0, 0.0, 0.0, -0.03, 0.0, 0.0, 0.0, 0.0),
        "spread": (0.0, 0.0, 0.0, 0.04, 0.0, 0.0, 0.0, 0.0),
        "mover": (0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0),
        "lead": (),
        "ahead": (),
    },
    win=(0.25, 0.5, 0.75),
    sources=SOURCES,
)
THREE = Corrections(
    **vars(TWO)
    | {
        "lead": (1.0, *[0.9] * 7),
        "ahead": (0.0, *[2.0] * 7),
        "growth": TWO.growth | {"lead": (0.0,) * 8, "ahead": (0.0,) * 8},
    }
)


def test_the_corrections_for_two_players_match_a_calculation_by_hand():
    """The players expect 20 and 10 more VP. The table doubles the mean of these numbers and halves
    their difference from the mean."""
    result = TWO.outlook(Stage(0.25, 0, (10, 20)), USUAL_VISITS, 0.5, (30.0, 30.0), 0.0)
    assert result.scores == pytest.approx((10 + 30 + 2.5 + 3, 20 + 30 - 2.5 - 3))
    assert result.margin == pytest.approx(1.0)
    odds = 0.25 + 0.5 * 1.0 / (10 * sqrt(0.25 + LAST)) + 0.75 * 0.0
    assert result.win == pytest.approx(1 / (1 + exp(-odds)))


def test_corrections_change_with_the_logarithm_of_the_visits():
    stage, figures = Stage(0.25, 0, (0, 0)), (0.5, (30.0, 10.0), 20.0)
    longer = log(5000 / USUAL_VISITS)
    total, spread, mover = 2.0 - 0.03 * longer, 0.5 + 0.04 * longer, 3.0 - 0.5 * longer
    result = TWO.outlook(stage, 5000, *figures)
    assert result.scores == pytest.approx(
        (20 * total + 10 * spread + mover, 20 * total - 10 * spread - mover)
    )
    most = TWO.outlook(stage, 32_000, *figures)
    assert TWO.outlook(stage, 10**9, *figures) == most != result  # no data beyond 32,000 visits


def test_corrections_are_interpolated_between_knots():
    result = TWO.outlook(Stage(0.30, 1, (0, 0)), USUAL_VISITS, 0.75, (10.0, 10.0), 0.0)
    total, mover = 0.6 * 2.0 + 0.4 * 1.2, 0.6 * 3.0 + 0.4 * 1.0  # 0.30 lies between 0.25 and 0.375
    assert result.scores == pytest.approx((10 * total - mover, 10 * total + mover))
    assert result.margin == pytest.approx(2 * mover)
    odds = 0.25 + 0.5 * result.margin / (10 * sqrt(0.30 + LAST)) + 0.75 * log(3)
    assert result.win == pytest.approx(1 / (1 + exp(-odds)))


def test_the_lead_over_two_others_has_separate_corrections():
    result = THREE.outlook(Stage(0.5, 2, (5, 9, 6)), 9, 0.5, (20.0, 24.0, 25.0), -1.0)
    mean = (15 + 15 + 19) / 3
    assert result.scores == pytest.approx(
        (5 + 1.2 * mean + 0.8 * (15 - mean) - 0.5, 9 + 1.2 * mean + 0.8 * (15 - mean) - 0.5,
         6 + 1.2 * mean + 0.8 * (19 - mean) + 1.0)
    )  # fmt: skip
    assert result.margin == pytest.approx(-3 + 0.9 * (-1 + 3) + 2)


def test_the_stage_depends_on_knowledge_only_and_decreases():
    stages = []
    for position in list(positions(TRAJAN.start(2, 3), 3, every=40))[:-1]:
        stages.append(stage_of(position))
        assert stage_of(position.determinized(position.player, 5)) == stages[-1]
    lefts = [stage.left for stage in stages]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] > 0.95
    assert lefts[-1] < 0.2


def test_a_game_without_calibration_is_not_corrected():
    assert calibration_of(NIM) is UNCALIBRATED


def broken(part, **changes):
    """Return the calibration of Trajan as YAML, changed for one number of players."""
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
        (broken(2, total=[1, 1]), "players[2].total: must be 8"),
        (broken(2, lead=[1] * 8), "players[2].lead: must be 0"),
        (broken(3, ahead=[]), "players[3].ahead: must be 8"),
        (broken(3, win=["x", 1, 1]), "players[3].win[0]: must be a valid number, got 'x'"),
        (broken(3, mover=[float("nan"), 1, 1, 1, 1, 1, 1, 1]), "players[3].mover"),
        (broken(2, sources={"ships": "many"}), "'many'"),
        ("a: [1", "1:6"),
    ],
)
def test_a_bad_file_is_rejected_in_one_line(tmp_path, text, complaint):
    path = tmp_path / "calibration.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TrajanError) as caught:
        read_calibration(path)
    (problem,) = caught.value.messages
    assert problem.startswith(str(path))
    assert complaint in problem
    assert "\n" not in problem


# ---- Learning ---------------------------------------------------------------------------------


def simulate(table, players, count=800):
    """Return data of games that end exactly as a table predicts, and these predictions."""
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
    for name in ("visits", "again_visits"):
        rows[name] = np.exp(random.uniform(*np.log(table.visits), count)).round()
    rows["scores"] = rows["now"] + random.uniform(0, 60, (count, players))
    best = [margin_of(*row) for row in zip(rows["scores"], rows["player"], strict=True)]
    rows["margin"] = np.array(best)
    outlooks = [expect(table, rows, row) for row in range(count)]
    rows["final"] = np.array([one.scores for one in outlooks])
    rows["won"] = np.array([one.win for one in outlooks])
    factors = np.array([table.sources[name] for name in TRAJAN.vp_sources])
    rows["came"] = rows["sources"] * factors
    again = [search_again(table, rows, row) for row in range(count)]
    rows["again_scores"], rows["again_margin"] = map(np.array, zip(*again, strict=True))
    return rows, outlooks


def search_again(table, rows, row):
    """Return the scores and the margin that a second search of the same decision must predict so
    that the table corrects them to the final result."""
    now, final, player = (rows[name][row] for name in ("now", "final", "player"))
    weights = np.array(hats(rows["left"][row]))
    longer = log_visits(int(rows["again_visits"][row]), table.visits)

    def at(name):
        return weights @ getattr(table, name) + longer * (weights @ table.growth[name])

    ends = final - now
    mover = np.full(len(now), -at("mover") / (len(now) - 1))
    mover[player] = at("mover")
    scores = now + ends.mean() / at("total") + (ends - ends.mean() - mover) / at("spread")
    if len(now) == 2:
        return scores, margin_of(scores, player)
    ahead = margin_of(now, player)
    lead = expect(table, rows, row).margin
    return scores, ahead + (lead - ahead - at("ahead")) / at("lead")


def test_the_fit_recovers_the_corrections_behind_the_games():
    factors = {name: 0.5 + 0.1 * number for number, name in enumerate(TRAJAN.vp_sources)}
    truth = Corrections(**vars(TWO) | {"win": (0.0, 0.5, 0.75), "sources": factors})
    rows, _ = simulate(truth, 2)
    rows["sources"][..., 0] *= 0.02  # a source of less than 0.1 VP per player is not corrected
    result = fit(rows, TRAJAN)
    assert result.total == pytest.approx(truth.total, abs=0.03)
    assert result.spread == pytest.approx(truth.spread, abs=0.02)
    assert result.mover == pytest.approx(truth.mover, abs=0.3)  # the fit shrinks it towards 0
    assert result.growth["total"] == pytest.approx(truth.growth["total"], abs=0.015)
    assert result.growth["spread"] == pytest.approx(truth.growth["spread"], abs=0.02)
    assert result.growth["mover"] == pytest.approx(truth.growth["mover"], abs=0.3)
    assert result.win == pytest.approx(truth.win, abs=0.02)
    assert (result.lead, result.ahead) == ((), ())
    left_alone = {TRAJAN.vp_sources[0]: 1.0}
    assert result.sources == pytest.approx(truth.sources | left_alone, abs=0.001)


def test_luck_hardly_affects_how_corrections_grow_with_the_visits():
    """The luck of a game is the same for both searches of a decision."""
    rows, _ = simulate(TWO, 2)
    rows["final"] = rows["final"] + np.random.default_rng(3).normal(0, 20, rows["final"].shape)
    growth = fit(rows, TRAJAN).growth
    assert growth["total"] == pytest.approx(TWO.growth["total"], abs=0.005)
    assert growth["spread"] == pytest.approx(TWO.growth["spread"], abs=0.02)
    assert growth["mover"] == pytest.approx(TWO.growth["mover"], abs=0.2)


def test_the_fit_recovers_the_corrections_of_a_lead_over_two_others():
    rows, outlooks = simulate(THREE, 3)
    rows["final"] = np.zeros((len(outlooks), 3))  # all the other players have 0 VP
    rows["final"][np.arange(len(outlooks)), rows["player"]] = [one.margin for one in outlooks]
    result = fit(rows, TRAJAN)
    assert result.lead == pytest.approx(THREE.lead, abs=0.02)
    assert result.ahead == pytest.approx(THREE.ahead, abs=0.6)  # the fit shrinks it towards 0
    assert result.win == pytest.approx(THREE.win, abs=0.02)


def test_too_few_games_to_hold_some_out_are_rejected(tmp_path):
    path = tmp_path / "plan.yaml"
    keys = {"learn": "calibration", "game": "trajan", "games": 2}
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    with pytest.raises(TrajanError, match=r"games: .*3"):
        read_plan(path)
