"""Trajan's knowledge: noise, and the file of weights; rates are compared with a plain twin."""

import yaml
from calls import problems
from trajan_boards import at_action, board, position

from trajan_ai.gamekit.weights import read_weights
from trajan_ai.mcts.knowledge import policy_choice
from trajan_ai.trajan.weights import FILE, NAMES, WEIGHTS


def quiet(**weights):
    """The default weights without noise, and with changes."""
    noise = {"moves.noise": 0.0, "moves.sow_noise": 0.0}
    return tuple((WEIGHTS | noise | weights).values())


def test_noise_spreads_the_policy():
    start = position(at_action(board(), "military"))
    weights = quiet(**{"moves.noise": 50.0})
    chosen = {policy_choice(start, weights, seed) for seed in range(200)}
    assert chosen == set(range(len(start.legal())))


def test_weights_have_the_order_of_the_engine_whatever_the_order_of_the_file(tmp_path):
    groups = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.yaml"
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")  # sorted by name
    assert list(read_weights(path, NAMES).items()) == list(WEIGHTS.items())
    groups["moves"]["charm"] = 1
    del groups["moves"]["card"]
    groups["evaluation_2, evaluation_3, evaluation_4"]["cards"][1] = 1
    text = yaml.safe_dump(groups)
    path.write_text(text, encoding="utf-8")
    found = problems(read_weights, path, NAMES)
    line = text.split("\n").index("  charm: 1") + 1
    assert len(found) == 3
    assert any(one.startswith(f"{path}:{line}: moves.charm: unknown key") for one in found)
    assert any("moves.card: is missing, such as a number" in one for one in found)
    assert any(one.endswith(": evaluation_3.cards: must be 2 numbers, got 1") for one in found)
