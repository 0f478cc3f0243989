"""The same question gets the same figures at every door, to the digit."""

import io
import json
import re
import sys

import pytest
from engine_requests import Desk
from golden_games import GOLDEN, golden

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis import advice, decision, judging
from trajan_ai.analysis.vp_sources import booked_so_far
from trajan_ai.analysis.wording import text
from trajan_ai.cli.main import main
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.page.views import MAX_MOVES
from trajan_ai.records import position_files

ITERATIONS, LEAST = 900, 800
VARYING = {"seconds": None, "memory_bytes": None}  # by the machine; by what else is kept there
PLY = 63


def plain(told):
    """What is told as JSON has it, without what varies."""
    return json.loads(json.dumps({**told, **VARYING}))


@pytest.fixture(params=["quick", "verified"], autouse=True)
def grade(request, monkeypatch):
    """What a door decides by the iterations when it has no word for it."""
    least = LEAST if request.param == "verified" else 10 * ITERATIONS
    monkeypatch.setattr(decision, "MIN_VERIFIED", least)


@pytest.fixture(params=trajan_ai.GAMES)
def position(request):
    return records.replay(golden(request.param, "3p"), PLY)


@pytest.fixture
def file(position, tmp_path):
    path = tmp_path / "here.yaml"
    position_files.write(path, position_files.position_file(position, position.player))
    return path


@pytest.fixture
def ask():
    """The engine of the engine process, asked for a suggestion."""
    with Desk(threads=2) as desk:
        yield lambda **request: desk.ask(id=1, kind="suggest", **request)["result"]


@pytest.mark.parametrize("question", [(0, None, 1), (5, 3, 3)], ids=["whole", "top"])
def test_the_package_the_command_and_the_engine(position, file, ask, capsys, question):
    seed, top, threads = question
    asked = {"iterations": ITERATIONS, "seed": seed, "top": top, "threads": threads}
    expected = trajan_ai.search(position, sources=True, **asked)
    line = ["suggest", str(file), "--iterations", str(ITERATIONS), "--seed", str(seed)]
    shown = ["--threads", str(threads), *([] if top is None else ["--top", str(top)])]
    assert main([*line, *shown, "--explain", "--json"]) == 0
    assert plain(json.loads(capsys.readouterr().out)) == plain(expected.to_dict(top))
    view = position_files.position_file(position, position.player)
    given = {name: value for name, value in asked.items() if value is not None}
    told = ask(position={"view": view}, turns=True, sources=True, **given)
    assert plain(told) == plain(expected.to_dict(top))
    no_sources = trajan_ai.search(position, **asked)
    told = ask(position={"view": view}, turns=True, **given)
    assert plain(told) == plain(no_sources.to_dict(top))
    for one, other in zip(expected.moves, no_sources.moves, strict=True):
        assert (one.win, one.margin, one.scores) == (other.win, other.margin, other.scores)


def test_the_page(client, position):
    view = position_files.dumps(position_files.position_file(position, position.player))
    id = client.post("/api/load", json={"text": view}).json()["id"]
    asked = {"node": 0, "iterations": ITERATIONS}
    answer = client.post(f"/api/studies/{id}/search", json=asked).text
    last = json.loads(answer.splitlines()[-1])
    found = trajan_ai.search(position, iterations=ITERATIONS, sources=True)
    expected = plain(found.to_dict(MAX_MOVES))
    assert last["last"]
    for key in ("grade", "calibrated", "searches", "iterations"):
        assert last[key] == expected[key]
    for told, known in zip(last["moves"], expected["moves"], strict=True):
        known.pop("sources", None)
        assert {key: told[key] for key in known} == known
    compared = [move for move in found.moves if move.sources is not None][:3]
    assert last["why"]["actions"] == [move.action for move in compared]
    for row in last["why"]["sources"]:
        first, *others = (move.sources[position.player][row["name"]] for move in compared)
        assert row["first"] == first
        assert row["others"] == [other - first for other in others]


def test_follow(position, file, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("suggest\nquit\n"))
    assert main(["follow", str(file), "--iterations", str(ITERATIONS)]) == 0
    expected = text(trajan_ai.search(position, iterations=ITERATIONS), 5)
    expected, told = (
        re.sub(r"in \d+\.\d+ s", "", " ".join(one.split()))
        for one in (expected, capsys.readouterr().out)
    )
    assert expected in told


def test_the_command_of_a_record_knows_what_brought_the_vp(position, capsys):
    game, path = position.game, GOLDEN / f"{position.game.name}_3p.jsonl"
    line = ["suggest", str(path), "--ply", str(PLY), "--iterations", str(ITERATIONS)]
    assert main([*line, "--explain", "--json"]) == 0
    whole = golden(game.name, "3p")
    moves = [game.move(action) for _, action in whole["actions"][:PLY]]
    so_far = booked_so_far(records.positions(whole), moves)
    known = InformationSet(position)
    expected = advice.analyse(known, iterations=ITERATIONS, sources=True, so_far=so_far)
    assert plain(json.loads(capsys.readouterr().out)) == plain(expected.to_dict())


def test_annotations(position):
    """Their figures are those of the search with the same grade, iterations, seed and moves."""
    whole = golden(position.game.name, "3p")
    limits = {"iterations": ITERATIONS, "seconds": None, "seed": 4}
    action = whole["actions"][PLY][1]
    bot, _ = advice.choose_bot(position.game)
    critic = judging._Critic(position, bot, limits)
    judged, _ = critic.judge(PLY, position, action, position.after(action))
    found = advice.analyse(
        InformationSet(position), grade="verified", iterations=ITERATIONS,
        seed=derive_seed("annotate", 4, "search", position.ply),
        top=judging.EXAMINED, named=(position.game.move(action),),
    )  # fmt: skip
    made = next(move for move in found.moves if move.action == action)
    assert judged.best == found.best.action
    assert judged.better == found.best.turn.actions
    for value, move in ((judged.expected, found.best), (judged.made, made)):
        assert (value.win, value.win_error) == (move.win.mean, move.win.error)
        assert (value.margin, value.margin_error) == (move.margin.mean, move.margin.error)
    assert (-judged.loss.margin, judged.loss.margin_error) == (made.gain.mean, made.gain.error)
