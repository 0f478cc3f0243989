"""Time management and early stops.

Most tests use the start of a game of Trajan, where the first turn of each player has three
decisions with three legal moves each.
"""

import os
import subprocess
import sys
import time
from itertools import permutations
from math import log2
from types import SimpleNamespace

import pytest
from searching import NIM_POSITION

import trajan_ai
from trajan_ai.bots.players import SearchPlayer
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import KUHN, NIM
from trajan_ai.mcts import Settings, ThreadedSearch, clock, driver
from trajan_ai.mcts.clock import GAME_SAMPLES, RESERVE, TimeBudget
from trajan_ai.mcts.remaining import turn_need, turns_left

TRAJAN = trajan_ai.game("trajan")
START = TRAJAN.start(2, seed=1, markers="random")
SECONDS = ("seconds_per_decision", "seconds_per_turn", "seconds_per_game")


def line(position, plies):
    """Return a position and its successors if the first legal move is always made."""
    positions = [position]
    for _ in range(plies):
        positions.append(positions[-1].after_move(positions[-1].legal_moves()[0]))
    return positions


def test_a_turn_reserves_time_for_its_later_decisions():
    needs = [turn_need(position, 8, 1) for position in line(START, 2)]
    assert [now for now, _ in needs] == pytest.approx([log2(3)] * 3)
    assert [rest for _, rest in needs] == pytest.approx([2 * log2(3), log2(3), 0.0])


def test_the_rest_of_a_turn_is_the_mean_over_random_play():
    position = line(START, 9)[-1]
    random, rest = Random(3), []
    for seed in range(400):
        state, bits = position.determinized(position.player, seed), 0.0
        while True:
            moves = state.legal_moves()
            state = state.after_move(moves[random.below(len(moves))])
            if (state.player, state.turn) != (position.player, position.turn):
                break
            bits += log2(len(state.legal_moves()))
        rest.append(bits)
    mean = sum(rest) / len(rest)
    assert mean > 1.0
    assert turn_need(position, 2000, 1)[1] == pytest.approx(mean, rel=0.1)


def test_turns_left_without_the_games_estimate_counts_the_players_own_turns():
    # In Kuhn poker, the first player has one turn, or two if the second player bets after a pass,
    # which happens in a quarter of random games.
    assert turns_left(KUHN.start(2, 1), 4000, 1) == pytest.approx(1.25, abs=0.05)
    assert turns_left(KUHN.start(2, 1).after("pass"), 4, 1) == 1.0


def test_the_seconds_of_a_turn_are_distributed_by_need():
    timer = TimeBudget(Settings(seconds_per_turn=9.0))
    first, second, third, *_ = line(START, 2)
    assert timer.seconds(first, 1) == pytest.approx(3.0)
    timer.spend(1.0)  # a quick decision, so that 8 seconds are left for two equal ones
    assert timer.seconds(second, 2) == pytest.approx(4.0)
    timer.spend(5.0)
    assert timer.seconds(third, 3) == pytest.approx(3.0)
    timer.spend(4.0)
    # After an overrun, the time left is zero, not negative.
    assert timer.seconds(third, 3) == 0.0


def test_the_next_turn_has_its_full_seconds():
    timer = TimeBudget(Settings(seconds_per_turn=9.0))
    positions = line(START, 6)
    assert [position.turn for position in positions] == [0, 0, 0, 1, 1, 1, 2]
    timer.seconds(positions[0], 1)
    timer.spend(100.0)
    now, rest = turn_need(positions[6], clock.TURN_SAMPLES, clock.derive_seed("need", 5))
    assert timer.seconds(positions[6], 5) == pytest.approx(9.0 * now / (now + rest))


def test_the_smallest_of_several_limits_applies():
    timer = TimeBudget(Settings(seconds_per_turn=9.0, seconds_per_decision=2.0))
    assert timer.seconds(START, 1) == 2.0
    timer.spend(8.0)
    assert timer.seconds(line(START, 1)[1], 1) == pytest.approx(0.5)
    assert TimeBudget(Settings(iterations=5)).seconds(START, 1) is None
    for short, long in permutations(SECONDS, 2):
        timer = TimeBudget(Settings(iterations=5, **{short: 1.0, long: 1000.0}))
        assert timer.seconds(START, 1) <= 1.0


@pytest.mark.parametrize("limit", SECONDS)
def test_the_first_limit_reached_ends_a_search(limit):
    for seconds, iterations in ((1e-6, 3000), (1000.0, 20)):
        settings = Settings(iterations=iterations, early_stop=False, **{limit: seconds})
        player = SearchPlayer(settings, TRAJAN)
        player.start(0, 2, 1)
        player.choose(START, 1)
        assert (player.result.iterations == iterations) == (seconds == 1000.0)


def test_a_games_clock_is_distributed_over_the_turns_left_with_a_reserve(monkeypatch):
    turns = {0: 10.0, 2: 4.0, 4: 1.0}

    def estimate(position, samples, seed):
        assert samples == GAME_SAMPLES
        return turns[position.turn]

    monkeypatch.setattr(clock, "turns_left", estimate)
    monkeypatch.setattr(clock, "turn_need", lambda *_: (1.0, 0.0))
    timer = TimeBudget(Settings(seconds_per_game=100.0, seconds_increment=2.0))
    own = {position.turn: position for position in line(START, 12) if position.player == 0}
    assert timer.seconds(own[0], 1) == pytest.approx(100 / 10 + 2)
    timer.spend(7.0)  # 102 - 7 seconds are left
    assert timer.seconds(own[2], 1) == pytest.approx(95 / 4 + 2)
    timer.spend(90.0)  # 97 - 90 seconds are left
    assert timer.seconds(own[4], 1) == pytest.approx((1 - RESERVE) * 9)
    timer.spend(20.0)
    assert timer.game_left == pytest.approx(-11.0)
    timer.start()
    assert timer.seconds(own[0], 1) == pytest.approx(100 / 10 + 2)


def test_a_game_clock_that_has_run_out_leaves_the_increment(monkeypatch):
    monkeypatch.setattr(clock, "turns_left", lambda *_: 5.0)
    monkeypatch.setattr(clock, "turn_need", lambda *_: (1.0, 0.0))
    timer = TimeBudget(Settings(seconds_per_game=1.0, seconds_increment=2.0))
    timer.seconds(START, 1)
    timer.spend(4.0)
    later = line(START, 6)[6]
    assert timer.seconds(later, 1) == pytest.approx((1 - RESERVE) * 1.0)


def settled(visits, done, monkeypatch, *, deadline=0.0, iterations=None, **settings):
    """Return whether a search with these visits after `done` iterations may stop."""
    engine = ThreadedSearch(NIM, Settings(**settings))
    engine.begin(InformationSet(NIM_POSITION), 1)
    stats = [{"move": move, "visits": count} for move, count in enumerate(visits)]
    engine.searcher = SimpleNamespace(root_moves=lambda: stats, iterations=done)
    monkeypatch.setattr(driver, "read_clock", lambda _settings: 110.0)
    return engine._settled(100.0, deadline, iterations)


def test_a_choice_is_settled_when_the_rest_cannot_make_up_the_lead(monkeypatch):
    assert not settled([20, 60, 50], 130, monkeypatch, iterations=140)  # 10 could draw level
    assert settled([20, 60, 50], 131, monkeypatch, iterations=140)
    # Only one move has been tried, and others may follow.
    assert not settled([60], 60, monkeypatch, iterations=61)
    assert not settled([60, 0], 60, monkeypatch)  # no limit is known


def test_a_deadline_leaves_the_iterations_of_the_pace_so_far(monkeypatch):
    # After 100 iterations in 10 seconds, 50 more follow in 5 seconds.
    assert not settled([75, 25], 100, monkeypatch, deadline=115.0)
    assert settled([76, 24], 100, monkeypatch, deadline=115.0)
    assert settled([60, 40], 100, monkeypatch, deadline=115.0, iterations=119)


def test_the_time_that_an_early_stop_saves_stays_with_the_turn():
    player = trajan_ai.build(
        trajan_ai.bots.IsmctsBot(name="b", kind="ismcts", seconds_per_turn=30.0, iterations=300),
        TRAJAN,
    )
    player.start(0, 2, 1)
    player.choose(START, 1)
    assert player.result.iterations <= 300
    assert player.clock.turn_left == pytest.approx(30.0, abs=2.0)


@pytest.fixture
def loaded_core():
    """Limit this process to one core, which it shares with three other busy processes."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    command = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    others = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    for other in others:
        other.stdout.readline()
    yield
    for other in others:
        other.kill()
        other.communicate()
    os.sched_setaffinity(0, cores)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be assigned here")
def test_cpu_time_is_not_shortened_by_other_processes(loaded_core):
    fractions = {}
    for name in ("wall", "cpu"):
        settings = Settings(clock=name, seconds_per_turn=0.3, early_stop=False)
        player = SearchPlayer(settings, TRAJAN)
        player.start(0, 2, 1)
        begin, position = time.thread_time(), START
        while position.turn == START.turn:
            position = position.after_move(player.choose(position, 1))
        fractions[name] = (time.thread_time() - begin) / 0.3
    assert fractions["wall"] < 0.7
    assert 0.9 < fractions["cpu"] < 1.2
