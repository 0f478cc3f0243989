"""Exercises: shipped puzzles and one's own mistakes, answered and remembered."""

import pytest
from golden_games import short_game

from trajan_ai.analysis import judging
from trajan_ai.page import practice, reviews
from trajan_ai.page.game_tree import of_record
from trajan_ai.page.practice import Practice, puzzles


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 40)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 100)
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 4000)


def test_a_puzzle_is_answered_and_stays_solved(client, served, serve, tmp_path):
    exercises = client.get("/api/practice").json()
    assert len(exercises) == len(puzzles())
    id, puzzle = next(iter(puzzles().items()))
    state = client.get(f"/api/practice/{id}").json()
    legal = [action for action, _ in state["legal"]]
    wrong = next(action for action in legal if action not in puzzle.right)

    def answer(action):
        return client.post(f"/api/practice/{id}/answer", json={"action": action}).json()

    assert not any(one["solved"] for one in exercises)
    told = answer(wrong)
    assert not told["right"]
    assert told["best"] == []  # not before it is found, or asked for
    assert answer(None)["best"][0]["action"] in puzzle.right
    told = answer(puzzle.right[0])
    assert told["right"]
    assert told["best"]
    assert "sow X" in answer("sow X")["problems"][0]
    assert Practice(tmp_path).solved == {id}
    with (tmp_path / practice.FILE).open("a") as file:
        file.write('{"cut of')  # by a crash
    assert Practice(tmp_path).solved == {id}
    assert client.get("/api/practice/0123").status_code == 404


@pytest.mark.slow
def test_own_mistakes_of_an_analysed_game_become_exercises(client, served, tmp_path):
    study = of_record(short_game(), "An evening")
    study.seats = [None, "greedy"]
    study.opened = True
    served.page.folder.save(study)
    state = {"done": False}
    last = len(study.nodes) - 1
    while not state["done"]:
        state = client.post(f"/api/studies/{study.id}/review", json={"node": last}).json()
    assert {one["player"] for one in state["game"]["strengths"]} == {0, 1}
    bad = [d for d in state["game"]["decisions"] if d["grade"] != "fine"]
    own = [one for one in client.get("/api/practice").json() if one["own"]]
    assert 0 < len(own) == sum(d["player"] == 0 for d in bad) < len(bad)
    first = Practice(tmp_path).exercise(own[-1]["id"])
    mistake = next(d for d in bad if d["player"] == 0)
    assert (first.tried, first.right) == (mistake["action"], (mistake["best"],))
    told = Practice(tmp_path).answer(first.id, first.tried)
    assert not told["right"]  # whatever this analysis says of it
