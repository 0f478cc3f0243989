"""Exercises: the puzzles of the games, and a user's own mistakes."""

import json
from datetime import date, timedelta
from types import SimpleNamespace

import pytest
from golden_games import short_game

import trajan_ai
from trajan_ai.analysis.annotation import judging, strength
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.core.information import InformationSet
from trajan_ai.page import practice, progress, reviews
from trajan_ai.page.game_tree import open_record
from trajan_ai.page.practice import Practice, daily_puzzle, puzzles
from trajan_ai.page.progress import Answered, Progress
from trajan_ai.records import position_files


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 40)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 100)
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 4000)


def test_a_puzzle_that_is_answered_stays_solved(client, served, serve, tmp_path):
    exercises = client.get("/api/practice").json()["exercises"]
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
    assert verdict["reply"]["words"]
    assert not any(text.startswith("The best turn") for text in verdict["reasons"])
    assert answer(None)["best"][0]["action"] in puzzle.right
    verdict = answer(puzzle.right[0])
    assert verdict["right"]
    assert verdict["best"]
    assert verdict["reasons"]  # in comparison with the best wrong turn
    assert "sow X" in answer("sow X")["problems"][0]
    assert Practice(tmp_path).progress.solved == {id}
    with (tmp_path / practice.FILE).open("a") as file:
        file.write('{"cut of')  # a line that a crash has cut off
    assert Practice(tmp_path).progress.solved == {id}
    assert client.get("/api/practice/0123").status_code == 404


@pytest.mark.parametrize(("players", "language", "others"), [
    (2, "en", {"Opponent"}), (2, "de", {"Gegner"}),
    (4, "en", {f"Opponent {number}" for number in range(1, 5)}),
])  # fmt: skip
def test_exercises_name_the_others_opponents(client, players, language, others):
    find = (id for id, one in puzzles().items() if len(one.position["players"]) == players)
    state = client.get(f"/api/practice/{next(find)}?language={language}").json()
    own, *names = state["names"][state["player"] :] + state["names"][: state["player"]]
    assert own == {"en": "You", "de": "Du"}[language]
    assert {*names} <= others
    assert len({*names}) == players - 1
    assert all(name in state["svg"] for name in names)


@pytest.mark.slow
def test_own_mistakes_of_an_analysed_game_become_exercises(client, served, tmp_path, monkeypatch):
    # The error is large with these few decisions.
    monkeypatch.setattr(strength, "MAX_ERROR", 1000.0)
    tree = open_record(short_game(), "An evening")
    tree.seats = [None, "greedy"]
    tree.opened = True
    served.page.folder.add(tree)
    state = {"done": False}
    last = len(tree.nodes) - 1
    while not state["done"]:
        state = client.post(f"/api/trees/{tree.id}/review", json={"node": last}).json()
    assert {one["player"] for one in state["game"]["strengths"]} == {0, 1}
    bad = [d for d in state["game"]["decisions"] if d["grade"] != "fine"]
    listed = client.get("/api/practice").json()
    own = [one for one in listed["exercises"] if one["own"]]
    assert 0 < len(own) == sum(d["player"] == 0 for d in bad) < len(bad)
    leads = [one["lead"] for one in own]
    assert leads == sorted(leads)[::-1]  # the biggest mistakes first
    assert [one["turn"] for one in own if one["id"] in listed["mistakes"][tree.id]]
    mistakes = [next(one for one in own if one["id"] == id) for id in listed["mistakes"][tree.id]]
    assert [one["turn"] for one in mistakes] == sorted(one["turn"] for one in mistakes)
    assert sorted(one["lead"] for one in mistakes) == leads[: practice.MAX_MISTAKES][::-1]
    (level,) = listed["levels"]
    assert (level["tree"], level["players"]) == (tree.id, 2)
    assert Practice(tmp_path).progress.levels[tree.id].vp == level["vp"]
    mistake = next(d for d in bad if d["player"] == 0)
    first = next(one for one in Practice(tmp_path).own.values() if one.tried == mistake["action"])
    assert (first.tried, first.right) == (mistake["action"], (mistake["best"],))
    verdict = Practice(tmp_path).answer(first.id, first.tried)
    assert not verdict["right"]  # even if this analysis accepts it


def test_the_mistake_is_wrong_even_if_an_analysis_finds_it_best(tmp_path):
    puzzle = next(iter(puzzles().values()))
    best = puzzle.right[0]
    legal = position_files.parse(puzzle.position).legal()
    other = next(action for action in legal if action not in puzzle.right)
    own = puzzle.model_copy(update={"tried": best, "right": (other,), "tree": "x"})
    practice_file = Practice(tmp_path)
    practice_file.own[own.id] = own
    verdict = practice_file.answer(own.id, best)
    assert verdict["gain"]["mean"] > -practice.EQUAL
    assert not verdict["right"]
    solution = practice_file.answer(own.id, None)
    assert best not in [move["action"] for move in solution["best"]]


def test_the_level_of_a_game_has_the_error_of_its_estimate(tmp_path, monkeypatch):
    one = strength.Strength(
        player=1,
        decisions=30,
        lost=Estimate(1.0, 0.1),
        vp=Estimate(83.26, 4.04),
        lowest=50.0,
        highest=120.0,
        missing=0,
    )
    monkeypatch.setattr(practice, "estimate_strengths", lambda *arguments: [one])
    played = SimpleNamespace(final=SimpleNamespace(game=trajan_ai.game("trajan")))
    annotation = SimpleNamespace(decisions=[], played=played, scores=(1, 2))
    Practice(tmp_path).add(annotation, {1}, "An evening", "0123456789abcdef")
    level = Practice(tmp_path).progress.levels["0123456789abcdef"]
    assert (level.vp, level.error, level.players) == (83.3, 4.0, 2)


@pytest.mark.parametrize(
    "line",
    [b"5", b"[]", b"null", b'"solved"', b'{"solved": 5}', b'{"solved": []}', b'{"exercise": 5}',
     b'{"exercise": {}}', b'{"exercise": {"position": 3, "right": [], "lead": 1}}', b"\xff\xfe",
     b'{"exercise": {"position": {}, "right": [], "lead": NaN}}', b"[" * 100_000, b"{",
     b'{"exercise": {"position": {"game": "trajan"}, "right": ["x"], "lead": 1.0}}',
     b'{"answer": "x", "right": true, "day": "2026-02-30"}', b'{"answer": "x", "right": 1}',
     b'{"level": 5}', b'{"level": {"study": "x", "vp": NaN}}'],
    ids=lambda line: line[:40].decode("ascii", "replace"),
)  # fmt: skip
def test_a_damaged_line_is_ignored(serve, tmp_path, line):
    id = next(iter(puzzles()))
    solved = json.dumps({"solved": id}).encode()
    (tmp_path / practice.FILE).write_bytes(line + b"\n" + solved)
    with serve(tmp_path).client() as client:
        exercises = client.get("/api/practice").json()["exercises"]
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


DAY = date(2026, 3, 1)


def answer(progress, id, *, right, after=0):
    day = (DAY + timedelta(after)).isoformat()
    progress.add(Answered(answer=id, right=right, day=day))


def is_due(progress, id, after):
    return progress.is_due(id, DAY + timedelta(after))


def test_a_missed_exercise_comes_again_at_growing_intervals():
    habit = Progress()
    answer(habit, "a", right=True)
    assert not is_due(habit, "a", 999)  # because it was solved at once
    answer(habit, "b", right=False)
    answer(habit, "b", right=True)  # a second try on the same day
    passed = 0
    for interval in progress.INTERVALS:
        passed += interval
        assert not is_due(habit, "b", passed - 1)
        assert is_due(habit, "b", passed)
        answer(habit, "b", right=True, after=passed)
    assert not is_due(habit, "b", 999)
    answer(habit, "b", right=False, after=200)
    assert is_due(habit, "b", 201)


def test_a_streak_counts_days_in_a_row_up_to_today():
    habit = Progress()
    assert habit.count_streak(DAY) == 0
    for day in (0, 2, 3, 4):
        answer(habit, "a", right=True, after=day)
    answer(habit, "b", right=False, after=5)
    streaks = [habit.count_streak(DAY + timedelta(day)) for day in (0, 1, 2, 4, 5, 6)]
    assert streaks == [1, 1, 1, 3, 3, 0]


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum", "reference"])
def test_the_puzzle_of_the_day_is_of_the_game_and_the_easiest_come_first(game):
    def year(solved):
        return [puzzles()[daily_puzzle(DAY + timedelta(day), game, solved)] for day in range(365)]

    assert year(0) == year(practice.BEGINNER - 1)
    assert max(one.rating for one in year(0)) <= practice.EASIEST
    later = year(practice.BEGINNER)
    assert practice.EASIEST < max(one.rating for one in later) <= practice.EASY
    assert len({one.id for one in later}) > 15
    games = {one.position["game"] for one in [*year(0), *later]}
    assert games == {"trajan" if game == "reference" else game}


def test_the_puzzle_of_the_day_stays_when_it_is_solved(client):
    def daily():
        return client.get("/api/practice?game=forum_trajanum").json()["daily"]

    puzzle = daily()
    right = puzzles()[puzzle["id"]].right[0]
    client.post(f"/api/practice/{puzzle['id']}/answer", json={"action": right})
    assert daily() == {"id": puzzle["id"], "solved": True}


def test_missed_exercises_are_listed_first_and_the_others_from_easy_to_hard(tmp_path, monkeypatch):
    practised = Practice(tmp_path)
    listed = practised.list_exercises()
    ratings = [one["rating"] for one in listed["exercises"]]
    assert ratings == sorted(ratings)
    hardest = listed["exercises"][-1]["id"]
    practised._add_answer(hardest, right=False)
    tomorrow = practice.today() + timedelta(1)
    monkeypatch.setattr(practice, "today", lambda: tomorrow)
    first = Practice(tmp_path).list_exercises()["exercises"][0]
    assert (first["id"], first["due"]) == (hardest, True)


def test_ids_of_games_are_read_and_written_as_in_release_0_4_0(tmp_path):
    exercise = next(iter(puzzles().values()))
    own = exercise.model_dump(exclude={"tree"}) | {"tried": "sow II", "study": "a"}
    level = {
        "study": "a",
        "game": "trajan",
        "players": 2,
        "day": "2026-02-01",
        "vp": 9.0,
        "error": 1.0,
    }
    lines = [{"exercise": own}, {"level": level}]
    (tmp_path / practice.FILE).write_text("\n".join(json.dumps(line) for line in lines))
    practised = Practice(tmp_path)
    assert [one.tree for one in practised.own.values()] == ["a"]
    assert practised.progress.levels["a"].model_dump(by_alias=True) == level


def test_a_file_of_release_0_3_0_is_read(tmp_path):
    id, exercise = next(iter(puzzles().items()))
    own = exercise.model_dump(exclude={"tree"}) | {"tried": "sow II"}
    lines = [{"exercise": own}, {"solved": id}]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / practice.FILE).write_text(text)
    practised = Practice(tmp_path)
    assert practised.progress.solved == {id}
    assert practised.own[id].tried == "sow II"
    assert practised.list_exercises()["streak"] == 0


def test_a_line_without_a_turn_of_another_player_has_no_reply():
    position = trajan_ai.game("trajan").start(2, seed=1)
    own = SimpleNamespace(line=[(position.player, position.legal()[0])])
    assert practice._describe_reply(InformationSet(position), own) is None
