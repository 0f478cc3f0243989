"""Every search setting has an effect; a setting that is declared but never used fails a test."""

import pytest
from networks import draw_part, write_network
from searching import NIM_POSITION, run_search

from trajan_ai.bots.players import SearchPlayer
from trajan_ai.core.information import InformationSet
from trajan_ai.games import game
from trajan_ai.games.reference import NIM
from trajan_ai.mcts import Payoff, Settings, ThreadedSearch, search
from trajan_ai.mcts.clock import TimeBudget

TRAJAN = game("trajan")
TRAJAN_POSITION = TRAJAN.start(2, 5)
PUCT = {"selection": "puct"}
CUT = {"cutoff": "evaluate", "playout_rounds": 1}
NETWORK = CUT | {"network_rounds": {"trajan": 2}}
MARGIN = {"payoff": Payoff(margin=1.0)}

# Settings that reach the compiled search, each with a position, a number of iterations, settings
# and changed settings. The two searches must have different results.
SEARCHED = {
    "algorithm": (NIM_POSITION, 400, {}, {"algorithm": "own"}),
    "selection": (NIM_POSITION, 200, {}, PUCT),
    "exploration": (NIM_POSITION, 200, {}, {"exploration": 0.2}),
    "exploration_growth": (NIM_POSITION, 1000, PUCT, {"exploration_growth": {"nim": 0.3}}),
    "control_variate": (
        TRAJAN_POSITION,
        200,
        MARGIN | {"playout": "policy"},
        {"control_variate": 1.0},
    ),
    "prior": (NIM_POSITION, 200, PUCT, {"prior": "game"}),
    "playout": (NIM_POSITION, 200, {}, {"playout": "policy"}),
    "playout_rounds": (TRAJAN_POSITION, 200, {}, {"playout_rounds": 1}),
    "cutoff": (TRAJAN_POSITION, 200, {"playout_rounds": 1}, {"cutoff": "evaluate"}),
    "network_rounds": (TRAJAN_POSITION, 200, CUT, {"network_rounds": {"trajan": 2}}),
    "network_until": (TRAJAN_POSITION, 200, NETWORK, {"network_until": 1000}),
    "payoff": (TRAJAN_POSITION, 200, {}, MARGIN),
    "margin_scale": (TRAJAN_POSITION, 200, MARGIN, {"margin_scale": 2.0}),
    "score_scale": (TRAJAN_POSITION, 200, {"payoff": Payoff(score=1.0)}, {"score_scale": 20.0}),
    "tree_megabytes": (TRAJAN_POSITION, 5000, {}, {"tree_megabytes": 0.04}),
    "in_flight": (NIM_POSITION, 200, {}, {"in_flight": 4}),
    "weights": (NIM_POSITION, 200, {"playout": "policy"}, {"weights": {"trust": 0.0}}),
    "cheat": (TRAJAN_POSITION, 200, {}, {"cheat": True}),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_a_changed_setting_changes_the_search(name):
    position, iterations, settings, changed = SEARCHED[name]
    assert name in changed
    results = [run_search(position, iterations, **settings | more) for more in ({}, changed)]
    assert results[0].moves != results[1].moves


def iterations_of(settings):
    return search(InformationSet(NIM_POSITION), settings, seed=0).iterations


def threads_of(settings):
    return search(InformationSet(NIM_POSITION), settings, seed=0).threads


def seconds_of(settings):
    """Return the seconds that the clock allots to the first decision of a game."""
    return TimeBudget(settings).seconds(TRAJAN_POSITION, seed=1)


def clock_of(settings):
    return bool(ThreadedSearch(NIM, settings).searcher.by_cpu_time)


def network_of(settings):
    network = settings.network_for(TRAJAN)
    assert network is not None
    return network.digest


def visits_of_the_second_decision(settings):
    """Return the visits at a player's second decision, including those of the reused tree."""
    player = SearchPlayer(settings, NIM)
    player.start(0, 2, 0)
    first = player.choose(NIM_POSITION, 1)
    player.observe(NIM_POSITION, first)
    reply = NIM_POSITION.after_move(first)
    player.observe(reply, reply.legal_moves()[0])
    player.choose(reply.after_move(reply.legal_moves()[0]), 2)
    return sum(move.visits for move in player.result.moves)


FIFTY = {"iterations": 50}
MANY = {"iterations": 1000, "early_stop": False}
LONG = FIFTY | {"iterations": 100_000}
# Settings that Python handles, each with a function that shows the effect, with settings, and with
# changed settings.
IN_PYTHON = {
    "iterations": (iterations_of, FIFTY, {"iterations": 60}),
    "early_stop": (iterations_of, LONG, {"early_stop": False}),
    "threads": (threads_of, FIFTY, {"threads": 2}),
    "seconds_per_decision": (seconds_of, {}, {"seconds_per_decision": 5.0}),
    "seconds_per_turn": (seconds_of, {}, {"seconds_per_turn": 5.0}),
    "seconds_per_game": (seconds_of, {}, {"seconds_per_game": 100.0}),
    "seconds_increment": (seconds_of, {"seconds_per_game": 100.0}, {"seconds_increment": 5.0}),
    "clock": (clock_of, {}, {"clock": "cpu"}),
    "reuse_tree": (visits_of_the_second_decision, MANY, {"reuse_tree": False}),
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_changed_setting_has_an_effect(name):
    effect, settings, changed = IN_PYTHON[name]
    assert name in changed
    assert effect(Settings(**settings)) != effect(Settings(**settings | changed))


def test_another_network_is_read(tmp_path):
    other = write_network(tmp_path / "other", TRAJAN, {2: draw_part(TRAJAN, 2, 1)})
    assert network_of(Settings(**NETWORK)) != network_of(Settings(**NETWORK, network=str(other)))


def test_every_setting_is_tested():
    assert set(Settings.model_fields) == SEARCHED.keys() | IN_PYTHON.keys() | {"network"}
