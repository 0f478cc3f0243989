"""OpenSpiel's searches on our games, and what its own tests of them leave out."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from calls import python
from forum_trajanum_boards import before_a_tie
from golden_games import golden

import trajan_ai
from trajan_ai import TrajanError, records
from trajan_ai.reference_games import KUHN

with suppress(ImportError):
    import pyspiel
    from open_spiel.python.algorithms import (
        cfr,
        expected_game_score,
        exploitability,
        ismcts,
        mcts,
    )
    from open_spiel.python.policy import UniformRandomPolicy

    from trajan_ai.adapters import openspiel

pytestmark = pytest.mark.needs("pyspiel")

NAMES = ("python_trajan", "python_forum_trajanum")
TABLES = [(name, players) for name in NAMES for players in (2, 3, 4)]


def state_of(name, decisions, players=2, deal=3):
    """A state some decisions into a game of first legal actions."""
    state = pyspiel.load_game(name, {"players": players}).new_initial_state()
    state.apply_action(deal)
    for i in range(decisions):
        legal = state.legal_actions()
        state.apply_action(legal[i % len(legal)])
    return state


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_games_are_the_engines(name, players):
    state = state_of(name, 0, players)
    while not state.is_terminal():
        position = state.now.position
        assert state.current_player() == position.player
        assert state.legal_actions() == sorted(position.legal_moves())
        action = state.legal_actions()[-1]
        assert state.action_to_string(action) == position.game.actions[action]
        state.apply_action(action)
    ranks = state.now.position.ranks
    best = [value for value, rank in zip(state.returns(), ranks, strict=True) if rank == 1]
    assert sum(state.returns()) == pytest.approx(0)
    assert min(best) == max(state.returns()) > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("decisions", [0, 20, 61])
def test_resampled_states_look_alike_to_the_player(name, decisions):
    state = state_of(name, decisions)
    player = state.current_player()
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    drawn = [state.resample_from_infostate(player, sampler) for _ in range(8)]
    assert len({one.now.position for one in drawn}) > 1
    for one in drawn:
        assert one.current_player() == player
        assert one.legal_actions() == state.legal_actions()
        assert one.information_state_string(player) == state.information_state_string(player)
        assert one.observation_string(player) == state.observation_string(player)
        assert one.information_state_tensor(player) == state.information_state_tensor(player)


def test_an_information_state_changes_with_what_its_player_notices():
    """In a hidden step 1 of Forum Trajanum others notice nothing; else every decision."""
    state = state_of("python_forum_trajanum", 0)
    unnoticed = 0
    for _ in range(80):
        position, action = state.now.position, state.legal_actions()[0]
        before = [state.information_state_string(player) for player in range(2)]
        state.apply_action(action)
        for player in range(2):
            same = state.information_state_string(player) == before[player]
            if position.observed(action, player) is not None:
                assert not same
            elif state.now.position.view(player) == position.view(player):
                assert same
                unnoticed += 1
    assert unnoticed


@pytest.mark.parametrize("name", NAMES)
def test_states_travel(name):
    state = state_of(name, 17)
    game = state.get_game()
    _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    for other in (read, pickle.loads(pickle.dumps(state)), state.clone()):
        assert other.now == state.now
        assert other.history() == state.history()
        assert str(other) == str(state)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert state.now != copy.now


@pytest.mark.parametrize("name", NAMES)
def test_open_spiels_searches_play_it(name):
    state = state_of(name, 20)
    game, rollouts = state.get_game(), openspiel.Rollouts(2, seed=1)
    bots = [
        ismcts.ISMCTSBot(game, rollouts, 2, 40, random_state=np.random.RandomState(1)),
        mcts.MCTSBot(game, 2, 40, rollouts, random_state=np.random.RandomState(1)),
    ]
    for bot in bots:
        assert bot.step(state) in state.legal_actions()


def test_rollouts_tell_utilities():
    state = state_of("python_trajan", 150)
    values = openspiel.Rollouts(50, seed=1).evaluate(state)
    assert values.sum() == pytest.approx(0)
    assert np.all(np.abs(values) <= 1)
    again = openspiel.Rollouts(50, seed=1).evaluate(state)
    assert values.tolist() == again.tolist()
    assert sum(share for _, share in openspiel.Rollouts().prior(state)) == pytest.approx(1)


def test_utilities_are_shares_of_the_win_or_leads_in_vp():
    end = records.replay(golden("trajan", "3p"))
    leads = [score - sum(end.scores) / 3 for score in end.scores]
    game = pyspiel.load_game("python_trajan(players=3,utility=score)")
    assert game.utilities(end) == pytest.approx(leads)
    shares = pyspiel.load_game("python_trajan(players=3)").utilities(end)
    assert shares == [1.0 if rank == 1 else -0.5 for rank in end.ranks]
    tie = before_a_tie().after("no build")
    assert pyspiel.load_game("python_forum_trajanum").utilities(tie) == [0.0, 0.0]


def test_tensors_are_features_over_their_highest():
    state = state_of("python_trajan", 30, players=3)
    features = trajan_ai.game("trajan").rules.features(3)
    for player in range(3):
        told = np.frombuffer(state.now.position.features(player), np.uint8)
        expected = told / np.array([feature.highest for feature in features])
        assert np.allclose(state.information_state_tensor(player), expected)


def test_parameters_are_checked():
    assert pyspiel.load_game("python_trajan(players=4)").num_players() == 4
    assert pyspiel.load_game("python_trajan(deals=7)").max_chance_outcomes() == 7
    with pytest.raises(TrajanError, match="players must be 2, 3 or 4, got 5"):
        pyspiel.load_game("python_trajan", {"players": 5})
    with pytest.raises(TrajanError, match="deals must be at least 1, got 0"):
        pyspiel.load_game("python_trajan", {"deals": 0})


def test_options_of_the_rules_are_parameters():
    game = pyspiel.load_game(
        "python_trajan(players=3,lap_length=12,markers=random,final_tie=track)"
    )
    position = game.new_initial_state().child(5).now.position
    assert (
        position.origin[1] | {"lap_length": 12, "markers": "random", "final_tie": "track"}
        == (position.origin[1])
    )
    game = pyspiel.load_game("python_forum_trajanum", {"introductory": True, "novices": "[1]"})
    options = game.new_initial_state().child(0).now.position.origin[1]
    assert (options["introductory"], options["novices"]) == (True, [1])
    plain = pyspiel.load_game("python_trajan(players=3)").new_initial_state().child(5)
    assert plain.now.position.origin[1]["lap_length"] == 16
    with pytest.raises(TrajanError, match="lap_length must be"):
        pyspiel.load_game("python_trajan(lap_length=-1)")
    with pytest.raises(TrajanError, match="utility must be win or score, got 'gold'"):
        pyspiel.load_game("python_trajan(utility=gold)")


@pytest.mark.slow
def test_regrets_find_what_kuhns_poker_is_worth():
    """Every deal is listed, so the game is exact: -1/18 to the player who begins (Kuhn 1950)."""
    openspiel.register(KUHN)
    game = pyspiel.load_game("python_kuhn(utility=score)")
    assert game.max_chance_outcomes() == 6
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=5e-3)
    assert exploitability.exploitability(game, policy) < 0.02
    own = pyspiel.load_game("kuhn_poker")
    assert exploitability.nash_conv(game, UniformRandomPolicy(game)) == pytest.approx(
        exploitability.nash_conv(own, UniformRandomPolicy(own))
    )
    pyspiel.random_sim_test(game, num_sims=20, serialize=True, verbose=False)


@pytest.mark.slow
def test_a_process_that_used_it_ends_well():
    done = python(
        "-c",
        "import pyspiel, trajan_ai.adapters.openspiel\n"
        "print(len(pyspiel.load_game('python_trajan').new_initial_state().legal_actions()))",
    )
    assert (done.returncode, done.stdout) == (0, "1000\n"), done.stderr
