"""Rollouts: their figures and certainty, more redeals, and identical results with more threads."""

import threading
import time

import pytest
import random_games

import trajan_ai
from trajan_ai.analysis.decision import advice, analysis_run, rollout
from trajan_ai.analysis.decision.rollout import CERTAIN, MIN_CERTAIN, GameEnd, RolloutResults
from trajan_ai.analysis.decision.scheduler import Job, Scheduler
from trajan_ai.analysis.decision.wording import text
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import FORK, KUHN, PENNIES

TINY = {"grade": "rollout", "iterations": 100}


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Play rolled-out games with few iterations."""
    monkeypatch.setattr(analysis_run, "ROLLOUT_ITERATIONS", 2)


def at(name, ply, players=2, seed=3):
    steps = random_games.course(trajan_ai.game(name).start(players, seed), seed)
    return [position for position, move in steps if move is not None][ply]


def plain(analysis):
    return analysis.to_dict() | {"seconds": None}


def results_of(margins, decisions=1):
    """Return the results of two moves, given lists of player 1's margins in a two-player game."""
    ends = tuple(
        tuple(GameEnd((50, 50 + vp), (1 + (vp > 0), 1 + (vp < 0)), decisions) for vp in row)
        for row in zip(*margins, strict=True)
    )
    return RolloutResults(1, (7, 8), ends)


def test_figures_by_hand():
    """A fourth redeal may differ from the mean by 1 VP or half a win, so 1²/4 = 1/4 is added to
    the variance of the VP and 0.5²/4 = 1/16 to that of the wins.

    The variance averaged over the moves has the weight of three additional redeals. The variances
    of the margins are 9 and 43, and those of the wins are 1/3 and 1/4.
    """
    results = results_of([[4, -2, 1], [8, 0, -5]])
    assert results.best() == 0  # with equal means, the move with the smaller number
    margin, win = results.estimate(0, "margin"), results.estimate(0, "win")
    assert margin == results.estimate(0, 1) - 50 == 1.0
    assert margin.error == pytest.approx((((9 + 9) + 3 * 26) / 5 / 3 + 1 / 4 / 3) ** 0.5)
    assert win == pytest.approx(2 / 3)
    assert win.error == pytest.approx(((2 / 3 + 3 * 7 / 24) / 5 / 3 + 1 / 16 / 3) ** 0.5)
    assert results.estimate(1, "win") == pytest.approx((1 + 1 / 2) / 3)
    gain = results.gain(1, 0)  # of the redeals: 4, 2, -6
    assert gain == 0.0
    assert gain.error == pytest.approx(((16 + 4 + 36 + 3 * 1.8 * 26) / 5 / 3 + 1 / 4 / 3) ** 0.5)


def test_a_move_that_ends_the_game_has_the_error_of_its_results_only():
    results = results_of([[3, 3], [1, 2]], decisions=0)
    assert results.estimate(0, "margin").error == results.estimate(0, "win").error == 0.0
    assert results.gain(1, 0).error == pytest.approx(0.5)


def test_the_best_move_is_certain_far_ahead_and_after_some_redeals():
    def is_certain(lead, count):
        return results_of([[lead + n % 5 for n in range(count)], [n % 5 for n in range(count)]])

    error = is_certain(0, MIN_CERTAIN).gain(0, 1).error
    assert is_certain(1, MIN_CERTAIN).is_certain() == (CERTAIN * error <= 1)
    assert not is_certain(1, MIN_CERTAIN - 1).is_certain()
    assert not is_certain(0, MIN_CERTAIN).is_certain()


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_rolled_out_moves_come_first_with_the_results_of_their_games(name, players):
    position = at(name, 60, players)
    analysis = trajan_ai.search(position, redeals=3, top=3, **TINY)
    assert (analysis.grade, analysis.redeals) == ("rollout", 3)
    grades = [move.grade for move in analysis.moves]
    count = min(3, len(grades))
    assert grades == ["rollout"] * count + ["quick"] * (len(grades) - count)
    rolled = analysis.moves[:count]
    assert [move.margin for move in rolled] == sorted((m.margin for m in rolled), reverse=True)
    for move in rolled:
        # The scores are means over finished games, whose scores are whole numbers.
        assert (3 * move.score.mean) % 1 == pytest.approx(0.0, abs=1e-9)
        assert move.gain == pytest.approx(move.margin - analysis.best.margin)
        assert move.turn.actions[0] == move.action
    assert analysis.best.gain.error == 0.0 < rolled[1].gain.error
    assert "3 redeals" in text(analysis)
    assert analysis.moves == trajan_ai.search(position, redeals=3, top=3, threads=2, **TINY).moves


def test_by_default_the_most_tried_moves_are_rolled_out():
    analysis = trajan_ai.search(at("trajan", 60), redeals=2, **TINY)
    rolled = [move for move in analysis.moves if move.grade == "rollout"]
    tried = sorted(analysis.moves, key=lambda move: -move.visits)[: len(rolled)]
    assert 2 <= len(rolled) <= analysis_run.EXAMINED
    assert {move.visits for move in rolled} == {move.visits for move in tried}


@pytest.mark.parametrize(
    "threads", [2, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 5))]
)
def test_resumed_rollouts_equal_those_made_at_once(threads):
    position = at("trajan", 60)
    run = advice.begin(InformationSet(position), redeals=2, threads=threads, **TINY)
    assert advice.complete(run).redeals == 2
    run.extend(redeals=5)
    once = trajan_ai.search(position, redeals=5, threads=1, **TINY)
    assert plain(advice.complete(run)) == plain(once)
    assert run.next_rollout() is None


def test_interrupted_rollouts_continue(monkeypatch):
    position = at("trajan", 160)
    run = advice.begin(InformationSet(position), redeals=12, threads=2, **TINY)
    monkeypatch.setattr(advice, "PROGRESS_SECONDS", 0.001)

    def interrupt(analysis):
        if analysis.redeals:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        advice.complete(run, interrupt)
    assert run.rollout.redeals > 0
    assert plain(advice.complete(run)) == plain(trajan_ai.search(position, redeals=12, **TINY))


def test_a_game_that_failed_is_played_again(monkeypatch):
    position = at("trajan", 60)
    run = advice.begin(InformationSet(position), redeals=3, threads=1, **TINY)
    decide, calls = rollout._Game.decide, []

    def fail(game):
        calls.append(game)
        if len(calls) == 30:
            raise KeyboardInterrupt
        decide(game)

    monkeypatch.setattr(rollout._Game, "decide", fail)
    with pytest.raises(KeyboardInterrupt):
        advice.complete(run)
    assert plain(advice.complete(run)) == plain(trajan_ai.search(position, redeals=3, **TINY))


def test_a_time_limit_ends_rollouts_and_they_continue():
    position = at("trajan", 60)
    run = advice.begin(InformationSet(position), seconds=0.2, threads=1, **TINY)
    first = advice.complete(run)
    run.extend(redeals=first.redeals + 2)
    assert advice.complete(run).redeals >= first.redeals + 2
    short = trajan_ai.search(position, seconds=1e-9, **TINY)
    assert (short.grade, short.redeals) == ("quick", 0)


def test_rollouts_stop_when_the_best_move_is_certain(monkeypatch):
    monkeypatch.setattr(rollout, "MIN_CERTAIN", 3)
    monkeypatch.setattr(rollout, "CERTAIN", 0.0)
    position = at("trajan", 60)
    analysis = trajan_ai.search(position, redeals=50, threads=2, **TINY)
    assert analysis.redeals == 3
    run = advice.begin(InformationSet(position), redeals=2, **TINY)
    advice.complete(run)
    run.extend(redeals=50)
    assert plain(advice.complete(run)) == plain(analysis)


def test_the_scheduler_makes_the_same_rollouts():
    position = at("forum_trajanum", 90)
    run = advice.begin(InformationSet(position), redeals=12, threads=2, **TINY)
    scheduler, done, updates = Scheduler(2, 4, 4), threading.Event(), []

    def answer(status, outcome):
        updates.append((status, run.analysis(outcome).redeals))
        if status != "interim":
            done.set()

    job = Job(run.information, run.settings, run, answer, report_every=0.02)
    scheduler.add(job)
    assert done.wait(60)
    scheduler.close()
    assert plain(run.analysis()) == plain(trajan_ai.search(position, redeals=12, **TINY))
    assert updates[-1] == ("done", 12)
    counts = [redeals for _, redeals in updates]
    assert counts == sorted(counts)
    assert any(0 < redeals < 12 for redeals in counts)


def test_stopped_rollouts_are_answered_with_what_is_known():
    position = at("trajan", 60)
    run = advice.begin(InformationSet(position), redeals=10**6, **TINY)
    scheduler, done, updates = Scheduler(2, 4, 4), threading.Event(), []

    def answer(status, outcome):
        updates.append(status)
        if status != "interim":
            done.set()

    search = scheduler.add(Job(run.information, run.settings, run, answer))
    while run.rollout is None or run.rollout.redeals < 2:
        time.sleep(0.01)
    scheduler.stop([search])
    assert done.wait(60)
    scheduler.close()
    assert updates == ["stopped"]
    assert run.analysis().grade == "rollout"


@pytest.mark.parametrize("game", [FORK, KUHN, PENNIES], ids=str)
def test_a_game_without_knowledge_is_rolled_out_by_the_bot_that_searches_it(game):
    analysis = trajan_ai.search(game.start(game.player_counts[0], 1), redeals=4, **TINY)
    assert (analysis.grade, analysis.bot, analysis.calibrated) == ("rollout", "ismcts", False)
    assert "playouts" not in text(analysis)  # every move was rolled out


def test_sources_add_up_to_the_rolled_out_vp():
    analysis = trajan_ai.search(at("trajan", 60), redeals=2, sources=True, **TINY)
    explained = [move for move in analysis.moves if move.sources is not None]
    assert analysis.best in explained
    for move in explained:
        for vp, total in zip(move.sources, move.scores, strict=True):
            assert vp["total"] == total.mean


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"redeals": 4}, "redeals: allowed only with the grade rollout"),
        ({"redeals": 1, "grade": "rollout"}, "redeals must be 2 to "),
        ({"grade": "verifed"}, "grade must be one of quick, verified, rollout, got 'verifed'"),
        ({"seed": "x"}, "seed must be an integer, got 'x'"),
    ],
)
def test_wrong_options_are_rejected(options, message):
    with pytest.raises(TrajanError, match=message):
        trajan_ai.search(at("trajan", 60), **options)
