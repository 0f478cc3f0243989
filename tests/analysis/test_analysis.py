"""What profiles and benchmarks measure, and which arguments a search accepts."""

import copy
import inspect
import json
import pydoc
import re

import pytest
from calls import ROOT

import trajan_ai
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import AnalysisOptions
from trajan_ai.analysis.measurement import measure, profiling
from trajan_ai.cli.main import main


@pytest.mark.slow
def test_phases_add_up_to_the_whole_and_the_tree_has_a_shape():
    profiled = profiling.run(profiling.pick_positions("trajan", 2), "expert", seconds=0.1)
    assert profiling.format_table(profiled).count("\n") > 10
    phases = ["determinization", "selection", "expansion", "playout", "evaluation", "network"]
    assert list(profiled["stages"][0]["phases"]) == [*phases, "backup"]
    for stage in profiled["stages"]:
        assert sum(stage["phases"].values()) == pytest.approx(1)
        assert min(stage["phases"].values()) > 0
        assert stage["limit_used"] > 0.5
        assert 0 < stage["cpu_seconds"] <= stage["seconds"] + 0.1
        assert stage["tree_full"] is False
        assert sum(stage["depths"]) > 0


@pytest.mark.slow
def test_a_position_is_profiled(capsys):
    record = str(ROOT / "tests/golden/trajan_2p.jsonl")
    arguments = ["--ply", "40", "--bot", "ismcts", "--time", "0.05", "--json"]
    assert main(["profile", record, *arguments]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["game"], result["players"], result["bot"]) == ("trajan", 2, "ismcts")
    (stage,) = result["stages"]
    assert (stage["stage"], stage["ply"]) == ("position", 40)
    assert main(["profile", record]) == 2
    assert "the game is over" in capsys.readouterr().err


def test_a_profile_of_an_analysis_counts_all_its_searches(capsys):
    record = str(ROOT / "tests/golden/trajan_2p.jsonl")
    arguments = ["profile", record, "--ply", "40", "--iterations", "64", "--json"]
    assert main([*arguments, "--analysis"]) == 0
    (stage,) = json.loads(capsys.readouterr().out)["stages"]
    assert stage["iterations"] >= 64
    assert stage["searches"] > 2
    assert stage["limit_used"] is None
    assert main(arguments) == 0
    (stage,) = json.loads(capsys.readouterr().out)["stages"]
    assert (stage["iterations"], stage["searches"]) == (64, 1)


def test_a_profile_is_compared_with_an_earlier_one(tmp_path, capsys):
    record, path = str(ROOT / "tests/golden/trajan_2p.jsonl"), tmp_path / "before.json"
    arguments = ["profile", record, "--ply", "40", "--bot", "ismcts", "--iterations", "64"]
    assert main([*arguments, "--json"]) == 0
    earlier = json.loads(capsys.readouterr().out)
    (stage,) = earlier["stages"]
    stage["iterations_per_cpu_second"] *= 2
    faster = copy.deepcopy(earlier)
    faster["stages"][0]["iterations_per_cpu_second"] *= 4
    faster["stages"][0]["phases"]["playout"] /= 2
    rows = profiling.format_table(faster, earlier).split("earlier result\n\n")[1].splitlines()
    ratios = dict(row.split() for row in rows[1:])
    assert (ratios["all"], ratios["selection"], ratios["playout"]) == ("0.25", "0.25", "0.12")
    path.write_text(json.dumps(earlier))
    assert main([*arguments, "--against", str(path)]) == 0
    assert "relative to the earlier result" in capsys.readouterr().out
    assert main(["profile", record, "--ply", "41", *arguments[4:], "--against", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"trajan-ai profile: {path}: ply of the position was 40, but is 41 here\n"
    )
    path.write_text("{}")
    assert main([*arguments, "--against", str(path)]) == 2
    assert "not a result of the same positions" in capsys.readouterr().err


@pytest.mark.parametrize(("analysis", "grade"), [(True, "verified"), (False, "quick")])
def test_the_functions_of_a_profile_are_those_of_its_searches(monkeypatch, analysis, grade):
    grades = []

    def record(spy, form, out, workload):
        profiling.run_workload(*workload[4:])
        out.write_text("main;ismcts_run;apply (rules.pxd:3) 6\n")

    monkeypatch.setattr(profiling, "find_profiler", lambda: "py-spy")
    monkeypatch.setattr(profiling, "_record", record)
    monkeypatch.setattr(advice, "make_searches", lambda run: grades.append(run.grade))
    positions = profiling.pick_positions("trajan", 2)
    hottest = profiling.sample(positions, "ismcts", 0.01, analysis=analysis)
    assert hottest["functions"] == [("apply (rules.pxd)", 1.0)]
    assert grades == [grade] * len(positions)


def test_hottest_functions_and_lines_count_only_the_search():
    raw = "main;ismcts_run;apply (rules.pxd:3) 6\nmain;ismcts_run;apply (rules.pxd:9) 2\n"
    raw += "main;ismcts_run;draw (hidden.pxd:1) 2\nmain;import (x.py:1) 90\n"
    raw += "main;ismcts_run;next (rules.so) 10\n"
    assert profiling.list_hottest(raw) == {
        "functions": [
            ("next (rules.so)", 0.5),
            ("apply (rules.pxd)", 0.4),
            ("draw (hidden.pxd)", 0.1),
        ],
        "lines": [
            ("apply (rules.pxd:3)", 0.3),
            ("apply (rules.pxd:9)", 0.1),
            ("draw (hidden.pxd:1)", 0.1),
        ],
    }


@pytest.mark.parametrize("name", sorted(trajan_ai.GAMES))
def test_the_playout_of_a_game_differs_only_in_speed(name):
    openings = [trajan_ai.game(name).start(3, seed=deal) for deal in range(3)]
    assert measure.playouts(openings, 30, 4) == measure.playouts(openings, 30, 4, fused=False)
    assert measure.playouts(openings, 30, 4) != measure.playouts(openings, 30, 5)


def test_a_search_uses_its_whole_budget_even_if_the_choice_is_settled():
    position = trajan_ai.game("trajan").start(2, seed=3)
    while len(position.legal()) != 2:
        position = position.after(position.legal()[0])
    assert trajan_ai.read_bot("expert").early_stop
    assert trajan_ai.search(position, "expert", iterations=3_000, threads=2).iterations == 3_000


def test_the_signature_and_the_help_of_search_name_every_argument():
    parameters = inspect.signature(trajan_ai.search).parameters
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    assert set(parameters) > {"position", "bot", *AnalysisOptions.__annotations__}
    described = re.findall(
        r"(?m)^        (\w+): ", pydoc.plain(pydoc.render_doc(trajan_ai.search))
    )
    assert described == list(parameters)
