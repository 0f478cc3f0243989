"""Studies have figures with correct intervals, and their plans are played once and reported."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from failing_bots import write_bots

from trajan_ai.analysis.annotation import judging
from trajan_ai.bots import game_loop, read_bot
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset.batches import best_other
from trajan_ai.lab.dataset.dataset_files import read_columns
from trajan_ai.lab.dataset.exporting import lines_of
from trajan_ai.lab.study import claim_check, study_plan, study_report, study_run
from trajan_ai.lab.study.figures import (
    LOST_BY_KIND,
    Figure,
    FigureCollector,
    LeadRegression,
    Sums,
)
from trajan_ai.lab.study.study_plan import Chunk, Claim, Condition
from trajan_ai.lab.study.study_run import play_chunk

PLAN = """
seeds: [1, 2]
tables: [{game: trajan, players: [2]}, {game: forum_trajanum, players: [3]}]
layers:
  - {name: policy, games: 64, judged: 2}
  - {name: fast, games: 4, bot: {name: random, kind: random}}
claims:
  - {says: Many points., figure: "result: score", game: trajan, above: 20}
  - {says: Few points., figure: "result: score", game: trajan, below: 20}
"""
# A plan with few decisions, whose games end with negative scores.
SHORT = PLAN.replace("players: [2]", "players: [3], options: {lap_length: 3}")
SHORT = SHORT.replace("forum_trajanum, players: [3]", "forum_trajanum, players: [2]")
SHORT = SHORT.replace(": 20}", ": -40}")


def test_intervals_of_ratios_and_coefficients_cover_the_truth_in_95_percent():
    rng = np.random.default_rng(1)
    ratios, slopes = 0, 0
    for _ in range(400):
        lower = rng.poisson(5, 200) + 1.0
        sums = Sums()
        for half in (slice(0, 90), slice(90, None)):  # in parts
            noise = rng.normal(0, 3, 200)
            sums.add("a", (2 * lower + noise)[half], lower[half])
        figure = sums.figures()["a"]
        ratios += abs(figure.value - 2) <= figure.half_width(1)
        counts = rng.poisson(3, (120, 2, 2))
        deal = np.repeat(rng.normal(0, 5, (60, 2)), 2, axis=0)  # shared by both games of a deal
        regression = LeadRegression()
        scores = 4.0 * counts[..., 0] + deal + rng.normal(0, 5, (120, 2))
        regression.add({"x": counts[..., 0], "y": counts[..., 1]}, scores)
        figure = regression.figures("w")["w: x"]
        slopes += abs(figure.value - 4) <= figure.half_width(1)
    assert 0.92 <= ratios / 400 <= 0.98
    assert 0.92 <= slopes / 400 <= 0.98


def test_judged_decisions_become_losses_by_kind_and_luck():
    rows = [
        {"id": game, "seat": seat, "kind": kind, "loss": loss * (game % 2), "luck": luck}
        for game in range(12)
        for seat, kind, loss, luck in (
            (0, "sow", 3.0, 2.0),
            (0, "drop", 1.0, None),
            (1, "drop a", 4.0, -5.0),
        )
    ]
    decisions = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    collector = FigureCollector(game_named("trajan"))
    collector.judge(decisions, 2)
    collector.judge({name: column[1:36:3] for name, column in decisions.items()}, 2)
    values = {name: round(figure.value, 6) for name, figure in collector.figures().items()}
    assert values == {
        "VP lost by a player: in all": (2.0 + 0.25) / 2,
        "VP lost by a player: sow": 0.75 / 2,
        "VP lost by a player: drop": (1.25 + 0.25) / 2,
        "decisions that lose 2 VP and more: share": 12 / 48,
        "luck: VP that a player's own draws brought or cost": (3.5 + 0.0) / 2,
    }


def collect(scores):
    """Return the figure computed from `scores`, an array with two games per deal."""
    collector = FigureCollector(game_named("trajan"))
    collector._mean("x", np.asarray(scores, float), np.ones(len(scores)))
    return collector.figures()["x"]


def test_both_games_of_a_deal_are_one_unit():
    """Repeated games add no information; scores that cancel in a deal leave no error."""
    scores = np.arange(30.0)
    figure = collect(np.repeat(scores, 2))
    assert (figure.value, figure.units) == (14.5, 30)
    assert figure.error == pytest.approx(scores.std(ddof=1) / 30**0.5)
    balanced = collect(np.stack([scores, 100 - scores], axis=1).ravel())
    assert (balanced.value, balanced.error) == (50.0, 0.0)


def test_both_games_of_a_deal_are_one_unit_of_a_regression():
    """Repeated games add no information; deviations that cancel in a deal leave no error."""
    rng = np.random.default_rng(2)
    counts, noise = rng.poisson(4, 40), rng.normal(0, 3, 40)

    def fit(counts, leads):
        regression = LeadRegression()
        counts, scores = (np.stack([one, 0 * one], axis=1) for one in (counts, leads))
        regression.add({"x": counts}, scores)
        return regression.figures("w")["w: x"]

    leads = 2.0 * counts + noise
    slope = counts @ leads / (counts @ counts)
    pulls = counts * (leads - slope * counts)
    figure = fit(np.repeat(counts, 2), np.repeat(leads, 2))
    assert figure.value == pytest.approx(slope, rel=1e-5)
    assert figure.error == pytest.approx((pulls @ pulls) ** 0.5 / (counts @ counts), rel=1e-5)
    balanced = np.stack([2.0 * counts + noise, 2.0 * counts - noise], axis=1).ravel()
    figure = fit(np.repeat(counts, 2), balanced)
    assert (figure.value, figure.error) == pytest.approx((2.0, 0.0), abs=1e-5)


def test_results_of_games_by_hand():
    """One game ends with 30, 20 and 5 VP, and the other with a tie at 12 VP ahead of 10 VP."""
    game = game_named("trajan")
    scores = np.array([[30.0, 20, 5], [10, 12, 12]] * 10)
    ranks = np.array([[1, 2, 3], [3, 1, 1]] * 10)
    games = SimpleNamespace(
        count=20,
        players=3,
        scores=scores,
        ranks=ranks,
        by_seat=lambda name: np.full((20, 3), 7),
        by_stage=lambda name: np.full((20, 4, 3), 2),
    )
    collector = FigureCollector(game)
    collector._results(games)
    values = {name: round(one.value, 6) for name, one in collector.figures().items()}
    sources = {name: vp for name, vp in values.items() if name.startswith("VP by source")}
    assert len(sources) == len(game.vp_sources)
    assert {*sources.values()} == {8.0}
    assert {name: one for name, one in values.items() if name not in sources} == {
        "result: score": round((55 / 3 + 34 / 3) / 2, 6),
        "result: score of the winner": 21.0,
        "result: lead of the winner": 5.0,
        "result: turns of a player": 7.0,
        "wins above an equal share: seat 1": round(1 / 2 - 1 / 3, 6),
        "wins above an equal share: seat 2": round(1 / 4 - 1 / 3, 6),
        "wins above an equal share: seat 3": round(1 / 4 - 1 / 3, 6),
        "score by seat: seat 1": 20.0,
        "score by seat: seat 2": 16.0,
        "score by seat: seat 3": 8.5,
    }


def test_leads_after_stages_by_hand():
    """In the first game, seat 1 leads twice, then seat 2. In the second, nobody leads at first."""
    leads = np.array([[[5, -5], [21, -21], [-2, 2]], [[0, 0], [-11, 11], [-1, 1]]] * 10)
    ranks = np.array([[1, 2], [1, 2]] * 10)
    games = SimpleNamespace(count=20, players=2, ranks=ranks, by_stage=lambda name: leads)
    collector = FigureCollector(game_named("trajan"))
    collector._stages(games)
    values = {name: one.value for name, one in collector.figures().items() if one.value >= 0}
    assert values == {
        "leads: changes between stages": 0.5,
        "leads: leader after stage 1 wins": 1.0,
        "leads: 1 to 10 VP behind after stage 1, wins": 0.0,
        "leads: leader after stage 2 wins": 0.5,
        "leads: 11 to 20 VP behind after stage 2, wins": 1.0,
        "leads: 21 to 40 VP behind after stage 2, wins": 0.0,
    }


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([10, 7], [7, 10]),
        ([10, 7, 1], [7, 10, 10]),
        ([1, 7, 10, 4], [10, 10, 7, 10]),
        ([5, 5, 1], [5, 5, 5]),
    ],
)
def test_a_lead_is_over_the_best_of_the_others(scores, expected):
    assert best_other(np.array([scores])).tolist() == [expected]


def test_claims_are_judged_by_the_second_seed_alone():
    condition = Condition(
        layer="a", bot=None, name="", game="trajan", players=2, options={}, games=8, judged=0
    )
    high, low = ({"x: y": Figure(value, 1.0, 1000)} for value in (30.0, 10.0))
    claims = [
        Claim(says="More.", figure="x: y", game="trajan", above=20),
        Claim(says="Less.", figure="x: y", game="trajan", below=20),
        Claim(says="Same.", figure="x: y", game="trajan", above=9.9),
        Claim(says="Others.", figure="x: y", game="trajan", players=[3], above=0),
    ]
    result = study_report.ConditionFigures(condition, 16, high, (high, low))
    rows = list(study_report._verdicts(claims, [result]))
    assert [(row[0], row[-1]) for row in rows] == [
        ("More.", "fails"),
        ("Less.", "holds"),
        ("Same.", "open"),
        ("Others.", "no figure"),
    ]
    assert all(row[3].startswith("10.0 ± ") for row in rows[:3])


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("bot", [None, read_bot("random")])
def test_a_layer_is_played_by_its_bot_or_by_the_policy(tmp_path, bot):
    condition = Condition("layer", bot, "", "trajan", 2, {"lap_length": 2}, 2, 0)
    play_chunk(Chunk(condition, seed=1, number=0, games=2, judged=0), tmp_path)
    (path,) = tmp_path.glob("**/games/**/*.parquet")
    entries = [json.loads(line) for _, _, line in lines_of(path)]
    assert len(entries) == 2
    assert entries[0]["x_deal_seed"] == entries[1]["x_deal_seed"]
    for entry in entries:
        seeds = (entry["x_deal_seed"], entry["x_seed"])
        game = game_named("trajan")
        played = game_loop.play_game(game, [read_bot("random")] * 2, seeds, condition.options)
        assert (entry["actions"] == [list(one) for one in played.actions]) == (bot is not None)


@pytest.mark.needs("pyarrow", "matplotlib")
@pytest.mark.slow
def test_a_study_is_played_once_and_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(study_report, "MIN_PICTURED", 10)  # so that there are few pictures
    monkeypatch.setattr(judging, "ROUGH_ITERATIONS", 20)
    monkeypatch.setattr(judging, "is_doubtful", lambda decision: False)
    plan, out = tmp_path / "plan.yaml", tmp_path / "out"
    plan.write_text(SHORT, encoding="utf-8")
    command = ["study", str(plan), "--out", str(out), "--jobs", "1"]
    assert main([*command, "--report"]) == 2
    assert "no condition has games of both seeds;" in capsys.readouterr().err
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "Many points.: trajan, 3 players, policy" in output
    assert ", holds\n" in output
    assert ", fails\n" in output
    parts = {path: path.stat().st_mtime_ns for path in out.glob("data/**/*.parquet")}
    judged = list(out.glob("data/**/decisions/*/*.parquet"))
    # There are four tables for each layer, game and seed, and a file of all moves for each layer
    # and game.
    assert len(parts) == 2 * 2 * 2 * 4 + 2 * 2 + len(judged)
    for path in judged:
        games, analysed = (
            set(read_columns(one, ["id"])["id"])
            for one in (Path(str(path).replace("decisions", "games")), path)
        )
        assert len(analysed) == 1  # one of the 32 games of its seed
        assert analysed < games
    assert len(judged) == 2 * 2  # games, seeds
    judged[0].unlink()
    text, page = (
        (out / name).read_text(encoding="utf-8") for name in ("report.md", "report.html")
    )
    assert main(command) == 0
    parts.pop(judged[0])
    assert judged[0].exists()
    assert {path: path.stat().st_mtime_ns for path in parts} == parts
    assert (out / "report.md").read_text(encoding="utf-8") == text
    assert "score of the winner" in text
    assert "<td>score of the winner</td>" in page
    pictures = re.findall('<img src="([^"]*)"', page)
    assert pictures
    assert all((out / picture).exists() for picture in pictures)
    assert text.startswith("# plan\n")
    assert "<title>plan</title>" in page
    tables = json.loads((out / "figures.json").read_text())
    assert {one["games"] for one in tables} == {4, 64}
    for one in tables:
        condition = Condition("a", None, "", one["game"], int(one["table"][0]), {}, 0, 0)
        kinds = {name for name in one["figures"] if name.startswith(LOST_BY_KIND)}
        assert one["figures"].keys() - kinds <= {*claim_check.list_figures(condition)}
        assert not any("_" in name for name in one["figures"])
    groups = ("first turns to: ", "start goods: ", "start citizens: ")
    shares = {
        name: figure["value"]
        for one in tables[:2]
        for name, figure in one["figures"].items()
        if name.startswith(groups)
    }
    assert sum(shares.values()) == pytest.approx(3)
    own = [
        [action for by, action in json.loads(line)["actions"] if by == seat]
        for path in out.glob("data/policy/trajan/games/*/*.parquet")
        for _, _, line in lines_of(path)
        for seat in range(3)
    ]
    first = [next(action for action in actions if action.startswith("sow")) for actions in own]
    to_construction = first.count("sow IV")  # trays begin with two markers each
    assert shares["first turns to: construction"] == to_construction / 192
    decks = [actions.count("goods deck") for actions in own]
    assert shares["start goods: 1 from the deck"] == decks.count(1) / 192

    before = {path: set(read_columns(path, ["id"])["id"]) for path in judged}
    plan.write_text(
        SHORT.replace("games: 64, judged: 2", "games: 72, judged: 4"), encoding="utf-8"
    )
    assert main(command) == 0
    assert {one["games"] for one in json.loads((out / "figures.json").read_text())} == {4, 72}
    for path, ids in before.items():
        assert ids < set(read_columns(path, ["id"])["id"])


@pytest.mark.needs("pyarrow")
def test_games_of_another_bot_other_options_or_another_engine_do_not_count(tmp_path, monkeypatch):
    plan, out = tmp_path / "plan.yaml", tmp_path / "out"
    first = """
seeds: [1, 2]
tables: [{game: trajan, players: [2], options: {lap_length: 2}}]
layers: [{name: bot, games: 4, bot: {name: b, kind: random}}]
"""

    def count_played(text):
        plan.write_text(text, encoding="utf-8")
        before = set(out.glob("data/**/games/**/*.parquet"))
        study = study_plan.read_study(plan)
        study_run.play(study, out, 1, lambda done, of: None)
        assert all(
            study_run.count_games(chunk, out, "games") == chunk.games for chunk in study.chunks()
        )
        return len(set(out.glob("data/**/games/**/*.parquet")) - before)

    assert count_played(first) == 2
    assert count_played(first) == 0
    assert count_played(first.replace("name: b,", "name: renamed,")) == 0
    assert count_played(first.replace("lap_length: 2", "lap_length: 1")) == 2
    assert count_played(first.replace("kind: random", "kind: greedy")) == 2
    monkeypatch.setattr(study_plan, "play_signature", lambda game: "another")
    assert count_played(first) == 2


@pytest.mark.needs("pyarrow")
def test_an_interrupted_study_says_how_it_is_resumed(tmp_path, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(study_run, "complete_chunk", interrupt)
    plan = tmp_path / "plan.yaml"
    plan.write_text(SHORT, encoding="utf-8")
    assert main(["study", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 130
    assert capsys.readouterr().err == "interrupted; to resume, repeat the command\n"


@pytest.mark.needs("pyarrow")
def test_a_bot_that_dies_ends_a_study_with_one_line(tmp_path, capsys):
    """The death of the bot does not end the process of the study or of a worker."""
    bot = write_bots(tmp_path)["Dies"]
    plan = tmp_path / "plan.yaml"
    layer = f"{{name: bot, games: 4, judged: 0, bot: {bot}}}"
    plan.write_text(
        f"seeds: [1, 2]\ntables: [{{game: trajan, players: [2]}}]\nlayers: [{layer}]\n"
    )
    words = ["study", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert main(words) == 2
    message = "layer bot: a bot failed: player "
    assert message in (error := capsys.readouterr().err)
    assert "its process ended with exit status 7" in error


@pytest.mark.needs("pyarrow")
def test_two_studies_cannot_write_to_one_folder(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    study = study_plan.read_study(plan)
    with (
        lock_folder(tmp_path),
        pytest.raises(TrajanError, match="another run is writing here"),
    ):
        study_run.play(study, tmp_path, 1, lambda done, of: None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("game: trajan, players: [2]", "game: go, players: [2]", "no game is called 'go'"),
        ("kind: random", "kind: rand", "rand"),
        ("games: 64", "games: 63", "multiple of 4"),
        ("players: [3]}", "players: [3], name: ../../x}", "is not a file name"),
        ("players: [2]}", "players: [2]}, {game: trajan, players: [3, 2]}", "twice in the folder"),
        ("name: fast", "name: policy", "twice in the folder"),
        (
            "game: trajan, above",
            "game: trajn, above",
            "plan.yaml:8: claims[0].game: no table has the game 'trajn'; did you mean 'trajan'?",
        ),
        (
            "game: trajan, above: 20",
            "game: trajan, players: [3], above: 20",
            "plan.yaml:8: claims[0].game: a claim requires a table without `name`, but no such "
            "table has trajan with 3 players",
        ),
        (
            '"result: score", game: trajan, above',
            '"VP by source: shps", game: trajan, above',
            "plan.yaml:8: claims[0].figure: trajan has no figure 'VP by source: shps'; "
            "did you mean 'VP by source: ships'?",
        ),
        (
            '"result: score", game: trajan, above',
            '"VP by source: building_sets", game: trajan, above',
            "did you mean 'VP by source: building sets'?",
        ),
    ],
)
def test_problems_of_a_plan_are_reported(tmp_path, capsys, old, new, message):
    pytest.importorskip("pyarrow")
    plan, out = tmp_path / "plan.yaml", tmp_path / "out"
    plan.write_text(PLAN.replace(old, new), encoding="utf-8")
    assert main(["study", str(plan), "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.needs("pyarrow")
def test_claims_of_the_shipped_plan_have_figures():
    study = study_plan.read_study(Path(__file__).parents[3] / "configs/studies/what-wins.yaml")
    claim_check.check_figures(study)
