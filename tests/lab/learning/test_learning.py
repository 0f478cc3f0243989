"""Learning: plans, labels, fits, and the files and output of `trajan-ai learn`."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from random_games import positions

from trajan_ai.analysis.decision.calibration import Outlook, read_calibration
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.bots import read_bot
from trajan_ai.cli import learn
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.forum_trajanum import GAME as FORUM
from trajan_ai.games.kit.weight_file import read_weights, update_weights
from trajan_ai.games.trajan import GAME as TRAJAN
from trajan_ai.lab.learning import (
    calibration_fit,
    labels,
    level_fit,
    network_fit,
    network_games,
    network_model,
    network_round,
    puzzles,
    visits,
    weight_fit,
)
from trajan_ai.lab.learning.labelling import GAME_OVER, label_views, play_to_leaves
from trajan_ai.lab.learning.labels import label_part
from trajan_ai.lab.learning.learn_plan import (
    CalibrationPlan,
    EvaluationPlan,
    LevelsPlan,
    NetworkPlan,
    PriorPlan,
    Round,
    learned_names,
    read_plan,
    shipped_weights,
)
from trajan_ai.lab.learning.parts import LearningRun, make_in_threads, read_part
from trajan_ai.lab.learning.puzzles import EQUAL, LEAD
from trajan_ai.lab.learning.regression import RidgeRegression, lead_error, leads
from trajan_ai.lab.learning.visits import Visits, fit_prior, read_visits, visits_of_games
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.knowledge import policy_choice, priors
from trajan_ai.mcts.network_file import read_network

GAMES = [TRAJAN, FORUM]
ROOT = Path(__file__).parents[3]
TINY = {"iterations": 2}
SEATS = ("own", "next", "third")


def plan_of(game, **changes):
    return EvaluationPlan(game=game.name, learn="evaluation", **changes)


def test_a_regression_finds_the_weights_that_made_the_labels():
    random = np.random.default_rng(3)
    terms = random.normal(size=(400, 3, 5)).astype(np.float32)
    truth = np.array([3.0, -2.0, 0.5, 0.0, 9.0])
    regression = RidgeRegression(5, 0.3)
    regression.add(terms, (terms @ truth).astype(np.float32))
    assert regression.solve(1e-6) == pytest.approx(truth, abs=1e-3)
    assert abs(regression.solve(1e6)).max() < 0.1


def test_leads_sum_to_zero():
    values = np.array([[3.0, 5.0, 10.0]])
    assert leads(values) == pytest.approx(np.array([[-3.0, -1.0, 4.0]]))
    zeros = np.zeros((1, 3, 1)), values
    assert lead_error([zeros], np.zeros(1)) == pytest.approx(np.sqrt((9 + 1 + 16) / 3))


def test_the_error_of_a_mean_assumes_independent_games():
    assert level_fit._mean(np.array([1.0, 3.0, 5.0])) == [3.0, 1.155]


def test_labels_depend_on_the_seed_and_the_number_of_the_part():
    def part(number, **changes):
        return label_part(plan_of(TRAJAN, **changes), TRAJAN, 2, number, size=20, turns=50)[1]

    assert np.array_equal(part(0), part(0))
    assert not np.array_equal(part(0), part(1))
    assert not np.array_equal(part(0), part(0, seed=1))


def test_more_playouts_make_labels_less_noisy():
    """Means of 16 games vary less than the results of single games."""
    spread = []
    for playouts in (1, 16):
        plan = plan_of(TRAJAN, playouts=playouts)
        gains = label_part(plan, TRAJAN, 2, 0, size=150, turns=20)[1]
        spread.append(leads(gains)[:, 0].std())
    assert spread[1] < 0.8 * spread[0]


def test_updated_weights_keep_the_other_weights_and_the_header(tmp_path):
    path = tmp_path / "weights.yaml"
    names = ["moves.card", "moves.gold", "x.card.now", "x.card.left", "y.card.now", "y.card.left"]
    path.write_text(
        "# Mine.\ny: {card: [1, 2]}\nx:\n  card: [3, 5]\nmoves: {gold: 2, card: 1.50}\n"
    )
    update_weights(path, names, {"moves.card": 0.25, "y.card.now": -1.0, "y.card.left": -0.0001})
    updated = """# Mine.
moves:
  card: 0.25
  gold: 2.0

x:
  card: [3.0, 5.0]

y:
  card: [-1.0, 0.0]
"""
    assert path.read_text(encoding="utf-8") == updated
    with pytest.raises(TrajanError, match=r"moves.silver: is missing"):
        update_weights(path, [*names, "moves.silver"], {"moves.silver": 9.0})
    assert path.read_text(encoding="utf-8") == updated


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_shipped_weight_files_are_what_update_weights_writes(game, tmp_path):
    path = ROOT / "trajan_ai" / "games" / game.name / "weights.yaml"
    copy = tmp_path / "weights.yaml"
    copy.write_bytes(path.read_bytes())
    update_weights(copy, game.weight_names, {})
    assert copy.read_bytes() == path.read_bytes()
    assert yaml.safe_load(copy.read_text(encoding="utf-8")).keys() == {
        name.partition(".")[0] for name in game.weight_names
    }


def save_labels(folder, name, truth, rng):
    """Save a part whose labels follow exactly from the weights `truth`; return its path."""
    terms = rng.normal(size=(60, 2, len(truth))).astype(np.float32)
    path = folder / f"{name}.npz"
    np.savez(path, terms=terms, gains=(terms @ truth).astype(np.float32))
    return path


def test_held_out_labels_measure_the_error_and_are_not_fitted(tmp_path, monkeypatch):
    """Labels of held-out parts, which differ from those of other parts, affect only the error."""
    rng, lines = np.random.default_rng(1), []
    names = [name for name in TRAJAN.weight_names if name.startswith("evaluation_2.")]
    truth, other = rng.normal(size=(2, len(names)))
    paths = [save_labels(tmp_path, number, truth, rng) for number in range(12)]
    for held_out in (0, weight_fit.HELD_OUT):
        paths[held_out] = save_labels(tmp_path, f"held-out-{held_out}", other, rng)
    monkeypatch.setattr(weight_fit, "make_labels", lambda *_: paths)
    run = LearningRun(tmp_path, make_in_threads(1), lines.append, lambda *_: None)
    learned = weight_fit.fit_evaluation(plan_of(TRAJAN, penalty=1e-6), TRAJAN, 2, run)
    assert list(learned.values()) == pytest.approx(truth, abs=1e-3)
    expected = lead_error(labels.read_labels([paths[0], paths[weight_fit.HELD_OUT]]), truth)
    assert float(re.search(r"(\d+\.\d+) VP now", lines[0])[1]) == pytest.approx(expected, abs=0.01)
    assert expected > 1


def test_a_run_without_held_out_data_reports_this(tmp_path, monkeypatch):
    lines, names = [], learned_names(plan_of(TRAJAN), TRAJAN, 2)
    path = save_labels(tmp_path, 0, np.ones(len(names)), np.random.default_rng(1))
    monkeypatch.setattr(weight_fit, "make_labels", lambda *_: [path])
    run = LearningRun(tmp_path, make_in_threads(1), lines.append, lambda *_: None)
    weight_fit.fit_evaluation(plan_of(TRAJAN), TRAJAN, 2, run)
    monkeypatch.setattr(weight_fit, "make_visits", lambda *_: [path])
    monkeypatch.setattr(weight_fit, "read_visits", lambda game, parts: None)
    monkeypatch.setattr(weight_fit, "fit_prior", lambda *_: {})
    weight_fit.learn_prior(PriorPlan(learn="prior", game="trajan", players=[2]), TRAJAN, run)
    evaluation, prior = lines
    assert "nothing was held out" in evaluation
    assert "more than 10,000 positions" in evaluation
    assert "nothing was held out" in prior
    assert "more than 10 games" in prior


def test_a_calibration_is_tested_on_games_that_it_was_not_fitted_to(monkeypatch):
    """For each of 9 games, a fit to the games of the other folds predicts the decisions."""
    games = np.repeat(np.arange(9), calibration_fit.STAGES)
    size = len(games)
    rows = {
        "game": games,
        "player": np.zeros(size, int),
        "left": np.full(size, 0.5),
        "now": np.zeros((size, 2)),
        "final": np.column_stack([100.0 + games, np.full(size, 90.0)]),
        "won": np.ones(size),
        "visits": np.full(size, 100),
        "margin": np.zeros(size),
        "scores": np.zeros((size, 2)),
        "again_visits": np.full(size, 6400),
        "again_margin": np.arange(size) % 2 * 4.0,
        "again_scores": np.zeros((size, 2)),
    }

    def fit(part, game):
        return set(part["game"].tolist())

    def expect(fitted, rows, row):
        game = int(rows["game"][row])
        assert fitted == {other for other in range(9) if other % 3 != game % 3}
        return Outlook(0.9, 1.0 + rows["margin"][row] / 4, (98.0 + game, 0.0))

    monkeypatch.setattr(calibration_fit, "fit", fit)
    monkeypatch.setattr(calibration_fit, "expect", expect)
    test = calibration_fit.cross_validate(rows, TRAJAN)
    assert test["stages"]["score"] == [2.0] * 5
    assert test["stages"]["score_error"] == [0.0] * 5
    assert test["stages"]["margin"] == [13.0] * 5  # leads of 10 to 18 instead of the predicted 1
    assert test["stages"]["margin_error"] == [0.913] * 5  # 2.739 / 3
    assert test["classes"] == {"decisions": [45], "expected": [0.9], "won": [1.0]}
    # The second search has 64 times the iterations, and its lead is higher in four or five of nine
    # decisions, by 4 VP before and by 1 VP after the correction.
    assert test["drift"]["raw"] == [1.778, 2.222, 1.778, 2.222, 1.778]
    assert test["drift"]["raw_error"] == [0.663] * 5
    assert test["drift"]["lead"] == [0.444, 0.556, 0.444, 0.556, 0.444]
    assert test["drift"]["lead_error"] == [0.166] * 5


def test_a_calibration_is_fitted_to_all_games(tmp_path, monkeypatch):
    rows, fitted, lines = {"now": np.zeros((9, 2))}, [], []
    plan = SimpleNamespace(players=[2])
    run = SimpleNamespace(folder=tmp_path, report=lines.append)
    monkeypatch.setattr(calibration_fit, "make_rows", lambda *arguments: rows)
    monkeypatch.setattr(calibration_fit, "cross_validate", lambda rows, game: "test")
    monkeypatch.setattr(calibration_fit, "format_test", lambda test: [test])
    monkeypatch.setattr(calibration_fit, "fit", lambda rows, game: fitted.append(rows))
    monkeypatch.setattr(calibration_fit, "format_calibration", lambda *arguments: "calibration")
    path = calibration_fit.learn_calibration(plan, TRAJAN, run)
    assert path.read_text() == "calibration"
    assert [one is rows for one in fitted] == [True]
    assert lines[-1] == "test"


def test_mean_errors_of_several_tables_are_pooled():
    tables = [{"score": [1.0, -4.0], "score_error": [0.3, 0.6]}, {"score": [3.0, 0.0]}]
    tables[1]["score_error"] = [0.4, 0.8]
    pooled = calibration_fit.pool_stages([{"stages": table} for table in tables])
    assert pooled["score"] == pytest.approx([2.0, -2.0])
    assert pooled["score_error"] == pytest.approx([0.25, 0.5])


def test_levels_have_the_errors_or_the_thinking_that_make_their_vp(monkeypatch):
    """An error costs 4 VP, and thinking at every decision gains 16 VP."""
    plan = LevelsPlan(
        game="trajan", learn="levels", vp=[120, 84, 108, 100], overlooked=["moves.take"]
    )
    search, dials = level_fit.LevelSearch(plan, TRAJAN, 2), []
    monkeypatch.setattr(search, "mean", lambda dial: 100 - 4 * dial[0] + 16 * dial[1])
    monkeypatch.setattr(search, "scores", lambda dials, purpose: np.array([[50.0], [60.0]]))
    monkeypatch.setattr(search, "mean_cost", lambda dial: dials.append(dial) or [1.0, 0.5])
    monkeypatch.setattr(search, "win_rate", lambda dial, below: [0.6, 0.1])
    rows = [yaml.safe_load(row) for row in search.rows()["rows"]]
    assert [one for row in rows for one in row] == [84, 100, 108, level_fit.FULL]
    assert [thinks for _, thinks in dials] == [0.0, 0.0, 0.5, 1.0]
    assert [errors for errors, _ in dials] == pytest.approx([4.0, 0.0, 0.0, 0.0], abs=0.01)
    assert rows[0][84]["beats"] is None
    assert rows[1][100]["beats"] == [0.6, 0.1]


def test_a_calibration_searches_the_played_move_twice_in_each_fifth_of_a_game(monkeypatch):
    searched = []

    class Engine(calibration_fit.ThreadedSearch):
        def search(self, information, seed, *, allowed, **limits):
            searched.append((information, allowed))
            return super().search(information, seed, allowed=allowed, **limits)

    monkeypatch.setattr(calibration_fit, "ThreadedSearch", Engine)
    plan = CalibrationPlan(game="trajan", learn="calibration", between=1, iterations=(2, 30))
    played, moves = calibration_fit.play_bot(
        plan, TRAJAN, 2, derive_seed("calibration", plan.seed, 2, 7)
    )
    rows = calibration_fit.make_game_rows(plan, TRAJAN, 2, 7)
    sets = [InformationSet(position) for position in played[:-1]]
    plies = [sets.index(information) for information, _ in searched[::2]]
    assert [5 * ply // len(moves) for ply in plies] == [0, 1, 2, 3, 4]
    assert searched[::2] == searched[1::2] == [(sets[ply], (moves[ply],)) for ply in plies]
    assert rows["now"].tolist() == [list(played[ply].scores) for ply in plies]
    assert rows["final"].tolist() == [list(played[-1].scores)] * 5
    assert rows["game"].tolist() == [7] * 5
    visits = [*rows["visits"], *rows["again_visits"]]
    assert set(visits) < set(range(2, 31))
    assert len(set(visits)) > 5


# ---- The prior --------------------------------------------------------------------------------


def decisions_of(game):
    return [one for one in positions(game.start(2, seed=0), 0) if len(one.legal_moves()) > 1]


def fitted_weights(game):
    """Return the weights that visits determine, which are all except the noise of the policy."""
    moves = {name for name in game.weight_names if name.startswith("moves.")}
    return {name for name in moves if not name.endswith("noise")}


def visits_by(game, positions, weights):
    """Return visits in proportion to the prior with these weights."""
    spread = [priors(position, list(weights.values())) for position in positions]
    return Visits(positions, np.array([len(s) for s in spread]), np.concatenate(spread))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "changed"),
    [
        (TRAJAN, {"moves.senate": 9.0, "moves.temperature": 4.0, "moves.recruit": 3.0}),
        pytest.param(
            FORUM,
            {"moves.coin": 6.0, "moves.temperature": 3.0, "moves.builder": 2.0},
            marks=pytest.mark.long,
        ),
    ],
    ids=["trajan", "forum_trajanum"],
)
def test_a_prior_is_recovered_from_visits_in_proportion_to_it(game, changed):
    shipped = shipped_weights(game)
    spread = visits_by(game, decisions_of(game)[::5], shipped | changed)

    def cross_entropy(weights):
        return spread.cross_entropy(spread.logits(list(weights.values())))

    least, before = cross_entropy(shipped | changed), cross_entropy(shipped)
    names = learned_names(PriorPlan(learn="prior", game=game.name), game, 2)
    fitted = fit_prior(spread, shipped, names, 1e-9)
    assert fitted.keys() == fitted_weights(game)
    assert cross_entropy(shipped | fitted) - least < 0.05 * (before - least)
    penalised = fit_prior(spread, shipped, names, 1e6)
    assert cross_entropy(shipped | penalised) == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_prior_and_policy_differ_only_in_temperature_and_noise(game):
    shipped = shipped_weights(game)

    def changed(*endings):
        return [
            2 * w + 1 if name.startswith("moves.") and name.endswith(endings) else w
            for name, w in shipped.items()
        ]

    plain, other = list(shipped.values()), changed("")
    differs = {"prior": 0, "policy": 0}
    for position in decisions_of(game)[::3]:
        shares = priors(position, plain)
        assert priors(position, changed("noise")) == shares
        differs["prior"] += priors(position, other) != shares
        for seed in range(5):
            choice = policy_choice(position, plain, seed)
            assert policy_choice(position, changed("temperature"), seed) == choice
            differs["policy"] += policy_choice(position, other, seed) != choice
    assert all(differs.values())


def test_weights_of_the_prior_have_lower_bounds():
    names = ("moves.temperature", "moves.card", "moves.hire_later")
    assert [visits._min_weight(name) for name in names] == [visits.MIN_TEMPERATURE, 0.0, -np.inf]


def test_held_out_visits_are_not_fitted(tmp_path, monkeypatch):
    paths = [tmp_path / str(number) for number in range(12)]
    reads, fits, lines = [], [], []

    def read(game, parts):
        reads.append([path.name for path in parts])
        return visits_by(TRAJAN, decisions_of(TRAJAN)[:2], shipped_weights(TRAJAN))

    def fit(visits, start, names, penalty):
        fits.append(reads[-1])
        return {}

    monkeypatch.setattr(weight_fit, "make_visits", lambda *_: paths)
    monkeypatch.setattr(weight_fit, "read_visits", read)
    monkeypatch.setattr(weight_fit, "fit_prior", fit)
    run = LearningRun(tmp_path, make_in_threads(1), lines.append, lambda *_: None)
    plan = PriorPlan(learn="prior", game="trajan", players=[2])
    weight_fit.learn_prior(plan, TRAJAN, run)
    assert fits == [[str(number) for number in range(12) if number not in (0, 10)]]
    assert reads[-1] == ["0", "10"]
    assert "2 held-out decisions" in lines[0]


def test_visits_come_from_searches_and_depend_on_the_seed(tmp_path):
    plan = PriorPlan(learn="prior", game="trajan", games=1, iterations=60, between=2, every=20)
    part = visits_of_games(plan, TRAJAN, 2, [0])
    assert 3 <= len(part["states"]) <= 40
    again = visits_of_games(plan, TRAJAN, 2, [0])
    assert all(np.array_equal(part[key], again[key]) for key in part)
    other = visits_of_games(plan, TRAJAN, 2, [1])
    assert not np.array_equal(part["shares"], other["shares"])
    np.savez(tmp_path / "part.npz", **part)
    read = read_visits(TRAJAN, [tmp_path / "part.npz"])
    assert [len(position.legal_moves()) for position in read.positions] == list(read.sizes)
    totals = np.add.reduceat(read.shares, np.cumsum(read.sizes) - read.sizes)
    assert totals == pytest.approx(np.ones(len(totals)))
    assert np.round(read.shares * 60) == pytest.approx(read.shares * 60)


def test_best_moves_are_verified_and_lead_all_others_clearly():
    def right(*moves):
        names = ("move", "grade", "gain")
        values = [SimpleNamespace(**dict(zip(names, one, strict=True))) for one in moves]
        return puzzles.best_of(SimpleNamespace(moves=values))

    best = [(0, "verified", Estimate(0.0, 0.0)), (1, "verified", Estimate(-0.5 * EQUAL, 1.0))]
    far = (2, "verified", Estimate(-LEAD, 0.8 * LEAD))
    assert right(*best, far, (3, "quick", None)) == [0, 1]
    assert right(*best, far, (3, "quick", Estimate(-LEAD, LEAD))) == [0, 1]
    assert right(*best, (2, "verified", Estimate(-LEAD, 1.2 * LEAD))) == []  # within the error
    assert right(*best, (2, "verified", Estimate(-0.9 * LEAD, 0.0)), far) == []
    assert right(*best) == []  # there is no other move


# ---- The command ------------------------------------------------------------------------------


def write(path, **keys):
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_weights_learned_from_zero_predict_unseen_positions(game, tmp_path, monkeypatch):
    """The run is too short to use part 7 of the labels."""
    monkeypatch.setattr(labels, "PART", 250)
    monkeypatch.setattr(
        weight_fit, "shipped_weights", lambda game: dict.fromkeys(game.weight_names, 0.0)
    )
    plan, lines = plan_of(game, players=[2], positions=1500), []
    weight_fit.prepare(plan, game, tmp_path)
    learned = weight_fit.learn(
        plan, game, LearningRun(tmp_path, make_in_threads(1), lines.append, lambda *_: None)
    )
    assert read_weights(tmp_path / weight_fit.WEIGHTS, learned) == learned
    weights = np.array(list(learned.values()))
    unseen = label_part(plan_of(game), game, 2, 7, size=250, turns=50)
    assert lead_error([unseen], weights) < 0.85 * lead_error([unseen], np.zeros_like(weights))
    before, now = map(float, re.findall(r"(\d+\.\d+) VP", lines[0]))
    assert now < 0.9 * before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "keys"),
    [
        (TRAJAN, {"learn": "evaluation", "positions": 60, "test": {"deals": 1, "budget": TINY}}),
        (FORUM, {"learn": "evaluation", "positions": 60}),
        (TRAJAN, {"learn": "prior", "games": 2, "iterations": 10, "between": 1, "every": 20}),
    ],
    ids=["trajan", "forum_trajanum", "prior"],
)
def test_learned_weights_are_written_tested_and_shipped_once(
    game, keys, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(visits, "PART", 1)  # so that one of the two games is held out
    monkeypatch.setattr(visits, "STEPS", 1)
    plan = write(tmp_path / "tiny.yaml", game=game.name, players=[2], **keys)
    shipped = ROOT / "trajan_ai" / "games" / game.name / "weights.yaml"
    copy, out = tmp_path / "weights.yaml", tmp_path / "out"
    copy.write_bytes(shipped.read_bytes())
    command = ["learn", plan, "--out", str(out), "--jobs", "2", "--ship", str(copy)]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert f"shipped: {copy}" in output
    assert ("cross entropy of the visits" in output) == (keys["learn"] == "prior")
    names = [name for name in game.weight_names if name.startswith("evaluation_2.")]
    if keys["learn"] == "prior":
        names = [name for name in game.weight_names if name in fitted_weights(game)]
    learned = read_weights(out / "weights.yaml", names)
    assert list(learned) == names
    before, after = (read_weights(path, game.weight_names) for path in (shipped, copy))
    assert after == before | learned != before
    if "test" in keys:
        bots = yaml.safe_load((out / "test-2.yaml").read_text(encoding="utf-8"))["bots"]
        assert {bot["name"]: bot.get("weights") for bot in bots} == {"last": None, "new": learned}
    times = {path: path.stat().st_mtime_ns for path in out.glob("*.npz")}
    assert times
    assert main(command) == 0
    assert ("2 games" in capsys.readouterr().out) == ("test" in keys)
    assert times == {path: path.stat().st_mtime_ns for path in out.glob("*.npz")}
    assert read_weights(out / "weights.yaml", names) == learned


def test_an_interrupted_run_says_how_it_is_resumed(tmp_path, capsys, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(learn.WRITERS, CalibrationPlan, interrupt)
    plan = write(tmp_path / "plan.yaml", learn="calibration", game="trajan", players=[2])
    assert main(["learn", plan, "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "interrupted; to resume, repeat the command\n"


RUNS = {
    "calibration": {"games": 6, "between": 1, "iterations": [8, 16]},
    "puzzles": {"games": 3, "missed": 5},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUNS)
def test_a_run_resumes_but_not_with_another_plan(kind, tmp_path, capsys, monkeypatch):
    weak = {"LEAD": 1.0, "LIKELY": 0.5, "SECOND": 60, "ROUGH": 60, "CHECKS": (100,)}
    for check, value in weak.items():  # so that some puzzles pass
        monkeypatch.setattr(puzzles, check, value)
    keys = {"learn": kind, "game": "trajan", "players": [2], **RUNS[kind]}
    plan, out = write(tmp_path / "plan.yaml", **keys), tmp_path / "out"
    command = ["learn", plan, "--out", str(out), "--jobs", "1"]
    assert main(command) == 0
    output = capsys.readouterr().out
    if kind == "puzzles":
        assert int(re.search(r"(\d+) puzzles", output)[1]) > 0
    if kind == "calibration":
        assert "chance to win: decisions, predicted, won" in output
        calibration = read_calibration(out / "calibration.yaml")
        assert (set(calibration.by_players), calibration.card["games"]) == ({2}, 6)
        assert set(calibration.by_players[2].sources) == set(TRAJAN.vp_sources)
    (file,) = (path for path in out.glob(f"{kind}.*") if path.suffix != ".npz")
    text = file.read_bytes()
    assert text
    first, *_, last = sorted(out.glob(f"{kind}-2-*.npz"))
    time = first.stat().st_mtime_ns
    last.unlink()  # as if the run had been killed before it wrote this part
    file.unlink()
    assert main(command) == 0
    assert (first.stat().st_mtime_ns, file.read_bytes()) == (time, text)
    write(tmp_path / "plan.yaml", **keys | {"seed": 1})
    assert main(command) == 2
    assert "another plan" in capsys.readouterr().err


def test_a_weight_file_of_another_game_is_rejected_before_learning(tmp_path, capsys):
    plan = write(tmp_path / "tiny.yaml", learn="evaluation", game="trajan", players=[2])
    out = tmp_path / "out"
    other = ROOT / "trajan_ai" / "games" / "forum_trajanum" / "weights.yaml"
    for file, problem in (
        (other, "moves.card: is missing"),
        (tmp_path / "none.yaml", "none.yaml"),
    ):
        assert main(["learn", plan, "--out", str(out), "--ship", str(file)]) == 2
        assert problem in capsys.readouterr().err
    assert not out.exists()


def test_only_weights_can_be_shipped(tmp_path, capsys):
    plan, out = write(tmp_path / "plan.yaml", learn="puzzles", game="trajan"), tmp_path / "out"
    weights = ROOT / "trajan_ai" / "games" / "trajan" / "weights.yaml"
    assert main(["learn", plan, "--out", str(out), "--ship", str(weights)]) == 2
    assert "plan.yaml: --ship requires a plan with `learn: eval" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"learn": "nets", "game": "trajan"}, "calibration, levels, puzzles, network, got 'nets'"),
        ({"learn": "evaluation", "game": "chess"}, "no game is called 'chess'"),
        ({"learn": "evaluation", "game": "trajan", "players": [5]}, "players[0]"),
        ({"learn": "evaluation", "game": "trajan", "position": 5}, "position: unknown key"),
        ({"learn": "calibration", "game": "trajan", "test": {}}, "test: unknown key; keys are"),
        ({"learn": "prior", "game": "trajan", "bot": "greedy"}, "which does not search"),
        ({"learn": "prior", "game": "trajan", "bot": "expret"}, "expret"),
        (
            {"learn": "network", "game": "trajan", "start": "no.bin"},
            "start: no.bin: cannot read the network: No such file or directory",
        ),
        (
            {
                "learn": "levels",
                "game": "trajan",
                "vp": [9],
                "overlooked": ["moves.take", "moves.x"],
            },
            "overlooked[1]: trajan has no weight 'moves.x'",
        ),
    ],
)
def test_errors_in_a_plan_are_reported_with_their_place(tmp_path, keys, message):
    path = write(tmp_path / "plan.yaml", **keys)
    with pytest.raises(TrajanError) as caught:
        read_plan(path)
    assert path in caught.value.messages[0]
    assert message in caught.value.messages[0]


def test_a_folder_of_another_plan_bot_or_engine_is_rejected(tmp_path, monkeypatch):
    bot = tmp_path / "mine.yaml"

    def prepare(seed, exploration):
        bot.write_text(f"extends: expert\nexploration: {exploration}\n", encoding="utf-8")
        keys = {"learn": "prior", "game": "trajan", "bot": str(bot), "seed": seed}
        weight_fit.prepare(*read_plan(write(tmp_path / "prior.yaml", **keys)), tmp_path)

    prepare(0, 0.5)
    prepare(0, 0.5)
    for other in ((1, 0.5), (0, 0.7)):
        with pytest.raises(TrajanError, match="another plan, bot or engine"):
            prepare(*other)
    monkeypatch.setattr(weight_fit, "play_signature", lambda game: "another")
    with pytest.raises(TrajanError, match="another plan, bot or engine"):
        prepare(0, 0.5)


def test_two_runs_cannot_learn_in_one_folder(tmp_path, capsys):
    plan = write(tmp_path / "plan.yaml", learn="prior", game="trajan", players=[2], games=2)
    with lock_folder(tmp_path):
        assert main(["learn", plan, "--out", str(tmp_path)]) == 2
    assert "another run is writing here" in capsys.readouterr().err


def test_a_test_that_cannot_be_played_is_reported_before_learning(tmp_path, capsys):
    out = tmp_path / "out"
    for test, message in (
        ({"bot": "expret"}, "no such file"),
        ({"budget": {"seconds": 1}}, "budget.seconds: unknown key"),
        ({"bot": "ismcts"}, "have the same settings"),
    ):
        plan = write(
            tmp_path / "plan.yaml", learn="evaluation", game="trajan", players=[2], test=test
        )
        assert main(["learn", plan, "--out", str(out)]) == 2
        assert message in capsys.readouterr().err
        assert not out.exists()


def views_of(game, seed, turns=(0, 30), size=60):
    """Return the names of the features, and the arrays that `label_views` fills."""
    names = [feature.name for feature in game.rules.features(3)]
    arrays = (
        np.empty((size, len(names)), np.uint8),
        np.empty((size, 3), np.float32),
        np.empty((size, 3), np.float32),
    )
    weights = list(shipped_weights(game).values())
    label_views([game.start(3)], weights, weights, seed, turns, 1, *arrays)
    return names, *arrays


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_views_are_of_the_player_to_move_and_depend_on_the_seed(game):
    names, inputs, evaluations, finals = views_of(game, 4)
    assert (inputs[:, names.index("to_decide.own")] == 1).all()
    scores = inputs[:, [names.index(f"{seat}.score") for seat in SEATS]]
    assert (finals >= scores).mean() > 0.9
    again = views_of(game, 4)[1:]
    assert all(map(np.array_equal, (inputs, evaluations, finals), again))
    assert not np.array_equal(inputs, views_of(game, 5)[1])


def test_views_name_arrays_that_do_not_fit():
    weights = list(shipped_weights(TRAJAN).values())
    arrays = [np.empty((1, 1), np.uint8), *[np.empty((1, 2), np.float32)] * 2]
    with pytest.raises(ValueError, match="must have 1198 items, got 1"):
        label_views([TRAJAN.start(2)], weights, weights, 1, (0, 1), 1, *arrays)


def test_levels_are_values_that_positions_reach_often_enough():
    inputs = np.zeros((4000, 3), np.uint8)
    inputs[:1000, 0], inputs[:500, 0], inputs[:, 1], inputs[0, 2] = 2, 5, 7, 1
    levels = network_model.FeatureLevels.choose(["a", "own.score", "rare"], inputs)
    assert (levels.columns.tolist(), levels.counts.tolist()) == ([0], [2])
    assert levels.levels.tolist() == [1, 3]  # just above 0 and 2, which are frequent


@pytest.mark.needs("torch")
def test_units_and_neurons_of_a_network_stay_between_0_and_1():
    """Without limits, the last position's unit would be 1.5 and its neuron 3.75."""
    import torch

    weights = {
        "rows": [[0.25], [0.5], [0.75]], "bias": [0.0], "second": [[2.5]], "second_bias": [0.0],
        "out": [[1.0], [-1.0]], "skip": [[0.5], [0.0]], "out_bias": [0.0, 1.0],
    }  # fmt: skip
    levels = {"column": [0, 0, 1], "level": [1, 3, 1], "last": [2, 255, 255],
              "sums": [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}  # fmt: skip
    weights, levels = (
        {name: torch.tensor(values) for name, values in one.items()} for one in (weights, levels)
    )
    inputs = torch.tensor([[0, 0], [1, 0], [3, 1]])
    expected = [[0.0, 1.0], [0.625 + 0.125, 1.0 - 0.625], [1.5, 0.0]]
    expected = [[network_model.VP * value for value in row] for row in expected]
    assert network_model.corrections(weights, levels, inputs).tolist() == expected


def maker_of(players, **changes):
    """Return an object that makes tiny games and decisions of Trajan."""
    tiny = {"games": 11, "iterations": 2, "decisions": 0, "behind": 2}
    return network_games.GameMaker(
        TRAJAN, read_bot("expert"), Round(**(tiny | changes)), players, 5, "round-1"
    )


def test_games_of_a_round_are_seen_by_the_player_to_move(monkeypatch):
    monkeypatch.setattr(network_games, "BRANCHES", 3)
    rows = maker_of(3).make(0)
    names = [feature.name for feature in TRAJAN.rules.features(3)]
    assert (rows["features"][:, names.index("to_decide.own")] == 1).all()
    scores = rows["features"][:, [names.index(f"{seat}.score") for seat in SEATS]] - 64.0
    late = scores.min(axis=1) > 60
    by_shift = [(np.roll(rows["finals"], shift, 1) - scores)[late].std(1) for shift in range(3)]
    assert by_shift[0].mean() < min(shifted.mean() for shifted in by_shift[1:])
    assert (rows["branch"] == 0).sum() > 40
    assert 1 <= (rows["branch"] == 1).sum() <= 3
    monkeypatch.setattr(network_games, "RESULT", 1)
    again = maker_of(3).make(0)
    assert np.array_equal(again["values"], rows["finals"])
    assert all(np.array_equal(again[name], rows[name]) for name in rows if name != "values")
    assert not np.array_equal(maker_of(3).make(1)["finals"][:9], rows["finals"][:9])


def test_decisions_of_a_round_have_the_values_of_all_their_moves(monkeypatch):
    monkeypatch.setattr(network_games, "BRANCHES", 0)
    rows = maker_of(3, decisions=4, behind=40).make(0)
    positions = [TRAJAN.from_bytes(state.tobytes()) for state in rows["states"]]
    moves = [position.legal_moves() for position in positions]
    assert len({position.turn for position in positions}) == 4
    assert rows["sizes"].tolist() == [len(some) for some in moves]
    assert rows["moves"].tolist() == [move for some in moves for move in some]
    assert rows["behind"].shape == (sum(rows["sizes"]), 3)
    begins = np.append(0, rows["sizes"].cumsum())
    for position, begin, end in zip(positions, begins, begins[1:], strict=False):
        scores = np.roll(position.scores, -position.player)
        gains = (rows["behind"][begin:end] - scores).mean(axis=0)
        assert (gains > 0).all()
        assert gains.std() < 25
    assert maker_of(3).make(0)["states"].shape == (0, rows["states"].shape[1])


def leaves_of(position, move, count, turns):
    """Return the features, evaluations and seats of leaves that the policy of `expert` reaches."""
    arrays = (
        np.zeros((count, len(position.features(position.player))), np.uint8),
        np.empty((count, position.players), np.float32),
        np.empty(count, np.uint8),
    )
    weights = read_bot("expert").weights_for(position.game)
    play_to_leaves(position, move, weights, 3, turns, *arrays)
    return arrays


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_leaves_are_what_searches_behind_a_move_value(game):
    bot = read_bot("expert").with_settings(early_stop=False)
    engine = ThreadedSearch(game, bot)
    position = game.start(3, seed=2)
    while position.turn < 7:
        position = position.after_move(position.legal_moves()[0])
    move = position.legal_moves()[-1]
    features, evaluations, seats = leaves_of(position, move, 400, bot.cut_turns(3, None))
    searched = np.array([
        engine.search(InformationSet(position), seed, iterations=1, allowed=(move,)).best.scores
        for seed in range(400)
    ])  # fmt: skip
    expected = np.roll(searched, -position.player, axis=1)
    errors = np.sqrt((evaluations.var(0) + expected.var(0)) / 400)
    assert (abs(evaluations.mean(0) - expected.mean(0)) < 4 * errors).all()
    names = [feature.name for feature in game.rules.features(3)]
    assert (features[:, names.index("to_decide.own")] == 1).all()
    assert set(seats) <= {0, 1, 2}
    again = leaves_of(position, move, 400, bot.cut_turns(3, None))
    assert np.array_equal(again[1], evaluations)
    assert len(np.unique(evaluations[:, 0])) > 100


def test_leaves_after_the_end_of_a_game_have_its_result():
    position = TRAJAN.start(2, seed=2)
    for move in (position.legal_moves()[0], position.legal_moves()[-1]):
        _, evaluations, seats = leaves_of(position, move, 20, 1000)
        assert (seats == GAME_OVER).all()
        assert np.array_equal(evaluations, evaluations.round())


def test_leaves_name_what_does_not_fit():
    position = TRAJAN.start(2)
    with pytest.raises(TrajanError, match="'5000' is not legal for player"):
        leaves_of(position, 5000, 1, 1)
    with pytest.raises(ValueError, match="turns must be positive, got 0"):
        leaves_of(position, position.legal_moves()[0], 1, 0)


def one_card():
    """Return the levels and weights of a network that reads one card and adds no VP yet."""
    import torch

    torch.manual_seed(1)
    one = np.array([1])
    levels = network_model.FeatureLevels(np.array([0]), one, one.astype(np.uint8))
    weights = network_model.start_weights(1, 2)
    with torch.no_grad():
        for name in ("out", "skip"):
            weights[name].zero_()
    return levels, weights


def games_of_cards(vp):
    """Return 20 games with scores of 40 VP, to which a card adds `vp` for the player to move."""
    card = np.arange(200, dtype=np.uint8)[:, None] % 2
    finals = (40 + card * [[vp, -vp]]).astype(np.float32)
    game = {"features": card, "evaluations": np.zeros_like(finals), "finals": finals}
    game |= {"values": finals, "turn": np.zeros(200, np.int64), "branch": np.arange(200) % 2}
    return [game] * 20


def play_cards(monkeypatch, seats=(0, 0)):
    """Put a card into all leaves after the first of two moves.

    `seats` contains the player to move after each of the moves.
    """

    def play(self, decisions, places, seed):
        leaves = len(places), network_round.LEAVES
        cards = np.repeat(1 - places % 2, leaves[1]).astype(np.uint8).reshape(*leaves, 1)
        to_move = np.array(seats, np.uint8)[places % 2].repeat(leaves[1]).reshape(leaves)
        return cards, np.zeros((*leaves, 2), np.float32), to_move

    monkeypatch.setattr(network_round.Decisions, "_play", play)


def decisions_of_cards(vp, count=40):
    """Return decisions, two from each game, in which the first move is better by `vp`."""
    behind = np.tile([[vp, -vp], [0.0, 0.0]], (count, 1)).astype(np.float32) + 7
    sizes, game = np.full(count, 2), np.arange(count) // 2
    empty = np.zeros((count, 1), np.uint8)
    return network_round.Decisions(None, empty, sizes, game, np.zeros(2 * count, np.int64), behind)


def learn_cards(monkeypatch, vp, decisions):
    """Return the VP that a network learns for the card, and the report of the round."""
    import torch

    monkeypatch.setattr(network_round.Decisions, "join", lambda games, maker: decisions)
    levels, weights = one_card()
    note = network_round.train_further(levels, weights, games_of_cards(vp), maker_of(2))
    inputs = torch.tensor([[0], [1]], dtype=torch.uint8)
    return network_model.predict(weights, levels.tensors(), inputs), note


@pytest.fixture
def fast_round(monkeypatch):
    """Let rounds learn in a few large steps."""
    monkeypatch.setattr(network_round, "RATE", 0.02)
    monkeypatch.setattr(network_round, "BATCH", 64)


@pytest.mark.needs("torch")
def test_a_round_learns_leads_and_keeps_the_mean_of_all_players(fast_round, monkeypatch):
    """Bots score 40 VP more than expected, and a card gives the player to move a lead of 10 VP."""
    learned, note = learn_cards(monkeypatch, 5, decisions_of_cards(0, count=0))
    assert learned == pytest.approx(np.array([[0, 0], [5, -5]]), abs=0.3)
    assert "at branches: error of leads 10.00 VP before, 0." in note
    assert "siblings" not in note


@pytest.mark.needs("torch")
def test_a_round_learns_differences_between_the_moves_of_a_decision(fast_round, monkeypatch):
    """A card is worth nothing in the games, but a lead of 20 VP in searches after the moves."""
    play_cards(monkeypatch)
    monkeypatch.setattr(network_round, "SHARE", 1000.0)
    learned, note = learn_cards(monkeypatch, 0, decisions_of_cards(10))
    assert learned[1] - learned[0] == pytest.approx(np.array([10, -10]), abs=0.5)
    assert "siblings: error of leads 10.00 VP before, 0." in note


@pytest.mark.needs("torch")
def test_differences_count_seats_from_the_player_to_decide(monkeypatch):
    """The network adds 3 VP for the player to move. After the first move, player 0 is to move;
    after the second move, either player or nobody is."""
    import torch

    levels, weights = one_card()
    with torch.no_grad():
        weights["rows"].zero_()
        weights["bias"].zero_()
        weights["out_bias"][:] = torch.tensor([3.0, 0.0]) / network_model.VP
    for seat, difference in ((0, [0, 0]), (1, [1.5, -1.5]), (GAME_OVER, [1.5, 0])):
        play_cards(monkeypatch, seats=(0, seat))
        chosen = np.array([1, 0])
        errors = decisions_of_cards(0).errors(weights, levels.tensors(), chosen, 0).mean(1)
        expected = np.array([difference, [-one for one in difference]] * 2)
        assert errors.tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.needs("torch")
def test_a_product_of_errors_is_free_of_their_scatter():
    import torch

    torch.manual_seed(1)
    errors = torch.tensor([[3.0, -1.0]])
    samples = errors + torch.randn(2, 200_000, 2)
    assert network_model.loss_of(errors).item() == pytest.approx(5 + 16)
    assert network_model.loss_of(*samples).item() == pytest.approx(5 + 16, abs=0.2)
    assert network_model.loss_of(samples[0]).item() > 24


@pytest.mark.needs("torch")
def test_a_network_that_was_read_is_written_with_the_same_numbers(tmp_path):
    path = str(TRAJAN.rules.network)
    trained = network_model.read_trained(TRAJAN, path)
    copy = network_model.write_network(tmp_path / "copy.bin", TRAJAN, trained, {})
    assert copy.read_bytes().partition(b"\n")[2] == Path(path).read_bytes().partition(b"\n")[2]


@pytest.mark.needs("torch")
def test_a_training_that_was_interrupted_ends_with_the_same_network(tmp_path, monkeypatch):
    import torch

    class Interruption(Exception):
        pass

    def interrupt(what, *_):
        if "positions" in what:
            raise Interruption

    torch.set_num_threads(1)  # on a busy machine, several threads wait for each other for minutes
    sizes = {"BLOCK": 64, "BATCH": 64, "STEPS": 2, "MEMORY": 2, "SAVED": 3, "MEASURED": 60}
    for name, value in (sizes | {"TRUTH": 2}).items():
        monkeypatch.setattr(network_fit, name, value)
    tiny = {"games": 2, "iterations": 2, "positions": 5 * 64}
    plan = NetworkPlan(game="trajan", learn="network", players=[2], **tiny)

    def train(name, progress=lambda *_: None):
        (tmp_path / name).mkdir(exist_ok=True)
        run = LearningRun(tmp_path / name, make_in_threads(2), print, progress)
        return network_fit.train(plan, TRAJAN, 2, run)[1]

    whole = train("whole")
    with pytest.raises(Interruption):
        train("resumed", interrupt)
    resumed = train("resumed")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


@pytest.mark.needs("torch")
@pytest.mark.slow
def test_a_trained_network_predicts_the_same_when_read_from_its_file(tmp_path, monkeypatch):
    import torch

    torch.set_num_threads(1)  # on a busy machine, several threads wait for each other for minutes
    for name, value in {"BLOCK": 256, "BATCH": 64, "STEPS": 3, "MEASURED": 60, "TRUTH": 2}.items():
        monkeypatch.setattr(network_fit, name, value)
    # With a larger SHARE, epoch 0, which learns nothing, would be the best for these few
    # decisions.
    monkeypatch.setattr(network_round, "SHARE", 0.01)
    monkeypatch.setattr(network_round, "RATE", 0.002)  # so that a few steps change enough
    rounds = [{"games": 11, "iterations": 2, "decisions": 2, "behind": 2}]
    tiny = {"games": 2, "iterations": 2, "positions": 1024, "rounds": rounds}
    plan = NetworkPlan(game="trajan", learn="network", players=[2], **tiny)
    run = LearningRun(tmp_path, make_in_threads(2), print, lambda *_: None)
    network = read_network(TRAJAN, str(network_fit.learn_network(plan, TRAJAN, run)))
    first = read_network(TRAJAN, str(tmp_path / "network-0.bin"))
    levels, weights, _ = network_fit.train(plan, TRAJAN, 2, run)  # resumes at its last checkpoint
    position = TRAJAN.start(2)
    inputs = torch.tensor([list(position.features(position.player))], dtype=torch.uint8)

    def expected():
        values = network_model.corrections(weights, levels.tensors(), inputs)[0].tolist()
        return pytest.approx(values[-position.player :] + values[: -position.player], abs=0.05)

    assert first.corrections(position) == expected()
    games = [read_part(path) for path in sorted(tmp_path.glob("round-1-2-*.npz"))]
    bot = read_bot("expert").with_settings(network=str(tmp_path / "network-0.bin"))
    maker = network_games.GameMaker(TRAJAN, bot, plan.rounds[0], 2, plan.seed, "round-1")
    note = network_round.train_further(levels, weights, games, maker)
    assert network.corrections(position) == expected() != first.corrections(position)
    assert network.card["round 1 with 2 players"] == note
