"""Exercises: the puzzles of the games and own mistakes, answered and saved."""

import json

import pytest
from golden_games import short_game

from trajan_ai.analysis import judging
from trajan_ai.page import practice, reviews
from trajan_ai.page.game_tree import open_record
from trajan_ai.page.practice import Practice, puzzles


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 40)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 100)
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 4000)


def test_a_puzzle_that_is_answered_stays_solved(client, served, serve, tmp_path):
    exercises = client.get("/api/practice").json()
    assert len(exercises) == len(puzzles())
    id, puzzle = next(iter(puzzles().items()))
    state = client.get(f"/api/practice/{id}").json()
    legal = [action for action, _ in state["legal"]]
    wrong = next(action for action in legal if action not in puzzle.right)

    def answer(action):
        return client.post(f"/api/practice/{id}/answer", json={"action": action}).json()

    assert not any(one["solved"] for one in exercises)
    verdict = answer(wrong)
    assert not verdict["right"]
    assert verdict["best"] == []  # the solution was not requested
    assert answer(None)["best"][0]["action"] in puzzle.right
    verdict = answer(puzzle.right[0])
    assert verdict["right"]
    assert verdict["best"]
    assert "sow X" in answer("sow X")["problems"][0]
    assert Practice(tmp_path).solved == {id}
    with (tmp_path / practice.FILE).open("a") as file:
        file.write('{"cut of')  # by a crash
    assert Practice(tmp_path).solved == {id}
    assert client.get("/api/practice/0123").status_code == 404


@pytest.mark.slow
def test_own_mistakes_of_an_analysed_game_become_exercises(client, served, tmp_path):
    tree = open_record(short_game(), "An evening")
    tree.seats = [None, "greedy"]
    tree.opened = True
    served.page.folder.save(tree)
    state = {"done": False}
    last = len(tree.nodes) - 1
    while not state["done"]:
        state = client.post(f"/api/studies/{tree.id}/review", json={"node": last}).json()
    assert {one["player"] for one in state["game"]["strengths"]} == {0, 1}
    bad = [d for d in state["game"]["decisions"] if d["grade"] != "fine"]
    own = [one for one in client.get("/api/practice").json() if one["own"]]
    assert 0 < len(own) == sum(d["player"] == 0 for d in bad) < len(bad)
    first = Practice(tmp_path).find(own[-1]["id"])
    mistake = next(d for d in bad if d["player"] == 0)
    assert (first.tried, first.right) == (mistake["action"], (mistake["best"],))
    verdict = Practice(tmp_path).answer(first.id, first.tried)
    assert not verdict["right"]  # even if this analysis accepts it


@pytest.mark.parametrize(
    "line",
    [b"5", b"[]", b"null", b'"solved"', b'{"solved": 5}', b'{"solved": []}', b'{"exercise": 5}',
     b'{"exercise": {}}', b'{"exercise": {"position": 3, "right": [], "lead": 1}}', b"\xff\xfe",
     b'{"exercise": {"position": {}, "right": [], "lead": NaN}}', b"[" * 100_000, b"{",
     b'{"exercise": {"position": {"game": "trajan"}, "right": ["x"], "lead": 1.0}}'],
    ids=lambda line: line[:40].decode("ascii", "replace"),
)  # fmt: skip
def test_a_damaged_line_is_ignored(serve, tmp_path, line):
    id = next(iter(puzzles()))
    solved = json.dumps({"solved": id}).encode()
    (tmp_path / practice.FILE).write_bytes(line + b"\n" + solved)
    with serve(tmp_path).client() as client:
        exercises = client.get("/api/practice").json()
    assert [one["id"] for one in exercises if one["solved"]] == [id]
    assert len(exercises) == len(puzzles())


def test_an_exercise_with_an_odd_figure_is_ignored_and_its_title_is_printable(tmp_path):
    def load(**changes):
        exercise = next(iter(puzzles().values())).model_dump() | {"tried": "pass"} | changes
        (tmp_path / practice.FILE).write_text(json.dumps({"exercise": exercise}))
        return [*Practice(tmp_path).own.values()]

    for odd in ({"lead": float("inf")}, {"lead": 1e9}, {"right": "x"}, {"x": 1}):
        assert load(**odd) == []
    (exercise,) = load(title="\ud800\x1b[31m")
    assert exercise.title == r"\ud800\x1b[31m"
