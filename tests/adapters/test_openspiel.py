"""The games in OpenSpiel pass more than OpenSpiel's own tests, and its searches can play them."""

import json
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
        generate_playthrough,
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
    state = pyspiel.load_game(name, {"players": players}).new_initial_state()
    state.apply_action(deal)
    for i in range(decisions):
        legal = state.legal_actions()
        state.apply_action(legal[i % len(legal)])
    return state


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_games_equal_those_of_the_engine(name, players):
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
        assert one.observation_tensor(player) == state.observation_tensor(player)


def test_an_information_state_changes_with_every_move_that_its_player_notices():
    """Other players notice every move, except for moves in a hidden step 1 of Forum Trajanum."""
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


def two_pasts():
    """Return two states with one position: player 0 drew fish and discarded wheat, or vice versa.

    Player 1 saw the same in both states.
    """
    ends = []
    for hand, drawn in (("wheat", "fish"), ("fish", "wheat")):
        view = at_action(board(), "seaport")
        view["players"][0]["hand"] = {hand: 1}
        empty_deck(view)["players"][1]["display"][drawn] -= 1
        state = openspiel.GameState(placed(view), ("", ""))
        for action in ("draw", "discard wheat left"):
            state = state.after(state.position.game.move(action))
        ends.append(state)
    return ends


def test_players_recall_their_hands():
    one, other = two_pasts()
    assert one.position == other.position
    assert one.pasts[0] != other.pasts[0]
    assert one.pasts[1] == other.pasts[1]


def test_a_resampled_state_does_not_depend_on_the_true_past_of_others():
    one, other = two_pasts()
    for seed in range(5):
        drawn = one.determinized(1, seed)
        assert drawn == other.determinized(1, seed)
        assert drawn.pasts[1] == one.pasts[1]
        assert one.pasts[0] not in drawn.pasts


def swapped_pairs(name, count, rng):
    """Yield the player to move in random games, and the states after two moves in either order."""
    game = pyspiel.load_game(name)
    while count:
        state = game.new_initial_state()
        state.apply_action(int(rng.integers(1000)))
        while not state.is_terminal() and count:
            legal = state.legal_actions()
            first, second = rng.choice(legal, 2, replace=False).tolist()
            ends = []
            for moves in ((first, second), (second, first)):
                end = state.clone()
                for move in moves:
                    if move in end.legal_actions():
                        end.apply_action(move)
                        ends += [end] if move == moves[1] else []
            if len(ends) == 2:
                yield state.current_player(), *ends
                count -= 1
            state.apply_action(int(rng.choice(legal)))


@pytest.mark.parametrize("count", [
    pytest.param(100, id="short"),
    pytest.param(5000, id="long", marks=[pytest.mark.long, pytest.mark.exhaustive]),
])  # fmt: skip
@pytest.mark.parametrize("name", NAMES)
def test_information_states_distinguish_histories(name, count):
    """Information state strings have perfect recall. Features do not, so there is no information
    state tensor."""
    kind = pyspiel.load_game(name).get_type()
    assert kind.provides_information_state_string
    assert not kind.provides_information_state_tensor
    assert kind.provides_observation_tensor
    for player, one, other in swapped_pairs(name, count, np.random.default_rng(1)):
        assert one.information_state_string(player) != other.information_state_string(player)
        for each in range(2):
            strings = {state.information_state_string(each) for state in (one, other)}
            tensors = {tuple(state.observation_tensor(each)) for state in (one, other)}
            assert len(tensors) <= len(strings)


def play_to_the_end(name):
    state = state_of(name, 0)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    return state


@pytest.mark.parametrize("name", NAMES)
def test_illegal_moves_are_rejected_and_change_nothing(name):
    """A separate process makes the moves, because an unchecked move would corrupt its memory."""
    program = (
        "import random, pyspiel, trajan_ai.adapters.openspiel\n"
        "from trajan_ai import TrajanError\n"
        f"game, rng = pyspiel.load_game({name!r}), random.Random(3)\n"
        "state = game.new_initial_state()\n"
        "state.apply_action(3)\n"
        "def rejects(move):\n"
        "    before = state.now, state.history()\n"
        "    try:\n"
        "        state.apply_action(move)\n"
        "    except TrajanError:\n"
        "        return (state.now, state.history()) == before\n"
        "checked = 0\n"
        "while not state.is_terminal():\n"
        "    legal = state.legal_actions()\n"
        "    for move in (rng.randrange(game.num_distinct_actions()), -2, 10**6):\n"
        "        checked += move in legal or rejects(move)\n"
        "    state.apply_action(rng.choice(legal))\n"
        "print(checked == 3 * (len(state.history()) - 1))\n"
        "print(all(map(rejects, range(game.num_distinct_actions()))))\n"
    )
    result = python("-c", program)
    assert (result.returncode, result.stdout) == (0, "True\nTrue\n"), result.stderr


def test_wrong_deals_players_and_actions_are_rejected():
    game = pyspiel.load_game("python_trajan(deals=7)")
    state = game.new_initial_state()
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for deal in (7, 1000, -2):
        with pytest.raises(TrajanError, match=f"a deal must be 0 to 6, got {deal}"):
            state.apply_action(deal)
    with pytest.raises(TrajanError, match="chance node before the deal: apply a deal first"):
        state.resample_from_infostate(0, sampler)
    with pytest.raises(TrajanError, match="chance node before the deal"):
        openspiel.Rollouts().evaluate(state)
    state.apply_action(6)
    for player in (2, -1):
        with pytest.raises(TrajanError, match=f"player must be 0 to 1, got {player}"):
            state.resample_from_infostate(player, sampler)
    for action in (345, -5):
        with pytest.raises(TrajanError, match=f"an action must be 0 to 344, got {action}"):
            state.action_to_string(0, action)


def test_the_end_of_a_game_can_be_used():
    state = play_to_the_end("python_trajan")
    assert state.legal_actions() == []
    assert openspiel.Rollouts(3).evaluate(state).tolist() == state.returns()
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    assert state.resample_from_infostate(1, sampler).returns() == state.returns()


@pytest.mark.parametrize("name", NAMES)
def test_states_can_be_serialized_pickled_and_cloned(name):
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
def test_open_spiels_searches_play_the_games(name):
    state = state_of(name, 20)
    game, rollouts = state.get_game(), openspiel.Rollouts(2, seed=1)
    bots = [
        ismcts.ISMCTSBot(game, rollouts, 2, 40, random_state=np.random.RandomState(1)),
        mcts.MCTSBot(game, 2, 40, rollouts, random_state=np.random.RandomState(1)),
    ]
    for bot in bots:
        assert bot.step(state) in state.legal_actions()


def test_rollouts_estimate_utilities():
    state = state_of("python_trajan", 150)
    values = openspiel.Rollouts(50, seed=1).evaluate(state)
    assert values.sum() == pytest.approx(0)
    assert np.all(np.abs(values) <= 1)
    again = openspiel.Rollouts(50, seed=1).evaluate(state)
    assert values.tolist() == again.tolist()
    assert sum(share for _, share in openspiel.Rollouts().prior(state)) == pytest.approx(1)


def test_utilities_are_fractions_of_the_win_or_leads_in_vp():
    end = records.replay(golden("trajan", "3p"))
    leads = [score - sum(end.scores) / 3 for score in end.scores]
    game = pyspiel.load_game("python_trajan(players=3,utility=score)")
    assert game.utilities(end) == pytest.approx(leads)
    shares = pyspiel.load_game("python_trajan(players=3)").utilities(end)
    assert shares == [1.0 if rank == 1 else -0.5 for rank in end.ranks]
    tie = before_a_tie().after("no build")
    assert pyspiel.load_game("python_forum_trajanum").utilities(tie) == [0.0, 0.0]


def test_tensors_are_features_divided_by_their_highest_values():
    state = state_of("python_trajan", 30, players=3)
    features = trajan_ai.game("trajan").rules.features(3)
    for player in range(3):
        values = np.frombuffer(state.now.position.features(player), np.uint8)
        expected = values / np.array([feature.highest for feature in features])
        assert np.allclose(state.observation_tensor(player), expected)


def test_a_game_can_be_loaded_again_by_its_text():
    game = pyspiel.load_game("python_trajan", {"players": 3, "deals": 5})
    assert {"players": 3, "deals": 5}.items() <= game.get_parameters().items()
    again = pyspiel.load_game(str(game))
    assert (again.num_players(), again.max_chance_outcomes()) == (3, 5)
    assert openspiel.SpielGame(KUHN).num_players() == 2


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
def test_cfr_converges_to_the_value_of_kuhn_poker():
    """All deals are listed, so the value is exact: -1/18 for the first player (Kuhn 1950)."""
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
def test_a_small_end_is_solved_exactly(tmp_path, name, deals, size):
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
def test_cfr_converges_to_the_value_of_a_small_end(tmp_path):
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


def test_an_end_is_dealt_from_the_common_knowledge(tmp_path):
    """Each player holds two of five cards, of which three show one good and two show another.

    In six of ten deals a hand has different cards. This is also true of the first player's hand,
    although the file states that its cards differ, because the other players do not know this.
    """
    game = small_game("trajan", tmp_path / "end.yaml", 2000)
    hand_in_file = own(position_files.read(tmp_path / "end.yaml"))["hand"]
    assert sum(chance for _, chance in game.outcomes) == pytest.approx(1)
    mixed = [0, 0]
    for deal, chance in game.outcomes:
        for seat in (0, 1):
            hand = own(game.deal(deal).position, seat)["hand"]
            assert sum(hand.values()) == 2
            assert hand.keys() <= hand_in_file.keys()
            mixed[seat] += chance * (hand == hand_in_file)
    assert mixed == pytest.approx([0.6, 0.6], abs=0.044)  # four standard deviations


def test_a_position_file_sets_players_and_options(tmp_path):
    path = tmp_path / "four.yaml"
    start = trajan_ai.game("trajan").start(4, seed=1, lap_length=9)
    position_files.write(path, position_files.position_file(start, 0))
    game = pyspiel.load_game("python_trajan", {"position": str(path), "deals": 5})
    assert game.num_players() == 4
    assert game.new_initial_state().child(0).now.position.view(2)["options"] == {"lap_length": 9}
    with pytest.raises(TrajanError, match=r"four.yaml: a position of trajan, not forum_trajanum"):
        pyspiel.load_game("python_forum_trajanum", {"position": str(path)})
    for wrong in ({"players": 3}, {"markers": "random"}):
        with pytest.raises(
            TrajanError, match=r"four\.yaml: players and options are those of the file"
        ):
            pyspiel.load_game("python_trajan", {"position": str(path), **wrong})


@pytest.mark.slow
def test_a_process_that_used_a_game_exits_normally():
    result = python(
        "-c",
        "import pyspiel, trajan_ai.adapters.openspiel\n"
        "print(len(pyspiel.load_game('python_trajan').new_initial_state().legal_actions()))",
    )
    assert (result.returncode, result.stdout) == (0, "1000\n"), result.stderr


def observer_of(game, *, is_public, is_private, recalls=False):
    kinds = pyspiel.PrivateInfoType
    private = kinds.SINGLE_PLAYER if is_private else kinds.NONE
    return game.make_py_observer(
        pyspiel.IIGObservationType(
            public_info=is_public, perfect_recall=recalls, private_info=private
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_open_spiel_generates_a_playthrough(name):
    short = ",lap_length=2" if name == "python_trajan" else ""
    arguments = (f"{name}(players=2,deals=3{short})", [0])
    text = generate_playthrough.playthrough(*arguments, seed=1)
    lines = text if isinstance(text, list) else text.splitlines()
    for what in ("PublicObservationString()", "PrivateObservationString(1)", "Returns()"):
        assert any(line.startswith(what) for line in lines)
    assert "IsTerminal() = True" in lines


# Positions with hidden choices of Forum Trajanum are omitted, because such choices make the common
# part of the views depend on chance.
@pytest.mark.parametrize(
    ("name", "decisions"),
    [(NAMES[0], 0), (NAMES[0], 20), (NAMES[0], 61), (NAMES[1], 0)],
)
def test_public_and_private_information_are_parts_of_the_view(name, decisions):
    state = state_of(name, decisions, players=3)
    game = state.get_game()
    public = observer_of(game, is_public=True, is_private=False)
    private = observer_of(game, is_public=False, is_private=True)
    shared = public.string_from(state, 0)
    assert "turn: " in shared
    assert "observer" not in shared
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for player in range(3):
        assert public.string_from(state, player) == shared
        own = private.string_from(state, player)
        assert f"observer: {player}" in own
        alike = state.resample_from_infostate(player, sampler)
        assert public.string_from(alike, 0) == shared
        assert private.string_from(alike, player) == own
    assert public.tensor is private.tensor is None


def test_public_information_omits_what_one_player_does_not_know():
    views = [
        {"open": [1, None], "hand": [3], "sizes": [{"n": 1, "own": "x"}, 2], "none": None},
        {"open": [1, None], "hand": 1, "sizes": [{"n": 1}, 5], "none": None},
    ]
    common = openspiel._common(views)
    assert common == {"open": [1, None], "sizes": [{"n": 1}, None], "none": None}
    assert openspiel._without(views[0], common) == {"hand": [3], "sizes": [{"own": "x"}, 2]}


@pytest.mark.parametrize(
    ("is_public", "is_private", "recalls"),
    [(False, False, False), (True, False, True), (False, True, True)],
)
def test_other_observers_are_rejected(is_public, is_private, recalls):
    game = pyspiel.load_game("python_trajan")
    with pytest.raises(ValueError, match="an observer must be of public information"):
        observer_of(game, is_public=is_public, is_private=is_private, recalls=recalls)


@pytest.mark.parametrize("name", NAMES)
def test_structs_are_views(name):
    before = pyspiel.load_game(name).new_initial_state()
    assert before.to_struct().to_dict() == {}
    state = state_of(name, 7)
    position = state.now.position
    assert state.to_struct().to_dict() == position.game.rules.view(position, None)
    assert json.loads(state.to_json()) == state.to_struct().to_dict()
    for player in range(2):
        struct = state.to_observation_struct(player)
        assert struct.to_dict() == position.view(player)
        assert json.loads(struct.to_json()) == position.view(player)
    assert state.to_observation_struct().to_dict() == position.view(position.player)
