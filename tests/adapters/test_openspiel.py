"""OpenSpiel's searches on our games, and what its own tests of them leave out."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from calls import python
from forum_trajanum_boards import before_a_tie
from golden_games import golden
from trajan_boards import at_action, board, empty_deck, own
from trajan_boards import position as placed

import trajan_ai
from trajan_ai import TrajanError, records
from trajan_ai.games.reference import KUHN
from trajan_ai.records import position_files

with suppress(ImportError):
    import pyspiel
    from open_spiel.python.algorithms import (
        best_response,
        cfr,
        expected_game_score,
        exploitability,
        ismcts,
        mcts,
    )
    from open_spiel.python.policy import UniformRandomPolicy
    from small_games import SequenceForm, small_game, uniform

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


def test_players_recall_what_they_held():
    """Who draws fish and lays off wheat, or the reverse before, holds the same and knows more."""
    ends = []
    for held, drawn in (("wheat", "fish"), ("fish", "wheat")):
        view = at_action(board(), "seaport")
        view["players"][0]["hand"] = {held: 1}
        empty_deck(view)["players"][1]["display"][drawn] -= 1
        now = openspiel.Now(placed(view), ("", ""))
        for action in ("draw", "discard wheat left"):
            now = now.after(now.position.game.move(action))
        ends.append(now)
    one, other = ends
    assert one.position == other.position
    assert one.noticed[0] != other.noticed[0]
    assert one.noticed[1] == other.noticed[1]


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
@pytest.mark.parametrize(("name", "deals", "size"), [
    ("trajan", 9, {"sows": 1}),
    ("forum_trajanum", 1, {"hidden": 0}),
])  # fmt: skip
def test_an_end_cut_down_is_exact(tmp_path, name, deals, size):
    game = small_game(name, tmp_path / "end.yaml", deals, **size)
    form = SequenceForm(game)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    policy, root = UniformRandomPolicy(game), game.new_initial_state()
    plans = [form.plan(seat, uniform) for seat in (0, 1)]
    for seat in (0, 1):
        best = best_response.BestResponsePolicy(game, seat, policy).value(root)
        assert 2 * best == pytest.approx(form.best(seat, plans[1 - seat]))
    assert exploitability.nash_conv(game, policy) == pytest.approx(form.exploitability(plans))
    value, equilibrium = form.equilibrium()
    assert form.exploitability(equilibrium) == pytest.approx(0, abs=1e-6)
    assert form.best(0, equilibrium[1]) == pytest.approx(value)
    assert form.exploitability(plans) > 1


@pytest.mark.slow
def test_regrets_come_to_the_value_of_a_small_end(tmp_path):
    game = small_game("forum_trajanum", tmp_path / "end.yaml", 1, hidden=0)
    value, _ = SequenceForm(game).equilibrium()
    solver, lost = cfr.CFRPlusSolver(game), []
    for _ in range(3):
        for _ in range(8):
            solver.evaluate_and_update_policy()
        lost.append(exploitability.nash_conv(game, solver.average_policy()))
    assert lost[0] > lost[1] > lost[2]
    assert lost[2] < 0.1 < exploitability.nash_conv(game, UniformRandomPolicy(game))
    policies = [solver.average_policy()] * 2
    won = expected_game_score.policy_value(game.new_initial_state(), policies)
    assert 2 * won[0] == pytest.approx(value, abs=0.2)


def test_an_end_is_dealt_from_what_all_know(tmp_path):
    """Two of three cards of a good and two of another are a player's: one of each in six of ten
    deals, though the file says so of the first player's hand."""
    game = small_game("trajan", tmp_path / "end.yaml", 2000)
    told = own(position_files.read(tmp_path / "end.yaml"))["hand"]
    assert sum(chance for _, chance in game.outcomes) == pytest.approx(1)
    mixed = [0, 0]
    for deal, chance in game.outcomes:
        for seat in (0, 1):
            hand = own(game.dealt(deal).position, seat)["hand"]
            assert sum(hand.values()) == 2
            assert hand.keys() <= told.keys()
            mixed[seat] += chance * (hand == told)
    assert mixed == pytest.approx([0.6, 0.6], abs=0.044)  # four standard deviations


def test_an_end_is_as_its_file_says(tmp_path):
    path = tmp_path / "four.yaml"
    start = trajan_ai.game("trajan").start(4, seed=1, lap_length=9)
    position_files.write(path, position_files.position_file(start, 0))
    game = pyspiel.load_game("python_trajan", {"position": str(path), "deals": 5})
    assert game.num_players() == 4
    assert game.new_initial_state().child(0).now.position.view(2)["options"] == {"lap_length": 9}
    with pytest.raises(TrajanError, match=r"four.yaml: a position of trajan, not forum_trajanum"):
        pyspiel.load_game("python_forum_trajanum", {"position": str(path)})
    for wrong in ({"players": 3}, {"markers": "random"}):
        with pytest.raises(TrajanError, match=r"four.yaml: the file says players and options"):
            pyspiel.load_game("python_trajan", {"position": str(path), **wrong})


@pytest.mark.slow
def test_a_process_that_used_it_ends_well():
    done = python(
        "-c",
        "import pyspiel, trajan_ai.adapters.openspiel\n"
        "print(len(pyspiel.load_game('python_trajan').new_initial_state().legal_actions()))",
    )
    assert (done.returncode, done.stdout) == (0, "1000\n"), done.stderr
