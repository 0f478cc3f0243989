"""Every interface gives exactly the same values for the same question."""

import io
import json
import re
import sys

import pytest
from engine_requests import Desk
from golden_games import GOLDEN, golden

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.analysis.decision import advice, analysis_run
from trajan_ai.analysis.decision.vp_sources import SO_FAR, TOTAL
from trajan_ai.analysis.decision.wording import text
from trajan_ai.cli.main import main
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.page.views import MAX_MOVES
from trajan_ai.records import position_files

ITERATIONS, MIN_VERIFIED = 900, 800
VARYING = {"seconds": None, "memory_bytes": None}  # values that vary with machine and process
PLY = 107  # in both games, the player to move has scored


def plain(data):
    """Return the data after a round trip through JSON, without values that vary."""
    return json.loads(json.dumps({**data, **VARYING}))


@pytest.fixture(autouse=True)
def short_rollouts(monkeypatch):
    monkeypatch.setattr(analysis_run, "ROLLOUT_ITERATIONS", 2)
    monkeypatch.setattr(analysis_run, "ROLLOUT_REDEALS", 2)


# For tests that request a certain grade of analysis.
one_grade = pytest.mark.parametrize("grade", ["verified"], indirect=True)


@pytest.fixture(params=["quick", "verified"], autouse=True)
def grade(request, monkeypatch):
    """Set the grade that interfaces choose for the tests' number of iterations."""
    least = MIN_VERIFIED if request.param == "verified" else 10 * ITERATIONS
    monkeypatch.setattr(analysis_run, "MIN_VERIFIED", least)


@pytest.fixture(params=trajan_ai.GAMES)
def position(request):
    return records.replay(golden(request.param, "3p"), PLY)


@pytest.fixture
def file(position, tmp_path):
    path = tmp_path / "here.yaml"
    position_files.write(path, position_files.position_file(position, position.player))
    return path


@pytest.fixture(params=["position", "record"])
def form(request):
    """Return the form in which an interface receives the position: as a file or in a record."""
    return request.param


@pytest.fixture
def source(position, file, form):
    """Return the position as arguments of `trajan-ai suggest` and as part of engine requests."""
    if form == "position":
        view = position_files.position_file(position, position.player)
        return [str(file)], {"view": view}
    record = GOLDEN / f"{position.game.name}_3p.jsonl"
    entry = golden(position.game.name, "3p")
    return [str(record), "--ply", str(PLY)], {"record": entry, "ply": PLY}


@pytest.fixture
def ask():
    """Yield a function that requests a suggestion from the service of the engine process."""
    with Desk(threads=2) as desk:
        yield lambda **request: desk.ask(id=1, kind="suggest", **request)["result"]


@pytest.mark.parametrize("question", [(0, None, 1), (5, 3, 3)], ids=["whole", "top"])
def test_package_command_and_engine_give_the_same_values(position, source, ask, capsys, question):
    seed, top, threads = question
    options = {"iterations": ITERATIONS, "seed": seed, "top": top, "threads": threads}
    expected = trajan_ai.search(position, sources=True, **options)
    words, place = source
    line = ["suggest", *words, "--iterations", str(ITERATIONS), "--seed", str(seed)]
    more = ["--threads", str(threads), *([] if top is None else ["--top", str(top)])]
    assert main([*line, *more, "--explain", "--json"]) == 0
    assert plain(json.loads(capsys.readouterr().out)) == plain(expected.to_dict(top))
    fields = {name: value for name, value in options.items() if value is not None}
    answer = ask(position=place, turns=True, sources=True, **fields)
    assert plain(answer) == plain(expected.to_dict(top))
    no_sources = trajan_ai.search(position, **options)
    answer = ask(position=place, turns=True, **fields)
    assert plain(answer) == plain(no_sources.to_dict(top))
    for one, other in zip(expected.moves, no_sources.moves, strict=True):
        assert (one.win, one.margin, one.scores) == (other.win, other.margin, other.scores)


def test_the_page_gives_the_values_of_the_package(client, position, form):
    view = position_files.dumps(position_files.position_file(position, position.player))
    record = records.dumps(golden(position.game.name, "3p"))
    id = client.post("/api/load", json={"text": record if form == "record" else view}).json()["id"]
    body = {"node": PLY if form == "record" else 0, "iterations": ITERATIONS}
    answer = client.post(f"/api/trees/{id}/search", json=body).text
    last = json.loads(answer.splitlines()[-1])
    analysis = trajan_ai.search(position, iterations=ITERATIONS, sources=True)
    expected = plain(analysis.to_dict(MAX_MOVES))
    assert last["last"]
    for key in ("grade", "calibrated", "iterations"):
        assert last[key] == expected[key]
    for move, other in zip(last["moves"], expected["moves"], strict=True):
        other.pop("sources", None)
        assert {key: move[key] for key in other} == other
    compared = [move for move in analysis.moves if move.sources is not None][:3]
    assert last["why"]["actions"] == [move.action for move in compared]
    first = {row["name"]: row["first"] for row in last["why"]["sources"]}
    assert sum(vp for name, vp in first.items() if name != TOTAL) == pytest.approx(first[TOTAL])
    for row in last["why"]["sources"]:
        first, *others = (move.sources[position.player][row["name"]] for move in compared)
        assert row["first"] == first
        assert row["others"] == [other - first for other in others]


@one_grade
def test_rollouts_have_the_same_values_everywhere(client, position, source, ask, capsys):
    options = {"iterations": 50, "redeals": 2, "grade": "rollout"}
    words, place = source
    line = ["suggest", *words, "--iterations", "50", "--redeals", "2", "--rollout", "--json"]
    assert main(line) == 0
    expected = plain(trajan_ai.search(position, **options).to_dict())
    assert plain(json.loads(capsys.readouterr().out)) == expected
    assert expected["grade"] == "rollout"
    assert plain(ask(position=place, turns=True, **options)) == expected
    view = position_files.dumps(position_files.position_file(position, position.player))
    id = client.post("/api/load", json={"text": view}).json()["id"]
    body = {"node": 0, "iterations": 50, "grade": "rollout"}
    answer = client.post(f"/api/trees/{id}/search", json=body).text
    last = json.loads(answer.splitlines()[-1])
    for key in ("grade", "redeals", "iterations"):
        assert last[key] == expected[key]
    for move, other in zip(last["moves"], expected["moves"], strict=False):
        assert {key: move[key] for key in other} == other


def test_follow_prints_the_values_of_the_package(position, file, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("suggest\nquit\n"))
    assert main(["follow", str(file), "--iterations", str(ITERATIONS)]) == 0
    expected = text(trajan_ai.search(position, iterations=ITERATIONS), 5)
    expected, output = (
        re.sub(r"in \d+\.\d+ s", "", " ".join(one.split()))
        for one in (expected, capsys.readouterr().out)
    )
    assert expected in output


def test_vp_scored_so_far_are_the_same_everywhere(client, position):
    """The page and annotations divide these VP by source; in an analysis, they are one source."""
    entry, names = golden(position.game.name, "3p"), position.game.vp_sources
    id = client.post("/api/load", json={"text": records.dumps(entry)}).json()["id"]
    page = client.post(f"/api/trees/{id}/at", json={"node": PLY}).json()["sources"]
    events = judging._list_brought_vp(judging.replay_game(entry))
    players = range(position.players)
    annotation = {
        name: [
            sum(e[3] for e in events if e[:3] == (e[0], p, name) and e[0] < PLY) for p in players
        ]
        for name in names
    }
    assert page == {name: vp for name, vp in annotation.items() if any(vp)}
    analysis = trajan_ai.search(position, iterations=ITERATIONS, sources=True)
    for player, vp in enumerate(analysis.best.sources):
        assert set(vp) == {*names, SO_FAR, TOTAL}
        assert vp[SO_FAR] == sum(row[player] for row in page.values()) == position.scores[player]


@one_grade
def test_annotations_have_the_values_of_the_package(position):
    """Annotations contain the figures of a search with the same grade, iterations, seed and moves.

    A played move that looks at least as good as the first one counts as the best.
    """
    whole = golden(position.game.name, "3p")
    action = whole["actions"][PLY][1]
    judge = judging.prepare_judge(position.game, iterations=ITERATIONS, seed=4)
    decision, _ = judge.judge(PLY, position, action, position.after(action), turns=40)
    analysis = advice.analyse(
        InformationSet(position), grade="verified", iterations=ITERATIONS,
        seed=derive_seed("annotate", 4, "search", position.ply),
        top=judging.EXAMINED, named=(position.game.move(action),),
    )  # fmt: skip
    actual = next(m for m in analysis.moves if m.action == action)
    best = actual if actual.gain.mean >= 0.0 else analysis.best
    assert decision.best == best.action
    assert decision.better == best.turn.actions
    for value, move in ((decision.expected, best), (decision.made, actual)):
        assert (value.win, value.win_error) == (move.win.mean, move.win.error)
        assert (value.margin, value.margin_error) == (move.margin.mean, move.margin.error)
    lost = (0.0, 0.0) if actual is best else (-actual.gain.mean, actual.gain.error)
    assert (decision.loss.margin, decision.loss.margin_error) == lost
