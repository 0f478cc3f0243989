"""The knowledge of a game, called from Python and checked by hand for Nim."""

import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.games.reference import FORK, NIM
from trajan_ai.mcts.knowledge import evaluation, play_by_policy, policy_choice, priors

# The exclusive or is 2: taking 2 from the heap of 3 leaves 1, 5 and 4, which loses.
POSITION = NIM.restore(2, {"heaps": [3, 5, 4]})
OVER = NIM.restore(2, {"heaps": [1, 1]}).after("heap 1 take 1")


def test_priors_are_in_the_order_of_the_legal_moves():
    by_action = dict(zip(POSITION.legal(), priors(POSITION, [1.0]), strict=True))
    assert by_action.pop("heap 1 take 2") == pytest.approx(21 / 32)
    assert list(by_action.values()) == pytest.approx([1 / 32] * 11)
    assert priors(POSITION, [0.0]) == pytest.approx([1 / 12] * 12)
    assert priors(OVER, [1.0]) == []


def test_the_policy_chooses_an_index_among_the_legal_moves():
    winning = POSITION.legal().index("heap 1 take 2")
    assert policy_choice(POSITION, [1.0], 7) == winning
    seeds = range(-20, 200)
    assert {policy_choice(POSITION, [0.0], seed) for seed in seeds} == set(range(12))
    with pytest.raises(TrajanError, match="over"):
        policy_choice(OVER, [1.0], 1)


def test_the_evaluation_has_a_value_for_each_player():
    assert evaluation(POSITION, [1.0]) == [1.0, 0.0]
    assert evaluation(POSITION, [0.5]) == [0.75, 0.25]


def test_weights_are_those_of_the_player_to_decide():
    for seed in range(20):
        assert play_by_policy(POSITION, [[1.0], [0.0]], seed, 3)[0] == [1, 0]
    lost = sum(
        play_by_policy(POSITION, [[0.0], [1.0]], seed, 3)[0] == [0, 1] for seed in range(20)
    )
    assert lost > 15


def test_sampled_positions_are_equally_spaced_from_a_random_decision():
    for seed in range(30):
        scores, met = play_by_policy(POSITION, [[0.0]] * 2, seed, 2)
        first = Random(seed).below(2)
        assert [position.ply for position in met] == [first + 2 * i for i in range(len(met))]
        assert all(position.player == position.ply % 2 for position in met)
        assert sum(scores) == 1
    assert POSITION.ply == 0
    assert play_by_policy(OVER, [[0.0]] * 2, 0, 1) == (OVER.scores, [])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: priors(POSITION, []), "nim: there must be 1 weights, got 0"),
        (lambda: evaluation(POSITION, [1.0, 2.0]), "nim: there must be 1 weights, got 2"),
        (lambda: play_by_policy(POSITION, [[1.0]], 0, 1), "weights of 2 players"),
        (lambda: play_by_policy(POSITION, [[1.0], []], 0, 1), "1 weights, got 0"),
        (lambda: play_by_policy(POSITION, [[1.0]] * 2, 0, 0), "every must be at least 1"),
        (lambda: priors(FORK.start(3), []), "fork: the game has no prior"),
        (lambda: policy_choice(FORK.start(3), [], 0), "fork: the game has no policy"),
        (lambda: evaluation(FORK.start(3), []), "fork: the game has no evaluation"),
        (lambda: play_by_policy(FORK.start(3), [], 0, 1), "fork: the game has no policy"),
    ],
)
def test_missing_knowledge_and_a_wrong_number_of_weights_are_rejected(call, complaint):
    with pytest.raises(TrajanError, match=complaint):
        call()
